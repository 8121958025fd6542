package storage

import (
	"sort"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
)

// Chunk sizes in bytes. A log's chunks grow with the log, so that a thousand
// idle partitions cost little.
const (
	chunkBytesMin = 1 << 10
	chunkBytesMax = 64 << 10
)

// tailMarks is how many of the last batches can be found without a search.
const tailMarks = 8

// mark is the place of a batch in the active segment.
type mark struct {
	base  kafka.Offset
	chunk int32
	at    uint32
}

// Log is one replica of a partition. It is plain data; copy it with Clone, not
// by assignment. The zero value is not usable: see New.
type Log struct {
	cfg    Config
	closed []*segment // immutable, oldest first
	active segment
	owned  bool // the room behind active.cur.data is ours to write to
	start  kafka.Offset
	leo    kafka.Offset
	epochs epochCache
	bytes  int64  // in all segments
	hash   uint64 // of all batches, see mix

	recovery     kafka.Offset // recovery point: all before it was flushed by Kafka
	recoverySave kafka.Offset // its checkpoint
	startSave    kafka.Offset // log start offset's checkpoint
	flushed      uint32       // durable bytes of the active segment
	dirty        dirtyRing
	unclean      bool // a crash went over it: Recover first

	salt        uint64             // tells the jitter of one partition from another's
	removed     []removed          // deleted segments whose files are still there; never changed in place
	snapshots   []producerSnapshot // oldest first; never changed in place
	cleanedTo   kafka.Offset       // the cleaner has been over all before it; 0: never
	cleanedHash uint64             // of all that it wrote

	tail  *[tailMarks]mark // this copy's own; nil before its first append
	tailN uint32           // batches marked so far; the newest is at (tailN-1) % tailMarks
}

// New returns an empty log that begins at an offset, usually 0.
func New(now kafka.Instant, cfg Config, start kafka.Offset) *Log {
	l := &Log{cfg: cfg, start: start, leo: start, recovery: start, recoverySave: start, startSave: start}
	l.hash = mix(0, uint64(start))
	l.active = newSegment(start, now.UnixMilli(), l.hash)
	l.active.jitter = l.jitter(start, now.UnixMilli())
	return l
}

// newLog is New for a partition's folder.
func newLog(now kafka.Instant, cfg Config, tp kafka.TopicPartition, start kafka.Offset) *Log {
	l := New(now, cfg, start)
	var h sim.Hash
	h.String(tp.Topic)
	h.Int(int64(tp.Partition))
	l.salt = h.Sum()
	l.active.jitter = l.jitter(start, now.UnixMilli())
	return l
}

// Clone returns a copy that shares all bytes and indexes. Neither sees what
// the other does later. Its cost does not depend on the log's length.
func (l *Log) Clone() *Log {
	c := *l
	c.share()
	return &c
}

// share makes a struct copy independent of its original, which keeps the right
// to write behind the current chunk.
func (l *Log) share() {
	l.owned = false
	l.tail, l.tailN = nil, 0
	l.closed = l.closed[:len(l.closed):len(l.closed)]
	l.active.clip()
	l.epochs = l.epochs[:len(l.epochs):len(l.epochs)]
}

// Config returns the configs in force.
func (l *Log) Config() Config { return l.cfg }

// SetConfig changes them; what is already written stays as it is.
func (l *Log) SetConfig(c Config) { l.cfg = c }

// LEO is the log end offset: that of the next record.
func (l *Log) LEO() kafka.Offset { return l.leo }

// LogStart is the first offset that may be read.
func (l *Log) LogStart() kafka.Offset { return l.start }

// Size is the number of bytes in all segments.
func (l *Log) Size() int64 { return l.bytes }

// seg returns segment i; the active one is the last.
func (l *Log) seg(i int) *segment {
	if i == len(l.closed) {
		return &l.active
	}
	return l.closed[i]
}

// segFor is the segment that an offset belongs to: the last with a base not
// above it, or the first.
func (l *Log) segFor(off kafka.Offset) int {
	if off >= l.active.base || len(l.closed) == 0 {
		return len(l.closed)
	}
	return max(0, sort.Search(len(l.closed), func(i int) bool { return l.closed[i].base > off })-1)
}

// appendSet is what a roll is decided by: all batches of one append together
// (RollParams.java).
type appendSet struct {
	first kafka.Offset
	last  kafka.Offset
	maxTS int64
	size  int
}

// AppendAsLeader appends batches as a leader in an epoch does: they get the
// next offsets and the epoch, and are copied. With LogAppendTime they get the
// time too. It returns the first and last offset given.
//
// The batches must be whole (CORRUPT_MESSAGE otherwise; the CRC is the
// broker's to verify, see record.Verify) and fit into a segment
// (RECORD_LIST_TOO_LARGE). On error nothing has changed.
func (l *Log) AppendAsLeader(now kafka.Instant, batches []byte, epoch kafka.LeaderEpoch) (first, last kafka.Offset, err error) {
	if l.unclean {
		return 0, 0, errUnclean
	}
	if len(batches) == 0 {
		return l.leo, l.leo - 1, nil
	}
	set := appendSet{first: l.leo, last: l.leo - 1, maxTS: record.NoTimestamp, size: len(batches)}
	nowMs := now.UnixMilli()
	for rest := batches; len(rest) > 0; {
		r, err := record.Frame(rest)
		if err != nil {
			return 0, 0, failf(kafka.CorruptMessage, "append at offset %d: %v", l.leo, err)
		}
		set.last += r.NextOffset() - r.BaseOffset()
		set.maxTS = max(set.maxTS, r.MaxTimestamp())
		rest = rest[len(r):]
	}
	if l.cfg.LogAppendTime {
		set.maxTS = nowMs
	}
	if err := l.maybeRoll(nowMs, &set); err != nil {
		return 0, 0, err
	}
	l.active.changed = nowMs
	l.ensureRoom(len(batches))
	cur := &l.active.cur
	at := len(cur.data)
	cur.data = append(cur.data, batches...)
	for off := set.first; at < len(cur.data); {
		r := rawAt(cur.data, at)
		record.SetBaseOffsetAndEpoch(r, off, epoch)
		if l.cfg.LogAppendTime {
			record.SetLogAppendTime(r, nowMs)
		}
		l.observe(r, at)
		off = r.NextOffset()
		at += len(r)
	}
	return set.first, set.last, nil
}

// AppendAsFollower appends batches as they came from the leader, offsets and
// epochs included, and keeps their memory: it must not change any more.
// Offsets may have gaps, as compaction leaves them, but never step back; an
// error names both. On error nothing has changed.
func (l *Log) AppendAsFollower(now kafka.Instant, batches []byte) (first, last kafka.Offset, err error) {
	if l.unclean {
		return 0, 0, errUnclean
	}
	if len(batches) == 0 {
		return l.leo, l.leo - 1, nil
	}
	gaps := false
	first, last = kafka.NoOffset, l.leo-1
	for rest := batches; len(rest) > 0; {
		r, err := record.Frame(rest)
		if err != nil {
			return 0, 0, failf(kafka.CorruptMessage, "append at offset %d, byte %d: %v", l.leo, len(batches)-len(rest), err)
		}
		if r.BaseOffset() <= last {
			return 0, 0, failf(kafka.UnknownServerError, "append of base offset %d where %d or more was expected (log end offset %d)", r.BaseOffset(), last+1, l.leo)
		}
		if int64(len(r)) > l.cfg.SegmentBytes {
			return 0, 0, tooLarge(len(r), r.BaseOffset(), l.cfg.SegmentBytes)
		}
		if first == kafka.NoOffset {
			first = r.BaseOffset()
		}
		gaps = gaps || r.BaseOffset() != last+1 || kafka.Offset(r.Count()) != r.NextOffset()-r.BaseOffset()
		last = r.LastOffset()
		rest = rest[len(r):]
	}
	if gaps {
		l.cleanedTo = max(l.cleanedTo, last+1)
	}
	for len(batches) > 0 {
		set := l.fitting(batches)
		if err := l.maybeRoll(now.UnixMilli(), &set); err != nil {
			panic("storage: " + err.Error()) // all of it was looked at
		}
		l.active.changed = now.UnixMilli()
		at := l.adopt(batches[:set.size])
		data := l.active.cur.data
		for at < len(data) {
			r := rawAt(data, at)
			l.observe(r, at)
			at += len(r)
		}
		batches = batches[set.size:]
	}
	return first, last, nil
}

// fitting is the longest run of batches that a segment can hold. Kafka's follower
// appends all that it fetched at once, and needs no more: there the floor of
// segment.bytes is what a follower fetches at most (KIP-1030).
func (l *Log) fitting(batches []byte) appendSet {
	set := appendSet{first: kafka.NoOffset, maxTS: record.NoTimestamp}
	for set.size < len(batches) {
		r := rawAt(batches, set.size)
		if int64(set.size+len(r)) > l.cfg.SegmentBytes {
			break
		}
		if set.first == kafka.NoOffset {
			set.first = r.BaseOffset()
		}
		set.last = r.LastOffset()
		set.maxTS = max(set.maxTS, r.MaxTimestamp())
		set.size += len(r)
	}
	return set
}

func tooLarge(size int, at kafka.Offset, segmentBytes int64) error {
	return failf(kafka.RecordListTooLarge, "append of %d bytes at offset %d exceeds segment.bytes=%d", size, at, segmentBytes)
}

// observe counts a batch that stands in the current chunk at a place.
func (l *Log) observe(r record.Raw, at int) {
	l.active.observe(r, l.cfg.IndexIntervalBytes)
	l.bytes += int64(len(r))
	l.hash = mixBatch(l.hash, r)
	if e := r.LeaderEpoch(); e >= 0 {
		l.epochs.assign(e, r.BaseOffset())
	}
	if l.tail == nil {
		l.tail = new([tailMarks]mark)
	}
	l.tail[l.tailN%tailMarks] = mark{r.BaseOffset(), int32(len(l.active.chunks)), uint32(at)}
	l.tailN++
	l.leo = r.NextOffset()
}

// ensureRoom makes the current chunk one that n bytes can be written to.
func (l *Log) ensureRoom(n int) {
	cur := &l.active.cur
	if l.owned && cap(cur.data)-len(cur.data) >= n {
		return
	}
	size := chunkBytesMin
	for size < chunkBytesMax && int64(size) < l.bytes {
		size *= 2
	}
	l.sealChunk()
	*cur = chunk{data: make([]byte, 0, max(size, n)), pos: l.active.size, hash: l.hash}
	l.owned = true
}

// adopt puts bytes of another log at the end of this one and returns their
// place in the current chunk, which they lengthen if they follow it in memory.
func (l *Log) adopt(b []byte) (at int) {
	cur := &l.active.cur
	n := len(cur.data)
	l.owned = false
	if cap(cur.data) >= n+len(b) && &cur.data[:n+1][n] == &b[0] {
		cur.data = cur.data[:n+len(b)]
		return n
	}
	l.sealChunk()
	*cur = chunk{data: b, pos: l.active.size, hash: l.hash}
	return 0
}

// sealChunk moves the current chunk to the finished ones, unless it is empty.
func (l *Log) sealChunk() {
	if s := &l.active; len(s.cur.data) > 0 {
		s.chunks = append(s.chunks, s.cur)
	}
}

// maybeRoll starts a new segment if the set must not go into the active one
// (LogSegment.shouldRoll), or fails if no segment could take it.
func (l *Log) maybeRoll(nowMs int64, set *appendSet) error {
	if int64(set.size) > l.cfg.SegmentBytes {
		return tooLarge(set.size, l.leo, l.cfg.SegmentBytes)
	}
	s := &l.active
	if int64(s.size) > l.cfg.SegmentBytes-int64(set.size) ||
		s.size > 0 && s.waited(nowMs, set.maxTS) > l.cfg.segmentMs()-s.jitter ||
		l.cfg.indexFull(s) || !s.fits(set.last) {
		l.roll(nowMs, max(set.first, l.leo))
	}
	return nil
}

// Roll closes the active segment and begins a new one at the log end offset,
// as retention does before it deletes the active one. An empty one stays.
func (l *Log) Roll(now kafka.Instant) {
	if !l.unclean && l.active.size > 0 {
		l.roll(now.UnixMilli(), l.leo)
	}
}

// roll also flushes all that was written so far, so the recovery point moves
// up to the new segment (UnifiedLog.roll).
func (l *Log) roll(nowMs int64, base kafka.Offset) {
	next := newSegment(base, nowMs, l.hash)
	next.jitter = l.jitter(base, nowMs)
	cur := &l.active.cur
	next.cur.data = cur.data[len(cur.data):] // the rest of the chunk is as good as a new one
	if l.active.size > 0 || l.active.base != base {
		s := l.active
		s.appendTime()
		l.closed = append(l.closed, &s)
	}
	l.active = next
	l.recovery = base
	l.flushed = 0
	l.dirty = dirtyRing{}
	l.tailN = 0
}

// SetLogStart moves the log start offset up, never down, and reports whether
// it moved (UnifiedLog.maybeIncrementLogStartOffset). An offset above the log
// end offset is OFFSET_OUT_OF_RANGE; that it is not above the high watermark
// is the caller's to check.
func (l *Log) SetLogStart(off kafka.Offset) (moved bool, err error) {
	if off > l.leo {
		return false, failf(kafka.OffsetOutOfRange, "log start offset %d is above the log end offset %d", off, l.leo)
	}
	if off <= l.start {
		return false, nil
	}
	l.start = off
	l.epochs.truncateFromStart(off)
	return true, nil
}

// DeleteOldSegments deletes closed segments that end at or before an offset
// and returns how many. The log start offset moves up to the first that is left.
func (l *Log) DeleteOldSegments(upTo kafka.Offset) int {
	n := 0
	for n < len(l.closed) && l.seg(n+1).base <= upTo {
		l.bytes -= int64(l.closed[n].size)
		n++
	}
	if n == 0 {
		return 0
	}
	l.closed = append([]*segment(nil), l.closed[n:]...)
	if first := l.seg(0).base; first > l.start {
		l.start = first
		l.epochs.truncateFromStart(first)
	}
	return n
}

// AssignEpoch records that a leader epoch begins at an offset: a new leader
// does so at once with its log end offset.
func (l *Log) AssignEpoch(epoch kafka.LeaderEpoch, start kafka.Offset) { l.epochs.assign(epoch, start) }

// LatestEpoch is the newest leader epoch in the cache, NoEpoch if there is none.
func (l *Log) LatestEpoch() kafka.LeaderEpoch {
	e, _ := l.epochs.latest()
	return e.Epoch
}

// EndOffsetForEpoch returns the largest known epoch that is not above the
// asked one and the offset at which it ended, given a log end offset
// (LeaderEpochFileCache.endOffsetFor). Both are -1 where nothing is known.
func (l *Log) EndOffsetForEpoch(epoch kafka.LeaderEpoch, leo kafka.Offset) (kafka.LeaderEpoch, kafka.Offset) {
	return l.epochs.endOffsetFor(epoch, leo)
}

// EpochForOffset is the leader epoch that the record at an offset was written in.
func (l *Log) EpochForOffset(off kafka.Offset) kafka.LeaderEpoch { return l.epochs.epochAt(off) }

// Epochs lists the leader epoch cache, oldest first. Do not change it.
func (l *Log) Epochs() []EpochEntry { return l.epochs[:len(l.epochs):len(l.epochs)] }
