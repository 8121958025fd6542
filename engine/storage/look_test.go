package storage

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// logOf is a log whose records, one a batch, have the epochs given.
func logOf(t *testing.T, epochs ...kafka.LeaderEpoch) *Log {
	t.Helper()
	l := New(0, DefaultConfig(), 0)
	for _, e := range epochs {
		mustLead(t, l, batchOf(1, 0, 10, "x"), e)
	}
	return l
}

// Where a follower would cut its log off, by the epochs of both (KIP-101, KIP-279).
func TestDivergesFrom(t *testing.T) {
	e := func(es ...kafka.LeaderEpoch) []kafka.LeaderEpoch { return es }
	for _, c := range []struct {
		name             string
		follower, leader []kafka.LeaderEpoch
		want             kafka.Offset
	}{
		{"the same", e(0, 0, 1), e(0, 0, 1), 3},
		{"behind", e(0, 0), e(0, 0, 1), 2},
		{"nothing yet", nil, e(0, 0, 1), 0},
		{"an old leader that went on", e(0, 0, 0, 0), e(0, 0, 1), 2},
		{"an epoch that the leader never heard of", e(0, 0, 1, 1), e(0, 0, 2, 2), 2},
		{"two elections that saw different logs", e(0, 1, 1, 3), e(0, 2, 2, 2), 1},
		{"newer than all of the leader's", e(0, 0, 4), e(0, 0, 0), 2},
		{"nothing in common", e(1, 1), e(2, 2), 0},
	} {
		f, l := logOf(t, c.follower...), logOf(t, c.leader...)
		if got := f.DivergesFrom(l); got != c.want {
			t.Errorf("%s: from %d, want %d", c.name, got, c.want)
		}
	}
}

// SegmentsFrom and IndexFrom tell what Segments and Index tell, from an offset on.
func TestLookFrom(t *testing.T) {
	cfg := DefaultConfig()
	cfg.SegmentBytes, cfg.IndexIntervalBytes = 400, 100
	l := New(0, cfg, 0)
	for range 30 {
		mustLead(t, l, batchOf(1, 0, 10, "x"), 0)
	}
	all := l.Segments()
	if len(all) < 4 {
		t.Fatalf("%d segments", len(all))
	}
	for from := kafka.Offset(0); from <= l.LEO(); from++ {
		var want []Segment
		var entries []kafka.Offset
		for _, s := range all {
			if s.Active || s.EndOffset > from {
				want = append(want, s)
			}
			for _, e := range l.Index(s.BaseOffset) {
				if e.Offset >= from {
					entries = append(entries, e.Offset)
				}
			}
		}
		i := 0
		for s := range l.SegmentsFrom(from) {
			if i >= len(want) || s != want[i] {
				t.Fatalf("from %d: segment %d is %+v", from, i, s)
			}
			i++
		}
		k := 0
		for e := range l.IndexFrom(from) {
			if k >= len(entries) || e.Offset != entries[k] {
				t.Fatalf("from %d: entry %d is %+v", from, k, e)
			}
			k++
		}
		if i != len(want) || k != len(entries) {
			t.Errorf("from %d: %d segments of %d, %d entries of %d", from, i, len(want), k, len(entries))
		}
	}
}
