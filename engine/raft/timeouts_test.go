package raft

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
)

// A replica that has waited to stand for election, or stood, goes on with what was
// left of its time when a newer epoch comes; others draw anew, and so does whoever
// gives its vote (QuorumState.transitionToUnattached, unattachedAddVotedState,
// prospectiveAddVotedState).
func TestElectionTimeoutIsKept(t *testing.T) {
	const now = kafka.Instant(50 * kafka.Second)
	left := 123 * kafka.Millisecond // an election time-out is 1 s at least
	refused := []vote{{101, granted}, {102, rejected}, {103, rejected}}
	for _, c := range []struct {
		what   string
		state  State
		ballot []vote
		kept   bool
	}{
		{"Unattached", Unattached, nil, true},
		{"Candidate", Candidate, refused, true},
		{"Resigned", Resigned, nil, true},
		{"Prospective without answers", Prospective, []vote{{id: 101, state: granted}, {id: 102}, {id: 103}}, true},
		{"Prospective that lost", Prospective, refused, false},
		{"Follower", Follower, nil, false},
		{"Leader", Leader, nil, false},
	} {
		r := newTimed(t)
		r.state, r.ballot, r.deadline = c.state, c.ballot, now.Add(left)
		q := NewQuorumState()
		r.toUnattached(now, 9, nobody, sim.NewOut(now, 101), Machine{Quorum: &q})
		if kept := r.deadline == now.Add(left); kept != c.kept {
			t.Errorf("%s: %v left after the newer epoch, %v before", c.what, r.deadline.Sub(now), left)
		}
		if d := r.deadline.Sub(now); !c.kept && (d < r.cfg.ElectionTimeout || d >= 2*r.cfg.ElectionTimeout) {
			t.Errorf("%s: %v is no election time-out", c.what, d)
		}
	}
	for _, s := range []State{Unattached, Prospective} {
		r := newTimed(t)
		r.state, r.deadline, r.leader = s, now.Add(left), kafka.NoNode
		q := NewQuorumState()
		r.give(now, replicaKey{id: 102}, sim.NewOut(now, 101), Machine{Quorum: &q})
		if r.deadline.Sub(now) < r.cfg.ElectionTimeout || q.VotedID != 102 {
			t.Errorf("%v: %v left after the vote for %d", s, r.deadline.Sub(now), q.VotedID)
		}
	}
}

func newTimed(t *testing.T) *Replica {
	r, err := New(NewConfig(101, []kafka.NodeID{101, 102, 103}, 1, nil))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Retention judges a snapshot by its last record, whenever the file was written or
// fetched (Snapshots.lastContainedLogTimestamp); that of a formatted disk by its file.
func TestSnapshotAge(t *testing.T) {
	r := newTimed(t)
	id := SnapshotID{End: 5, Epoch: 1}
	last := kafka.Instant(3 * kafka.Second)
	s := Snapshot{ID: id, At: kafka.Instant(kafka.Minute), Data: r.checkpoint(id, last.UnixMilli(), last.UnixMilli()+9000, nil)}
	if got := s.lastTime(); got != last {
		t.Errorf("last record at %v, want %v", got, last)
	}
	b := Bootstrap([]Voter{NewVoter(101, [16]byte{1}, "h")})
	f, _ := b.Latest()
	if f.At = last; f.lastTime() != last {
		t.Errorf("a formatted disk is from %v, want %v", f.lastTime(), last)
	}
}
