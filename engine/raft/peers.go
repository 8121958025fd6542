package raft

import (
	"cmp"
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// peer is the connection to another replica (raft/RequestManager.java): one
// request at a time, and a pause after one that failed.
type peer struct {
	id    kafka.NodeID
	corr  int32         // of the request in flight; 0 for none
	retry kafka.Instant // not before; -Never: at once
}

func (r *Replica) peer(id kafka.NodeID) *peer {
	i, ok := slices.BinarySearchFunc(r.peers, id, func(p peer, id kafka.NodeID) int { return cmp.Compare(p.id, id) })
	if !ok {
		r.peers = slices.Insert(r.peers, i, peer{id: id, retry: -kafka.Never})
	}
	return &r.peers[i]
}

// ready reports whether a request may be sent to a replica now.
func (r *Replica) ready(now kafka.Instant, id kafka.NodeID) bool {
	p := r.peer(id)
	return p.corr == 0 && now >= p.retry
}

// send sends a request to a replica that is ready, and returns its correlation id.
func (r *Replica) send(id kafka.NodeID, req kmsg.Request, out *sim.Out) int32 {
	r.corr++
	r.peer(id).corr = r.corr
	out.Send(sim.ActorID(id), sim.ChanRaft, r.corr, req, r.cfg.RequestTimeout)
	return r.corr
}

// backOff has nothing sent to a replica for controller.quorum.retry.backoff.ms.
func (r *Replica) backOff(now kafka.Instant, id kafka.NodeID, out *sim.Out) {
	p := r.peer(id)
	p.retry = now.Add(r.cfg.RetryBackoff)
	out.SetTimer(sim.Timer{Owner: sim.OwnerRaft, Kind: timerRetry, A: int32(id)}, p.retry)
}

// forgetRequests has the answers of all requests in flight ignored, as every
// change of state does.
func (r *Replica) forgetRequests() {
	for i := range r.peers {
		r.peers[i].corr, r.peers[i].retry = 0, -kafka.Never
	}
	r.fetch.inFlight = 0
}

// answered reports whether a response or disconnection is about the request in
// flight, which then is not in flight any more.
func (r *Replica) answered(in *sim.Input) bool {
	p := r.peer(in.From.Node())
	if in.Corr == 0 || p.corr != in.Corr {
		return false
	}
	p.corr = 0
	if r.fetch.inFlight == in.Corr {
		r.fetch.inFlight = 0
	}
	return true
}

// response hands the answer of another replica to what asked for it. What was
// not understood or refused is asked again after a pause.
func (r *Replica) response(now kafka.Instant, in *sim.Input, out *sim.Out, m Machine) {
	if !r.answered(in) {
		return
	}
	from, handled := in.From.Node(), false
	switch resp := in.Response.(type) {
	case *kmsg.FetchResponse:
		handled = r.fetched(now, from, resp, out, m)
	case *kmsg.FetchSnapshotResponse:
		handled = r.snapshotFetched(now, resp, out, m)
	case *kmsg.VoteResponse:
		handled = r.voteAnswered(now, from, resp, out, m)
	case *kmsg.BeginQuorumEpochResponse:
		handled = r.beginAnswered(now, resp, out, m)
	case *kmsg.EndQuorumEpochResponse:
		handled = r.endAnswered(now, from, resp, out, m)
	case *kmsg.ApiVersionsResponse:
		handled = r.versionsAnswered(now, from, resp, out, m)
	case *kmsg.AddRaftVoterResponse, *kmsg.RemoveRaftVoterResponse:
		handled = true // refused or not, it waits before it asks again
	case *kmsg.UpdateRaftVoterResponse:
		handled = r.updateAnswered(now, resp, out, m)
	}
	if !handled {
		r.backOff(now, from, out)
	}
}

// common handles what all responses have in common: error, leader and epoch.
// done says that the response is dealt with, ok whether it need not be asked
// again after a pause (KafkaRaftClient.maybeHandleCommonResponse).
func (r *Replica) common(now kafka.Instant, code kafka.ErrorCode, leader kafka.NodeID, epoch kafka.LeaderEpoch, out *sim.Out, m Machine) (done, ok bool) {
	if r.state == Observer && leader != kafka.NoNode && leader == r.leader && epoch == r.epoch {
		r.fetch.last = now // others still know it: it is worth asking, though it may be none of the bootstrap servers
	}
	switch {
	case epoch < r.epoch || code == kafka.UnknownLeaderEpoch:
		return true, code == kafka.None
	case epoch > r.epoch || code == kafka.FencedLeaderEpoch || code == kafka.NotLeaderOrFollower:
		return true, r.maybeTransition(now, leader, epoch, out, m)
	case leader != kafka.NoNode && r.leader == kafka.NoNode:
		moved := r.maybeTransition(now, leader, epoch, out, m)
		return code != kafka.None, moved
	case code == kafka.BrokerNotAvailable:
		return true, false
	}
	return false, false
}
