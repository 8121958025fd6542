package scene

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/layout"
	"github.com/highwater-sim/highwater/ui/theme"
)

// Level is a level of detail.
type Level = layout.Level

// The levels, finest first.
const (
	Auto  = layout.Auto // by the room that a column has
	Cells = layout.Cells
	Bars  = layout.Bars
	Tiles = layout.Tiles
)

// Camera is what part of the picture is seen. The zero value fits the view.
type Camera struct {
	X, Y float32 // how far the picture is scrolled, in CSS px at this zoom
	Zoom float32 // 1 (or 0) fits the width; 1 to ZoomMax of the cluster
}

// ZoomMax is the largest zoom of a cluster: one at which the records of its
// partitions are cells, however many there are. It is at least 24.
func ZoomMax(c *view.Cluster) float32 {
	n := 0
	for i := range c.Topics {
		if t := &c.Topics[i]; !t.Internal {
			n += len(t.Partitions)
		}
	}
	return max(24, float32(n)/zoomPer)
}

// zoomPer is how many partitions make the largest zoom larger by one: their columns
// are then some ninety px wide on a stage of the usual width.
const zoomPer = 8

// Input is everything that a picture depends on.
type Input struct {
	Cluster   *view.Cluster // may be nil: an empty stage
	Theme     *theme.Theme  // nil is theme.Dark
	W, H      float32       // of the stage, in CSS px
	DPR       float32       // device pixels per CSS px; 0 is 1
	Camera    Camera
	Selection view.Selection
	Hover     view.Selection
	// Now is the instant to show, at or after Cluster.Now: messages move on
	// between two events. Zero with a later Cluster.Now means Cluster.Now.
	Now kafka.Instant
	// Wall is the real time since the previous Build in seconds; 0 draws a
	// still picture without tweens.
	Wall          float32
	Speed         float32 // virtual seconds per real second; 0 when paused
	ReducedMotion bool
	Level         Level   // Auto, or a level to force
	Before        *Counts // of the moment to compare with, as CountsOf gave them; nil for none
	Legend        bool    // explain the marks
	State         *State  // what lives from frame to frame; nil for a still picture
}

// State is what a moving picture remembers of the previous frame. It holds only
// how things look, never what they are; dropping it is harmless.
type State struct {
	axes  []axis
	flows []flow
}

// axis is the left end of a column's offset axis, in records.
type axis struct {
	tp   kafka.TopicPartition
	from float32
	base kafka.Offset // from counts from here, so that big offsets stay exact
	seen bool
}

// flow is the traffic of one pair of actors, smoothed.
type flow struct {
	from, to place
	kind     traffic
	tp       kafka.TopicPartition
	weight   float32 // messages in flight
}
