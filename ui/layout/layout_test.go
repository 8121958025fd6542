package layout_test

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/layout"
	"github.com/highwater-sim/highwater/ui/scene/fixture"
)

func plan(c *view.Cluster, w, h, zoom float32) *layout.Plan {
	p := new(layout.Plan)
	layout.Compute(c, layout.Spec{W: w, H: h, Zoom: zoom}, p)
	return p
}

func overlap(a, b layout.Rect) bool {
	r := a.Intersect(b)
	return r.W > 0.01 && r.H > 0.01
}

// Whatever the cluster and the room: rows, columns and cards do not overlap,
// and without zoom everything fits the width.
func TestNothingOverlaps(t *testing.T) {
	for _, c := range []*view.Cluster{fixture.Ordinary(), fixture.Grid(1, 1), fixture.Grid(3, 12), fixture.Grid(5, 24), fixture.Grid(12, 100), fixture.Grid(9, 1000)} {
		for _, w := range []float32{320, 360, 600, 896, 1600} {
			for _, h := range []float32{300, 600, 1000} {
				check(t, c, plan(c, w, h, 1), w, h)
			}
		}
	}
}

func check(t *testing.T, c *view.Cluster, p *layout.Plan, w, h float32) {
	t.Helper()
	for i := range p.Rows {
		if i > 0 && overlap(p.Rows[i-1].Rect, p.Rows[i].Rect) {
			t.Errorf("%vx%v: rows %d and %d overlap", w, h, i-1, i)
		}
		if r := p.Rows[i].Rect; r.X < 0 || r.X+r.W > w {
			t.Errorf("%vx%v: row %v", w, h, r)
		}
	}
	for i := 1; i < len(p.Columns); i++ {
		if a, b := p.Columns[i-1], p.Columns[i]; a.X+a.W > b.X+0.01 {
			t.Errorf("%vx%v: columns %v and %v", w, h, a, b)
		}
	}
	for _, cards := range [][]layout.Card{p.Producers, p.Consumers} {
		for i := range cards {
			for j := range i {
				if overlap(cards[i].Rect, cards[j].Rect) {
					t.Errorf("%vx%v: cards %v and %v", w, h, cards[i], cards[j])
				}
			}
			if r := cards[i].Rect; r.X+r.W > w || r.Y+r.H > p.H {
				t.Errorf("%vx%v: card %v outside", w, h, r)
			}
		}
	}
	if len(p.Consumers) != len(c.Consumers) || len(p.Producers) != len(c.Producers) || len(p.Rows) != len(c.Brokers) {
		t.Errorf("%vx%v: something has no place", w, h)
	}
	if narrow := len(c.Topics[0].Partitions) < 100; narrow && p.ColumnsW > p.MatrixW+0.5 {
		t.Errorf("%vx%v: %v columns do not fit %v", w, h, p.ColumnsW, p.MatrixW)
	}
}

// The desktop's stage shows ordinary clusters whole, without scrolling.
func TestOrdinaryFits(t *testing.T) {
	for _, c := range []*view.Cluster{fixture.Ordinary(), fixture.Grid(3, 12), fixture.Grid(3, 100)} {
		if p := plan(c, 896, 600, 1); p.H > 600 || p.Level == layout.Auto {
			t.Errorf("%v high", p.H)
		}
	}
}

func TestRowsGoByRack(t *testing.T) {
	c := fixture.Grid(6, 6) // racks a b c a b c
	p := plan(c, 900, 700, 1)
	want := []int{0, 3, 1, 4, 2, 5}
	for i, r := range p.Rows {
		if r.Broker != want[i] || r.Rack != (i%2 == 0) {
			t.Errorf("row %d is broker %d, first of its rack %v", i, r.Broker, r.Rack)
		}
	}
}

func TestInternalTopicsAreFolded(t *testing.T) {
	c := fixture.Ordinary()
	p := plan(c, 896, 600, 1)
	if len(p.Folded) != 1 || len(p.Blocks) != 2 {
		t.Fatalf("folded %v", p.Folded)
	}
	layout.Compute(c, layout.Spec{W: 896, H: 600, Zoom: 1, Unfold: "__consumer_offsets"}, p)
	last := p.Blocks[len(p.Blocks)-1]
	if len(p.Folded) != 0 || last.Per == 0 || p.Level != layout.Cells || p.ColumnsW > p.MatrixW {
		t.Errorf("unfolded: %+v at %v", last, p.Level)
	}
	seen := map[layout.Rect]bool{}
	for i := range 50 {
		r := p.TileRect(&last, i)
		if seen[r] || r.Y+r.H > p.BoxH+0.01 || r.X < last.X || r.X+r.W > last.X+last.W+0.01 {
			t.Errorf("tile %d at %v", i, r)
		}
		seen[r] = true
	}
}

func TestComputeAllocatesNothing(t *testing.T) {
	c := fixture.Grid(9, 1000)
	p := plan(c, 900, 600, 1)
	if n := testing.AllocsPerRun(10, func() { layout.Compute(c, layout.Spec{W: 900, H: 600, Zoom: 1}, p) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestEmpty(t *testing.T) {
	for _, c := range []*view.Cluster{nil, {}} {
		if p := plan(c, 900, 600, 1); len(p.Rows)+len(p.Columns) != 0 {
			t.Errorf("%+v", p)
		}
	}
}
