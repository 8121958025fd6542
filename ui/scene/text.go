package scene

import (
	"fmt"
	"strings"
)

// String prints the list, one operation a line with what it stands for: for
// golden tests and for the reader of a failed one.
func (l *List) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "list %gx%g @%g bg %08x level %v cells %d content %.0fx%.0f\n", l.W, l.H, l.DPR, uint32(l.Bg), l.Level, l.Cells, l.ContentW, l.ContentH)
	for i := range l.Ops {
		o := &l.Ops[i]
		l.Describe(&b, o)
		if o.Hit > 0 && int(o.Hit) < len(l.Hits) {
			l.Hits[o.Hit].describe(&b)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (t *Target) describe(b *strings.Builder) {
	s := &t.Sel
	fmt.Fprintf(b, " -> %s", s.Kind)
	if s.Name != "" {
		fmt.Fprintf(b, " %s", s.Name)
	}
	if s.Node != 0 {
		fmt.Fprintf(b, " %d", s.Node)
	}
	if s.TP.Topic != "" {
		fmt.Fprintf(b, " %v", s.TP)
	}
	if s.Kind == "record" {
		fmt.Fprintf(b, " @%d", s.Offset)
	}
	if s.ID != 0 {
		fmt.Fprintf(b, " #%d", s.ID)
	}
}
