package display_test

import (
	"bytes"
	"testing"

	"github.com/highwater-sim/highwater/ui/scene"
	"github.com/highwater-sim/highwater/ui/scene/display"
	"github.com/highwater-sim/highwater/ui/scene/fixture"
)

// inputs are pictures with every kind of operation in them.
func inputs() map[string]scene.Input {
	return map[string]scene.Input{
		"ordinary": {Cluster: fixture.Ordinary(), W: 896, H: 600},
		"crashed":  {Cluster: fixture.Crashed(), W: 360, H: 500, DPR: 3},
		"tiles":    {Cluster: fixture.Grid(3, 60), W: 896, H: 600},
	}
}

// What the stage decodes is what the app built, but for hits.
func TestRoundTrip(t *testing.T) {
	for name, in := range inputs() {
		var l scene.List
		var back display.List
		scene.Build(in, &l)
		if err := display.Decode(l.AppendBinary(nil), &back); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(back.Ops) != len(l.Ops) || back.W != l.W || back.H != l.H || back.DPR != l.DPR || back.Bg != l.Bg || !bytes.Equal(back.Text, l.Text) {
			t.Fatalf("%s: header or text differ", name)
		}
		for i := range l.Ops {
			want := l.Ops[i]
			want.Hit = 0
			if want.Fill&0xff == 0 {
				want.Fill = 0
			}
			if want.Stroke&0xff == 0 || want.Width <= 0 {
				want.Stroke = 0
				if want.Kind != display.Hatch {
					want.Width = 0
				}
			}
			if back.Ops[i] != want {
				t.Fatalf("%s: operation %d\n got %+v\nwant %+v", name, i, back.Ops[i], want)
			}
		}
	}
}

// The budget: 3 brokers x 100 partitions under 200 kB.
func TestSize(t *testing.T) {
	var l scene.List
	scene.Build(scene.Input{Cluster: fixture.Grid(3, 100), W: 1200, H: 800}, &l)
	if n := len(l.AppendBinary(nil)); n > 200_000 {
		t.Errorf("%d bytes", n)
	}
}

func TestDecodeRefuses(t *testing.T) {
	var l scene.List
	scene.Build(inputs()["ordinary"], &l)
	good := l.AppendBinary(nil)
	for name, b := range map[string][]byte{
		"nothing": nil, "a version of the future": append([]byte{9}, good[1:]...), "cut short": good[:len(good)-1],
		"too long": append(bytes.Clone(good), 0), "too many operations": append(bytes.Clone(good[:20]), append([]byte{0xff, 0xff, 0xff, 0xff}, good[24:]...)...),
	} {
		var back display.List
		if err := display.Decode(b, &back); err == nil || len(back.Ops) != 0 {
			t.Errorf("%s: %v, %d operations", name, err, len(back.Ops))
		}
	}
}

func FuzzDecode(f *testing.F) {
	l := display.List{W: 200, H: 100, DPR: 1, Bg: 0x0d1220ff, Text: []byte("Hi é")}
	for k := display.Quad; k <= display.Layer; k++ {
		l.Ops = append(l.Ops, display.Op{Kind: k, X: 10, Y: 10, W: 40, H: 30, A: 1, B: 2, C: 3, D: 4, R: 8, Width: 1, Size: 12, Fill: 0xff0000ff, Stroke: 0x00ff0080, Dash: display.Dashed, Len: 5})
	}
	l.Ops[display.Layer-1].Form = display.LayerLinks
	f.Add(l.AppendBinary(nil))
	f.Add([]byte{display.Version})
	f.Fuzz(func(t *testing.T, b []byte) {
		var l, again display.List
		if display.Decode(b, &l) != nil {
			return
		}
		for i := range l.Ops {
			l.TextOf(&l.Ops[i])
		}
		_ = l.String()
		if err := display.Decode(l.AppendBinary(nil), &again); err != nil {
			t.Fatalf("what it decoded it cannot decode again: %v", err)
		}
	})
}

// Painters fill figures with a fan from the centre: every edge must turn the
// same way around it.
func TestOutlinesAreSeenFromTheirCentre(t *testing.T) {
	for f := display.Star; f <= display.Pentagon; f++ {
		var pts [display.OutlineMax]display.Point
		n := display.Outline(f, &pts)
		if n < 3 {
			t.Fatalf("form %d has %d corners", f, n)
		}
		for i := range n {
			a, b := pts[i], pts[(i+1)%n]
			if a.X*b.Y-a.Y*b.X <= 0 {
				t.Errorf("form %d: edge %d turns back", f, i)
			}
		}
	}
	if n := display.Outline(display.Pentagon+1, new([display.OutlineMax]display.Point)); n != 0 {
		t.Errorf("an unknown form has %d corners", n)
	}
}
