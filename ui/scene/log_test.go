package scene_test

import (
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/scene"
	"github.com/highwater-sim/highwater/ui/scene/fixture"
)

func TestLogLabels(t *testing.T) {
	c := fixture.Log()
	tp := func(i int32) kafka.TopicPartition { return kafka.TopicPartition{Topic: "payments", Partition: i} }
	for _, k := range []struct {
		sel  view.Selection
		want string
	}{
		{view.Selection{Kind: "controller", Node: 102}, "controller 102, running, Candidate, epoch 10, log end 311, high watermark 309, voted for 102, no answer from 101, granted by 102, refused by 103"},
		{view.Selection{Kind: "controller", Node: 101}, "controller 101, crashed, epoch 9, log end 305"},
		{view.Selection{Kind: "replica", Node: 2, TP: tp(0)}, "the cleaner is rewriting, 64 percent"},
		{view.Selection{Kind: "replica", Node: 1, TP: tp(1)}, "last known leader, leader epoch 4 from offset 110, 7 at the end that the leader has not"},
		{view.Selection{Kind: "replica", Node: 3, TP: tp(1)}, "eligible leader replica"},
		{view.Selection{Kind: "replica", Node: 4, TP: tp(2)}, "being added, 66 percent there"},
		{view.Selection{Kind: "replica", Node: 2, TP: tp(2)}, "being removed"},
		{view.Selection{Kind: "record", Node: 1, TP: tp(1), Offset: 120}, "the leader has not got it"},
		{view.Selection{Kind: "record", Node: 2, TP: tp(0), Offset: 83}, "superseded: the cleaner drops it"},
		{view.Selection{Kind: "record", Node: 2, TP: tp(0), Offset: 84}, "tombstone 84 of payments-0 on broker 2, key k2, delete horizon at 86400.000s"},
	} {
		if got := scene.Label(c, k.sel); !strings.Contains(got, k.want) {
			t.Errorf("%v:\n got %s\nwant %s", k.sel, got, k.want)
		}
	}
}

// Every mark of the legend can be reached by the keyboard and is explained; the
// legend lies over the picture and within it.
func TestLegendIsReachable(t *testing.T) {
	for _, size := range [][2]float32{{896, 600}, {360, 420}, {1600, 900}} {
		var l scene.List
		scene.Build(scene.Input{Cluster: fixture.Log(), W: size[0], H: size[1], Legend: true}, &l)
		n := 0
		for _, k := range scene.Targets(&l) {
			if k.Sel.Kind != "legend" {
				continue
			}
			if k.Sel.Name != scene.LegendName(n) || !strings.HasPrefix(k.Label, "legend: ") || len(k.Label) < 10 {
				t.Errorf("%v: %+v is not %s", size, k, scene.LegendName(n))
			}
			if k.Rect.X+k.Rect.W > size[0] || k.Rect.Y+k.Rect.H > size[1] || k.Rect.H < 12 {
				t.Errorf("%v: %s at %v", size, k.Sel.Name, k.Rect)
			}
			if at, _ := scene.Hit(&l, k.Rect.X+4, k.Rect.Y+k.Rect.H/2); at != k.Sel {
				t.Errorf("%v: %v lies over %v", size, at, k.Sel)
			}
			n++
		}
		if n < 25 || scene.LegendName(n) != "" {
			t.Errorf("%v: %d entries", size, n)
		}
	}
}

// Counts are Kafka's gauges: a partition without a leader is offline, not
// under-replicated.
func TestCountsOf(t *testing.T) {
	c := fixture.Log()
	if got, want := scene.CountsOf(c), (scene.Counts{UnderReplicated: 1, UnderMinISR: 1}); got != want {
		t.Errorf("%+v", got)
	}
	c.Topics[0].Partitions[1].Leader = kafka.NoNode
	if got, want := scene.CountsOf(c), (scene.Counts{Offline: 1}); got != want {
		t.Errorf("%+v", got)
	}
}
