package law

import (
	"fmt"
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/raft"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/highwater-sim/highwater/engine/trace"
)

// Mark is what the laws of the quorum want to hear of when it moves.
type Mark struct {
	Up    bool
	Leads bool
	Ready bool              // leads, and a majority has a record of its epoch
	Epoch kafka.LeaderEpoch // by the quorum-state file
	HW    kafka.Offset      // of the metadata log; NoOffset: not known
	Start kafka.Offset      // of the metadata log
}

// Member is a voter or an observer of the metadata quorum.
type Member struct {
	Mark
	Log       *storage.Log    // the metadata log; nil before the first boot
	Snapshots []raft.Snapshot // oldest first
	Voters    []kafka.NodeID  // as it knows them
}

// quorum is what the laws remember of the quorum.
type quorum struct {
	members []voter // sorted by node
	dirty   []kafka.NodeID
	leaders []leadership // by epoch, ascending
	// The highest high watermark that a leader established, and in which epoch.
	hw      kafka.Offset
	hwEpoch kafka.LeaderEpoch
	history []place // the committed batches by offset; grows only
	forgot  bool    // a static voter has forgotten its log and its votes
}

// voter is a member as the laws saw it last.
type voter struct {
	node kafka.NodeID
	Mark
	checked kafka.Offset // below here its log was compared
	loose   bool         // a killed process left pages that nobody has flushed since
	excused bool         // then the machine lost power
	voters  []kafka.NodeID
}

// place is a committed batch.
type place struct {
	base, end kafka.Offset
	epoch     kafka.LeaderEpoch
	crc       uint32
}

func (q quorum) clone() quorum {
	q.members = slices.Clone(q.members)
	q.dirty = slices.Clone(q.dirty)
	q.leaders = slices.Clip(q.leaders)
	q.history = slices.Clip(q.history)
	return q
}

func (q *quorum) member(n kafka.NodeID) *voter {
	i := 0
	for ; i < len(q.members); i++ { // they are few
		if q.members[i].node == n {
			return &q.members[i]
		}
		if q.members[i].node > n {
			break
		}
	}
	q.members = slices.Insert(q.members, i, voter{node: n, Mark: Mark{Epoch: kafka.NoEpoch, HW: kafka.NoOffset}})
	return &q.members[i]
}

// Acted takes how a broker or controller stands with the quorum after one of its
// events. It costs a comparison as long as nothing has moved.
func (c *Checker) Acted(n kafka.NodeID, m Mark) {
	v := c.quorum.member(n)
	if v.Mark == m || slices.Contains(c.quorum.dirty, n) {
		return
	}
	c.quorum.dirty = append(c.quorum.dirty, n)
}

// quorumNoted takes a note about a process.
func (c *Checker) quorumNoted(n *trace.Note) {
	v := c.quorum.member(n.Node)
	switch n.Kind {
	case trace.Crash:
		v.loose = true
	case trace.PowerLoss:
		v.excused = v.excused || v.loose
		v.loose, v.checked = false, 0
	case trace.DiskFormatted:
		*v = voter{node: n.Node, Mark: Mark{Epoch: kafka.NoEpoch, HW: kafka.NoOffset}, excused: v.excused}
		c.quorum.forgot = c.quorum.forgot || n.Say == trace.SameVoter
	case trace.Boot:
		v.HW, v.checked = kafka.NoOffset, 0
	}
}

// checkQuorum looks at the members that moved.
func (c *Checker) checkQuorum(cl Cluster) {
	for _, n := range c.quorum.dirty {
		m, ok := cl.Member(n)
		v := c.quorum.member(n)
		if !ok {
			continue
		}
		c.quorumEpoch(v, &m)
		if m.Leads && !v.Leads {
			c.quorumLeader(n, &m)
		}
		if m.Ready && (m.HW != v.HW || !v.Ready) {
			c.quorumHighWatermark(cl, n, &m)
		}
		c.metadataLog(v, &m)
		c.snapshotAtLogStart(v, &m)
		if m.Log != nil && v.loose && m.Up && m.Log.DurableOffset() >= m.Log.LEO() {
			v.loose = false
		}
		v.Mark, v.voters = m.Mark, m.Voters
	}
	c.quorum.dirty = c.quorum.dirty[:0]
}

// voided reports whether what was found wrong may come of a static voter whose disk
// was formatted: it votes as before, for logs without what it had acknowledged and in
// epochs in which it has voted. Then nothing holds any more.
func (c *Checker) voided() bool {
	c.void = c.void || c.quorum.forgot
	return c.void
}

// powerTook reports whether a loss of power may have taken metadata that counted
// as committed: Kafka's restarted process acknowledges what a killed one left in
// the page cache.
func (q *quorum) powerTook() bool {
	return slices.ContainsFunc(q.members, func(v voter) bool { return v.excused })
}

// reached counts the voters whose logs have a high watermark.
func (q *quorum) reached(cl Cluster, hw kafka.Offset, voters []kafka.NodeID) (n int) {
	for _, id := range voters {
		if o, ok := cl.Member(id); ok && (q.excused(id) || o.Log != nil && o.Log.LEO() >= hw) {
			n++
		}
	}
	return n
}

func (q *quorum) excused(n kafka.NodeID) bool {
	return slices.ContainsFunc(q.members, func(v voter) bool { return v.node == n && v.excused })
}

// rewritten forgets the history after such a loss.
func (q *quorum) rewritten(hw kafka.Offset, epoch kafka.LeaderEpoch) {
	q.hw, q.hwEpoch, q.history = hw, epoch, nil
	for i := range q.members {
		q.members[i].excused, q.members[i].checked = false, hw
	}
}

// quorumEpoch: the epoch of quorum-state never goes back (MonotonicEpoch).
func (c *Checker) quorumEpoch(v *voter, m *Member) {
	if m.Epoch < v.Epoch {
		c.broken("quorum epoch", fmt.Sprintf("node %d went back from epoch %d to %d", v.node, v.Epoch, m.Epoch))
	}
}

// quorumLeader: an epoch of the quorum has one leader (SingleLeader), and its log
// has everything that was ever committed (LeaderCompleteness, AckedValueNotLost).
func (c *Checker) quorumLeader(n kafka.NodeID, m *Member) {
	q := &c.quorum
	i, ok := slices.BinarySearchFunc(q.leaders, m.Epoch, func(l leadership, e kafka.LeaderEpoch) int { return int(l.epoch) - int(e) })
	switch {
	case !ok:
		q.leaders = slices.Insert(slices.Clip(q.leaders), i, leadership{m.Epoch, n})
	case q.leaders[i].node != n && !c.voided():
		c.broken("quorum leader", fmt.Sprintf("epoch %d has two leaders: %d and %d", m.Epoch, q.leaders[i].node, n))
	}
	if m.Log != nil && m.Log.LEO() < q.hw && m.Epoch > q.hwEpoch {
		switch {
		case c.voided():
			return
		case !q.powerTook():
			c.broken("quorum leader", fmt.Sprintf("leader %d of epoch %d has a log that ends at %d; %d was committed in epoch %d",
				n, m.Epoch, m.Log.LEO(), q.hw, q.hwEpoch))
			return
		}
		q.rewritten(m.Log.LEO(), m.Epoch)
	}
}

// quorumHighWatermark: what a leader calls committed does not shrink
// (MonotonicHighWatermark) and is on the logs of a majority of the voters
// (MajorityReachedHighWatermark).
func (c *Checker) quorumHighWatermark(cl Cluster, n kafka.NodeID, m *Member) {
	q := &c.quorum
	if m.HW < q.hw && m.Epoch >= q.hwEpoch && !q.powerTook() && !c.voided() {
		c.broken("quorum high watermark", fmt.Sprintf("leader %d of epoch %d is at %d, after %d in epoch %d", n, m.Epoch, m.HW, q.hw, q.hwEpoch))
	}
	// Voters are others from the append of their record on, and one event may
	// commit by the old ones and append (KIP-853).
	if have := q.reached(cl, m.HW, m.Voters); have <= len(m.Voters)/2 {
		if old := q.member(n).voters; len(old) == 0 || q.reached(cl, m.HW, old) <= len(old)/2 {
			c.broken("quorum majority", fmt.Sprintf("high watermark %d of leader %d in epoch %d is on the logs of %d of %d voters", m.HW, n, m.Epoch, have, len(m.Voters)))
		}
	}
	if m.HW > q.hw {
		q.hw, q.hwEpoch = m.HW, m.Epoch
	}
}

// metadataLog: below their high watermarks all metadata logs are the same
// (MetadataLogMatching, NoLogDivergence, ConsistentCommittedData).
func (c *Checker) metadataLog(v *voter, m *Member) {
	if m.Log == nil || m.HW <= v.checked {
		return
	}
	q := &c.quorum
	for b := range m.Log.Batches(max(v.checked, m.Log.LogStart())) {
		is := place{b.Raw.BaseOffset(), b.Raw.NextOffset(), b.Raw.LeaderEpoch(), b.Raw.CRC()}
		if is.base >= m.HW {
			break
		}
		i, ok := slices.BinarySearchFunc(q.history, is.base, func(p place, off kafka.Offset) int { return int(p.base - off) })
		switch {
		case ok && q.history[i] == is:
		case !ok && (i == len(q.history) || i == 0):
			q.history = slices.Insert(q.history, i, is)
		case c.voided():
			return
		case q.powerTook():
			q.rewritten(m.HW, m.Epoch)
			return
		default:
			c.broken("metadata log", fmt.Sprintf("node %d has a batch at offset %d of epoch %d below its high watermark %d; another member had another",
				v.node, is.base, is.epoch, m.HW))
			return
		}
	}
	v.checked = m.HW
}

// snapshotAtLogStart: a log that does not begin at 0 begins where a snapshot ends
// (SnapshotAtLogStart, KIP-630).
func (c *Checker) snapshotAtLogStart(v *voter, m *Member) {
	if m.Start == v.Start || m.Start == 0 || !m.Up {
		return
	}
	if !slices.ContainsFunc(m.Snapshots, func(s raft.Snapshot) bool { return s.ID.End == m.Start }) {
		c.broken("quorum snapshot", fmt.Sprintf("the metadata log of node %d begins at %d, where no snapshot of it ends", v.node, m.Start))
	}
}

// leaderLoads: a leader never takes a snapshot from somebody else
// (LeaderNeverLoadSnapshot). The mark is the one of before its event.
func (c *Checker) leaderLoads(n *trace.Note) {
	if v := c.quorum.member(n.Node); v.Leads && v.Up {
		c.broken("quorum snapshot", fmt.Sprintf("leader %d took the snapshot up to %d from node %d", n.Node, n.Offset, n.Peer))
	}
}
