package scene

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/scene/display"
	"github.com/highwater-sim/highwater/ui/theme"
)

// What the cleaner does while it is at a log.
//
//	 ▒  ▐  ▒ ▼▐  ▐  ▐      faded: dropped; left of the line it has been
//	 │  █  │ │  │  │  │    under them the new segment, with what it keeps
//	 └───────┘

// cleaner paints where a pass is, and, while it writes, the new segment as far as it
// has been written.
func (b *builder) cleaner(r *view.Replica, top, h float32, sc *scale) {
	if r.Cleaning == "" {
		return
	}
	y := top + h + 3
	if h < 30 {
		y = top + h + 2
	}
	if r.Rewriting {
		x0, _ := sc.edge(max(r.CleanFrom, r.LogStart))
		x1, _ := sc.edge(r.CleanHead)
		if x1 > x0 {
			b.fill(rect(x0, y-1, x1-x0, 6), 1, b.th.Well, 0)
			b.box(rect(x0, y-1, x1-x0, 6), 1, 0, b.th.InSync, 1, display.Solid, 0)
		}
		for i := range r.Cells {
			cell := &r.Cells[i]
			x := sc.x(cell.Offset)
			if cell.Fate != view.Stays || cell.Offset < r.CleanFrom || cell.Offset >= r.CleanHead || x < sc.left || x+b.plan.CellW > sc.right+1 {
				continue
			}
			c := b.th.InSync
			if cell.HasKey && !cell.Control {
				c = b.th.ForKey(cell.Key)
			}
			b.fill(rect(x+1, y+0.5, max(b.plan.CellW-2, 2), 3), 0, c, 0)
		}
	}
	if x, in := sc.edge(r.CleanHead); in {
		dash := display.Solid
		if !r.Rewriting {
			dash = display.Dashed
		}
		b.line(x, top-4, x, y+6, b.th.Accent, 1.6, dash)
		b.shape(display.Down, x, top-5, 3.4, b.th.Accent, 0, 0)
	}
}

// dropped is how a record is drawn that the cleaner will not write again: pale and
// struck through, and faded once the pass has been over it.
func (b *builder) dropped(fill theme.Color, at Rect, been bool, hit int32) {
	body, edge, strike := float32(0.3), float32(0.6), float32(0.75)
	if been {
		body, edge, strike = 0.06, 0.25, 0.35
	}
	b.box(at, 2, fill.Alpha(body), fill.Alpha(edge), 1, display.Dotted, hit)
	b.line(at.X+1, at.Y+at.H-2, at.X+at.W-1, at.Y+2, b.th.Text.Alpha(strike), 1.2, display.Solid)
}

// footStart prints what the cleaner is doing, else what it waits for, else where the
// log begins, as long as there is room; it returns where that ended.
func (b *builder) footStart(r *view.Replica, x, y, right float32) float32 {
	for try := range 2 {
		b.begin()
		st := b.footWords(r, try == 0)
		if len(b.out.Text) == int(b.mark) {
			return x
		}
		if x+b.width(st) <= right {
			return x + b.put(x, y, st, 0) + 5
		}
		b.out.Text = b.out.Text[:b.mark]
	}
	return x
}

// footWords appends the words of footStart, at length or in short.
func (b *builder) footWords(r *view.Replica, long bool) style {
	cell := dated(r)
	switch {
	case r.Cleaning != "":
		switch {
		case !long:
		case r.Rewriting:
			b.s("cleaner writes · ")
		default:
			b.s("cleaner reads keys · ")
		}
		b.n(r.CleanDone / 10_000).s(" %")
		return b.tiny(b.th.Accent)
	case r.Dead:
		b.s("! uncleanable")
		return b.tiny(b.th.Warn)
	case r.LogStart > 0:
		b.s("start ").n(int64(r.LogStart))
		if cell == nil || !long {
			break
		}
		b.s(" · ")
		return b.stays(cell, long)
	case cell != nil:
		return b.stays(cell, long)
	}
	return b.mono(b.th.Muted)
}

// stays appends how long a tombstone stays at least.
func (b *builder) stays(cell *view.Cell, long bool) style {
	if long {
		b.s("tombstone ")
	}
	b.n(int64(cell.Offset))
	left := cell.Horizon - b.now.UnixMilli()
	if left <= 0 {
		b.s(" may go")
		return b.tiny(b.th.Warn)
	}
	b.s(" stays ").dur(kafka.Duration(left) * kafka.Millisecond)
	return b.tiny(b.th.Muted)
}

// dated is the tombstone in sight whose delete horizon comes first, nil if none has
// one.
func dated(r *view.Replica) (first *view.Cell) {
	for i := range r.Cells {
		if x := &r.Cells[i]; x.Tombstone && x.Horizon > 0 && (first == nil || x.Horizon < first.Horizon) {
			first = x
		}
	}
	return first
}
