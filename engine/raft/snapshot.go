package raft

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
)

// SnapshotID says what a snapshot holds: all records below End, the last of
// which was written in Epoch (KIP-630).
type SnapshotID struct {
	End   kafka.Offset
	Epoch kafka.LeaderEpoch
}

// File is the snapshot's file name: 00000000000000007752-0000000001.checkpoint.
func (id SnapshotID) File() string { return fmt.Sprintf("%020d-%010d.checkpoint", id.End, id.Epoch) }

// Snapshot is a .checkpoint file. It is immutable, and durable once it is there.
type Snapshot struct {
	ID   SnapshotID
	Data []byte
	At   kafka.Instant // when the node wrote or fetched it
}

// lastTime is when the last record was written that the snapshot holds, as its
// header says: by that retention judges it, not by its file
// (Snapshots.lastContainedLogTimestamp). That of a formatted disk is as old as
// the disk.
func (s *Snapshot) lastTime() kafka.Instant {
	b, err := record.Frame(s.Data)
	if err != nil || s.ID.End == 0 {
		return s.At
	}
	for rec, err := range record.Records(b) {
		var c checkpointContent
		if err == nil && c.control(&rec) == nil {
			return kafka.InstantOfUnixMilli(c.lastTime)
		}
		break
	}
	return s.At
}

// Snapshots are the snapshots in a node's metadata log directory, oldest first.
type Snapshots struct{ list []Snapshot }

// List returns them; it must not be changed.
func (s *Snapshots) List() []Snapshot { return s.list }

// Latest is the newest one.
func (s *Snapshots) Latest() (Snapshot, bool) {
	if len(s.list) == 0 {
		return Snapshot{}, false
	}
	return s.list[len(s.list)-1], true
}

func (s *Snapshots) find(id SnapshotID) (Snapshot, bool) {
	for _, f := range s.list {
		if f.ID == id {
			return f, true
		}
	}
	return Snapshot{}, false
}

func (s *Snapshots) add(f Snapshot) {
	at := len(s.list)
	for at > 0 && s.list[at-1].ID.End >= f.ID.End {
		at--
	}
	s.list = append(s.list[:at:at], f)
}

func (s *Snapshots) dropBefore(id SnapshotID) {
	n := 0
	for n < len(s.list) && s.list[n].ID.End < id.End {
		n++
	}
	s.list = slices.Clone(s.list[n:])
}

func (s *Snapshots) bytes() (n int64) {
	for _, f := range s.list {
		n += int64(len(f.Data))
	}
	return n
}

// Clone returns a copy that shares the files.
func (s *Snapshots) Clone() Snapshots { return Snapshots{slices.Clip(s.list)} }

// Digest writes which files there are, and what is in them.
func (s *Snapshots) Digest(h *sim.Hash) {
	h.Int(int64(len(s.list)))
	for _, f := range s.list {
		h.Int(int64(f.ID.End))
		h.Int(int64(f.ID.Epoch))
		h.Int(int64(f.At))
		h.Bytes(f.Data)
	}
}

// snapshotting is when a replica's owner should write a snapshot.
type snapshotting struct {
	bytes int64         // committed since the last one
	last  kafka.Instant // when that was, or the process began
	load  bool          // the owner must take the latest one before it goes on
}

// SnapshotDue reports whether the owner should write a snapshot of what it was
// given (image/publisher/SnapshotGenerator.java).
func (r *Replica) SnapshotDue(now kafka.Instant) bool {
	s := &r.snap
	return !s.load && (s.bytes >= r.cfg.SnapshotBytes ||
		r.cfg.SnapshotInterval > 0 && s.bytes > 0 && now >= s.last.Add(r.cfg.SnapshotInterval))
}

// WriteSnapshot writes a snapshot of everything below Taken, as records that make
// an image of it, and deletes what retention no longer keeps.
func (r *Replica) WriteSnapshot(now kafka.Instant, out *sim.Out, m Machine, records []metadata.Record) {
	log := m.Dir.At(r.slot)
	b, ok := log.BatchAt(r.taken - 1)
	if !ok {
		return // the snapshot that it began with is still all that there is
	}
	id := SnapshotID{End: r.taken, Epoch: b.Raw.LeaderEpoch()}
	r.snap = snapshotting{last: now}
	m.Snapshots.add(Snapshot{ID: id, At: now, Data: r.checkpoint(id, b.Raw.MaxTimestamp(), now.UnixMilli(), records)})
	out.Note(trace.Note{Kind: trace.SnapshotWritten, Topic: Partition.Topic, Node: r.cfg.ID, Offset: id.End, Epoch: id.Epoch, N: int64(len(records))})
	r.clean(now, out, m)
}

// clean deletes the oldest snapshots, and the log before the next, while what
// is kept is too large or too old; the latest stays (KafkaMetadataLog.maybeClean).
// Kafka looks once a minute; here it is looked when a snapshot is written.
func (r *Replica) clean(now kafka.Instant, out *sim.Out, m Machine) {
	for len(m.Snapshots.list) >= 2 {
		first, next := m.Snapshots.list[0], m.Snapshots.list[1].ID
		log := m.Dir.At(r.slot)
		large := r.cfg.RetentionBytes >= 0 && log.Size()+m.Snapshots.bytes() > r.cfg.RetentionBytes
		old := r.cfg.RetentionTime >= 0 && now > first.lastTime().Add(r.cfg.RetentionTime)
		if !large && !old {
			return
		}
		from := log.LogStart()
		log = m.Dir.MutableAt(r.slot)
		if moved, err := log.SetLogStart(next.End); err != nil {
			panic("raft: " + err.Error())
		} else if moved {
			log.DeleteOldSegments(next.End)
			log.Checkpoint()
			out.Note(trace.Note{Kind: trace.LogStartMoved, Topic: Partition.Topic, Node: r.cfg.ID, Offset: next.End, From: from})
		}
		m.Snapshots.dropBefore(next)
	}
}

// loadSnapshot makes the log fit the latest snapshot when the process starts,
// and has the owner begin with it.
func (r *Replica) loadSnapshot(now kafka.Instant, m Machine) {
	r.snap = snapshotting{last: now}
	s, ok := m.Snapshots.Latest()
	if log := m.Dir.At(r.slot); ok && (s.ID.End > log.LEO() || s.ID.End == log.LEO() && s.ID.Epoch > log.LatestEpoch()) && s.ID.End > 0 {
		log = m.Dir.MutableAt(r.slot)
		log.TruncateFullyAndStartAt(s.ID.End)
		log.Checkpoint()
	}
	r.taken = m.Dir.At(r.slot).LogStart()
	r.snap.load = ok && s.ID.End > 0
}

// TakeSnapshot returns the records of the latest snapshot if the owner must begin
// anew with it: at the start of the process, and when a leader had no records
// any more that this replica asked for. TakeCommitted goes on behind it.
// last is the offset of the last record that the snapshot holds (metadata.Load).
func (r *Replica) TakeSnapshot(m Machine) (records []metadata.Record, last kafka.Offset, ok bool) {
	s, _ := m.Snapshots.Latest()
	if !r.snap.load || r.hw < s.ID.End {
		return nil, 0, false
	}
	r.snap.load = false
	r.taken = s.ID.End
	c, err := parseCheckpoint(s.Data)
	if err != nil {
		panic(fmt.Sprintf("raft: node %d: %s: %v", r.cfg.ID, s.ID.File(), err))
	}
	return c.records, s.ID.End - 1, true
}

// checkpointBatch bounds the records of one batch of a snapshot.
const checkpointBatch = 1000

// checkpoint makes a snapshot's bytes: a header, the voters if they are dynamic,
// the records, a footer (snapshot/RecordsSnapshotWriter.java).
func (r *Replica) checkpoint(id SnapshotID, lastTime, nowMs int64, records []metadata.Record) []byte {
	w := checkpointWriter{epoch: id.Epoch, ms: nowMs}
	head := binary.BigEndian.AppendUint64([]byte{0, 0}, uint64(lastTime))
	control := []record.Record{controlRecord(record.ControlSnapshotHeader, append(head, 0), nowMs)}
	if set, ok := r.setAt(id.End); ok {
		control = append(control, controlRecord(record.ControlKRaftVersion, kraftVersion1, nowMs), controlRecord(record.ControlKRaftVoters, encodeVoters(set.voters), nowMs))
	}
	w.batch(true, control)
	for chunk := range slices.Chunk(records, checkpointBatch) {
		recs := make([]record.Record, len(chunk))
		for i, m := range chunk {
			recs[i] = record.Record{Timestamp: nowMs, Value: metadata.Encode(nil, m)}
		}
		w.batch(false, recs)
	}
	w.batch(true, []record.Record{controlRecord(record.ControlSnapshotFooter, []byte{0, 0, 0}, nowMs)})
	return w.data
}

type checkpointWriter struct {
	data  []byte
	next  kafka.Offset // in the file, where offsets count from 0
	epoch kafka.LeaderEpoch
	ms    int64
}

func (w *checkpointWriter) batch(control bool, recs []record.Record) {
	b := record.Build(record.BatchSpec{Control: control, Records: recs})
	record.SetBaseOffsetAndEpoch(b, w.next, w.epoch)
	w.next += kafka.Offset(len(recs))
	w.data = append(w.data, b...)
}

func controlRecord(t record.ControlType, value []byte, ms int64) record.Record {
	return record.Record{Timestamp: ms, Key: record.ControlKey(t), Value: value}
}

// checkpointContent is what is in a snapshot.
type checkpointContent struct {
	lastTime int64 // of the last record in it, in ms
	dynamic  bool
	voters   []Voter
	records  []metadata.Record
	whole    bool // it ends with a footer
}

// parseCheckpoint reads a snapshot's bytes.
func parseCheckpoint(data []byte) (c checkpointContent, err error) {
	for len(data) > 0 {
		b, err := record.Frame(data)
		if err != nil {
			return c, err
		}
		data = data[len(b):]
		for rec, err := range record.Records(b) {
			if err == nil && b.Attributes().Control() {
				err = c.control(&rec)
			} else if err == nil {
				var r metadata.Record
				r, err = metadata.Decode(rec.Value)
				c.records = append(c.records, r)
			}
			if err != nil {
				return c, err
			}
		}
	}
	if !c.whole {
		return c, fmt.Errorf("the snapshot has no footer")
	}
	return c, nil
}

func (c *checkpointContent) control(rec *record.Record) error {
	t, err := record.ParseControlKey(rec.Key)
	if err != nil {
		return err
	}
	switch t {
	case record.ControlSnapshotHeader:
		if len(rec.Value) < 10 {
			return fmt.Errorf("snapshot header of %d bytes", len(rec.Value))
		}
		c.lastTime = int64(binary.BigEndian.Uint64(rec.Value[2:]))
	case record.ControlSnapshotFooter:
		c.whole = true
	case record.ControlKRaftVoters:
		c.dynamic = true
		c.voters, err = decodeVoters(rec.Value)
	}
	return err
}
