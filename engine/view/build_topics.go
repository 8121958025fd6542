package view

import (
	"slices"
	"strings"

	"github.com/highwater-sim/highwater/engine/broker"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/node"
	"github.com/highwater-sim/highwater/engine/storage"
)

// topics fills in every topic, internal ones last, and counts who leads what.
func (b *Builder) topics(o Options, into *Cluster) {
	b.nodes = sized(b.nodes, len(b.procs))
	clear(b.nodes)
	into.Topics = sized(into.Topics, len(b.img.Topics))
	i := 0
	b.column = 0
	for _, internal := range []bool{false, true} {
		for _, t := range b.img.Topics {
			if kafka.IsInternal(t.Name) == internal {
				b.topic(o, t, &into.Topics[i])
				b.column += len(t.Partitions)
				i++
			}
		}
	}
	clear(b.found) // let go of the logs
}

func (b *Builder) topic(o Options, t *metadata.Topic, v *Topic) {
	v.Name, v.ID, v.Internal = t.Name, t.ID, kafka.IsInternal(t.Name)
	v.Configs = v.Configs[:0]
	for _, c := range b.img.Configs {
		if c.Type == metadata.ResourceTopic && c.Name == t.Name {
			for _, x := range c.Values {
				v.Configs = append(v.Configs, Config{Name: x.Name, Value: x.Value, Default: configDefault(x.Name), Source: "DYNAMIC_TOPIC_CONFIG"})
			}
		}
	}
	v.ReplicationFactor, v.MinISR = 0, b.img.MinISR(t, kafka.NoNode, b.quora[0].Static())
	v.Partitions = sized(v.Partitions, len(t.Partitions))
	for i, p := range t.Partitions {
		if p == nil {
			v.Partitions[i] = Partition{TP: kafka.TopicPartition{Topic: t.Name, Partition: int32(i)}, Leader: kafka.NoNode}
			continue
		}
		v.ReplicationFactor = max(v.ReplicationFactor, len(p.Replicas))
		pv := &v.Partitions[i]
		pv.TP = kafka.TopicPartition{Topic: t.Name, Partition: int32(i)}
		brief := o.Some && (v.Internal || b.column+i < o.From || b.column+i >= o.To) && pv.TP != o.Only
		b.partition(o, t.ID, p, brief, pv)
		pv.UnderMinISR = len(pv.ISR) < v.MinISR
	}
}

func configDefault(name string) string {
	if c := kafka.LookupConfig(kafka.ScopeTopic, name); c != nil {
		return c.Default
	}
	return ""
}

func (b *Builder) partition(o Options, topic kafka.TopicID, p *metadata.Partition, brief bool, v *Partition) {
	v.Leader, v.LeaderEpoch, v.PartitionEpoch = p.Leader, p.LeaderEpoch, p.PartitionEpoch
	v.Assigned, v.ISR, v.ELR, v.LastKnownELR = p.Replicas, p.ISR, p.ELR, p.LastKnownELR
	v.Adding, v.Removing, v.UnderReplicated = p.Adding, p.Removing, p.UnderReplicated()
	v.HW, v.LEO = kafka.NoOffset, kafka.NoOffset
	v.Replicas = sized(v.Replicas, len(p.Replicas))
	b.found = sized(b.found, len(p.Replicas))
	var lead *found
	for i, id := range p.Replicas {
		r, f := &v.Replicas[i], &b.found[i]
		f.log, f.live = nil, false
		if brief {
			r.reset()
		} else {
			*r = Replica{Cells: r.Cells[:0], Epochs: r.Epochs[:0], Extents: r.Extents[:0], Indexed: r.Indexed[:0]}
		}
		r.Broker, r.InISR, r.HW, r.LSO, r.CaughtUp = id, slices.Contains(p.ISR, id), kafka.NoOffset, kafka.NoOffset, kafka.Never
		if id < 1 || int(id) > len(b.procs) {
			continue
		}
		n := &b.nodes[id-1]
		n.replicas++
		b.find(n, b.procs[id-1], topic, v.TP, brief && id != p.Leader, f)
		if id == p.Leader {
			n.leads++
			if f.live && f.leads {
				lead = f
			}
		}
		switch {
		case f.log == nil:
		case brief:
			b.glance(b.procs[id-1], f, r)
		default:
			b.replica(b.procs[id-1], f, r)
			if o.Cells > 0 {
				b.cells(id, f.log, v.TP, o.Cells, r)
			}
		}
	}
	b.compare(lead, brief, v)
}

// reset empties a replica of which only a glance is wanted.
func (r *Replica) reset() {
	if !r.brief {
		*r = Replica{brief: true, Durable: kafka.NoOffset, Cells: r.Cells[:0], Epochs: r.Epochs[:0], Extents: r.Extents[:0], Indexed: r.Indexed[:0]}
	}
	r.Online, r.Leader, r.Epoch, r.LogStart, r.LEO, r.Lag = false, false, 0, 0, 0, 0
}

// glance fills in what an overview needs of a replica.
func (b *Builder) glance(n *node.Broker, f *found, r *Replica) {
	r.LogStart, r.LEO = f.log.LogStart(), f.log.LEO()
	if f.live {
		r.Online, r.Leader, r.Epoch, r.HW = true, f.leads, f.epoch, f.hw
		r.LSO = r.HW // as in replica
		return
	}
	r.Epoch, r.HW = f.log.LatestEpoch(), min(n.Dir().HWCheckpoint(f.slot), r.LEO)
}

// found is where a broker has a replica: on its disks, and in its process.
type found struct {
	tp      kafka.TopicPartition
	log     *storage.Log // as it can be read; nil: none
	slot    int
	replica broker.Replica // not at a glance
	leads   bool
	epoch   kafka.LeaderEpoch
	hw      kafka.Offset
	live    bool // the process has it
}

// find looks a replica up. A broker's logs lie in the order in which they are asked
// for, so the search begins behind the last one.
func (b *Builder) find(k *nodeCount, n *node.Broker, id kafka.TopicID, tp kafka.TopicPartition, brief bool, f *found) {
	slot, at, ok := n.Dir().SlotNear(tp, k.at)
	if !ok {
		return
	}
	k.at = at + 1
	f.tp, f.slot, f.log = tp, slot, n.Dir().At(slot)
	if f.log.Unclean() {
		f.log = b.recovered(n.ID(), tp, f.log)
	}
	m := n.Broker()
	switch {
	case m == nil:
	case brief:
		f.leads, f.epoch, f.hw, f.live = m.Glance(id, tp.Partition)
	default:
		f.replica, f.live = m.ReplicaOf(id, tp.Partition)
		f.leads, f.epoch, f.hw = f.replica.Leads, f.replica.Epoch, f.replica.HW
	}
}

// compare says of the replicas what their leader knows of them; without one the
// partition is as far as the furthest of them.
func (b *Builder) compare(lead *found, brief bool, v *Partition) {
	for i := range v.Replicas {
		r := &v.Replicas[i]
		if lead != nil && r.Broker != v.Leader {
			if log := b.found[i].log; log != nil && r.LEO > 0 && !brief {
				r.Divergent = int64(r.LEO - log.DivergesFrom(lead.log))
			}
			r.Lag = int64(lead.log.LEO() - r.LEO)
			r.CaughtUp = caughtUp(&lead.replica, r.Broker, b.now)
		}
		if r.Broker == v.Leader || lead == nil && r.HW > v.HW {
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
		if lead.FollowerID(i) == id {
			f := lead.Follower(i, now)
			return f.CaughtUp
		}
	}
	return kafka.Never
}

// recovered returns a log that a crash went over as its recovery will leave it.
func (b *Builder) recovered(id kafka.NodeID, tp kafka.TopicPartition, log *storage.Log) *storage.Log {
	key := tailKey{id, tp}
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
func (b *Builder) replica(n *node.Broker, f *found, r *Replica) {
	log, dir := f.log, n.Dir()
	r.LogStart, r.LEO, r.Segments, r.Bytes = log.LogStart(), log.LEO(), log.SegmentCount(), log.Size()
	r.Durable, r.CellsFrom = log.DurableOffset(), log.LEO()
	r.Epoch = log.LatestEpoch()
	b.pass = nil
	r.Dir = n.Directories()[dir.In(f.slot)]
	r.HW, r.LSO = min(dir.HWCheckpoint(f.slot), r.LEO), kafka.NoOffset
	if slot, ok := dir.Future(f.tp); ok {
		r.FutureDir, r.FutureLEO = n.Directories()[dir.In(slot)], dir.At(slot).LEO()
	}
	if f.live {
		live := &f.replica
		r.Online, r.Leader, r.Epoch, r.HW = true, live.Leads, live.Epoch, live.HW
		if live.Compacted() {
			b.care(live, r)
		}
		r.LSO = r.HW // no transactions: nothing below the high watermark is open
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
	b.pass, r.CleanDone, r.Rewriting = c.Pass, b.cleanDone(&c), c.Pass.Stage == storage.Rewriting
	b.head(&c, live.Log, r)
	s := &c.Pass.Stats
	r.Cleaned = Cleaned{
		Read: s.Read, Kept: s.Kept, Superseded: s.Superseded, Tombstones: s.Tombstones, Markers: s.Markers,
		Aborted: s.Aborted, NullKeys: s.NullKeys, BytesRead: s.BytesRead, Written: s.BytesWritten,
	}
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
