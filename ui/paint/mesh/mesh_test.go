package mesh

import (
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"testing"

	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/scene"
	"github.com/highwater-sim/highwater/ui/scene/display"
	"github.com/highwater-sim/highwater/ui/scene/fixture"
	"github.com/highwater-sim/highwater/ui/theme"
)

func atlas(t testing.TB) *Atlas {
	a, err := NewAtlas(Fonts{theme.Regular: goregular.TTF, theme.Bold: gobold.TTF, theme.Mono: gomono.TTF})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func one(t *testing.T, scale float32, op display.Op) *Mesh {
	m := new(Mesh)
	m.Build(&display.List{W: 100, H: 100, DPR: 1, Ops: []display.Op{op}, Text: []byte("Hi")}, scale, atlas(t))
	return m
}

// Edges of boxes lie on the device's grid at every ratio, so that a border of
// one pixel is one pixel; circles keep their place.
func TestBoxesLieOnTheGrid(t *testing.T) {
	for _, scale := range []float32{1, 1.25, 1.5, 2, 3} {
		m := one(t, scale, display.Op{Kind: display.Quad, X: 10.3, Y: 20.7, W: 30.2, H: 9.9, R: 3, Fill: 0xffffffff})
		v := m.Vertices[0]
		if x := v.DstX + 1; x != round(x) {
			t.Errorf("at %v: left edge %v", scale, x)
		}
		if w := 2 * v.Custom0; w != round(w) {
			t.Errorf("at %v: width %v", scale, w)
		}
	}
	m := one(t, 1, display.Op{Kind: display.Quad, X: 10.3, Y: 20.7, W: 8, H: 8, R: 4, Fill: 0xffffffff})
	if x := m.Vertices[0].DstX; x != 10.3-1 {
		t.Errorf("a circle moved to %v", x)
	}
}

func TestThinLinesAreOnePixel(t *testing.T) {
	m := one(t, 1, display.Op{Kind: display.Line, X: 50.4, Y: 0, W: 50.4, H: 100, Stroke: 0xffffffff, Width: 1})
	if v := m.Vertices[0]; v.Custom0 != 0.5 || v.DstX+1 != round(v.DstX+1) {
		t.Errorf("%+v", v)
	}
}

func TestDashesCoverTheirShare(t *testing.T) {
	m := one(t, 1, display.Op{Kind: display.Line, X: 0, Y: 10, W: 90, H: 10, Stroke: 0xffffffff, Width: 1, Dash: display.Dashed})
	if n := len(m.Vertices) / 4; n != 10 {
		t.Errorf("%d dashes on 90 px", n)
	}
	box := one(t, 1, display.Op{Kind: display.Quad, X: 0, Y: 0, W: 90, H: 60, R: 8, Stroke: 0xffffffff, Width: 1, Dash: display.Dashed})
	if n := len(box.Vertices) / 4; n < 30 || n > 70 {
		t.Errorf("%d dashes around a box", n)
	}
}

// Nothing to see costs nothing.
func TestTransparentIsNothing(t *testing.T) {
	for _, k := range []display.Kind{display.Quad, display.Line, display.Curve, display.Shape, display.Hatch, display.Glyphs} {
		if m := one(t, 1, display.Op{Kind: k, W: 10, H: 10, R: 5, Width: 1, Size: 5, Len: 2}); len(m.Vertices) != 0 {
			t.Errorf("kind %d: %d vertices", k, len(m.Vertices))
		}
	}
}

// Every index is in range and every batch is made of triangles.
func TestMeshIsWellFormed(t *testing.T) {
	a := atlas(t)
	for name, c := range map[string]*view.Cluster{"ordinary": fixture.Ordinary(), "crashed": fixture.Crashed(), "big": fixture.Grid(9, 1000)} {
		var l scene.List
		scene.Build(scene.Input{Cluster: c, W: 896, H: 600}, &l)
		var m Mesh
		for _, scale := range []float32{1, 2} {
			m.Build(&l.List, scale, a)
			from := 0
			for _, b := range m.Batches {
				if b.From != from || (b.To-b.From)%3 != 0 {
					t.Errorf("%s: batch %+v", name, b)
				}
				from = b.To
			}
			if from != len(m.Indices) {
				t.Errorf("%s: %d of %d indices are in batches", name, from, len(m.Indices))
			}
			for _, i := range m.Indices {
				if int(i) >= len(m.Vertices) {
					t.Fatalf("%s: index %d of %d", name, i, len(m.Vertices))
				}
			}
		}
	}
}

// A glyph is rasterised once; the second frame finds it.
func TestGlyphsAreKept(t *testing.T) {
	a := atlas(t)
	var l scene.List
	scene.Build(scene.Input{Cluster: fixture.Ordinary(), W: 896, H: 600}, &l)
	var m Mesh
	m.Build(&l.List, 1, a)
	if len(a.Dirty) < 30 {
		t.Fatalf("%d glyphs", len(a.Dirty))
	}
	a.Dirty = a.Dirty[:0]
	m.Build(&l.List, 1, a)
	if len(a.Dirty) != 0 {
		t.Errorf("%d glyphs again", len(a.Dirty))
	}
	ink := 0
	for i := 3; i < len(a.Pix); i += 4 {
		if a.Pix[i] > 200 {
			ink++
		}
	}
	if ink < 1000 {
		t.Errorf("%d pixels of ink", ink)
	}
}

// A full atlas begins anew, and the frame that filled it is built again whole.
func TestFullAtlas(t *testing.T) {
	a := atlas(t)
	var text []byte
	l := display.List{W: 100, H: 100, DPR: 1}
	for r := rune('!'); r < 0x7f; r++ {
		text = append(text, string(r)...)
	}
	l.Text = text
	for size := float32(10); size < 60; size++ {
		l.Ops = append(l.Ops[:0], display.Op{Kind: display.Glyphs, Size: size, Fill: 0xffffffff, Face: theme.Bold, Len: int32(len(text))})
		var m Mesh
		m.Build(&l, 1, a)
		if want := len(text) * 4; len(m.Vertices) != want {
			t.Fatalf("at %v px: %d vertices, want %d", size, len(m.Vertices), want)
		}
		for i := range m.Vertices {
			if v := &m.Vertices[i]; v.SrcX < 0 || v.SrcX > AtlasSize || v.SrcY < 0 || v.SrcY > AtlasSize {
				t.Fatalf("at %v px: outside the atlas", size)
			}
		}
	}
	if a.generation == 0 {
		t.Error("the atlas was never full: the test shows nothing")
	}
}

func TestBuildAllocatesNothing(t *testing.T) {
	a := atlas(t)
	var l scene.List
	scene.Build(scene.Input{Cluster: fixture.Crashed(), W: 896, H: 600}, &l)
	var m Mesh
	m.Build(&l.List, 2, a)
	if n := testing.AllocsPerRun(10, func() { m.Build(&l.List, 2, a) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Whatever the decoder lets through must not crash the painter.
func FuzzBuild(f *testing.F) {
	l := display.List{W: 200, H: 100, DPR: 1, Bg: 0x0d1220ff, Text: []byte("Hi é")}
	for k := display.Quad; k <= display.Layer; k++ {
		l.Ops = append(l.Ops, display.Op{Kind: k, X: 10, Y: 10, W: 40, H: 30, A: 1, B: 2, C: 3, D: 4, R: 8, Width: 1, Size: 12, Fill: 0xff0000ff, Stroke: 0x00ff0080, Dash: display.Dashed, Len: 5})
	}
	l.Ops[display.Layer-1].Form = display.LayerLinks
	f.Add(l.AppendBinary(nil))
	a := atlas(f)
	f.Fuzz(func(_ *testing.T, b []byte) {
		var l display.List
		if display.Decode(b, &l) != nil || len(l.Ops) > 2000 {
			return
		}
		var m Mesh
		m.Build(&l, 1, a)
	})
}

func BenchmarkMesh3x100(b *testing.B) {
	a := atlas(b)
	var l scene.List
	scene.Build(scene.Input{Cluster: fixture.Grid(3, 100), W: 896, H: 600}, &l)
	var m Mesh
	b.ReportAllocs()
	for b.Loop() {
		m.Build(&l.List, 2, a)
	}
	b.ReportMetric(float64(len(m.Vertices)), "vertices")
}

func BenchmarkMesh9x1000(b *testing.B) {
	a := atlas(b)
	var l scene.List
	scene.Build(scene.Input{Cluster: fixture.Grid(9, 1000), W: 896, H: 600}, &l)
	var m Mesh
	b.ReportAllocs()
	for b.Loop() {
		m.Build(&l.List, 2, a)
	}
	b.ReportMetric(float64(len(m.Vertices)), "vertices")
}
