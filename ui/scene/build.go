package scene

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/layout"
	"github.com/highwater-sim/highwater/ui/scene/display"
	"github.com/highwater-sim/highwater/ui/theme"
)

// builder is one run of Build.
type builder struct {
	in    *Input
	out   *List
	c     *view.Cluster
	th    *theme.Theme
	plan  *layout.Plan
	state *State
	now   kafka.Instant
	camX  float32
	camY  float32
	mark  int32 // where the text under construction begins
	band  int32 // reading order of the targets being added
}

// Build fills out with the picture of in. In steady state it allocates nothing.
func Build(in Input, out *List) {
	out.Reset()
	out.in = in
	b := &out.work // here, so that it is not made anew for every frame
	*b = builder{in: &out.in, out: out, c: in.Cluster, th: in.Theme, plan: &out.plan, state: in.State, now: in.Now}
	defer func() { out.in, out.work = Input{}, builder{} }()
	if b.th == nil {
		b.th = &theme.Dark
	}
	if b.state == nil {
		out.still.axes, out.still.flows = out.still.axes[:0], out.still.flows[:0]
		b.state = &out.still
	}
	out.W, out.H, out.DPR, out.Bg, out.cluster = in.W, in.H, in.DPR, b.th.Bg, in.Cluster
	if out.DPR <= 0 {
		out.DPR = 1
	}
	if in.Cluster == nil || in.W <= 0 || in.H <= 0 {
		return
	}
	if b.now < b.c.Now {
		b.now = b.c.Now
	}
	b.frame()
	b.layer(display.LayerGround)
	b.rowsGround()
	b.layer(display.LayerMatrix)
	b.matrix()
	b.layer(display.LayerLinks)
	b.links()
	b.flights()
	b.layer(display.LayerLabels)
	b.quorum()
	b.producers()
	b.gutter()
	b.groups()
	b.violation()
	b.layer(display.LayerFocus)
	b.focus()
	b.legend()
}

// frame computes the plan and keeps the camera within the picture.
func (b *builder) frame() {
	cam := b.in.Camera
	cam.Zoom = min(max(cam.Zoom, 1), ZoomMax(b.c))
	layout.Compute(b.c, layout.Spec{W: b.in.W, H: b.in.H, Zoom: cam.Zoom, Level: b.in.Level, Unfold: unfolded(b.c, b.in.Selection)}, b.plan)
	p := b.plan
	cam.X = min(max(cam.X, 0), max(0, p.ColumnsW-p.MatrixW))
	cam.Y = min(max(cam.Y, 0), max(0, p.H-b.in.H))
	b.camX, b.camY = cam.X, cam.Y
	b.out.Camera, b.out.ContentW, b.out.ContentH, b.out.Level = cam, p.W, p.H, p.Level
	if p.Level == Cells {
		b.out.Cells = p.CellN + 1
	}
	b.out.From, b.out.To = b.inSight()
}

// inSight is which columns are at least partly in the window: columns From to To-1.
// They are counted like the partitions of the topics that are not internal.
func (b *builder) inSight() (from, to int) {
	cols := b.plan.Columns
	for from < len(cols) && !b.visibleX(b.colX(cols[from].X), cols[from].W) {
		from++
	}
	for to = from; to < len(cols) && b.visibleX(b.colX(cols[to].X), cols[to].W); {
		to++
	}
	return from, to
}

// unfolded is the internal topic that the selection opens.
func unfolded(c *view.Cluster, sel view.Selection) string {
	name := sel.TP.Topic
	if sel.Kind == "topic" {
		name = sel.Name
	}
	for i := range c.Topics {
		if c.Topics[i].Internal && c.Topics[i].Name == name {
			return name
		}
	}
	return ""
}

// Content is the size of the picture that in would give, in CSS px at its zoom:
// what ZoomAt and scroll bars need without building it.
func Content(in Input) (w, h float32) {
	if in.Cluster == nil {
		return in.W, in.H
	}
	var p layout.Plan
	layout.Compute(in.Cluster, layout.Spec{W: in.W, H: in.H, Zoom: in.Camera.Zoom, Level: in.Level, Unfold: unfolded(in.Cluster, in.Selection)}, &p)
	return p.W, p.H
}

// ZoomAt is the camera after zooming by factor with the point x, y of the stage
// held in place, as far as the picture's edges allow.
func ZoomAt(in Input, x, y, factor float32) Camera {
	if in.Cluster == nil {
		return in.Camera
	}
	var before, after layout.Plan
	s := layout.Spec{W: in.W, H: in.H, Zoom: min(max(in.Camera.Zoom, 1), ZoomMax(in.Cluster)), Level: in.Level, Unfold: unfolded(in.Cluster, in.Selection)}
	layout.Compute(in.Cluster, s, &before)
	s.Zoom = min(max(s.Zoom*factor, 1), ZoomMax(in.Cluster))
	layout.Compute(in.Cluster, s, &after)
	cam := Camera{Zoom: s.Zoom}
	if before.ColumnsW > 0 {
		at := (x - before.MatrixX + in.Camera.X) / before.ColumnsW
		cam.X = min(max(at*after.ColumnsW-(x-after.MatrixX), 0), max(0, after.ColumnsW-after.MatrixW))
	}
	if before.H > 0 {
		cam.Y = min(max((y+in.Camera.Y)/before.H*after.H-y, 0), max(0, after.H-in.H))
	}
	return cam
}

// Reveal is the camera that brings a rectangle of the last list into view.
func Reveal(l *List, r Rect) Camera {
	cam := l.Camera
	left := l.plan.MatrixX
	right := left + l.plan.MatrixW
	switch {
	case r.X < left:
		cam.X -= left - r.X + 8
	case r.X+r.W > right:
		cam.X += r.X + r.W - right + 8
	}
	switch {
	case r.Y < 0:
		cam.Y += r.Y - 8
	case r.Y+r.H > l.H:
		cam.Y += r.Y + r.H - l.H + 8
	}
	return cam
}

// Show is the camera at which the column, or the tiles, of a partition are in sight:
// that of in if they are, or if it has none, else in the middle of the window.
func Show(in Input, tp kafka.TopicPartition) Camera {
	if in.Cluster == nil {
		return in.Camera
	}
	var p layout.Plan
	s := layout.Spec{W: in.W, H: in.H, Zoom: min(max(in.Camera.Zoom, 1), ZoomMax(in.Cluster)), Level: in.Level, Unfold: unfolded(in.Cluster, in.Selection)}
	layout.Compute(in.Cluster, s, &p)
	for i := range p.Blocks {
		blk := &p.Blocks[i]
		t := &in.Cluster.Topics[blk.Topic]
		if t.Name != tp.Topic || int(tp.Partition) >= len(t.Partitions) || tp.Partition < 0 {
			continue
		}
		var x, w float32
		if blk.Per > 0 {
			r := p.TileRect(blk, int(tp.Partition))
			x, w = r.X, r.W
		} else {
			col := &p.Columns[blk.First+int(tp.Partition)]
			x, w = col.X, col.W
		}
		cam := in.Camera
		if x >= cam.X && x+w <= cam.X+p.MatrixW {
			return cam
		}
		cam.X = min(max(x+w/2-p.MatrixW/2, 0), max(0, p.ColumnsW-p.MatrixW))
		return cam
	}
	return in.Camera
}

// visibleX reports whether a part of the matrix lies in its window.
func (b *builder) visibleX(x, w float32) bool {
	left := b.plan.MatrixX
	return x+w > left && x < left+b.plan.MatrixW
}

func (b *builder) visibleY(y, h float32) bool { return y+h > 0 && y < b.in.H }

// colX is the screen place of a matrix coordinate.
func (b *builder) colX(x float32) float32 { return b.plan.MatrixX + x - b.camX }

// at moves a rectangle of the plan onto the screen; only the matrix scrolls sideways.
func (b *builder) at(r layout.Rect) Rect { r.Y -= b.camY; return r }
