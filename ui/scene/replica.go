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
	}
	return b.th.Warn, 1.2, display.Dashed
}

func (b *builder) replicaSel(part *view.Partition, r *view.Replica) view.Selection {
	return view.Selection{Kind: "replica", Node: r.Broker, TP: part.TP}
}

// cellsArea is the height of a box that its cells have, from its top.
func cellsArea(at Rect) (top, h float32, tall bool) {
	if at.H >= 60 {
		return at.Y + 22, at.H - 40, true
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
func (b *builder) replicaWords(part *view.Partition, r *view.Replica, at Rect) {
	s := b.standing(part, r)
	c, _, _ := b.look(s)
	_, _, tall := cellsArea(at)
	leoRoom := b.replicaLEO(r, at, tall)
	b.replicaTitle(part, r, s, c, at, leoRoom)
}

// replicaLEO prints the log end offset and returns the room it leaves for the title.
func (b *builder) replicaLEO(r *view.Replica, at Rect, tall bool) float32 {
	room := at.W - 2*b.plan.BoxPad
	b.begin()
	if at.W >= 62 {
		b.s("LEO ")
	}
	b.n(int64(r.LEO))
	st := b.mono(b.th.Muted).right()
	switch {
	case tall:
		b.put(at.X+at.W-b.plan.BoxPad, at.Y+at.H-5, st, room)
		return room
	case at.W >= 120:
		return room - 6 - b.put(at.X+at.W-b.plan.BoxPad, at.Y+13, st, room)
	}
	b.out.Text = b.out.Text[:b.mark]
	return room
}

// replicaTitle says what the replica is, in as many words as fit.
func (b *builder) replicaTitle(part *view.Partition, r *view.Replica, s standing, c theme.Color, at Rect, room float32) {
	x, y := at.X+b.plan.BoxPad, at.Y+13
	st := b.tiny(c)
	b.begin()
	switch s {
	case standLeader:
		b.shape(display.Star, x+4, y-3.6, 5, c, 0, 0)
		x, room = x+12, room-12
		if b.s("LEADER"); b.width(st) > room {
			b.out.Text = b.out.Text[:b.mark] // the star says it
		}
	case standStaleLeader:
		b.s("! STILL THINKS IT LEADS").put(x, y, st, room)
		return
	case standOffline:
		b.s("OFFLINE")
		if part.Leader == r.Broker {
			b.s(" LEADER")
		}
	case standInSync:
		if b.s("IN SYNC"); b.width(st) > room {
			b.out.Text = b.out.Text[:b.mark]
			b.s("ISR")
		}
	case standFalling:
		b.s("IN SYNC · ").dur(b.now.Sub(r.CaughtUp)).s(" behind")
		if b.width(st) > room {
			b.out.Text = b.out.Text[:b.mark]
			if at.W >= 90 {
				b.s("IN SYNC")
			} else {
				b.s("ISR")
			}
			b.s(" −").short(r.Lag)
		}
	case standOut:
		b.s("! OUT OF SYNC")
		if contains(part.ELR, r.Broker) {
			b.s(" · ELR")
		} else if r.Lag > 0 {
			b.s(" −").short(r.Lag)
		}
		if b.width(st) > room {
			b.out.Text = b.out.Text[:b.mark]
			b.s("! −").short(r.Lag)
		}
	}
	b.put(x, y, st, room)
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
	switch s {
	case standLeader:
		b.shape(display.Star, at.X+at.W/2, at.Y+9, 5, c, 0, 0)
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
