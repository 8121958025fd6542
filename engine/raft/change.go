package raft

import (
	"fmt"
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// change is the one change of the voters that may be under way
// (raft/internals/{AddVoterHandler,RemoveVoterHandler,UpdateVoterHandler}.java).
type change struct {
	on      bool
	offset  kafka.Offset // of its VotersRecord; NoOffset: not written yet
	voter   Voter
	remove  bool
	asking  bool       // the voter to be has not answered ApiVersions yet
	early   bool       // answered when it is written, not when it is committed (KIP-1186)
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
	h.Bool(c.asking)
	h.Bool(c.early)
	h.Uint64(uint64(c.conn))
	h.Int(int64(c.corr))
	h.Int(int64(c.version))
}

// caughtUpWindow is how recently a replica must have fetched and been caught up
// to become a voter (LeaderState.isReplicaCaughtUp).
const caughtUpWindow = 3600 * kafka.Second

// refusal is why a change of the voters is not made; its zero value: nothing
// speaks against it.
type refusal struct {
	code kafka.ErrorCode
	why  string
}

// changeAsked answers AddRaftVoter, RemoveRaftVoter and UpdateRaftVoter: at once
// if they are refused, otherwise when the new voters are committed.
func (r *Replica) changeAsked(now kafka.Instant, in *sim.Input, out *sim.Out, m Machine) {
	c := change{on: true, offset: kafka.NoOffset, conn: in.Conn, corr: in.Corr, version: in.Request.GetVersion()}
	var no refusal
	switch req := in.Request.(type) {
	case *kmsg.AddRaftVoterRequest:
		c.early = req.Version >= 1 && !req.AckWhenCommitted
		if c.voter, no = addedVoter(req); no.code == kafka.None {
			no = r.mayAdd(now, c.voter)
		}
		if no.code == kafka.None {
			r.askVersions(c, out)
		}
	case *kmsg.RemoveRaftVoterRequest:
		c.voter, c.remove = Voter{ID: kafka.NodeID(req.VoterID), Directory: req.VoterDirectoryID}, true
		if no = r.mayRemove(c.voter); no.code == kafka.None {
			r.lead.change = c
			r.writeChange(now, out, m)
		}
	case *kmsg.UpdateRaftVoterRequest:
		r.updateAsked(now, in, req, out, m)
		return
	}
	if no.code != kafka.None {
		out.Reply(in.Conn, in.Corr, changeResponse(in.Request, no))
		return
	}
	out.After(sim.Timer{Owner: sim.OwnerRaft, Kind: timerChange}, r.cfg.RequestTimeout)
}

// expireChange tells who asked that the change takes too long. What is written may
// still be committed (AddVoterHandler.maybeExpirePendingOperation).
func (r *Replica) expireChange(out *sim.Out) {
	c := &r.lead.change
	switch {
	case r.state != Leader || !c.on:
	case c.offset == kafka.NoOffset:
		r.endChange(refusal{kafka.RequestTimedOut, fmt.Sprintf("node %d does not answer", c.voter.ID)}, out)
	default:
		r.replyChange(refusal{kafka.RequestTimedOut, "the new voters are not committed yet"}, out)
	}
}

// addedVoter is the voter that a request describes. Which kraft.versions it knows it
// is asked itself. Without an address for the listener it cannot be one.
func addedVoter(req *kmsg.AddRaftVoterRequest) (Voter, refusal) {
	v := Voter{ID: kafka.NodeID(req.VoterID), Directory: req.VoterDirectoryID}
	for _, l := range req.Listeners {
		if l.Name == listenerName {
			v.Host, v.Port = l.Host, l.Port
			return v, refusal{}
		}
	}
	return v, refusal{kafka.InvalidRequest, "add voter request didn't include the endpoint for the default listener " + listenerName}
}

func changeResponse(req kmsg.Request, no refusal) kmsg.Response {
	resp := req.ResponseKind()
	var why *string
	if no.why != "" {
		why = kmsg.StringPtr(no.why)
	}
	switch e := resp.(type) {
	case *kmsg.AddRaftVoterResponse:
		e.ErrorCode, e.ErrorMessage = int16(no.code), why
	case *kmsg.RemoveRaftVoterResponse:
		e.ErrorCode, e.ErrorMessage = int16(no.code), why
	case *kmsg.UpdateRaftVoterResponse:
		e.ErrorCode = int16(no.code)
	}
	return resp
}

// mayChange checks what all changes need: a leader that has committed a record
// of its epoch, dynamic voters, and no other change under way.
func (r *Replica) mayChange() refusal {
	switch {
	case r.state != Leader:
		return refusal{kafka.NotLeaderOrFollower, ""}
	case r.lead.change.on:
		return refusal{kafka.RequestTimedOut, "another change of the voters is under way"}
	case r.hw <= r.lead.start:
		return refusal{kafka.RequestTimedOut, "the leader has committed nothing in its epoch yet"}
	case !r.dynamic():
		return refusal{kafka.UnsupportedVersion, "kraft.version is 0: the voters are those of controller.quorum.voters"}
	case r.uncommittedVoters():
		return refusal{kafka.RequestTimedOut, "the latest voters are not committed yet"}
	}
	return refusal{}
}

// uncommittedVoters reports whether the last voters of the log are not committed.
func (r *Replica) uncommittedVoters() bool {
	n := len(r.sets)
	return n > 0 && r.sets[n-1].offset >= r.hw
}

func (r *Replica) mayAdd(now kafka.Instant, v Voter) refusal {
	if no := r.mayChange(); no.code != kafka.None {
		return no
	}
	if r.isVoterID(v.ID) {
		return refusal{kafka.DuplicateVoter, fmt.Sprintf("node %d is a voter already", v.ID)}
	}
	if !r.ready(now, v.ID) {
		return refusal{kafka.RequestTimedOut, fmt.Sprintf("node %d cannot be asked now", v.ID)}
	}
	return refusal{}
}

// caughtUp reports whether a replica has the log, and was there to fetch it.
func (r *Replica) caughtUp(now kafka.Instant, v Voter) bool {
	i, ok := r.progress(v.ID, v.Directory)
	if !ok {
		return false
	}
	p := &r.lead.replicas[i]
	return p.LastCaughtUp != -kafka.Never && now <= p.LastFetch.Add(caughtUpWindow)
}

func (r *Replica) mayRemove(v Voter) refusal {
	if no := r.mayChange(); no.code != kafka.None {
		return no
	}
	i, ok := findVoter(r.voters, v.ID)
	switch {
	case !ok || r.voters[i].Directory != v.Directory:
		return refusal{kafka.VoterNotFound, fmt.Sprintf("node %d with that directory is no voter", v.ID)}
	case len(r.voters) == 1:
		return refusal{kafka.VoterNotFound, "it is the only voter"}
	}
	return refusal{}
}

// askVersions asks the voter to be for the versions that it knows: one that does
// not answer is not made a voter, for the others may not do without it then
// (AddVoterHandler.handleAddVoterRequest).
func (r *Replica) askVersions(c change, out *sim.Out) {
	req := kmsg.NewPtrApiVersionsRequest()
	req.Version, req.ClientSoftwareName, req.ClientSoftwareVersion = 4, "apache-kafka-java", "4.2.0"
	c.asking = true
	r.lead.change = c
	r.send(c.voter.ID, req, out)
}

// versionsAnswered goes on with a voter that answers.
func (r *Replica) versionsAnswered(now kafka.Instant, from kafka.NodeID, resp *kmsg.ApiVersionsResponse, out *sim.Out, m Machine) bool {
	c := &r.lead.change
	if r.state != Leader || !c.asking || c.voter.ID != from {
		return true
	}
	c.asking = false
	if !r.caughtUp(now, c.voter) {
		r.endChange(refusal{kafka.RequestTimedOut, fmt.Sprintf("node %d has not caught up", from)}, out)
		return true
	}
	c.voter.MinVersion, c.voter.MaxVersion = kraftVersions(resp)
	early := c.early
	r.writeChange(now, out, m)
	if early {
		r.replyChange(refusal{}, out)
	}
	return true
}

// kraftVersions are the kraft.versions that an answer tells.
func kraftVersions(resp *kmsg.ApiVersionsResponse) (lowest, highest int16) {
	for _, f := range resp.SupportedFeatures {
		if f.Name == "kraft.version" {
			return f.MinVersion, f.MaxVersion
		}
	}
	return 0, 0
}

// versionsFailed gives up a voter to be that cannot be reached.
func (r *Replica) versionsFailed(from kafka.NodeID, out *sim.Out) {
	if c := &r.lead.change; r.state == Leader && c.asking && c.voter.ID == from {
		r.endChange(refusal{kafka.RequestTimedOut, fmt.Sprintf("node %d does not answer", from)}, out)
	}
}

// writeChange writes the VotersRecord as soon as the disk is free and what was
// appended before is written.
func (r *Replica) writeChange(now kafka.Instant, out *sim.Out, m Machine) {
	c := &r.lead.change
	if !c.on || c.asking || c.offset != kafka.NoOffset || r.lead.flushing || len(r.lead.pending) > 0 {
		return
	}
	vs := slices.DeleteFunc(slices.Clone(r.voters), func(v Voter) bool { return v.ID == c.voter.ID })
	if !c.remove {
		i, _ := findVoter(vs, c.voter.ID)
		vs = slices.Insert(vs, i, c.voter)
	}
	c.offset = r.LogEnd(m)
	r.noteVoters(c.offset, vs, c.voter, out)
	r.write(now, out, m, record1(encodeVoters(vs), now))
}

// changed is called when the high watermark has moved: a change of the voters
// that is committed is answered, and a leader that it removed resigns.
func (r *Replica) changed(now kafka.Instant, out *sim.Out, m Machine) {
	r.writeChange(now, out, m)
	if c := &r.lead.change; !c.on || c.offset == kafka.NoOffset || r.hw <= c.offset {
		return
	}
	r.endChange(refusal{}, out)
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
func (r *Replica) endChange(no refusal, out *sim.Out) {
	r.replyChange(no, out)
	r.lead.change = change{}
}

func (r *Replica) replyChange(no refusal, out *sim.Out) {
	c := &r.lead.change
	if !c.on || c.conn == 0 {
		return
	}
	var req kmsg.Request = &kmsg.AddRaftVoterRequest{Version: c.version}
	if c.remove {
		req = &kmsg.RemoveRaftVoterRequest{Version: c.version}
	}
	out.Reply(c.conn, c.corr, changeResponse(req, no))
	c.conn = 0
}
