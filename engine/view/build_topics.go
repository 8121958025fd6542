package view

import (
	"slices"
	"strings"

	"github.com/highwater-sim/highwater/engine/broker"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/node"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/highwater-sim/highwater/engine/world"
)

// topics fills in every topic, internal ones last, and counts who leads what.
func (b *Builder) topics(w *world.World, o Options, into *Cluster) {
	b.procs = w.Brokers()
	b.nodes = sized(b.nodes, w.Spec().Cluster.Brokers)
	clear(b.nodes)
	into.Topics = sized(into.Topics, len(b.img.Topics))
	i := 0
	for _, internal := range []bool{false, true} {
		for _, t := range b.img.Topics {
			if kafka.IsInternal(t.Name) == internal {
				b.topic(w, o, t, &into.Topics[i])
				i++
			}
		}
	}
}

func (b *Builder) topic(w *world.World, o Options, t *metadata.Topic, v *Topic) {
	v.Name, v.ID, v.Internal = t.Name, t.ID, kafka.IsInternal(t.Name)
	v.Configs = v.Configs[:0]
	for _, c := range b.img.Configs {
		if c.Type == metadata.ResourceTopic && c.Name == t.Name {
			for _, x := range c.Values {
				v.Configs = append(v.Configs, Config{Name: x.Name, Value: x.Value, Default: configDefault(x.Name), Source: "DYNAMIC_TOPIC_CONFIG"})
			}
		}
	}
	v.ReplicationFactor, v.MinISR = 0, b.img.MinISR(t, kafka.NoNode, w.Controllers()[0].Static())
	v.Partitions = sized(v.Partitions, len(t.Partitions))
	for i, p := range t.Partitions {
		if p == nil {
			continue
		}
		v.ReplicationFactor = max(v.ReplicationFactor, len(p.Replicas))
		pv := &v.Partitions[i]
		pv.TP = kafka.TopicPartition{Topic: t.Name, Partition: int32(i)}
		b.partition(w, o, p, pv)
		pv.UnderMinISR = len(pv.ISR) < v.MinISR
	}
}

func configDefault(name string) string {
	if c := kafka.LookupConfig(kafka.ScopeTopic, name); c != nil {
		return c.Default
	}
	return ""
}

func (b *Builder) partition(w *world.World, o Options, p *metadata.Partition, v *Partition) {
	v.Leader, v.LeaderEpoch, v.PartitionEpoch = p.Leader, p.LeaderEpoch, p.PartitionEpoch
	v.Assigned, v.ISR, v.ELR, v.LastKnownELR = p.Replicas, p.ISR, p.ELR, p.LastKnownELR
	v.Adding, v.Removing, v.UnderReplicated = p.Adding, p.Removing, p.UnderReplicated()
	v.HW, v.LEO = kafka.NoOffset, kafka.NoOffset
	v.Replicas = sized(v.Replicas, len(p.Replicas))
	lead, hasLead := leaderOf(b.procs, v)
	for i, id := range p.Replicas {
		r := &v.Replicas[i]
		*r = Replica{
			Broker: id, InISR: slices.Contains(p.ISR, id), HW: kafka.NoOffset, CaughtUp: kafka.Never,
			Cells: r.Cells[:0], Epochs: r.Epochs[:0], Extents: r.Extents[:0], Indexed: r.Indexed[:0],
		}
		if int(id) >= 1 && int(id) <= len(b.nodes) {
			b.nodes[id-1].replicas++
			if id == p.Leader {
				b.nodes[id-1].leads++
			}
			b.fillReplica(b.procs[id-1], o, v.TP, r)
		}
		if hasLead && id != p.Leader {
			b.diverges(&lead, v.TP, r)
			r.Lag = int64(lead.Log.LEO() - r.LEO)
			r.CaughtUp = caughtUp(&lead, id, w.Now())
		}
		if id == p.Leader || !hasLead && r.HW > v.HW {
			v.HW, v.LEO = r.HW, r.LEO
		}
	}
}

// leaderOf looks at the leader's replica, if its process runs and takes itself
// for the leader.
func leaderOf(bs []*node.Broker, v *Partition) (broker.Replica, bool) {
	if v.Leader < 1 || int(v.Leader) > len(bs) {
		return broker.Replica{}, false
	}
	m := bs[v.Leader-1].Broker()
	if m == nil {
		return broker.Replica{}, false
	}
	r, ok := m.Replica(v.TP)
	return r, ok && r.Leads
}

func caughtUp(lead *broker.Replica, id kafka.NodeID, now kafka.Instant) kafka.Instant {
	for i := range lead.Followers() {
		if f := lead.Follower(i, now); f.Node == id {
			return f.CaughtUp
		}
	}
	return kafka.Never
}

func (b *Builder) fillReplica(n *node.Broker, o Options, tp kafka.TopicPartition, r *Replica) {
	log := b.log(n, tp)
	if log == nil {
		return
	}
	b.replica(n, log, r, tp)
	if o.Cells > 0 {
		b.cells(n.ID(), log, tp, o.Cells, r)
	}
}

// diverges finds out how much of a replica's log is not the leader's.
func (b *Builder) diverges(lead *broker.Replica, tp kafka.TopicPartition, r *Replica) {
	if r.Broker < 1 || int(r.Broker) > len(b.procs) || r.LEO == 0 {
		return
	}
	if log := b.log(b.procs[r.Broker-1], tp); log != nil {
		r.Divergent = int64(log.LEO() - log.DivergesFrom(lead.Log))
	}
}

// log returns a replica's log as it can be read: one that a crash went over as
// its recovery will leave it.
func (b *Builder) log(n *node.Broker, tp kafka.TopicPartition) *storage.Log {
	log := n.Dir().Get(tp)
	if log == nil || !log.Unclean() {
		return log
	}
	key := tailKey{n.ID(), tp}
	if c, ok := b.crashed[key]; ok && c.print == log.Fingerprint() {
		return c.log
	}
	c := crashedLog{log.Fingerprint(), log.Clone()}
	c.log.Recover()
	if b.crashed == nil || len(b.crashed) > tailsKept {
		b.crashed = map[tailKey]crashedLog{}
	}
	b.crashed[key] = c
	return c.log
}

// replica fills in what a broker's machine and process know of a replica.
func (b *Builder) replica(n *node.Broker, log *storage.Log, r *Replica, tp kafka.TopicPartition) {
	r.LogStart, r.LEO, r.Segments, r.Bytes = log.LogStart(), log.LEO(), log.SegmentCount(), log.Size()
	r.Durable, r.CellsFrom = log.DurableOffset(), log.LEO()
	r.Epoch = log.LatestEpoch()
	b.pass = nil
	slot, _ := n.Dir().Slot(tp)
	r.Dir = n.Directories()[n.Dir().In(slot)]
	r.HW, r.LSO = min(n.Dir().HWCheckpoint(slot), r.LEO), kafka.NoOffset
	if m := n.Broker(); m != nil {
		if live, ok := m.Replica(tp); ok {
			r.Online, r.Leader, r.Epoch, r.HW = true, live.Leads, live.Epoch, live.HW
			if live.Compacted() {
				b.care(&live, r)
			}
			r.LSO = r.HW // no transactions: nothing below the high watermark is open
		}
	}
}

// care fills in what the cleaner makes of a compacted log.
func (b *Builder) care(live *broker.Replica, r *Replica) {
	c := live.Care(b.now)
	r.CleanTo, r.DirtyTo = c.Cleanable.FirstDirty, c.Cleanable.FirstUncleanable
	r.CleanBytes, r.DirtyBytes, r.Dead = c.Cleanable.CleanBytes, c.Cleanable.DirtyBytes, c.Uncleanable
	if c.Pass == nil {
		return
	}
	b.pass, r.CleanDone = c.Pass, b.cleanDone(&c)
	r.Cleaning, r.CleaningAt = c.Pass.Stage.String(), c.Pass.Cleanable.FirstDirty
	if c.Pass.Stage == storage.Rewriting {
		r.CleaningAt = c.Pass.Groups[c.Pass.Group].Base
	}
}

// tailKey names a replica's log.
type tailKey struct {
	broker kafka.NodeID
	tp     kafka.TopicPartition
}

// crashedLog is a copy of a log that a crash went over, recovered.
type crashedLog struct {
	print uint64
	log   *storage.Log
}

// tail is the decoded end of a log, and by what it is known to be unchanged.
type tail struct {
	leo     kafka.Offset
	print   uint64
	want    int
	pass    *storage.Cleaning
	from    kafka.Offset
	cells   []Cell
	epochs  []EpochStart
	extents []Extent
	indexed []kafka.Offset
}

// cells fills in the last n records of a log, oldest first, and what the log is
// made of there.
func (b *Builder) cells(id kafka.NodeID, log *storage.Log, tp kafka.TopicPartition, n int, r *Replica) {
	key := tailKey{id, tp}
	t := b.tails[key]
	if t.leo != log.LEO() || t.print != log.Fingerprint() || t.want != n || t.pass != b.pass {
		t.leo, t.print, t.want, t.pass = log.LEO(), log.Fingerprint(), n, b.pass
		t.look(log)
		t.cells = b.decodeTail(log, n, t.cells[:0])
		if b.tails == nil {
			b.tails = map[tailKey]tail{}
		}
		b.tails[key] = t
	}
	r.CellsFrom = t.from
	r.Cells = append(r.Cells, t.cells...)
	r.Epochs = append(r.Epochs, t.epochs...)
	r.Extents = append(r.Extents, t.extents...)
	r.Indexed = append(r.Indexed, t.indexed...)
}

// look reads where segments, epochs and index entries are in the log's end.
func (t *tail) look(log *storage.Log) {
	t.from = max(log.LEO()-kafka.Offset(t.want), log.LogStart())
	t.epochs, t.extents, t.indexed = t.epochs[:0], t.extents[:0], t.indexed[:0]
	for _, e := range log.Epochs() {
		if e.StartOffset < t.from {
			t.epochs = t.epochs[:0]
		}
		t.epochs = append(t.epochs, EpochStart{e.Epoch, e.StartOffset})
	}
	for s := range log.SegmentsFrom(t.from) {
		t.extents = append(t.extents, Extent{s.BaseOffset, s.EndOffset, s.Size, s.Active})
	}
	for e := range log.IndexFrom(t.from) {
		t.indexed = append(t.indexed, e.Offset)
	}
}

// tailsKept is how many logs' ends stay decoded between builds.
const tailsKept = 4096

// trim forgets decoded ends if there are too many.
func (b *Builder) trim() {
	if len(b.tails) > tailsKept {
		b.tails = nil
	}
}

// decodeTail reads the last n records.
func (b *Builder) decodeTail(log *storage.Log, n int, out []Cell) []Cell {
	from := max(log.LEO()-kafka.Offset(n), log.LogStart())
	for batch := range log.Batches(from) {
		out = b.decode(&batch, from, out)
	}
	if len(out) > n {
		out = slices.Delete(out, 0, len(out)-n)
	}
	return out
}

// word returns a string for the bytes, the same one each time.
func (b *Builder) word(s []byte) string {
	if w, ok := b.words[string(s)]; ok {
		return w
	}
	if b.words == nil || len(b.words) > 1<<14 {
		b.words = map[string]string{}
	}
	w := strings.Clone(string(s))
	b.words[w] = w
	return w
}
