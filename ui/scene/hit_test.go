package scene_test

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/scene"
	"github.com/highwater-sim/highwater/ui/scene/fixture"
)

func ordinary(t *testing.T) *scene.List {
	t.Helper()
	l := new(scene.List)
	scene.Build(scene.Input{Cluster: fixture.Ordinary(), W: 896, H: 600}, l)
	return l
}

var payments1 = kafka.TopicPartition{Topic: "payments", Partition: 1}

// Every target of the keyboard is what the pointer finds at its middle, or
// something that lies on it.
func TestHitFindsTargets(t *testing.T) {
	l := ordinary(t)
	on := map[string]string{"broker": "replica", "replica": "record", "consumer": "partition", "link": "link"}
	for _, k := range scene.Targets(l) {
		got, _ := scene.Hit(l, k.Rect.X+k.Rect.W/2, k.Rect.Y+k.Rect.H/2)
		if got != k.Sel && got.Kind != on[k.Sel.Kind] && got.Kind != "flight" {
			t.Errorf("in the middle of %v lies %v", k.Sel, got)
		}
		if k.Label == "" {
			t.Errorf("%v has no label", k.Sel)
		}
	}
	if got, r := scene.Hit(l, 889, 599); got != (view.Selection{}) || r != (scene.Rect{}) {
		t.Errorf("in the corner lies %v", got)
	}
}

func TestHitPrefersTheSmall(t *testing.T) {
	l := ordinary(t)
	sel := view.Selection{Kind: "record", Node: 1, TP: payments1, Offset: 120}
	r, ok := scene.Find(l, sel)
	if !ok {
		t.Fatal("record 120 is not in the picture")
	}
	if got, _ := scene.Hit(l, r.X+r.W/2, r.Y+r.H-2); got != sel {
		t.Errorf("got %v", got)
	}
}

func TestTargetsInReadingOrder(t *testing.T) {
	var kinds []string
	for _, k := range scene.Targets(ordinary(t)) {
		if n := len(kinds); n == 0 || kinds[n-1] != k.Sel.Kind {
			kinds = append(kinds, k.Sel.Kind)
		}
	}
	want := []string{"controller", "topic", "producer", "partition", "broker", "replica", "broker", "replica", "broker", "replica", "consumer", "link"}
	if len(kinds) != len(want) {
		t.Fatalf("%v", kinds)
	}
	for i := range want {
		if kinds[i] != want[i] {
			t.Fatalf("%v", kinds)
		}
	}
}

func TestStepMovesByDirection(t *testing.T) {
	l := ordinary(t)
	sel := view.Selection{Kind: "replica", Node: 1, TP: payments1}
	right := scene.Step(l, sel, 1, 0)
	if want := (view.Selection{Kind: "replica", Node: 1, TP: kafka.TopicPartition{Topic: "payments", Partition: 2}}); right != want {
		t.Errorf("right: %v", right)
	}
	if down := scene.Step(l, sel, 0, 1); down != (view.Selection{Kind: "replica", Node: 2, TP: payments1}) {
		t.Errorf("down: %v", down)
	}
	if up := scene.Step(l, sel, 0, -1); up != (view.Selection{Kind: "partition", TP: payments1}) {
		t.Errorf("up: %v", up)
	}
	if first := scene.Step(l, view.Selection{}, 1, 0); first.Kind == "" {
		t.Error("no first target")
	}
}

func TestLabels(t *testing.T) {
	c := fixture.Crashed()
	for _, k := range []struct {
		sel  view.Selection
		want string
	}{
		{view.Selection{Kind: "broker", Node: 1}, "broker 1, crashed, rack a, fenced, leads 1 of 4 replicas"},
		{view.Selection{Kind: "partition", TP: payments1}, "partition payments-1, leader 2, in sync 2, log end offset 124, high watermark 118, under min ISR"},
		{view.Selection{Kind: "replica", Node: 3, TP: payments1}, "payments-1 on broker 3, out of sync, log end offset 118, high watermark 118, 6 behind, leader epoch 4 from offset 0, on disk up to 114"},
		{view.Selection{Kind: "replica", Node: 1, TP: payments1}, "payments-1 on broker 1, offline, log end offset 125, high watermark 118, leader epoch 4 from offset 0, on disk up to 121"},
		{view.Selection{Kind: "producer", Name: "payments-app"}, "producer payments-app, running, to payments, acks 1, sent 260, acknowledged 257, lost 7"},
		{view.Selection{Kind: "consumer", Name: "c3"}, "consumer c3 of group billing, running, reads payments-2, lag 6"},
		{view.Selection{Kind: "consumer", Name: "c4"}, "consumer c4 of group billing, running, no partition assigned"},
		{view.Selection{Kind: "controller", Node: 101}, "controller 101, running, Leader, epoch 9, log end 311, high watermark 309"},
		{view.Selection{Kind: "topic", Name: "audit"}, "topic audit, 1 partitions, replication factor 2"},
		{view.Selection{Kind: "record", Node: 2, TP: payments1, Offset: 119}, "record 119 of payments-1 on broker 2, key k3, leader epoch 4"},
	} {
		if got := scene.Label(c, k.sel); got != k.want {
			t.Errorf("%v:\n got %s\nwant %s", k.sel, got, k.want)
		}
	}
}

// Zooming keeps what is under the pointer under it.
func TestZoomAtHoldsThePoint(t *testing.T) {
	c := fixture.Ordinary()
	in := scene.Input{Cluster: c, W: 896, H: 600}
	var l scene.List
	scene.Build(in, &l)
	sel := view.Selection{Kind: "replica", Node: 2, TP: payments1}
	before, _ := scene.Find(&l, sel)
	x, y := before.X+before.W/2, before.Y+before.H/2
	for _, f := range []float32{1.5, 2, 3} {
		in.Camera = scene.ZoomAt(scene.Input{Cluster: c, W: 896, H: 600}, x, y, f)
		scene.Build(in, &l)
		after, ok := scene.Find(&l, sel)
		if !ok || x < after.X-20 || x > after.X+after.W+20 || l.Camera != in.Camera {
			t.Errorf("zoom %v: %v is at %v, camera %v used as %v", f, sel, after, in.Camera, l.Camera)
		}
	}
	back := scene.ZoomAt(in, x, y, 0.001)
	if back.Zoom != 1 || back.X != 0 {
		t.Errorf("zoomed out: %v", back)
	}
}

func TestCameraStaysInThePicture(t *testing.T) {
	var l scene.List
	scene.Build(scene.Input{Cluster: fixture.Ordinary(), W: 896, H: 600, Camera: scene.Camera{X: -50, Y: 9999, Zoom: 99}}, &l)
	if l.Camera.X != 0 || l.Camera.Zoom != scene.ZoomMax(fixture.Ordinary()) || l.Camera.Y > l.ContentH {
		t.Errorf("%+v", l.Camera)
	}
}

func TestRevealBringsIntoView(t *testing.T) {
	in := scene.Input{Cluster: fixture.Ordinary(), W: 500, H: 500, Camera: scene.Camera{Zoom: 4}}
	var l scene.List
	scene.Build(in, &l)
	sel := view.Selection{Kind: "partition", TP: kafka.TopicPartition{Topic: "payments", Partition: 0}}
	first, ok := scene.Find(&l, sel)
	if !ok {
		t.Fatal("not in the picture")
	}
	in.Camera = l.Camera
	in.Camera.X = first.W * 0.7
	scene.Build(in, &l)
	in.Camera = scene.Reveal(&l, scene.Rect{X: first.X - in.Camera.X, Y: first.Y, W: first.W, H: first.H})
	scene.Build(in, &l)
	if got, _ := scene.Find(&l, sel); got != first {
		t.Errorf("%v, want %v", got, first)
	}
}
