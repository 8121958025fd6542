package scene_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/highwater-sim/highwater/engine"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/scene"
)

// A cluster that works: producers and consumers on every topic.
func liveText(brokers, partitions int) string {
	return fmt.Sprintf(`title Frames
cluster brokers=%d controllers=3
topic load partitions=%d replication.factor=3 min.insync.replicas=2
producer app topic=load acks=all rate=500/s keys=100
consumer c1 group=g assign=load-0,load-1,load-2
at 600s end
`, brokers, partitions)
}

// benchmarkLive measures a frame at 1x without the engine's own work: the read
// model, the display list and its binary form.
func benchmarkLive(b *testing.B, brokers, partitions int) {
	s, err := engine.Open(liveText(brokers, partitions), engine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	var c view.Cluster
	var l scene.List
	var state scene.State
	var dst []byte
	s.RunUntil(5*kafka.Instant(kafka.Second), 1<<30)
	cells := 0
	b.ReportAllocs()
	var spent [4]time.Duration
	worst := time.Duration(0)
	for b.Loop() {
		t0 := time.Now()
		s.RunUntil(s.Now()+kafka.Instant(16*kafka.Millisecond), 1<<30)
		t1 := time.Now()
		s.View(view.Options{Cells: cells, Flights: true, Some: true, To: 40 * cells}, &c)
		t2 := time.Now()
		scene.Build(scene.Input{Cluster: &c, W: 900, H: 600, DPR: 1, Now: s.Now(), Wall: 0.016, Speed: 1, State: &state}, &l)
		cells = max(cells, l.Cells)
		t3 := time.Now()
		dst = l.AppendBinary(dst[:0])
		t4 := time.Now()
		for i, d := range []time.Duration{t1.Sub(t0), t2.Sub(t1), t3.Sub(t2), t4.Sub(t3)} {
			spent[i] += d
		}
		worst = max(worst, t4.Sub(t0))
	}
	for i, n := range []string{"engine", "view", "scene", "encode"} {
		b.ReportMetric(float64(spent[i].Microseconds())/float64(b.N), "µs/"+n)
	}
	b.ReportMetric(float64(len(l.Ops)), "ops")
	b.ReportMetric(float64(len(dst)), "bytes")
}

func BenchmarkLive3x12(b *testing.B)   { benchmarkLive(b, 3, 12) }
func BenchmarkLive3x100(b *testing.B)  { benchmarkLive(b, 3, 100) }
func BenchmarkLive9x1000(b *testing.B) { benchmarkLive(b, 9, 1000) }
