package raft

import (
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// observerTimeout is after how long without a fetch an observer is not told of
// any more (LeaderState.OBSERVER_SESSION_TIMEOUT_MS).
const observerTimeout = 300 * kafka.Second

// ReplicaStatus is what a leader tells of a replica (DescribeQuorum).
type ReplicaStatus struct {
	Voter
	Observer     bool
	End          kafka.Offset  // log end offset; NoOffset: never heard of
	LastFetch    kafka.Instant // -Never: never
	LastCaughtUp kafka.Instant // -Never: never
}

// Describe appends the voters, then the observers that have fetched in the last
// five minutes, both by id, as DescribeQuorum does; none unless the replica leads.
func (r *Replica) Describe(now kafka.Instant, all []ReplicaStatus) []ReplicaStatus {
	if r.state != Leader {
		return all
	}
	for _, v := range r.voters {
		s := ReplicaStatus{Voter: v, End: kafka.NoOffset, LastFetch: -kafka.Never, LastCaughtUp: -kafka.Never}
		if i, ok := r.progress(v.ID, v.Directory); v.is(r.cfg.ID, r.cfg.Directory) {
			s.End, s.LastFetch, s.LastCaughtUp = r.lead.end, now, now
		} else if ok {
			p := &r.lead.replicas[i]
			s.End, s.LastFetch, s.LastCaughtUp = p.End, p.LastFetch, p.LastCaughtUp
		}
		all = append(all, s)
	}
	for _, p := range r.lead.replicas {
		if !r.isVoterKey(p.ID, p.Directory) && now < p.LastFetch.Add(observerTimeout) {
			all = append(all, ReplicaStatus{Voter{ID: p.ID, Directory: p.Directory}, true, p.End, p.LastFetch, p.LastCaughtUp})
		}
	}
	return all
}

// describe answers DescribeQuorum (handleDescribeQuorumRequest).
func (r *Replica) describe(now kafka.Instant, req *kmsg.DescribeQuorumRequest) *kmsg.DescribeQuorumResponse {
	resp := &kmsg.DescribeQuorumResponse{Version: req.Version}
	if r.state != Leader {
		resp.ErrorCode = int16(kafka.NotLeaderOrFollower)
		return resp
	}
	p := kmsg.NewDescribeQuorumResponseTopicPartition()
	p.LeaderID, p.LeaderEpoch, p.HighWatermark = int32(r.cfg.ID), int32(r.epoch), int64(r.hw)
	ms := func(at kafka.Instant) int64 {
		if at == -kafka.Never {
			return -1
		}
		return at.UnixMilli()
	}
	for _, s := range r.Describe(now, nil) {
		e := kmsg.NewDescribeQuorumResponseTopicPartitionReplicaState()
		e.ReplicaID, e.ReplicaDirectoryID, e.LogEndOffset = int32(s.ID), s.Directory, int64(s.End)
		e.LastFetchTimestamp, e.LastCaughtUpTimestamp = ms(s.LastFetch), ms(s.LastCaughtUp)
		if s.Observer {
			p.Observers = append(p.Observers, e)
		} else {
			p.CurrentVoters = append(p.CurrentVoters, e)
		}
	}
	resp.Topics = []kmsg.DescribeQuorumResponseTopic{{Topic: Partition.Topic, Partitions: []kmsg.DescribeQuorumResponseTopicPartition{p}}}
	return resp
}

// votersText prints the ids of voters: {101,102,103}.
func votersText(vs []Voter) string {
	ids := make([]string, len(vs))
	for i, v := range vs {
		ids[i] = strconv.Itoa(int(v.ID))
	}
	return "{" + strings.Join(ids, ",") + "}"
}

// record1 is the batch of a VotersRecord.
func record1(value []byte, now kafka.Instant) []byte {
	return record.BuildControl(record.ControlKRaftVoters, value, now.UnixMilli())
}

// Bootstrap is the checkpoint with which kafka-storage.sh formats a controller's
// disk for dynamic voters (--initial-controllers): snapshot 0-0, which holds
// nothing but them (KIP-853).
func Bootstrap(voters []Voter) Snapshots {
	w := checkpointWriter{}
	w.batch(true, []record.Record{
		controlRecord(record.ControlSnapshotHeader, []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 0),
		controlRecord(record.ControlKRaftVersion, kraftVersion1, 0),
		controlRecord(record.ControlKRaftVoters, encodeVoters(voters), 0),
	})
	w.batch(true, []record.Record{controlRecord(record.ControlSnapshotFooter, []byte{0, 0, 0}, 0)})
	return Snapshots{list: []Snapshot{{Data: w.data}}}
}

// Vote is what a voter has said in the election that a replica stands for.
type Vote struct {
	Voter            kafka.NodeID
	Granted, Refused bool // neither: no answer yet
}

// Ballot appends the votes of the running election, by voter; none unless the
// replica is Prospective (then they are pre-votes, KIP-996) or Candidate.
func (r *Replica) Ballot(to []Vote) []Vote {
	if r.state != Prospective && r.state != Candidate {
		return to
	}
	for _, v := range r.ballot {
		to = append(to, Vote{v.id, v.state == granted, v.state == rejected})
	}
	return to
}
