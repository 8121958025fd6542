package raft

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
)

// enter changes the state. What belonged to the old one ends: requests in
// flight, the ballot, a leadership with everything parked or pending.
func (r *Replica) enter(now kafka.Instant, s State, timeout kafka.Duration, out *sim.Out, m Machine) {
	if r.state == Leader && s != Leader {
		r.abandon(out)
	}
	r.state = s
	r.ballot = nil
	r.successors, r.acked = nil, nil
	r.fetch.fetched = false
	r.fetch.snapshot = snapshotFetch{}
	r.forgetRequests()
	r.setDeadline(now, timeout, out)
}

// persist writes quorum-state.
func (r *Replica) persist(m Machine) {
	*m.Quorum = QuorumState{LeaderEpoch: r.epoch, LeaderID: r.leader, VotedID: r.voted.id, VotedDirectory: r.voted.directory, Dynamic: r.dynamic()}
}

// never stands for a state that no time-out ends.
const never kafka.Duration = -1

// setDeadline says when the state ends by itself. The timer is only moved when
// it would be late: a fetch timer that is reset with every fetch costs nothing.
func (r *Replica) setDeadline(now kafka.Instant, d kafka.Duration, out *sim.Out) {
	if r.deadline = kafka.Never; d != never {
		r.deadline = now.Add(d)
	}
	if r.deadline < r.armed {
		r.armed = r.deadline
		out.SetTimer(sim.Timer{Owner: sim.OwnerRaft, Kind: timerDeadline}, r.armed)
	}
}

// electionTimeout draws one (QuorumState.randomElectionTimeoutMs).
func (r *Replica) electionTimeout() kafka.Duration {
	ms := r.cfg.ElectionTimeout.Millis()
	if ms <= 0 {
		return 0
	}
	return kafka.Duration(ms+r.rng.IntN(ms)) * kafka.Millisecond
}

// timedOut is called when the deadline timer fires, which may be early.
func (r *Replica) timedOut(now kafka.Instant, out *sim.Out, m Machine) {
	r.armed = kafka.Never
	switch {
	case r.deadline == kafka.Never:
		return
	case now < r.deadline:
		r.setDeadline(now, r.deadline.Sub(now), out)
		return
	case r.stopBy != kafka.Never: // a process that ends stands for no election, but sees one through (pollResigned, pollCandidate)
		return
	}
	switch r.state {
	case Unattached, Follower, Candidate:
		r.toProspective(now, out, m)
	case Prospective:
		r.lostPreVote(now, out, m)
	case Leader: // no majority has fetched for 1.5 fetch time-outs
		r.toResigned(now, out, m)
	case Resigned:
		r.toUnattached(now, r.epoch+1, nobody, out, m)
	}
}

// toUnattached enters an epoch without knowing its leader, with a vote already
// given in it or not.
func (r *Replica) toUnattached(now kafka.Instant, epoch kafka.LeaderEpoch, voted replicaKey, out *sim.Out, m Machine) {
	r.enter(now, Unattached, r.unattachedTimeout(now), out, m)
	r.epoch, r.leader, r.voted = epoch, kafka.NoNode, voted
	r.persist(m)
}

// unattachedTimeout is how long a replica that becomes Unattached waits before it
// stands for election: who has waited for that already, or stood, goes on with what
// was left of its time, so that a candidate of a newer epoch which cannot win does
// not hold the others up; a leader, a follower and a Prospective that was refused
// draw anew (QuorumState.transitionToUnattached).
func (r *Replica) unattachedTimeout(now kafka.Instant) kafka.Duration {
	if !r.isVoter() {
		return never
	}
	left := r.state == Unattached || r.state == Candidate || r.state == Resigned || r.state == Prospective && !r.lost()
	if left && r.deadline != kafka.Never {
		return max(0, r.deadline.Sub(now))
	}
	return r.electionTimeout()
}

// toFollower follows a leader: a voter until it misses it for too long, an
// observer for ever.
func (r *Replica) toFollower(now kafka.Instant, leader kafka.NodeID, epoch kafka.LeaderEpoch, out *sim.Out, m Machine) {
	s, timeout := Observer, never
	if r.isVoter() {
		s, timeout = Follower, r.cfg.FetchTimeout
	}
	r.enter(now, s, timeout, out, m)
	if epoch > r.epoch {
		r.voted = nobody
	}
	r.epoch, r.leader = epoch, leader
	r.fetch.last, r.fetch.joinAt = now, now.Add(r.cfg.FetchTimeout)
	r.persist(m)
}

// toProspective asks whether an election could be won, without a new epoch, so
// that a replica which only lost its way does not disturb the others (KIP-996).
// The only voter has every vote there is.
func (r *Replica) toProspective(now kafka.Instant, out *sim.Out, m Machine) {
	r.enter(now, Prospective, r.electionTimeout(), out, m)
	r.openBallot()
	if r.won() {
		r.toCandidate(now, out, m)
		return
	}
	out.Note(trace.Note{Kind: trace.QuorumElection, Node: r.cfg.ID, Epoch: r.epoch, Say: "pre-vote"})
}

// lostPreVote goes back to the leader that it knew, or waits for one.
func (r *Replica) lostPreVote(now kafka.Instant, out *sim.Out, m Machine) {
	if r.leader != kafka.NoNode {
		r.toFollower(now, r.leader, r.epoch, out, m)
		return
	}
	r.toUnattached(now, r.epoch, r.voted, out, m)
}

// toCandidate begins a new epoch with its own, durable, vote.
func (r *Replica) toCandidate(now kafka.Instant, out *sim.Out, m Machine) {
	r.enter(now, Candidate, r.electionTimeout(), out, m)
	r.epoch++
	r.leader, r.voted = kafka.NoNode, r.key()
	r.persist(m)
	r.openBallot()
	if r.won() {
		r.toLeader(now, out, m)
		return
	}
	out.Note(trace.Note{Kind: trace.QuorumElection, Node: r.cfg.ID, Epoch: r.epoch, Say: "vote"})
}

// toResigned gives the leadership up: it tells the voters so, in the order in
// which they should stand for election, until they have heard, and then, after
// an election time-out, waits like everybody else.
func (r *Replica) toResigned(now kafka.Instant, out *sim.Out, m Machine) {
	successors := r.byProgress()
	r.enter(now, Resigned, r.electionTimeout(), out, m)
	r.successors = successors
	out.Note(trace.Note{Kind: trace.QuorumResigned, Node: r.cfg.ID, Epoch: r.epoch})
}

// maybeTransition adopts a leader or an epoch that is news, and reports whether
// it was (KafkaRaftClient.maybeTransition).
func (r *Replica) maybeTransition(now kafka.Instant, leader kafka.NodeID, epoch kafka.LeaderEpoch, out *sim.Out, m Machine) bool {
	switch {
	case epoch < r.epoch || leader == r.cfg.ID:
		return false
	case leader == kafka.NoNode && epoch > r.epoch:
		r.toUnattached(now, epoch, nobody, out, m)
	case leader != kafka.NoNode && (epoch > r.epoch || r.leader == kafka.NoNode):
		r.toFollower(now, leader, epoch, out, m)
	default:
		return false
	}
	return true
}
