package scenario

import (
	"slices"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/world"
)

// defaultCluster is the cluster of a scenario that does not say.
func defaultCluster() world.ClusterSpec {
	return world.ClusterSpec{Brokers: 3, Controllers: 1, Latency: kafka.Millisecond, Jitter: 200 * kafka.Microsecond}
}

// cluster reads: cluster brokers=3 racks=a,b,c controllers=1 combined=3 kraft.version=1 latency=1ms ...
func (p *parser) cluster(st *statement) {
	a, c := p.args(st), &p.file.Spec.Cluster
	c.Brokers = int(a.number("brokers", 1, brokersMax, int64(c.Brokers)))
	a.controllers(c)
	c.KRaftVersion = int(a.number("kraft.version", 0, 1, 0))
	if w, ok := a.value("racks"); ok {
		c.Racks = strings.Split(w.value, ",")
		if slices.ContainsFunc(c.Racks, func(r string) bool { return !validName(r) }) {
			a.badValue(w, "racks is a list of names such as a,b,c, not "+clip(w.value))
		}
	}
	c.Latency = a.duration("latency", c.Latency)
	c.Jitter = a.duration("jitter", c.Jitter)
	c.Bandwidth = a.bandwidth(0)
	c.Configs = append(c.Configs, a.configs(kafka.ScopeBroker)...)
	p.configs = *st
	a.done()
}

// controllers reads controllers= and combined=: processes of their own, and brokers
// that are controllers as well.
func (a *args) controllers(c *world.ClusterSpec) {
	w, _ := a.find("combined")
	c.Combined = int(a.number("combined", 1, world.VotersMax, 0))
	if c.Combined > c.Brokers {
		a.badValue(w, "combined="+num(c.Combined)+" is more than the "+num(c.Brokers)+" brokers")
	}
	def := int64(1)
	if c.Combined > 0 {
		def = 0
	}
	w, _ = a.find("controllers")
	c.Controllers = int(a.number("controllers", 1, world.VotersMax, def))
	if n := c.Controllers + c.Combined; n > world.VotersMax {
		a.badValue(w, "a cluster begins with at most "+num(world.VotersMax)+" controllers, combined ones included, not "+num(n))
	}
}

// brokerConfigs reads: broker all replica.lag.time.max.ms=10000
func (p *parser) brokerConfigs(st *statement) {
	a := p.args(st)
	if w, ok := a.next("all and configs, as in: broker all replica.lag.time.max.ms=10000"); ok && w.text != "all" {
		a.bad(w, "broker configs of the header are those of all brokers: broker all ...; one broker's are set by: at 0s config broker broker-1 ...")
	}
	cs := a.configs(kafka.ScopeBroker)
	for _, c := range cs {
		if slices.ContainsFunc(p.file.Spec.Cluster.Configs, func(o world.Config) bool { return o.Name == c.Name }) {
			p.problem(st.line, st.col, c.Name+" is set twice")
		}
	}
	p.file.Spec.Cluster.Configs = append(p.file.Spec.Cluster.Configs, cs...)
	p.configs = *st
	a.done()
}

// newName takes the name that a line declares.
func (a *args) newName(what string) string {
	w, ok := a.next("a name")
	_, isNode := nodeID(w.text)
	switch {
	case !ok:
	case !validName(w.text):
		a.bad(w, "a "+what+"'s name has letters, digits, dots, dashes and underscores, at most 249; not "+clip(w.text))
	case isNode || w.text == "all":
		a.bad(w, clip(w.text)+" is not free for a "+what)
	case what == "topic" && kafka.IsInternal(w.text):
		a.bad(w, clip(w.text)+" is a topic that Kafka keeps for itself")
	}
	return w.text
}

// topicSpec reads: topic payments partitions=3 replication.factor=3 min.insync.replicas=2
func (p *parser) topicSpec(a *args) world.TopicSpec {
	t := world.TopicSpec{Name: a.newName("topic"), Partitions: 1}
	assigned, hasAssigned := a.value("replica-assignment")
	if hasAssigned {
		t.Assignment = a.assignment(assigned)
		t.Partitions = len(t.Assignment)
		if t.Partitions > 0 {
			t.ReplicationFactor = len(t.Assignment[0])
		}
	}
	_, p1 := a.find("partitions")
	w, p2 := a.find("replication.factor")
	if hasAssigned && (p1 || p2) {
		a.badValue(assigned, "replica-assignment says partitions and replication.factor itself; leave those out")
	}
	t.Partitions = int(a.number("partitions", 1, partitionsMax, int64(t.Partitions)))
	t.ReplicationFactor = int(a.number("replication.factor", 1, brokersMax, int64(t.ReplicationFactor)))
	if p.names != nil && p2 && t.ReplicationFactor > p.names.brokersAt(p.at) {
		a.badValue(w, "replication.factor "+num(t.ReplicationFactor)+" is more than the "+num(p.names.brokersAt(p.at))+" brokers")
	}
	if t.ReplicationFactor == 0 && p.names != nil {
		t.ReplicationFactor = min(3, p.names.brokersAt(p.at))
	}
	t.Configs = a.configs(kafka.ScopeTopic)
	p.conflict(a.st, kafka.ScopeTopic, t.Configs)
	a.done()
	return t
}

// find returns key=value without taking it.
func (a *args) find(key string) (word, bool) {
	for _, w := range a.words {
		if w.pair && w.key == key {
			return w, true
		}
	}
	return word{}, false
}

// assignment reads 1:2:3,2:3:1 as kafka-topics --replica-assignment does.
func (a *args) assignment(w word) [][]kafka.NodeID {
	var all [][]kafka.NodeID
	brokers := brokersMax
	if a.p.names != nil {
		brokers = a.p.names.brokersAt(a.p.at)
	}
	for part := range strings.SplitSeq(w.value, ",") {
		var ids []kafka.NodeID
		for s := range strings.SplitSeq(part, ":") {
			n, ok := parseInt(s, 1, int64(brokers))
			id := kafka.NodeID(n)
			if !ok || slices.Contains(ids, id) || len(all) == partitionsMax {
				a.badValue(w, "replica-assignment lists each partition's brokers, as 1:2:3,2:3:1, with brokers 1 to "+num(brokers)+", each once; not "+clip(part))
				return nil
			}
			ids = append(ids, id)
		}
		if len(all) > 0 && len(ids) != len(all[0]) {
			a.badValue(w, "the partitions of a topic have equally many replicas; "+clip(part)+" has "+num(len(ids))+", the first has "+num(len(all[0])))
			return nil
		}
		all = append(all, ids)
	}
	return all
}

func (p *parser) clientSpec(a *args, kind string) world.ClientSpec {
	if kind == "producer" {
		return p.producerSpec(a)
	}
	return p.consumerSpec(a)
}

// producerSpec reads: producer app topic=payments acks=1 linger.ms=0 rate=50/s keys=8
func (p *parser) producerSpec(a *args) world.ClientSpec {
	c := world.ClientSpec{Kind: world.ClientProducer, Name: a.newName("client"), Partition: -1}
	c.User = a.user()
	if w, ok := a.value("topic"); ok {
		c.Topic = w.value
		p.topicOf(a.st.line, w.valCol, w.value)
	}
	if w, ok := a.find("partition"); ok {
		c.Partition = int32(a.number("partition", 0, partitionsMax-1, -1))
		if c.Topic == "" {
			a.bad(w, "partition= needs topic=")
		} else if c.Partition >= 0 {
			p.partition(a.st.line, w.valCol, kafka.TopicPartition{Topic: c.Topic, Partition: c.Partition}.String())
		}
	}
	c.RatePer1000s = a.rate()
	c.Count = a.number("count", 0, recordsMax*100, 0)
	c.Keys = a.number("keys", 0, recordsMax, 0)
	c.ValueBytes = int(a.size("size", valueBytesMax, 100))
	if c.RatePer1000s > 0 && c.Topic == "" {
		p.problem(a.st.line, a.st.col, "a producer with a rate needs topic=")
	}
	c.Configs = a.configs(kafka.ScopeProducer)
	a.done()
	return c
}

// consumerSpec reads: consumer c1 group=billing assign=payments from=earliest work=2ms
func (p *parser) consumerSpec(a *args) world.ClientSpec {
	c := world.ClientSpec{Kind: world.ClientConsumer, Name: a.newName("client"), Partition: -1}
	c.User = a.user()
	if w, ok := a.value("group"); ok {
		if c.Group = w.value; !validName(w.value) {
			a.badValue(w, clip(w.value)+" is not a group's name")
		}
	}
	topics, subscribes := a.value("topics")
	if subscribes {
		c.Topics = a.list(topics.value, topics.valCol, "topics")
		for _, t := range c.Topics {
			p.topicOf(a.st.line, topics.valCol, t)
		}
		if c.Group == "" {
			a.bad(topics, "topics= subscribes, which needs group=; a consumer without a group reads with assign=")
		}
	}
	w, assigns := a.value("assign")
	if assigns {
		for _, s := range a.list(w.value, w.valCol, "assigned partitions") {
			if tp, ok := p.assigned(a.st.line, w.valCol, s); ok {
				c.Assign = append(c.Assign, tp)
			}
		}
	}
	if assigns == subscribes {
		p.problem(a.st.line, a.st.col, "a consumer reads either topics= (with group=) or assign=, as in: consumer c1 assign=payments")
	}
	if w, ok := a.value("from"); ok {
		if c.From = w.value; !validPosition(w.value) {
			a.badValue(w, "from is earliest, latest or an offset, not "+clip(w.value))
		}
	}
	c.Work = a.duration("work", 0)
	if w, ok := a.value("commit"); ok {
		if c.CommitFirst = w.value == "first"; !c.CommitFirst {
			a.badValue(w, "commit is first, which is before the work, or left out; not "+clip(w.value))
		} else if c.Group == "" {
			a.badValue(w, "to commit a consumer needs a group, as in: group=billing")
		}
	}
	c.Configs = a.configs(kafka.ScopeConsumer)
	a.done()
	return c
}

// user takes user=alice: as whom a client connects.
func (a *args) user() string {
	w, ok := a.value("user")
	if ok && (!validName(w.value) || w.value == "all") {
		a.badValue(w, "user is the name of a principal such as alice, not "+clip(w.value))
	}
	return w.value
}

// assigned reads a topic (all its partitions: Partition -1) or a partition.
func (p *parser) assigned(line, col int, s string) (kafka.TopicPartition, bool) {
	whole := kafka.TopicPartition{Topic: s, Partition: -1}
	if _, _, ok := cutPartition(s); p.names == nil && !ok && validName(s) {
		return whole, true
	}
	if p.names != nil {
		if p.names.topic(s) != nil {
			p.topicOf(line, col, s)
			return whole, true
		}
		if _, _, ok := cutPartition(s); !ok {
			p.topicOf(line, col, s)
			return whole, kafka.IsInternal(s)
		}
	}
	return p.partition(line, col, s)
}

func validPosition(s string) bool {
	_, ok := parseInt(s, 0, 1<<62)
	return ok || s == "earliest" || s == "latest"
}
