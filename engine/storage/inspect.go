package storage

import (
	"github.com/highwater-sim/highwater/engine/kafka"
)

// Segment describes one segment, for views and for retention.
type Segment struct {
	BaseOffset       kafka.Offset
	EndOffset        kafka.Offset // base offset of the next one; log end offset of the active one
	Size             int64        // bytes
	LargestTimestamp int64        // ms, NoTimestamp if it has none
	IndexEntries     int
	TimeIndexEntries int
	Active           bool
}

// Segments lists the segments, oldest first; the last is the active one.
func (l *Log) Segments() []Segment {
	out := make([]Segment, len(l.closed)+1)
	for i := range out {
		out[i] = l.describe(i)
	}
	return out
}

func (l *Log) describe(i int) Segment {
	s := l.seg(i)
	d := Segment{
		BaseOffset: s.base, EndOffset: l.leo, Size: int64(s.size), LargestTimestamp: s.maxTS,
		IndexEntries: len(s.index), TimeIndexEntries: len(s.times), Active: i == len(l.closed),
	}
	if i < len(l.closed) {
		d.EndOffset = l.seg(i + 1).base
	}
	return d
}

// SegmentBase is the base offset of the segment that an offset belongs to: the
// last one that does not begin above it, or the first.
func (l *Log) SegmentBase(off kafka.Offset) kafka.Offset { return l.seg(l.segFor(off)).base }

// SegmentCount is the number of segments, the active one included.
func (l *Log) SegmentCount() int { return len(l.closed) + 1 }

// segAt is the segment with exactly this base offset.
func (l *Log) segAt(base kafka.Offset) (*segment, bool) {
	s := l.seg(l.segFor(base))
	return s, s.base == base
}

// Index lists the offset index of the segment with a base offset; nil if there
// is none.
func (l *Log) Index(base kafka.Offset) []IndexEntry {
	s, ok := l.segAt(base)
	if !ok {
		return nil
	}
	out := make([]IndexEntry, len(s.index))
	for i, e := range s.index {
		out[i] = IndexEntry{s.base + kafka.Offset(e.rel), int64(e.pos)}
	}
	return out
}

// TimeIndex lists the time index of the segment with a base offset; nil if
// there is none. The active segment's lacks the last entry, which comes with
// its roll.
func (l *Log) TimeIndex(base kafka.Offset) []TimeEntry {
	s, ok := l.segAt(base)
	if !ok {
		return nil
	}
	out := make([]TimeEntry, len(s.times))
	for i, e := range s.times {
		out[i] = TimeEntry{e.ts, s.base + kafka.Offset(e.rel)}
	}
	return out
}

// LogBytes is the content of the .log file of the segment with a base offset.
func (l *Log) LogBytes(base kafka.Offset) []byte {
	s, ok := l.segAt(base)
	if !ok {
		return nil
	}
	out := make([]byte, 0, s.size)
	for i := range s.chunkCount() {
		out = append(out, s.chunk(i).data...)
	}
	return out
}

// IndexBytes is the content of the .index file of the segment with a base offset.
func (l *Log) IndexBytes(base kafka.Offset) []byte {
	s, ok := l.segAt(base)
	if !ok {
		return nil
	}
	return s.indexFile()
}

// TimeIndexBytes is the content of the .timeindex file of the segment with a
// base offset.
func (l *Log) TimeIndexBytes(base kafka.Offset) []byte {
	s, ok := l.segAt(base)
	if !ok {
		return nil
	}
	return s.timeIndexFile()
}

// EpochCheckpointBytes is the content of leader-epoch-checkpoint.
func (l *Log) EpochCheckpointBytes() []byte { return l.epochs.file() }

// Unclean reports whether a crash went over the log and it was not recovered
// yet: it serves nothing until then.
func (l *Log) Unclean() bool { return l.unclean }

// Fingerprint changes with every batch that is appended or cut off, with every
// roll and with all that the cleaner and retention do: two moments of a log with
// equal fingerprints and log ends hold the same bytes.
func (l *Log) Fingerprint() uint64 {
	h := mix(l.hash^uint64(l.active.size)<<1, l.cleanedHash)
	return mix(mix(h, uint64(l.start)), uint64(l.seg(0).base)^uint64(l.bytes)<<20^uint64(len(l.closed))<<56)
}
