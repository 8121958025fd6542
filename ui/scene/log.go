package scene

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/scene/display"
)

// What a log is made of, under and between its records.
//
//	 epoch boundary ┆
//	  ▐▐▐▐▐▐▐▐ · · ▐┆▐▐▐▐
//	  └──────┘└─────┆──▨▨▨     segments as brackets, the active one open; hatched
//	 start 4        ┆e6  LEO   is what is not on the disk yet

// segments paints a bracket under every segment: solid as far as it is on the
// disk, hatched from there on.
func (b *builder) segments(r *view.Replica, top, h float32, sc *scale) {
	y, thick, tick := top+h+3, float32(3), float32(4)
	if h < 30 {
		y, thick, tick = top+h+2, 2, 3
	}
	c := b.th.Muted.Alpha(0.75)
	for i := range r.Extents {
		e := &r.Extents[i]
		x0, in0 := sc.edge(max(e.Base, r.LogStart))
		x1, in1 := sc.edge(e.End)
		if x1 <= x0 {
			continue
		}
		begins := in0 && e.Base >= r.LogStart && (e.Base > 0 || i > 0)
		if begins {
			x0 += 1
			b.line(x0+0.5, y-tick, x0+0.5, y+thick, c, 1, display.Solid)
		}
		if in1 && !e.Active {
			x1 -= 1
			b.line(x1-0.5, y-tick, x1-0.5, y+thick, c, 1, display.Solid)
		}
		flushed, _ := sc.edge(min(max(r.Durable, e.Base), e.End))
		flushed = min(max(flushed, x0), x1)
		if r.Durable >= e.End {
			flushed = x1
		}
		if flushed > x0 {
			b.fill(rect(x0, y, flushed-x0, thick), 0, c, 0)
		}
		if x1 > flushed {
			b.add(display.Op{Kind: display.Hatch, X: flushed, Y: y, W: x1 - flushed, H: thick, Fill: b.th.Muted, Width: 1.3, Size: 4})
		}
	}
	if sc.pitch >= indexedFrom {
		for _, o := range r.Indexed {
			if x := sc.x(o) + b.plan.CellW/2; x > sc.left && x < sc.right {
				b.line(x, y-1, x, y+thick+2, b.th.Accent, 1.2, display.Solid)
			}
		}
	}
}

// indexedFrom is the pitch of records from which on index entries are shown.
const indexedFrom = 15

// gaps paints a dotted line where offsets have no record any more.
func (b *builder) gaps(r *view.Replica, top, h float32, sc *scale) {
	next := max(r.CellsFrom, r.LogStart)
	y := top + h/2
	for i := 0; i <= len(r.Cells); i++ {
		end := r.LEO
		if i < len(r.Cells) {
			end = r.Cells[i].Offset
		}
		if end > next && len(r.Extents) > 0 {
			x0, _ := sc.edge(next)
			x1, _ := sc.edge(end)
			if x1-x0 > 3 {
				b.line(x0+2, y, x1-2, y, b.th.Muted.Alpha(0.7), 1.2, display.Dotted)
			}
		}
		next = end + 1
	}
}

// logStart marks the first offset that may be read, if there were older ones, and
// where the cleaner has been.
func (b *builder) logStart(r *view.Replica, top, h float32, sc *scale) {
	if r.LogStart > 0 {
		if x, in := sc.edge(r.LogStart); in {
			b.line(x, top-4, x, top+h+5, b.th.Soft, 2, display.Solid)
			b.line(x, top-4, x+4, top-4, b.th.Soft, 1.4, display.Solid)
			b.line(x, top+h+5, x+4, top+h+5, b.th.Soft, 1.4, display.Solid)
		}
	}
	if r.CleanTo > r.LogStart {
		if x, in := sc.edge(r.CleanTo); in {
			b.shape(display.Up, x, top+h+8, 3, b.th.InSync, 0, 0)
		}
	}
}

// epochTicks paints where a leader epoch begins in a log.
func (b *builder) epochTicks(r *view.Replica, top, h float32, sc *scale) {
	for i := range r.Epochs {
		if x, ok := b.epochAt(r, i, sc); ok {
			b.line(x, top-5, x, top+h+7, b.th.Text.Alpha(0.8), 1, display.Dashed)
		}
	}
}

// epochAt is where epoch i of a log begins on the screen: not for the one that its
// records begin with.
func (b *builder) epochAt(r *view.Replica, i int, sc *scale) (x float32, ok bool) {
	e := &r.Epochs[i]
	if e.Offset <= r.LogStart || i == 0 && e.Offset <= r.CellsFrom {
		return 0, false
	}
	return sc.edge(e.Offset)
}

// foot prints under the records where the log begins and ends, and the numbers of
// the epochs between.
func (b *builder) foot(part *view.Partition, r *view.Replica, at Rect, sc *scale) {
	y := at.Y + at.H - 5
	left, right := at.X+b.plan.BoxPad, at.X+at.W-b.plan.BoxPad
	leo, w := b.footLEO(part, r, right, y, right-left, sc)
	left = b.footStart(r, left, y, leo-4)
	st := b.tiny(b.th.Text)
	for i := range r.Epochs {
		x, ok := b.epochAt(r, i, sc)
		if !ok {
			continue
		}
		b.begin()
		n := b.s("e").n(int64(r.Epochs[i].Epoch)).width(st)
		free := func(x0 float32) bool {
			return x0 >= left && x0+n <= right+4 && (x0+n+4 <= leo || x0 >= leo+w+4)
		}
		switch {
		case free(x + 4):
			b.put(x+4, y, st, 0)
			left = x + n + 8
		case free(x - 3 - n):
			b.put(x-3-n, y, st, 0)
			left = x + 2
		default:
			b.out.Text = b.out.Text[:b.mark]
		}
	}
}

// footLEO prints the log end offset at the right, beside the lines that run
// through the column, and returns where and how wide.
func (b *builder) footLEO(part *view.Partition, r *view.Replica, right, y, room float32, sc *scale) (x, w float32) {
	st := b.mono(b.th.Muted)
	b.begin()
	if room >= 50 {
		b.s("LEO ")
	}
	b.n(int64(r.LEO))
	w = b.width(st)
	x = right - w
	for _, o := range [2]kafka.Offset{part.HW, b.openLSO(part)} {
		if lx, in := sc.edge(o); o >= 0 && in && lx > x-3 && lx < x+w+3 && lx-4-w > right-room {
			x = lx - 4 - w
		}
	}
	b.put(x, y, st, room)
	return x, w
}

// progress is a thin bar at the foot of a replica: the cleaner's pass, how much of
// the leader's log a replica has that is being added, or how much of a log is in the
// directory that it moves to.
func (b *builder) progress(part *view.Partition, r *view.Replica, at Rect) {
	done := float32(-1)
	switch {
	case r.Cleaning != "":
		done = float32(r.CleanDone) / 1_000_000
	case contains(part.Adding, r.Broker) && !r.InISR:
		done = float32(caughtUpPercent(part, r)) / 100
	}
	if done < 0 && r.FutureDir != "" {
		done = float32(movedPercent(r)) / 100
	}
	if done < 0 {
		return
	}
	bar := rect(at.X+4, at.Y+at.H-3.5, at.W-8, 2)
	b.fill(bar, 1, b.th.Line, 0)
	bar.W *= done
	b.fill(bar, 1, b.th.Accent, 0)
}

// caughtUpPercent is how much of its leader's log a replica has, by offsets.
func caughtUpPercent(part *view.Partition, r *view.Replica) int64 {
	start := r.LogStart
	for i := range part.Replicas {
		if x := &part.Replicas[i]; x.Broker == part.Leader {
			start = x.LogStart
		}
	}
	all := int64(part.LEO - start)
	if all <= 0 {
		return 100
	}
	return min(max(int64(r.LEO-start)*100/all, 0), 100)
}

// movedPercent is how much of a log the copy in its future directory has, by offsets.
func movedPercent(r *view.Replica) int64 {
	all := int64(r.LEO - r.LogStart)
	if all <= 0 {
		return 100
	}
	return min(max(int64(r.FutureLEO-r.LogStart)*100/all, 0), 100)
}

// openLSO is the last stable offset of a partition where it is below the high
// watermark, else NoOffset.
func (b *builder) openLSO(part *view.Partition) kafka.Offset {
	for i := range part.Replicas {
		if r := &part.Replicas[i]; r.Broker == part.Leader && r.Online && r.LSO < part.HW {
			return r.LSO
		}
	}
	return kafka.NoOffset
}

// divergent is how a record is drawn that the leader's log does not have.
func (b *builder) divergent(cell *view.Cell, at Rect, fade float32, hit int32) {
	fill := b.th.NoKey
	if cell.HasKey {
		fill = b.th.ForKey(cell.Key)
	}
	b.box(at, 2, fill.Alpha(0.3*fade), b.th.Bad.Alpha(max(fade, 0.7)), 1.3, display.Dotted, hit)
	b.hatch(at, 2, b.th.Bad.Alpha(0.5*max(fade, 0.6)))
}
