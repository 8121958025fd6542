package world_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/world"
)

// BenchmarkReference prints how many seconds of the reference cluster pass in
// one second of processor time (budget: 500).
func BenchmarkReference(b *testing.B) { measure(b, world.Reference(1)) }

// BenchmarkThousandPartitions prints the same for 1,000 partitions; compare
// ns/event with BenchmarkReference (budget: 1.5 times).
func BenchmarkThousandPartitions(b *testing.B) { measure(b, world.Wide(1, 3, 1000)) }

func measure(b *testing.B, spec world.Spec) {
	w, err := world.New(spec)
	if err != nil {
		b.Fatal(err)
	}
	w.RunUntil(kafka.Instant(2 * kafka.Second))
	start, events := w.Now(), w.Events()
	b.ReportAllocs()
	b.ResetTimer()
	cpu := cpuTime()
	for range b.N { // one op is one virtual second
		w.RunUntil(w.Now().Add(kafka.Second))
	}
	b.StopTimer()
	spent := (cpuTime() - cpu).Seconds() // of the processor: other programs run beside a benchmark
	b.ReportMetric(float64(w.Now().Sub(start))/1e9/spent, "x-real-time")
	b.ReportMetric(spent*1e9/float64(w.Events()-events), "ns/event")
	b.ReportMetric(float64(w.Events()-events)/float64(b.N), "events/s")
}

// cpuTime is what this process has used of all processors.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkClone prints what a keyframe costs.
func BenchmarkClone(b *testing.B) {
	w, err := world.New(world.Reference(1))
	if err != nil {
		b.Fatal(err)
	}
	w.RunUntil(kafka.Instant(10 * kafka.Second))
	b.ReportAllocs()
	for b.Loop() {
		_ = w.Clone()
	}
}
