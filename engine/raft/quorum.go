package raft

import (
	"cmp"
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// epochVersion is the version of BeginQuorumEpoch and EndQuorumEpoch that
// replicas speak: the one with directory ids (KIP-853).
const epochVersion = 1

// shutdownPatience is how long a clean shutdown waits for another leader
// (KafkaRaftManager.shutdown).
const shutdownPatience = 5 * kafka.Second

// checkQuorumTimeout is after how long without fetches of a majority a leader
// resigns (LeaderState.CHECK_QUORUM_TIMEOUT_FACTOR); never for the only voter.
func (r *Replica) checkQuorumTimeout() kafka.Duration {
	if len(r.voters) == 1 && r.isVoter() {
		return never
	}
	return r.cfg.FetchTimeout * 3 / 2
}

// noteFetch counts a voter's fetch for the check of the quorum
// (LeaderState.updateCheckQuorumForFollowingVoter).
func (r *Replica) noteFetch(now kafka.Instant, id kafka.NodeID, directory [16]byte, out *sim.Out) {
	if !r.isVoterKey(id, directory) || id == r.cfg.ID {
		return
	}
	if i, ok := slices.BinarySearch(r.lead.fetched, id); !ok {
		r.lead.fetched = slices.Insert(r.lead.fetched, i, id)
	}
	need := r.majority()
	if r.isVoter() {
		need--
	}
	if len(r.lead.fetched) >= need {
		r.lead.fetched = nil
		r.setDeadline(now, r.checkQuorumTimeout(), out)
	}
}

// begin tells the voters that have not fetched for half a fetch time-out who
// leads, and does so again after as long.
func (r *Replica) begin(now kafka.Instant, out *sim.Out) {
	if r.state != Leader || len(r.voters) == 1 && r.isVoter() {
		return
	}
	period := r.cfg.FetchTimeout / 2
	for _, v := range r.voters {
		i, ok := r.progress(v.ID, v.Directory)
		late := !ok || now >= r.lead.replicas[i].LastFetch.Add(period)
		if v.ID == r.cfg.ID || !late || !r.ready(now, v.ID) {
			continue
		}
		p := kmsg.NewBeginQuorumEpochRequestTopicPartition()
		p.LeaderID, p.LeaderEpoch, p.VoterDirectoryID = int32(r.cfg.ID), int32(r.epoch), v.Directory
		t := kmsg.NewBeginQuorumEpochRequestTopic()
		t.Topic = Partition.Topic
		t.Partitions = []kmsg.BeginQuorumEpochRequestTopicPartition{p}
		req := kmsg.NewPtrBeginQuorumEpochRequest()
		req.Version, req.ClusterID, req.VoterID = epochVersion, r.clusterID(), int32(v.ID)
		req.Topics = []kmsg.BeginQuorumEpochRequestTopic{t}
		r.send(v.ID, req, out)
	}
	out.After(sim.Timer{Owner: sim.OwnerRaft, Kind: timerBegin}, period)
}

// beginAsked answers a leader that says so (handleBeginQuorumEpochRequest).
func (r *Replica) beginAsked(now kafka.Instant, req *kmsg.BeginQuorumEpochRequest, out *sim.Out, m Machine) *kmsg.BeginQuorumEpochResponse {
	resp := &kmsg.BeginQuorumEpochResponse{Version: req.Version, ErrorCode: int16(r.sameCluster(req.ClusterID))}
	if resp.ErrorCode != 0 {
		return resp
	}
	if len(req.Topics) != 1 || req.Topics[0].Topic != Partition.Topic || len(req.Topics[0].Partitions) != 1 {
		resp.ErrorCode = int16(kafka.InvalidRequest)
		return resp
	}
	p := &req.Topics[0].Partitions[0]
	code := r.validVoterRequest(kafka.NodeID(p.LeaderID), kafka.LeaderEpoch(p.LeaderEpoch))
	if code == kafka.None {
		r.maybeTransition(now, kafka.NodeID(p.LeaderID), kafka.LeaderEpoch(p.LeaderEpoch), out, m)
		if !r.addressed(req.VoterID, p.VoterDirectoryID) {
			code = kafka.InvalidVoterKey
		}
	}
	e := kmsg.NewBeginQuorumEpochResponseTopicPartition()
	e.ErrorCode, e.LeaderID, e.LeaderEpoch = int16(code), int32(r.leader), int32(r.epoch)
	resp.Topics = []kmsg.BeginQuorumEpochResponseTopic{{Topic: Partition.Topic, Partitions: []kmsg.BeginQuorumEpochResponseTopicPartition{e}}}
	return resp
}

func (r *Replica) beginAnswered(now kafka.Instant, resp *kmsg.BeginQuorumEpochResponse, out *sim.Out, m Machine) bool {
	if resp.ErrorCode != 0 || len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
		return false
	}
	p := &resp.Topics[0].Partitions[0]
	code := kafka.ErrorCode(p.ErrorCode)
	if done, ok := r.common(now, code, kafka.NodeID(p.LeaderID), kafka.LeaderEpoch(p.LeaderEpoch), out, m); done {
		return ok
	}
	return code == kafka.None
}

// byProgress lists the other voters, those with the most first
// (LeaderState.nonLeaderVotersByDescendingFetchOffset).
func (r *Replica) byProgress() []kafka.NodeID {
	if r.state != Leader {
		return nil
	}
	var all []Progress
	for _, v := range r.voters {
		if v.ID == r.cfg.ID {
			continue
		}
		p := Progress{ID: v.ID, End: kafka.NoOffset}
		if i, ok := r.progress(v.ID, v.Directory); ok {
			p = r.lead.replicas[i]
		}
		all = append(all, p)
	}
	slices.SortStableFunc(all, func(a, b Progress) int { return cmp.Compare(b.End, a.End) })
	ids := make([]kafka.NodeID, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	return ids
}

// sayEnd tells the voters that have not heard it that the epoch is over.
func (r *Replica) sayEnd(now kafka.Instant, out *sim.Out) {
	for _, v := range r.voters {
		if v.ID == r.cfg.ID || slices.Contains(r.acked, v.ID) || !r.ready(now, v.ID) {
			continue
		}
		p := kmsg.NewEndQuorumEpochRequestTopicPartition()
		p.LeaderID, p.LeaderEpoch = int32(r.cfg.ID), int32(r.epoch)
		for _, id := range r.successors {
			p.PreferredCandidates = append(p.PreferredCandidates, kmsg.EndQuorumEpochRequestTopicPartitionPreferredCandidate{
				CandidateID: int32(id), CandidateDirectoryID: r.directoryOf(id),
			})
		}
		t := kmsg.NewEndQuorumEpochRequestTopic()
		t.Topic = Partition.Topic
		t.Partitions = []kmsg.EndQuorumEpochRequestTopicPartition{p}
		req := kmsg.NewPtrEndQuorumEpochRequest()
		req.Version, req.ClusterID = epochVersion, r.clusterID()
		req.Topics = []kmsg.EndQuorumEpochRequestTopic{t}
		r.send(v.ID, req, out)
	}
}

// endAsked answers a leader that resigned: whoever follows it stands for
// election, the first of its list at once (handleEndQuorumEpochRequest).
func (r *Replica) endAsked(now kafka.Instant, req *kmsg.EndQuorumEpochRequest, out *sim.Out, m Machine) *kmsg.EndQuorumEpochResponse {
	resp := &kmsg.EndQuorumEpochResponse{Version: req.Version, ErrorCode: int16(r.sameCluster(req.ClusterID))}
	if resp.ErrorCode != 0 {
		return resp
	}
	if len(req.Topics) != 1 || req.Topics[0].Topic != Partition.Topic || len(req.Topics[0].Partitions) != 1 {
		resp.ErrorCode = int16(kafka.InvalidRequest)
		return resp
	}
	p := &req.Topics[0].Partitions[0]
	from := kafka.NodeID(p.LeaderID)
	code := r.validVoterRequest(from, kafka.LeaderEpoch(p.LeaderEpoch))
	if code == kafka.None {
		r.maybeTransition(now, from, kafka.LeaderEpoch(p.LeaderEpoch), out, m)
		if r.state == Follower && r.leader == from {
			r.setDeadline(now, r.successionBackoff(p.PreferredCandidates), out)
		}
	}
	e := kmsg.NewEndQuorumEpochResponseTopicPartition()
	e.ErrorCode, e.LeaderID, e.LeaderEpoch = int16(code), int32(r.leader), int32(r.epoch)
	resp.Topics = []kmsg.EndQuorumEpochResponseTopic{{Topic: Partition.Topic, Partitions: []kmsg.EndQuorumEpochResponseTopicPartition{e}}}
	return resp
}

// successionBackoff is how long a voter waits before it stands for election,
// doubled with every place in the list; who is not in it waits longest.
// Without a list all stand at once (endEpochElectionBackoff, strictExponentialElectionBackoffMs).
func (r *Replica) successionBackoff(list []kmsg.EndQuorumEpochRequestTopicPartitionPreferredCandidate) kafka.Duration {
	at := slices.IndexFunc(list, func(c kmsg.EndQuorumEpochRequestTopicPartitionPreferredCandidate) bool {
		return kafka.NodeID(c.CandidateID) == r.cfg.ID && (c.CandidateDirectoryID == [16]byte{} || c.CandidateDirectoryID == r.cfg.Directory)
	})
	switch {
	case at == 0 || len(list) == 0:
		return 0
	case at < 0:
		return r.cfg.ElectionBackoff
	}
	base := r.cfg.ElectionBackoff.Millis() >> (len(list) - 1)
	return kafka.Duration(min(r.cfg.ElectionBackoff.Millis(), base<<(at-1))) * kafka.Millisecond
}

func (r *Replica) endAnswered(now kafka.Instant, from kafka.NodeID, resp *kmsg.EndQuorumEpochResponse, out *sim.Out, m Machine) bool {
	if resp.ErrorCode != 0 || len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
		return false
	}
	p := &resp.Topics[0].Partitions[0]
	code := kafka.ErrorCode(p.ErrorCode)
	if done, ok := r.common(now, code, kafka.NodeID(p.LeaderID), kafka.LeaderEpoch(p.LeaderEpoch), out, m); done {
		return ok
	}
	if code == kafka.None && r.state == Resigned {
		r.acked = append(r.acked, from)
	}
	return code == kafka.None
}

// Shutdown begins a clean end: a leader resigns. The process may end as soon as
// ShutDown says so.
func (r *Replica) Shutdown(now kafka.Instant, out *sim.Out, m Machine) {
	r.stopBy = now.Add(shutdownPatience)
	if r.state == Leader && len(r.voters) > 1 {
		r.toResigned(now, out, m)
		r.poll(now, out, m)
	}
	out.SetTimer(sim.Timer{Owner: sim.OwnerRaft, Kind: timerShutdown}, r.stopBy)
}

// ShutDown reports whether a clean end may be completed: another replica leads, it is
// no voter or the only one, or it took too long (KafkaRaftClient.maybeCompleteShutdown).
func (r *Replica) ShutDown(now kafka.Instant) bool {
	remote := slices.ContainsFunc(r.voters, func(v Voter) bool { return v.ID != r.cfg.ID })
	return r.stopBy != kafka.Never && (!remote || !r.isVoter() || now >= r.stopBy || r.leader != kafka.NoNode && r.leader != r.cfg.ID)
}
