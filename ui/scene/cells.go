package scene

import (
	"github.com/highwater-sim/highwater/ui/scene/display"
	"unicode/utf8"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/theme"
)

// cells paints a replica's last records, brackets over their batches, what the
// log is made of under them, and where it ends.
func (b *builder) cells(part *view.Partition, r *view.Replica, s standing, top, h float32, sc *scale) {
	w := b.plan.CellW
	runX, runEnd, run := float32(0), float32(0), kafka.NoOffset
	for i := range r.Cells {
		cell := &r.Cells[i]
		x := sc.x(cell.Offset)
		if x < sc.x0-0.9*sc.pitch || x+w > sc.right+1 {
			continue
		}
		// The oldest cell fades while the axis moves on.
		fade := min(1, 1-(sc.x0-x)/sc.pitch)
		b.cell(part, r, cell, rect(x, top, w, h), s, fade)
		if cell.Batch != run {
			b.bracket(runX, runEnd, top, run)
			runX, run = max(x, sc.x0), cell.Batch
		}
		runEnd = x + w
	}
	b.bracket(runX, runEnd, top, run)
	b.segments(r, top, h, sc)
	b.cleaner(r, top, h, sc)
	b.gaps(r, top, h, sc)
	b.epochTicks(r, top, h, sc)
	b.logStart(r, top, h, sc)
	if r.Online {
		// Past every follower's end: the arrow of the log end offset.
		if x, in := sc.edge(r.LEO); in {
			b.shape(display.Down, x, top-2, 2.6, b.th.Soft, 0, 0)
		}
	}
}

// bracket joins the records of one batch.
func (b *builder) bracket(x0, x1, top float32, batch kafka.Offset) {
	if batch == kafka.NoOffset || x1 <= x0 {
		return
	}
	c := b.th.Muted.Alpha(0.55)
	b.line(x0+0.5, top-2.5, x1-0.5, top-2.5, c, 1, display.Solid)
}

// cell paints one record or marker.
func (b *builder) cell(part *view.Partition, r *view.Replica, cell *view.Cell, at Rect, s standing, fade float32) {
	th := b.th
	hit := b.inMatrix(view.Selection{Kind: "record", Node: r.Broker, TP: part.TP, Offset: cell.Offset}, at, false)
	if cell.Control {
		b.marker(cell, at, fade, hit)
		return
	}
	fill := th.NoKey
	switch {
	case cell.HasKey:
		fill = th.ForKey(cell.Key)
	case uint64(cell.Batch)*0x9e3779b97f4a7c15>>63 == 1:
		fill = th.NoKeyToo // batches without keys take turns, so that one sees them move
	}
	if s == standOffline {
		fade *= 0.35
	}
	switch {
	case cell.Fate != view.Stays:
		b.dropped(fill, at, r.Rewriting && cell.Offset < r.CleanHead, hit)
		return
	case r.Divergent > 0 && cell.Offset >= r.LEO-kafka.Offset(r.Divergent):
		b.divergent(cell, at, fade, hit)
		return
	}
	if cell.Tombstone {
		b.box(at, 2, th.Well, fill.Alpha(fade), 1.4, display.Solid, hit)
		b.cross(at.X+at.W/2, at.Y+at.H/2, at.W*0.28, fill.Alpha(fade), 1.2)
		if cell.Horizon > 0 { // dated: from then on a pass may drop it
			c := fill
			if cell.Horizon <= b.now.UnixMilli() {
				c = th.Warn // the time has come
			}
			b.fill(rect(at.X+2, at.Y+at.H-4, at.W-4, 2), 0, c.Alpha(fade), 0)
		}
		return
	}
	// Above the high watermark a record is not committed: hollow-looking where
	// its producer still waits, outlined as a warning where it was told "done".
	stroke, width, alpha := th.KeyLine, float32(1), float32(0.92)
	if cell.Offset >= part.HW {
		if b.acked(cell.Producer) {
			stroke, width = th.Bad, 1.5
		} else {
			stroke, width, alpha = fill, 1, 0.45
		}
	}
	b.box(at, 2, fill.Alpha(alpha*fade), stroke.Alpha(fade), width, display.Solid, hit)
	if r.LSO >= 0 && cell.Offset >= r.LSO && cell.Offset < r.HW {
		b.hatch(at, 2, th.Well.Alpha(0.85*fade))
	} else if alpha > 0.5 {
		b.letter(cell, at, fade)
		b.number(cell, at, fade)
	}
}

// number prints the offset at the foot of a cell that is wide enough.
func (b *builder) number(cell *view.Cell, at Rect, fade float32) {
	if at.W < 14 || at.H < 30 || fade < 0.6 {
		return
	}
	st := style{theme.Mono, theme.SizeTiny, b.th.KeyInk.Alpha(0.75), display.Middle}
	b.begin()
	if b.n(int64(cell.Offset)); b.width(st) > at.W {
		b.out.Text = b.out.Text[:b.mark]
		return
	}
	b.put(at.X+at.W/2, at.Y+at.H-4, st, 0)
}

// acked reports whether the leader alone answers this producer: with acks=0 or
// acks=1 a record counts as done before any follower has it.
func (b *builder) acked(producer string) bool {
	for i := range b.c.Producers {
		if p := &b.c.Producers[i]; p.Name == producer {
			return p.Acks == "0" || p.Acks == "1"
		}
	}
	return false
}

// letter prints the end of a key: one character, or two where they fit.
func (b *builder) letter(cell *view.Cell, at Rect, fade float32) {
	if !cell.HasKey || cell.Key == "" || fade < 0.6 || at.H < 11 {
		return
	}
	size := float32(theme.SizeTiny)
	if at.W > 14 {
		size = min(14, at.W*0.7)
	}
	tail := 0
	for n := 1 + int(at.W/18); n > 0 && tail < len(cell.Key); n-- {
		_, k := utf8.DecodeLastRuneInString(cell.Key[:len(cell.Key)-tail])
		tail += k
	}
	b.begin()
	b.s(cell.Key[len(cell.Key)-tail:])
	b.put(at.X+at.W/2, at.Y+at.H/2+size*0.36, style{theme.Mono, size, b.th.KeyInk.Alpha(0.8), display.Middle}, 0)
}

// marker paints a control record: a tick for COMMIT, a cross for ABORT, else C.
func (b *builder) marker(cell *view.Cell, at Rect, fade float32, hit int32) {
	c := b.th.LSO.Alpha(fade)
	b.box(at, 2, b.th.Well, c, 1.2, display.Solid, hit)
	x, y, k := at.X+at.W/2, at.Y+at.H/2, at.W*0.28
	switch cell.Key {
	case "COMMIT":
		b.line(x-k, y, x-k*0.2, y+k, c, 1.4, display.Solid)
		b.line(x-k*0.2, y+k, x+k*1.1, y-k, c, 1.4, display.Solid)
	case "ABORT":
		b.cross(x, y, k, c, 1.4)
	default:
		b.label("C", x, y+3.6, style{theme.Bold, theme.SizeTiny, c, display.Middle}, 0)
	}
}
