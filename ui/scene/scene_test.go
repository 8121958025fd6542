package scene_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/scene"
	"github.com/highwater-sim/highwater/ui/scene/display"
	"github.com/highwater-sim/highwater/ui/scene/fixture"
	"github.com/highwater-sim/highwater/ui/theme"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

// inputs are the pictures that golden files keep.
func inputs() map[string]scene.Input {
	return map[string]scene.Input{
		"ordinary": {Cluster: fixture.Ordinary(), W: 896, H: 600},
		"crashed":  {Cluster: fixture.Crashed(), W: 896, H: 600, Theme: &theme.Light, Selection: view.Selection{Kind: "broker", Node: 2}},
		"internal": {Cluster: fixture.Crashed(), W: 896, H: 600, Selection: view.Selection{Kind: "topic", Name: kafka.TopicOffsets}},
		"combined": {Cluster: fixture.Combined(), W: 896, H: 600, Selection: view.Selection{Kind: "controller", Node: 1}},
		"phone":    {Cluster: fixture.Ordinary(), W: 360, H: 420, DPR: 3},
		"bars":     {Cluster: fixture.Grid(5, 24), W: 896, H: 600},
		"tiles":    {Cluster: fixture.Grid(3, 60), W: 896, H: 600},
		"log":      {Cluster: fixture.Log(), W: 896, H: 640, Before: &scene.Counts{Offline: 1}},
		"log-bars": {Cluster: fixture.Log(), W: 896, H: 640, Level: scene.Bars},
		"legend":   {Cluster: fixture.Log(), W: 360, H: 560, Theme: &theme.Light, Legend: true},
		"zoomed":   {Cluster: fixture.Ordinary(), W: 896, H: 600, Camera: scene.Camera{Zoom: 2, X: 200}},
	}
}

// Golden lists: every mark of the hand-made clusters, in words. -rewrite keeps
// what is there now; read the difference.
func TestGolden(t *testing.T) {
	for name, in := range inputs() {
		var l scene.List
		scene.Build(in, &l)
		file := filepath.Join("testdata", name+".txt")
		if *rewrite {
			if err := os.WriteFile(file, []byte(l.String()), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := l.String(); got != string(want) {
			t.Errorf("%s differs at line %s", name, difference(got, string(want)))
		}
	}
}

func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			return "\n got " + g[i] + "\nwant " + strings.Join(w[min(i, len(w)-1):min(i+1, len(w))], "")
		}
	}
	return "end"
}

func texts(l *scene.List) string {
	var b strings.Builder
	for i := range l.Ops {
		if l.Ops[i].Kind == display.Glyphs {
			b.Write(l.TextOf(&l.Ops[i]))
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// What must be said in words, so that no state is known by colour alone.
func TestStatesAreSaid(t *testing.T) {
	var l scene.List
	for name, want := range map[string][]string{
		"log": {"RACK a · 2 brokers", "Candidate", "Prospective", "votes", "pre-votes", "vote", "refused", "crashed", "64 %", "start 74", "e6", "OFFLINE · 7 DIVERGENT", "/d2", "97 %", "IN SYNC · TO /d3 50 %",
			"! OUT OF SYNC −3 · ELR", "ADDING 66 %", "IN SYNC · REMOVING", "reassigning", "1 under-replicated (+1)", "1 under min ISR (+1)", "0 offline (−1)"},
		"ordinary": {"LEADER", "IN SYNC", "IN SYNC · 1.1 s behind", "cut off", "Fetch held", "HW", "LSO", "no replica", "LEO 125", "lag 6", "no partition assigned", "+ __consumer_offsets · 50", "KRaft quorum", "epoch 9"},
		"crashed":  {"crashed", "OFFLINE", "! OUT OF SYNC −6", "under min ISR", "7 lost", "disk 40 ms", "‹"},
	} {
		scene.Build(inputs()[name], &l)
		got := texts(&l)
		for _, w := range want {
			if w == "‹" {
				continue
			}
			if !strings.Contains(got, w) {
				t.Errorf("%s does not say %q", name, w)
			}
		}
	}
}

// No text of an ordinary picture is smaller than 10 px, on a phone neither.
func TestTextIsLegible(t *testing.T) {
	for name, in := range inputs() {
		var l scene.List
		scene.Build(in, &l)
		for i := range l.Ops {
			if o := &l.Ops[i]; o.Kind == display.Glyphs && o.Size < theme.SizeTiny {
				t.Errorf("%s: %q at %v px", name, l.TextOf(o), o.Size)
			}
		}
	}
}

// Geometry is stable: what was there stays where it was when a topic, a client
// or a broker is added elsewhere and the steps of width allow it.
func TestNothingJumps(t *testing.T) {
	c := fixture.Ordinary()
	c.Topics[0].Partitions = c.Topics[0].Partitions[:2]
	var before, after scene.List
	in := scene.Input{Cluster: c, W: 1100, H: 700}
	scene.Build(in, &before)
	kept := scene.Targets(&before)
	extra := c.Topics[1]
	extra.Name, extra.Partitions = "zz", append([]view.Partition(nil), extra.Partitions...)
	extra.Partitions[0].TP.Topic = "zz"
	c.Topics = append(c.Topics[:2:2], extra, c.Topics[2])
	c.Consumers = append(c.Consumers, view.Consumer{ID: 1020, Name: "c9", Group: "billing"})
	c.Producers = append(c.Producers, view.Producer{ID: 1021, Name: "late", Topic: "zz", Acks: "all"})
	scene.Build(in, &after)
	for _, k := range kept {
		if k.Sel.Kind != "replica" && k.Sel.Kind != "broker" && k.Sel.Kind != "partition" {
			continue
		}
		if r, ok := scene.Find(&after, k.Sel); !ok || r != k.Rect {
			t.Errorf("%v moved from %v to %v", k.Sel, k.Rect, r)
		}
	}
}

func TestLevels(t *testing.T) {
	for _, c := range []struct {
		brokers, partitions int
		zoom                float32
		want                scene.Level
	}{
		{3, 4, 1, scene.Cells}, {3, 12, 1, scene.Cells}, {3, 24, 1, scene.Bars}, {3, 100, 1, scene.Tiles}, {9, 1000, 1, scene.Tiles},
		{3, 24, 3, scene.Cells}, {3, 100, 4, scene.Bars}, {3, 100, 10, scene.Cells},
	} {
		var l scene.List
		scene.Build(scene.Input{Cluster: fixture.Grid(c.brokers, c.partitions), W: 900, H: 640, Camera: scene.Camera{Zoom: c.zoom}}, &l)
		if l.Level != c.want {
			t.Errorf("%d x %d at zoom %v: %v, want %v", c.brokers, c.partitions, c.zoom, l.Level, c.want)
		}
		if (l.Cells > 0) != (c.want == scene.Cells) {
			t.Errorf("%d x %d asks for %d cells at %v", c.brokers, c.partitions, l.Cells, l.Level)
		}
	}
}

// A thousand partitions: each replica is in the picture, in its broker's row.
func TestThousandPartitionsAreAllThere(t *testing.T) {
	var l scene.List
	scene.Build(scene.Input{Cluster: fixture.Grid(9, 1000), W: 900, H: 800}, &l)
	replicas := 0
	for _, k := range scene.Targets(&l) {
		if k.Sel.Kind == "replica" {
			replicas++
			if k.Rect.W < 4 {
				t.Fatalf("%v is %v px wide", k.Sel, k.Rect.W)
			}
		}
	}
	if replicas != 3000 {
		t.Errorf("%d replicas", replicas)
	}
}

// Only what the camera shows is emitted.
func TestCullsWhatIsOutOfSight(t *testing.T) {
	c := fixture.WithCells(fixture.Grid(9, 1000), 16)
	var far, near scene.List
	scene.Build(scene.Input{Cluster: c, W: 900, H: 640, Camera: scene.Camera{Zoom: scene.ZoomMax(c)}}, &near)
	scene.Build(scene.Input{Cluster: c, W: 900, H: 640}, &far)
	if len(near.Ops) > 4000 || len(near.Ops) >= 2*len(far.Ops) {
		t.Errorf("%d operations near, %d far", len(near.Ops), len(far.Ops))
	}
}

// A steady picture makes no garbage, moving or not, at any level.
func TestBuildAllocatesNothing(t *testing.T) {
	for name, c := range map[string]*view.Cluster{"ordinary": fixture.Ordinary(), "crashed": fixture.Crashed(), "log": fixture.Log(), "12": fixture.WithCells(fixture.Grid(3, 12), 24), "1000": fixture.Grid(9, 1000)} {
		var l scene.List
		var dst []byte
		state := new(scene.State)
		in := scene.Input{Cluster: c, W: 896, H: 600, Wall: 1.0 / 60, Speed: 1, State: state, Hover: view.Selection{Kind: "broker", Node: 1}, Legend: name == "log"}
		step := func() {
			in.Now = in.Now.Add(kafka.Millisecond)
			scene.Build(in, &l)
			dst = l.AppendBinary(dst[:0])
		}
		step()
		if n := testing.AllocsPerRun(20, step); n != 0 {
			t.Errorf("%s: %v allocations a frame", name, n)
		}
	}
}

func TestFlightsAreWhereTheClockSays(t *testing.T) {
	c := fixture.Ordinary()
	c.Flights = c.Flights[:1]
	at := func(now kafka.Instant, reduced bool) (x, y float32) {
		var l scene.List
		scene.Build(scene.Input{Cluster: c, W: 896, H: 600, Now: now, ReducedMotion: reduced}, &l)
		r, ok := scene.Find(&l, view.Selection{Kind: "flight", ID: 1})
		if !ok {
			t.Fatal("no flight")
		}
		return r.X + r.W/2, r.Y + r.H/2
	}
	f := c.Flights[0]
	c.Now = f.SentAt
	_, y0 := at(f.SentAt, false)
	_, y1 := at(f.SentAt.Add(f.ArriveAt.Sub(f.SentAt)/2), false)
	_, y2 := at(f.ArriveAt, false)
	if !(y0 < y1 && y1 < y2) {
		t.Errorf("a produce request falls: %v %v %v", y0, y1, y2)
	}
	x3, y3 := at(f.SentAt, true)
	x4, y4 := at(f.ArriveAt, true)
	if x3 != x4 || y3 != y4 {
		t.Error("it moves for a reader who asked for less motion")
	}
}

// Too fast to follow, messages become lines; the line stays a moment and fades.
func TestFlowsInsteadOfDots(t *testing.T) {
	c := fixture.Ordinary()
	state := new(scene.State)
	var l scene.List
	in := scene.Input{Cluster: c, W: 896, H: 600, Wall: 1.0 / 60, Speed: 1, State: state}
	curves := func() (n int) {
		scene.Build(in, &l)
		for i := range l.Ops {
			if l.Ops[i].Kind == display.Curve {
				n++
			}
		}
		return n
	}
	first := curves()
	if _, ok := scene.Find(&l, view.Selection{Kind: "flight", ID: 1}); ok {
		t.Error("a message of 5 ms is a dot at 1x")
	}
	if _, ok := scene.Find(&l, view.Selection{Kind: "flight", ID: 4}); !ok {
		t.Error("the message that waits at the cut is not shown")
	}
	c.Flights = nil
	soon := curves()
	for range 120 {
		curves()
	}
	if late := curves(); !(soon >= first-1 && late < soon) {
		t.Errorf("lines: %d, then %d, then %d", first, soon, late)
	}
	if l.Moving {
		t.Error("it still moves after two seconds of silence")
	}
}

// The axis of a growing log moves smoothly, and at once when it is far.
func TestAxisTween(t *testing.T) {
	c := fixture.Ordinary()
	part := &c.Topics[0].Partitions[0]
	state := new(scene.State)
	var l scene.List
	in := scene.Input{Cluster: c, W: 896, H: 600, Wall: 1.0 / 60, Speed: 1, State: state}
	c.Flights = nil
	last := func() float32 {
		scene.Build(in, &l)
		r, _ := scene.Find(&l, view.Selection{Kind: "record", Node: 2, TP: part.TP, Offset: 95})
		return r.X
	}
	x0 := last()
	grow := func(n kafka.Offset) {
		part.LEO += n
		for i := range part.Replicas {
			part.Replicas[i].LEO += n
		}
	}
	grow(2)
	x1 := last()
	if !l.Moving || x1 >= x0 || x1 < x0-24 {
		t.Errorf("from %v to %v, moving %v", x0, x1, l.Moving)
	}
	for range 60 {
		last()
	}
	if x := last(); l.Moving || x > x0-23 || x < x0-25 {
		t.Errorf("came to rest at %v, from %v", x, x0)
	}
	grow(500)
	last()
	if l.Moving {
		t.Error("a far jump is tweened")
	}
}

// In a combined cluster a process is at two places: what its quorum replica says goes
// between the controllers, replication between the rows, and a heartbeat to the
// controller in the same process from one to the other.
func TestCombinedProcessesAreAtTwoPlaces(t *testing.T) {
	var apart, both scene.List
	scene.Build(scene.Input{Cluster: fixture.Ordinary(), W: 896, H: 600}, &apart)
	scene.Build(scene.Input{Cluster: fixture.Combined(), W: 896, H: 600}, &both)
	at := func(l *scene.List, id uint64) scene.Rect {
		r, ok := scene.Find(l, view.Selection{Kind: "flight", ID: id})
		if !ok {
			t.Fatalf("flight %d is not in the picture", id)
		}
		return r
	}
	if was, is := at(&apart, 2), at(&both, 2); was != is {
		t.Errorf("replication goes over %v, not %v", is, was)
	}
	if r := at(&both, 6); r.Y > 60 {
		t.Errorf("a fetch of the metadata log is at %v, not between the controllers", r)
	}
	row, _ := scene.Find(&both, view.Selection{Kind: "broker", Node: 1})
	if r := at(&both, 7); r.Y < 40 || r.Y > row.Y+row.H {
		t.Errorf("a heartbeat to its own process is at %v, not on its way up from %v", r, row)
	}
}

// However many partitions there are, the largest zoom shows their records, and any
// of them can be brought into sight there.
func TestZoomToRecords(t *testing.T) {
	for _, n := range []int{12, 100, 1000} {
		c := fixture.Grid(9, n)
		in := scene.Input{Cluster: c, W: 896, H: 600, Camera: scene.Camera{Zoom: scene.ZoomMax(c)}}
		tp := c.Topics[0].Partitions[len(c.Topics[0].Partitions)*2/3].TP
		in.Camera = scene.Show(in, tp)
		var l scene.List
		scene.Build(in, &l)
		if l.Level != scene.Cells || l.To <= l.From || l.To-l.From > 40 {
			t.Errorf("%d partitions: %v, columns %d to %d", n, l.Level, l.From, l.To)
		}
		if _, ok := scene.Find(&l, view.Selection{Kind: "partition", TP: tp}); !ok {
			t.Errorf("%d partitions: %v is not in sight at %+v", n, tp, l.Camera)
		}
		if again := scene.Show(scene.Input{Cluster: c, W: 896, H: 600, Camera: l.Camera}, tp); again != l.Camera {
			t.Errorf("%d partitions: the camera moved from %+v to %+v for what is in sight", n, l.Camera, again)
		}
	}
}
