package raft

import (
	"fmt"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// fetching is the state of a replica that follows or looks for a leader
// (raft/FollowerState.java, UnattachedState.java).
type fetching struct {
	inFlight int32         // correlation id of the fetch without an answer yet; 0 for none
	giveUp   kafka.Instant // when the next voter is asked instead, with no leader to fetch from; Never with one
	voter    int           // index of the voter asked last while the leader was unknown; -1: none yet
	last     kafka.Instant // when the leader last answered
	joinAt   kafka.Instant // when it asks to become a voter, if it does that by itself, or looks whether the voters call it what it is
	fetched  bool          // the leader has answered in this epoch: no pre-vote for others (KIP-996)
	failed   bool          // since the last good answer, and told
	flushing bool          // a voter's fsync of what it appended is under way
	hw       kafka.Offset  // high watermark to take when it is done; NoOffset for none
	snapshot snapshotFetch
}

func (f *fetching) digest(h *sim.Hash) {
	h.Int(int64(f.inFlight))
	h.Int(int64(f.giveUp))
	h.Int(int64(f.voter))
	h.Int(int64(f.last))
	h.Int(int64(f.joinAt))
	h.Bool(f.fetched)
	h.Bool(f.failed)
	h.Bool(f.flushing)
	h.Int(int64(f.hw))
	h.Int(int64(f.snapshot.id.End))
	h.Int(int64(f.snapshot.id.Epoch))
	h.Bool(f.snapshot.on)
	h.Bytes(f.snapshot.data)
}

// target is whom to fetch from: the leader, or, as long as none is known or the
// known one cannot be reached, the next voter, beginning with a random one: it may
// know a newer leader (KafkaRaftClient.maybeSendFetchToBestNode). NoNode: nobody can
// be asked now.
func (r *Replica) target(now kafka.Instant) kafka.NodeID {
	if (r.state == Follower || r.leader != kafka.NoNode && now < r.fetch.last.Add(r.cfg.FetchTimeout)) && r.ready(now, r.leader) {
		return r.leader
	}
	n := len(r.cfg.Voters)
	for range n {
		if r.fetch.voter < 0 {
			r.fetch.voter = int(r.rng.IntN(int64(n)))
		} else {
			r.fetch.voter = (r.fetch.voter + 1) % n
		}
		if id := r.cfg.Voters[r.fetch.voter]; id != r.cfg.ID && r.ready(now, id) {
			r.fetch.giveUp = now.Add(r.cfg.RequestTimeout)
			return id
		}
	}
	return kafka.NoNode
}

// search gives up a voter that was asked who leads and cannot be reached: a
// connection to a machine without power takes longer to fail than a request may
// wait for it (InterBrokerSendThread.failExpiredRequests).
func (r *Replica) search(now kafka.Instant, out *sim.Out) {
	if r.fetch.inFlight == 0 || now < r.fetch.giveUp {
		return
	}
	for i := range r.peers {
		if p := &r.peers[i]; p.corr == r.fetch.inFlight {
			p.corr, r.fetch.inFlight = 0, 0
			r.backOff(now, p.id, out)
			return
		}
	}
}

// sendFetch asks for what follows the end of its log, or for the next piece of
// the snapshot that is being fetched.
func (r *Replica) sendFetch(now kafka.Instant, out *sim.Out, m Machine) {
	r.search(now, out)
	if r.fetch.inFlight != 0 || r.fetch.flushing {
		return
	}
	r.fetch.giveUp = kafka.Never
	to := r.target(now)
	if r.fetch.giveUp != kafka.Never {
		out.SetTimer(sim.Timer{Owner: sim.OwnerRaft, Kind: timerRetry, A: int32(to)}, r.fetch.giveUp)
	}
	switch {
	case to == kafka.NoNode:
	case to == r.leader && r.joins(now):
		r.fetch.joinAt = now.Add(r.cfg.FetchTimeout)
		r.fetch.inFlight = r.send(to, r.joinRequest(), out)
	case to == r.leader && r.updates(now):
		r.fetch.joinAt = now.Add(r.cfg.FetchTimeout)
		r.fetch.inFlight = r.send(to, r.updateRequest(), out)
	case r.fetch.snapshot.on && to == r.leader:
		r.fetch.inFlight = r.send(to, r.snapshotRequest(), out)
	default:
		r.fetch.inFlight = r.send(to, r.fetchRequest(m), out)
	}
}

func (r *Replica) fetchRequest(m Machine) *kmsg.FetchRequest {
	log := m.Dir.At(r.slot)
	p := kmsg.NewFetchRequestTopicPartition()
	p.CurrentLeaderEpoch = int32(r.epoch)
	p.FetchOffset = int64(log.LEO())
	p.LastFetchedEpoch = int32(r.lastEpoch(m))
	p.LogStartOffset = int64(log.LogStart())
	p.PartitionMaxBytes = fetchBytesMax
	p.HighWatermark = int64(r.hw)
	p.ReplicaDirectoryID = r.cfg.Directory
	t := kmsg.NewFetchRequestTopic()
	t.TopicID = TopicID
	t.Partitions = []kmsg.FetchRequestTopicPartition{p}
	req := kmsg.NewPtrFetchRequest()
	req.Version, req.ClusterID = fetchVersion, r.clusterID()
	req.ReplicaState.ID, req.ReplicaState.Epoch = int32(r.cfg.ID), -1
	req.MaxWaitMillis = int32(r.cfg.FetchMaxWait.Millis())
	req.MaxBytes = fetchBytesMax
	req.SessionEpoch = -1 // no session
	req.Topics = []kmsg.FetchRequestTopic{t}
	return req
}

// fetched handles the answer to a fetch (KafkaRaftClient.handleFetchResponse).
func (r *Replica) fetched(now kafka.Instant, from kafka.NodeID, resp *kmsg.FetchResponse, out *sim.Out, m Machine) bool {
	if resp.ErrorCode != 0 || len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
		return false
	}
	p := &resp.Topics[0].Partitions[0]
	code, known := kafka.ErrorCode(p.ErrorCode), r.leader
	if done, ok := r.common(now, code, kafka.NodeID(p.CurrentLeader.LeaderID), kafka.LeaderEpoch(p.CurrentLeader.LeaderEpoch), out, m); done || code != kafka.None {
		if code != kafka.None && !ok && known != kafka.NoNode && !r.fetch.failed {
			r.fetch.failed = true
			out.Note(trace.Note{Kind: trace.FetchError, Topic: Partition.Topic, Node: r.cfg.ID, Peer: from, Err: code})
		}
		return ok
	}
	if r.state != Follower && r.state != Observer {
		return false
	}
	r.heard(now, out)
	switch d, s := p.DivergingEpoch, p.SnapshotID; {
	case d.EndOffset >= 0 && d.Epoch >= 0:
		r.truncate(now, kafka.LeaderEpoch(d.Epoch), kafka.Offset(d.EndOffset), out, m)
	case s.EndOffset >= 0 && s.Epoch >= 0:
		r.fetch.snapshot = snapshotFetch{on: true, id: SnapshotID{kafka.Offset(s.EndOffset), kafka.LeaderEpoch(s.Epoch)}}
	default:
		r.appendFetched(now, p, out, m)
	}
	return true
}

// heard notes that the leader answers.
func (r *Replica) heard(now kafka.Instant, out *sim.Out) {
	r.fetch.last, r.fetch.fetched, r.fetch.failed = now, true, false
	if r.state == Follower {
		r.setDeadline(now, r.cfg.FetchTimeout, out)
	}
}

// truncate cuts the log back to where it agrees with the leader's: a point
// that lies before the divergence, perhaps not the last; the next fetch goes on
// from there (KafkaMetadataLog.truncateToEndOffset).
func (r *Replica) truncate(now kafka.Instant, epoch kafka.LeaderEpoch, end kafka.Offset, out *sim.Out, m Machine) {
	log := m.Dir.MutableAt(r.slot)
	old := log.LEO()
	ownEpoch, ownEnd := log.EndOffsetForEpoch(epoch, old)
	to := ownEnd
	if ownEpoch == epoch {
		to = min(ownEnd, end)
	}
	if ownEpoch == kafka.NoEpoch { // newer than anything here, or nothing is here
		if to = log.LogStart(); epoch > log.LatestEpoch() {
			to = min(old, end)
		}
	}
	if to < r.hw { // KafkaRaftLog.truncateTo throws
		r.fault = fmt.Sprintf("attempt to truncate to offset %d, which is below the current high watermark %d", to, r.hw)
		return
	}
	log.TruncateTo(to)
	r.unscan(now, to, out)
	out.Note(trace.Note{Kind: trace.Truncated, Topic: Partition.Topic, Node: r.cfg.ID, Offset: to, From: old, Epoch: epoch})
}

// appendFetched appends what came and takes the leader's high watermark, as far
// as its own log reaches. Who is or can become a voter flushes first, for its next
// fetch says that it has the records; brokers leave that to the operating system.
func (r *Replica) appendFetched(now kafka.Instant, p *kmsg.FetchResponseTopicPartition, out *sim.Out, m Machine) {
	log := m.Dir.At(r.slot)
	r.fetch.hw = kafka.Offset(p.HighWatermark)
	if len(p.RecordBatches) > 0 {
		log = m.Dir.MutableAt(r.slot)
		if _, _, err := log.AppendAsFollower(now, p.RecordBatches); err != nil {
			panic(fmt.Sprintf("raft: node %d: %v", r.cfg.ID, err))
		}
		r.scanAppended(now, out, m)
		if r.state == Follower || r.cfg.CanBecomeVoter {
			if done := m.Disk.Fsync(now, len(p.RecordBatches)); done > now {
				r.fetch.flushing = true
				out.SetTimer(sim.Timer{Owner: sim.OwnerRaft, Kind: timerFlush}, done)
				if r.state == Follower { // Kafka's does nothing else until the fsync is done
					r.setDeadline(now, done.Sub(now)+r.cfg.FetchTimeout, out)
				}
				return
			}
			log.Flush()
		}
	}
	r.raiseHW(min(r.fetch.hw, log.LEO()))
}

// synced is called when an fsync is done.
func (r *Replica) synced(now kafka.Instant, out *sim.Out, m Machine) {
	if r.state == Leader && r.lead.flushing {
		r.fetch.flushing = false
		r.flushed(now, out, m)
		return
	}
	log := m.Dir.MutableAt(r.slot)
	log.Flush()
	if r.fetch.flushing {
		r.fetch.flushing = false
		r.raiseHW(min(r.fetch.hw, log.LEO()))
	}
}
