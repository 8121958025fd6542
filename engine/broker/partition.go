package broker

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/highwater-sim/highwater/engine/trace"
)

// longAgo is a last-caught-up time before every lag limit; Kafka's 0.
const longAgo kafka.Instant = -1 << 61

// partition is this broker's replica (core/.../cluster/Partition.scala).
type partition struct {
	gen  uint64 // see Broker.mut
	num  int32  // its index in Broker.parts
	slot int    // of its log in the directory
	tp   kafka.TopicPartition
	id   kafka.TopicID
	reg  *metadata.Partition // registration last applied
	told bool                // the controller is being told the log directory
	set  *topicSettings      // immutable

	leader         kafka.NodeID
	leaderEpoch    kafka.LeaderEpoch
	partitionEpoch kafka.PartitionEpoch
	hw             kafka.Offset // Invariant: log start <= hw <= log end offset

	// As leader. The maximal ISR is the committed one, with the member that a
	// pending expansion adds: a pending shrink does not count yet (KIP-497).
	epochStart kafka.Offset
	isr        []kafka.NodeID // committed; never changed in place
	maximal    []kafka.NodeID // never changed in place
	pending    pendingISR
	remotes    []remote // in the order of assignment

	move      moving      // to another log directory
	fetch     followState // as follower
	watchers  []watcher   // fetch sessions that name it
	waits     []wait      // acks=all batches below the high watermark, by required offset
	producers producers
}

// remote is what a leader knows of a follower (server/.../replica/Replica.java).
type remote struct {
	node      kafka.NodeID
	leo       kafka.Offset // NoOffset: has not fetched since this leadership began
	logStart  kafka.Offset
	caughtUp  kafka.Instant     // when it last had all that the leader had
	lastFetch kafka.Instant     // of its previous fetch
	fetchLEO  kafka.Offset      // leader's log end offset at that fetch
	epoch     kafka.BrokerEpoch // in its fetches; -1: none yet
	session   int32             // its fetch session, which stands for it while nothing changes; -1: none
}

// watcher is a session's interest in a partition.
type watcher struct {
	session int32
	pos     int32 // of the partition within the session
}

// wait is a batch that a produce request waits for.
type wait struct {
	required kafka.Offset // the high watermark that it needs
	produce  int32        // slot
	item     int32        // partition within that request
}

// copyFor returns a copy to change in b's generation.
func (p *partition) copyFor(b *Broker) *partition {
	c := *p
	c.gen = b.gen
	c.remotes = slices.Clone(p.remotes)
	c.watchers = slices.Clone(p.watchers)
	c.waits = slices.Clone(p.waits)
	c.producers = p.producers.clone()
	return &c
}

func (b *Broker) log(p *partition) *storage.Log    { return b.dir.At(p.slot) }
func (b *Broker) mutLog(p *partition) *storage.Log { return b.dir.MutableAt(p.slot) }

// leads reports whether this broker takes itself for the leader.
func (b *Broker) leads(p *partition) bool { return p.leader == b.cfg.ID }

// remote returns a follower's state, or nil.
func (p *partition) remote(n kafka.NodeID) *remote {
	for i := range p.remotes {
		if p.remotes[i].node == n {
			return &p.remotes[i]
		}
	}
	return nil
}

// lastCaughtUp is when a follower last had all that its leader had. While it
// has nothing to fetch, its session's latest fetch counts as a fetch of this
// partition, which the session did not name.
func (b *Broker) lastCaughtUp(p *partition, r *remote) kafka.Instant {
	if r.session >= 0 && r.leo == b.log(p).LEO() {
		return max(r.caughtUp, b.sessions[r.session].lastFetch)
	}
	return r.caughtUp
}

// isCaughtUp is the lag rule (ReplicaState.isCaughtUp).
func (b *Broker) isCaughtUp(r *remote, leo kafka.Offset, now kafka.Instant) bool {
	return r.leo == leo || now.Sub(r.caughtUp) <= b.set.lagTimeMax
}

// settleRemotes writes down what followers' idle fetches proved, before the
// log end offset moves on from leo.
func (b *Broker) settleRemotes(p *partition, leo kafka.Offset) {
	for i := range p.remotes {
		r := &p.remotes[i]
		if r.leo != leo || r.session < 0 {
			continue
		}
		at := b.sessions[r.session].lastFetch
		if at > r.lastFetch {
			r.caughtUp, r.lastFetch, r.fetchLEO = max(r.caughtUp, at), at, leo
		}
	}
}

// underMinISR reports whether the committed ISR is below the effective
// min.insync.replicas. The high watermark stands still then (KIP-966).
func (p *partition) underMinISR() bool { return len(p.isr) < p.set.minISR }

// maybeAdvanceHW is Partition.maybeIncrementLeaderHW: the smallest log end
// offset among this broker, the maximal ISR, and those caught up and fit to
// join it.
func (b *Broker) maybeAdvanceHW(now kafka.Instant, p *partition, out *sim.Out) {
	if p.underMinISR() {
		return
	}
	leo := b.log(p).LEO()
	hw := leo
	for i := range p.remotes {
		r := &p.remotes[i]
		if r.leo >= hw {
			continue
		}
		if slices.Contains(p.maximal, r.node) || b.isCaughtUp(r, leo, now) && b.eligible(r) {
			hw = r.leo
		}
	}
	if hw > p.hw {
		b.setHW(p, hw, out)
	}
}

// setHW moves the high watermark, a leader's only up, and wakes who waits for it.
func (b *Broker) setHW(p *partition, hw kafka.Offset, out *sim.Out) {
	n := trace.Note{Kind: trace.HighWatermark, Topic: p.tp.Topic, Part: p.tp.Partition, Node: b.cfg.ID, Offset: hw, From: p.hw}
	if p.hw = hw; p.leader == b.cfg.ID {
		n.N = 1
	}
	out.Note(n)
	if len(p.waits) > 0 {
		b.completeWaits(p, out)
	}
	for _, w := range p.watchers {
		s := b.mutSession(w.session)
		s.mark(w.pos)
		if s.replica < 0 {
			b.wakeSession(s)
		}
	}
}

// grown does what follows from a longer log: followers' fetches may go on, the
// high watermark may move. The caller has noted the append.
func (b *Broker) grown(now kafka.Instant, p *partition, out *sim.Out) {
	for _, w := range p.watchers {
		s := b.mutSession(w.session)
		if s.replica >= 0 {
			s.mark(w.pos)
			b.wakeSession(s)
		}
	}
	b.maybeAdvanceHW(now, p, out)
}

// stirred marks a partition for every session: leadership, epoch or existence
// changed, so parked fetches may have to end.
func (b *Broker) stirred(p *partition) {
	for _, w := range p.watchers {
		s := b.mutSession(w.session)
		s.mark(w.pos)
		b.wakeSession(s)
	}
}

// wakeSession has a parked session looked at before the step ends.
func (b *Broker) wakeSession(s *session) {
	if s.parked && !s.waking {
		s.waking = true
		b.wake = append(b.wake, s.slot)
	}
}

// flushWakes looks at the parked fetches that something was done for. All
// partitions that one request wrote to thus go into one response.
func (b *Broker) flushWakes(now kafka.Instant, out *sim.Out) {
	for i := 0; i < len(b.wake); i++ {
		slot := b.wake[i]
		if b.sessions[slot] == nil {
			continue
		}
		s := b.mutSession(slot)
		s.waking = false
		if s.parked {
			b.tryFetch(now, s, false, out)
		}
	}
	b.wake = b.wake[:0]
}
