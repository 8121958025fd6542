package storage

import (
	"iter"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// SegmentsFrom ranges over the segments that hold something from an offset on,
// oldest first; the last is the active one. Unlike Segments it makes no list.
func (l *Log) SegmentsFrom(off kafka.Offset) iter.Seq[Segment] {
	return func(yield func(Segment) bool) {
		for i := l.segFor(off); i <= len(l.closed); i++ {
			if !yield(l.describe(i)) {
				return
			}
		}
	}
}

// IndexFrom ranges over the entries of the offset indexes from an offset on.
func (l *Log) IndexFrom(off kafka.Offset) iter.Seq[IndexEntry] {
	return func(yield func(IndexEntry) bool) {
		for i := l.segFor(off); i <= len(l.closed); i++ {
			s := l.seg(i)
			for k := s.indexFor(off); k < len(s.index); k++ {
				e := s.index[k]
				if !yield(IndexEntry{s.base + kafka.Offset(e.rel), int64(e.pos)}) {
					return
				}
			}
		}
	}
}

// indexFor is the first index entry at or after an offset.
func (s *segment) indexFor(off kafka.Offset) int {
	lo, hi := 0, len(s.index)
	for lo < hi {
		mid := (lo + hi) / 2
		if s.base+kafka.Offset(s.index[mid].rel) < off {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// DivergesFrom is the first offset at which the log is known not to be a prefix
// of a leader's, by the leader epochs of both: where a follower would cut it off
// (KIP-101, KIP-279). It is the log end offset if nothing is.
func (l *Log) DivergesFrom(leader *Log) kafka.Offset {
	at := l.leo
	epoch := l.LatestEpoch()
	for epoch != kafka.NoEpoch {
		known, end := leader.EndOffsetForEpoch(epoch, leader.leo)
		if known == kafka.NoEpoch { // newer than anything that the leader has
			at, epoch = l.before(epoch)
			continue
		}
		own, mine := l.EndOffsetForEpoch(known, l.leo)
		if own == known {
			return min(at, end, mine)
		}
		// The leader's epoch is not here: all after an older common one goes.
		at, epoch = min(at, end, mine), own
	}
	return max(min(at, l.leo), l.start)
}

// before is where an epoch begins, and the epoch before it.
func (l *Log) before(epoch kafka.LeaderEpoch) (start kafka.Offset, older kafka.LeaderEpoch) {
	start, older = l.start, kafka.NoEpoch
	for _, e := range l.epochs {
		if e.Epoch >= epoch {
			return e.StartOffset, older
		}
		older = e.Epoch
	}
	return start, older
}
