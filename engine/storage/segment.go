package storage

import (
	"encoding/binary"
	"math"
	"sort"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
)

// IndexEntry is an entry of the offset index: the batch whose last offset is
// Offset begins at Position in the segment's file.
type IndexEntry struct {
	Offset   kafka.Offset
	Position int64
}

// TimeEntry is an entry of the time index: up to Offset, the last offset of
// its batch, no timestamp in the segment is above Timestamp.
type TimeEntry struct {
	Timestamp int64 // ms
	Offset    kafka.Offset
}

// indexSlot and timeSlot are the entries as stored, relative to the segment.
type indexSlot struct{ rel, pos uint32 }

type timeSlot struct {
	ts  int64
	rel uint32
}

// chunk is a stretch of a segment's bytes, whole batches only (a torn tail
// after a crash apart).
type chunk struct {
	data []byte
	pos  uint32 // of data[0] in the segment's file
	hash uint64 // the log's content hash before data[0]
}

// segment is one segment file with its indexes. A closed one never changes;
// its slices are shared between copies of the log, so they are only appended
// to, or cut with their capacity.
type segment struct {
	base    kafka.Offset
	size    uint32
	chunks  []chunk
	cur     chunk // the last one, by value: it grows
	index   []indexSlot
	times   []timeSlot
	maxTS   int64        // largest timestamp, ms; NoTimestamp: none
	maxAt   kafka.Offset // last offset of its batch
	rollTS  int64        // max timestamp of the first batch: time-based rolling counts from it
	created int64        // ms
	changed int64        // when the file was written last, ms
	jitter  int64        // taken off segment.ms, ms; drawn when the file was opened
	since   uint32       // bytes since the last index entry
}

func newSegment(base kafka.Offset, createdMs int64, hash uint64) segment {
	return segment{base: base, maxTS: record.NoTimestamp, maxAt: base, rollTS: record.NoTimestamp, created: createdMs, changed: createdMs, cur: chunk{hash: hash}}
}

// clip takes away the room behind shared slices, so that this copy's next
// append moves them.
func (s *segment) clip() {
	s.chunks = s.chunks[:len(s.chunks):len(s.chunks)]
	s.index = s.index[:len(s.index):len(s.index)]
	s.times = s.times[:len(s.times):len(s.times)]
}

// chunkCount counts the chunks that hold bytes.
func (s *segment) chunkCount() int {
	if len(s.cur.data) == 0 {
		return len(s.chunks)
	}
	return len(s.chunks) + 1
}

func (s *segment) chunk(i int) *chunk {
	if i == len(s.chunks) {
		return &s.cur
	}
	return &s.chunks[i]
}

// locate finds the chunk that holds a file position, and the place in it.
func (s *segment) locate(pos uint32) (ci int, at int) {
	ci = len(s.chunks)
	if len(s.cur.data) == 0 || pos < s.cur.pos {
		ci = sort.Search(len(s.chunks), func(i int) bool { return s.chunks[i].pos > pos }) - 1
	}
	return ci, int(pos - s.chunk(ci).pos)
}

// lookup is the file position from which a scan for an offset may start: that
// of the last index entry not above it, else 0 (OffsetIndex.lookup).
func (s *segment) lookup(off kafka.Offset) uint32 {
	i := sort.Search(len(s.index), func(i int) bool { return s.base+kafka.Offset(s.index[i].rel) > off })
	if i == 0 {
		return 0
	}
	return s.index[i-1].pos
}

// find returns the place of the first batch that ends at or after off.
func (s *segment) find(off kafka.Offset) (ci, at int, ok bool) {
	if s.size == 0 {
		return 0, 0, false
	}
	ci, at = s.locate(s.lookup(off))
	for n := s.chunkCount(); ci < n; ci, at = ci+1, 0 {
		data := s.chunk(ci).data
		for at < len(data) {
			r := rawAt(data, at)
			if r.LastOffset() >= off {
				return ci, at, true
			}
			at += len(r)
		}
	}
	return 0, 0, false
}

// rawAt is the batch at a place in a chunk. The chunk's batches were framed
// when they were appended.
func rawAt(data []byte, at int) record.Raw {
	end := at + 12 + int(binary.BigEndian.Uint32(data[at+8:]))
	return record.Raw(data[at:end])
}

// observe counts a batch of size bytes that stands at the segment's end: the
// rule of LogSegment.append, per batch.
func (s *segment) observe(r record.Raw, interval int64) {
	ts, last := r.MaxTimestamp(), r.LastOffset()
	if s.size == 0 {
		s.rollTS = ts
	}
	if ts > s.maxTS {
		s.maxTS, s.maxAt = ts, last
	}
	if int64(s.since) > interval {
		s.index = append(s.index, indexSlot{uint32(last - s.base), s.size})
		s.appendTime()
		s.since = 0
	}
	s.since += uint32(len(r))
	s.size += uint32(len(r))
}

// appendTime adds the largest timestamp to the time index if it is above the
// last entry's (TimeIndex.maybeAppend).
func (s *segment) appendTime() {
	last := int64(record.NoTimestamp)
	if n := len(s.times); n > 0 {
		last = s.times[n-1].ts
	}
	if s.maxTS > last {
		s.times = append(s.times, timeSlot{s.maxTS, uint32(s.maxAt - s.base)})
	}
}

// fits reports whether an offset can stand in the segment's indexes, which
// hold it relative to the base in 31 bits (AbstractIndex.canAppendOffset).
func (s *segment) fits(off kafka.Offset) bool {
	return off >= s.base && off-s.base <= math.MaxInt32
}

// waited is how long the segment has waited to be rolled, in ms, as seen by a
// batch with this largest timestamp (LogSegment.timeWaitedForRoll).
func (s *segment) waited(nowMs, batchMaxTS int64) int64 {
	if s.rollTS >= 0 {
		return batchMaxTS - s.rollTS
	}
	return nowMs - s.created
}

// cut drops the bytes from a file position on. The memory stays: others may
// look at it.
func (s *segment) cut(pos uint32) {
	if pos >= s.size {
		return
	}
	s.size = pos
	if len(s.cur.data) == 0 || pos < s.cur.pos {
		ci := sort.Search(len(s.chunks), func(i int) bool { return s.chunks[i].pos > pos }) - 1
		s.cur = s.chunks[ci]
		s.chunks = s.chunks[:ci:ci]
	}
	s.cur.data = s.cur.data[:pos-s.cur.pos]
}

// truncate drops batches that end at or after off, and index entries with them
// (LogSegment.truncateTo). It returns the number of bytes dropped.
func (s *segment) truncate(off kafka.Offset) (dropped uint32) {
	was := s.size
	if ci, at, ok := s.find(off); ok {
		s.cut(s.chunk(ci).pos + uint32(at))
	}
	ni := sort.Search(len(s.index), func(i int) bool { return s.base+kafka.Offset(s.index[i].rel) >= off })
	s.index = s.index[:ni:ni]
	nt := sort.Search(len(s.times), func(i int) bool { return s.base+kafka.Offset(s.times[i].rel) >= off })
	s.times = s.times[:nt:nt]
	s.since = 0
	if s.size == 0 {
		s.rollTS = record.NoTimestamp
	}
	s.rereadMax()
	return was - s.size
}

// rereadMax finds the largest timestamp again: the last time index entry, or a
// later batch (LogSegment.readLargestTimestamp).
func (s *segment) rereadMax() {
	s.maxTS, s.maxAt = record.NoTimestamp, s.base
	if n := len(s.times); n > 0 {
		s.maxTS, s.maxAt = s.times[n-1].ts, s.base+kafka.Offset(s.times[n-1].rel)
	}
	if s.size == 0 {
		return
	}
	ci, at := s.locate(s.lookup(s.maxAt))
	for n := s.chunkCount(); ci < n; ci, at = ci+1, 0 {
		data := s.chunk(ci).data
		for at < len(data) {
			r := rawAt(data, at)
			if ts := r.MaxTimestamp(); ts > s.maxTS {
				s.maxTS, s.maxAt = ts, r.LastOffset()
			}
			at += len(r)
		}
	}
}

// indexFile is the content of the .index file.
func (s *segment) indexFile() []byte {
	b := make([]byte, 0, len(s.index)*offsetEntrySize)
	for _, e := range s.index {
		b = binary.BigEndian.AppendUint32(b, e.rel)
		b = binary.BigEndian.AppendUint32(b, e.pos)
	}
	return b
}

// timeIndexFile is the content of the .timeindex file.
func (s *segment) timeIndexFile() []byte {
	b := make([]byte, 0, len(s.times)*timeEntrySize)
	for _, e := range s.times {
		b = binary.BigEndian.AppendUint64(b, uint64(e.ts))
		b = binary.BigEndian.AppendUint32(b, e.rel)
	}
	return b
}
