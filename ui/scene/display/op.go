package display

import (
	"github.com/highwater-sim/highwater/ui/theme"
)

// Kind tells operations apart.
type Kind uint8

// The operations. Coordinates are CSS px of the stage, y down; the painter
// multiplies by the device pixel ratio.
const (
	// Quad is a rectangle X, Y, W, H with corners of radius R: filled with
	// Fill, then stroked inside its edge with Stroke of width Width.
	Quad Kind = iota + 1
	// Line goes from X, Y to W, H with Stroke of width Width.
	Line
	// Curve is a cubic from X, Y to W, H with control points A, B and C, D.
	Curve
	// Glyphs is the text Text[From:From+Len] in Face at Size px, its baseline
	// at Y and its start, middle or end at X, coloured Fill.
	Glyphs
	// Shape is the figure Form centred at X, Y with the radius R.
	Shape
	// Hatch fills a rectangle like Quad's with diagonal stripes of Fill, Width
	// wide and a period of Size.
	Hatch
	// Clip limits what follows to X, Y, W, H, until the next Clip; a Clip with
	// W or H of 0 lifts the limit.
	Clip
	// Layer starts a group; Form is its number. Layers are painted in order.
	Layer
)

// Form is what a Shape looks like.
type Form uint8

// The forms of Shape. All of them can be filled with a fan from their centre.
const (
	Star     Form = iota // leader
	Hex                  // controller
	Diamond              // committed offset, position
	Down                 // triangle pointing down: log end offset
	Up                   // triangle pointing up
	Right                // triangle pointing right
	Left                 // triangle pointing left
	Heart                // heartbeat
	Triangle             // warning
	Pentagon             // eligible leader replica
)

// Layers, in the order of painting.
const (
	LayerGround Form = iota // rows, cards
	LayerMatrix             // replicas, marks
	LayerLinks              // links, messages
	LayerLabels             // frozen gutter and headers
	LayerFocus              // hover, selection
)

// Dash is the pattern of a stroke.
type Dash uint8

// The dashes.
const (
	Solid  Dash = iota
	Dashed      // 5 on, 4 off
	Dotted      // 2 on, 3 off
)

// Pattern returns on and off in CSS px; off is 0 for Solid.
func (d Dash) Pattern() (on, off float32) {
	switch d {
	case Dashed:
		return 5, 4
	case Dotted:
		return 2, 3
	}
	return 0, 0
}

// Align says which point of a text X is.
type Align uint8

// The alignments.
const (
	Start Align = iota
	Middle
	End
)

// Op is one operation of a display list. Which fields count depends on Kind.
type Op struct {
	Kind       Kind
	Form       Form
	Dash       Dash
	Align      Align
	Face       theme.Face
	X, Y, W, H float32
	A, B, C, D float32
	R          float32 // radius
	Width      float32 // of the stroke
	Size       float32 // of text; the period of hatching
	Fill       theme.Color
	Stroke     theme.Color
	From, Len  int32 // into List.Text
	Hit        int32 // into List.Hits, 0 for none
}
