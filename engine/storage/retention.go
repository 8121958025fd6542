package storage

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
)

// DeleteReason says which rule a segment was deleted by.
type DeleteReason uint8

// The reasons, in the order in which Kafka looks for them
// (UnifiedLog.deleteOldSegments).
const (
	BelowLogStart DeleteReason = iota // wholly below the log start offset
	RetentionSize                     // retention.bytes
	RetentionTime                     // retention.ms
)

// String names the rule.
func (r DeleteReason) String() string {
	return [...]string{"log start offset", "retention.bytes", "retention.ms"}[r]
}

// Deleted is a segment that DeleteExpired took away, with the numbers that
// decided.
type Deleted struct {
	Segment Segment
	Reason  DeleteReason
	// Age is how much older than now the segment's largest timestamp is, in ms.
	Age int64
	// Excess is the log's size above retention.bytes before the deletion, in bytes.
	Excess int64
}

// removed is a deleted segment whose files are still on the disk
// (00000000000000000000.log.deleted).
type removed struct {
	base kafka.Offset
	size int64
	due  kafka.Instant
}

// DeleteExpired deletes old segments (UnifiedLog.deleteOldSegments): what is
// wholly below the log start offset, and, if cleanup.policy contains delete,
// what is above retention.bytes and older than retention.ms. Every rule begins at
// the oldest segment and ends at the first that it does not apply to, and none
// takes a segment that is not wholly below the high watermark hw. The active
// segment is deleted like any other; a new one is rolled first.
//
// The log start offset moves up to the first segment that is left. Files stay
// for file.delete.delay.ms: see Purge.
func (l *Log) DeleteExpired(now kafka.Instant, hw kafka.Offset) []Deleted {
	if !l.Expirable(now) {
		return nil
	}
	gone := l.expire(now, hw, BelowLogStart, func(s *segment, next bool, end kafka.Offset) bool {
		return next && end <= l.start
	})
	if !l.cfg.Delete {
		return gone
	}
	if limit := l.cfg.RetentionBytes; limit >= 0 {
		excess := l.bytes - limit
		gone = append(gone, l.expire(now, hw, RetentionSize, func(s *segment, _ bool, _ kafka.Offset) bool {
			if excess < int64(s.size) {
				return false
			}
			excess -= int64(s.size)
			return true
		})...)
	}
	if limit := l.cfg.RetentionMs; limit >= 0 {
		ms := now.UnixMilli()
		gone = append(gone, l.expire(now, hw, RetentionTime, func(s *segment, _ bool, _ kafka.Offset) bool {
			return ms-s.largestTimestamp() > limit
		})...)
	}
	return gone
}

// Expirable is a quick look at whether any rule could apply at all, so that
// checking a thousand quiet logs costs next to nothing.
func (l *Log) Expirable(now kafka.Instant) bool {
	if l.unclean {
		return false
	}
	first := l.seg(0)
	if len(l.closed) > 0 && l.seg(1).base <= l.start {
		return true
	}
	if !l.cfg.Delete || l.bytes == 0 && len(l.closed) == 0 {
		return false
	}
	return l.cfg.RetentionBytes >= 0 && l.bytes-l.cfg.RetentionBytes >= int64(first.size) ||
		l.cfg.RetentionMs >= 0 && now.UnixMilli()-first.largestTimestamp() > l.cfg.RetentionMs
}

// expire deletes from the oldest segment on while a rule applies
// (UnifiedLog.deletableSegments, deleteSegments). The rule hears whether there
// is a next segment, and where this one ends.
func (l *Log) expire(now kafka.Instant, hw kafka.Offset, reason DeleteReason, rule func(s *segment, next bool, end kafka.Offset) bool) []Deleted {
	var gone []Deleted
	excess, ms := l.bytes-l.cfg.RetentionBytes, now.UnixMilli()
	n := 0
	for ; n <= len(l.closed); n++ {
		s, next, end := l.seg(n), n < len(l.closed), l.leo
		if next {
			end = l.seg(n + 1).base
		}
		if !next && s.size == 0 || hw < end || !rule(s, next, end) {
			break
		}
		gone = append(gone, Deleted{
			Segment: l.describe(n), Reason: reason, Age: ms - s.largestTimestamp(), Excess: excess,
		})
		excess -= int64(s.size)
	}
	if n == 0 {
		return nil
	}
	if n > len(l.closed) {
		l.roll(ms, l.leo)
	}
	kept := make([]removed, 0, len(l.removed)+n)
	kept = append(kept, l.removed...)
	for i := range n {
		kept = append(kept, removed{l.closed[i].base, int64(l.closed[i].size), now.Add(kafka.Duration(l.cfg.FileDeleteDelayMs) * kafka.Millisecond)})
	}
	l.removed = kept
	l.DeleteOldSegments(l.seg(n).base)
	return gone
}

// largestTimestamp is what retention judges a segment by
// (LogSegment.largestTimestamp): that of its records, else when its file was last
// written, ms.
func (s *segment) largestTimestamp() int64 {
	if s.maxTS > record.NoTimestamp {
		return s.maxTS
	}
	return s.changed
}

// PurgeDue is when the next files of deleted segments vanish; Never if there
// are none.
func (l *Log) PurgeDue() kafka.Instant {
	due := kafka.Never
	for _, r := range l.removed {
		due = min(due, r.due)
	}
	return due
}

// Purge removes the files of segments that were deleted file.delete.delay.ms
// ago, and returns how many bytes of disk that frees.
func (l *Log) Purge(now kafka.Instant) (bytes int64) {
	var left []removed
	for _, r := range l.removed {
		if r.due > now {
			left = append(left, r)
		} else {
			bytes += r.size
		}
	}
	l.removed = left
	return bytes
}

// RemovedSize is how many bytes of deleted segments still lie on the disk.
func (l *Log) RemovedSize() (bytes int64) {
	for _, r := range l.removed {
		bytes += r.size
	}
	return bytes
}

// NextExpiry is when the oldest segment is old enough for retention.ms; Never if
// time does not delete it.
func (l *Log) NextExpiry() kafka.Instant {
	if !l.cfg.Delete || l.cfg.RetentionMs < 0 || l.bytes == 0 {
		return kafka.Never
	}
	oldest := l.seg(0).largestTimestamp()
	if l.cfg.RetentionMs > int64(kafka.Never)/int64(kafka.Millisecond)/2 {
		return kafka.Never
	}
	return kafka.InstantOfUnixMilli(oldest + l.cfg.RetentionMs + 1)
}
