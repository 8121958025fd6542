package storage

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// segment.jitter.ms takes up to its value off segment.ms, drawn for every segment,
// replica and partition apart (LogConfig.randomSegmentJitter, LogSegment.shouldRoll).
func TestSegmentJitter(t *testing.T) {
	for _, c := range []struct{ jitter, ms, below int64 }{{0, 5000, 1}, {3000, 5000, 3000}, {9000, 5000, 5000}} {
		cfg := DefaultConfig()
		cfg.SegmentMs, cfg.SegmentJitterMs = c.ms, c.jitter
		seen, most := map[int64]bool{}, int64(0)
		for p := range int32(400) {
			l := newLog(0, cfg, kafka.TopicPartition{Topic: "t", Partition: p}, 0)
			j := l.active.jitter
			seen[j], most = true, max(most, j)
			for _, age := range []int64{0, c.ms - j, c.ms - j + 1} {
				if _, _, err := l.AppendAsLeader(0, batchOf(1, 100+age, 10, "k"), 0); err != nil {
					t.Fatal(err)
				}
				if rolled := l.SegmentCount() > 1; rolled != (age > c.ms-j) {
					t.Fatalf("jitter %d of %d: rolled %v after %d ms, segment.ms=%d", j, c.jitter, rolled, age, c.ms)
				}
			}
			if j < 0 || j >= c.below {
				t.Fatalf("segment.jitter.ms=%d segment.ms=%d: jitter %d", c.jitter, c.ms, j)
			}
		}
		if c.jitter > 0 && (len(seen) < 300 || most < c.below*9/10) {
			t.Errorf("segment.jitter.ms=%d: %d different draws, the largest is %d", c.jitter, len(seen), most)
		}
	}
	cfg := DefaultConfig()
	cfg.SegmentJitterMs = 1 << 40
	tp := kafka.TopicPartition{Topic: "t"}
	a := newLog(0, cfg, tp, 0)
	cfg.Seed = 1
	if b := newLog(0, cfg, tp, 0); a.active.jitter == b.active.jitter {
		t.Error("two brokers draw the same")
	}
	first := a.active.jitter
	if _, _, err := a.AppendAsLeader(0, batchOf(1, 0, 10, "k"), 0); err != nil {
		t.Fatal(err)
	}
	if a.Roll(0); a.active.jitter == first {
		t.Error("two segments draw the same")
	}
}

// A checkpoint of the cleaner behind the log's end does not hide the log from it
// (LogCleanerManager.cleanableOffsets).
func TestCheckpointBehindTheEnd(t *testing.T) {
	l := New(0, DefaultConfig(), 0)
	for range 2 {
		if _, _, err := l.AppendAsLeader(0, batchOf(2, 0, 10, "k"), 0); err != nil {
			t.Fatal(err)
		}
		l.Roll(0)
	}
	for _, c := range []struct {
		checkpoint kafka.Offset
		want       bool
	}{{kafka.NoOffset, true}, {0, true}, {2, true}, {4, false}, {5, true}} {
		if got := l.HasCleanable(c.checkpoint); got != c.want {
			t.Errorf("checkpoint %d of a log that ends at 4: %v", c.checkpoint, got)
		}
	}
}

// Files of deleted segments outlast a clean shutdown, but not the start after it,
// however long file.delete.delay.ms is (LogLoader).
func TestDeletedFilesGoAtStart(t *testing.T) {
	l := New(0, DefaultConfig(), 0)
	if _, _, err := l.AppendAsLeader(0, batchOf(2, 0, 10, "k"), 0); err != nil {
		t.Fatal(err)
	}
	l.Roll(0)
	if _, err := l.SetLogStart(2); err != nil {
		t.Fatal(err)
	}
	l.DeleteExpired(0, 2)
	l.Close()
	if l.RemovedSize() == 0 {
		t.Fatal("nothing was deleted")
	}
	if l.Reopen(); l.RemovedSize() != 0 {
		t.Errorf("%d bytes of deleted files after the start", l.RemovedSize())
	}
}

// A segment without timestamps is as old as its file, which the cleaner does not make
// younger, or older, when it leaves nothing in it (LogSegment.largestTimestamp,
// Cleaner.cleanSegments).
func TestAgeOfEmptySegments(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Compact, cfg.RetentionMs = true, 1000
	l := New(0, cfg, 0)
	at := func(ms int64) kafka.Instant { return kafka.Instant(ms) * kafka.Instant(kafka.Millisecond) }
	for i, ms := range []int64{0, 5000, 6000} {
		if _, _, err := l.AppendAsLeader(at(ms), batchOf(1, kafka.StartUnixMilli+ms, 10, "k"), 0); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			l.Roll(at(ms))
		}
	}
	if _, _, err := l.AppendAsLeader(at(6000), batchOf(1, kafka.StartUnixMilli+6000, 10, "other"), 0); err != nil {
		t.Fatal(err)
	}
	l.Roll(at(6000))
	cfg.SegmentBytes = 1 // every segment stays one
	l.SetConfig(cfg)
	for p := NewCleaning(at(6000), l.Cleanable(at(6000), kafka.NoOffset, l.LEO()), 10, nil); p.Stage != Cleaned; {
		next, aborted, err := p.Advance(l, at(6000))
		if aborted || err != nil {
			t.Fatal(aborted, err)
		}
		p = next
	}
	if s := l.Segments(); s[0].Size != 0 || s[0].EndOffset != 2 {
		t.Fatalf("%+v", s)
	}
	if gone := l.DeleteExpired(at(6000), l.LEO()); len(gone) > 0 {
		t.Errorf("at 6,000 ms: %+v", gone)
	}
	if gone := l.DeleteExpired(at(6001), l.LEO()); len(gone) != 1 || gone[0].Age != 1001 {
		t.Errorf("at 6,001 ms: %+v", gone)
	}
}
