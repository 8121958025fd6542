package storage

import (
	"github.com/highwater-sim/highwater/engine/kafka"
)

// TruncateTo cuts the log so that it ends at an offset, and reports whether
// anything was cut (UnifiedLog.truncateTo). Like Kafka it drops the whole of a
// batch that holds the offset and still ends at the offset. Epochs that begin
// at or after the new end are forgotten, even if the log was not longer.
func (l *Log) TruncateTo(off kafka.Offset) bool {
	switch {
	case off >= l.leo:
		l.epochs.truncateFromEnd(l.leo)
		return false
	case off < l.seg(0).base:
		l.TruncateFullyAndStartAt(off)
		return true
	}
	if i := l.segFor(off); i < len(l.closed) {
		for j := i + 1; j <= len(l.closed); j++ {
			l.bytes -= int64(l.seg(j).size)
		}
		l.active = *l.closed[i]
		l.active.clip()
		l.closed = l.closed[:i:i]
		l.flushed = l.active.size // closed segments are flushed
		l.dirty = dirtyRing{}
	}
	l.bytes -= int64(l.active.truncate(off))
	l.ended(off)
	l.start = min(l.start, off)
	l.epochs.truncateFromEnd(off)
	return true
}

// TruncateFullyAndStartAt drops everything and makes the log begin, and end,
// at an offset.
func (l *Log) TruncateFullyAndStartAt(off kafka.Offset) {
	l.closed = nil
	l.bytes = 0
	l.epochs = nil
	l.dirty = dirtyRing{}
	l.hash = mix(0, uint64(off))
	l.active = newSegment(off, l.active.created, l.hash)
	l.active.jitter = l.jitter(off, l.active.created)
	l.ended(off)
	l.start = off
}

// ended puts right what depends on the active segment's end after it was cut.
func (l *Log) ended(leo kafka.Offset) {
	l.owned = false
	l.tailN = 0
	l.leo = leo
	l.trimSnapshots()
	l.cleanedTo = min(l.cleanedTo, leo)
	l.recovery = min(l.recovery, leo)
	l.flushed = min(l.flushed, l.active.size)
	l.dirty.clamp(l.active.size)
	l.rehash()
}

// rehash computes the content hash again from the current chunk's start.
func (l *Log) rehash() {
	cur := &l.active.cur
	l.hash = cur.hash
	for at := 0; at < len(cur.data); {
		r := rawAt(cur.data, at)
		l.hash = mixBatch(l.hash, r)
		at += len(r)
	}
}
