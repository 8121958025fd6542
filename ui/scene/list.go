package scene

import (
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/layout"
	"github.com/highwater-sim/highwater/ui/scene/display"
)

// List is a display list with what its marks stand for. Painters take the
// embedded part.
type List struct {
	display.List
	Hits []Target

	// What Build found out; not part of the binary form.

	Camera   Camera // as it was used: within the picture
	ContentW float32
	ContentH float32
	Level    Level
	// Cells is how many records per replica the picture has room for, and From to
	// To-1 are the columns in sight: what to ask for in view.Options.
	Cells, From, To int
	// Moving reports that the next frame would differ even if the world stood
	// still: a tween is under way.
	Moving bool

	cluster *view.Cluster
	plan    layout.Plan
	still   State // for pictures without one
	in      Input // while it is being built
	work    builder
}

// Target is a thing that can be pointed at, selected or reached by the keyboard.
type Target struct {
	Sel   view.Selection
	Rect  Rect
	Label string // spoken; only what Targets returns has one
	focus bool   // the keyboard stops here
	band  int32  // reading order: bands from the top
}

// Reset empties the list and keeps its memory.
func (l *List) Reset() {
	l.List.Reset()
	l.Hits = append(l.Hits[:0], Target{})
	l.Camera, l.ContentW, l.ContentH, l.Level, l.Cells, l.Moving, l.cluster = Camera{}, 0, 0, Auto, 0, false, nil
	l.From, l.To = 0, 0
}
