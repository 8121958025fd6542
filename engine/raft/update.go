package raft

import (
	"fmt"
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// updates reports whether a voter is to tell the leader now that the VotersRecord
// says something else of it than it does itself: where it listens, or which
// kraft.versions it knows. It is looked every fetch time-out
// (KafkaRaftClient.shouldSendUpdateVoteRequest; KIP-853).
func (r *Replica) updates(now kafka.Instant) bool {
	if r.state != Follower || !r.dynamic() || now < r.fetch.joinAt {
		return false
	}
	i, ok := findVoter(r.voters, r.cfg.ID)
	return ok && r.voters[i] != r.self()
}

// self is the voter that the replica is by its own config.
func (r *Replica) self() Voter { return NewVoter(r.cfg.ID, r.cfg.Directory, r.cfg.Host) }

func (r *Replica) updateRequest() *kmsg.UpdateRaftVoterRequest {
	v, req := r.self(), kmsg.NewPtrUpdateRaftVoterRequest()
	req.CurrentLeaderEpoch, req.VoterID, req.VoterDirectoryID = int32(r.epoch), int32(v.ID), v.Directory
	l := kmsg.NewUpdateRaftVoterRequestListener()
	l.Name, l.Host, l.Port = listenerName, v.Host, v.Port
	req.Listeners = append(req.Listeners, l)
	req.KRaftVersionFeature.MinSupportedVersion, req.KRaftVersionFeature.MaxSupportedVersion = v.MinVersion, v.MaxVersion
	return req
}

// updateAsked answers UpdateRaftVoter: as soon as the record is written, committed or
// not (raft/internals/UpdateVoterHandler.java).
func (r *Replica) updateAsked(now kafka.Instant, in *sim.Input, req *kmsg.UpdateRaftVoterRequest, out *sim.Out, m Machine) {
	v, no := updatedVoter(req)
	if code := r.validate(kafka.LeaderEpoch(req.CurrentLeaderEpoch)); code != kafka.None {
		no = refusal{code: code}
	} else if may := r.mayChange(); may.code != kafka.None {
		no = may
	}
	i, ok := findVoter(r.voters, v.ID)
	switch {
	case no.code != kafka.None:
	case !ok || r.voters[i].Directory != v.Directory:
		no.code = kafka.VoterNotFound
	case r.voters[i] != v:
		r.lead.change = change{on: true, offset: kafka.NoOffset, voter: v}
		r.writeChange(now, out, m)
	}
	if no.code == kafka.None {
		r.noteFetch(now, v.ID, v.Directory, out)
	}
	resp := changeResponse(req, no).(*kmsg.UpdateRaftVoterResponse)
	resp.CurrentLeader.LeaderID, resp.CurrentLeader.LeaderEpoch = int32(r.leader), int32(r.epoch)
	out.Reply(in.Conn, in.Corr, resp)
}

// updatedVoter is the voter that a request describes. One that does not know the
// kraft.version of the quorum, or tells no address, is none.
func updatedVoter(req *kmsg.UpdateRaftVoterRequest) (v Voter, no refusal) {
	f := &req.KRaftVersionFeature
	v = Voter{ID: kafka.NodeID(req.VoterID), Directory: req.VoterDirectoryID, MinVersion: f.MinSupportedVersion, MaxVersion: f.MaxSupportedVersion}
	at := slices.IndexFunc(req.Listeners, func(l kmsg.UpdateRaftVoterRequestListener) bool { return l.Name == listenerName })
	if at < 0 || v.MinVersion > 1 || v.MaxVersion < 1 {
		return v, refusal{code: kafka.InvalidRequest}
	}
	v.Host, v.Port = req.Listeners[at].Host, req.Listeners[at].Port
	return v, refusal{}
}

// updateAnswered ends an UpdateRaftVoter of this voter's own. What was refused it
// says again after a fetch time-out.
func (r *Replica) updateAnswered(now kafka.Instant, resp *kmsg.UpdateRaftVoterResponse, out *sim.Out, m Machine) bool {
	if done, ok := r.common(now, kafka.ErrorCode(resp.ErrorCode), kafka.NodeID(resp.CurrentLeader.LeaderID), kafka.LeaderEpoch(resp.CurrentLeader.LeaderEpoch), out, m); done {
		return ok
	}
	return true
}

// noteVoters tells of a VotersRecord.
func (r *Replica) noteVoters(offset kafka.Offset, vs []Voter, changed Voter, out *sim.Out) {
	say := votersText(vs)
	if i, ok := findVoter(r.voters, changed.ID); ok && r.voters[i].Directory == changed.Directory && slices.Contains(vs, changed) {
		say += fmt.Sprintf(", %d at %s:%d", changed.ID, changed.Host, changed.Port)
	}
	out.Note(trace.Note{Kind: trace.QuorumVoters, Node: r.cfg.ID, Offset: offset, Say: say})
}
