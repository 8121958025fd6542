package controller

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// new CONFIG=VALUE...: an active controller with an empty log.
// new brokers=1,2,3 [racks=a,b]: and brokers that are registered and unfenced.
func (e *env) doNew(a *args) {
	e.c = New(Config{ID: 101, Static: metadata.NewStatic(a.configs()), Seed: 1})
	e.now, e.timers = 0, map[sim.Timer]kafka.Instant{}
	e.step(func(out *sim.Out) { e.c.Activate(e.now, 1, 1, out) })
	racks := strings.Split(a.get("racks", ""), ",")
	brokers := ids(a.get("brokers", ""))
	for i, id := range brokers {
		e.register(id, racks[i%len(racks)], 1, -1)
		e.beat(id, func(*kmsg.BrokerHeartbeatRequest) {})
	}
	if len(brokers) > 0 {
		e.b.Reset()
		e.say("brokers are up; next offset %d", e.c.NextOffset())
	}
}

func (e *env) register(id kafka.NodeID, rack string, incarnation, previous int64) {
	req := kmsg.NewPtrBrokerRegistrationRequest()
	req.Version = 4
	req.BrokerID = int32(id)
	binary.BigEndian.PutUint64(req.IncarnationID[8:], uint64(incarnation)<<8|uint64(id))
	if rack != "" {
		req.Rack = &rack
	}
	for _, d := range append(e.dirs, 0)[:max(1, len(e.dirs))] {
		req.LogDirs = append(req.LogDirs, directory(id, d))
	}
	req.PreviousBrokerEpoch = previous
	l := kmsg.NewBrokerRegistrationRequestListener()
	l.Name, l.Host, l.Port = "PLAINTEXT", fmt.Sprintf("broker-%d", id), 9092
	req.Listeners = append(req.Listeners, l)
	e.request(req)
}

// register broker=1 [rack=a] [incarnation=2] [previous=EPOCH] [dirs=1,2]
func (e *env) doRegister(a *args) {
	e.dirs = ids(a.get("dirs", "0"))
	e.register(kafka.NodeID(a.num("broker", 0)), a.get("rack", ""), a.num("incarnation", 1), a.num("previous", -1))
	e.dirs = nil
}

// directory is the id of a broker's log directory, the i-th.
func directory(broker, i kafka.NodeID) [16]byte {
	return [16]byte{0: 0xd, 14: byte(i), 15: byte(broker)}
}

// directories prints the log directories of a partition's replicas.
func directories(p *metadata.Partition) string {
	var s []string
	for _, d := range p.Directories {
		if d == [16]byte{} {
			s = append(s, "UNASSIGNED")
		} else {
			s = append(s, fmt.Sprintf("%d.%d", d[15], d[14]))
		}
	}
	return strings.Join(s, ",")
}

// assign-dirs broker=1 dir=2 p=t-0 [epoch=E]
func (e *env) doAssignDirs(a *args) {
	id := kafka.NodeID(a.num("broker", 0))
	topic, n := a.partition("p")
	req := &kmsg.AssignReplicasToDirsRequest{BrokerID: int32(id), BrokerEpoch: a.num("epoch", int64(e.c.Head().Broker(id).Epoch))}
	rt := kmsg.AssignReplicasToDirsRequestDirectoryTopic{TopicID: [16]byte{0xff}}
	if t := e.c.Head().Topic(topic); t != nil {
		rt.TopicID = t.ID
	}
	rt.Partitions = []kmsg.AssignReplicasToDirsRequestDirectoryTopicPartition{{Partition: n}}
	req.Directories = []kmsg.AssignReplicasToDirsRequestDirectory{{
		ID: directory(id, kafka.NodeID(a.num("dir", 0))), Topics: []kmsg.AssignReplicasToDirsRequestDirectoryTopic{rt},
	}}
	e.request(req)
}

// heartbeat broker=1 [epoch=E] [offset=N] [want-fence] [want-shutdown] [offline=2]
func (e *env) doHeartbeat(a *args) {
	e.beat(kafka.NodeID(a.num("broker", 0)), func(req *kmsg.BrokerHeartbeatRequest) {
		req.BrokerEpoch = a.num("epoch", req.BrokerEpoch)
		req.CurrentMetadataOffset = a.num("offset", req.CurrentMetadataOffset)
		for _, d := range ids(a.get("offline", "")) {
			req.OfflineLogDirs = append(req.OfflineLogDirs, directory(kafka.NodeID(req.BrokerID), d))
		}
		req.WantFence, req.WantShutdown = a.has("want-fence"), a.has("want-shutdown")
	})
}

// silent brokers=1,2: from now on only these send no heartbeats.
func (e *env) doSilent(a *args) {
	clear(e.silent)
	for _, id := range ids(a.get("brokers", "")) {
		e.silent[id] = true
	}
}

// run to=9s
func (e *env) doRun(a *args) { e.runTo(a.time("to")) }

// hold: nothing is committed until "commit".
func (e *env) doHold(*args) { e.hold = true }

func (e *env) doCommit(*args) {
	e.hold = false
	e.commit()
}

// create name=T [partitions=N] [rf=N] [assign=1.2.3/2.3.1] [check] CONFIG=VALUE...
func (e *env) doCreate(a *args) {
	t := kmsg.NewCreateTopicsRequestTopic()
	t.Topic = a.get("name", "")
	t.NumPartitions, t.ReplicationFactor = int32(a.num("partitions", -1)), int16(a.num("rf", -1))
	if s := a.get("assign", ""); s != "" {
		for i, l := range strings.Split(s, "/") {
			p := kmsg.NewCreateTopicsRequestTopicReplicaAssignment()
			p.Partition = int32(i)
			for _, n := range ids(strings.ReplaceAll(l, ".", ",")) {
				p.Replicas = append(p.Replicas, int32(n))
			}
			t.ReplicaAssignment = append(t.ReplicaAssignment, p)
		}
	}
	for _, v := range a.configs() {
		t.Configs = append(t.Configs, kmsg.CreateTopicsRequestTopicConfig{Name: v.Name, Value: &v.Value})
	}
	req := kmsg.NewPtrCreateTopicsRequest()
	req.Version, req.ValidateOnly = 7, a.has("check")
	req.Topics = append(req.Topics, t)
	e.request(req)
}

// delete name=T
func (e *env) doDelete(a *args) {
	name := a.get("name", "")
	req := kmsg.NewPtrDeleteTopicsRequest()
	req.Version = 6
	req.Topics = []kmsg.DeleteTopicsRequestTopic{{Topic: &name}}
	e.request(req)
}

// partitions name=T count=N
func (e *env) doPartitions(a *args) {
	t := kmsg.NewCreatePartitionsRequestTopic()
	t.Topic, t.Count = a.get("name", ""), int32(a.num("count", 0))
	req := kmsg.NewPtrCreatePartitionsRequest()
	req.Version = 3
	req.Topics = append(req.Topics, t)
	e.request(req)
}

// alter p=t-0 isr=1,2 [from=LEADER] [leader-epoch=N] [partition-epoch=N]
// [stale=2: broker with an old epoch in the ISR] [recovering] [epoch=N: of the broker]
func (e *env) doAlter(a *args) {
	topic, i := a.partition("p")
	p := metadata.Partition{Leader: 1}
	req := kmsg.NewPtrAlterPartitionRequest()
	req.Version = 3
	at := kmsg.NewAlterPartitionRequestTopic()
	if t := e.c.Head().Topic(topic); t != nil {
		at.TopicID = t.ID
		if q := t.At(i); q != nil {
			p = *q
		}
	}
	req.BrokerID = int32(a.num("from", int64(p.Leader)))
	if b := e.c.Head().Broker(kafka.NodeID(req.BrokerID)); b != nil {
		req.BrokerEpoch = int64(b.Epoch)
	}
	req.BrokerEpoch = a.num("epoch", req.BrokerEpoch)
	ap := kmsg.NewAlterPartitionRequestTopicPartition()
	ap.Partition = i
	ap.LeaderEpoch = int32(a.num("leader-epoch", int64(p.LeaderEpoch)))
	ap.PartitionEpoch = int32(a.num("partition-epoch", int64(p.PartitionEpoch)))
	if a.has("recovering") {
		ap.LeaderRecoveryState = 1
	}
	stale := kafka.NodeID(a.num("stale", -1))
	for _, id := range ids(a.get("isr", "")) {
		m := kmsg.AlterPartitionRequestTopicPartitionNewEpochISR{BrokerID: int32(id), BrokerEpoch: -1}
		if b := e.c.Head().Broker(id); b != nil {
			m.BrokerEpoch = int64(b.Epoch)
		}
		if id == stale {
			m.BrokerEpoch--
		}
		ap.NewEpochISR = append(ap.NewEpochISR, m)
	}
	at.Partitions = append(at.Partitions, ap)
	req.Topics = append(req.Topics, at)
	e.request(req)
}

// elect [p=t-0] [unclean]: without p all partitions.
func (e *env) doElect(a *args) {
	req := kmsg.NewPtrElectLeadersRequest()
	req.Version = 2
	if a.has("unclean") {
		req.ElectionType = typeUnclean
	}
	if a.has("p") {
		topic, i := a.partition("p")
		req.Topics = []kmsg.ElectLeadersRequestTopic{{Topic: topic, Partitions: []int32{i}}}
	}
	e.request(req)
}

// reassign p=t-0 [to=4,2,3] [same-rf]: without to it is cancelled.
func (e *env) doReassign(a *args) {
	topic, i := a.partition("p")
	req := kmsg.NewPtrAlterPartitionAssignmentsRequest()
	req.Version, req.AllowReplicationFactorChange = 1, !a.has("same-rf")
	p := kmsg.NewAlterPartitionAssignmentsRequestTopicPartition()
	p.Partition = i
	if a.has("to") {
		p.Replicas = int32s(ids(a.get("to", "")))
	}
	t := kmsg.NewAlterPartitionAssignmentsRequestTopic()
	t.Topic, t.Partitions = topic, append(t.Partitions, p)
	req.Topics = append(req.Topics, t)
	e.request(req)
}

// reassignments lists what is under way.
func (e *env) doReassignments(*args) { e.request(kmsg.NewPtrListPartitionReassignmentsRequest()) }

// config topic=T|broker=N|cluster [delete|append|subtract] CONFIG=VALUE...
func (e *env) doConfig(a *args) {
	r := kmsg.NewIncrementalAlterConfigsRequestResource()
	switch {
	case a.has("topic"):
		r.ResourceType, r.ResourceName = kmsg.ConfigResourceTypeTopic, a.get("topic", "")
	case a.has("broker"):
		r.ResourceType, r.ResourceName = kmsg.ConfigResourceTypeBroker, a.get("broker", "")
	case a.has("cluster"):
		r.ResourceType = kmsg.ConfigResourceTypeBroker
	}
	op := opSet
	for i, name := range []string{"delete", "append", "subtract"} {
		if a.has(name) {
			op = opDelete + kmsg.IncrementalAlterConfigOp(i)
		}
	}
	for _, v := range a.configs() {
		c := kmsg.IncrementalAlterConfigsRequestResourceConfig{Name: v.Name, Op: op, Value: &v.Value}
		if op == opDelete {
			c.Value = nil
		}
		r.Configs = append(r.Configs, c)
	}
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	req.Version = 1
	req.Resources = append(req.Resources, r)
	e.request(req)
}

// producer-ids broker=1
func (e *env) doProducerIDs(a *args) {
	req := kmsg.NewPtrAllocateProducerIDsRequest()
	req.BrokerID = int32(a.num("broker", 0))
	req.BrokerEpoch = int64(e.c.Head().Broker(kafka.NodeID(req.BrokerID)).Epoch)
	e.request(req)
}

// describe: brokers, partitions and dynamic configs.
func (e *env) doDescribe(*args) {
	img := e.c.Head()
	jbod := false
	for i := range img.Brokers {
		b := &img.Brokers[i]
		e.say("broker %d rack=%s epoch %d fenced=%t shutdown=%t", b.ID, b.Rack, b.Epoch, b.Fenced, b.InControlledShutdown)
		jbod = jbod || !slices.Equal(b.LogDirs, [][16]byte{directory(b.ID, 0)})
	}
	for _, t := range img.Topics {
		for i, p := range t.Partitions {
			recovering := ""
			if p.Recovering {
				recovering = " RECOVERING"
			}
			e.say("%s-%d replicas %s leader %d isr %s elr %s last %s epochs %d/%d%s", t.Name, i, nodes(p.Replicas), p.Leader, nodes(p.ISR),
				nodes(p.ELR), nodes(p.LastKnownELR), p.LeaderEpoch, p.PartitionEpoch, recovering)
			if jbod {
				e.say("  directories %s", directories(p))
			}
		}
	}
	for _, c := range img.Configs {
		for _, v := range c.Values {
			e.say("config %d %q %s=%s", c.Type, c.Name, v.Name, v.Value)
		}
	}
}
