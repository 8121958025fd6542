package display

import "github.com/highwater-sim/highwater/ui/theme"

// List is a display list: all that a painter knows.
type List struct {
	W, H float32 // of the stage, in CSS px
	DPR  float32 // device px per CSS px that it was made for
	Bg   theme.Color
	Ops  []Op
	Text []byte // of all Glyphs
}

// Reset empties the list and keeps its memory.
func (l *List) Reset() { l.Ops, l.Text = l.Ops[:0], l.Text[:0] }

// TextOf is the text of a Glyphs operation.
func (l *List) TextOf(op *Op) []byte {
	end := op.From + op.Len
	if op.From < 0 || op.Len < 0 || int(end) > len(l.Text) {
		return nil
	}
	return l.Text[op.From:end]
}
