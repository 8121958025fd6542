package mesh

import (
	"github.com/highwater-sim/highwater/ui/scene/display"
	"github.com/highwater-sim/highwater/ui/theme"
)

// Vertex has the layout that graphics libraries expect: twelve floats.
type Vertex struct {
	DstX, DstY                         float32
	SrcX, SrcY                         float32
	ColorR, ColorG, ColorB, ColorA     float32
	Custom0, Custom1, Custom2, Custom3 float32
}

// Modes of a fragment, in Custom3; a positive value is the width of a stroke.
const (
	modeFill  = 0
	modeGlyph = -1
	modeHatch = -2
)

// Batch is a run of indices under one clip, in device px; an empty clip is none.
type Batch struct {
	X0, Y0, X1, Y1 int
	From, To       int // into Mesh.Indices
}

// Mesh is what a list becomes. Build reuses its memory.
type Mesh struct {
	Vertices []Vertex
	Indices  []uint32
	Batches  []Batch

	atlas *Atlas
	list  *display.List
	scale float32 // device px per CSS px
	rgba  [4]float32
	pts   []point // scratch
}

type point struct{ x, y float32 }

// Build fills m with the triangles of list at scale device px per CSS px. Glyphs
// it needs are rasterised into atlas.
func (m *Mesh) Build(list *display.List, scale float32, atlas *Atlas) {
	m.atlas, m.list, m.scale = atlas, list, scale
	generation := atlas.generation
	m.build()
	if atlas.generation != generation {
		// The atlas was full and began anew: what was placed before is gone.
		m.build()
	}
}

func (m *Mesh) build() {
	m.Vertices, m.Indices, m.Batches = m.Vertices[:0], m.Indices[:0], m.Batches[:0]
	m.batch(Batch{})
	for i := range m.list.Ops {
		m.op(&m.list.Ops[i])
	}
	m.Batches[len(m.Batches)-1].To = len(m.Indices)
}

func (m *Mesh) batch(b Batch) {
	if n := len(m.Batches); n > 0 {
		m.Batches[n-1].To = len(m.Indices)
		if m.Batches[n-1].From == len(m.Indices) {
			m.Batches = m.Batches[:n-1]
		}
	}
	b.From = len(m.Indices)
	m.Batches = append(m.Batches, b)
}

func (m *Mesh) op(o *display.Op) {
	switch o.Kind {
	case display.Clip:
		b := Batch{}
		if o.W > 0 && o.H > 0 {
			b.X0, b.Y0 = int(round(o.X*m.scale)), int(round(o.Y*m.scale))
			b.X1, b.Y1 = int(round((o.X+o.W)*m.scale)), int(round((o.Y+o.H)*m.scale))
		}
		m.batch(b)
	case display.Quad:
		m.quad(o)
	case display.Hatch:
		m.hatch(o)
	case display.Line:
		m.pts = append(m.pts[:0], point{o.X * m.scale, o.Y * m.scale}, point{o.W * m.scale, o.H * m.scale})
		m.stroke(o, false)
	case display.Curve:
		m.flatten(o)
		m.stroke(o, false)
	case display.Shape:
		m.shape(o)
	case display.Glyphs:
		m.glyphs(o)
	}
}

func round(v float32) float32 {
	if v < 0 {
		return -float32(int(-v + 0.5))
	}
	return float32(int(v + 0.5))
}

// color sets the colour of the vertices to come; false means nothing to see.
func (m *Mesh) color(c theme.Color) bool {
	r, g, b, a := c.RGBA()
	if a == 0 {
		return false
	}
	k := float32(a) / 255 / 255
	m.rgba = [4]float32{float32(r) * k, float32(g) * k, float32(b) * k, float32(a) / 255}
	return true
}

// take makes room for n vertices and returns it, with the number of the first.
func (m *Mesh) take(n int) (v []Vertex, first uint32) {
	l := len(m.Vertices)
	if l+n > cap(m.Vertices) {
		m.Vertices = append(make([]Vertex, 0, 2*(l+n)+256), m.Vertices...)
	}
	m.Vertices = m.Vertices[:l+n]
	return m.Vertices[l : l+n : l+n], uint32(l)
}

// set fills a vertex with its places and the colour at hand.
func (m *Mesh) set(v *Vertex, x, y, u, w float32) {
	v.DstX, v.DstY, v.SrcX, v.SrcY = x, y, u, w
	v.ColorR, v.ColorG, v.ColorB, v.ColorA = m.rgba[0], m.rgba[1], m.rgba[2], m.rgba[3]
}

func (v *Vertex) figure(hw, hh, radius, mode float32) {
	v.Custom0, v.Custom1, v.Custom2, v.Custom3 = hw, hh, radius, mode
}

// upright adds a quad with sides along the axes: where it is and its place
// within the figure.
func (m *Mesh) upright(x0, y0, x1, y1, u0, v0, u1, v1, hw, hh, radius, mode float32) {
	v, n := m.take(4)
	m.set(&v[0], x0, y0, u0, v0)
	m.set(&v[1], x1, y0, u1, v0)
	m.set(&v[2], x1, y1, u1, v1)
	m.set(&v[3], x0, y1, u0, v1)
	for i := range v {
		v[i].figure(hw, hh, radius, mode)
	}
	m.Indices = append(m.Indices, n, n+1, n+2, n, n+2, n+3)
}

// rect adds a rounded rectangle in device px.
func (m *Mesh) rect(x0, y0, x1, y1, radius, mode float32) {
	hw, hh := (x1-x0)/2, (y1-y0)/2
	if hw <= 0 || hh <= 0 {
		return
	}
	radius = min(radius, hw, hh)
	const e = 1 // for the soft edge
	m.upright(x0-e, y0-e, x1+e, y1+e, -hw-e, -hh-e, hw+e, hh+e, hw, hh, radius, mode)
}

// edges are a rectangle's in device px, on the grid unless it is a circle.
func (m *Mesh) edges(o *display.Op) (x0, y0, x1, y1 float32) {
	s := m.scale
	x0, y0, x1, y1 = o.X*s, o.Y*s, (o.X+o.W)*s, (o.Y+o.H)*s
	if o.W == o.H && o.R*2 >= o.W {
		return x0, y0, x1, y1
	}
	x0, y0 = round(x0), round(y0)
	return x0, y0, max(round(x1), x0+1), max(round(y1), y0+1)
}

// penWidth is a stroke's width in device px: at least one, in halves.
func (m *Mesh) penWidth(w float32) float32 {
	return max(1, round(w*m.scale*2)/2)
}

func (m *Mesh) quad(o *display.Op) {
	x0, y0, x1, y1 := m.edges(o)
	if m.color(o.Fill) {
		m.rect(x0, y0, x1, y1, o.R*m.scale, modeFill)
	}
	if o.Width <= 0 || !m.color(o.Stroke) {
		return
	}
	if o.Dash == display.Solid {
		m.rect(x0, y0, x1, y1, o.R*m.scale, m.penWidth(o.Width))
		return
	}
	h := m.penWidth(o.Width) / 2
	m.outline(x0+h, y0+h, x1-h, y1-h, max(0, o.R*m.scale-h))
	m.stroke(o, true)
}

func (m *Mesh) hatch(o *display.Op) {
	if !m.color(o.Fill) {
		return
	}
	x0, y0, x1, y1 := m.edges(o)
	period, width := max(1, o.Size*m.scale), min(15, o.Width*m.scale)
	m.rect(x0, y0, x1, y1, o.R*m.scale, modeHatch-width-16*float32(int(period*4)))
}

// quarter is a quarter of a circle in four steps, from the top to the right.
var quarter = [5]point{{0, -1}, {0.3827, -0.9239}, {0.7071, -0.7071}, {0.9239, -0.3827}, {1, 0}}

// outline fills pts with a rounded rectangle's middle line, clockwise.
func (m *Mesh) outline(x0, y0, x1, y1, r float32) {
	r = min(r, (x1-x0)/2, (y1-y0)/2)
	m.pts = m.pts[:0]
	for _, q := range quarter {
		m.pts = append(m.pts, point{x1 - r + q.x*r, y0 + r + q.y*r})
	}
	for _, q := range quarter {
		m.pts = append(m.pts, point{x1 - r - q.y*r, y1 - r + q.x*r})
	}
	for _, q := range quarter {
		m.pts = append(m.pts, point{x0 + r - q.x*r, y1 - r - q.y*r})
	}
	for _, q := range quarter {
		m.pts = append(m.pts, point{x0 + r + q.y*r, y0 + r - q.x*r})
	}
}
