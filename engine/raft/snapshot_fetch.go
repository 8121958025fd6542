package raft

import (
	"fmt"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// snapshotFetch is a snapshot that is being fetched from the leader, piece by
// piece (FollowerState.fetchingSnapshot).
type snapshotFetch struct {
	on   bool
	id   SnapshotID
	data []byte
}

func (r *Replica) snapshotRequest() *kmsg.FetchSnapshotRequest {
	s := &r.fetch.snapshot
	p := kmsg.NewFetchSnapshotRequestTopicPartition()
	p.CurrentLeaderEpoch, p.Position = int32(r.epoch), int64(len(s.data))
	p.SnapshotID.EndOffset, p.SnapshotID.Epoch = int64(s.id.End), int32(s.id.Epoch)
	p.ReplicaDirectoryID = r.cfg.Directory
	t := kmsg.NewFetchSnapshotRequestTopic()
	t.Topic = Partition.Topic
	t.Partitions = []kmsg.FetchSnapshotRequestTopicPartition{p}
	req := kmsg.NewPtrFetchSnapshotRequest()
	req.ClusterID = r.clusterID()
	req.Version, req.ReplicaID, req.MaxBytes = 1, int32(r.cfg.ID), fetchBytesMax
	req.Topics = []kmsg.FetchSnapshotRequestTopic{t}
	return req
}

// snapshotAsked answers with a piece of a snapshot (handleFetchSnapshotRequest).
func (r *Replica) snapshotAsked(now kafka.Instant, req *kmsg.FetchSnapshotRequest, out *sim.Out, m Machine) *kmsg.FetchSnapshotResponse {
	resp := req.ResponseKind().(*kmsg.FetchSnapshotResponse)
	if len(req.Topics) != 1 || req.Topics[0].Topic != Partition.Topic || len(req.Topics[0].Partitions) != 1 {
		resp.ErrorCode = int16(kafka.InvalidRequest)
		return resp
	}
	if code := r.sameCluster(req.ClusterID); code != kafka.None {
		resp.ErrorCode = int16(code)
		return resp
	}
	p := &req.Topics[0].Partitions[0]
	e := kmsg.NewFetchSnapshotResponseTopicPartition()
	e.CurrentLeader.LeaderID, e.CurrentLeader.LeaderEpoch = int32(r.leader), int32(r.epoch)
	id := SnapshotID{kafka.Offset(p.SnapshotID.EndOffset), kafka.LeaderEpoch(p.SnapshotID.Epoch)}
	s, found := m.Snapshots.find(id)
	code := r.validate(kafka.LeaderEpoch(p.CurrentLeaderEpoch))
	switch {
	case code != kafka.None:
	case !found:
		code = kafka.SnapshotNotFound
	case p.Position < 0 || p.Position >= int64(len(s.Data)):
		code = kafka.PositionOutOfRange
	default:
		r.noteFetch(now, kafka.NodeID(req.ReplicaID), p.ReplicaDirectoryID, out)
		e.SnapshotID.EndOffset, e.SnapshotID.Epoch = int64(id.End), int32(id.Epoch)
		e.Size, e.Position = int64(len(s.Data)), p.Position
		e.Bytes = s.Data[p.Position:min(int64(len(s.Data)), p.Position+int64(req.MaxBytes))]
	}
	e.ErrorCode = int16(code)
	resp.Topics = []kmsg.FetchSnapshotResponseTopic{{Topic: Partition.Topic, Partitions: []kmsg.FetchSnapshotResponseTopicPartition{e}}}
	return resp
}

// snapshotFetched takes a piece of a snapshot; with the last one the log begins
// anew behind it (handleFetchSnapshotResponse).
func (r *Replica) snapshotFetched(now kafka.Instant, resp *kmsg.FetchSnapshotResponse, out *sim.Out, m Machine) bool {
	if resp.ErrorCode != 0 || len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
		return false
	}
	p := &resp.Topics[0].Partitions[0]
	code := kafka.ErrorCode(p.ErrorCode)
	if done, ok := r.common(now, code, kafka.NodeID(p.CurrentLeader.LeaderID), kafka.LeaderEpoch(p.CurrentLeader.LeaderEpoch), out, m); done {
		return ok
	}
	s := &r.fetch.snapshot
	if !s.on {
		return true
	}
	r.heard(now, out)
	id := SnapshotID{kafka.Offset(p.SnapshotID.EndOffset), kafka.LeaderEpoch(p.SnapshotID.Epoch)}
	if code != kafka.None || id != s.id || p.Position != int64(len(s.data)) { // the leader has deleted it: ask for the log again
		*s = snapshotFetch{}
		return code == kafka.SnapshotNotFound
	}
	s.data = append(s.data, p.Bytes...)
	if int64(len(s.data)) < p.Size {
		return true
	}
	r.install(now, out, m)
	return true
}

// install begins the log anew behind the snapshot that was fetched
// (KafkaMetadataLog.truncateToLatestSnapshot).
func (r *Replica) install(now kafka.Instant, out *sim.Out, m Machine) {
	s := Snapshot{ID: r.fetch.snapshot.id, Data: r.fetch.snapshot.data, At: now}
	r.fetch.snapshot = snapshotFetch{}
	if _, err := parseCheckpoint(s.Data); err != nil {
		panic(fmt.Sprintf("raft: node %d fetched %s: %v", r.cfg.ID, s.ID.File(), err))
	}
	if s.ID.End < r.hw {
		r.fault = fmt.Sprintf("attempt to begin at the snapshot that ends at offset %d, which is below the current high watermark %d", s.ID.End, r.hw)
		return
	}
	log := m.Dir.MutableAt(r.slot)
	out.Note(trace.Note{Kind: trace.SnapshotFetched, Topic: Partition.Topic, Node: r.cfg.ID, Peer: r.leader, Offset: s.ID.End, From: log.LEO(), Epoch: s.ID.Epoch})
	m.Snapshots.add(s)
	log.TruncateFullyAndStartAt(s.ID.End)
	log.Flush()
	log.Checkpoint()
	m.Snapshots.dropBefore(s.ID)
	r.raiseHW(s.ID.End)
	r.snap = snapshotting{last: now, load: true}
	r.rescan(m)
	r.scanAppended(now, out, m)
}
