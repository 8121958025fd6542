package scenario

import (
	"slices"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/world"
)

// verb is one row of the verb table: what the engine does, how it is written,
// and how its arguments are read.
type verb struct {
	does  world.Verb
	usage string
	doc   string
	read  func(a *args, c *world.Command)
}

// verbs is the grammar of commands, for scenarios and for the user's hand.
var verbs = map[string]verb{
	"crash":        {world.VerbCrash, "crash NODE[,NODE]", "kill the process; its machine keeps the page cache", readProcesses},
	"powerloss":    {world.VerbPowerLoss, "powerloss NODE[,NODE] | rack-a | all", "the machines lose power, and all that was not flushed", readNodes},
	"start":        {world.VerbStart, "start NODE[,NODE]", "start a process that is down", readProcesses},
	"stop":         {world.VerbStop, "stop NODE[,NODE]", "clean shutdown; a client closes", readProcesses},
	"freeze":       {world.VerbFreeze, "freeze NODE[,NODE]", "the process stands still (SIGSTOP)", readProcesses},
	"thaw":         {world.VerbThaw, "thaw NODE[,NODE]", "a frozen process goes on", readProcesses},
	"cut":          {world.VerbCut, "cut NODES NODES [one-way]", "nothing gets from the first to the second, nor back unless one-way", readCut},
	"heal":         {world.VerbHeal, "heal NODES NODES | heal all", "undo cut", readHeal},
	"link":         {world.VerbLink, "link NODES NODES [latency=50ms] [jitter=5ms] [bandwidth=1MB/s]", "how a link carries", readLink},
	"disk":         {world.VerbDisk, "disk NODE[,NODE] [latency=20ms] [capacity=1MB|unlimited] [fail=/d2] [repair=/d2]", "every write takes that long (0 is normal); how much log each directory holds; a log directory's disk breaks; it works again from the broker's next start on", readDisk},
	"sync":         {world.VerbSync, "sync NODE[,NODE]", "flush the page cache, as sync(1)", readNodes},
	"wipe":         {world.VerbWipe, "wipe NODE[,NODE]", "new empty disks under a process that is down, formatted with its node.id (kafka-storage format)", readNodes},
	"topic":        {world.VerbTopic, "topic NAME [partitions=3] [replication.factor=3] [replica-assignment=1:2:3] [CONFIG=VALUE]", "create a topic", readTopic},
	"delete-topic": {world.VerbDeleteTopic, "delete-topic NAME", "delete a topic", readDeleteTopic},
	"producer":     {world.VerbClient, "producer NAME topic=T [rate=50/s] [keys=8] [partition=0] [count=100] [size=1KB] [user=U] [CONFIG=VALUE]", "start a producer", readClient},
	"consumer":     {world.VerbClient, "consumer NAME assign=T[,T-0] [group=G] [from=earliest] [work=5ms] [commit=first] [user=U] [CONFIG=VALUE]", "start a consumer", readClient},
	"config":       {world.VerbConfig, "config topic T|broker broker-1|cluster CONFIG=VALUE", "change dynamic configs; no value deletes", readConfig},
	"produce":      {world.VerbProduce, "produce PRODUCER [topic=T] [key=K] [value=V|tombstone] [partition=0] [timestamp=MS] [n=10]", "send records now", readProduce},
	"seek":         {world.VerbSeek, "seek CONSUMER T-0 to earliest|latest|OFFSET", "move a position", readSeek},
	"commit":       {world.VerbCommit, "commit CONSUMER", "commit positions now (commitSync)", readClientName},
	"pause":        {world.VerbPause, "pause CLIENT", "a producer sends nothing new, a consumer does not poll", readClientName},
	"resume":       {world.VerbResume, "resume CLIENT", "undo pause", readClientName},
	"rate":         {world.VerbRate, "rate PRODUCER 50/s", "change a producer's rate", readRate},
	"elect":        {world.VerbElect, "elect T-0 [unclean]", "kafka-leader-election: preferred, or unclean", readElect},

	"partitions":      {world.VerbCreatePartitions, "partitions TOPIC N", "kafka-topics --alter: N partitions in all", readPartitions},
	"reassign":        {world.VerbReassign, "reassign T-0 4,2,3 [T-1 3,2,4] [throttle=10MB/s]", "kafka-reassign-partitions --execute: these replicas, the preferred leader first", readReassign},
	"cancel-reassign": {world.VerbCancelReassign, "cancel-reassign T-0 [T-1]", "kafka-reassign-partitions --cancel: back to the replicas of before", readCancelReassign},
	"verify-reassign": {world.VerbVerifyReassign, "verify-reassign TOPIC", "kafka-reassign-partitions --verify: takes throttles off if all is done", readVerifyReassign},
	"quota":           {world.VerbQuota, "quota [CLIENT|admin|all] [user=U|all] [produce=1MB/s] [consume=1MB/s] [request=50%] [mutations=2/s]", "kafka-configs --entity-type clients, users: what a client.id, a user, or a client.id of a user may do; unlimited takes it off", readQuota},
	"delete-records":  {world.VerbDeleteRecords, "delete-records T-0 OFFSET|latest", "kafka-delete-records: what is below the offset goes; latest is the high watermark", readDeleteRecords},
	"alter-log-dir":   {world.VerbAlterLogDir, "alter-log-dir BROKER T-0 /d2", "kafka-reassign-partitions with log_dirs: that broker's replica moves to another of its log directories", readAlterLogDir},
	"corrupt":         {world.VerbCorrupt, "corrupt NODE[,NODE] T-0 OFFSET [length]", "a bit of that record flips on the disk: of its value, or of its length", readCorrupt},
	"add":             {world.VerbAddBroker, "add broker-4 [rack=d] | add controller-104", "a new machine with a new broker, or a controller that only observes, joins the cluster", readAdd},
	"add-voter":       {world.VerbAddVoter, "add-voter CONTROLLER", "kafka-metadata-quorum add-controller: an observer becomes a voter (needs kraft.version=1)", readVoter},
	"remove-voter":    {world.VerbRemoveVoter, "remove-voter CONTROLLER", "kafka-metadata-quorum remove-controller: a voter votes no more", readVoter},
}

// verbWords are the names of the verbs in the order of the table.
var verbWords = []string{"crash", "powerloss", "start", "stop", "freeze", "thaw", "cut", "heal", "link", "disk", "sync", "wipe",
	"topic", "delete-topic", "producer", "consumer", "config", "produce", "seek", "commit", "pause", "resume", "rate", "elect",
	"partitions", "reassign", "cancel-reassign", "verify-reassign", "delete-records", "quota", "alter-log-dir", "corrupt", "add", "add-voter", "remove-voter"}

// otherWords are words that people try first, with what is written here instead.
var otherWords = map[string]string{
	"kill": "crash broker-1", "shutdown": "stop broker-1", "restart": "stop broker-1, and later start broker-1",
	"unplug": "powerloss broker-1", "hang": "freeze broker-1", "partition": "cut broker-1 broker-2", "isolate": "cut broker-1 broker-2",
	"disconnect": "cut broker-1 broker-2", "connect": "heal broker-1 broker-2", "delay": "link broker-1 broker-2 latency=50ms",
	"slow": "disk broker-1 latency=20ms", "send": "produce app value=v", "create": "topic orders partitions=3", "delete": "delete-topic orders",
	"alter": "config topic orders retention.ms=60000", "assert": "expect leader(orders-0) == 1",
}

// command parses a verb and its arguments.
func (p *parser) command(st *statement) world.Command {
	c := world.Command{Text: strings.TrimSpace(st.word + " " + st.rest), Latency: -1, Jitter: -1, Bandwidth: -1}
	v, ok := verbs[st.word]
	if !ok {
		words := append([]string{}, verbWords...)
		if p.names != nil {
			words = append(words, "say", "ask", "expect", "end")
		}
		switch instead, known := otherWords[st.word]; {
		case st.word == "":
			p.problem(st.line, st.col, "nothing is written here; a command begins with a verb, as in: crash broker-1")
		case st.word == "at" && p.names == nil:
			p.problem(st.line, st.col, "a command has no instant: it is done now; leave out at and the time")
		case st.word == "at":
			p.problem(st.line, st.col, "at begins a new instant and stands at the beginning of its line, not indented")
		case known:
			p.problem(st.line, st.col, "unknown verb "+clip(st.word)+"; here it is: "+instead)
		default:
			p.problem(st.line, st.col, "unknown verb "+clip(st.word)+meant(st.word, words))
		}
		return c
	}
	c.Verb = v.does
	a := p.args(st)
	v.read(a, &c)
	a.done()
	return c
}

// nodes takes a comma list of processes; groups says whether all and rack-a may
// stand for several.
func (a *args) nodes(what string, clients, groups bool) []string {
	w, ok := a.next(what)
	if !ok {
		return nil
	}
	names := a.list(w.text, w.col, "processes")
	for _, n := range names {
		if world.IsControllerRole(n) {
			continue
		}
		if !groups || !a.p.group(a.st.line, w.col, n) {
			a.p.process(a.st.line, w.col, n, clients)
		}
	}
	return names
}

func readProcesses(a *args, c *world.Command) {
	c.Nodes = a.nodes("a process, as broker-1", true, true)
}

func readNodes(a *args, c *world.Command) {
	c.Nodes = a.nodes("a broker or controller, as broker-1", false, true)
}

// pair takes both ends of links; they must differ.
func (a *args) pair(c *world.Command) {
	c.Nodes = a.nodes("both ends, as in: "+a.st.word+" broker-1 broker-2,broker-3", true, false)
	if c.Nodes == nil {
		return
	}
	c.Peers = a.nodes("the other end, as in: "+a.st.word+" broker-1 broker-2,broker-3", true, false)
	for _, n := range c.Nodes {
		if slices.Contains(c.Peers, n) {
			a.p.problem(a.st.line, a.st.col, n+" is at both ends")
		}
	}
}

func readCut(a *args, c *world.Command) {
	c.OneWay = a.flag("one-way")
	a.pair(c)
}

func readHeal(a *args, c *world.Command) {
	if !a.flag("all") {
		a.pair(c)
	}
}

func readLink(a *args, c *world.Command) {
	a.pair(c)
	c.Latency = a.duration("latency", -1)
	c.Jitter = a.duration("jitter", -1)
	c.Bandwidth = a.bandwidth(-1)
	if c.Latency < 0 && c.Jitter < 0 && c.Bandwidth < 0 && len(c.Peers) > 0 {
		a.p.problem(a.st.line, a.st.col, "link changes nothing; give latency=, jitter= or bandwidth=")
	}
}

func readDisk(a *args, c *world.Command) {
	readNodes(a, c)
	c.Latency = a.duration("latency", -1)
	if w, ok := a.value("capacity"); ok {
		n, good := parseSize(w.value)
		if w.value == "unlimited" {
			n, good = -1, true
		}
		if c.Capacity = n; !good || n == 0 {
			a.badValue(w, "capacity is a size in bytes such as 100KB, or unlimited, not "+clip(w.value))
		}
	}
	for _, key := range []string{"fail", "repair"} {
		w, ok := a.value(key)
		if !ok {
			continue
		}
		if c.Directory != "" {
			a.bad(w, "either fail= or repair=")
		}
		c.Directory, c.Repair = w.value, key == "repair"
		if a.p.names == nil {
			continue // the world will look
		}
		if dirs := a.p.file.Spec.Cluster.Disks(); !slices.Contains(dirs, w.value) {
			a.badValue(w, clip(w.value)+" is no log directory; there are "+strings.Join(dirs, ",")+meant(w.value, dirs))
		}
	}
	if c.Latency < 0 && c.Capacity == 0 && c.Directory == "" && len(c.Nodes) > 0 {
		a.p.problem(a.st.line, a.st.col, "disk changes nothing; give latency=, capacity= or fail=, as in: disk broker-1 latency=20ms")
	}
}

func readDeleteRecords(a *args, c *world.Command) {
	if w, ok := a.next("a partition, as in: delete-records payments-0 100"); ok {
		c.Partition, _ = a.p.partition(a.st.line, w.col, w.text)
	}
	if w, ok := a.next("an offset, as in: delete-records payments-0 100"); ok {
		if c.To = w.text; w.text == "earliest" || !validPosition(w.text) {
			a.bad(w, "give an offset, or latest for the high watermark, not "+clip(w.text))
		}
	}
}

func readAlterLogDir(a *args, c *world.Command) {
	w, ok := a.next("a broker, as in: alter-log-dir broker-1 payments-0 /d2")
	if ok {
		c.Nodes = []string{w.text}
		a.p.process(a.st.line, w.col, w.text, false)
	}
	if w, ok := a.next("a partition, as in: alter-log-dir broker-1 payments-0 /d2"); ok {
		c.Partition, _ = a.p.partition(a.st.line, w.col, w.text)
	}
	if w, ok := a.next("a log directory, as in: alter-log-dir broker-1 payments-0 /d2"); ok {
		c.Directory = w.text
		if a.p.names == nil {
			return // the broker will look
		}
		if dirs := a.p.file.Spec.Cluster.LogDirs(); !slices.Contains(dirs, w.text) {
			a.bad(w, clip(w.text)+" is not in log.dirs="+strings.Join(dirs, ",")+meant(w.text, dirs))
		}
	}
}

func readCorrupt(a *args, c *world.Command) {
	c.Name = "value"
	if a.flag("length") {
		c.Name = "length"
	}
	readNodes(a, c)
	if w, ok := a.next("a partition, as in: corrupt broker-1 payments-0 7"); ok {
		c.Partition, _ = a.p.partition(a.st.line, w.col, w.text)
	}
	if w, ok := a.next("an offset, as in: corrupt broker-1 payments-0 7"); ok {
		if _, good := parseInt(w.text, 0, 1<<62); !good {
			a.bad(w, "an offset is a whole number, not "+clip(w.text))
		}
		c.To = w.text
	}
}

func readTopic(a *args, c *world.Command) { c.Topic = a.p.topicSpec(a) }

func readDeleteTopic(a *args, c *world.Command) {
	if w, ok := a.next("a topic"); ok {
		c.Name = w.text
		a.p.topicOf(a.st.line, w.col, w.text)
	}
}

func readClient(a *args, c *world.Command) { c.Client = a.p.clientSpec(a, a.st.word) }

func readConfig(a *args, c *world.Command) {
	w, ok := a.next("topic, broker or cluster, as in: config topic payments min.insync.replicas=2")
	if !ok {
		return
	}
	scope := kafka.ScopeBroker
	switch w.text {
	case "topic":
		c.ConfigOf, scope = world.ConfigOfTopic, kafka.ScopeTopic
		if n, ok := a.next("a topic"); ok {
			c.Name = n.text
			a.p.topicOf(a.st.line, n.col, n.text)
		}
	case "broker":
		c.ConfigOf = world.ConfigOfBroker
		if n, ok := a.next("a broker"); ok {
			c.Name = n.text
			a.p.process(a.st.line, n.col, n.text, false)
		}
	case "cluster":
		c.ConfigOf = world.ConfigOfCluster
	default:
		a.bad(w, "config is of a topic, a broker or the cluster, not "+clip(w.text)+meant(w.text, []string{"topic", "broker", "cluster"}))
		return
	}
	before := len(a.p.problems)
	c.Configs = a.dynamicConfigs(scope)
	if len(c.Configs) == 0 && len(a.p.problems) == before {
		a.p.problem(a.st.line, a.st.col, "config changes nothing; give NAME=VALUE")
	}
}

// client takes a client's name of a kind ("" for any).
func (a *args) client(kind string) string {
	what := kind
	if kind == "" {
		what = "client"
	}
	w, ok := a.next("the name of a " + what)
	if ok {
		a.p.clientOf(a.st.line, w.col, w.text, kind)
	}
	return w.text
}

func readClientName(a *args, c *world.Command) {
	kind := ""
	if c.Verb == world.VerbCommit {
		kind = "consumer"
	}
	c.Name = a.client(kind)
}

func readRate(a *args, c *world.Command) {
	c.Name = a.client("producer")
	if w, ok := a.next("a rate, as in: rate app 50/s"); ok {
		c.Rate = a.rateOf(w, w.text, w.col)
	}
}

func readSeek(a *args, c *world.Command) {
	c.Name = a.client("consumer")
	if w, ok := a.next("a partition, as in: seek c1 payments-0 to earliest"); ok {
		c.Partition, _ = a.p.partition(a.st.line, w.col, w.text)
	}
	a.flag("to")
	if w, ok := a.next("where to, as in: seek c1 payments-0 to earliest"); ok {
		if c.To = w.text; !validPosition(w.text) {
			a.bad(w, "a position is earliest, latest or an offset, not "+clip(w.text))
		}
	}
}

// readQuota reads quotas of a client id, of a user, or of both together; all is for
// those that have none of their own.
func readQuota(a *args, c *world.Command) {
	if w, ok := a.value("user"); ok {
		switch c.QuotaUser = metadata.PartOf(w.value); {
		case w.value == "all":
			c.QuotaUser.Name = ""
		case !validName(w.value):
			a.badValue(w, "user is the name of a principal such as alice, or all, not "+clip(w.value))
		}
	}
	if bare := slices.ContainsFunc(a.words, func(w word) bool { return !w.pair }); bare || !c.QuotaUser.Set {
		if w, ok := a.next("a client, or all, or user=, as in: quota app produce=1MB/s"); ok {
			if c.QuotaClient = metadata.PartOf(w.text); w.text == "all" {
				c.QuotaClient.Name = ""
			} else if w.text != "admin" { // who creates topics
				a.p.clientOf(a.st.line, w.col, w.text, "")
			}
		}
	}
	before := len(a.p.problems)
	c.Quotas = [metadata.QuotaKinds]int64{
		metadata.ProduceRate: a.byteRate("produce", -1), metadata.ConsumeRate: a.byteRate("consume", -1),
		metadata.RequestShare: a.limit("request", "%", "a share of one thread's time such as 50%"),
		metadata.MutationRate: a.limit("mutations", "/s", "partitions created and deleted per second, such as 2/s"),
	}
	if c.Quotas == [metadata.QuotaKinds]int64{-1, -1, -1, -1} && len(a.p.problems) == before {
		a.p.problem(a.st.line, a.st.col, "quota changes nothing; give produce=, consume=, request= or mutations=, as in: quota app produce=1MB/s")
	}
}

// limit takes key=N with a unit, in millionths; unlimited is 0, -1 stands for none.
func (a *args) limit(key, unitName, what string) int64 {
	w, ok := a.value(key)
	if !ok {
		return -1
	}
	if w.value == "unlimited" {
		return 0
	}
	number, has := strings.CutSuffix(w.value, unitName)
	n, rest, good := scaled(number, []unit{{"", 1_000_000}}, limitMax)
	if !good || !has || rest != "" || n == 0 {
		a.badValue(w, key+" is "+what+", or unlimited, not "+clip(w.value))
		return -1
	}
	return n
}

// limitMax bounds what limit reads.
const limitMax = 1_000_000 * 1_000_000

func readElect(a *args, c *world.Command) {
	c.Unclean = a.flag("unclean")
	if w, ok := a.next("a partition, as in: elect payments-0"); ok {
		c.Partition, _ = a.p.partition(a.st.line, w.col, w.text)
	}
}

// readProduce reads a record, or n equal ones.
func readProduce(a *args, c *world.Command) {
	r := &c.Record
	*r = world.RecordSpec{Partition: -1, Timestamp: -1}
	r.Tombstone = a.flag("tombstone")
	c.Name = a.client("producer")
	if w, ok := a.value("topic"); ok {
		r.Topic = w.value
		a.p.topicOf(a.st.line, w.valCol, w.value)
	}
	if w, ok := a.value("key"); ok {
		r.Key, r.HasKey = w.value, true
	}
	if w, ok := a.value("value"); ok {
		r.Value = w.value
		if r.Tombstone {
			a.bad(w, "a tombstone has no value")
		}
	}
	r.Partition = int32(a.number("partition", 0, partitionsMax-1, -1))
	if w, ok := a.value("timestamp"); ok {
		ms, err := strconv.ParseInt(w.value, 10, 64)
		if err != nil || ms < 0 {
			if d, good := parseDuration(w.value); good {
				ms, err = kafka.Instant(d).UnixMilli(), nil
			}
		}
		if r.Timestamp = ms; err != nil || ms < 0 {
			a.badValue(w, "a timestamp is milliseconds since 1970, or an instant of the scenario such as 4s; not "+clip(w.value))
		}
	}
	r.N = a.number("n", 1, recordsMax, 1)
}
