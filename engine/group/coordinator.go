package group

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/storage"
)

// commitTimeout is offsets.commit.timeout.ms: how long an OffsetCommit waits
// for its records to be committed. They may still be later, and count then.
const commitTimeout = 5 * kafka.Second

// The kinds of timer, with their A.
const (
	timerLoad   uint8 = iota // partition: its log has been read
	timerCommit              // token: an OffsetCommit has waited too long
)

// How long loading a partition takes: a start, and reading at a disk's speed.
// Ours, not Kafka's.
const (
	loadStart          = kafka.Millisecond
	loadBytesPerSecond = 200 << 20
)

// Config is what a coordinator works by.
type Config struct {
	MetadataBytesMax int // offset.metadata.max.bytes
}

// Work is something that the coordinator wants its owner to do.
type Work struct {
	TP      kafka.TopicPartition // of __consumer_offsets
	Records []byte               // a batch to append with acks=all; nil: call Loaded
	Token   int64                // for Appended
}

// Coordinator is the machine. Make one with New when the process starts.
type Coordinator struct {
	cfg       Config
	gen       uint64
	shards    []*shard // sorted by partition
	lastToken int64
	work      []Work
}

// shard is the coordinator of one partition's groups.
type shard struct {
	gen       uint64
	partition int32
	epoch     kafka.LeaderEpoch
	active    bool     // false: loading
	groups    []*group // sorted by id
	pending   []commit // in the order of their appends
}

// group is what one group has committed.
type group struct {
	gen     uint64
	id      string
	offsets []Offset // sorted by partition
}

// Offset is a committed offset (OffsetAndMetadata.java).
type Offset struct {
	TP          kafka.TopicPartition
	Offset      kafka.Offset
	LeaderEpoch kafka.LeaderEpoch // of the last consumed record; -1: not stated
	Metadata    string
	At          int64 // commit timestamp, ms
}

// commit is an OffsetCommit that waits for its records.
type commit struct {
	token   int64
	conn    sim.ConnID
	corr    int32
	req     *kmsg.OffsetCommitRequest
	late    bool              // answered already: it timed out
	refused []kafka.ErrorCode // by partition, in the request's order; None: in offsets
	offsets []Offset
}

// New returns a coordinator that leads nothing.
func New(cfg Config) *Coordinator { return &Coordinator{cfg: cfg} }

// Handles reports whether a request is the coordinator's.
func Handles(req kmsg.Request) bool {
	switch req.(type) {
	case *kmsg.OffsetCommitRequest, *kmsg.OffsetFetchRequest:
		return true
	}
	return false
}

// Step takes a request that Handles accepts, or a timer of sim.OwnerGroup. img
// is the broker's metadata.
func (c *Coordinator) Step(now kafka.Instant, in *sim.Input, img *metadata.Image, out *sim.Out) {
	switch in.Kind {
	case sim.InputRequest:
		switch req := in.Request.(type) {
		case *kmsg.OffsetCommitRequest:
			c.commit(now, in, req, img, out)
		case *kmsg.OffsetFetchRequest:
			c.fetch(in, req, img, out)
		}
	case sim.InputTimer:
		if in.Timer.Kind == timerCommit {
			c.timedOut(in.Timer.A, out)
		} else if s := c.shard(in.Timer.A); s != nil && !s.active {
			c.work = append(c.work, Work{TP: tpOf(s.partition)})
		}
	}
}

// TakeWork returns what is to be done, in order.
func (c *Coordinator) TakeWork() []Work {
	w := c.work
	c.work = nil
	return w
}

func tpOf(partition int32) kafka.TopicPartition {
	return kafka.TopicPartition{Topic: kafka.TopicOffsets, Partition: partition}
}

// Lead says that the broker now leads a partition with so many bytes of log;
// the coordinator is active when they are read.
func (c *Coordinator) Lead(now kafka.Instant, partition int32, epoch kafka.LeaderEpoch, bytes int64, out *sim.Out) {
	c.Resign(partition, out)
	i, _ := c.find(partition)
	c.shards = slices.Insert(c.shards, i, &shard{gen: c.gen, partition: partition, epoch: epoch})
	out.SetTimer(loadTimer(partition), now.Add(loadStart+kafka.Duration(bytes*int64(kafka.Second)/loadBytesPerSecond)))
}

// Resign says that the broker does not lead a partition any more. Who waits is
// told to look for the new coordinator.
func (c *Coordinator) Resign(partition int32, out *sim.Out) {
	i, ok := c.find(partition)
	if !ok {
		return
	}
	for k := range c.shards[i].pending {
		c.shards[i].pending[k].answer(kafka.NotCoordinator, out)
	}
	c.shards = slices.Delete(c.shards, i, i+1)
	out.ClearTimer(loadTimer(partition))
}

func loadTimer(partition int32) sim.Timer {
	return sim.Timer{Owner: sim.OwnerGroup, Kind: timerLoad, A: partition}
}

// Loaded replays a partition's log, which Work asked for (CoordinatorLoaderImpl).
func (c *Coordinator) Loaded(partition int32, l *storage.Log) {
	s := c.shard(partition)
	if s == nil || s.active {
		return
	}
	for b := range l.Batches(l.LogStart()) {
		if b.Header.Attributes.Control() {
			continue
		}
		for r, err := range record.Records(b.Raw) {
			if err != nil {
				break // Kafka skips what it cannot read, too
			}
			c.replay(s, r.Key, r.Value)
		}
	}
	s.active = true
}

// replay applies one record; kinds that are not offsets are for others.
func (c *Coordinator) replay(s *shard, key, value []byte) {
	var k kmsg.OffsetCommitKey
	if len(key) < 2 || key[0] != 0 || key[1] > 1 || k.ReadFrom(key) != nil {
		return
	}
	tp := kafka.TopicPartition{Topic: k.Topic, Partition: k.Partition}
	if value == nil {
		c.mutGroup(s, k.Group).remove(tp)
		return
	}
	var v kmsg.OffsetCommitValue
	if v.ReadFrom(value) != nil {
		return
	}
	c.mutGroup(s, k.Group).put(Offset{tp, kafka.Offset(v.Offset), kafka.LeaderEpoch(v.LeaderEpoch), v.Metadata, v.CommitTimestamp})
}

func (c *Coordinator) find(partition int32) (int, bool) {
	return slices.BinarySearchFunc(c.shards, partition, func(s *shard, p int32) int { return int(s.partition) - int(p) })
}

// shard returns a partition's shard to change, nil if it is not led here.
func (c *Coordinator) shard(partition int32) *shard {
	i, ok := c.find(partition)
	if !ok {
		return nil
	}
	s := c.shards[i]
	if s.gen != c.gen {
		d := *s
		d.gen = c.gen
		d.groups, d.pending = slices.Clone(s.groups), slices.Clone(s.pending)
		s = &d
		c.shards[i] = s
	}
	return s
}

func (s *shard) findGroup(id string) (int, bool) {
	return slices.BinarySearchFunc(s.groups, id, func(g *group, id string) int {
		switch {
		case g.id < id:
			return -1
		case g.id > id:
			return 1
		}
		return 0
	})
}

// mutGroup returns a group of a shard to change, made if need be.
func (c *Coordinator) mutGroup(s *shard, id string) *group {
	i, ok := s.findGroup(id)
	switch {
	case !ok:
		s.groups = slices.Insert(s.groups, i, &group{gen: c.gen, id: id})
	case s.groups[i].gen != c.gen:
		g := *s.groups[i]
		g.gen, g.offsets = c.gen, slices.Clone(g.offsets)
		s.groups[i] = &g
	}
	return s.groups[i]
}

func (g *group) find(tp kafka.TopicPartition) (int, bool) {
	return slices.BinarySearchFunc(g.offsets, tp, func(o Offset, tp kafka.TopicPartition) int { return o.TP.Compare(tp) })
}

func (g *group) put(o Offset) {
	i, ok := g.find(o.TP)
	if ok {
		g.offsets[i] = o
		return
	}
	g.offsets = slices.Insert(g.offsets, i, o)
}

func (g *group) remove(tp kafka.TopicPartition) {
	if i, ok := g.find(tp); ok {
		g.offsets = slices.Delete(g.offsets, i, i+1)
	}
}

// Clone returns a copy. It costs the pointers of the shards.
func (c *Coordinator) Clone() *Coordinator {
	c.gen++
	d := *c
	d.shards, d.work = slices.Clone(c.shards), slices.Clone(c.work)
	return &d
}

// Digest writes the coordinator's state.
func (c *Coordinator) Digest(h *sim.Hash) {
	h.Int(c.lastToken)
	h.Int(int64(len(c.work)))
	h.Int(int64(len(c.shards)))
	for _, s := range c.shards {
		h.Int(int64(s.partition))
		h.Int(int64(s.epoch))
		h.Bool(s.active)
		h.Int(int64(len(s.groups)))
		for _, g := range s.groups {
			h.String(g.id)
			h.Int(int64(len(g.offsets)))
			for _, o := range g.offsets {
				h.String(o.TP.Topic)
				h.Int(int64(o.TP.Partition))
				h.Int(int64(o.Offset))
				h.Int(int64(o.LeaderEpoch))
				h.String(o.Metadata)
				h.Int(o.At)
			}
		}
		h.Int(int64(len(s.pending)))
		for _, p := range s.pending {
			h.Int(p.token)
			h.Uint64(uint64(p.conn))
			h.Int(int64(p.corr))
			h.Bool(p.late)
		}
	}
}

// Committed returns what a group has committed, by partition, if its
// coordinator is active here. Do not change it.
func (c *Coordinator) Committed(id string) (offsets []Offset, ok bool) {
	for _, s := range c.shards {
		if i, found := s.findGroup(id); found && s.active {
			return s.groups[i].offsets, true
		}
	}
	return nil, false
}

// Groups lists the groups that are coordinated here, sorted by shard and id.
func (c *Coordinator) Groups() (ids []string) {
	for _, s := range c.shards {
		for _, g := range s.groups {
			ids = append(ids, g.id)
		}
	}
	return ids
}
