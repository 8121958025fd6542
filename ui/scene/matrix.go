package scene

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/layout"
	"github.com/highwater-sim/highwater/ui/motion"
	"github.com/highwater-sim/highwater/ui/scene/display"
	"github.com/highwater-sim/highwater/ui/theme"
)

// Bands of the reading order.
const (
	bandQuorum int32 = iota
	bandProducers
	bandHead
	bandRows   // one per row
	bandGroups = 1 << 20
)

// racks paints the groups of rows that share a rack.
func (b *builder) racks() {
	for i := range b.plan.Racks {
		g := &b.plan.Racks[i]
		r := b.at(g.Rect)
		if !b.visibleY(r.Y, r.H) {
			continue
		}
		b.box(r, 12, b.th.Panel, b.th.Line, 1, display.Solid, 0)
		gone := 0
		for k := g.First; k < g.First+g.N; k++ {
			if down(b.c.Brokers[b.plan.Rows[k].Broker].State) {
				gone++
			}
		}
		st := b.tiny(b.th.Muted)
		b.begin()
		b.s("RACK ").s(g.Name).s(" · ").n(int64(g.N)).s(" broker")
		if g.N > 1 {
			b.s("s")
		}
		if gone > 0 {
			b.s(" · ").n(int64(gone)).s(" down")
			st.color = b.th.Bad
		}
		b.put(r.X+12, r.Y+11, st, r.W-24)
	}
}

// rowsGround paints the rows that brokers stand on.
func (b *builder) rowsGround() {
	b.racks()
	for i := range b.plan.Rows {
		row := &b.plan.Rows[i]
		r := b.at(row.Rect)
		k := &b.c.Brokers[row.Broker]
		b.band = bandRows + int32(i)
		hit := b.target(view.Selection{Kind: "broker", Node: k.ID}, r, true)
		if !b.visibleY(r.Y, r.H) {
			continue
		}
		fill, stroke, dash := b.th.Row, b.th.Line, display.Solid
		switch {
		case down(k.State):
			fill, stroke, dash = b.th.BadRow, b.th.Bad.Alpha(0.7), display.Dashed
		case k.State == view.Frozen || k.State == view.Starting || k.State == view.Stopping:
			stroke, dash = b.th.Warn.Alpha(0.7), display.Dashed
		case len(k.CutFrom) > 0 || k.Fenced && k.Registered:
			fill, stroke = b.th.WarnRow, b.th.Warn
		}
		b.box(r, 10, fill, stroke, 1, dash, hit)
	}
}

func down(s view.ProcessState) bool {
	return s == view.Crashed || s == view.PoweredOff || s == view.Stopped
}

// matrix paints heads, replicas and marks, clipped to the window they scroll in.
func (b *builder) matrix() {
	p := b.plan
	if len(p.Blocks) == 0 {
		b.emptyMatrix()
		return
	}
	b.clip(rect(p.MatrixX-3, 0, p.MatrixW+6, b.in.H))
	for i := range p.Blocks {
		blk := &p.Blocks[i]
		if !b.visibleX(b.colX(blk.X), blk.W) {
			continue
		}
		b.band = bandHead
		b.topicHead(blk)
		if blk.Per > 0 {
			b.tiles(blk)
			continue
		}
		for k := blk.First; k < blk.First+blk.N; k++ {
			col := &p.Columns[k]
			if x := b.colX(col.X); b.visibleX(x, col.W) {
				b.column(k, col, x)
			}
		}
	}
	b.unclip()
}

func (b *builder) emptyMatrix() {
	if len(b.plan.Rows) == 0 {
		return
	}
	first, last := b.at(b.plan.Rows[0].Rect), b.at(b.plan.Rows[len(b.plan.Rows)-1].Rect)
	b.label("no topic yet", b.plan.MatrixX+b.plan.MatrixW/2, (first.Y+last.Y+last.H)/2+4, b.small(b.th.Muted).middle(), 0)
}

// topicHead paints what stands above a topic's columns.
func (b *builder) topicHead(blk *layout.Block) {
	p, t := b.plan, &b.c.Topics[blk.Topic]
	x, y := b.colX(blk.X), p.HeadY-b.camY
	sel := view.Selection{Kind: "topic", Name: t.Name}
	if p.Level == Cells && blk.Per == 0 && !b.stackedHead(p.Columns[blk.First].W) {
		return // every column has its own head
	}
	// The name stays in sight while its columns scroll.
	left := max(x, p.MatrixX)
	w := blk.W
	if blk.Per > 0 && p.Level != Tiles {
		w = max(w, 120)
	}
	room := min(x+w, p.MatrixX+p.MatrixW) - left
	b.inMatrix(sel, rect(left, y, room, p.HeadH), true)
	base := y + 12
	if blk.Per > 0 {
		base = y + p.HeadH - 8
	}
	b.begin()
	w = b.s(t.Name).put(left, base, b.bold(b.th.Text), room)
	under, offline := 0, 0
	for i := range t.Partitions {
		if t.Partitions[i].UnderReplicated {
			under++
		}
		if t.Partitions[i].Leader == kafka.NoNode {
			offline++
		}
	}
	b.begin()
	b.n(int64(len(t.Partitions))).s(" partitions")
	st := b.tiny(b.th.Muted)
	if under > 0 {
		b.s(" · ").n(int64(under)).s(" under-replicated")
		st.color = b.th.Warn
	}
	if offline > 0 {
		b.s(" · ").n(int64(offline)).s(" offline")
		st.color = b.th.Bad
	}
	if room-w-10 > 40 {
		b.put(left+w+10, base, st, room-w-10)
	}
}

// stackedHead reports whether columns of the width w have their topic's name
// above them all and only their numbers for themselves.
func (b *builder) stackedHead(w float32) bool { return w < 104 }

// axisFrom is the offset at the left end of a column's axis, tweened.
func (b *builder) axisFrom(k int, part *view.Partition, room int) (base kafka.Offset, from float32) {
	end, start := part.LEO, kafka.Offset(0)
	for i := range part.Replicas {
		r := &part.Replicas[i]
		end = max(end, r.LEO)
		if i == 0 || r.LogStart < start {
			start = r.LogStart
		}
	}
	target := max(start, end-kafka.Offset(room))
	for len(b.state.axes) <= k {
		b.state.axes = append(b.state.axes, axis{})
	}
	a := &b.state.axes[k]
	if a.tp != part.TP || !a.seen || b.in.Wall <= 0 || b.in.ReducedMotion {
		*a = axis{tp: part.TP, base: target, seen: true}
		return target, 0
	}
	goal := float32(target - a.base)
	if d := goal - a.from; d > float32(room) || d < -float32(room) {
		*a = axis{tp: part.TP, base: target, seen: true}
		return target, 0
	}
	a.from = motion.Approach(a.from, goal, b.in.Wall, 0.07)
	if a.from == goal {
		a.base, a.from = target, 0
	} else {
		b.out.Moving = true
	}
	return a.base, a.from
}

// scale maps offsets of one column to the screen.
type scale struct {
	base  kafka.Offset
	from  float32
	x0    float32 // of the offset base+from
	pitch float32 // px per record
	gap   float32 // half the space between two cells
	left  float32
	right float32
}

// x is where the record with the offset o begins.
func (s *scale) x(o kafka.Offset) float32 {
	return s.x0 + (float32(o-s.base)-s.from)*s.pitch
}

// edge is the boundary before offset o, kept within the column.
func (s *scale) edge(o kafka.Offset) (x float32, inside bool) {
	x = s.x(o) - s.gap
	switch {
	case x < s.left:
		return s.left, false
	case x > s.right:
		return s.right, false
	}
	return x, true
}

// column paints one partition at the levels Cells and Bars.
func (b *builder) column(k int, col *layout.Column, x float32) {
	p := b.plan
	part := &b.c.Topics[col.Topic].Partitions[col.Partition]
	sc := scale{left: x + 3, right: x + col.W - 3}
	if p.Level == Cells {
		sc.base, sc.from = b.axisFrom(k, part, p.CellN)
		sc.x0, sc.pitch, sc.gap = x+p.BoxPad, p.CellPitch, (p.CellPitch-p.CellW)/2
	} else {
		span := barSpan(part)
		sc.base = max(0, part.LEO-span)
		sc.x0, sc.pitch = x+4, (col.W-8)/float32(span)
	}
	b.band = bandHead
	b.columnHead(part, x, col.W)
	// First the bodies, then the lines that run through them, then the words.
	for pass := range 2 {
		for i := range p.Rows {
			row := &p.Rows[i]
			r := rect(x, row.Rect.Y+p.BoxTop-b.camY, col.W, p.BoxH)
			if b.visibleY(r.Y, r.H) {
				b.band = bandRows + int32(i)
				b.replica(part, b.c.Brokers[row.Broker].ID, r, &sc, pass)
			}
		}
		if pass == 0 {
			b.marks(part, x, col.W, &sc)
		}
	}
}

// replica paints a broker's copy: pass 0 its body, pass 1 its words.
func (b *builder) replica(part *view.Partition, id kafka.NodeID, r Rect, sc *scale, pass int) {
	rep := replicaOn(part, id)
	cells := b.plan.Level == Cells
	switch {
	case rep == nil && pass == 0:
		b.noReplica(r)
	case rep == nil:
	case pass == 0 && cells:
		b.replicaCells(part, rep, r, sc)
	case pass == 0:
		b.replicaBar(part, rep, r, sc)
	case cells:
		b.replicaWords(part, rep, r, sc)
	default:
		b.barWords(part, rep, r)
	}
}

// barSpan is how many records a bar's axis covers: a power of two that holds
// every replica's lag.
func barSpan(part *view.Partition) kafka.Offset {
	span := kafka.Offset(16)
	for i := range part.Replicas {
		r := &part.Replicas[i]
		for r.Online && part.LEO-r.LEO > span/2 && span < 1<<40 {
			span *= 2
		}
	}
	return span
}

func replicaOn(part *view.Partition, id kafka.NodeID) *view.Replica {
	for i := range part.Replicas {
		if part.Replicas[i].Broker == id {
			return &part.Replicas[i]
		}
	}
	return nil
}

func (b *builder) noReplica(r Rect) {
	if r.W >= 70 && r.H >= 30 {
		b.label("no replica", r.X+r.W/2, r.Y+r.H/2+4, b.tiny(b.th.Faint).middle(), r.W)
		return
	}
	b.circle(r.X+r.W/2, r.Y+r.H/2, 1, b.th.Line, 0)
}

// columnHead paints a partition's name and log end.
func (b *builder) columnHead(part *view.Partition, x, w float32) {
	p := b.plan
	y := p.HeadY - b.camY
	base := y + p.HeadH - 8
	stacked := p.Level == Bars || b.stackedHead(w)
	if stacked {
		base = y + p.HeadH - 3
	}
	b.inMatrix(view.Selection{Kind: "partition", TP: part.TP}, rect(x, base-12, w, 16), true)
	c := b.th.Text
	switch {
	case part.Leader == kafka.NoNode:
		c = b.th.Bad
	case part.UnderMinISR:
		c = b.th.Bad
	case part.UnderReplicated:
		c = b.th.Warn
	}
	if stacked {
		b.begin()
		b.n(int64(part.TP.Partition)).put(x+w/2, base, b.tiny(c).middle(), w)
		return
	}
	b.begin()
	used := b.s(part.TP.Topic).s("-").n(int64(part.TP.Partition)).put(x, base, b.bold(c), w)
	right := x + w
	switch {
	case part.Leader == kafka.NoNode:
		b.headNote("no leader", x, right, base, used, b.th.Bad)
	case part.UnderMinISR:
		b.headNote("under min ISR", x, right, base, used, b.th.Bad)
	case len(part.Adding)+len(part.Removing) > 0:
		b.headNote("reassigning", x, right, base, used, b.th.Accent)
	default:
		b.begin()
		b.s("LEO ").n(int64(part.LEO))
		if st := b.tiny(b.th.Muted).right(); b.width(st)+used+8 <= w {
			b.put(right, base, st, 0)
		}
	}
}

func (b *builder) headNote(text string, x, right, base, used float32, c theme.Color) {
	if room := right - x - used - 8; room > 30 {
		b.label(text, right, base, b.tiny(c).right(), room)
	}
}

// marks paints the lines that run through all replicas of a partition, and the
// groups' offsets under them.
func (b *builder) marks(part *view.Partition, x, w float32, sc *scale) {
	p := b.plan
	if len(p.Rows) == 0 || part.HW < 0 {
		return
	}
	top := p.Rows[0].Rect.Y - b.camY - 4
	if len(p.Racks) > 0 {
		top += 4 // not through the rack's name
	}
	bottom := p.MarksY - b.camY + 2
	hw, inside := sc.edge(part.HW)
	c := b.th.HW
	if !inside {
		c = c.Alpha(0.55)
	} else if p.Level == Bars {
		c = c.Alpha(0.75)
	}
	// Double, as in the legend: the high watermark is never known by colour alone.
	b.line(hw-1.2, top, hw-1.2, bottom, c, 1, display.Solid)
	b.line(hw+1.2, top, hw+1.2, bottom, c, 1, display.Solid)
	lso := b.openLSO(part)
	y := p.MarksY - b.camY + 12
	if lso >= 0 {
		lx, _ := sc.edge(lso)
		b.line(lx, top, lx, bottom, b.th.LSO, 1.6, display.Dotted)
		if w >= 50 && hw-lx > 8 {
			b.label("LSO", lx-2, y, b.tiny(b.th.LSO).right(), 0)
		}
	}
	if w >= 50 {
		b.hwLabel(part, hw, y, x+w, inside)
	}
	b.groupMarks(part, sc, y)
}

func (b *builder) hwLabel(part *view.Partition, hw, y, right float32, inside bool) {
	b.begin()
	if inside {
		b.s("HW")
	} else {
		b.s("‹ HW ").n(int64(part.HW))
	}
	st := b.tiny(b.th.HW)
	if hw+4+b.width(st) > right {
		b.put(hw-4, y, st.right(), 0)
		return
	}
	b.put(hw+4, y, st, 0)
}

// groupMarks paints committed offsets (filled) and positions (hollow).
func (b *builder) groupMarks(part *view.Partition, sc *scale, y float32) {
	for i := range b.c.Consumers {
		k := &b.c.Consumers[i]
		for j := range k.Assigned {
			a := &k.Assigned[j]
			if a.TP != part.TP {
				continue
			}
			my := y - 12.5
			if a.Committed >= 0 {
				if x, in := sc.edge(a.Committed); in {
					b.shape(display.Diamond, x, my, 3.6, b.th.InSync, 0, 0)
				}
			}
			if a.Position >= 0 && a.Position != a.Committed {
				if x, in := sc.edge(a.Position); in {
					b.shape(display.Diamond, x, my, 3.6, b.th.Bg, b.th.InSync, 1.2)
				}
			}
		}
	}
}
