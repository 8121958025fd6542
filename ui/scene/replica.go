package scene

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/scene/display"
	"github.com/highwater-sim/highwater/ui/theme"
)

// standing is what a replica is at this instant, as the picture tells it.
type standing uint8

const (
	standOffline standing = iota
	standLeader
	standStaleLeader // thinks it leads; the metadata says another
	standInSync
	standFalling // in the ISR, but has not been caught up for a while
	standAdding  // by a reassignment, and not in the ISR yet
	standOut
)

// fallingAfter is how long a follower may be behind before the picture says so:
// a follower's fetch waits up to replica.fetch.wait.max.ms (500 ms) anyway.
const fallingAfter = 500 * kafka.Millisecond

func (b *builder) standing(part *view.Partition, r *view.Replica) standing {
	switch {
	case !r.Online:
		return standOffline
	case r.Broker == part.Leader:
		return standLeader
	case r.Leader:
		return standStaleLeader
	case !r.InISR && contains(part.Adding, r.Broker):
		return standAdding
	case !r.InISR:
		return standOut
	case r.Lag > 0 && r.CaughtUp != kafka.Never && b.now.Sub(r.CaughtUp) > fallingAfter:
		return standFalling
	}
	return standInSync
}

// look is how a standing is drawn.
func (b *builder) look(s standing) (c theme.Color, width float32, dash display.Dash) {
	switch s {
	case standLeader:
		return b.th.Leader, 2, display.Solid
	case standInSync:
		return b.th.InSync, 1.2, display.Solid
	case standOffline:
		return b.th.Bad, 1.2, display.Dashed
	case standAdding:
		return b.th.Accent, 1.2, display.Dashed
	}
	return b.th.Warn, 1.2, display.Dashed
}

func (b *builder) replicaSel(part *view.Partition, r *view.Replica) view.Selection {
	return view.Selection{Kind: "replica", Node: r.Broker, TP: part.TP}
}

// cellsArea is the height of a box that its cells have, from its top.
func cellsArea(at Rect) (top, h float32, tall bool) {
	if at.H >= 60 {
		return at.Y + 22, at.H - 42, true
	}
	return at.Y + 17, at.H - 22, false
}

// replicaCells paints a replica with its records as cells.
func (b *builder) replicaCells(part *view.Partition, r *view.Replica, at Rect, sc *scale) {
	s := b.standing(part, r)
	c, width, dash := b.look(s)
	hit := b.inMatrix(b.replicaSel(part, r), at, true)
	b.box(at, min(8, at.W/8), b.th.Well, c, width, dash, hit)
	top, h, _ := cellsArea(at)
	b.cells(part, r, s, top, h, sc)
	if s == standOffline {
		b.hatch(at, min(8, at.W/8), b.th.Bad.Alpha(0.16))
		b.cross(at.X+at.W/2, top+h/2, min(9, h/2-1), b.th.Bad, 2)
	}
}

// replicaWords says what a replica is and where its log ends.
func (b *builder) replicaWords(part *view.Partition, r *view.Replica, at Rect, sc *scale) {
	s := b.standing(part, r)
	c, _, _ := b.look(s)
	room := at.W - 2*b.plan.BoxPad
	if _, _, tall := cellsArea(at); tall {
		b.foot(part, r, at, sc)
	} else if at.W >= 120 {
		b.begin()
		b.s("LEO ").n(int64(r.LEO))
		room -= 6 + b.put(at.X+at.W-b.plan.BoxPad, at.Y+13, b.mono(b.th.Muted).right(), room)
	}
	b.replicaTitle(part, r, s, c, at, room)
	b.progress(part, r, at)
}

// replicaTitle says what the replica is: figures, then as many words as fit.
func (b *builder) replicaTitle(part *view.Partition, r *view.Replica, s standing, c theme.Color, at Rect, room float32) {
	x, y := at.X+b.plan.BoxPad, at.Y+13
	w := b.replicaFigures(part, r, s, c, x, y-3.6)
	x, room = x+w, room-w
	st := b.tiny(c)
	for try := range titleTries {
		b.begin()
		b.titleWords(r, s, part.Leader == r.Broker, try, at.W)
		b.titleExtras(part, r, try)
		if b.width(st) <= room || try == titleTries-1 {
			break
		}
		b.out.Text = b.out.Text[:b.mark]
	}
	if w > 0 && b.width(st) > room {
		b.out.Text = b.out.Text[:b.mark] // the figures say it
		return
	}
	// A ground under the words, for the lines that run through the column.
	if len(b.out.Text) > int(b.mark) {
		b.fill(rect(x-1, y-9, min(b.width(st), room)+2, 12), 2, b.th.Well.Alpha(0.85), 0)
	}
	b.put(x, y, st, room)
}

// replicaFigures draws the figures of a replica's title and returns their width: a
// star for the leader, a hollow one for the last known, a pentagon for an eligible
// leader replica, plus and minus for a reassignment.
func (b *builder) replicaFigures(part *view.Partition, r *view.Replica, s standing, c theme.Color, x, y float32) float32 {
	from := x
	if s == standLeader {
		b.shape(display.Star, x+4, y, 5, c, 0, 0)
		x += 12
	}
	if contains(part.LastKnownELR, r.Broker) {
		b.shape(display.Star, x+4, y, 5, b.th.Well, b.th.Leader, 1.2)
		x += 12
	}
	if contains(part.ELR, r.Broker) {
		b.shape(display.Pentagon, x+4, y, 4.8, b.th.Well, b.th.InSync, 1.4)
		x += 12
	}
	if contains(part.Adding, r.Broker) {
		b.line(x+0.5, y, x+7.5, y, b.th.Accent, 1.8, display.Solid)
		b.line(x+4, y-3.5, x+4, y+3.5, b.th.Accent, 1.8, display.Solid)
		x += 11
	}
	if contains(part.Removing, r.Broker) {
		b.line(x+0.5, y, x+7.5, y, b.th.Accent, 1.8, display.Solid)
		x += 11
	}
	return x - from
}

// titleTries is in how many lengths a title can be said, 0 the longest.
const titleTries = 4

// titleWords appends what a replica is; try 3 says it in a word.
func (b *builder) titleWords(r *view.Replica, s standing, leads bool, try int, width float32) {
	switch s {
	case standLeader:
		b.s("LEADER")
	case standStaleLeader:
		b.s("! STILL THINKS IT LEADS")
	case standOffline:
		b.s("OFFLINE")
		if leads {
			b.s(" LEADER")
		}
		if k := b.brokerOf(r.Broker); k != nil && failed(k, r.Dir) && try == 0 {
			b.s(" · ").s(base(r.Dir)).s(" failed")
		}
	case standInSync:
		if try == 3 {
			b.s("ISR")
			return
		}
		b.s("IN SYNC")
	case standFalling:
		switch {
		case try < 2:
			b.s("IN SYNC · ").dur(b.now.Sub(r.CaughtUp)).s(" behind")
		case width >= 90:
			b.s("IN SYNC −").short(r.Lag)
		default:
			b.s("ISR −").short(r.Lag)
		}
	case standAdding:
		if try < 3 {
			b.s("ADDING")
		}
	case standOut:
		if try == 3 {
			b.s("!")
		} else {
			b.s("! OUT OF SYNC")
		}
		if r.Lag > 0 && try < 3 {
			b.s(" −").short(r.Lag)
		}
	}
}

func (b *builder) brokerOf(id kafka.NodeID) *view.Broker {
	for i := range b.c.Brokers {
		if b.c.Brokers[i].ID == id {
			return &b.c.Brokers[i]
		}
	}
	return nil
}

// titleExtras appends what else there is to say of a replica: all of it at try 0,
// the most telling at try 1. The figures say it too.
func (b *builder) titleExtras(part *view.Partition, r *view.Replica, try int) {
	if contains(part.Adding, r.Broker) && !r.InISR {
		b.s(" ").n(caughtUpPercent(part, r)).s(" %")
	}
	if try > 1 {
		return
	}
	left := 4
	if try == 1 {
		left = 1
	}
	if r.Divergent > 0 && left > 0 {
		b.s(" · ").short(r.Divergent).s(" DIVERGENT")
		left--
	}
	if contains(part.ELR, r.Broker) && left > 0 {
		b.s(" · ELR")
		left--
	}
	if r.FutureDir != "" && left > 0 {
		b.s(" · TO ").s(base(r.FutureDir)).s(" ").n(movedPercent(r)).s(" %")
		left--
	}
	if contains(part.Removing, r.Broker) && left > 0 {
		b.s(" · REMOVING")
		left--
	}
	if contains(part.LastKnownELR, r.Broker) && left > 0 {
		b.s(" · LAST LEADER")
	}
}

func contains(ids []kafka.NodeID, id kafka.NodeID) bool {
	for _, x := range ids {
		if x == id {
			return true
		}
	}
	return false
}

// replicaBar paints a replica as a bar on its column's axis.
func (b *builder) replicaBar(part *view.Partition, r *view.Replica, at Rect, sc *scale) {
	s := b.standing(part, r)
	c, width, dash := b.look(s)
	hit := b.inMatrix(b.replicaSel(part, r), at, true)
	if at.W < 40 {
		dash = display.Solid // a dash would not be seen as one
	}
	b.box(at, min(6, at.W/4), b.th.Well, c, width, dash, hit)
	y, h := at.Y+6, at.H-12
	if at.H >= barTitle {
		y, h = at.Y+18, at.H-24
	}
	end, _ := sc.edge(r.LEO)
	start, _ := sc.edge(max(r.LogStart, sc.base))
	switch {
	case s == standOffline:
		b.hatch(at.Inset(2), 3, b.th.Bad.Alpha(0.3))
		b.cross(at.X+at.W/2, at.Y+at.H/2, min(6, at.W/4), b.th.Bad, 1.6)
	case end > start:
		b.fill(rect(start, y, end-start, h), 2, c.Alpha(barAlpha(s)), 0)
	}
	if r.Divergent > 0 {
		if from, _ := sc.edge(r.LEO - kafka.Offset(r.Divergent)); end > from {
			b.hatch(rect(from, y, end-from, h), 2, b.th.Bad)
		}
	}
}

// barTitle is the least height of a box with words over its bar.
const barTitle = 34

// barWords marks a leader, and says how far behind a replica is.
func (b *builder) barWords(part *view.Partition, r *view.Replica, at Rect) {
	if at.H < barTitle {
		return
	}
	s := b.standing(part, r)
	c, _, _ := b.look(s)
	switch {
	case contains(part.ELR, r.Broker):
		b.shape(display.Pentagon, at.X+at.W-8, at.Y+at.H-8, 4.5, b.th.Well, b.th.InSync, 1.3)
	case contains(part.LastKnownELR, r.Broker):
		b.shape(display.Star, at.X+at.W-8, at.Y+at.H-8, 4.5, b.th.Well, b.th.Leader, 1.2)
	}
	switch s {
	case standLeader:
		b.shape(display.Star, at.X+at.W/2, at.Y+9, 5, c, 0, 0)
	case standAdding:
		b.begin()
		b.s("+")
		if at.W >= 40 {
			b.s(" ").n(caughtUpPercent(part, r)).s(" %")
		}
		b.put(at.X+at.W/2, at.Y+13, b.tiny(c).middle(), at.W-4)
	case standOut, standFalling, standStaleLeader:
		b.begin()
		b.s("!")
		if at.W >= 40 && r.Lag > 0 {
			b.s(" −").short(r.Lag)
		}
		b.put(at.X+at.W/2, at.Y+13, b.tiny(c).middle(), at.W-4)
	}
}

func barAlpha(s standing) float32 {
	if s == standLeader {
		return 0.85
	}
	return 0.5
}
