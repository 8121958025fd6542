package storage

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
)

// TestFollowersShareMemory: what a follower has fetched at the tail is the
// leader's memory, in a handful of chunks, and stays what it was when the
// leader truncates and writes something else.
func TestFollowersShareMemory(t *testing.T) {
	l, f := New(0, DefaultConfig(), 0), New(0, DefaultConfig(), 0)
	for range 2000 {
		mustLead(t, l, batchOf(1, 0, 80, "x"), 0)
		replicate(t, l, f, 1<<20)
	}
	lc, fc := l.active.chunkCount(), f.active.chunkCount()
	if lc != fc || lc > 12 {
		t.Errorf("leader has %d chunks, follower %d", lc, fc)
	}
	for i := range lc {
		if unsafe.SliceData(l.active.chunk(i).data) != unsafe.SliceData(f.active.chunk(i).data) {
			t.Errorf("chunk %d is not shared", i)
		}
	}
	before := bytes.Clone(logFile(f))
	l.TruncateTo(1000)
	mustLead(t, l, batchOf(5, 0, 300, "other"), 1)
	if !bytes.Equal(logFile(f), before) {
		t.Error("the follower's bytes changed")
	}
	check(t, l)
	check(t, f)
}

// TestCopiesAreApart: a log and its copies write on without seeing each other:
// bytes, chunks, segments, indexes and epochs.
//
// It is done with many lengths, so that every slice that could be shared has
// room behind it in one of them.
func TestCopiesAreApart(t *testing.T) {
	for n := 230; n < 350; n += 3 {
		copiesAreApart(t, n)
	}
}

func copiesAreApart(t *testing.T, n int) {
	cfg := DefaultConfig()
	cfg.SegmentBytes, cfg.IndexIntervalBytes = 7000, 200
	l := New(0, cfg, 0)
	for i := range n {
		b := batchOf(2, int64(i), 50, "common")
		record.SetBaseOffsetAndEpoch(b, l.LEO(), kafka.LeaderEpoch(i/10))
		if _, _, err := l.AppendAsFollower(0, b); err != nil {
			t.Fatal(err)
		}
	}
	a, b := l.Clone(), l.Clone()
	logs := []*Log{l, a, b}
	for i := range 60 {
		for j, log := range logs {
			epoch := kafka.LeaderEpoch(100 + i/(j+1))
			b := batchOf(2, int64(1000*j+i), 50+30*j, string(rune('a'+j)))
			if i%4 == 0 {
				mustLead(t, log, b, epoch)
				continue
			}
			record.SetBaseOffsetAndEpoch(b, log.LEO(), epoch) // memory of its own: a chunk each
			if _, _, err := log.AppendAsFollower(0, b); err != nil {
				t.Fatal(err)
			}
		}
	}
	for j, log := range logs {
		check(t, log)
		for x := range log.Batches(kafka.Offset(2 * n)) {
			for r, err := range record.Records(x.Raw) {
				if err != nil || r.Key[0] != byte('a'+j) {
					t.Fatalf("log %d holds key %q, %v", j, r.Key, err)
				}
			}
			if e := log.EpochForOffset(x.Header.BaseOffset); e != x.Header.LeaderEpoch {
				t.Fatalf("log %d: epoch at %d is %d, batch says %d", j, x.Header.BaseOffset, e, x.Header.LeaderEpoch)
			}
		}
		index, times := log.IndexBytes(log.active.base), log.TimeIndexBytes(log.active.base)
		log.Close()
		times = append(times, log.TimeIndexBytes(log.active.base)[len(times):]...)
		log.Kill()
		log.Recover()
		if !bytes.Equal(index, log.IndexBytes(log.active.base)) || !bytes.Equal(times, log.TimeIndexBytes(log.active.base)) {
			t.Errorf("log %d: indexes are not those of its batches", j)
		}
	}
}

func TestFollowerRefusesStepsBack(t *testing.T) {
	l := New(0, DefaultConfig(), 0)
	mustLead(t, l, batchOf(3, 0, 10, "k"), 0)
	before := digest(l)
	at := func(off kafka.Offset) []byte {
		b := batchOf(2, 0, 10, "k")
		record.SetBaseOffsetAndEpoch(b, off, 0)
		return b
	}
	for _, c := range []struct {
		b    []byte
		code kafka.ErrorCode
		want string
	}{
		{at(2), kafka.UnknownServerError, "UNKNOWN_SERVER_ERROR: append of base offset 2 where 3 or more was expected (log end offset 3)"},
		{append(at(3), at(4)...), kafka.UnknownServerError, "UNKNOWN_SERVER_ERROR: append of base offset 4 where 5 or more was expected (log end offset 3)"},
		{append(at(3), at(5)[:30]...), kafka.CorruptMessage, "CORRUPT_MESSAGE: append at offset 3, byte 99: record: at byte 0: batch header is cut off: expected 61, found 30"},
	} {
		_, _, err := l.AppendAsFollower(0, c.b)
		if CodeOf(err) != c.code || err.Error() != c.want {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
	if _, _, err := l.AppendAsLeader(0, at(0)[:70], 0); CodeOf(err) != kafka.CorruptMessage {
		t.Errorf("a torn batch from a producer: %v", err)
	}
	if digest(l) != before {
		t.Error("a refused append left something behind")
	}
	if first, last, err := l.AppendAsFollower(0, at(10)); first != 10 || last != 11 || err != nil {
		t.Errorf("a gap: [%d, %d] %v", first, last, err)
	}
	if b := mustRead(t, l, 5, 1, l.LEO()); record.Raw(b).BaseOffset() != 10 {
		t.Error("a read in the gap does not find what follows it")
	}
	check(t, l)
}

func TestLogAppendTime(t *testing.T) {
	cfg := DefaultConfig()
	cfg.LogAppendTime = true
	l := New(0, cfg, 0)
	in := batchOf(2, 5, 10, "k")
	keep := bytes.Clone(in)
	if _, _, err := l.AppendAsLeader(kafka.Instant(7*kafka.Second), in, 0); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(in, keep) {
		t.Error("the producer's bytes were written to")
	}
	b, _ := l.LastBatch()
	if want := kafka.StartUnixMilli + 7000; b.Header.MaxTimestamp != want || !b.Header.Attributes.LogAppendTime() || record.Verify(b.Raw) != nil {
		t.Errorf("%+v, want timestamp %d", b.Header, want)
	}
}

// TestIndexFull: a segment whose index has no room is rolled, and the time
// index keeps a slot for the entry of the roll.
func TestIndexFull(t *testing.T) {
	cfg := DefaultConfig()
	cfg.IndexIntervalBytes = 1
	cfg.SegmentIndexBytes = 36 // 4 offset entries, or 3 time entries of which the last is kept for the roll
	l := New(0, cfg, 0)
	for i := range 20 {
		mustLead(t, l, batchOf(1, int64(i), 10, "k"), 0)
	}
	for _, s := range l.Segments() {
		if s.TimeIndexEntries > 2 || !s.Active && s.TimeIndexEntries < 2 {
			t.Errorf("%+v", s)
		}
	}
	check(t, l)
}

// TestOffsetOverflow: offsets more than an int32 above the base need a new segment.
func TestOffsetOverflow(t *testing.T) {
	l := New(0, DefaultConfig(), 0)
	mustLead(t, l, batchOf(1, 0, 10, "k"), 0)
	for _, off := range []kafka.Offset{1<<31 - 2, 1 << 31, 1 << 40} {
		b := batchOf(1, 0, 10, "k")
		record.SetBaseOffsetAndEpoch(b, off, 0)
		if _, _, err := l.AppendAsFollower(0, b); err != nil {
			t.Fatal(err)
		}
	}
	var bases []kafka.Offset
	for _, s := range l.Segments() {
		bases = append(bases, s.BaseOffset)
	}
	if len(bases) != 3 || bases[1] != 1<<31 || bases[2] != 1<<40 {
		t.Errorf("segments %v", bases)
	}
	check(t, l)
}

// TestWholePagesGoOut follows the write-back second by second: what is 35 s
// old is always durable, what is younger than 30 s only where it shares a page.
func TestWholePagesGoOut(t *testing.T) {
	l := New(0, DefaultConfig(), 0)
	var sizes []int64 // after second i
	for sec := range kafka.Instant(200) {
		mustLead(t, l, batchOf(1, 0, 600, "k"), 0)
		now := sec * kafka.Instant(kafka.Second)
		if sec%5 == 0 {
			l.Writeback(now)
		}
		sizes = append(sizes, l.Size())
		durable := l.Size() - l.Dirty()
		if i := len(sizes) - 36; i >= 0 && durable < sizes[i] {
			t.Fatalf("second %d: %d bytes durable, %d were there 35 s ago", sec, durable, sizes[i])
		}
		if i := len(sizes) - 30; i >= 0 && durable > sizes[i]+pageBytes {
			t.Fatalf("second %d: %d bytes durable, only %d are 30 s old", sec, durable, sizes[i])
		} else if i < 0 && durable > 0 {
			t.Fatalf("second %d: %d bytes durable", sec, durable)
		}
		if durable%pageBytes != 0 {
			t.Fatalf("second %d: %d bytes durable are not whole pages", sec, durable)
		}
	}
}

// TestRecoveryCutsCorruption: a broken batch in the middle takes all behind it
// along, later segments included, even if they are sound.
func TestRecoveryCutsCorruption(t *testing.T) {
	cfg := DefaultConfig()
	cfg.SegmentBytes = 1000
	l := New(0, cfg, 0)
	for i := range 30 {
		mustLead(t, l, batchOf(2, int64(i), 30, "k"), kafka.LeaderEpoch(i/5))
	}
	b, _ := l.BatchAt(21)
	b.Raw[80] ^= 1 // the test's privilege
	segments := l.SegmentCount()
	l.Kill()
	rep := l.Recover()
	if rep.LEO != 20 || l.LEO() != 20 || rep.Cause == nil || rep.Segments == 0 || l.SegmentCount() != segments-rep.Segments {
		t.Errorf("%+v with %d of %d segments", rep, l.SegmentCount(), segments)
	}
	if l.LatestEpoch() != 1 {
		t.Errorf("epochs %v reach beyond the end", l.Epochs())
	}
	check(t, l)
	if first, _ := mustLead(t, l, batchOf(1, 0, 1, "k"), 9); first != 20 {
		t.Errorf("next append at %d", first)
	}
}

// TestRecoveryBelowCheckpointedStart: a log that lost what its log start
// offset stands on begins anew there.
func TestRecoveryBelowCheckpointedStart(t *testing.T) {
	l := New(0, DefaultConfig(), 0)
	mustLead(t, l, batchOf(10, 0, 30, "k"), 0)
	if _, err := l.SetLogStart(8); err != nil {
		t.Fatal(err)
	}
	l.Checkpoint()
	l.LosePageCache()
	if rep := l.Recover(); rep.LEO != 8 || rep.LogStart != 8 || l.Size() != 0 {
		t.Errorf("%+v, %d bytes", rep, l.Size())
	}
	check(t, l)
}

// TestTailAllocates: the hot path makes no garbage but the chunks themselves.
func TestTailAllocates(t *testing.T) {
	l, f := New(0, DefaultConfig(), 0), New(0, DefaultConfig(), 0)
	batch := batchOf(1, 0, 100, "k")
	step := func() {
		if _, _, err := l.AppendAsLeader(0, batch, 0); err != nil {
			t.Fatal(err)
		}
		b, err := l.Read(f.LEO(), 1<<20, l.LEO())
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := f.AppendAsFollower(0, b); err != nil {
			t.Fatal(err)
		}
		if b, err = f.Read(f.LEO()-1, 1<<20, f.LEO()); err != nil || len(b) == 0 {
			t.Fatal(err)
		}
	}
	for range 1000 {
		step()
	}
	if n := testing.AllocsPerRun(1000, step); n > 0.1 {
		t.Errorf("%.3f allocations per append, replication and read", n)
	}
}
