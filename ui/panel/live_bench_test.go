package panel

import (
	"fmt"
	"testing"

	"github.com/highwater-sim/highwater/engine"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/model"
)

// benchmarkRender measures what the page's panels cost five times a second while a
// cluster of this size works: facts, build and comparison.
func benchmarkRender(b *testing.B, brokers, partitions int) {
	s, err := engine.Open(fmt.Sprintf(`title Panels
cluster brokers=%d controllers=3
topic load partitions=%d replication.factor=3 min.insync.replicas=2
producer app topic=load acks=all rate=500/s keys=100
at 600s end
`, brokers, partitions), engine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	s.RunUntil(5*kafka.Instant(kafka.Second), 1<<30)
	m := model.New(nil, false)
	m.Selection = view.Selection{Kind: "partition", TP: kafka.TopicPartition{Topic: "load"}}
	tree := newTree(b, m)
	var c view.Cluster
	s.View(view.Options{Some: true}, &c)
	last := tree.build()
	b.ReportAllocs()
	for b.Loop() {
		f := &model.Facts{Cluster: &c, Steps: s.Steps(), Markers: s.Markers(), Detail: s.Inspect(tree.m.Selection)}
		*tree.m, _ = model.Update(*tree.m, model.FactsMsg{Facts: f})
		next := tree.build()
		if _, same := Diff(last, next, nil); !same {
			b.Log("rendered anew")
		}
		last = next
	}
}

func BenchmarkRender3x12(b *testing.B)   { benchmarkRender(b, 3, 12) }
func BenchmarkRender3x100(b *testing.B)  { benchmarkRender(b, 3, 100) }
func BenchmarkRender9x1000(b *testing.B) { benchmarkRender(b, 9, 1000) }
