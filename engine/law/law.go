package law

import (
	"maps"
	"slices"

	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/highwater-sim/highwater/engine/trace"
)

// Cluster is what laws and ledger read.
type Cluster interface {
	Now() kafka.Instant
	// Image is the metadata as the active controller has it; without one, as the
	// last one had.
	Image() *metadata.Image
	// Replica returns a broker's copy of a partition, whether its process runs
	// or not; false if it has none.
	Replica(b kafka.NodeID, tp kafka.TopicPartition) (Replica, bool)
	// ReplicaOf is Replica for a topic id: it writes to r and reports whether the
	// broker has a copy of that topic's partition.
	ReplicaOf(b kafka.NodeID, tp kafka.TopicPartition, id kafka.TopicID, r *Replica) bool
	// MinISR is the effective min.insync.replicas of a partition.
	MinISR(tp kafka.TopicPartition) int
	// Producers lists the producers that ever ran, in order of starting.
	Producers() []Producer
	// Member returns a broker or controller as a member of the metadata quorum;
	// false if there is none.
	Member(n kafka.NodeID) (Member, bool)
	// UncleanAllowed is the effective unclean.leader.election.enable of a topic.
	UncleanAllowed(topic string) bool
}

// Replica is a broker's copy of a partition.
type Replica struct {
	Log     *storage.Log  // never nil; to read
	TopicID kafka.TopicID // by partition.metadata
	Up      bool          // the process runs and has the log open

	// Of a process that is up.
	Leads   bool
	Epoch   kafka.LeaderEpoch
	HW, LSO kafka.Offset
	Known   kafka.PartitionEpoch // of the registration that it acts by
	Maximal []kafka.NodeID       // the leader's maximal ISR (KIP-497)
	ISR     []kafka.NodeID       // the committed ISR as the leader knows it
	MinISR  int                  // the effective min.insync.replicas as it knows it
	Start   kafka.Offset         // the leader's log end offset when it became that
}

// Producer is what a producer knows of its records.
type Producer struct {
	Name    string
	AcksAll bool
	Acked   *client.IDs
	// EachAck calls yield with every acked record whose offset is known; nil if
	// nothing is known.
	EachAck func(yield func(tp kafka.TopicPartition, id int64, at kafka.Offset) bool)
}

// Violation is a broken law. It is an error.
type Violation struct {
	Law  string
	Text string // with numbers
	At   kafka.Instant
}

// Error says which law is broken, and how.
func (v *Violation) Error() string { return v.Law + ": " + v.Text }

// Checker checks every law. Its zero value is ready. It is plain data but for
// an index; copy it with Clone.
type Checker struct {
	index map[kafka.TopicPartition]int
	parts []partition
	dirty []int // partitions to look at after this event
	found *Violation
	now   []seen // replicas of the partition being checked; no state
	pair  [2]Replica

	quorum    quorum
	img       *metadata.Image // the committed metadata as last looked at
	control   bool            // a controller has acted in this event
	stopped   []kafka.NodeID  // who is down after a clean shutdown
	ended     []kafka.NodeID  // who ended uncleanly
	restarted []kafka.NodeID  // of those, the ones that have booted since and not registered
	returned  []comeback      // of those, the ones that have, by what was not committed yet
	void      bool            // see voided
	ordered   bool            // somebody asked for an unclean election, or allowed them for a while
}

// partition is what the laws remember of a partition.
type partition struct {
	tp      kafka.TopicPartition
	id      kafka.TopicID
	dirty   bool
	moved   bool         // more than followers' logs: high watermark, leader, ISR, a cut
	leaders []leadership // by epoch, ascending

	// The leader whose high watermark was seen last.
	node  kafka.NodeID
	epoch kafka.LeaderEpoch
	hw    kafka.Offset

	committed kafka.Offset      // the highest high watermark of a leader
	lastEpoch kafka.LeaderEpoch // of the last committed record; NoEpoch: not known
	since     kafka.LeaderEpoch // leaders of earlier epochs do not count: records were lost since
	readable  kafka.Offset      // the highest high watermark that anybody ever had as a leader
	last      kafka.NodeID      // who led last by the committed metadata
	elected   kafka.NodeID      // who was elected last, committed or not
	electedIn kafka.LeaderEpoch
	unclean   bool              // there was an unclean election, and its leader was not looked at yet
	judged    kafka.LeaderEpoch // a leader of this epoch or later ends that
	chosen    kafka.NodeID      // who led not last, by an unclean election in this event; 0: nobody
	members   []member          // sorted by node
	grown     []growth          // this event's appends of followers
	cleaned   []kafka.NodeID    // where the cleaner ended a pass in this event
	compacted kafka.Offset      // keys were judged up to here by some pass
	proposer  kafka.NodeID      // who proposed an ISR in this event; 0: nobody
}

// member is a replica as the laws see it.
type member struct {
	node     kafka.NodeID
	verified kafka.Offset      // its log is known to equal the committed prefix up to here
	excused  bool              // its machine lost power since it was last in sync
	until    kafka.Offset      // excused until it has all that any replica had then; 0: not looked yet
	patchy   bool              // it lost records that others had superseded: keys are gone with both
	epoch    kafka.LeaderEpoch // that its broker last acted in; NoEpoch: since its start in none
}

// leadership is who led in an epoch.
type leadership struct {
	epoch kafka.LeaderEpoch
	node  kafka.NodeID
}

// comeback is the registration of a broker after an unclean end.
type comeback struct {
	node  kafka.NodeID
	epoch kafka.BrokerEpoch
}

// Clone returns a copy that shares nothing which changes.
func (c *Checker) Clone() *Checker {
	d := *c
	d.index = maps.Clone(c.index)
	d.parts = slices.Clone(c.parts)
	for i := range d.parts {
		p := &d.parts[i]
		p.leaders = p.leaders[:len(p.leaders):len(p.leaders)]
		p.members = slices.Clone(p.members)
		p.grown = slices.Clone(p.grown)
		p.cleaned = slices.Clone(p.cleaned)
	}
	d.dirty = slices.Clone(c.dirty)
	d.quorum = c.quorum.clone()
	d.returned = slices.Clone(c.returned)
	d.stopped, d.ended, d.restarted = slices.Clone(c.stopped), slices.Clone(c.ended), slices.Clone(c.restarted)
	d.now, d.pair = nil, [2]Replica{}
	return &d
}

func (c *Checker) part(topic string, index int32) (*partition, int) {
	tp := kafka.TopicPartition{Topic: topic, Partition: index}
	i, ok := c.index[tp]
	if !ok {
		if c.index == nil {
			c.index = map[kafka.TopicPartition]int{}
		}
		i = len(c.parts)
		c.index[tp] = i
		c.parts = append(c.parts, newPartition(tp))
	}
	return &c.parts[i], i
}

func newPartition(tp kafka.TopicPartition) partition {
	return partition{tp: tp, node: kafka.NoNode, epoch: kafka.NoEpoch, lastEpoch: kafka.NoEpoch, last: kafka.NoNode, elected: kafka.NoNode}
}

func (p *partition) member(n kafka.NodeID) *member {
	i := 0
	for ; i < len(p.members); i++ { // they are few
		if p.members[i].node == n {
			return &p.members[i]
		}
		if p.members[i].node > n {
			break
		}
	}
	p.members = slices.Insert(p.members, i, member{node: n, epoch: kafka.NoEpoch})
	return &p.members[i]
}

// Noted takes a note as it is made. What needs the state after the event is
// looked at by Happened.
func (c *Checker) Noted(n *trace.Note) {
	switch n.Kind {
	case trace.Crash, trace.PowerLoss, trace.DiskFormatted, trace.Boot, trace.Shutdown:
		c.processNoted(n)
	case trace.TopicCreated:
		c.created(n.Topic)
	case trace.BrokerRegistered:
		if i := slices.Index(c.restarted, n.Node); i >= 0 {
			c.restarted = slices.Delete(c.restarted, i, i+1)
			c.returned = append(c.returned, comeback{n.Node, kafka.BrokerEpoch(n.Offset)})
		}
	case trace.SnapshotFetched:
		c.leaderLoads(n)
	case trace.Command:
		c.ordered = c.ordered || asksUnclean(n.Say)
	case trace.BecameLeader, trace.BecameFollower, trace.HighWatermark, trace.Replicated, trace.Truncated, trace.LeaderElected, trace.ISRChanged,
		trace.LogStartMoved, trace.SegmentDeleted, trace.CleanerDone, trace.Delivered, trace.AlterPartitionSent:
		if n.Topic != "" && n.Topic != kafka.TopicMetadata {
			c.partitionNoted(n)
		}
	}
}

// processNoted takes a note about a process or its machine.
func (c *Checker) processNoted(n *trace.Note) {
	if n.Who != "" {
		return // a client
	}
	c.quorumNoted(n)
	switch n.Kind {
	case trace.PowerLoss, trace.Crash:
		if n.Kind == trace.PowerLoss && n.N > 0 {
			c.powerLost(n.Node)
		}
		if !slices.Contains(c.ended, n.Node) && !slices.Contains(c.stopped, n.Node) {
			c.ended = append(c.ended, n.Node)
		}
		c.restarted = slices.DeleteFunc(c.restarted, func(r kafka.NodeID) bool { return r == n.Node })
	case trace.DiskFormatted: // nothing is left of a clean end
		c.powerLost(n.Node)
		c.stopped = slices.DeleteFunc(c.stopped, func(r kafka.NodeID) bool { return r == n.Node })
		if !slices.Contains(c.ended, n.Node) {
			c.ended = append(c.ended, n.Node)
		}
	case trace.Shutdown:
		c.stopped = append(c.stopped, n.Node)
	case trace.Boot:
		c.booted(n.Node)
		c.stopped = slices.DeleteFunc(c.stopped, func(r kafka.NodeID) bool { return r == n.Node })
		if i := slices.Index(c.ended, n.Node); i >= 0 {
			c.ended = slices.Delete(c.ended, i, i+1)
			c.restarted = append(c.restarted, n.Node)
		}
	}
}

// partitionNoted takes a note about a partition.
func (c *Checker) partitionNoted(n *trace.Note) {
	if n.Kind == trace.HighWatermark && n.N == 0 && n.Offset > n.From {
		return // a follower follows: no law can break by that
	}
	p, i := c.part(n.Topic, n.Part)
	switch n.Kind {
	case trace.Delivered:
		c.read(p, n)
		return
	case trace.LeaderElected:
		if n.Epoch < p.electedIn {
			return // by a controller that does not know that it is deposed
		}
		p.electedIn = n.Epoch
		if n.Node != kafka.NoNode && n.Say == "unclean" {
			p.unclean, p.judged = true, n.Epoch
			if n.Node != p.last && n.Node != p.elected {
				p.chosen = n.Node
			}
		}
		if p.elected = n.Node; n.Node == kafka.NoNode {
			p.elected = n.Peer
		}
		if p.chosen == 0 {
			return
		}
	case trace.Replicated:
		p.grown = append(p.grown, growth{n.Node, n.Offset})
	case trace.Truncated:
		m := p.member(n.Node)
		m.verified = min(m.verified, n.Offset)
		m.patchy = m.patchy || n.Offset < p.compacted
	case trace.CleanerDone:
		p.cleaned = append(p.cleaned, n.Node)
	case trace.AlterPartitionSent:
		p.proposer = n.Node
	}
	p.moved = p.moved || n.Kind != trace.Replicated
	c.look(p, i)
}

// look has a partition looked at after this event.
func (c *Checker) look(p *partition, i int) {
	if !p.dirty {
		p.dirty = true
		c.dirty = append(c.dirty, i)
	}
}

// powerLost excuses the replicas of a machine.
func (c *Checker) powerLost(b kafka.NodeID) {
	for i := range c.parts {
		p := &c.parts[i]
		*p.member(b) = member{node: b, excused: true, patchy: p.member(b).patchy, epoch: kafka.NoEpoch}
		p.moved = true
		c.look(p, i)
	}
}

// excuse says until when those that have just lost power are excused: their
// leader may count on all that they had.
func (c *Checker) excuse(p *partition) {
	for i := range p.members {
		if m := &p.members[i]; m.excused && m.until == 0 {
			for j := range c.now {
				m.until = max(m.until, c.now[j].Log.LEO())
			}
		}
	}
}

// booted forgets what a leader's earlier life of the process knew: its high
// watermark restarts from the checkpoint.
func (c *Checker) booted(b kafka.NodeID) {
	for i := range c.parts {
		if c.parts[i].node == b {
			c.parts[i].node = kafka.NoNode
		}
		c.parts[i].member(b).epoch = kafka.NoEpoch
	}
}

// created forgets the elections of an older topic of the same name: those of the
// new one may be noted before it is committed.
func (c *Checker) created(topic string) {
	for i := range c.parts {
		if p := &c.parts[i]; p.tp.Topic == topic {
			p.elected, p.electedIn, p.chosen, p.unclean = kafka.NoNode, 0, 0, false
		}
	}
}

// reborn forgets an older topic of the same name. Who is late may still get
// records of it.
func (p *partition) reborn(id kafka.TopicID) {
	q := newPartition(p.tp)
	q.id, q.readable, q.dirty, q.moved = id, p.readable, p.dirty, true
	q.elected, q.electedIn, q.chosen, q.unclean, q.judged = p.elected, p.electedIn, p.chosen, p.unclean, p.judged // since TopicCreated
	*p = q
}

func (c *Checker) broken(law, text string) {
	if c.found == nil && !c.void {
		c.found = &Violation{Law: law, Text: text}
	}
}

// Pending reports whether Happened has anything to look at.
func (c *Checker) Pending() bool {
	return len(c.dirty) > 0 || c.found != nil || c.control || len(c.quorum.dirty) > 0
}

// Control says that a controller has acted: the committed metadata may be
// others.
func (c *Checker) Control() { c.control = true }

// Happened checks what the notes since the last call were about. It returns
// the first violation that was ever found.
func (c *Checker) Happened(cl Cluster) *Violation {
	if c.found == nil {
		c.checkQuorum(cl)
	}
	if c.control && c.found == nil {
		c.registrations(cl)
	}
	c.control = false
	for _, i := range c.dirty {
		p := &c.parts[i]
		p.dirty = false
		if c.found == nil {
			c.check(cl, p)
		}
		p.grown, p.cleaned, p.moved, p.chosen, p.proposer = p.grown[:0], p.cleaned[:0], false, 0, 0
	}
	c.dirty = c.dirty[:0]
	if c.found != nil && c.found.At == 0 {
		c.found.At = cl.Now()
	}
	return c.found
}

// seen is a replica as it is at the moment of a check.
type seen struct {
	Replica
	node kafka.NodeID
}

// check looks at a partition: at what followers appended, and, if something
// else moved, at all its replicas.
func (c *Checker) check(cl Cluster, p *partition) {
	topic := cl.Image().Topic(p.tp.Topic)
	if topic == nil || topic.At(p.tp.Partition) == nil {
		return // deleted
	}
	if topic.ID != p.id {
		p.reborn(topic.ID)
	}
	reg := topic.At(p.tp.Partition)
	c.logMatching(cl, p, reg.Leader)
	if !p.moved {
		return
	}
	c.now = c.now[:0]
	for _, n := range reg.Replicas {
		c.see(cl, p, n)
	}
	c.addOldLeaders(cl, p, reg.Replicas)
	c.excuse(p)
	for i := range c.now {
		if c.now[i].Up {
			c.epoch(p, &c.now[i])
		}
	}
	for i := range c.now {
		if r := &c.now[i]; r.Up && r.Leads {
			p.readable = max(p.readable, r.HW)
			c.oneLeader(p, r.Epoch, r.node)
			c.complete(cl, p, r)
			c.frozen(p, r)
			c.monotone(p, r)
			c.prefix(cl, p, r)
			c.highWatermark(p, r, reg)
			c.superset(p, r, reg)
			c.joining(p, r)
		}
	}
	c.candidates(p, reg)
	if p.chosen != 0 {
		c.uncleanChoice(cl, p)
	}
	c.retention(p)
	for _, n := range p.cleaned {
		c.cleaner(p, n)
	}
}

// addOldLeaders adds leaders that a reassignment has taken the partition from
// and that have not heard of it: what they commit counts.
func (c *Checker) addOldLeaders(cl Cluster, p *partition, assigned []kafka.NodeID) {
	for i := len(p.leaders) - 1; i >= 0 && i >= len(p.leaders)-3; i-- {
		n := p.leaders[i].node
		if slices.Contains(assigned, n) || c.at(n) != nil {
			continue
		}
		if r := c.see(cl, p, n); r != nil && !(r.Up && r.Leads) {
			c.now = c.now[:len(c.now)-1]
		}
	}
}

// see adds a broker's replica of the partition to those being checked; nil if it
// has none.
func (c *Checker) see(cl Cluster, p *partition, n kafka.NodeID) *seen {
	c.now = append(c.now, seen{node: n})
	r := &c.now[len(c.now)-1]
	if !cl.ReplicaOf(n, p.tp, p.id, &r.Replica) {
		c.now = c.now[:len(c.now)-1]
		return nil
	}
	return r
}

// at returns a replica of the partition that is being checked; nil if the
// broker has none.
func (c *Checker) at(n kafka.NodeID) *seen {
	for i := range c.now {
		if c.now[i].node == n {
			return &c.now[i]
		}
	}
	return nil
}
