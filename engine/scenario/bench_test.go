package scenario

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/highwater-sim/highwater/engine/world"
)

// BenchmarkReference is a second of the reference cluster, bare and with all
// that a tracker does: laws after every event, and the ledger ten times a second.
func BenchmarkReference(b *testing.B) {
	for _, tracked := range []bool{false, true} {
		name := "bare"
		if tracked {
			name = "tracked"
		}
		b.Run(name, func(b *testing.B) {
			w, err := world.New(world.Reference(1))
			if err != nil {
				b.Fatal(err)
			}
			t := NewTracker(&File{})
			if tracked {
				w.OnNote(func(n *trace.Note) { t.Noted(w, n) })
			}
			events := w.Events()
			end := w.Now()
			for b.Loop() {
				for range 10 {
					end = end.Add(100 * kafka.Millisecond)
					second(b, w, t, end, tracked)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(w.Events()-events), "ns/event")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "x-real-time")
		})
	}
}

// second runs to an instant.
func second(b *testing.B, w *world.World, t *Tracker, end kafka.Instant, tracked bool) {
	for at, ok := w.Next(); ok && at <= end; at, ok = w.Next() {
		w.StepEvent()
		if !tracked {
			continue
		}
		if err := t.Happened(w); err != nil {
			b.Fatal(err)
		}
	}
	if !tracked {
		return
	}
	if e, ok := t.Ledger(w, "app"); !ok || e.Lost != 0 {
		b.Fatalf("%t %+v", ok, e)
	}
}
