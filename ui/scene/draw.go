package scene

import (
	"github.com/highwater-sim/highwater/ui/scene/display"
	"strconv"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/theme"
)

// style is how a text looks.
type style struct {
	face  theme.Face
	size  float32
	color theme.Color
	align display.Align
}

func (b *builder) add(op display.Op) { b.out.Ops = append(b.out.Ops, op) }

func (b *builder) layer(f display.Form) { b.add(display.Op{Kind: display.Layer, Form: f}) }

func (b *builder) clip(r Rect) { b.add(display.Op{Kind: display.Clip, X: r.X, Y: r.Y, W: r.W, H: r.H}) }

func (b *builder) unclip() { b.add(display.Op{Kind: display.Clip}) }

func (b *builder) fill(r Rect, radius float32, c theme.Color, hit int32) {
	b.add(display.Op{Kind: display.Quad, X: r.X, Y: r.Y, W: r.W, H: r.H, R: radius, Fill: c, Hit: hit})
}

func (b *builder) box(r Rect, radius float32, fill, stroke theme.Color, width float32, dash display.Dash, hit int32) {
	b.add(display.Op{Kind: display.Quad, X: r.X, Y: r.Y, W: r.W, H: r.H, R: radius, Fill: fill, Stroke: stroke, Width: width, Dash: dash, Hit: hit})
}

func (b *builder) line(x0, y0, x1, y1 float32, c theme.Color, width float32, dash display.Dash) {
	b.add(display.Op{Kind: display.Line, X: x0, Y: y0, W: x1, H: y1, Stroke: c, Width: width, Dash: dash})
}

func (b *builder) hatch(r Rect, radius float32, c theme.Color) {
	b.add(display.Op{Kind: display.Hatch, X: r.X, Y: r.Y, W: r.W, H: r.H, R: radius, Fill: c, Width: 2, Size: 5})
}

func (b *builder) shape(f display.Form, x, y, r float32, fill, stroke theme.Color, width float32) {
	b.add(display.Op{Kind: display.Shape, Form: f, X: x, Y: y, R: r, Fill: fill, Stroke: stroke, Width: width})
}

func (b *builder) circle(x, y, r float32, c theme.Color, hit int32) {
	b.fill(rect(x-r, y-r, 2*r, 2*r), r, c, hit)
}

// cross is an x within a square of the half size r.
func (b *builder) cross(x, y, r float32, c theme.Color, width float32) {
	b.line(x-r, y-r, x+r, y+r, c, width, display.Solid)
	b.line(x-r, y+r, x+r, y-r, c, width, display.Solid)
}

// scissors mark a cut.
func (b *builder) scissors(x, y, r float32, c theme.Color) {
	b.line(x-r*0.5, y+r*0.45, x+r, y-r*0.6, c, 1.3, display.Solid)
	b.line(x-r*0.5, y-r*0.45, x+r, y+r*0.6, c, 1.3, display.Solid)
	for _, dy := range [2]float32{-0.6, 0.6} {
		k := r * 0.36
		b.box(rect(x-r*0.75-k, y+dy*r-k, 2*k, 2*k), k, 0, c, 1.2, display.Solid, 0)
	}
}

// target adds a thing that can be pointed at and returns its hit id.
func (b *builder) target(sel view.Selection, r Rect, focus bool) int32 {
	r = r.Intersect(rect(0, 0, b.in.W, b.in.H))
	if r.W <= 0 || r.H <= 0 {
		return 0
	}
	b.out.Hits = append(b.out.Hits, Target{Sel: sel, Rect: r, focus: focus, band: b.band})
	return int32(len(b.out.Hits) - 1)
}

// inMatrix is target for what scrolls sideways.
func (b *builder) inMatrix(sel view.Selection, r Rect, focus bool) int32 {
	r = r.Intersect(rect(b.plan.MatrixX-4, 0, b.plan.MatrixW+8, b.in.H))
	return b.target(sel, r, focus)
}

// Text is built up piece by piece: begin, s and n, then put.

func (b *builder) begin() { b.mark = int32(len(b.out.Text)) }

func (b *builder) s(text string) *builder {
	b.out.Text = append(b.out.Text, text...)
	return b
}

func (b *builder) n(v int64) *builder {
	b.out.Text = strconv.AppendInt(b.out.Text, v, 10)
	return b
}

// dur appends a span of time as a reader says it: 0.3 s, 120 ms.
func (b *builder) dur(d kafka.Duration) *builder {
	switch {
	case d < 0:
		return b.s("0 s")
	case d < 100*kafka.Millisecond && d >= kafka.Millisecond:
		return b.n(d.Millis()).s(" ms")
	case d >= 48*60*kafka.Minute:
		return b.n(int64(d / (24 * 60 * kafka.Minute))).s(" d")
	case d >= 120*kafka.Minute:
		return b.n(int64(d / (60 * kafka.Minute))).s(" h")
	case d >= 10*kafka.Minute:
		return b.n(int64(d / kafka.Minute)).s(" min")
	case d >= 100*kafka.Second:
		return b.n(int64(d / kafka.Second)).s(" s")
	}
	tenths := int64((d + 50*kafka.Millisecond) / (100 * kafka.Millisecond))
	return b.n(tenths / 10).s(".").n(tenths % 10).s(" s")
}

// short appends a count in at most five characters: 950, 12.3k, 4.5M.
func (b *builder) short(v int64) *builder {
	switch {
	case v < 10_000 && v > -10_000:
		return b.n(v)
	case v < 1_000_000:
		return b.n(v / 1000).s(".").n(v / 100 % 10).s("k")
	}
	return b.n(v / 1_000_000).s(".").n(v / 100_000 % 10).s("M")
}

// width is how wide the text begun is.
func (b *builder) width(st style) float32 { return theme.Width(st.face, b.out.Text[b.mark:], st.size) }

// put draws the text begun at x, y (its baseline), shortened with an ellipsis to
// room px if room is positive, and returns its width.
func (b *builder) put(x, y float32, st style, room float32) float32 {
	w := b.width(st)
	if room > 0 && w > room {
		w = b.shorten(st, room)
	}
	from := b.mark
	n := int32(len(b.out.Text)) - from
	if n == 0 {
		return 0
	}
	b.add(display.Op{Kind: display.Glyphs, X: x, Y: y, Face: st.face, Size: st.size, Fill: st.color, Align: st.align, From: from, Len: n})
	return w
}

// shorten cuts the text begun to what fits with an ellipsis.
func (b *builder) shorten(st style, room float32) float32 {
	room -= theme.Advance(st.face, '…', st.size)
	text := b.out.Text[b.mark:]
	if room <= 0 {
		b.out.Text = b.out.Text[:b.mark]
		return 0
	}
	end, w := 0, float32(0)
	for i := 0; i < len(text); {
		n := 1
		for i+n < len(text) && text[i+n]&0xc0 == 0x80 {
			n++
		}
		a := theme.Width(st.face, text[i:i+n], st.size)
		if w+a > room {
			break
		}
		w += a
		i += n
		end = i
	}
	b.out.Text = append(b.out.Text[:int(b.mark)+end], "…"...)
	return w + theme.Advance(st.face, '…', st.size)
}

// label draws a constant text.
func (b *builder) label(text string, x, y float32, st style, room float32) float32 {
	b.begin()
	return b.s(text).put(x, y, st, room)
}

func (b *builder) tiny(c theme.Color) style {
	return style{theme.Regular, theme.SizeTiny, c, display.Start}
}
func (b *builder) small(c theme.Color) style {
	return style{theme.Regular, theme.SizeSmall, c, display.Start}
}
func (b *builder) bold(c theme.Color) style {
	return style{theme.Bold, theme.SizeBody, c, display.Start}
}
func (b *builder) mono(c theme.Color) style {
	return style{theme.Mono, theme.SizeTiny, c, display.Start}
}

func (s style) right() style  { s.align = display.End; return s }
func (s style) middle() style { s.align = display.Middle; return s }
