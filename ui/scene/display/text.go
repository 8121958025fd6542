package display

import (
	"fmt"
	"strings"
)

var (
	kindNames  = [...]string{"?", "quad", "line", "curve", "text", "shape", "hatch", "clip", "layer"}
	formNames  = [...]string{"star", "hex", "diamond", "down", "up", "right", "left", "heart", "triangle", "pentagon"}
	layerNames = [...]string{"ground", "matrix", "links", "labels", "focus"}
	dashNames  = [...]string{"", " dashed", " dotted"}
	alignNames = [...]string{"start", "middle", "end"}
	faceNames  = [...]string{"regular", "bold", "mono"}
)

// String prints the list, one operation a line.
func (l *List) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "list %gx%g @%g bg %08x\n", l.W, l.H, l.DPR, uint32(l.Bg))
	for i := range l.Ops {
		l.Describe(&b, &l.Ops[i])
		b.WriteByte('\n')
	}
	return b.String()
}

// Describe prints one operation of the list.
func (l *List) Describe(b *strings.Builder, o *Op) {
	b.WriteString(kindNames[min(int(o.Kind), len(kindNames)-1)])
	switch o.Kind {
	case Layer:
		fmt.Fprintf(b, " %s", layerNames[o.Form])
	case Clip:
		fmt.Fprintf(b, " %.1f,%.1f %.1fx%.1f", o.X, o.Y, o.W, o.H)
	case Quad:
		fmt.Fprintf(b, " %.1f,%.1f %.1fx%.1f r%.1f%s", o.X, o.Y, o.W, o.H, o.R, o.paints())
	case Hatch:
		fmt.Fprintf(b, " %.1f,%.1f %.1fx%.1f fill %08x", o.X, o.Y, o.W, o.H, uint32(o.Fill))
	case Line:
		fmt.Fprintf(b, " %.1f,%.1f %.1f,%.1f%s", o.X, o.Y, o.W, o.H, o.paints())
	case Curve:
		fmt.Fprintf(b, " %.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f%s", o.X, o.Y, o.A, o.B, o.C, o.D, o.W, o.H, o.paints())
	case Glyphs:
		fmt.Fprintf(b, " %.1f,%.1f %s %s %g %08x %q", o.X, o.Y, alignNames[o.Align], faceNames[o.Face], o.Size, uint32(o.Fill), l.TextOf(o))
	case Shape:
		fmt.Fprintf(b, " %s %.1f,%.1f r%.1f%s", formNames[o.Form], o.X, o.Y, o.R, o.paints())
	}
}

func (o *Op) paints() string {
	s := ""
	if o.Fill&0xff != 0 {
		s += fmt.Sprintf(" fill %08x", uint32(o.Fill))
	}
	if o.Stroke&0xff != 0 && o.Width > 0 {
		s += fmt.Sprintf(" stroke %08x w%.1f%s", uint32(o.Stroke), o.Width, dashNames[o.Dash])
	}
	return s
}
