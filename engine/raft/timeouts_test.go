package raft

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
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

// How long a voter waits that hears of a leader's end: by its place in the list of
// successors, which names directories too (KafkaRaftClient.endEpochElectionBackoff,
// strictExponentialElectionBackoffMs).
func TestSuccession(t *testing.T) {
	r := newTimed(t)
	r.cfg.Directory = [16]byte{7}
	me := func(directory byte) kmsg.EndQuorumEpochRequestTopicPartitionPreferredCandidate {
		return kmsg.EndQuorumEpochRequestTopicPartitionPreferredCandidate{CandidateID: 101, CandidateDirectoryID: [16]byte{directory}}
	}
	other := kmsg.EndQuorumEpochRequestTopicPartitionPreferredCandidate{CandidateID: 102}
	for _, c := range []struct {
		list []kmsg.EndQuorumEpochRequestTopicPartitionPreferredCandidate
		want kafka.Duration
	}{
		{nil, 0},
		{[]kmsg.EndQuorumEpochRequestTopicPartitionPreferredCandidate{me(7), other, other}, 0},
		{[]kmsg.EndQuorumEpochRequestTopicPartitionPreferredCandidate{other, me(0), other}, 250},
		{[]kmsg.EndQuorumEpochRequestTopicPartitionPreferredCandidate{other, other, me(7)}, 500},
		{[]kmsg.EndQuorumEpochRequestTopicPartitionPreferredCandidate{other, other}, 1000},
		{[]kmsg.EndQuorumEpochRequestTopicPartitionPreferredCandidate{me(8), other}, 1000},
	} {
		if got := r.successionBackoff(c.list); got != c.want*kafka.Millisecond {
			t.Errorf("%+v: %v, want %d ms", c.list, got, c.want)
		}
	}
}

// A process that ends stands for no election of its own (pollFollowerAsVoter,
// pollUnattachedAsVoter, pollResigned); one that is no voter need not wait
// (maybeCompleteShutdown).
func TestNoElectionWhileEnding(t *testing.T) {
	const now = kafka.Instant(kafka.Minute)
	for _, s := range []State{Follower, Unattached, Resigned, Candidate, Prospective} {
		r := newTimed(t)
		r.state, r.epoch, r.deadline, r.stopBy = s, 4, now, now.Add(kafka.Second)
		if r.timedOut(now, sim.NewOut(now, 101), Machine{}); r.state != s || r.epoch != 4 {
			t.Errorf("%v went to %v in epoch %d", s, r.state, r.epoch)
		}
		if r.ShutDown(now) {
			t.Errorf("%v: ended before there was a leader", s)
		}
		if r.cfg.ID = 109; !r.ShutDown(now) {
			t.Errorf("%v: an observer waits for a leader", s)
		}
	}
}

// A replica was caught up when it asked for what did not exist yet, or, if it has got
// to where the leader was at its fetch before, at that fetch
// (LeaderState.ReplicaState.updateFollowerState).
func TestCaughtUp(t *testing.T) {
	r := newTimed(t)
	r.state = Leader
	for i, c := range []struct {
		end, offset kafka.Offset
		want        kafka.Instant // of the fetch, -1: none
	}{{10, 8, -1}, {12, 9, -1}, {14, 12, 1}, {20, 13, 1}, {20, 20, 4}, {25, 20, 4}, {30, 24, 4}, {31, 30, 6}} {
		r.lead.end = c.end
		r.noteProgress(kafka.Instant(i), 102, [16]byte{}, c.offset)
		want := c.want
		if want < 0 {
			want = -kafka.Never
		}
		if got := r.lead.replicas[0].LastCaughtUp; got != want {
			t.Errorf("fetch %d of %d, leader at %d: caught up at %d, want %d", i, c.offset, c.end, got, want)
		}
	}
}

// A candidate has raised the epoch above that of its last record, a Prospective need
// not have (KafkaRaftClient.handleVoteRequest).
func TestImpossibleVotes(t *testing.T) {
	for _, c := range []struct {
		pre         bool
		epoch, last int32
		offset      int64
		want        bool
	}{
		{false, 5, 4, 10, false}, {false, 5, 5, 10, true}, {false, 5, 6, 10, true}, {false, 5, -1, 10, true}, {false, 5, 4, -1, true},
		{true, 5, 5, 10, false}, {true, 5, 6, 10, true}, {false, 1, 0, 0, false},
	} {
		p := kmsg.NewVoteRequestTopicPartition()
		p.PreVote, p.CandidateEpoch, p.LastOffsetEpoch, p.LastOffset, p.CandidateID = c.pre, c.epoch, c.last, c.offset, 102
		r := newTimed(t)
		r.epoch = 99 // who asks possibly is fenced
		resp := r.voteAsked(0, &kmsg.VoteRequest{Version: 2, VoterID: -1, Topics: []kmsg.VoteRequestTopic{{
			Topic: Partition.Topic, Partitions: []kmsg.VoteRequestTopicPartition{p}}}}, nil, Machine{})
		if code := kafka.ErrorCode(resp.Topics[0].Partitions[0].ErrorCode); (code == kafka.InvalidRequest) != c.want {
			t.Errorf("%+v: %v", c, code)
		}
	}
}

// Nobody is asked for a vote that cannot help any more (maybeSendVoteRequests).
func TestNoVotesInVain(t *testing.T) {
	r := newTimed(t)
	r.state, r.ballot = Candidate, []vote{{101, granted}, {102, rejected}, {103, unrecorded}}
	out := sim.NewOut(0, 101)
	r.voters, r.ballot = append(r.voters, Voter{ID: 104}), append(r.ballot, vote{104, rejected})
	if r.askVotes(0, out, Machine{}); len(out.Messages()) > 0 {
		t.Errorf("asked %+v", out.Messages())
	}
}

// DescribeQuorum tells of an observer until five minutes after its last fetch, and of
// a voter for ever (LeaderState.clearInactiveObservers).
func TestObserversAreForgotten(t *testing.T) {
	r := newTimed(t)
	r.state = Leader
	r.noteProgress(0, 102, [16]byte{}, 0)
	r.noteProgress(0, 1, [16]byte{}, 0)
	for _, c := range []struct {
		at   kafka.Duration
		want int
	}{{0, 4}, {300*kafka.Second - 1, 4}, {300 * kafka.Second, 3}} {
		if got := len(r.Describe(kafka.Instant(c.at), nil)); got != c.want {
			t.Errorf("after %v: %d replicas, want %d", c.at, got, c.want)
		}
	}
}

// A voter that says how it is to be reached counts as one that fetches
// (UpdateVoterHandler); the same directory is asked for.
func TestUpdateVoterCountsForTheQuorum(t *testing.T) {
	const now = kafka.Instant(kafka.Minute)
	for _, c := range []struct {
		directory byte
		code      kafka.ErrorCode
		left      kafka.Duration
	}{{2, kafka.None, 3 * kafka.Second}, {9, kafka.VoterNotFound, kafka.Second}} {
		r := newTimed(t)
		r.state, r.leader, r.epoch, r.hw, r.deadline = Leader, 101, 3, 5, now.Add(kafka.Second)
		r.voters = []Voter{NewVoter(101, [16]byte{1}, "a"), NewVoter(102, [16]byte{2}, "b"), NewVoter(103, [16]byte{3}, "c")}
		r.sets, r.cfg.Directory = []voterSet{{voters: r.voters}}, [16]byte{1}
		sender := newTimed(t)
		sender.epoch, sender.cfg.ID, sender.cfg.Directory, sender.cfg.Host = 3, 102, [16]byte{c.directory}, "b"
		out := sim.NewOut(now, 101)
		r.updateAsked(now, &sim.Input{Conn: 1, Corr: 1}, sender.updateRequest(), out, Machine{})
		if resp := out.Messages()[0].Response.(*kmsg.UpdateRaftVoterResponse); kafka.ErrorCode(resp.ErrorCode) != c.code || r.deadline.Sub(now) != c.left {
			t.Errorf("directory %d: %v, %v left, want %v, %v", c.directory, kafka.ErrorCode(resp.ErrorCode), r.deadline.Sub(now), c.code, c.left)
		}
	}
}
