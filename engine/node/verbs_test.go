package node_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/node"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
)

// env runs the verbs of a golden file. An argument that no verb asks for fails.
type env struct {
	t    *testing.T
	d    *datadriven.TestData
	used map[string]bool
	c    *cluster

	bytes bool // see TestClusterBytes
}

func (e *env) run(t *testing.T, d *datadriven.TestData) string {
	e.t, e.d, e.used = t, d, map[string]bool{}
	verbs := map[string]func() string{
		"cluster": e.cluster, "topic": e.topic, "run": e.runFor, "describe": e.describe, "records": e.records,
		"produce": e.produce, "fetch": e.fetch, "list-offsets": e.listOffsets, "end-of-epoch": e.endOfEpoch,
		"cut": e.cut, "heal": e.heal, "crash": e.crash, "power": e.power, "start": e.start, "stop": e.stop,
		"fail-dir": e.failDir, "repair-dir": e.failDir, "capacity": e.capacity, "slow": e.slow, "sync": e.sync, "config": e.config, "elect": e.elect, "find-coordinator": e.findCoordinator,
		"commit": e.commit, "committed": e.committed, "init-producer-id": e.initProducerID, "metadata": e.metadata,
		"delete-topic": e.deleteTopic, "clone": e.clone,
	}
	v, ok := verbs[d.Cmd]
	if !ok {
		d.Fatalf(t, "unknown verb %s", d.Cmd)
	}
	out := v()
	for _, a := range d.CmdArgs {
		if !e.used[a.Key] {
			d.Fatalf(t, "%s does not take %s", d.Cmd, a.Key)
		}
	}
	if out == "" {
		out = "ok\n"
	}
	return out
}

func (e *env) text(key, def string) string {
	e.used[key] = true
	for _, a := range e.d.CmdArgs {
		if a.Key == key {
			return strings.Join(a.Vals, ",")
		}
	}
	return def
}

func (e *env) num(key string, def int64) int64 {
	s := e.text(key, strconv.FormatInt(def, 10))
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		e.d.Fatalf(e.t, "%s: %v", key, err)
	}
	return n
}

func (e *env) dur(key, def string) kafka.Duration {
	d, err := time.ParseDuration(e.text(key, def))
	if err != nil {
		e.d.Fatalf(e.t, "%s: %v", key, err)
	}
	return kafka.Duration(d)
}

func (e *env) tp() kafka.TopicPartition {
	s := e.text("tp", "")
	i := strings.LastIndexByte(s, '-')
	if i < 0 {
		e.d.Fatalf(e.t, "tp=%s", s)
	}
	n, _ := strconv.Atoi(s[i+1:])
	return kafka.TopicPartition{Topic: s[:i], Partition: int32(n)}
}

func (e *env) to(tp kafka.TopicPartition) kafka.NodeID {
	if n := e.num("to", 0); n != 0 {
		return kafka.NodeID(n)
	}
	return e.c.leader(tp)
}

// configs reads name=value lines.
func (e *env) configs() (out []metadata.ConfigValue) {
	for _, l := range strings.Fields(e.d.Input) {
		k, v, _ := strings.Cut(l, "=")
		out = append(out, metadata.ConfigValue{Name: k, Value: v})
	}
	return out
}

// cluster brokers=n; configs below. Boots it by instant 0.
func (e *env) cluster() string {
	e.c = newCluster(e.t, int(e.num("brokers", 3)), e.configs())
	if e.bytes {
		e.c.k.Hooks.Recode = recode
	}
	e.c.runUntil(0)
	return e.c.flush(e.text("notes", ""))
}

// topic name= partitions= rf= [assignment=1,2,3/2,3,1]; configs below.
func (e *env) topic() string {
	t := kmsg.CreateTopicsRequestTopic{Topic: e.text("name", "t"), NumPartitions: int32(e.num("partitions", 1)), ReplicationFactor: int16(e.num("rf", 3))}
	if a := e.text("assignment", ""); a != "" {
		t.NumPartitions, t.ReplicationFactor = -1, -1
		for i, list := range strings.Split(a, "/") {
			p := kmsg.CreateTopicsRequestTopicReplicaAssignment{Partition: int32(i)}
			for _, n := range strings.Split(list, ",") {
				id, _ := strconv.Atoi(n)
				p.Replicas = append(p.Replicas, int32(id))
			}
			t.ReplicaAssignment = append(t.ReplicaAssignment, p)
		}
	}
	for _, v := range e.configs() {
		t.Configs = append(t.Configs, kmsg.CreateTopicsRequestTopicConfig{Name: v.Name, Value: &v.Value})
	}
	e.c.call("create", kafka.NodeID(e.num("to", 1)), &kmsg.CreateTopicsRequest{Version: 7, TimeoutMillis: 30000, Topics: []kmsg.CreateTopicsRequestTopic{t}})
	e.c.runUntil(e.c.k.Now().Add(e.dur("for", "1s")))
	return e.c.flush(e.text("notes", ""))
}

func (e *env) deleteTopic() string {
	name := e.text("name", "t")
	e.c.call("delete", 1, &kmsg.DeleteTopicsRequest{Version: 6, Topics: []kmsg.DeleteTopicsRequestTopic{{Topic: &name}}})
	e.c.runUntil(e.c.k.Now().Add(e.dur("for", "1s")))
	return e.c.flush(e.text("notes", ""))
}

// run for=1s notes=kinds: prints answers and notes of those kinds.
func (e *env) runFor() string {
	e.c.runUntil(e.c.k.Now().Add(e.dur("for", "1s")))
	return e.c.flush(e.text("notes", ""))
}

func (e *env) describe() string { return e.c.describe(e.text("topic", "t")) }

func (e *env) records() string { return e.c.records(kafka.NodeID(e.num("broker", 1)), e.tp()) }

// produce tp= [acks=-1] [values=a,b] [pid= epoch= seq=] [timeout=30s] [size=]
// [time= ms from now]: sends one batch. Answers come with run.
func (e *env) produce() string {
	tp := e.tp()
	s := record.BatchSpec{}
	if pid := e.num("pid", -1); pid >= 0 {
		s.Idempotent, s.ProducerID, s.ProducerEpoch, s.BaseSequence = true, pid, int16(e.num("epoch", 0)), int32(e.num("seq", 0))
	}
	values := e.text("values", "v")
	pad := strings.Repeat(".", int(e.num("size", 0)))
	ts := e.c.k.Now().UnixMilli() + e.num("time", 0)
	for _, v := range strings.Split(values, ",") {
		r := record.Record{Timestamp: ts, Value: []byte(v + pad)}
		if k := e.text("key", ""); k != "" {
			r.Key = []byte(k)
		}
		s.Records = append(s.Records, r)
	}
	b := record.Build(s)
	if e.text("corrupt", "") != "" {
		b[len(b)-1]++
	}
	req := &kmsg.ProduceRequest{Version: 13, Acks: int16(e.num("acks", -1)), TimeoutMillis: int32(e.dur("timeout", "30s").Millis())}
	rt := kmsg.ProduceRequestTopic{TopicID: e.c.topicID(tp.Topic)}
	rt.Partitions = []kmsg.ProduceRequestTopicPartition{{Partition: tp.Partition, Records: b}}
	req.Topics = []kmsg.ProduceRequestTopic{rt}
	e.c.k.Order(probeID, call{name: "produce " + values, to: sim.ActorID(e.to(tp)), req: req, oneWay: req.Acks == 0}, 0)
	return ""
}

// fetch tp= offset= [epoch=-1] [wait=500ms] [min=1] [max=1048576] [session= sepoch=].
func (e *env) fetch() string {
	tp := e.tp()
	req := kmsg.NewPtrFetchRequest()
	req.Version, req.MaxWaitMillis, req.MinBytes = 18, int32(e.dur("wait", "500ms").Millis()), int32(e.num("min", 1))
	req.SessionEpoch = -1
	p := kmsg.NewFetchRequestTopicPartition()
	p.Partition, p.FetchOffset, p.CurrentLeaderEpoch = tp.Partition, e.num("offset", 0), int32(e.num("epoch", -1))
	p.LastFetchedEpoch, p.PartitionMaxBytes = int32(e.num("last-epoch", -1)), int32(e.num("max", 1<<20))
	req.Topics = []kmsg.FetchRequestTopic{{TopicID: e.c.topicID(tp.Topic), Partitions: []kmsg.FetchRequestTopicPartition{p}}}
	e.c.call("fetch "+strconv.Itoa(int(p.FetchOffset)), e.to(tp), req)
	return ""
}

// list-offsets tp= [at=-1].
func (e *env) listOffsets() string {
	tp := e.tp()
	p := kmsg.ListOffsetsRequestTopicPartition{Partition: tp.Partition, CurrentLeaderEpoch: int32(e.num("epoch", -1)), Timestamp: e.num("at", -1)}
	if p.Timestamp >= 0 {
		p.Timestamp += kafka.StartUnixMilli
	}
	e.c.call("list-offsets", e.to(tp), &kmsg.ListOffsetsRequest{Version: 10, ReplicaID: -1, Topics: []kmsg.ListOffsetsRequestTopic{
		{Topic: tp.Topic, Partitions: []kmsg.ListOffsetsRequestTopicPartition{p}}}})
	return ""
}

func (e *env) endOfEpoch() string {
	tp := e.tp()
	p := kmsg.OffsetForLeaderEpochRequestTopicPartition{Partition: tp.Partition, CurrentLeaderEpoch: -1, LeaderEpoch: int32(e.num("epoch", 0))}
	e.c.call("end-of-epoch", e.to(tp), &kmsg.OffsetForLeaderEpochRequest{Version: 4, ReplicaID: -1, Topics: []kmsg.OffsetForLeaderEpochRequestTopic{
		{Topic: tp.Topic, Partitions: []kmsg.OffsetForLeaderEpochRequestTopicPartition{p}}}})
	return ""
}

// nodes reads 1,2 or all of the cluster's and the controller's ids.
func (e *env) nodes(key string) (out []sim.ActorID) {
	for _, s := range strings.Split(e.text(key, ""), ",") {
		n, err := strconv.Atoi(s)
		if err != nil {
			e.d.Fatalf(e.t, "%s=%s", key, s)
		}
		out = append(out, sim.ActorID(n))
	}
	return out
}

func (e *env) links(do func(a, b sim.ActorID)) string {
	for _, a := range e.nodes("from") {
		for _, b := range e.nodes("to") {
			do(a, b)
			if e.text("one-way", "") == "" {
				do(b, a)
			}
		}
	}
	return ""
}

// cut from= to= [one-way]; heal likewise.
func (e *env) cut() string  { return e.links(e.c.k.Cut) }
func (e *env) heal() string { return e.links(e.c.k.Heal) }

func (e *env) down(powerLoss bool) (out string) {
	for _, n := range e.nodes("node") {
		var lost int64
		e.c.image()
		if n == 101 {
			e.c.ctl.Crash(e.c.k.Now(), powerLoss)
		} else {
			lost = e.c.brokers[n-1].Crash(e.c.k.Now(), powerLoss)
		}
		e.c.k.Kill(n, powerLoss, 0)
		if powerLoss {
			out += fmt.Sprintf("%d lost %v bytes\n", n, lost > 0)
		}
	}
	return out
}

func (e *env) crash() string { return e.down(false) }
func (e *env) power() string { return e.down(true) }

func (e *env) start() string {
	for _, n := range e.nodes("node") {
		e.c.k.Start(n, 0)
	}
	return ""
}

func (e *env) stop() string {
	for _, n := range e.nodes("node") {
		e.c.k.Order(n, node.Shutdown{}, 0)
	}
	return ""
}

// slow node= latency=.
func (e *env) slow() string {
	for _, n := range e.nodes("node") {
		e.c.k.Order(n, node.SlowDisk{Latency: e.dur("latency", "0s")}, 0)
	}
	return ""
}

// fail-dir node= dir=/d2, repair-dir node= dir=/d2.
func (e *env) failDir() string {
	for _, n := range e.nodes("node") {
		order := node.FailDirectory{Path: e.text("dir", ""), Repair: e.d.Cmd == "repair-dir"}
		if e.c.k.Up(n) {
			e.c.k.Order(n, order, 0)
		} else {
			e.c.brokers[n-1].OrderMachine(e.c.k.Now(), order)
		}
	}
	return ""
}

// capacity node= bytes=: of each log directory's disk.
func (e *env) capacity() string {
	for _, n := range e.nodes("node") {
		e.c.k.Order(n, node.DiskCapacity{Bytes: e.num("bytes", 0)}, 0)
	}
	return ""
}

// sync node=: sync(1).
func (e *env) sync() string {
	for _, n := range e.nodes("node") {
		e.c.k.Order(n, node.Sync{}, 0)
	}
	return ""
}

// config topic= | broker=; values below.
func (e *env) config() string {
	r := kmsg.IncrementalAlterConfigsRequestResource{ResourceType: kmsg.ConfigResourceTypeTopic, ResourceName: e.text("topic", "")}
	if r.ResourceName == "" {
		r.ResourceType, r.ResourceName = kmsg.ConfigResourceTypeBroker, e.text("broker", "")
	}
	for _, v := range e.configs() {
		r.Configs = append(r.Configs, kmsg.IncrementalAlterConfigsRequestResourceConfig{Name: v.Name, Value: &v.Value})
	}
	e.c.call("config", 1, &kmsg.IncrementalAlterConfigsRequest{Version: 1, Resources: []kmsg.IncrementalAlterConfigsRequestResource{r}})
	e.c.runUntil(e.c.k.Now().Add(e.dur("for", "1s")))
	return e.c.flush("")
}

// elect tp= [unclean].
func (e *env) elect() string {
	tp := e.tp()
	req := &kmsg.ElectLeadersRequest{Version: 2, TimeoutMillis: 30000, Topics: []kmsg.ElectLeadersRequestTopic{{Topic: tp.Topic, Partitions: []int32{tp.Partition}}}}
	if e.text("unclean", "") != "" {
		req.ElectionType = 1
	}
	e.c.call("elect", kafka.NodeID(e.num("to", 1)), req)
	e.c.runUntil(e.c.k.Now().Add(e.dur("for", "1s")))
	return e.c.flush(e.text("notes", ""))
}

func (e *env) findCoordinator() string {
	e.c.call("find-coordinator", kafka.NodeID(e.num("to", 1)), &kmsg.FindCoordinatorRequest{Version: 6, CoordinatorKeys: []string{e.text("group", "g")}})
	e.c.runUntil(e.c.k.Now().Add(e.dur("for", "1s")))
	return e.c.flush(e.text("notes", ""))
}

// commit group= tp= offset= [to=] [generation=-1].
func (e *env) commit() string {
	tp := e.tp()
	req := &kmsg.OffsetCommitRequest{Version: 10, Group: e.text("group", "g"), Generation: int32(e.num("generation", -1))}
	p := kmsg.OffsetCommitRequestTopicPartition{Partition: tp.Partition, Offset: e.num("offset", 0), LeaderEpoch: -1}
	req.Topics = []kmsg.OffsetCommitRequestTopic{{TopicID: e.c.topicID(tp.Topic), Partitions: []kmsg.OffsetCommitRequestTopicPartition{p}}}
	e.c.call(fmt.Sprintf("commit %d", p.Offset), kafka.NodeID(e.num("to", 1)), req)
	return ""
}

// committed group= tp= [to=].
func (e *env) committed() string {
	tp := e.tp()
	g := kmsg.OffsetFetchRequestGroup{Group: e.text("group", "g"), MemberEpoch: -1}
	g.Topics = []kmsg.OffsetFetchRequestGroupTopic{{TopicID: e.c.topicID(tp.Topic), Partitions: []int32{tp.Partition}}}
	e.c.call("committed", kafka.NodeID(e.num("to", 1)), &kmsg.OffsetFetchRequest{Version: 10, Groups: []kmsg.OffsetFetchRequestGroup{g}})
	return ""
}

func (e *env) initProducerID() string {
	e.c.call("init-producer-id", kafka.NodeID(e.num("to", 1)), &kmsg.InitProducerIDRequest{Version: 5, ProducerID: -1, ProducerEpoch: -1})
	e.c.runUntil(e.c.k.Now().Add(e.dur("for", "1s")))
	return e.c.flush("")
}

func (e *env) metadata() string {
	name := e.text("topic", "t")
	e.c.call("metadata", kafka.NodeID(e.num("to", 1)), &kmsg.MetadataRequest{
		Version: 13, Topics: []kmsg.MetadataRequestTopic{{Topic: &name}}, AllowAutoTopicCreation: e.text("create", "") != "",
	})
	e.c.runUntil(e.c.k.Now().Add(e.dur("for", "1s")))
	return e.c.flush("")
}

// clone replaces the world by a copy, runs the original on, and goes on with
// the copy: whatever follows must come out the same.
func (e *env) clone() string {
	old := e.c
	c := *old
	c.k = old.k.Clone()
	c.brokers = nil
	for i := range old.brokers {
		c.brokers = append(c.brokers, c.k.Actor(sim.ActorID(i+1)).(*node.Broker))
	}
	c.ctl = c.k.Actor(101).(*node.Controller)
	c.probe = c.k.Actor(probeID).(*probe)
	c.k.Hooks.Recode = old.k.Hooks.Recode
	if a, b := digest(old.k), digest(c.k); a != b {
		return fmt.Sprintf("digest of the copy %x, of the original %x\n", b, a)
	}
	until := old.k.Now().Add(e.dur("for", "10s"))
	old.k.Hooks.Note = nil
	old.runUntil(until)
	again := *old
	again.k = c.k.Clone()
	again.k.Hooks.Recode = old.k.Hooks.Recode
	again.runUntil(until)
	if a, b := digest(old.k), digest(again.k); a != b {
		return fmt.Sprintf("digest at %v of the copy %x, of the original %x\n", until, b, a)
	}
	e.c = &c
	e.c.k.Hooks.Note = nil
	return ""
}

func digest(k *sim.Kernel) uint64 {
	h := sim.NewHash()
	k.Digest(h)
	return h.Sum()
}
