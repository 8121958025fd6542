package svg

import (
	"io"
	"math"
	"strconv"

	"github.com/highwater-sim/highwater/ui/scene/display"
	"github.com/highwater-sim/highwater/ui/theme"
)

// Render writes the list as one SVG document. The error is w's.
func Render(w io.Writer, list *display.List) error {
	p := painter{list: list, ids: "hw"}
	p.document()
	_, err := w.Write(p.b)
	return err
}

type painter struct {
	list    *display.List
	b       []byte
	ids     string
	layer   bool // a <g> of a layer is open
	clip    bool // a <g> of a clip is open
	clips   int
	hatches []hatch
}

// hatch is a pattern in use.
type hatch struct {
	fill        theme.Color
	width, size float32
}

func (p *painter) s(text string) *painter { p.b = append(p.b, text...); return p }

// f writes a number with at most two decimals.
func (p *painter) f(v float32) *painter {
	r := math.Round(float64(v)*100) / 100
	if r == 0 {
		r = 0 // no minus zero
	}
	p.b = strconv.AppendFloat(p.b, r, 'f', -1, 64)
	return p
}

func (p *painter) attr(name string, v float32) *painter {
	return p.s(" ").s(name).s(`="`).f(v).s(`"`)
}

// paint writes a colour attribute and its opacity.
func (p *painter) paint(name string, c theme.Color) *painter {
	if c&0xff == 0 {
		return p.s(" ").s(name).s(`="none"`)
	}
	p.s(" ").s(name).s(`="`)
	p.b = c.AppendHex(p.b)
	p.s(`"`)
	if a := c & 0xff; a != 0xff {
		p.s(" ").s(name).s(`-opacity="`).f(float32(a) / 255).s(`"`)
	}
	return p
}

func (p *painter) document() {
	l := p.list
	p.s(`<svg xmlns="http://www.w3.org/2000/svg"`).attr("width", l.W).attr("height", l.H)
	p.s(` viewBox="0 0 `).f(l.W).s(" ").f(l.H).s(`" font-family='"Go",Inter,"DejaVu Sans",sans-serif'>`).s("\n")
	p.patterns()
	p.s(`<rect width="100%" height="100%"`).paint("fill", l.Bg|0xff).s("/>\n")
	for i := range l.Ops {
		p.op(&l.Ops[i])
	}
	p.close()
	p.s("</svg>\n")
}

// patterns defines one pattern for each kind of hatching in the list.
func (p *painter) patterns() {
	for i := range p.list.Ops {
		op := &p.list.Ops[i]
		if op.Kind != display.Hatch || p.hatchOf(op) >= 0 {
			continue
		}
		p.hatches = append(p.hatches, hatch{op.Fill, op.Width, op.Size})
	}
	if len(p.hatches) == 0 {
		return
	}
	p.s("<defs>")
	for i, h := range p.hatches {
		p.s(`<pattern id="`).s(p.ids).s("h").f(float32(i)).s(`"`).attr("width", h.size).attr("height", h.size)
		p.s(` patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line x1="0" y1="0" x2="0"`).attr("y2", h.size)
		p.paint("stroke", h.fill).attr("stroke-width", h.width).s("/></pattern>")
	}
	p.s("</defs>\n")
}

func (p *painter) hatchOf(op *display.Op) int {
	for i, h := range p.hatches {
		if h == (hatch{op.Fill, op.Width, op.Size}) {
			return i
		}
	}
	return -1
}

// close ends what groups are open.
func (p *painter) close() {
	if p.clip {
		p.s("</g>\n")
	}
	if p.layer {
		p.s("</g>\n")
	}
	p.clip, p.layer = false, false
}

func (p *painter) op(op *display.Op) {
	switch op.Kind {
	case display.Layer:
		p.close()
		p.s("<g>\n")
		p.layer = true
	case display.Clip:
		p.clipTo(op)
	case display.Quad:
		p.quad(op)
	case display.Hatch:
		p.s("<rect").attr("x", op.X).attr("y", op.Y).attr("width", op.W).attr("height", op.H).radius(op)
		p.s(` fill="url(#`).s(p.ids).s("h").f(float32(p.hatchOf(op))).s(`)"/>`).s("\n")
	case display.Line:
		p.s("<line").attr("x1", op.X).attr("y1", op.Y).attr("x2", op.W).attr("y2", op.H).stroke(op).s("/>\n")
	case display.Curve:
		p.s(`<path d="M`).f(op.X).s(" ").f(op.Y).s("C").f(op.A).s(" ").f(op.B).s(" ").f(op.C).s(" ").f(op.D).s(" ").f(op.W).s(" ").f(op.H)
		p.s(`" fill="none"`).stroke(op).s("/>\n")
	case display.Glyphs:
		p.text(op)
	case display.Shape:
		p.shape(op)
	}
}

func (p *painter) clipTo(op *display.Op) {
	if p.clip {
		p.s("</g>\n")
		p.clip = false
	}
	if op.W <= 0 || op.H <= 0 {
		return
	}
	p.clips++
	p.s(`<clipPath id="`).s(p.ids).s("c").f(float32(p.clips)).s(`"><rect`)
	p.attr("x", op.X).attr("y", op.Y).attr("width", op.W).attr("height", op.H).s("/></clipPath>\n")
	p.s(`<g clip-path="url(#`).s(p.ids).s("c").f(float32(p.clips)).s(`)">`).s("\n")
	p.clip = true
}

func (p *painter) radius(op *display.Op) *painter {
	if r := min(op.R, op.W/2, op.H/2); r > 0 {
		p.attr("rx", r)
	}
	return p
}

func (p *painter) stroke(op *display.Op) *painter {
	p.paint("stroke", op.Stroke)
	if op.Width != 1 {
		p.attr("stroke-width", op.Width)
	}
	if on, off := op.Dash.Pattern(); off > 0 {
		p.s(` stroke-dasharray="`).f(on).s(" ").f(off).s(`"`)
	}
	return p
}

// quad's stroke lies inside its edge; SVG's lies on it.
func (p *painter) quad(op *display.Op) {
	o := *op
	if o.Stroke&0xff != 0 && o.Width > 0 {
		h := o.Width / 2
		o.X, o.Y, o.W, o.H = o.X+h, o.Y+h, o.W-o.Width, o.H-o.Width
		o.R = max(0, o.R-h)
	}
	if o.W <= 0 || o.H <= 0 {
		return
	}
	p.s("<rect").attr("x", o.X).attr("y", o.Y).attr("width", o.W).attr("height", o.H).radius(&o).paint("fill", o.Fill)
	if o.Stroke&0xff != 0 && o.Width > 0 {
		p.stroke(&o)
	}
	p.s("/>\n")
}

func (p *painter) text(op *display.Op) {
	p.s("<text").attr("x", op.X).attr("y", op.Y).attr("font-size", op.Size).paint("fill", op.Fill)
	switch op.Align {
	case display.Middle:
		p.s(` text-anchor="middle"`)
	case display.End:
		p.s(` text-anchor="end"`)
	}
	switch op.Face {
	case theme.Bold:
		p.s(` font-weight="700"`)
	case theme.Mono:
		p.s(` font-family='"Go Mono","DejaVu Sans Mono",monospace'`)
	}
	p.s(">")
	for _, c := range p.list.TextOf(op) {
		switch {
		case c == '&':
			p.s("&amp;")
		case c == '<':
			p.s("&lt;")
		case c == '>':
			p.s("&gt;")
		case c < 0x20:
			p.s(" ")
		default:
			p.b = append(p.b, c)
		}
	}
	p.s("</text>\n")
}

func (p *painter) shape(op *display.Op) {
	var pts [display.OutlineMax]display.Point
	n := display.Outline(op.Form, &pts)
	p.s(`<polygon points="`)
	for i := range n {
		if i > 0 {
			p.s(" ")
		}
		p.f(op.X + pts[i].X*op.R).s(",").f(op.Y + pts[i].Y*op.R)
	}
	p.s(`"`).paint("fill", op.Fill)
	if op.Stroke&0xff != 0 && op.Width > 0 {
		p.stroke(op)
	}
	p.s("/>\n")
}
