package scene

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/scene/display"
	"github.com/highwater-sim/highwater/ui/theme"
)

// quorum paints the controllers, the counts of partitions in trouble, and the
// internal topics that are folded.
func (b *builder) quorum() {
	p := b.plan
	b.band = bandQuorum
	y := p.QuorumY - b.camY
	if !b.visibleY(y, p.QuorumH) {
		return
	}
	b.quorumName(y)
	axis := b.quorumAxis()
	from := p.Pad + 2
	for i := range p.Controllers {
		r := b.at(p.Controllers[i])
		from = r.X + r.W + 8
		if len(p.Controllers) == 1 {
			b.loneController(&b.c.Controllers[i], r, axis)
		} else {
			b.controller(&b.c.Controllers[i], r, axis)
		}
	}
	right := b.in.W - p.Pad
	left := b.counts(from, right, y+17)
	base := y + 17
	if len(p.Controllers) > 1 {
		base, left = y+36, right
	}
	b.folded(from, left, base)
}

func (b *builder) quorumName(y float32) {
	p, epoch := b.plan, int32(-1)
	for i := range b.c.Controllers {
		epoch = max(epoch, b.c.Controllers[i].Epoch)
	}
	switch n := len(b.c.Controllers); {
	case n == 0:
	case n > 1:
		word := "KRaft quorum"
		if p.Narrow {
			word = "KRaft"
		}
		b.label(word, p.Pad+2, y+16, b.small(b.th.Muted), p.GutterW)
		b.begin()
		b.s("epoch ").n(int64(epoch)).put(p.Pad+2, y+31, b.tiny(b.th.Muted), p.GutterW)
	default:
		b.begin()
		b.s("KRaft quorum")
		if !p.Narrow {
			b.s(" · epoch ").n(int64(epoch))
		}
		b.put(p.Pad+2, y+17, b.small(b.th.Muted), 0)
	}
}

// offsets is a stretch of the metadata log that the controllers' bars show.
type offsets struct{ from, to kafka.Offset }

func (a offsets) at(o kafka.Offset) float32 {
	if a.to <= a.from {
		return 0
	}
	return min(max(float32(o-a.from)/float32(a.to-a.from), 0), 1)
}

// quorumAxis is the one axis of all metadata logs: it ends at the longest, and
// spans a power of two in which the shortest still shows.
func (b *builder) quorumAxis() offsets {
	end, least := kafka.Offset(0), kafka.Offset(0)
	for i := range b.c.Controllers {
		k := &b.c.Controllers[i]
		end = max(end, k.LogEnd)
		if i == 0 || k.LogEnd < least {
			least = k.LogEnd
		}
	}
	span := kafka.Offset(64)
	for end-least > span*3/4 {
		span *= 2
	}
	return offsets{max(0, end-span), end}
}

// loneController is one line: figure, id, star, log.
func (b *builder) loneController(k *view.Controller, r Rect, axis offsets) {
	b.target(view.Selection{Kind: "controller", Node: k.ID}, rect(r.X-2, r.Y, r.W, 26), true)
	b.controllerFigure(k, r.X+8, r.Y+13, 9.5)
	tx := r.X + 22
	b.begin()
	tx += b.n(int64(k.ID)).put(tx, r.Y+17, b.small(b.th.Text), 0) + 4
	if leadsQuorum(k) {
		b.shape(display.Star, tx+4, r.Y+13, 5, b.th.Text, 0, 0)
	}
	b.quorumLog(k, axis, r.X+58, r.Y+13, r.W-62)
}

// controller is two lines: who it is in which role; its log, or its part in a
// running election.
func (b *builder) controller(k *view.Controller, r Rect, axis offsets) {
	th := b.th
	b.target(view.Selection{Kind: "controller", Node: k.ID}, rect(r.X-3, r.Y, r.W+4, r.H-2), true)
	b.controllerFigure(k, r.X+9, r.Y+13, 9.5)
	x, right := r.X+22, r.X+r.W
	b.begin()
	x += b.n(int64(k.ID)).put(x, r.Y+16, b.small(th.Text), right-x) + 4
	if leadsQuorum(k) && right-x > 10 {
		b.shape(display.Star, x+4, r.Y+12, 5, th.Text, 0, 0)
		x += 12
	}
	st := b.tiny(th.Muted)
	b.begin()
	switch {
	case k.State != view.Running:
		b.s(stateWord(k.State))
		st.color = th.Warn
		if down(k.State) {
			st.color = th.Bad
		}
	case leadsQuorum(k):
		b.s(k.Role)
		st.color = th.Leader
	case k.Role == "Follower" || k.Role == "Observer":
		b.s(k.Role)
	default:
		b.s(k.Role)
		st.color = th.Warn
	}
	if b.width(st) <= right-x || right-x > 34 {
		b.put(x, r.Y+16, st, right-x)
	} else {
		b.out.Text = b.out.Text[:b.mark]
	}
	b.controllerLog(k, r, axis)
}

func (b *builder) controllerLog(k *view.Controller, r Rect, axis offsets) {
	x, right, y := r.X+22, r.X+r.W, r.Y+27
	if r.W < 74 {
		x = r.X + 2
	}
	if k.State == view.Running && k.Leader == kafka.NoNode {
		if len(k.Ballot) > 0 {
			b.ballot(k, x, y, right)
			return
		}
		if k.VotedFor != kafka.NoNode {
			b.begin()
			b.s("voted for ").n(int64(k.VotedFor))
			if st := b.tiny(b.th.Warn); b.width(st) <= right-x {
				b.put(x, y+4, st, 0)
			} else {
				b.out.Text = b.out.Text[:b.mark]
				b.s("→").n(int64(k.VotedFor)).put(x, y+4, st, right-x)
			}
			return
		}
	}
	b.begin()
	b.n(int64(k.LogEnd))
	if st := b.mono(b.th.Muted).right(); b.width(st) < (right-x)/2 {
		right -= b.put(right, y+4, st, 0) + 6
	} else {
		b.out.Text = b.out.Text[:b.mark]
	}
	b.quorumLog(k, axis, x, y, right-x)
}

// quorumLog is a controller's log on the common axis: a bar to its log end, the
// high watermark as the double line that it is everywhere.
func (b *builder) quorumLog(k *view.Controller, axis offsets, x, y, w float32) {
	if w < 6 {
		return
	}
	c := b.th.Accent
	if down(k.State) {
		c = b.th.Muted
	}
	b.fill(rect(x, y-2, w, 4), 2, b.th.Line, 0)
	b.fill(rect(x, y-2, w*axis.at(k.LogEnd), 4), 2, c, 0)
	if k.HW >= axis.from && !down(k.State) {
		hw := x + w*axis.at(k.HW)
		b.line(hw-1.2, y-5, hw-1.2, y+5, b.th.HW, 1, display.Solid)
		b.line(hw+1.2, y-5, hw+1.2, y+5, b.th.HW, 1, display.Solid)
	}
}

// ballot paints a mark for each vote: full for granted, crossed for refused,
// hollow while there is no answer.
func (b *builder) ballot(k *view.Controller, x, y, right float32) {
	const pitch = 11
	word := "votes"
	if k.Role == "Prospective" {
		word = "pre-votes"
	}
	b.begin()
	if st := b.tiny(b.th.Warn); b.s(word).width(st) <= right-x-float32(len(k.Ballot))*pitch-6 {
		x += b.put(x, y+4, st, 0) + 7
	} else {
		b.out.Text = b.out.Text[:b.mark]
	}
	for i := range k.Ballot {
		v := &k.Ballot[i]
		at := rect(x+float32(i)*pitch, y-4, 8, 8)
		switch {
		case v.Granted:
			b.fill(at, 4, b.th.InSync, 0)
		case v.Refused:
			b.cross(at.X+4, at.Y+4, 3, b.th.Bad, 1.5)
		default:
			b.box(at, 4, 0, b.th.Muted, 1.2, display.Solid, 0)
		}
	}
}

func leadsQuorum(k *view.Controller) bool { return k.Role == "Leader" && k.State == view.Running }

// controllerFigure is a hexagon: full for the leader, crossed when down, with a
// triangle in it for who stands for election, with a dot for an observer.
func (b *builder) controllerFigure(k *view.Controller, x, y, r float32) {
	c, fill := b.th.Leader, theme.Color(0)
	if down(k.State) {
		c = b.th.Bad
	}
	if leadsQuorum(k) {
		fill = c
	}
	b.shape(display.Hex, x, y, r, fill, c, 1.2)
	switch {
	case down(k.State):
		b.cross(x, y, r*0.42, c, 1.4)
	case k.Role == "Candidate":
		b.shape(display.Up, x, y-0.5, r*0.47, b.th.Warn, 0, 0)
	case k.Role == "Prospective":
		b.shape(display.Up, x, y-0.5, r*0.47, 0, b.th.Warn, 1.2)
	case k.Role == "Resigned":
		b.line(x-r*0.42, y, x+r*0.42, y, b.th.Warn, 1.6, display.Solid)
	case k.Role == "Observer":
		b.circle(x, y, 2, c, 0)
	}
}

// Counts are the partitions in trouble.
type Counts struct {
	UnderReplicated, UnderMinISR, Offline int
}

// CountsOf counts the partitions of a cluster that are in trouble, Kafka's own
// topics included, as the gauges UnderReplicatedPartitions, UnderMinIsrPartitionCount
// and OfflinePartitionsCount do.
func CountsOf(c *view.Cluster) (n Counts) {
	for i := range c.Topics {
		for j := range c.Topics[i].Partitions {
			switch p := &c.Topics[i].Partitions[j]; {
			case p.Leader == kafka.NoNode:
				n.Offline++
			default:
				if p.UnderReplicated {
					n.UnderReplicated++
				}
				if p.UnderMinISR {
					n.UnderMinISR++
				}
			}
		}
	}
	return n
}

// counts paints the counts that are not zero or have changed, from the right, and
// returns where they begin.
func (b *builder) counts(from, right, base float32) float32 {
	now := CountsOf(b.c)
	was := now
	if b.in.Before != nil {
		was = *b.in.Before
	}
	for _, x := range [...]struct {
		word, short string
		n, was      int
		c           theme.Color
	}{
		{"offline", "off", now.Offline, was.Offline, b.th.Bad},
		{"under min ISR", "< min", now.UnderMinISR, was.UnderMinISR, b.th.Bad},
		{"under-replicated", "URP", now.UnderReplicated, was.UnderReplicated, b.th.Warn},
	} {
		if x.n == 0 && x.was == 0 {
			continue
		}
		c := x.c
		if x.n == 0 {
			c = b.th.InSync
		}
		st := b.tiny(c).right()
		b.begin()
		b.count(x.n, x.was, x.word)
		if right-b.width(st) < from {
			b.out.Text = b.out.Text[:b.mark]
			b.count(x.n, x.was, x.short)
		}
		if right-b.width(st) < from {
			b.out.Text = b.out.Text[:b.mark]
			return right
		}
		right -= b.put(right, base, st, 0) + 12
	}
	return right
}

func (b *builder) count(n, was int, word string) {
	b.n(int64(n)).s(" ").s(word)
	if n > was {
		b.s(" (+").n(int64(n - was)).s(")")
	} else if n < was {
		b.s(" (−").n(int64(was - n)).s(")")
	}
}

// folded lists the internal topics that are not shown, at the right end.
func (b *builder) folded(from, right, base float32) {
	p := b.plan
	for i := len(p.Folded) - 1; i >= 0; i-- {
		t := &b.c.Topics[p.Folded[i]]
		b.begin()
		b.s("+ ").s(t.Name).s(" · ").n(int64(len(t.Partitions)))
		st := b.tiny(b.th.Muted).right()
		w := b.width(st)
		if right-w-14 < from {
			b.out.Text = b.out.Text[:b.mark]
			b.s("+").n(int64(i + 1))
			w = b.width(st)
			if right-w-14 < from {
				b.out.Text = b.out.Text[:b.mark]
				return
			}
		}
		r := rect(right-w-14, base-12, w+14, 17)
		hit := b.target(view.Selection{Kind: "topic", Name: t.Name}, r, true)
		b.box(r, 8.5, b.th.Card, b.th.Line, 1, display.Solid, hit)
		b.put(right-7, base, st, 0)
		right -= w + 20
	}
}
