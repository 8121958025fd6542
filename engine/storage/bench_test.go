package storage

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// BenchmarkAppendReplicateRead is the life of one small batch in a partition
// with three replicas: appended, fetched twice, and read once by a consumer.
func BenchmarkAppendReplicateRead(b *testing.B) {
	batch := batchOf(1, 0, 100, "k")
	l, f, g := New(0, DefaultConfig(), 0), New(0, DefaultConfig(), 0), New(0, DefaultConfig(), 0)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if n++; n == 200_000 { // bound the memory
			l, f, g, n = New(0, DefaultConfig(), 0), New(0, DefaultConfig(), 0), New(0, DefaultConfig(), 0), 0
		}
		l.AppendAsLeader(0, batch, 0)
		for _, r := range []*Log{f, g} {
			data, _ := l.Read(r.LEO(), 1<<20, l.LEO())
			r.AppendAsFollower(0, data)
		}
		if data, err := l.Read(l.LEO()-1, 1<<20, l.LEO()); err != nil || len(data) == 0 {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendAsLeader(b *testing.B) {
	batch := batchOf(1, 0, 100, "k")
	l := New(0, DefaultConfig(), 0)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if n++; n == 200_000 {
			l, n = New(0, DefaultConfig(), 0), 0
		}
		l.AppendAsLeader(0, batch, 0)
	}
}

func BenchmarkReadTail(b *testing.B)   { benchmarkRead(b, 1, 1<<20) }
func BenchmarkReadMiddle(b *testing.B) { benchmarkRead(b, 25_000, 1000) }

func benchmarkRead(b *testing.B, back kafka.Offset, maxBytes int) {
	batch := batchOf(1, 0, 100, "k")
	l := New(0, DefaultConfig(), 0)
	for range 50_000 {
		l.AppendAsLeader(0, batch, 0)
	}
	b.ReportAllocs()
	for b.Loop() {
		if data, err := l.Read(l.LEO()-back, maxBytes, l.LEO()); err != nil || len(data) == 0 {
			b.Fatal(err)
		}
	}
}

// TestHistoryMemory measures a partition of the reference run, 10 minutes with
// three replicas and a keyframe every 5 s: the bytes once, little else.
func TestHistoryMemory(t *testing.T) {
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	batch := batchOf(1, 0, 100, "k")
	before := heap()
	dirs := [3]*Dir{NewDir(), NewDir(), NewDir()}
	for _, d := range dirs {
		mustCreate(t, d, tp("t", 0))
	}
	var frames []*Dir
	const batches = 50_000
	for i := range batches {
		l := dirs[0].MutableAt(0)
		mustLead(t, l, batch, 0)
		for _, d := range dirs[1:] {
			data := mustRead(t, l, d.At(0).LEO(), 1<<20, l.LEO())
			if _, _, err := d.MutableAt(0).AppendAsFollower(0, data); err != nil {
				t.Fatal(err)
			}
		}
		if i%(batches/120) == 0 {
			for _, d := range dirs {
				frames = append(frames, d.Clone())
			}
		}
	}
	used := heap() - before
	data := dirs[0].At(0).Size()
	t.Logf("%d batches of %d bytes on 3 replicas, %d keyframes: %d KiB of data, %d KiB in memory; a frozen log is %d bytes",
		batches, len(batch), len(frames), data>>10, used>>10, unsafe.Sizeof(part{}))
	if used > data*3/2 {
		t.Errorf("%d bytes in memory for %d bytes of data", used, data)
	}
	runtime.KeepAlive(frames)
	runtime.KeepAlive(dirs)
}
