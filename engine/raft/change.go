package raft

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// change is the one change of the voters that may be under way
// (raft/internals/{AddVoterHandler,RemoveVoterHandler,UpdateVoterHandler}.java).
type change struct {
	on      bool
	offset  kafka.Offset // of its VotersRecord; NoOffset: not written yet
	voter   Voter
	remove  bool
	conn    sim.ConnID // who asked; 0: has been answered
	corr    int32
	version int16
}

func (c *change) digest(h *sim.Hash) {
	h.Bool(c.on)
	h.Int(int64(c.offset))
	h.Int(int64(c.voter.ID))
	h.Bytes(c.voter.Directory[:])
	h.Bool(c.remove)
	h.Uint64(uint64(c.conn))
	h.Int(int64(c.corr))
	h.Int(int64(c.version))
}

// caughtUpWindow is how recently a replica must have fetched and been caught up
// to become a voter (LeaderState.isReplicaCaughtUp).
const caughtUpWindow = 3600 * kafka.Second

// changeAsked answers AddRaftVoter, RemoveRaftVoter and UpdateRaftVoter: at once
// if they are refused, otherwise when the new voters are committed.
func (r *Replica) changeAsked(now kafka.Instant, in *sim.Input, out *sim.Out, m Machine) {
	switch req := in.Request.(type) {
	case *kmsg.AddRaftVoterRequest:
		v := Voter{kafka.NodeID(req.VoterID), req.VoterDirectoryID}
		code := r.mayAdd(now, v)
		if code != kafka.None {
			out.Reply(in.Conn, in.Corr, changeResponse(req, code))
			return
		}
		r.startChange(now, v, false, in, out, m)
		if req.Version >= 1 && !req.AckWhenCommitted {
			r.replyChange(kafka.None, out)
		}
	case *kmsg.RemoveRaftVoterRequest:
		v := Voter{kafka.NodeID(req.VoterID), req.VoterDirectoryID}
		if code := r.mayRemove(v); code != kafka.None {
			out.Reply(in.Conn, in.Corr, changeResponse(req, code))
			return
		}
		r.startChange(now, v, true, in, out, m)
	case *kmsg.UpdateRaftVoterRequest:
		// What a voter may update is where it listens and which kraft.versions it
		// knows; both are the same for all here.
		code := r.mayChange()
		if e := kafka.LeaderEpoch(req.CurrentLeaderEpoch); r.validate(e) != kafka.None {
			code = r.validate(e)
		} else if i, ok := findVoter(r.voters, kafka.NodeID(req.VoterID)); code == kafka.None && (!ok || r.voters[i].Directory != req.VoterDirectoryID) {
			code = kafka.VoterNotFound
		}
		resp := changeResponse(req, code).(*kmsg.UpdateRaftVoterResponse)
		resp.CurrentLeader.LeaderID, resp.CurrentLeader.LeaderEpoch = int32(r.leader), int32(r.epoch)
		out.Reply(in.Conn, in.Corr, resp)
	}
}

func changeResponse(req kmsg.Request, code kafka.ErrorCode) kmsg.Response {
	resp := req.ResponseKind()
	switch e := resp.(type) {
	case *kmsg.AddRaftVoterResponse:
		e.ErrorCode = int16(code)
	case *kmsg.RemoveRaftVoterResponse:
		e.ErrorCode = int16(code)
	case *kmsg.UpdateRaftVoterResponse:
		e.ErrorCode = int16(code)
	}
	return resp
}

// mayChange checks what all changes need: a leader that has committed a record
// of its epoch, dynamic voters, and no other change under way.
func (r *Replica) mayChange() kafka.ErrorCode {
	switch {
	case r.state != Leader:
		return kafka.NotLeaderOrFollower
	case r.hw <= r.lead.start || r.lead.change.on || r.uncommittedVoters():
		return kafka.RequestTimedOut
	case !r.dynamic():
		return kafka.UnsupportedVersion
	}
	return kafka.None
}

// uncommittedVoters reports whether the last voters of the log are not committed.
func (r *Replica) uncommittedVoters() bool {
	n := len(r.sets)
	return n > 0 && r.sets[n-1].offset >= r.hw
}

func (r *Replica) mayAdd(now kafka.Instant, v Voter) kafka.ErrorCode {
	if code := r.mayChange(); code != kafka.None {
		return code
	}
	if r.isVoterID(v.ID) {
		return kafka.DuplicateVoter
	}
	i, ok := r.progress(v.ID)
	if !ok {
		return kafka.RequestTimedOut
	}
	p := &r.lead.replicas[i]
	if p.Directory != v.Directory || p.LastCaughtUp == -kafka.Never || now > p.LastFetch.Add(caughtUpWindow) {
		return kafka.RequestTimedOut
	}
	return kafka.None
}

func (r *Replica) mayRemove(v Voter) kafka.ErrorCode {
	if code := r.mayChange(); code != kafka.None {
		return code
	}
	i, ok := findVoter(r.voters, v.ID)
	if !ok || r.voters[i].Directory != v.Directory {
		return kafka.VoterNotFound
	}
	if len(r.voters) == 1 {
		return kafka.VoterNotFound // nobody would be left
	}
	return kafka.None
}

// startChange writes the new voters. They count from the moment on in which they
// are in the leader's log.
func (r *Replica) startChange(now kafka.Instant, v Voter, remove bool, in *sim.Input, out *sim.Out, m Machine) {
	r.lead.change = change{on: true, offset: kafka.NoOffset, voter: v, remove: remove, conn: in.Conn, corr: in.Corr, version: in.Request.GetVersion()}
	r.writeChange(now, out, m)
}

// writeChange writes the VotersRecord as soon as the disk is free and what was
// appended before is written.
func (r *Replica) writeChange(now kafka.Instant, out *sim.Out, m Machine) {
	c := &r.lead.change
	if !c.on || c.offset != kafka.NoOffset || r.lead.flushing || len(r.lead.pending) > 0 {
		return
	}
	vs := slices.DeleteFunc(slices.Clone(r.voters), func(v Voter) bool { return v.ID == c.voter.ID })
	if !c.remove {
		i, _ := findVoter(vs, c.voter.ID)
		vs = slices.Insert(vs, i, c.voter)
	}
	c.offset = r.LogEnd(m)
	out.Note(trace.Note{Kind: trace.QuorumVoters, Node: r.cfg.ID, Offset: c.offset, Say: votersText(vs)})
	r.write(now, out, m, record1(encodeVoters(vs), now))
}

// changed is called when the high watermark has moved: a change of the voters
// that is committed is answered, and a leader that it removed resigns.
func (r *Replica) changed(now kafka.Instant, out *sim.Out, m Machine) {
	r.writeChange(now, out, m)
	if c := &r.lead.change; !c.on || c.offset == kafka.NoOffset || r.hw <= c.offset {
		return
	}
	r.endChange(kafka.None, out)
	if !r.isVoter() {
		r.toResigned(now, out, m)
		return
	}
	r.setDeadline(now, r.checkQuorumTimeout(), out)
	if !r.lead.flushing {
		r.begin(now, out)
	}
}

// endChange answers who asked for the change, if there is one.
func (r *Replica) endChange(code kafka.ErrorCode, out *sim.Out) {
	r.replyChange(code, out)
	r.lead.change = change{}
}

func (r *Replica) replyChange(code kafka.ErrorCode, out *sim.Out) {
	c := &r.lead.change
	if !c.on || c.conn == 0 {
		return
	}
	var req kmsg.Request = &kmsg.AddRaftVoterRequest{Version: c.version}
	if c.remove {
		req = &kmsg.RemoveRaftVoterRequest{Version: c.version}
	}
	out.Reply(c.conn, c.corr, changeResponse(req, code))
	c.conn = 0
}

// updateAnswered ends an UpdateRaftVoter of this voter's own.
func (r *Replica) updateAnswered(now kafka.Instant, resp *kmsg.UpdateRaftVoterResponse, out *sim.Out, m Machine) bool {
	r.maybeTransition(now, kafka.NodeID(resp.CurrentLeader.LeaderID), kafka.LeaderEpoch(resp.CurrentLeader.LeaderEpoch), out, m)
	return true
}
