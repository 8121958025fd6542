package storage

import (
	"sort"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
)

// Linux's defaults for writing back dirty pages (vm.dirty_expire_centisecs and
// vm.dirty_writeback_centisecs), and its page size in bytes.
const (
	DirtyExpire       = 30 * kafka.Second
	WritebackInterval = 5 * kafka.Second
	pageBytes         = 4096
)

var errUnclean = failf(kafka.KafkaStorageError, "log has not been recovered after a crash")

// dirtyRing remembers how long the active segment was at recent write-backs,
// oldest first.
type dirtyRing struct {
	n       int
	samples [8]dirtySample // one per WritebackInterval, for DirtyExpire and a bit
}

type dirtySample struct {
	at   kafka.Instant
	size uint32
}

// push takes a sample, unless the last one is younger than a write-back interval.
func (r *dirtyRing) push(now kafka.Instant, size uint32) {
	if r.n > 0 && now.Sub(r.samples[r.n-1].at) < WritebackInterval {
		return
	}
	if r.n == len(r.samples) {
		copy(r.samples[:], r.samples[1:])
		r.n--
	}
	r.samples[r.n] = dirtySample{now, size}
	r.n++
}

// expired drops the samples taken at or before an instant and returns the last
// of them.
func (r *dirtyRing) expired(before kafka.Instant) (size uint32, ok bool) {
	k := 0
	for k < r.n && r.samples[k].at <= before {
		size, ok = r.samples[k].size, true
		k++
	}
	n := copy(r.samples[:], r.samples[k:r.n])
	clear(r.samples[n:])
	r.n = n
	return size, ok
}

func (r *dirtyRing) clamp(size uint32) {
	for i := range r.n {
		r.samples[i].size = min(r.samples[i].size, size)
	}
}

// Dirty is the number of bytes that only the page cache holds.
func (l *Log) Dirty() int64 { return int64(l.active.size - l.flushed) }

// RecoveryPoint is the offset up to which Kafka itself has flushed the log.
func (l *Log) RecoveryPoint() kafka.Offset { return l.recovery }

// Flush makes all of the log durable and moves the recovery point to its end.
func (l *Log) Flush() {
	if l.unclean {
		return
	}
	l.flushed = l.active.size
	l.dirty = dirtyRing{}
	l.recovery = l.leo
}

// Writeback is Linux's flusher, which looks every WritebackInterval: pages that
// were dirty DirtyExpire ago go to the disk, whole, with what has been put on
// them since. The recovery point does not move, for Kafka does not know.
func (l *Log) Writeback(now kafka.Instant) {
	if l.flushed == l.active.size {
		return
	}
	if size, ok := l.dirty.expired(now.Add(-DirtyExpire)); ok {
		pages := (int64(size) + pageBytes - 1) / pageBytes * pageBytes
		l.flushed = max(l.flushed, uint32(min(pages, int64(l.active.size))))
	}
	l.dirty.push(now, l.active.size)
}

// LosePageCache is the machine's crash: bytes that are not durable are gone,
// perhaps in the middle of a batch. It returns how many. The log serves
// nothing until Recover.
func (l *Log) LosePageCache() int64 {
	lost := l.Dirty()
	l.active.cut(l.flushed)
	l.bytes -= lost
	l.dirty = dirtyRing{}
	l.killed()
	return lost
}

// Kill is the process's crash: the page cache keeps every byte, but what was
// in memory only is gone. The log serves nothing until Recover.
func (l *Log) Kill() { l.killed() }

func (l *Log) killed() {
	l.owned = false
	l.unclean = true
	l.tailN = 0
	l.removed = nil // the next start removes .deleted files at once (LogLoader)
}

// Checkpoint writes the recovery point and the log start offset to their
// checkpoint files, as Kafka does every 60 s.
func (l *Log) Checkpoint() {
	l.recoverySave, l.startSave = l.recovery, l.start
}

// checkpointed reports whether Checkpoint would change nothing.
func (l *Log) checkpointed() bool { return l.recoverySave == l.recovery && l.startSave == l.start }

// Close is the log's part of a clean shutdown: everything flushed, the last
// time index entry written, offsets checkpointed.
func (l *Log) Close() {
	if l.unclean {
		return
	}
	l.active.appendTime()
	l.Flush()
	l.Checkpoint()
}

// Reopen is the start after a clean shutdown. What only memory knew starts anew, and
// files of deleted segments that were still there are removed (LogLoader).
func (l *Log) Reopen() {
	l.removed = nil
	l.active.since = 0
	l.active.jitter = l.jitter(l.leo, l.active.created)
	l.recovery = l.leo
}

// RecoveryReport is what Recover found.
type RecoveryReport struct {
	RecoveryPoint kafka.Offset // as checkpointed: where the check began, at its segment's start
	LEO           kafka.Offset // after
	LogStart      kafka.Offset // after
	Checked       int64        // bytes looked at
	Truncated     int64        // bytes dropped
	Segments      int          // segments dropped
	Cause         error        // what was wrong with the first bad batch; nil if none was
}

// Recover is what Kafka does at the start after an unclean shutdown: from the
// segment of the checkpointed recovery point on, every batch is checked, the
// first bad one and all behind it are cut off, and indexes and epoch cache are
// built anew (LogLoader.recoverLog, LogSegment.recover).
func (l *Log) Recover() RecoveryReport {
	rep := RecoveryReport{RecoveryPoint: l.recoverySave}
	i := l.segFor(l.recoverySave)
	todo := make([]*segment, 0, len(l.closed)-i+1)
	for j := i; j < len(l.closed); j++ {
		todo = append(todo, l.closed[j])
	}
	last := l.active
	todo = append(todo, &last)
	l.closed = l.closed[:i:i]
	for j, s := range todo {
		fresh, leo, err := l.rebuild(s, &rep)
		l.active, l.leo = fresh, leo
		if err != nil || j == len(todo)-1 {
			if j < len(todo)-1 {
				l.flushed = l.active.size // it had been closed, and so flushed
			}
			l.flushed = min(l.flushed, l.active.size)
			rep.Cause = err
			rep.Segments = len(todo) - 1 - j
			for _, gone := range todo[j+1:] {
				rep.Truncated += int64(gone.size)
			}
			break
		}
		l.closed = append(l.closed, &fresh)
	}
	l.bytes -= rep.Truncated
	l.dirty.clamp(l.active.size)
	l.recovered()
	l.trimSnapshots()
	rep.LEO, rep.LogStart = l.leo, l.start
	return rep
}

// recovered sets the offsets after the segments are in order.
func (l *Log) recovered() {
	l.unclean = false
	if l.leo < l.startSave {
		l.TruncateFullyAndStartAt(l.startSave)
	}
	l.epochs.truncateFromEnd(l.leo)
	l.epochs.truncateFromStart(l.startSave)
	l.start = max(l.startSave, l.seg(0).base)
	l.recovery = min(l.recoverySave, l.leo)
	l.owned = false
	l.tailN = 0
	l.rehash()
}

// rebuild checks a segment's batches, and returns it without the bad ones and
// with new indexes, and the offset after its last batch.
func (l *Log) rebuild(s *segment, rep *RecoveryReport) (fresh segment, leo kafka.Offset, bad error) {
	fresh = newSegment(s.base, s.created, s.firstHash())
	fresh.jitter, fresh.changed = l.jitter(l.leo, s.created), s.changed
	leo = s.base
	for ci := 0; ci < s.chunkCount() && bad == nil; ci++ {
		c := s.chunk(ci)
		for at := 0; at < len(c.data); {
			r, err := record.Frame(c.data[at:])
			if err == nil {
				err = record.VerifyCRC(r)
			}
			if err != nil {
				bad = failf(kafka.CorruptMessage, "segment %d at byte %d: %v", s.base, int64(c.pos)+int64(at), err)
				break
			}
			fresh.observe(r, l.cfg.IndexIntervalBytes)
			if e, last := r.LeaderEpoch(), l.LatestEpoch(); e >= 0 && e > last {
				l.epochs.assign(e, r.BaseOffset())
			}
			leo = r.NextOffset()
			at += len(r)
		}
	}
	valid := fresh.size
	fresh.chunks, fresh.cur, fresh.size = s.chunks[:len(s.chunks):len(s.chunks)], s.cur, s.size
	fresh.cut(valid)
	fresh.appendTime()
	fresh.since = 0 // Kafka does not count on from before the restart
	rep.Checked += int64(s.size)
	rep.Truncated += int64(s.size - valid)
	return fresh, leo, bad
}

// firstHash is the content hash before the segment's first byte.
func (s *segment) firstHash() uint64 {
	if len(s.chunks) > 0 {
		return s.chunks[0].hash
	}
	return s.cur.hash
}

// DurableOffset is the offset below which every batch is on the disk whole: what
// a loss of power now would leave.
func (l *Log) DurableOffset() kafka.Offset {
	s := &l.active
	if l.flushed == s.size {
		return l.leo
	}
	from := uint32(0)
	if i := sort.Search(len(s.index), func(i int) bool { return s.index[i].pos > l.flushed }); i > 0 {
		from = s.index[i-1].pos
	}
	end := s.base
	ci, at := s.locate(from)
	for n := s.chunkCount(); ci < n; ci, at = ci+1, 0 {
		c := s.chunk(ci)
		for at < len(c.data) {
			r := rawAt(c.data, at)
			at += len(r)
			if c.pos+uint32(at) > l.flushed {
				return max(end, r.BaseOffset())
			}
			end = r.NextOffset()
		}
	}
	return end
}
