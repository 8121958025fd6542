package svg

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"testing"

	"github.com/highwater-sim/highwater/ui/scene/display"
	"github.com/highwater-sim/highwater/ui/theme"
)

var rewrite = flag.Bool("rewrite", false, "write the golden file anew")

// small holds every operation once.
func small() *display.List {
	l := &display.List{W: 200, H: 100, DPR: 1, Bg: 0x0d1220ff, Text: []byte("a<b&c>\x01é")}
	l.Ops = []display.Op{
		{Kind: display.Layer, Form: display.LayerGround},
		{Kind: display.Quad, X: 10, Y: 10, W: 80, H: 40, R: 8, Fill: 0x182138ff, Stroke: 0xe69f0080, Width: 2, Dash: display.Dashed},
		{Kind: display.Clip, X: 10, Y: 10, W: 50, H: 50},
		{Kind: display.Hatch, X: 12, Y: 12, W: 20, H: 20, R: 2, Fill: 0x0b1020ff, Width: 2, Size: 5},
		{Kind: display.Line, X: 0, Y: 0, W: 10.123, H: 20, Stroke: 0xf0e442ff, Width: 1, Dash: display.Dotted},
		{Kind: display.Clip},
		{Kind: display.Layer, Form: display.LayerLinks},
		{Kind: display.Curve, X: 1, Y: 2, A: 3, B: 4, C: 5, D: 6, W: 7, H: 8, Stroke: 0x2bb893ff, Width: 1.5},
		{Kind: display.Shape, Form: display.Star, X: 50, Y: 50, R: 10, Fill: 0x56b4e9ff},
		{Kind: display.Shape, Form: display.Hex, X: 80, Y: 50, R: 10, Stroke: 0x56b4e9ff, Width: 1.2},
		{Kind: display.Glyphs, X: 100, Y: 50, Size: 12, Face: theme.Bold, Align: display.End, Fill: 0xe6ebf5ff, Len: int32(len(l.Text))},
	}
	return l
}

func TestGolden(t *testing.T) {
	var b bytes.Buffer
	if err := Render(&b, small()); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("not well formed: %v", err)
		}
	}
	const file = "testdata/small.svg"
	if *rewrite {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("got:\n%s\nwant:\n%s", b.Bytes(), want)
	}
}

type broken struct{}

var errBroken = errors.New("broken")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestRenderReportsTheWriter(t *testing.T) {
	if err := Render(broken{}, small()); !errors.Is(err, errBroken) {
		t.Error(err)
	}
}
