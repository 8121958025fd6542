package view_test

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/engine/world"
)

func cluster(tb testing.TB, spec world.Spec) *world.World {
	tb.Helper()
	w, err := world.New(spec)
	if err != nil {
		tb.Fatal(err)
	}
	w.RunUntil(kafka.Instant(5 * kafka.Second))
	return w
}

// The read model agrees with the records that were sent.
func TestBuild(t *testing.T) {
	w := cluster(t, world.Reference(1))
	var b view.Builder
	var c view.Cluster
	b.Build(w, view.Options{Cells: 8, Flights: true}, &c)
	if len(c.Brokers) != 3 || c.Brokers[0].State != view.Running || c.Brokers[0].Fenced || c.Brokers[2].Replicas < 12 {
		t.Errorf("brokers are %+v", c.Brokers)
	}
	var leo, leads int64
	for _, p := range c.Topics[0].Partitions {
		leo += int64(p.LEO)
		if p.Leader == 1 {
			leads++
		}
		for _, r := range p.Replicas {
			if !r.Online || !r.InISR || r.HW > r.LEO || len(r.Cells) == 0 || r.Cells[len(r.Cells)-1].Offset != r.LEO-1 {
				t.Errorf("%v on %d: %+v", p.TP, r.Broker, r)
			}
			if x := r.Cells[0]; !x.HasKey || x.Producer != "app" || x.Size != 100+len(x.Key) {
				t.Errorf("record %+v", x)
			}
		}
	}
	p := &c.Producers[0]
	if p.Sent < 4990 || leo > p.Sent || leo < p.Acked || p.Acked == 0 {
		t.Errorf("sent %d, acked %d, in the logs %d", p.Sent, p.Acked, leo)
	}
	if len(c.Consumers) != 3 || c.Consumers[0].Delivered == 0 || len(c.Consumers[0].Assigned) != 4 {
		t.Errorf("consumers are %+v", c.Consumers)
	}
	if len(c.Flights) == 0 || len(c.Controllers) != 1 || c.Controllers[0].Role != "Leader" {
		t.Errorf("%d flights, controllers %+v", len(c.Flights), c.Controllers)
	}
}

// BenchmarkBuild is the engine's share of a frame at 3 brokers x 100 partitions.
func BenchmarkBuild(b *testing.B) {
	w := cluster(b, world.Wide(1, 3, 100))
	var m view.Builder
	var c view.Cluster
	o := view.Options{Cells: 12, Flights: true}
	m.Build(w, o, &c)
	b.ReportAllocs()
	for b.Loop() {
		m.Build(w, o, &c)
	}
}
