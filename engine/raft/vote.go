package raft

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// voteVersion is the version of Vote that replicas speak: the first with
// pre-votes (KIP-996).
const voteVersion = 2

// vote is what a voter has said in an election (raft/internals/EpochElection.java).
type vote struct {
	id    kafka.NodeID
	state voteState
}

type voteState uint8

const (
	unrecorded voteState = iota
	granted
	rejected
)

// openBallot begins an election with the replica's own vote.
func (r *Replica) openBallot() {
	r.ballot = make([]vote, len(r.voters))
	for i, v := range r.voters {
		r.ballot[i].id = v.ID
		if v.ID == r.cfg.ID {
			r.ballot[i].state = granted
		}
	}
}

func (r *Replica) votes(s voteState) (n int) {
	for _, v := range r.ballot {
		if v.state == s {
			n++
		}
	}
	return n
}

// majority is how many of the voters decide.
func (r *Replica) majority() int { return len(r.voters)/2 + 1 }

func (r *Replica) won() bool { return r.votes(granted) >= r.majority() }

// lost reports whether the votes still out are too few.
func (r *Replica) lost() bool { return r.votes(granted)+r.votes(unrecorded) < r.majority() }

// askVotes asks every voter that has not said anything, as long as that can help
// (KafkaRaftClient.maybeSendVoteRequests).
func (r *Replica) askVotes(now kafka.Instant, out *sim.Out, m Machine) {
	if r.lost() {
		return
	}
	for i := range r.ballot {
		if v := &r.ballot[i]; v.state == unrecorded && r.ready(now, v.id) {
			r.send(v.id, r.voteRequest(v.id, m), out)
		}
	}
}

func (r *Replica) voteRequest(to kafka.NodeID, m Machine) *kmsg.VoteRequest {
	p := kmsg.NewVoteRequestTopicPartition()
	p.CandidateEpoch, p.CandidateID = int32(r.epoch), int32(r.cfg.ID)
	p.CandidateDirectoryID, p.VoterDirectoryID = r.cfg.Directory, r.directoryOf(to)
	p.LastOffsetEpoch, p.LastOffset = int32(r.lastEpoch(m)), int64(r.LogEnd(m))
	p.PreVote = r.state == Prospective
	t := kmsg.NewVoteRequestTopic()
	t.Topic = Partition.Topic
	t.Partitions = []kmsg.VoteRequestTopicPartition{p}
	req := kmsg.NewPtrVoteRequest()
	req.Version, req.ClusterID, req.VoterID = voteVersion, r.clusterID(), int32(to)
	req.Topics = []kmsg.VoteRequestTopic{t}
	return req
}

// voteAsked answers a Vote (KafkaRaftClient.handleVoteRequest). A newer epoch is
// entered first, whether the vote is granted then or not.
func (r *Replica) voteAsked(now kafka.Instant, req *kmsg.VoteRequest, out *sim.Out, m Machine) *kmsg.VoteResponse {
	if code := r.sameCluster(req.ClusterID); code != kafka.None {
		return &kmsg.VoteResponse{Version: req.Version, ErrorCode: int16(code)}
	}
	if len(req.Topics) != 1 || req.Topics[0].Topic != Partition.Topic || len(req.Topics[0].Partitions) != 1 {
		return &kmsg.VoteResponse{Version: req.Version, ErrorCode: int16(kafka.InvalidRequest)}
	}
	p := &req.Topics[0].Partitions[0]
	candidate, epoch := replicaKey{kafka.NodeID(p.CandidateID), p.CandidateDirectoryID}, kafka.LeaderEpoch(p.CandidateEpoch)
	if impossible(p) {
		return r.voteResponse(req.Version, kafka.InvalidRequest, false)
	}
	if code := r.validVoterRequest(candidate.id, epoch); code != kafka.None {
		return r.voteResponse(req.Version, code, false)
	}
	if epoch > r.epoch {
		r.toUnattached(now, epoch, nobody, out, m)
	}
	if !r.addressed(req.VoterID, p.VoterDirectoryID) {
		return r.voteResponse(req.Version, kafka.InvalidVoterKey, false)
	}
	upToDate := r.upToDate(kafka.LeaderEpoch(p.LastOffsetEpoch), kafka.Offset(p.LastOffset), m)
	grant := r.canGrant(candidate, upToDate, p.PreVote)
	if grant && !p.PreVote && r.voted == nobody {
		r.give(now, candidate, out, m)
	}
	return r.voteResponse(req.Version, kafka.None, grant)
}

// give gives the vote of this epoch. The candidate has as good a chance as this
// replica, which therefore waits anew before it stands itself
// (QuorumState.unattachedAddVotedState, prospectiveAddVotedState).
func (r *Replica) give(now kafka.Instant, candidate replicaKey, out *sim.Out, m Machine) {
	r.voted = candidate
	r.persist(m)
	if r.isVoter() {
		r.setDeadline(now, r.electionTimeout(), out)
	}
	if r.state == Prospective { // what it asked for, it asked without this vote
		r.openBallot()
		r.forgetRequests()
	}
}

// impossible reports whether no replica could ask so: a candidate has raised the epoch
// above that of its last record, a Prospective has not.
func impossible(p *kmsg.VoteRequestTopicPartition) bool {
	return p.LastOffset < 0 || p.LastOffsetEpoch < 0 || p.LastOffsetEpoch > p.CandidateEpoch || !p.PreVote && p.LastOffsetEpoch == p.CandidateEpoch
}

// canGrant is EpochState.canGrantVote of all the states.
func (r *Replica) canGrant(candidate replicaKey, upToDate, preVote bool) bool {
	switch r.state {
	case Unattached, Prospective:
		switch {
		case preVote:
			return upToDate
		case r.voted != nobody:
			return r.voted == candidate
		}
		return r.leader == kafka.NoNode && upToDate
	case Follower, Observer:
		return preVote && upToDate && !r.fetch.fetched
	case Candidate, Resigned:
		return preVote && upToDate
	}
	return false
}

// upToDate reports whether a log with a last epoch and an end holds all that
// this one does, if it was replicated by the rules.
func (r *Replica) upToDate(last kafka.LeaderEpoch, end kafka.Offset, m Machine) bool {
	own := r.lastEpoch(m)
	return last > own || last == own && end >= r.LogEnd(m)
}

func (r *Replica) voteResponse(version int16, code kafka.ErrorCode, grant bool) *kmsg.VoteResponse {
	p := kmsg.NewVoteResponseTopicPartition()
	p.ErrorCode, p.LeaderID, p.LeaderEpoch, p.VoteGranted = int16(code), int32(r.leader), int32(r.epoch), grant
	t := kmsg.NewVoteResponseTopic()
	t.Topic = Partition.Topic
	t.Partitions = []kmsg.VoteResponseTopicPartition{p}
	resp := kmsg.NewPtrVoteResponse()
	resp.Version = version
	resp.Topics = []kmsg.VoteResponseTopic{t}
	return resp
}

// voteAnswered counts a vote (KafkaRaftClient.handleVoteResponse). A Prospective
// that cannot win any more gives up at once; a Candidate waits for the end of
// its election time-out.
func (r *Replica) voteAnswered(now kafka.Instant, from kafka.NodeID, resp *kmsg.VoteResponse, out *sim.Out, m Machine) bool {
	if kafka.ErrorCode(resp.ErrorCode) == kafka.UnsupportedVersion && r.state == Prospective {
		r.toCandidate(now, out, m) // the voter is older than pre-votes
		return true
	}
	if resp.ErrorCode != 0 || len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
		return false
	}
	p := &resp.Topics[0].Partitions[0]
	code := kafka.ErrorCode(p.ErrorCode)
	if done, ok := r.common(now, code, kafka.NodeID(p.LeaderID), kafka.LeaderEpoch(p.LeaderEpoch), out, m); done {
		return ok
	}
	i := slices.IndexFunc(r.ballot, func(v vote) bool { return v.id == from })
	if code != kafka.None || i < 0 {
		return code == kafka.None
	}
	r.ballot[i].state = rejected
	if p.VoteGranted {
		r.ballot[i].state = granted
	}
	switch {
	case r.won() && r.state == Prospective:
		r.toCandidate(now, out, m)
	case r.won():
		r.toLeader(now, out, m)
	case r.lost() && r.state == Prospective:
		r.lostPreVote(now, out, m)
	}
	return true
}

// validVoterRequest checks a request between voters
// (KafkaRaftClient.validateVoterOnlyRequest).
func (r *Replica) validVoterRequest(from kafka.NodeID, epoch kafka.LeaderEpoch) kafka.ErrorCode {
	switch {
	case epoch < r.epoch:
		return kafka.FencedLeaderEpoch
	case from < 0:
		return kafka.InvalidRequest
	}
	return kafka.None
}

// addressed reports whether a request names this replica, if it names one.
func (r *Replica) addressed(id int32, directory [16]byte) bool {
	return (id < 0 || kafka.NodeID(id) == r.cfg.ID) && (directory == [16]byte{} || directory == r.cfg.Directory)
}
