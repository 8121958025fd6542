package scene

import "github.com/highwater-sim/highwater/ui/layout"

// Rect is a rectangle in CSS px of the stage.
type Rect = layout.Rect

func rect(x, y, w, h float32) Rect { return Rect{X: x, Y: y, W: w, H: h} }
