package raft_test

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/raft"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// alone drives the replica of one node by hand, on a disk that costs nothing.
type alone struct {
	t    *testing.T
	h    *host
	now  kafka.Instant
	sent []sim.Sent // by the last step
}

func newAlone(t *testing.T, id kafka.NodeID, voters ...kafka.NodeID) *alone {
	a := &alone{t: t, h: newHost(id, voters, nil, 1)}
	a.h.disk.FsyncLatency, a.h.disk.Bandwidth = 0, 0
	return a
}

// write puts records of an epoch into the log before the node starts.
func (a *alone) write(epoch kafka.LeaderEpoch, n int) {
	slot, ok := a.h.dir.Slot(raft.Partition)
	if !ok {
		slot, _ = a.h.dir.Create(0, raft.Partition, raft.TopicID, storage.DefaultConfig())
	}
	recs := make([]record.Record, n)
	for i := range recs {
		recs[i].Value = metadata.Encode(nil, &metadata.NoOpRecord{})
	}
	if _, _, err := a.h.dir.MutableAt(slot).AppendAsLeader(0, record.Build(record.BatchSpec{Records: recs}), epoch); err != nil {
		a.t.Fatal(err)
	}
	a.h.dir.MutableAt(slot).Flush()
}

func (a *alone) step(in *sim.Input) {
	out := sim.NewOut(a.now, sim.ActorID(a.h.id))
	a.h.Step(a.now, in, out)
	a.sent = out.Messages()
}

func (a *alone) boot() { a.step(&sim.Input{Kind: sim.InputBoot}) }

// timeOut lets the deadline pass.
func (a *alone) timeOut() {
	a.now = a.now.Add(10 * kafka.Second)
	const timerDeadline = 4
	a.step(&sim.Input{Kind: sim.InputTimer, Timer: sim.Timer{Owner: sim.OwnerRaft, Kind: timerDeadline}})
}

// ask hands the node a request and returns its answer, nil if it waits.
func (a *alone) ask(req kmsg.Request) kmsg.Response {
	a.step(&sim.Input{Kind: sim.InputRequest, Channel: sim.ChanRaft, Conn: 1, Corr: 7, Request: req})
	for _, s := range a.sent {
		if s.Response != nil && s.Corr == 7 {
			return s.Response
		}
	}
	return nil
}

// grant has a voter grant the vote, or pre-vote, that the last step asked it for.
func (a *alone) grant(from kafka.NodeID) {
	for _, s := range a.sent {
		if _, ok := s.Request.(*kmsg.VoteRequest); ok && s.To.Node() == from {
			resp := vote(a.h.r.Epoch(), true)
			a.step(&sim.Input{Kind: sim.InputResponse, Channel: sim.ChanRaft, From: s.To, Corr: s.Corr, Response: resp})
			return
		}
	}
	a.t.Fatalf("no vote was asked of %d", from)
}

func vote(epoch kafka.LeaderEpoch, granted bool) *kmsg.VoteResponse {
	return &kmsg.VoteResponse{Version: 2, Topics: []kmsg.VoteResponseTopic{{Topic: raft.Partition.Topic, Partitions: []kmsg.VoteResponseTopicPartition{{
		LeaderID: -1, LeaderEpoch: int32(epoch), VoteGranted: granted,
	}}}}}
}

func voteRequest(candidate, to kafka.NodeID, epoch, lastEpoch kafka.LeaderEpoch, end kafka.Offset) *kmsg.VoteRequest {
	p := kmsg.NewVoteRequestTopicPartition()
	p.CandidateID, p.CandidateEpoch, p.LastOffsetEpoch, p.LastOffset = int32(candidate), int32(epoch), int32(lastEpoch), int64(end)
	req := kmsg.NewPtrVoteRequest()
	req.Version, req.VoterID = 2, int32(to)
	req.Topics = []kmsg.VoteRequestTopic{{Topic: raft.Partition.Topic, Partitions: []kmsg.VoteRequestTopicPartition{p}}}
	return req
}

func fetchRequest(from kafka.NodeID, epoch kafka.LeaderEpoch, offset kafka.Offset, last kafka.LeaderEpoch) *kmsg.FetchRequest {
	p := kmsg.NewFetchRequestTopicPartition()
	p.CurrentLeaderEpoch, p.FetchOffset, p.LastFetchedEpoch, p.HighWatermark = int32(epoch), int64(offset), int32(last), -1
	p.PartitionMaxBytes = 1 << 20
	req := kmsg.NewPtrFetchRequest()
	req.Version, req.ReplicaState.ID = 18, int32(from)
	req.Topics = []kmsg.FetchRequestTopic{{TopicID: raft.TopicID, Partitions: []kmsg.FetchRequestTopicPartition{p}}}
	return req
}

func (a *alone) granted(req *kmsg.VoteRequest) bool {
	resp, ok := a.ask(req).(*kmsg.VoteResponse)
	if !ok {
		a.t.Fatal("no answer")
	}
	return resp.Topics[0].Partitions[0].VoteGranted
}

// A vote is durable before it is given: after a crash nobody else gets one in the
// same epoch, the same candidate does.
func TestVoteSurvivesCrash(t *testing.T) {
	a := newAlone(t, 101, 101, 102, 103)
	a.boot()
	if !a.granted(voteRequest(102, 101, 5, 0, 0)) {
		t.Fatal("the first candidate got no vote")
	}
	a.h.crash(true)
	a.boot()
	if a.granted(voteRequest(103, 101, 5, 0, 0)) {
		t.Error("two candidates got a vote in one epoch")
	}
	if !a.granted(voteRequest(102, 101, 5, 0, 0)) {
		t.Error("the candidate that has the vote did not get it again")
	}
}

// Records of older epochs are not committed by counting who has them: the leader
// must get a record of its own epoch to a majority first.
func TestHighWatermarkNeedsOwnEpoch(t *testing.T) {
	a := newAlone(t, 101, 101, 102, 103)
	a.write(1, 3)
	a.write(2, 2) // offsets 3 and 4
	a.h.quorum = raft.QuorumState{LeaderEpoch: 2, LeaderID: kafka.NoNode, VotedID: kafka.NoNode}
	a.boot()
	a.timeOut()  // Prospective
	a.grant(102) // Candidate in epoch 3
	a.grant(102) // Leader; its LeaderChange is at offset 5
	if !a.h.r.IsLeader() || a.h.r.Epoch() != 3 {
		t.Fatal(a.h)
	}
	for _, c := range []struct {
		offset kafka.Offset
		last   kafka.LeaderEpoch
		hw     kafka.Offset
	}{{3, 1, kafka.NoOffset}, {5, 2, kafka.NoOffset}, {6, 3, 6}} {
		a.ask(fetchRequest(102, 3, c.offset, c.last))
		if hw := a.h.r.HW(); hw != c.hw {
			t.Errorf("102 has fetched up to %d: high watermark %d, want %d", c.offset, hw, c.hw)
		}
	}
}

// A replica whose log does not reach into what the leader still has, or went
// another way before it, is sent to the snapshot (ReplicatedLog.validateOffsetAndEpoch).
func TestFetchBelowSnapshot(t *testing.T) {
	a := newAlone(t, 101, 101)
	a.write(1, 4)
	a.write(3, 6)
	a.boot() // leads in epoch 4: LeaderChange at 10
	m := a.h.machine()
	a.h.r.WriteSnapshot(a.now, sim.NewOut(a.now, 101), m, nil) // end 11, epoch 4
	a.h.crash(false)
	log := a.h.dir.MutableAt(0)
	log.Recover()
	if _, err := log.SetLogStart(11); err != nil {
		t.Fatal(err)
	}
	log.Close()
	a.boot() // leads in epoch 5: LeaderChange at 11
	for _, c := range []struct {
		offset   kafka.Offset
		last     kafka.LeaderEpoch
		snapshot bool
	}{
		{0, 0, true}, {4, 1, true}, {11, 3, true}, {12, 3, true}, {13, 1, true}, {11, 4, false}, {12, 5, false},
	} {
		resp, _ := a.ask(fetchRequest(1, 5, c.offset, c.last)).(*kmsg.FetchResponse)
		got := resp != nil && resp.Topics[0].Partitions[0].SnapshotID.EndOffset == 11
		if got != c.snapshot {
			t.Errorf("offset %d of epoch %d: snapshot %v, want %v: %+v", c.offset, c.last, got, c.snapshot, resp)
		}
	}
}

// An empty log is sent to the snapshot even while all records are still there; one
// that has something, or a leader with the snapshot of a formatted disk only, goes on
// with records (KafkaRaftClient.tryCompleteFetchRequest).
func TestEmptyLogGetsSnapshot(t *testing.T) {
	a := newAlone(t, 101, 101)
	a.write(1, 4)
	a.boot() // leads in epoch 2: LeaderChange at 4
	fetch := func(offset kafka.Offset, last kafka.LeaderEpoch) kafka.Offset {
		resp, _ := a.ask(fetchRequest(1, a.h.r.Epoch(), offset, last)).(*kmsg.FetchResponse)
		p := &resp.Topics[0].Partitions[0]
		if p.SnapshotID.EndOffset < 0 && len(p.RecordBatches) == 0 {
			t.Errorf("offset %d: neither snapshot nor records: %+v", offset, p)
		}
		return kafka.Offset(p.SnapshotID.EndOffset)
	}
	if got := fetch(0, 0); got != -1 {
		t.Errorf("without a snapshot: snapshot %d", got)
	}
	a.h.r.WriteSnapshot(a.now, sim.NewOut(a.now, 101), a.h.machine(), nil)
	if got := fetch(0, 0); got != 5 {
		t.Errorf("empty log: snapshot %d, want 5", got)
	}
	if got := fetch(4, 1); got != -1 {
		t.Errorf("log of 4: snapshot %d, want records", got)
	}
}

// A fetch that no replica could send is refused (KafkaRaftClient.handleFetchRequest).
func TestImpossibleFetch(t *testing.T) {
	a := newAlone(t, 101, 101)
	a.boot()
	for name, req := range map[string]*kmsg.FetchRequest{
		"offset": fetchRequest(1, 1, -1, 0), "epoch": fetchRequest(1, 1, 0, -1), "newer epoch": fetchRequest(1, 1, 1, 2),
	} {
		resp, _ := a.ask(req).(*kmsg.FetchResponse)
		if code := kafka.ErrorCode(resp.Topics[0].Partitions[0].ErrorCode); code != kafka.InvalidRequest {
			t.Errorf("%s: %v", name, code)
		}
	}
}
