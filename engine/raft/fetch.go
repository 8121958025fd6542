package raft

import (
	"fmt"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// fetching is the state of a replica that follows or looks for a leader
// (raft/FollowerState.java, RequestManager.java).
type fetching struct {
	corr     int32         // last correlation id used
	inFlight int32         // of the fetch without an answer yet; 0 for none
	voter    int           // index of the voter asked last while the leader was unknown; -1: none yet
	last     kafka.Instant // when the leader last answered
}

func (f *fetching) digest(h *sim.Hash) {
	h.Int(int64(f.corr))
	h.Int(int64(f.inFlight))
	h.Int(int64(f.voter))
	h.Int(int64(f.last))
}

// target is whom to fetch from: the leader, or, as long as none is known or the
// known one does not answer, the next voter, beginning with a random one.
func (r *Replica) target(now kafka.Instant) kafka.NodeID {
	if r.leader != kafka.NoNode && now < r.fetch.last.Add(r.cfg.FetchTimeout) {
		return r.leader
	}
	n := len(r.cfg.Voters)
	if r.fetch.voter < 0 {
		r.fetch.voter = int(r.rng.IntN(int64(n)))
	} else {
		r.fetch.voter = (r.fetch.voter + 1) % n
	}
	return r.cfg.Voters[r.fetch.voter]
}

// sendFetch asks for what follows the end of its log.
func (r *Replica) sendFetch(now kafka.Instant, out *sim.Out, m Machine) {
	if r.fetch.inFlight != 0 || r.state == Leader {
		return
	}
	log := m.Dir.At(r.slot)
	p := kmsg.NewFetchRequestTopicPartition()
	p.CurrentLeaderEpoch = int32(r.epoch)
	p.FetchOffset = int64(log.LEO())
	p.LastFetchedEpoch = int32(max(log.LatestEpoch(), 0))
	p.LogStartOffset = int64(log.LogStart())
	p.PartitionMaxBytes = fetchBytesMax
	p.HighWatermark = int64(r.hw)
	t := kmsg.NewFetchRequestTopic()
	t.TopicID = TopicID
	t.Partitions = []kmsg.FetchRequestTopicPartition{p}
	req := kmsg.NewPtrFetchRequest()
	req.Version = fetchVersion
	req.ReplicaState.ID, req.ReplicaState.Epoch = int32(r.cfg.ID), -1
	req.MaxWaitMillis = int32(r.cfg.FetchMaxWait.Millis())
	req.MaxBytes = fetchBytesMax
	req.SessionEpoch = -1 // no session
	req.Topics = []kmsg.FetchRequestTopic{t}

	r.fetch.corr++
	r.fetch.inFlight = r.fetch.corr
	out.Send(sim.ActorID(r.target(now)), sim.ChanRaft, r.fetch.corr, req, r.cfg.RequestTimeout)
}

// fetchFailed waits a little and asks again.
func (r *Replica) fetchFailed(now kafka.Instant, out *sim.Out) {
	r.fetch.inFlight = 0
	out.SetTimer(sim.Timer{Owner: sim.OwnerRaft, Kind: timerRetry}, now.Add(r.cfg.RetryBackoff))
}

// fetched handles the answer of a voter (KafkaRaftClient.handleFetchResponse).
func (r *Replica) fetched(now kafka.Instant, from kafka.NodeID, resp *kmsg.FetchResponse, out *sim.Out, m Machine) {
	if resp.ErrorCode != 0 || len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
		r.fetchFailed(now, out)
		return
	}
	p := &resp.Topics[0].Partitions[0]
	known := r.leader
	moved := r.follow(now, kafka.NodeID(p.CurrentLeader.LeaderID), kafka.LeaderEpoch(p.CurrentLeader.LeaderEpoch), m)
	switch code := kafka.ErrorCode(p.ErrorCode); {
	case code != kafka.None && moved:
		r.fetch.inFlight = 0 // ask the leader that it named
		r.sendFetch(now, out, m)
		return
	case code != kafka.None:
		if known != kafka.NoNode {
			out.Note(trace.Note{Kind: trace.FetchError, Topic: Partition.Topic, Node: r.cfg.ID, Peer: from, Err: code})
		}
		r.fetchFailed(now, out)
		return
	}
	r.fetch.inFlight = 0
	r.fetch.last = now
	if d := p.DivergingEpoch; d.EndOffset >= 0 && d.Epoch >= 0 {
		r.truncate(kafka.LeaderEpoch(d.Epoch), kafka.Offset(d.EndOffset), out, m)
	} else {
		r.appendFetched(now, p, m)
	}
	r.sendFetch(now, out, m)
}

// follow adopts a leader or an epoch that is news, durably, and reports whether
// it was (KafkaRaftClient.maybeTransition).
func (r *Replica) follow(now kafka.Instant, leader kafka.NodeID, epoch kafka.LeaderEpoch, m Machine) bool {
	if epoch < r.epoch || epoch == r.epoch && (leader == kafka.NoNode || leader == r.leader) {
		return false
	}
	r.epoch, r.leader = epoch, leader
	*m.Quorum = QuorumState{LeaderEpoch: epoch, LeaderID: leader, VotedID: kafka.NoNode}
	r.state = Unattached
	if leader != kafka.NoNode {
		r.state = Observer
		if r.cfg.Voter() {
			r.state = Follower
		}
		r.fetch.last = now
	}
	return true
}

// truncate cuts the log back to where it agrees with the leader's: a point
// that lies before the divergence, perhaps not the last; the next fetch goes on
// from there (KafkaMetadataLog.truncateToEndOffset).
func (r *Replica) truncate(epoch kafka.LeaderEpoch, end kafka.Offset, out *sim.Out, m Machine) {
	log := m.Dir.MutableAt(r.slot)
	old := log.LEO()
	ownEpoch, ownEnd := log.EndOffsetForEpoch(epoch, old)
	to := ownEnd
	if ownEpoch == epoch {
		to = min(ownEnd, end)
	}
	if ownEpoch == kafka.NoEpoch { // nothing of that epoch or an older one
		to = log.LogStart()
	}
	if to < r.hw {
		panic(fmt.Sprintf("raft: node %d would truncate to %d below its high watermark %d", r.cfg.ID, to, r.hw))
	}
	log.TruncateTo(to)
	out.Note(trace.Note{Kind: trace.Truncated, Topic: Partition.Topic, Node: r.cfg.ID, Offset: to, From: old, Epoch: epoch})
}

// appendFetched appends what came and takes the leader's high watermark, as far
// as its own log reaches. Observers leave flushing to the operating system.
func (r *Replica) appendFetched(now kafka.Instant, p *kmsg.FetchResponseTopicPartition, m Machine) {
	log := m.Dir.At(r.slot)
	if len(p.RecordBatches) > 0 {
		log = m.Dir.MutableAt(r.slot)
		if _, _, err := log.AppendAsFollower(now, p.RecordBatches); err != nil {
			panic(fmt.Sprintf("raft: node %d: %v", r.cfg.ID, err))
		}
	}
	r.raiseHW(min(kafka.Offset(p.HighWatermark), log.LEO()))
}
