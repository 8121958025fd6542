package storage

import (
	"fmt"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
)

// batchOf makes a batch of n records at a time, in ms, whose values have a size.
func batchOf(n int, ms int64, valueSize int, name string) []byte {
	var b record.Builder
	b.Reset(record.BatchSpec{})
	value := make([]byte, valueSize)
	copy(value, name)
	for i := range n {
		b.Add(ms+int64(i), []byte(fmt.Sprint(name, i)), value, nil)
	}
	return b.Take()
}

func mustLead(t testing.TB, l *Log, batches []byte, epoch kafka.LeaderEpoch) (first, last kafka.Offset) {
	t.Helper()
	first, last, err := l.AppendAsLeader(0, batches, epoch)
	if err != nil {
		t.Fatal(err)
	}
	return first, last
}

func mustRead(t testing.TB, l *Log, from kafka.Offset, maxBytes int, upTo kafka.Offset) []byte {
	t.Helper()
	b, err := l.Read(from, maxBytes, upTo)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// replicate lets a follower fetch until it has all that the leader has.
func replicate(t testing.TB, leader, follower *Log, maxBytes int) {
	t.Helper()
	for follower.LEO() < leader.LEO() {
		b := mustRead(t, leader, follower.LEO(), maxBytes, leader.LEO())
		if len(b) == 0 {
			t.Fatalf("nothing to read at %d below %d", follower.LEO(), leader.LEO())
		}
		if _, _, err := follower.AppendAsFollower(0, b); err != nil {
			t.Fatal(err)
		}
	}
}

func digest(l *Log) uint64 {
	h := sim.NewHash()
	l.Digest(h)
	return h.Sum()
}

func dirDigest(d *Dir) uint64 {
	h := sim.NewHash()
	d.Digest(h)
	return h.Sum()
}

// logFile is all of a log's bytes, segment after segment.
func logFile(l *Log) []byte {
	var b []byte
	for _, s := range l.Segments() {
		b = append(b, l.LogBytes(s.BaseOffset)...)
	}
	return b
}

// failer is what testing and rapid have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// check verifies what must hold of any log that can be read.
func check(t failer, l *Log) {
	t.Helper()
	var total int64
	segs := l.Segments()
	for i, s := range segs {
		total += s.Size
		data := l.LogBytes(s.BaseOffset)
		if int64(len(data)) != s.Size {
			t.Fatalf("segment %d: %d bytes, size %d", s.BaseOffset, len(data), s.Size)
		}
		if i > 0 && segs[i-1].EndOffset != s.BaseOffset || s.Active != (i == len(segs)-1) {
			t.Fatalf("segments do not join: %+v", segs)
		}
		for _, e := range l.Index(s.BaseOffset) {
			if r, err := record.Frame(data[e.Position:]); err != nil || r.LastOffset() != e.Offset {
				t.Fatalf("segment %d: index entry %+v points at a batch that ends at %d, %v", s.BaseOffset, e, r.LastOffset(), err)
			}
		}
		for _, e := range l.TimeIndex(s.BaseOffset) {
			if b, ok := l.BatchAt(e.Offset); !ok || b.Header.LastOffset() != e.Offset || b.Header.MaxTimestamp != e.Timestamp {
				t.Fatalf("segment %d: time index entry %+v, batch %+v", s.BaseOffset, e, b.Header)
			}
		}
		for f := range record.Scan(data) {
			if f.Err != nil {
				t.Fatalf("segment %d: %v", s.BaseOffset, f.Err)
			}
		}
	}
	if total != l.Size() {
		t.Fatalf("segments have %d bytes, log says %d", total, l.Size())
	}
	want := mix(0, uint64(0))
	next := kafka.Offset(-1)
	var bytes int64
	for b := range l.Batches(segs[0].BaseOffset) {
		if b.Header.BaseOffset < next {
			t.Fatalf("batch at %d after %d", b.Header.BaseOffset, next)
		}
		next = b.Header.NextOffset()
		bytes += int64(len(b.Raw))
		want = mixBatch(want, b.Raw)
	}
	if bytes != total || next > l.LEO() {
		t.Fatalf("batches have %d bytes of %d and end at %d, log end offset %d", bytes, total, next, l.LEO())
	}
	if segs[0].BaseOffset == 0 && l.CleanedTo() == 0 && l.hash != want {
		t.Fatalf("running hash %x, from scratch %x", l.hash, want)
	}
	for i := 1; i < len(l.Epochs()); i++ {
		a, b := l.Epochs()[i-1], l.Epochs()[i]
		if a.Epoch >= b.Epoch || a.StartOffset >= b.StartOffset {
			t.Fatalf("epochs do not rise: %v", l.Epochs())
		}
	}
}
