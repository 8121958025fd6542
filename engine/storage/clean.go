package storage

import (
	"sort"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
)

// Cleanable says what the cleaner could do with a log (LogCleanerManager.
// cleanableOffsets, LogToClean).
//
//	log start      first dirty        first uncleanable    log end
//	    ├── clean ──────┼──── cleanable ────────┼── head ─────┤
type Cleanable struct {
	FirstDirty       kafka.Offset // up to here an earlier pass has been
	FirstUncleanable kafka.Offset // base offset of the first segment that must stay as it is
	// CleanBytes is in segments that begin below FirstDirty, DirtyBytes in those from
	// the one that holds it to FirstUncleanable: a segment which the last pass ended
	// in counts as both (LogToClean.java).
	CleanBytes, DirtyBytes int64
	// Due: some record is older than max.compaction.lag.ms, so the ratio does not
	// matter.
	Due bool
	// Bound says what FirstUncleanable is bounded by.
	Bound CleanBound
}

// CleanBound is what the cleaner stops at.
type CleanBound uint8

// The bounds.
const (
	BoundActive       CleanBound = iota // the active segment
	BoundLastStable                     // the last stable offset: an open transaction, or the high watermark
	BoundMinimumDelay                   // min.compaction.lag.ms
)

// String names the bound.
func (b CleanBound) String() string {
	return [...]string{"active segment", "last stable offset", "min.compaction.lag.ms"}[b]
}

// Exceeds reports whether the log is dirty enough to be cleaned: the share of
// dirty bytes is strictly above min.cleanable.dirty.ratio, in millionths.
func (c *Cleanable) Exceeds(ratioPPM int64) bool {
	return c.DirtyBytes*ratioOne > ratioPPM*(c.CleanBytes+c.DirtyBytes)
}

// DirtyRatioPPM is the share of dirty bytes in millionths; 0 of nothing.
func (c *Cleanable) DirtyRatioPPM() int64 {
	if c.CleanBytes+c.DirtyBytes == 0 {
		return 0
	}
	return c.DirtyBytes * ratioOne / (c.CleanBytes + c.DirtyBytes)
}

// Filthier reports whether c is more in need of cleaning than d: which of two
// ratios is larger, without dividing.
func (c *Cleanable) Filthier(d *Cleanable) bool {
	return c.DirtyBytes*(d.CleanBytes+d.DirtyBytes) > d.DirtyBytes*(c.CleanBytes+c.DirtyBytes)
}

// Wanted reports whether the cleaner would take this log now.
func (c *Cleanable) Wanted(cfg *Config) bool {
	return c.Due && c.DirtyBytes > 0 || c.Exceeds(cfg.DirtyRatioPPM)
}

// Cleanable measures a compacted log. checkpoint is the offset in
// cleaner-offset-checkpoint, NoOffset without one; stable the last stable offset.
func (l *Log) Cleanable(now kafka.Instant, checkpoint, stable kafka.Offset) Cleanable {
	ms := now.UnixMilli()
	c := Cleanable{FirstDirty: checkpoint}
	if checkpoint < l.start || checkpoint > l.leo {
		c.FirstDirty = l.start
	}
	limit := l.active.base
	if stable < limit {
		limit, c.Bound = stable, BoundLastStable
	}
	from := l.closedFor(c.FirstDirty)
	if lag := l.cfg.MinCompactionLagMs; lag > 0 {
		for i := from; i < len(l.closed); i++ {
			if s := l.closed[i]; s.largestTimestamp() > ms-lag {
				if s.base < limit {
					limit, c.Bound = s.base, BoundMinimumDelay
				}
				break
			}
		}
	}
	end := l.segBounded(max(limit, c.FirstDirty))
	c.FirstUncleanable = l.seg(end).base
	for i := 0; i <= len(l.closed); i++ {
		s := l.seg(i)
		if s.base < c.FirstDirty {
			c.CleanBytes += int64(s.size)
		}
		if i >= from && i < end {
			c.DirtyBytes += int64(s.size)
		}
	}
	if lag := l.cfg.MaxCompactionLagMs; lag < ms {
		for i := from; i < len(l.closed); i++ {
			if ts := l.closed[i].rollTS; ts > 0 && ts < ms-lag {
				c.Due = true
				break
			}
		}
	}
	return c
}

// closedFor is the first closed segment that holds something from an offset on
// (LocalLog.nonActiveLogSegmentsFrom, LogSegments.values): that which the offset
// is in.
func (l *Log) closedFor(off kafka.Offset) int {
	return sort.Search(len(l.closed), func(i int) bool { return l.seg(i+1).base > off })
}

// segBounded is the first segment that is not wholly below an offset; at most
// the active one.
func (l *Log) segBounded(off kafka.Offset) int {
	return sort.Search(len(l.closed), func(i int) bool { return l.seg(i+1).base > off })
}

// HasCleanable is a quick look whether a log could have anything for the
// cleaner: a closed segment that no pass has been over. A checkpoint behind the
// log's end says nothing.
func (l *Log) HasCleanable(checkpoint kafka.Offset) bool {
	return len(l.closed) > 0 && (checkpoint < l.active.base || checkpoint > l.leo)
}

// CleanedTo is the offset up to which keys have been taken into account where the
// cleaner has written this log, 0 if never: below it offsets may have gaps, and
// what it says of a key is true up to there. A follower that was given gaps counts
// as cleaned that far.
func (l *Log) CleanedTo() kafka.Offset { return l.cleanedTo }

// ProducerTail is the last batch of a producer that a partition still knows: the
// cleaner keeps its header, for its sequence.
type ProducerTail struct {
	ID         int64
	Epoch      int16
	LastOffset kafka.Offset // of its last data batch; NoOffset: only a marker is known
}

// groupSegments puts neighbours together as long as the result fits into one
// segment (Cleaner.groupSegmentsBySize). It returns the first segment of each
// group and, last, the end.
func (l *Log) groupSegments(end int) []int {
	var starts []int
	for i := 0; i < end; {
		starts = append(starts, i)
		size, index, times := int64(l.closed[i].size), len(l.closed[i].index), len(l.closed[i].times)
		j := i + 1
		for ; j < end; j++ {
			s := l.closed[j]
			if size+int64(s.size) > l.cfg.SegmentBytes ||
				int64(index+len(s.index)) > l.cfg.SegmentIndexBytes/offsetEntrySize ||
				int64(times+len(s.times)) > l.cfg.SegmentIndexBytes/timeEntrySize ||
				!l.closed[i].fits(l.seg(j+1).base-1) {
				break
			}
			size += int64(s.size)
			index, times = index+len(s.index), times+len(s.times)
		}
		i = j
	}
	return append(starts, end)
}

// segmentBatches ranges over the batches of closed segments [from, to).
func (l *Log) segmentBatches(from, to int, f func(r record.Raw) bool) {
	for i := from; i < to; i++ {
		s := l.closed[i]
		for ci := range s.chunkCount() {
			data := s.chunk(ci).data
			for at := 0; at < len(data); {
				r := rawAt(data, at)
				at += len(r)
				if !f(r) {
					return
				}
			}
		}
	}
}

// replaceSegments puts what the cleaner wrote in the place of closed segments
// [from, to) (UnifiedLog.replaceSegments). The old files stay for
// file.delete.delay.ms.
func (l *Log) replaceSegments(now kafka.Instant, from, to int, data []byte) {
	old := l.closed[from:to]
	fresh := newSegment(old[0].base, old[len(old)-1].changed, old[0].firstHash()) // cleanSegments keeps the file's age
	for at := 0; at < len(data); {
		r := rawAt(data, at)
		fresh.observe(r, l.cfg.IndexIntervalBytes)
		l.cleanedHash = mixBatch(l.cleanedHash, r)
		at += len(r)
	}
	fresh.cur.data = data[:len(data):len(data)]
	fresh.appendTime()
	closed := make([]*segment, 0, len(l.closed)-len(old)+1)
	closed = append(append(append(closed, l.closed[:from]...), &fresh), l.closed[to:]...)
	gone := make([]removed, 0, len(l.removed)+len(old))
	gone = append(gone, l.removed...)
	due := now.Add(kafka.Duration(l.cfg.FileDeleteDelayMs) * kafka.Millisecond)
	for _, s := range old {
		l.bytes -= int64(s.size)
		gone = append(gone, removed{s.base, int64(s.size), due})
	}
	l.bytes += int64(fresh.size)
	l.closed, l.removed = closed, gone
}
