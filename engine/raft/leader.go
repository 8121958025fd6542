package raft

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// leading is a leader's state (raft/LeaderState.java, BatchAccumulator.java).
type leading struct {
	start    kafka.Offset // where its epoch begins
	end      kafka.Offset // its own end offset: what it has flushed
	flushing bool         // an fsync is under way, up to the log's end
	pending  []metadata.Record
	pendAt   kafka.Instant  // when the first of them came
	force    bool           // drain without waiting for linger
	replicas []Progress     // sorted by ID and Directory
	parked   []parked       // in order of arrival
	fetched  []kafka.NodeID // voters that fetched since the last check of the quorum, by id
	change   change         // of the voters, under way
}

// Progress is what a leader knows of a replica that fetches from it.
type Progress struct {
	ID           kafka.NodeID
	Directory    [16]byte
	End          kafka.Offset  // its log end offset, by its last fetch
	LastFetch    kafka.Instant // when that came
	LastCaughtUp kafka.Instant // when it last had all that the leader had then; -Never if never
	leaderEnd    kafka.Offset  // the leader's log end offset when that fetch came
}

// parked is a fetch that found nothing new.
type parked struct {
	conn     sim.ConnID
	corr     int32
	version  int16
	id       kafka.NodeID
	offset   kafka.Offset
	maxBytes int32
	hw       kafka.Offset // what the follower knew; KIP-1166
	until    kafka.Instant
}

func (l *leading) clone() leading {
	c := *l
	c.pending = slices.Clone(l.pending)
	c.replicas = slices.Clone(l.replicas)
	c.parked = slices.Clone(l.parked)
	c.fetched = slices.Clone(l.fetched)
	return c
}

func (l *leading) digest(h *sim.Hash) {
	h.Int(int64(l.start))
	h.Int(int64(l.end))
	h.Bool(l.flushing)
	h.Bool(l.force)
	h.Int(int64(l.pendAt))
	h.Int(int64(len(l.pending)))
	for _, p := range l.pending {
		h.Bytes(metadata.Encode(nil, p))
	}
	h.Int(int64(len(l.replicas)))
	for _, p := range l.replicas {
		h.Int(int64(p.ID))
		h.Bytes(p.Directory[:])
		h.Int(int64(p.End))
		h.Int(int64(p.LastFetch))
		h.Int(int64(p.LastCaughtUp))
		h.Int(int64(p.leaderEnd))
	}
	digestIDs(h, l.fetched)
	l.change.digest(h)
	h.Int(int64(len(l.parked)))
	for _, p := range l.parked {
		h.Uint64(uint64(p.conn))
		h.Int(int64(p.corr))
		h.Int(int64(p.version))
		h.Int(int64(p.id))
		h.Int(int64(p.offset))
		h.Int(int64(p.maxBytes))
		h.Int(int64(p.hw))
		h.Int(int64(p.until))
	}
}

// toLeader writes the LeaderChange record, at once and before anything else:
// nothing of older epochs counts as committed before it is. Voters that came
// with the formatting of the disk are written with it, for everybody to have.
func (r *Replica) toLeader(now kafka.Instant, out *sim.Out, m Machine) {
	msg := r.leaderChange()
	r.enter(now, Leader, r.checkQuorumTimeout(), out, m)
	r.leader = r.cfg.ID
	r.persist(m)
	end := m.Dir.At(r.slot).LEO()
	r.lead = leading{start: end, end: end}
	out.Note(trace.Note{Kind: trace.QuorumLeader, Node: r.cfg.ID, Epoch: r.epoch})
	recs := []record.Record{controlRecord(record.ControlLeaderChange, msg.AppendTo(nil), now.UnixMilli())}
	if len(r.sets) == 1 && r.sets[0].offset < 0 && end == 0 {
		recs = append(recs, controlRecord(record.ControlKRaftVersion, kraftVersion1, now.UnixMilli()),
			controlRecord(record.ControlKRaftVoters, encodeVoters(r.voters), now.UnixMilli()))
	}
	r.write(now, out, m, record.Build(record.BatchSpec{Control: true, Records: recs}))
	r.begin(now, out)
	if r.stopBy != kafka.Never { // it was elected while it ended (KafkaRaftClient.pollLeader)
		r.toResigned(now, out, m)
	}
}

// leaderChange says who leads, who votes, and who has voted for it. With
// kraft.version 1 it names directories as well (common/KRaftVersion.leaderChangeVersion).
func (r *Replica) leaderChange() kmsg.LeaderChangeMessage {
	msg := kmsg.NewLeaderChangeMessage()
	msg.LeaderID = int32(r.cfg.ID)
	if r.dynamic() {
		msg.Version = 1
	}
	for _, v := range r.ballot {
		e := kmsg.LeaderChangeMessageVoter{VoterID: int32(v.id), VoterDirectoryID: r.directoryOf(v.id)}
		msg.Voters = append(msg.Voters, e)
		if v.state == granted {
			msg.GrantingVoters = append(msg.GrantingVoters, e)
		}
	}
	return msg
}

// abandon ends a leadership: who waits for records is told that this is not the
// leader any more, and what was not written yet is forgotten.
func (r *Replica) abandon(out *sim.Out) {
	for i := range r.lead.parked {
		f := &r.lead.parked[i]
		out.Reply(f.conn, f.corr, r.fetchResponse(f.version, kafka.NotLeaderOrFollower))
	}
	r.endChange(refusal{kafka.NotLeaderOrFollower, ""}, out)
	if r.lead.flushing { // its next fetch must not speak of what is not flushed
		r.fetch.flushing, r.fetch.hw = true, kafka.NoOffset
	}
	r.lead = leading{}
	out.ClearTimer(sim.Timer{Owner: sim.OwnerRaft, Kind: timerLinger})
	out.ClearTimer(sim.Timer{Owner: sim.OwnerRaft, Kind: timerParked})
	out.ClearTimer(sim.Timer{Owner: sim.OwnerRaft, Kind: timerBegin})
}

// IsLeader reports whether the replica leads the quorum.
func (r *Replica) IsLeader() bool { return r.state == Leader }

// Ready reports whether the replica leads and its owner has been given all that
// was committed before its epoch: then the owner may act (KafkaRaftClient
// maybeFireLeaderChange).
func (r *Replica) Ready() bool {
	return r.state == Leader && r.hw > r.lead.start && r.taken > r.lead.start && !r.snap.load
}

// NextOffset is the offset that the next appended record will get.
func (r *Replica) NextOffset(m Machine) kafka.Offset {
	return m.Dir.At(r.slot).LEO() + kafka.Offset(len(r.lead.pending))
}

// Append takes records that belong together, in one batch, and returns the
// offset of the last. They are written after AppendLinger, with what else came
// until then, flushed, and committed then. It panics unless the replica leads.
func (r *Replica) Append(now kafka.Instant, out *sim.Out, m Machine, records []metadata.Record) kafka.Offset {
	if r.state != Leader {
		panic(fmt.Sprintf("raft: node %d appends as %v", r.cfg.ID, r.state))
	}
	if len(r.lead.pending) == 0 && len(records) > 0 {
		r.lead.pendAt = now
		out.After(sim.Timer{Owner: sim.OwnerRaft, Kind: timerLinger}, r.cfg.AppendLinger)
	}
	r.lead.pending = append(r.lead.pending, records...)
	return r.NextOffset(m) - 1
}

// drain writes the gathered records as one batch, once the disk is free.
func (r *Replica) drain(now kafka.Instant, out *sim.Out, m Machine) {
	l := &r.lead
	if len(l.pending) == 0 || l.flushing {
		return // flushed looks again
	}
	recs := make([]record.Record, len(l.pending))
	for i, p := range l.pending {
		recs[i] = record.Record{Timestamp: l.pendAt.UnixMilli(), Value: metadata.Encode(nil, p)}
	}
	l.pending = nil
	r.write(now, out, m, record.Build(record.BatchSpec{Records: recs}))
}

// write appends a batch and flushes it. Kafka's leader does nothing else until
// the fsync is done; here what comes meanwhile waits for it.
func (r *Replica) write(now kafka.Instant, out *sim.Out, m Machine, batch []byte) {
	if _, _, err := m.Dir.MutableAt(r.slot).AppendAsLeader(now, batch, r.epoch); err != nil {
		panic("raft: append: " + err.Error())
	}
	r.scanAppended(now, out, m)
	r.lead.flushing = true
	if done := m.Disk.Fsync(now, len(batch)); done > now {
		out.SetTimer(sim.Timer{Owner: sim.OwnerRaft, Kind: timerFlush}, done)
		return
	}
	r.flushed(now, out, m)
}

// flushed makes the last append count: the leader's own end offset moves, with
// it the high watermark, and with it the followers.
func (r *Replica) flushed(now kafka.Instant, out *sim.Out, m Machine) {
	log := m.Dir.MutableAt(r.slot)
	log.Flush()
	r.lead.flushing = false
	r.lead.end = log.LEO()
	r.updateHW()
	r.changed(now, out, m)
	if r.state != Leader {
		return
	}
	r.answerParked(now, out, m)
	if len(r.lead.pending) > 0 && now >= r.lead.pendAt.Add(r.cfg.AppendLinger) {
		r.drain(now, out, m)
	}
}

// updateHW sets the high watermark to the offset that a majority of voters
// have, if the majority has a record of this epoch (LeaderState.maybeUpdateHighWatermark).
func (r *Replica) updateHW() {
	var buf [16]kafka.Offset
	ends := buf[:0]
	for _, v := range r.voters {
		switch i, ok := r.progress(v.ID, v.Directory); {
		case v.ID == r.cfg.ID:
			ends = append(ends, r.lead.end)
		case ok:
			ends = append(ends, r.lead.replicas[i].End)
		default:
			ends = append(ends, 0)
		}
	}
	slices.Sort(ends)
	if hw := ends[(len(ends)-1)/2]; hw > r.lead.start { // descending, element floor(n/2)
		r.raiseHW(hw)
	}
}

// progress finds what the leader knows of a replica: one with another directory is
// another replica (raft/ReplicaKey.java). No directory means any, as of static voters.
func (r *Replica) progress(id kafka.NodeID, directory [16]byte) (int, bool) {
	return slices.BinarySearchFunc(r.lead.replicas, id, func(p Progress, id kafka.NodeID) int {
		if p.ID != id || directory == [16]byte{} {
			return int(p.ID - id)
		}
		return bytes.Compare(p.Directory[:], directory[:])
	})
}

// Replicas lists who fetches from this leader, by id; it must not be changed.
func (r *Replica) Replicas() []Progress {
	if r.state != Leader {
		return nil
	}
	return r.lead.replicas
}
