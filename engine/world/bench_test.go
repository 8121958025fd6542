package world_test

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/world"
)

// BenchmarkReference prints how many seconds of the reference cluster pass in
// one second of the host's (budget: 500).
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
	for range b.N { // one op is one virtual second
		w.RunUntil(w.Now().Add(kafka.Second))
	}
	b.StopTimer()
	spent := b.Elapsed().Seconds()
	b.ReportMetric(float64(w.Now().Sub(start))/1e9/spent, "x-real-time")
	b.ReportMetric(spent*1e9/float64(w.Events()-events), "ns/event")
	b.ReportMetric(float64(w.Events()-events)/float64(b.N), "events/s")
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
