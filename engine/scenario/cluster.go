package scenario

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/broker"
	"github.com/highwater-sim/highwater/engine/client/consumer"
	"github.com/highwater-sim/highwater/engine/client/producer"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/law"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/node"
	"github.com/highwater-sim/highwater/engine/raft"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/highwater-sim/highwater/engine/world"
)

// worldCluster is a world at one moment, as laws and expectations read it. It
// must not be kept beyond the moment.
type worldCluster struct {
	w   *world.World
	img *metadata.Image // once somebody asked
}

var _ cluster = (*worldCluster)(nil)

func newCluster(w *world.World) *worldCluster { return &worldCluster{w: w} }

// LawCluster returns a world at this moment as package law reads it.
func LawCluster(w *world.World) law.Cluster { return newCluster(w) }

// Now implements law.Cluster.
func (c *worldCluster) Now() kafka.Instant { return c.w.Now() }

// Image implements law.Cluster.
func (c *worldCluster) Image() *metadata.Image {
	if c.img == nil {
		c.img = c.w.Image()
	}
	return c.img
}

// broker returns a broker's process and machine, nil if there is none.
func (c *worldCluster) broker(id kafka.NodeID) *node.Broker {
	if id < 1 || int(id) > c.w.Spec().Cluster.Brokers {
		return nil
	}
	return node.BrokerOf(c.w.Kernel().Actor(sim.ActorID(id)))
}

// Replica implements law.Cluster.
func (c *worldCluster) Replica(id kafka.NodeID, tp kafka.TopicPartition) (law.Replica, bool) {
	n := c.broker(id)
	if n == nil {
		return law.Replica{}, false
	}
	if b := n.Broker(); b != nil && b.Serving() {
		if r, ok := b.Replica(tp); ok {
			s, _ := b.Standing(r.TopicID, tp.Partition)
			return standing(r.TopicID, &s), true
		}
	}
	slot, ok := n.Dir().Slot(tp)
	if !ok {
		return law.Replica{}, false
	}
	return law.Replica{Log: n.Dir().At(slot), TopicID: n.Dir().TopicID(slot)}, true
}

// ReplicaOf implements law.Cluster.
func (c *worldCluster) ReplicaOf(id kafka.NodeID, tp kafka.TopicPartition, topic kafka.TopicID, r *law.Replica) bool {
	n := c.broker(id)
	if n == nil {
		return false
	}
	if b := n.Broker(); b != nil && b.Serving() {
		if s, ok := b.Standing(topic, tp.Partition); ok {
			*r = standing(topic, &s)
			return true
		}
	}
	slot, ok := n.Dir().Slot(tp)
	if !ok || n.Dir().TopicID(slot) != topic {
		return false
	}
	*r = law.Replica{Log: n.Dir().At(slot), TopicID: topic}
	return true
}

// standing is the replica of a broker that has its log open.
func standing(topic kafka.TopicID, s *broker.Standing) law.Replica {
	return law.Replica{
		Log: s.Log, TopicID: topic, Up: true, Leads: s.Leads, Epoch: s.Epoch,
		HW: s.HW, LSO: s.HW, // no transactions yet
		Known: s.PartitionEpoch, Maximal: s.MaximalISR, ISR: s.ISR, MinISR: s.MinISR, Start: s.EpochStart,
	}
}

// MinISR implements law.Cluster.
func (c *worldCluster) MinISR(tp kafka.TopicPartition) int {
	t := c.Image().Topic(tp.Topic)
	if t == nil {
		return 1
	}
	return c.Image().MinISR(t, kafka.NoNode, c.w.Controllers()[0].Static())
}

// UncleanAllowed implements law.Cluster.
func (c *worldCluster) UncleanAllowed(topic string) bool {
	return c.Image().TopicBool(topic, kafka.NoNode, c.w.Controllers()[0].Static(), "unclean.leader.election.enable")
}

// Member implements law.Cluster.
func (c *worldCluster) Member(id kafka.NodeID) (law.Member, bool) {
	p := c.w.Kernel().Actor(sim.ActorID(id))
	if n := node.ControllerOf(p); n != nil {
		return law.Member{Mark: mark(n.Raft(), n.QuorumEpoch(), n.MetadataLog()), Log: n.MetadataLog(), Snapshots: n.Snapshots(), Voters: n.Voters()}, true
	}
	if n := node.BrokerOf(p); n != nil {
		return law.Member{Mark: mark(n.Raft(), n.Quorum().LeaderEpoch, n.MetadataLog()), Log: n.MetadataLog(), Snapshots: n.Snapshots()}, true
	}
	return law.Member{}, false
}

// acted tells the laws how the node stands with the quorum that had the last
// event.
func acted(w *world.World, laws *law.Checker) {
	id := w.Kernel().Last()
	if id.IsClient() {
		return
	}
	switch n := w.Kernel().Actor(id).(type) {
	case *node.Controller:
		laws.Acted(id.Node(), mark(n.Raft(), n.QuorumEpoch(), n.MetadataLog()))
		laws.Control()
	case *node.Combined:
		laws.Acted(id.Node(), mark(n.Controller().Raft(), n.QuorumEpoch(), n.Controller().MetadataLog()))
		laws.Control()
	case *node.Broker:
		laws.Acted(id.Node(), mark(n.Raft(), n.Quorum().LeaderEpoch, n.MetadataLog()))
	}
}

func mark(r *raft.Replica, epoch kafka.LeaderEpoch, log *storage.Log) law.Mark {
	m := law.Mark{Epoch: epoch, HW: kafka.NoOffset}
	if log != nil {
		m.Start = log.LogStart()
	}
	if r != nil {
		m.Up, m.Leads, m.Ready, m.HW = true, r.IsLeader(), r.Ready(), r.HW()
	}
	return m
}

// Producers implements law.Cluster.
func (c *worldCluster) Producers() []law.Producer {
	var out []law.Producer
	for _, p := range c.w.Producers() {
		out = append(out, lawProducer(p))
	}
	return out
}

func lawProducer(p *producer.Producer) law.Producer {
	return law.Producer{Name: p.Name(), AcksAll: p.Acks() == "all", Acked: p.Acked(), EachAck: p.EachAck}
}

// Up implements cluster.
func (c *worldCluster) Up(id kafka.NodeID) bool { return c.w.Kernel().Up(sim.ActorID(id)) }

// Controller implements cluster.
func (c *worldCluster) Controller() kafka.NodeID {
	for _, p := range c.w.Controllers() {
		if p.Active() {
			return p.ID()
		}
	}
	return kafka.NoNode
}

// client returns a client's actor, nil before it was started.
func (c *worldCluster) client(name string) sim.Actor {
	id, err := c.w.ActorOf(name)
	if err != nil || !id.IsClient() {
		return nil
	}
	return c.w.Kernel().Actor(id)
}

// LogDir implements cluster.
func (c *worldCluster) LogDir(id kafka.NodeID, tp kafka.TopicPartition) string {
	if n := c.broker(id); n != nil {
		return n.LogDir(tp)
	}
	return ""
}

// FutureDir implements cluster.
func (c *worldCluster) FutureDir(id kafka.NodeID, tp kafka.TopicPartition) string {
	if n := c.broker(id); n != nil {
		return n.FutureDir(tp)
	}
	return ""
}

// DirBytes implements cluster.
func (c *worldCluster) DirBytes(id kafka.NodeID, path string) (int64, bool) {
	n := c.broker(id)
	if n == nil || !slices.Contains(n.Directories(), path) {
		return 0, false
	}
	return n.Dir().SizeIn(slices.Index(n.Directories(), path)), true
}

// GoneDirs implements cluster: t-0 -delete, without the unique part of the name.
func (c *worldCluster) GoneDirs(id kafka.NodeID) (names []string) {
	if n := c.broker(id); n != nil {
		for i := range n.Dir().Gone() {
			g := &n.Dir().Gone()[i]
			suffix := "-delete"
			if g.Stray {
				suffix = "-stray"
			}
			names = append(names, g.Partition.String()+suffix)
		}
	}
	return names
}

// OfflineDirs implements cluster.
func (c *worldCluster) OfflineDirs(id kafka.NodeID) []string {
	if n := c.broker(id); n != nil {
		return n.OfflineDirectories()
	}
	return nil
}

// Producer implements cluster.
func (c *worldCluster) Producer(name string) (producerState, bool) {
	p, ok := c.client(name).(*producer.Producer)
	if !ok {
		return producerState{}, false
	}
	last, _ := p.Errors().Last()
	return producerState{
		Producer: lawProducer(p), sent: p.Sent(), failed: p.Failed().Len(), retries: p.Retries(), throttled: p.Throttled(), lastError: last,
	}, true
}

// Consumer implements cluster.
func (c *worldCluster) Consumer(name string) (consumerState, bool) {
	p, ok := c.client(name).(*consumer.Consumer)
	if !ok {
		return consumerState{}, false
	}
	last, _ := p.Errors().Last()
	s := consumerState{
		group: p.Group(), delivered: p.Delivered(), processed: p.Processed(c.w.Now()), processedAgain: p.ProcessedAgain(), duplicates: p.Duplicates(), reordered: p.Reordered(), throttled: p.Throttled(), lastError: last,
	}
	for _, a := range p.Assignment(nil) {
		s.assigned = append(s.assigned, assignedState{tp: a.TP, position: a.Position, end: a.End, readsFrom: a.ReadsFrom})
	}
	return s, true
}

// Committed implements cluster.
func (c *worldCluster) Committed(group string, tp kafka.TopicPartition) kafka.Offset {
	for _, n := range c.w.Brokers() {
		if n.Group() == nil {
			continue
		}
		offsets, ok := n.Group().Committed(group)
		for _, o := range offsets {
			if ok && o.TP == tp {
				return o.Offset
			}
		}
	}
	return kafka.NoOffset
}
