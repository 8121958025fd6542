package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/raft"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/highwater-sim/highwater/engine/world"
)

// inspector explains one thing of a cluster.
type inspector struct {
	w   *world.World
	log *trace.Log
	c   *Cluster // the present moment
	out Detail
}

// Inspect says everything about a selection at the present moment. c must be
// the read model of that moment; log holds the notes of the run.
func Inspect(w *world.World, log *trace.Log, c *Cluster, sel Selection) Detail {
	i := &inspector{w: w, log: log, c: c}
	found := false
	switch sel.Kind {
	case "controller":
		found = i.controller(sel.Node)
	case "broker":
		found = i.broker(sel.Node)
	case "topic":
		found = i.topic(sel.Name)
	case "partition":
		found = i.partition(sel.TP)
	case "replica":
		found = i.replica(sel.TP, sel.Node)
	case "record":
		found = i.record(sel.TP, sel.Node, sel.Offset)
	case "producer":
		found = i.producer(sel.Name)
	case "consumer":
		found = i.consumer(sel.Name)
	case "flight":
		found = i.flight(sel.ID)
	case "link":
		found = i.link(sel.Node, sel.Peer)
	case "note":
		found = i.note(trace.ID(sel.ID))
	case "":
		i.overview()
		found = true
	}
	if !found {
		return Detail{Title: nameOf(sel), Gone: true, Subtitle: "not there at this instant"}
	}
	return i.out
}

// nameOf is what a selection is called, for one that is gone.
func nameOf(s Selection) string {
	switch s.Kind {
	case "broker", "controller":
		return trace.NodeName(s.Node)
	case "replica", "partition", "record":
		return s.TP.String()
	case "producer", "consumer", "topic":
		return s.Name
	}
	return s.Kind
}

func (i *inspector) title(format string, args ...any) { i.out.Title = fmt.Sprintf(format, args...) }
func (i *inspector) subtitle(format string, args ...any) {
	i.out.Subtitle = fmt.Sprintf(format, args...)
}
func (i *inspector) row(name, value string) {
	i.out.Rows = append(i.out.Rows, Row{Name: name, Value: value})
}
func (i *inspector) num(name string, v int64) { i.row(name, strconv.FormatInt(v, 10)) }
func (i *inspector) warn(name, value string) {
	i.out.Rows = append(i.out.Rows, Row{Name: name, Value: value, Warn: true})
}
func (i *inspector) action(label, command string) {
	i.out.Actions = append(i.out.Actions, Action{label, command})
}

func (i *inspector) offset(name string, o kafka.Offset) {
	if o < 0 {
		i.row(name, "unknown")
		return
	}
	i.num(name, int64(o))
}

// rowIf adds a row that warns if bad.
func (i *inspector) rowIf(bad bool, name, value string) {
	i.out.Rows = append(i.out.Rows, Row{Name: name, Value: value, Warn: bad})
}

var stateWords = [...]string{"running", "starting", "stopping", "crashed", "without power", "frozen", "stopped"}

// String is the state in words.
func (s ProcessState) String() string { return stateWords[s] }

// brokersMax is how many brokers a world can have.
const brokersMax = 30

// overview is what is shown when nothing is selected.
func (i *inspector) overview() {
	i.title("The cluster")
	var parts, under, offline, underMin int64
	for t := range i.c.Topics {
		for p := range i.c.Topics[t].Partitions {
			v := &i.c.Topics[t].Partitions[p]
			parts++
			under += one(v.UnderReplicated)
			underMin += one(v.UnderMinISR)
			offline += one(v.Leader == kafka.NoNode)
		}
	}
	i.subtitle("%d brokers, %d topics, %d partitions", len(i.c.Brokers), len(i.c.Topics), parts)
	i.rowIf(under > 0, "UnderReplicatedPartitions", strconv.FormatInt(under, 10))
	i.rowIf(underMin > 0, "UnderMinIsrPartitionCount", strconv.FormatInt(underMin, 10))
	i.rowIf(offline > 0, "OfflinePartitionsCount", strconv.FormatInt(offline, 10))
	l := &i.c.Ledger
	i.num("records sent", l.Sent)
	i.num("acknowledged", l.Acked)
	i.rowIf(l.Lost > 0, "acknowledged and lost", strconv.FormatInt(l.Lost, 10))
	i.num("delivered", l.Delivered)
	i.num("metadata log end", int64(i.c.MetadataEnd))
	if n := len(i.c.Brokers); n < brokersMax {
		i.action("Add a broker", "add broker-"+strconv.Itoa(n+1))
	}
	if n := len(i.c.Controllers); i.c.KRaftVersion > 0 && n < world.ControllersMax {
		i.action("Add a controller", "add "+trace.NodeName(max(i.c.Controllers[n-1].ID+1, world.FirstController)))
	}
}

func one(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (i *inspector) controller(id kafka.NodeID) bool {
	for k := range i.c.Controllers {
		v := &i.c.Controllers[k]
		if v.ID != id {
			continue
		}
		i.title("controller %d", id)
		i.subtitle("%s · epoch %d", orState(v.Role, v.State), v.Epoch)
		i.row("process", v.State.String())
		if v.Combined {
			i.row("process.roles", combinedRoles+", in "+trace.NodeName(id))
		}
		i.num("log end", int64(v.LogEnd))
		i.offset("high watermark", v.HW)
		i.quorumRows(v)
		for _, b := range i.c.Brokers {
			i.rowIf(b.Fenced || !b.Registered, b.Name+" is", brokerWords(&b))
		}
		i.out.Files, i.out.FilesIn = MetadataFilesOf(i.w, id), raft.Partition.String()
		i.processActions(trace.NodeName(id), v.State)
		i.voterAction(v)
		i.because(i.last(func(n *trace.Note) bool { return n.Kind == trace.QuorumLeader && n.Node == id }), "Why is it the leader?")
		if v.Role != "Leader" {
			i.because(i.last(func(n *trace.Note) bool { return n.Kind == trace.QuorumVoters }), "Why are these the voters?")
		}
		return true
	}
	return false
}

// combinedRoles is process.roles of a combined process.
const combinedRoles = "broker,controller"

// voterAction offers what kafka-metadata-quorum can do with a controller.
func (i *inspector) voterAction(v *Controller) {
	switch {
	case i.c.KRaftVersion == 0:
	case v.Voter:
		i.action("Remove it from the voters", "remove-voter "+trace.NodeName(v.ID))
	default:
		i.action("Make it a voter", "add-voter "+trace.NodeName(v.ID))
	}
}

// quorumRows tells a controller's place in the quorum.
func (i *inspector) quorumRows(v *Controller) {
	is := "observer"
	if v.Voter {
		is = "voter"
	}
	if i.c.KRaftVersion > 0 {
		i.row("in the quorum", is)
	}
	if v.LogStart > 0 {
		i.num("log start", int64(v.LogStart))
	}
	if v.Snapshots > 0 {
		i.num("snapshots", int64(v.Snapshots))
	}
	if v.VotedFor != kafka.NoNode && len(i.c.Controllers) > 1 {
		i.row("voted for", trace.NodeName(v.VotedFor))
	}
	if v.Leader != kafka.NoNode && v.Leader != v.ID {
		i.row("follows", trace.NodeName(v.Leader))
	}
	for k := range v.Voters {
		if p := &v.Voters[k]; p.ID != v.ID {
			i.rowIf(p.Lag > 0, trace.NodeName(p.ID), progressWords(p))
		}
	}
}

// progressWords says how far a replica of the metadata log is, by its leader.
func progressWords(p *VoterProgress) string {
	switch {
	case p.LogEnd == kafka.NoOffset:
		return "has not fetched"
	case p.Lag > 0:
		return fmt.Sprintf("log end %d, lag %d", p.LogEnd, p.Lag)
	}
	return fmt.Sprintf("log end %d", p.LogEnd)
}

func orState(role string, s ProcessState) string {
	if role == "" {
		return s.String()
	}
	return role
}

func brokerWords(b *Broker) string {
	switch {
	case !b.Registered:
		return "not registered"
	case b.Fenced:
		return "fenced"
	}
	return "unfenced"
}

func (i *inspector) broker(id kafka.NodeID) bool {
	k := slices.IndexFunc(i.c.Brokers, func(b Broker) bool { return b.ID == id })
	if k < 0 {
		return false
	}
	v := &i.c.Brokers[k]
	i.title("broker %d", id)
	i.subtitle("%s · %s", v.State, brokerWords(v))
	if v.Rack != "" {
		i.row("rack", v.Rack)
	}
	i.num("broker epoch", int64(v.Epoch))
	if v.LastHeartbeat != kafka.Never {
		ago := i.c.Now.Sub(v.LastHeartbeat)
		i.rowIf(ago > 3*kafka.Second, "last heartbeat", strconv.FormatInt(ago.Millis(), 10)+" ms ago")
	}
	i.offset("metadata offset", v.MetadataOffset)
	for k := range i.c.Controllers {
		if c := &i.c.Controllers[k]; c.ID == id {
			i.row("process.roles", combinedRoles)
			i.row("controller", orState(c.Role, c.State)+" · epoch "+strconv.Itoa(int(c.Epoch)))
			i.quorumRows(c)
		}
	}
	i.num("leads", int64(v.Leads))
	i.num("replicas", int64(v.Replicas))
	if len(v.CutFrom) > 0 {
		i.warn("cut from", nodes(v.CutFrom))
	}
	if v.DiskLatency > 0 {
		i.warn("slow disk", v.DiskLatency.String()+" per write")
	}
	i.dirRows(i.w.Brokers()[id-1])
	i.out.Files, i.out.FilesIn = MetadataFilesOf(i.w, id), raft.Partition.String()
	if len(v.OfflineDirs) > 0 {
		i.warn("offline log directories", strings.Join(v.OfflineDirs, ","))
	}
	if m := i.w.Brokers()[id-1].Broker(); m != nil {
		produce, fetch := m.PurgatorySize()
		i.num("Produce requests waiting", int64(produce))
		i.num("Fetch requests parked", int64(fetch))
	}
	i.brokerConfigs(v)
	i.brokerActions(v)
	fence := i.last(func(n *trace.Note) bool {
		return (n.Kind == trace.BrokerFenced || n.Kind == trace.BrokerUnfenced) && n.Node == id
	})
	i.because(fence, "Why is it "+brokerWords(v)+"?")
	return true
}

// turnableOfBroker are the broker configs that can be changed while it runs and
// that concern one broker by itself.
var turnableOfBroker = []string{
	"leader.replication.throttled.rate", "follower.replication.throttled.rate", "message.max.bytes", "log.segment.bytes", "log.retention.ms",
}

func (i *inspector) brokerConfigs(v *Broker) {
	img, static := i.w.Image(), i.w.Controllers()[0].Static()
	for _, name := range turnableOfBroker {
		value, src := img.ResolveBroker(v.ID, static, name)
		i.out.Configs = append(i.out.Configs, Config{
			Name: name, Value: value, Default: kafka.LookupConfig(kafka.ScopeBroker, name).Default, Source: src.String(),
		})
	}
	i.out.ConfigOf = "broker " + v.Name
}

func (i *inspector) processActions(name string, s ProcessState) {
	switch s {
	case Running, Starting, Stopping:
		i.action("Crash", "crash "+name)
		i.action("Power loss", "powerloss "+name)
		i.action("Stop cleanly", "stop "+name)
		i.action("Freeze", "freeze "+name)
	case Frozen:
		i.action("Thaw", "thaw "+name)
	default:
		i.action("Start", "start "+name)
		i.action("New empty disks", "wipe "+name)
	}
}

func (i *inspector) brokerActions(v *Broker) {
	i.processActions(v.Name, v.State)
	var others []string
	for _, b := range i.c.Brokers {
		if b.ID != v.ID {
			others = append(others, b.Name)
		}
	}
	if len(others) > 0 {
		if len(v.CutFrom) > 0 {
			i.action("Heal all links", "heal all")
		} else {
			i.action("Cut from other brokers", "cut "+v.Name+" "+strings.Join(others, ","))
		}
	}
	if v.DiskLatency > 0 {
		i.action("Disk back to normal", "disk "+v.Name+" latency=0ms")
	} else {
		i.action("Slow disk", "disk "+v.Name+" latency=200ms")
	}
	i.action("Flush its disk", "sync "+v.Name)
	for _, d := range v.LogDirs {
		switch {
		case slices.Contains(v.OfflineDirs, d) && i.w.Brokers()[v.ID-1].DirectoryFailed(d):
			i.action("Repair the disk of "+d, "disk "+v.Name+" repair="+d)
		case len(v.LogDirs) > 1 && !slices.Contains(v.OfflineDirs, d):
			i.action("Break the disk of "+d, "disk "+v.Name+" fail="+d)
		}
	}
}

func nodes(ids []kafka.NodeID) string {
	s := make([]string, len(ids))
	for k, id := range ids {
		s[k] = strconv.Itoa(int(id))
	}
	return strings.Join(s, ",")
}

func (i *inspector) find(tp kafka.TopicPartition) (*Topic, *Partition) {
	for t := range i.c.Topics {
		if v := &i.c.Topics[t]; v.Name == tp.Topic && int(tp.Partition) < len(v.Partitions) && tp.Partition >= 0 {
			return v, &v.Partitions[tp.Partition]
		}
	}
	return nil, nil
}

func (i *inspector) topic(name string) bool {
	for t := range i.c.Topics {
		if v := &i.c.Topics[t]; v.Name == name {
			i.title("topic %s", name)
			i.subtitle("%d partitions · replication factor %d", len(v.Partitions), v.ReplicationFactor)
			i.row("topic id", v.ID.String())
			i.num("effective min.insync.replicas", int64(v.MinISR))
			i.topicConfigs(name)
			if !v.Internal {
				i.action("Add a partition", "partitions "+name+" "+strconv.Itoa(len(v.Partitions)+1))
				i.action("Delete the topic", "delete-topic "+name)
			}
			return true
		}
	}
	return false
}

// turnable are the topic configs that this engine acts on.
var turnable = []string{
	"min.insync.replicas", "unclean.leader.election.enable", "max.message.bytes", "segment.bytes", "segment.ms", "message.timestamp.type",
}

func (i *inspector) topicConfigs(topic string) {
	img, static := i.w.Image(), i.w.Controllers()[0].Static()
	for _, name := range turnable {
		v, src := img.Resolve(topic, kafka.NoNode, static, name)
		i.out.Configs = append(i.out.Configs, Config{Name: name, Value: v, Default: configDefault(name), Source: src.String()})
	}
	i.out.ConfigOf = "topic " + topic
}

// last finds the newest notable note up to now that matches.
func (i *inspector) last(match func(*trace.Note) bool) trace.Note {
	var found trace.Note
	i.log.Each(i.w.LastNote(), func(n *trace.Note) {
		if match(n) {
			found = *n
		}
	})
	return found
}

// chainMax is how many causes are listed.
const chainMax = 8

// because lists a note and its causes, newest first, under a question.
func (i *inspector) because(n trace.Note, question string) {
	if n.ID == 0 {
		return
	}
	i.out.WhyTitle = question
	i.out.Why = append(i.out.Why, i.chain(n.ID)...)
}

func (i *inspector) chain(id trace.ID) []Because {
	var out []Because
	for _, n := range i.log.Chain(id, chainMax) {
		out = append(out, Because{At: n.At, Went: n.At, Text: n.Text(), Rule: rules[n.Kind], Note: uint64(n.ID)})
	}
	return out
}

// rules are where the rule behind a kind of note is written.
var rules = map[trace.Kind]string{
	trace.BrokerFenced:       "broker.session.timeout.ms",
	trace.BrokerUnfenced:     "BrokerHeartbeatManager.java",
	trace.LeaderElected:      "PartitionChangeBuilder.java",
	trace.Reassignment:       "KIP-455",
	trace.ISRChanged:         "replica.lag.time.max.ms, KIP-497",
	trace.ELRChanged:         "KIP-966",
	trace.AlterPartitionSent: "KIP-497",
	trace.HighWatermark:      "Partition.maybeIncrementLeaderHW",
	trace.Truncated:          "KIP-101, KIP-279",
	trace.PowerLoss:          "Kafka does not fsync every write",
	trace.ProduceRejected:    "acks, min.insync.replicas",
	trace.ProduceFailed:      "delivery.timeout.ms",
	trace.PositionReset:      "auto.offset.reset",
	trace.SegmentDeleted:     "UnifiedLog.deleteOldSegments",
	trace.LogStartMoved:      "UnifiedLog.maybeIncrementLogStartOffset",
	trace.CleanerStarted:     "LogCleanerManager.grabFilthiestCompactedLog",
	trace.CleanerDone:        "Cleaner.doClean",
	trace.Uncleanable:        "KIP-346",
	trace.QuorumVoters:       "KIP-853",
	trace.DiskFormatted:      "KIP-853, KIP-966",
	trace.DirectoryOffline:   "LogManager.handleLogDirFailure",
	trace.DirectoriesLost:    "KIP-858",
	trace.ReplicaMoving:      "KIP-113",
	trace.ReplicaMoved:       "KIP-113, KIP-858",
}

func (i *inspector) flight(id uint64) bool {
	for k := range i.c.Flights {
		f := &i.c.Flights[k]
		if f.ID != id {
			continue
		}
		what := "request"
		if f.Response {
			what = "response"
		}
		i.title("%s %s", f.API, what)
		i.subtitle("%s to %s", i.w.NameOf(sim.ActorID(f.From)), i.w.NameOf(sim.ActorID(f.To)))
		i.row("sent", f.SentAt.String())
		if f.Held {
			i.warn("held", "the link is cut; TCP will send it again")
		} else {
			i.row("arrives", f.ArriveAt.String())
		}
		if f.TP.Topic != "" {
			i.row("first partition", f.TP.String())
		}
		i.num("records", int64(f.Records))
		i.num("bytes of records", int64(f.Bytes))
		i.rowIf(f.Err != kafka.None, "error", f.Err.String())
		i.message(id)
		return true
	}
	return false
}

// message adds a message's bytes, as Kafka would send them.
func (i *inspector) message(id uint64) {
	for _, f := range i.w.Kernel().Flights(nil) {
		if f.ID != id {
			continue
		}
		if f.Message.Request != nil {
			i.num("version", int64(f.Message.Request.GetVersion()))
			i.out.Hex = f.Message.Request.AppendTo(nil)
		} else {
			i.num("version", int64(f.Message.Response.GetVersion()))
			i.out.Hex = f.Message.Response.AppendTo(nil)
		}
		i.because(trace.Note{ID: f.Cause}, "Why was it sent?")
	}
}

func (i *inspector) link(a, b kafka.NodeID) bool {
	from, to := i.w.NameOf(sim.ActorID(a)), i.w.NameOf(sim.ActorID(b))
	i.title("link %s – %s", from, to)
	cut := false
	for _, l := range i.c.Links {
		if l.From == int32(a) && l.To == int32(b) || l.From == int32(b) && l.To == int32(a) {
			cut = cut || l.Cut
			word := "open"
			if l.Cut {
				word = "cut"
			}
			i.rowIf(l.Cut, i.w.NameOf(sim.ActorID(l.From))+" to "+i.w.NameOf(sim.ActorID(l.To)),
				fmt.Sprintf("%s, latency %v, jitter %v", word, l.Latency, l.Jitter))
		}
	}
	if len(i.out.Rows) == 0 {
		i.row("both directions", "as usual")
	}
	if cut {
		i.action("Heal", "heal "+from+" "+to)
	} else {
		i.action("Cut", "cut "+from+" "+to)
	}
	i.action("Slow link", "link "+from+" "+to+" latency=300ms")
	return true
}

func (i *inspector) note(id trace.ID) bool {
	n, ok := i.log.Find(id)
	if !ok || id > i.w.LastNote() {
		return false
	}
	i.title("%s", n.Text())
	i.subtitle("at %v", n.At)
	i.because(n, "What led to it?")
	return true
}
