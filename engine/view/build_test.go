package view_test

import (
	"reflect"
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

// A build that looks into some logs only agrees with one that looks into all, on
// those and on what it tells of the others, also in memory that was used before.
func TestSome(t *testing.T) {
	w := cluster(t, world.Wide(1, 3, 40))
	var b view.Builder
	var all, some view.Cluster
	b.Build(w, view.Options{Cells: 8}, &all)
	b.Build(w, view.Options{Cells: 8}, &some)
	only := all.Topics[0].Partitions[11].TP
	b.Build(w, view.Options{Cells: 8, Some: true, From: 5, To: 9, Only: only}, &some)
	looked, column := 0, 0
	for i := range all.Topics {
		for j := range all.Topics[i].Partitions {
			p, q := &all.Topics[i].Partitions[j], &some.Topics[i].Partitions[j]
			if p.HW != q.HW || p.LEO != q.LEO || p.Leader != q.Leader || p.UnderReplicated != q.UnderReplicated {
				t.Errorf("%v: %+v and %+v", p.TP, p, q)
			}
			in := !all.Topics[i].Internal && column >= 5 && column < 9 || p.TP == only
			column++
			for k := range p.Replicas {
				r, s := p.Replicas[k], q.Replicas[k]
				if in {
					looked++
					if !reflect.DeepEqual(r, s) || len(s.Cells) == 0 {
						t.Errorf("%v on %d: %+v\nand %+v", p.TP, r.Broker, r, s)
					}
					continue
				}
				if len(s.Cells)+len(s.Extents)+len(s.Epochs)+s.Segments > 0 || s.Bytes != 0 || s.Dir != "" {
					t.Errorf("%v on %d was looked into: %+v", p.TP, r.Broker, s)
				}
				told := []any{r.Broker, r.Online, r.Leader, r.InISR, r.Epoch, r.LogStart, r.HW, r.LSO, r.LEO, r.CaughtUp, r.Lag}
				if again := []any{s.Broker, s.Online, s.Leader, s.InISR, s.Epoch, s.LogStart, s.HW, s.LSO, s.LEO, s.CaughtUp, s.Lag}; !reflect.DeepEqual(told, again) {
					t.Errorf("%v on %d: %v and %v", p.TP, r.Broker, told, again)
				}
			}
		}
	}
	if looked != 15 {
		t.Errorf("%d replicas were looked into", looked)
	}
}
