package mesh

import (
	"math"

	"github.com/highwater-sim/highwater/ui/motion"
	"github.com/highwater-sim/highwater/ui/scene/display"
)

// flatten fills pts with a curve's points: more of them for a longer one.
func (m *Mesh) flatten(o *display.Op) {
	s := m.scale
	long := abs(o.W-o.X) + abs(o.H-o.Y)
	n := min(32, max(6, int(long*s/14)))
	m.pts = m.pts[:0]
	for i := range n + 1 {
		t := float32(i) / float32(n)
		m.pts = append(m.pts, point{motion.Bezier(o.X, o.A, o.C, o.W, t) * s, motion.Bezier(o.Y, o.B, o.D, o.H, t) * s})
	}
}

func abs(v float32) float32 { return max(v, -v) }

// stroke draws the line through pts with o's pen.
func (m *Mesh) stroke(o *display.Op, closed bool) {
	if o.Width <= 0 || !m.color(o.Stroke) {
		return
	}
	if closed {
		m.pts = append(m.pts, m.pts[0])
	}
	w := m.penWidth(o.Width)
	if on, off := o.Dash.Pattern(); off > 0 {
		m.dash(on*m.scale, off*m.scale, w)
		return
	}
	if len(m.pts) == 2 {
		m.segment(m.pts[0], m.pts[1], w)
		return
	}
	m.strip(w)
}

// segment is a straight piece; a horizontal or vertical one lies on the grid.
func (m *Mesh) segment(a, b point, w float32) {
	if a.x == b.x || a.y == b.y {
		w = max(1, round(w))
		if a.x == b.x {
			x := round(a.x - w/2)
			m.rect(x, min(a.y, b.y), x+w, max(a.y, b.y), 0, modeFill)
		} else {
			y := round(a.y - w/2)
			m.rect(min(a.x, b.x), y, max(a.x, b.x), y+w, 0, modeFill)
		}
		return
	}
	dx, dy := b.x-a.x, b.y-a.y
	long := float32(math.Hypot(float64(dx), float64(dy)))
	if long < 0.01 {
		return
	}
	dx, dy = dx/long, dy/long
	hw, hh := long/2, w/2
	ex, ey := hw+1, hh+1
	cx, cy := (a.x+b.x)/2, (a.y+b.y)/2
	v, n := m.take(4)
	for i, k := range [4]point{{-ex, -ey}, {ex, -ey}, {ex, ey}, {-ex, ey}} {
		m.set(&v[i], cx+dx*k.x-dy*k.y, cy+dy*k.x+dx*k.y, k.x, k.y)
		v[i].figure(hw, hh, 0, modeFill)
	}
	m.Indices = append(m.Indices, n, n+1, n+2, n, n+2, n+3)
}

// far is a half width that no fragment reaches.
const far = 1 << 14

// strip is one band through all points, its edges shared at the joints, so that
// a translucent line has no beads.
func (m *Mesh) strip(w float32) {
	half := w/2 + 1
	v, first := m.take(2 * len(m.pts))
	for i, p := range m.pts {
		nx, ny := m.normal(i)
		m.set(&v[2*i], p.x-nx*half, p.y-ny*half, 0, -half)
		m.set(&v[2*i+1], p.x+nx*half, p.y+ny*half, 0, half)
		v[2*i].figure(far, w/2, 0, modeFill)
		v[2*i+1].figure(far, w/2, 0, modeFill)
		if i > 0 {
			k := first + uint32(2*i)
			m.Indices = append(m.Indices, k-2, k-1, k, k-1, k+1, k)
		}
	}
}

// normal is the mitre at a point: the mean of its segments' normals, lengthened
// so that the band keeps its width.
func (m *Mesh) normal(i int) (x, y float32) {
	a, b := m.pts[max(0, i-1)], m.pts[min(len(m.pts)-1, i+1)]
	dx, dy := b.x-a.x, b.y-a.y
	long := float32(math.Hypot(float64(dx), float64(dy)))
	if long == 0 {
		return 0, 0
	}
	return -dy / long, dx / long
}

// dash walks along pts and draws what is on.
func (m *Mesh) dash(on, off, w float32) {
	left, draw := on, true
	for i := 1; i < len(m.pts); i++ {
		a, b := m.pts[i-1], m.pts[i]
		long := float32(math.Hypot(float64(b.x-a.x), float64(b.y-a.y)))
		for done := float32(0); done < long; {
			step := min(left, long-done)
			if draw && step > 0.05 {
				u, v := done/long, (done+step)/long
				m.segment(point{a.x + (b.x-a.x)*u, a.y + (b.y-a.y)*u}, point{a.x + (b.x-a.x)*v, a.y + (b.y-a.y)*v}, w)
			}
			done += step
			left -= step
			if left <= 0.001 {
				draw = !draw
				left = on
				if !draw {
					left = off
				}
			}
		}
	}
}

// shape fills a figure with a fan whose fragments know how far the edge is, and
// strokes it edge by edge.
func (m *Mesh) shape(o *display.Op) {
	var pts [display.OutlineMax]display.Point
	n := display.Outline(o.Form, &pts)
	if n < 3 {
		return
	}
	cx, cy, r := o.X*m.scale, o.Y*m.scale, o.R*m.scale
	if m.color(o.Fill) {
		for i := range n {
			a, b := pts[i], pts[(i+1)%n]
			m.wedge(point{cx, cy}, point{a.X * r, a.Y * r}, point{b.X * r, b.Y * r})
		}
	}
	if o.Width <= 0 || !m.color(o.Stroke) {
		return
	}
	w := m.penWidth(o.Width)
	for i := range n {
		a, b := pts[i], pts[(i+1)%n]
		m.segment(point{cx + a.X*r, cy + a.Y*r}, point{cx + b.X*r, cy + b.Y*r}, w)
	}
}

// wedge is the triangle from c to the edge a b (relative to c), a pixel larger
// for the soft edge. Its source coordinate counts from far down to the edge.
func (m *Mesh) wedge(c, a, b point) {
	dx, dy := b.x-a.x, b.y-a.y
	long := float32(math.Hypot(float64(dx), float64(dy)))
	if long == 0 {
		return
	}
	height := abs(a.x*dy-a.y*dx) / long
	if height < 0.1 {
		return
	}
	k := (height + 1) / height
	const edge = 256
	v, n := m.take(3)
	m.set(&v[0], c.x, c.y, 0, edge-height)
	m.set(&v[1], c.x+a.x*k, c.y+a.y*k, 0, edge+1)
	m.set(&v[2], c.x+b.x*k, c.y+b.y*k, 0, edge+1)
	for i := range v {
		v[i].figure(far, edge, 0, modeFill)
	}
	m.Indices = append(m.Indices, n, n+1, n+2)
}
