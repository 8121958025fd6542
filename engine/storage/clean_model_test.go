package storage

import (
	"fmt"
	"maps"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"pgregory.net/rapid"
)

// latestState reads a log as a consumer does that wants the latest value of each
// key; aborted transactions are not read.
func latestState(l *Log) map[string]string {
	state := map[string]string{}
	var aborted []abortedTxn
	if n := len(l.closed); n > 0 {
		aborted = l.abortedTxns(n)
	}
	c := Cleaning{aborted: aborted}
	for b := range l.Batches(l.LogStart()) {
		if b.Header.Attributes.Control() || b.Header.Attributes.Transactional() && c.isAborted(b.Raw) {
			continue
		}
		for r, err := range record.Records(b.Raw) {
			if err != nil {
				panic(err)
			}
			if r.Value == nil {
				delete(state, string(r.Key))
			} else {
				state[string(r.Key)] = string(r.Value)
			}
		}
	}
	return state
}

// TestCleanerKeepsLatestState cleans random logs at random moments: what they
// say of each key never changes, offsets and ends neither, copies taken before a
// pass see nothing of it, and a crash after it loses nothing.
func TestCleanerKeepsLatestState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := DefaultConfig()
		cfg.Compact, cfg.Delete = true, false
		cfg.SegmentBytes = int64(rapid.IntRange(200, 900).Draw(t, "segment"))
		cfg.IndexIntervalBytes = 100
		cfg.DeleteRetentionMs = 50
		l := New(0, cfg, 0)
		checkpoint, ms := kafka.NoOffset, int64(0)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			ms += int64(rapid.IntRange(1, 30).Draw(t, "ms"))
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				l.Roll(kafka.Instant(ms) * kafka.Instant(kafka.Millisecond))
			case 1:
				checkpoint = cleanOnce(t, l, ms, checkpoint)
			default:
				appendRandom(t, l, ms)
			}
			check(t, l)
		}
	})
}

func appendRandom(t *rapid.T, l *Log, ms int64) {
	s := record.BatchSpec{}
	txn := rapid.IntRange(0, 4).Draw(t, "txn")
	if txn > 2 {
		s.Transactional, s.Idempotent, s.ProducerID = true, true, int64(txn)
	}
	for range rapid.IntRange(1, 4).Draw(t, "records") {
		r := record.Record{Timestamp: kafka.StartUnixMilli + ms, Key: []byte(rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "key"))}
		if rapid.IntRange(0, 3).Draw(t, "tombstone") > 0 {
			r.Value = fmt.Append(nil, ms)
		}
		s.Records = append(s.Records, r)
	}
	if _, _, err := l.AppendAsLeader(0, record.Build(s), 0); err != nil {
		t.Fatal(err)
	}
	if s.Transactional {
		m := record.Marker{Commit: rapid.Bool().Draw(t, "commit")}
		if _, _, err := l.AppendAsLeader(0, record.BuildMarker(m, s.ProducerID, 0, kafka.StartUnixMilli+ms), 0); err != nil {
			t.Fatal(err)
		}
	}
}

// cleanOnce runs a pass, interrupted or not, and returns the new checkpoint.
func cleanOnce(t *rapid.T, l *Log, ms int64, checkpoint kafka.Offset) kafka.Offset {
	now := kafka.Instant(ms) * kafka.Instant(kafka.Millisecond)
	c := l.Cleanable(now, checkpoint, l.LEO())
	if c.DirtyBytes == 0 {
		return checkpoint
	}
	before, copied, leo := latestState(l), l.Clone(), l.LEO()
	sum := digest(copied)
	p := NewCleaning(now, c, rapid.IntRange(1, 6).Draw(t, "entries"), nil)
	stop := rapid.IntRange(1, 6).Draw(t, "stop")
	for i := 0; p.Stage != Cleaned && i < stop; i++ {
		next, aborted, err := p.Advance(l, now)
		if aborted || err != nil {
			t.Fatalf("aborted %v, %v", aborted, err)
		}
		p = next
		if after := latestState(l); !maps.Equal(before, after) {
			t.Fatalf("before %v\nafter  %v", before, after)
		}
	}
	if l.LEO() != leo || l.LogStart() != 0 || digest(copied) != sum || !maps.Equal(latestState(copied), before) {
		t.Fatalf("log end offset %d of %d, log start %d, copy changed: %v", l.LEO(), leo, l.LogStart(), digest(copied) != sum)
	}
	crashed := l.Clone()
	crashed.Checkpoint()
	crashed.LosePageCache()
	if r := crashed.Recover(); r.Cause != nil || crashed.LEO() < l.closed[len(l.closed)-1].base {
		t.Fatalf("recovery: %+v", r)
	}
	if p.Stage != Cleaned {
		return checkpoint
	}
	return p.End
}
