package raft_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/raft"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// place is what is known to be committed at an offset.
type place struct {
	epoch kafka.LeaderEpoch
	crc   uint32
	end   kafka.Offset
}

// laws are the invariants of Kafka's RaftEventSimulationTest, checked after
// every event.
type laws struct {
	w         *world
	epochs    []kafka.LeaderEpoch // by host: of its quorum-state
	leaders   map[kafka.LeaderEpoch]kafka.NodeID
	hw        kafka.Offset           // the highest that a leader established
	hwEpoch   kafka.LeaderEpoch      // in which epoch
	committed map[kafka.Offset]place // by the base offset of a batch
	checked   []kafka.Offset         // by host: below here its log was compared
	voters    [][]raft.Voter         // by host: those it knew after the last event
	loading   string                 // a leader that took a snapshot
}

func newLaws(w *world) *laws {
	l := &laws{
		w: w, epochs: make([]kafka.LeaderEpoch, len(w.hosts)), leaders: map[kafka.LeaderEpoch]kafka.NodeID{},
		committed: map[kafka.Offset]place{}, checked: make([]kafka.Offset, len(w.hosts)),
		voters: make([][]raft.Voter, len(w.hosts)),
	}
	w.k.Hooks.Note = func(n *trace.Note) {
		if h := w.host(n.Node); n.Kind == trace.SnapshotFetched && h.r.IsLeader() {
			l.loading = n.Text()
		}
	}
	return l
}

// check returns the first law that is broken.
func (l *laws) check() error {
	if l.loading != "" {
		return fmt.Errorf("LeaderNeverLoadSnapshot: %s", l.loading)
	}
	for i, h := range l.w.hosts {
		if e := h.quorum.LeaderEpoch; e < l.epochs[i] {
			return fmt.Errorf("MonotonicEpoch: node %d went from epoch %d to %d", h.id, l.epochs[i], e)
		}
		l.epochs[i] = h.quorum.LeaderEpoch
		if h.r == nil {
			l.checked[i] = 0
			continue
		}
		if h.r.IsLeader() {
			if other, ok := l.leaders[h.r.Epoch()]; ok && other != h.id {
				return fmt.Errorf("SingleLeader: %d and %d both lead in epoch %d", other, h.id, h.r.Epoch())
			}
			l.leaders[h.r.Epoch()] = h.id
		}
		log := h.dir.Get(raft.Partition)
		if start := log.LogStart(); start > 0 && !slices.ContainsFunc(h.snaps.List(), func(s raft.Snapshot) bool { return s.ID.End == start }) {
			return fmt.Errorf("SnapshotAtLogStart: node %d: log start %d without a snapshot there", h.id, start)
		}
		if err := l.agrees(i, h); err != nil {
			return err
		}
		if err := l.majority(h, l.voters[i]); err != nil {
			return err
		}
		l.voters[i] = h.r.Voters()
	}
	return nil
}

// majority checks the high watermark of a leader that has established one; before
// are the voters that it had before this event.
func (l *laws) majority(h *host, before []raft.Voter) error {
	hw := h.r.HW()
	if !h.r.Ready() || hw == l.hw {
		return nil
	}
	if hw < l.hw && h.r.Epoch() >= l.hwEpoch {
		return fmt.Errorf("MonotonicHighWatermark: leader %d in epoch %d at %d, after %d", h.id, h.r.Epoch(), hw, l.hw)
	}
	// With the high watermark that it waited for, a change of the voters is written.
	if voters := h.r.Voters(); !l.onMajority(voters, hw) && !l.onMajority(before, hw) {
		return fmt.Errorf("MajorityReachedHighWatermark: %d of leader %d, not on the disks of most of %v", hw, h.id, voters)
	}
	if hw > l.hw {
		l.hw, l.hwEpoch = hw, h.r.Epoch()
	}
	return nil
}

// onMajority reports whether most of some voters have all below an offset on disk.
func (l *laws) onMajority(voters []raft.Voter, end kafka.Offset) bool {
	n := 0
	for _, v := range l.w.hosts {
		is := slices.ContainsFunc(voters, func(x raft.Voter) bool { return x.ID == v.id })
		if log := v.dir.Get(raft.Partition); log != nil && is && log.DurableOffset() >= end {
			n++
		}
	}
	return n > len(voters)/2
}

// agrees compares what a node holds below its high watermark with what the
// others hold (ConsistentCommittedData).
func (l *laws) agrees(i int, h *host) error {
	hw := h.r.HW()
	if hw <= l.checked[i] {
		return nil
	}
	for b := range h.dir.Get(raft.Partition).Batches(l.checked[i]) {
		off := b.Raw.BaseOffset()
		if off >= hw {
			break
		}
		at := place{b.Raw.LeaderEpoch(), b.Raw.CRC(), b.Raw.NextOffset()}
		if was, ok := l.committed[off]; ok && was != at {
			return fmt.Errorf("ConsistentCommittedData: node %d has %+v at %d, another had %+v", h.id, at, off, was)
		}
		l.committed[off] = at
	}
	l.checked[i] = hw
	return nil
}

// chaos is a random run: what happens is drawn from the seed alone.
type chaos struct {
	*laws
	rng sim.Rand
}

func (c *chaos) some() *host { return c.w.hosts[c.rng.IntN(int64(len(c.w.hosts)))] }

func (c *chaos) act() {
	h, o := c.some(), c.some()
	switch c.rng.IntN(12) {
	case 0:
		// A killed process leaves pages unwritten; Kafka's next one acknowledges
		// what is on them without an fsync, so that a loss of power in the next
		// seconds breaks the promise. The pages are written here.
		if slot, ok := h.dir.Slot(raft.Partition); ok && h.r != nil {
			h.dir.MutableAt(slot).Flush()
		}
		c.w.kill(h.id, false)
	case 1:
		c.w.kill(h.id, true)
	case 2, 3:
		if h.r == nil {
			c.w.k.Start(sim.ActorID(h.id), 0)
		}
	case 4:
		c.w.k.Cut(sim.ActorID(h.id), sim.ActorID(o.id)) // one way
	case 5:
		for _, p := range c.w.hosts {
			if p != h {
				c.w.link(h.id, p.id, true)
			}
		}
	case 6, 7:
		for _, p := range c.w.hosts {
			if p != h {
				c.w.link(h.id, p.id, false)
			}
		}
	case 8:
		h.disk.FsyncLatency = kafka.Duration(1+c.rng.IntN(3000)) * kafka.Millisecond
	case 9:
		h.disk.FsyncLatency = kafka.Millisecond
	case 10:
		c.w.k.Order(sim.ActorID(h.id), "shutdown", 0)
	default:
		for _, p := range c.w.hosts { // whoever believes that it leads
			c.w.k.Order(sim.ActorID(p.id), int(1+c.rng.IntN(3)), 0)
		}
	}
}

func (c *chaos) run(until kafka.Instant) error {
	for {
		next, ok := c.w.k.Next()
		if !ok || next > until {
			c.w.k.AdvanceTo(until)
			return nil
		}
		c.w.k.Step()
		if err := c.check(); err != nil {
			return fmt.Errorf("%v: %w", c.w.k.Now(), err)
		}
	}
}

// TestRandom crashes, cuts, slows and shuts down at random, with all laws on. When
// all is well again there must be a leader, and stay one, and everybody must have
// everything that ever was committed.
func TestRandom(t *testing.T) {
	seeds := uint64(250)
	if testing.Short() {
		seeds = 60
	}
	for seed := range seeds {
		if err := randomRun(t, seed); err != nil {
			t.Errorf("seed %d: %v", seed, err)
			return
		}
	}
}

func randomRun(t *testing.T, seed uint64) error {
	rng := sim.NewRand(seed, "chaos")
	var voters []kafka.NodeID
	for i := range 1 + rng.IntN(5) {
		voters = append(voters, kafka.NodeID(voter+i))
	}
	static := []metadata.ConfigValue{{Name: "metadata.log.max.record.bytes.between.snapshots", Value: "100000"}}
	if rng.IntN(2) == 0 {
		static = []metadata.ConfigValue{
			{Name: "metadata.log.max.record.bytes.between.snapshots", Value: "500"}, {Name: "metadata.max.retention.bytes", Value: "1500"},
		}
	}
	w := newWorld(t, voters, metadata.NewStatic(static), seed, append(slices.Clone(voters), 1)...)
	c := &chaos{newLaws(w), rng}
	for _, h := range w.hosts {
		w.k.Start(sim.ActorID(h.id), 0)
	}
	for range 60 {
		if err := c.run(w.k.Now().Add(kafka.Duration(50+c.rng.IntN(900)) * kafka.Millisecond)); err != nil {
			return err
		}
		c.act()
		if err := c.check(); err != nil {
			return err
		}
	}
	return c.recover()
}

// recover ends all faults and looks for life.
func (c *chaos) recover() error {
	w := c.w
	for _, h := range w.hosts {
		h.disk.FsyncLatency = kafka.Millisecond
		for _, p := range w.hosts {
			if p != h {
				w.link(h.id, p.id, false)
			}
		}
	}
	if err := c.run(w.k.Now().Add(6 * kafka.Second)); err != nil { // who is shutting down ends
		return err
	}
	for _, h := range w.hosts {
		if h.r == nil {
			w.k.Start(sim.ActorID(h.id), 0)
		}
	}
	if err := c.run(w.k.Now().Add(40 * kafka.Second)); err != nil {
		return err
	}
	lead := w.leader()
	if lead == nil {
		return fmt.Errorf("nobody leads 40 s after all is well")
	}
	epoch := lead.r.Epoch()
	w.k.Order(sim.ActorID(lead.id), 2, 0)
	if err := c.run(w.k.Now().Add(5 * kafka.Second)); err != nil {
		return err
	}
	if w.leader() != lead || lead.r.Epoch() != epoch {
		return fmt.Errorf("StableLeadership: %v led in epoch %d, now %v", lead, epoch, w.leader())
	}
	for _, h := range w.hosts {
		if h.r.LogEnd(h.machine()) != lead.r.LogEnd(lead.machine()) || h.r.HW() != lead.r.HW() || h.r.HW() < c.hw {
			return fmt.Errorf("%v; the leader %v; %d was committed", h, lead, c.hw)
		}
	}
	return nil
}

// TestRandomVoters is TestRandom with voters that come and go: at any time anybody
// who believes that it leads is asked to add or to remove somebody.
func TestRandomVoters(t *testing.T) {
	seeds := uint64(150)
	if testing.Short() {
		seeds = 60
	}
	changes := 0
	for seed := range seeds {
		n, err := randomVoters(t, seed)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			return
		}
		changes += n
	}
	if changes < 3*int(seeds) {
		t.Errorf("the voters changed only %d times", changes)
	}
}

func randomVoters(t *testing.T, seed uint64) (changes int, err error) {
	rng := sim.NewRand(seed, "chaos of voters")
	var voters, all []kafka.NodeID
	var initial []raft.Voter
	for i := range 5 {
		id := kafka.NodeID(voter + i)
		if all = append(all, id); i < 3 {
			voters = append(voters, id)
			initial = append(initial, newVoter(id))
		}
	}
	static := metadata.NewStatic([]metadata.ConfigValue{
		{Name: "metadata.log.max.record.bytes.between.snapshots", Value: "1500"}, {Name: "metadata.max.retention.bytes", Value: "4000"},
	})
	w := newWorld(t, all, static, seed, append(slices.Clone(all), 1)...)
	c := &chaos{newLaws(w), rng}
	note := w.k.Hooks.Note
	w.k.Hooks.Note = func(n *trace.Note) {
		if note(n); n.Kind == trace.QuorumVoters {
			changes++
		}
	}
	w.k.Add(toolID, "tool", &tool{w: w})
	w.k.Start(toolID, 0)
	for _, h := range w.hosts {
		if h.dynamic = true; slices.Contains(voters, h.id) {
			h.snaps = raft.Bootstrap(initial)
		}
		w.k.Start(sim.ActorID(h.id), 0)
	}
	for range 100 {
		if err := c.run(w.k.Now().Add(kafka.Duration(50+c.rng.IntN(700)) * kafka.Millisecond)); err != nil {
			return changes, err
		}
		if c.rng.IntN(2) == 0 {
			c.changeVoters(all)
		} else {
			c.act()
		}
		if err := c.check(); err != nil {
			return changes, err
		}
	}
	return changes, c.recover()
}

// changeVoters asks whoever believes that it leads. A leader is not removed from
// a quorum of two: if it resigns before the other has its removal, nobody can be
// elected any more (see the package comment).
func (c *chaos) changeVoters(all []kafka.NodeID) {
	id := all[c.rng.IntN(int64(len(all)))]
	add := kmsg.NewPtrAddRaftVoterRequest()
	add.Version, add.VoterID, add.VoterDirectoryID, add.AckWhenCommitted = 1, int32(id), directory(id, 0), c.rng.IntN(2) == 0
	add.Listeners = listeners(id)
	remove := kmsg.NewPtrRemoveRaftVoterRequest()
	remove.VoterID, remove.VoterDirectoryID = int32(id), directory(id, 0)
	var req kmsg.Request = add
	if c.rng.IntN(2) == 0 {
		req = remove
	}
	for _, h := range c.w.hosts {
		if h.r != nil && h.r.IsLeader() && (req != kmsg.Request(remove) || id != h.id || len(h.r.Voters()) > 2) {
			c.w.k.Order(toolID, toolOrder{h.id, req}, 0)
		}
	}
}
