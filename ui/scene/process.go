package scene

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/scene/display"
	"github.com/highwater-sim/highwater/ui/theme"
)

// quorum paints the controllers, and the internal topics that are folded.
func (b *builder) quorum() {
	p := b.plan
	b.band = bandQuorum
	y := p.QuorumY - b.camY
	if !b.visibleY(y, p.QuorumH) {
		return
	}
	base := y + 17
	epoch, most := int32(-1), kafka.Offset(1)
	for i := range b.c.Controllers {
		k := &b.c.Controllers[i]
		epoch = max(epoch, k.Epoch)
		most = max(most, k.LogEnd)
	}
	x := p.Pad + 2
	if len(b.c.Controllers) > 0 {
		b.begin()
		b.s("KRaft quorum")
		if !p.Narrow {
			b.s(" · epoch ").n(int64(epoch))
		}
		x += b.put(x, base, b.small(b.th.Muted), 0) + 20
	}
	if !p.Narrow {
		x = max(x, p.MatrixX+88)
	}
	for i := range b.c.Controllers {
		x = b.controller(&b.c.Controllers[i], x, y, most)
	}
	b.folded(x+8, base)
}

func (b *builder) controller(k *view.Controller, x, y float32, most kafka.Offset) float32 {
	th := b.th
	base := y + 17
	bar := float32(50)
	if b.plan.Narrow {
		bar = 18
	}
	cy := y + 13
	c := th.Leader
	if down(k.State) {
		c = th.Bad
	}
	leads := k.Role == "Leader" && k.State == view.Running
	w := 22 + bar + 46
	b.target(view.Selection{Kind: "controller", Node: k.ID}, rect(x-2, y, w-6, 26), true)
	fill := theme.Color(0)
	if leads {
		fill = c
	}
	b.shape(display.Hex, x+8, cy, 9.5, fill, c, 1.2)
	if down(k.State) {
		b.cross(x+8, cy, 4, c, 1.4)
	}
	tx := x + 22
	b.begin()
	tx += b.n(int64(k.ID)).put(tx, base, b.small(th.Text), 0) + 4
	if leads {
		b.shape(display.Star, tx+4, base-4, 5, th.Text, 0, 0)
	}
	bx := x + 22 + 36
	b.fill(rect(bx, cy-2, bar, 4), 2, th.Line, 0)
	b.fill(rect(bx, cy-2, bar*min(1, float32(k.LogEnd)/float32(most)), 4), 2, th.Accent, 0)
	return bx + bar + 12
}

// folded lists the internal topics that are not shown, at the right end.
func (b *builder) folded(from, base float32) {
	p := b.plan
	right := b.in.W - p.Pad
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

// gutter says at the left end of each row which broker it is and how it is.
func (b *builder) gutter() {
	p, th := b.plan, b.th
	for i := range p.Rows {
		row := &p.Rows[i]
		r := b.at(row.Rect)
		if !b.visibleY(r.Y, r.H) {
			continue
		}
		k := &b.c.Brokers[row.Broker]
		x, room := r.X+10, p.GutterW-14
		if p.Narrow {
			x, room = r.X+5, p.GutterW-7
		}
		name := th.Text
		if down(k.State) {
			name = th.Muted
		}
		switch {
		case r.H >= 88:
			b.label("broker", x, r.Y+22, b.tiny(th.Muted), room)
			b.brokerID(k, x, r.Y+45, theme.SizeBig, name)
			y := r.Y + 63
			if k.Rack != "" {
				b.rack(k, x, y, room)
				y += 18
			}
			b.brokerStatus(k, x, y, room)
		case r.H >= 56:
			y := r.Y + r.H/2
			w := b.brokerID(k, x, y-7, 17, name)
			if k.Rack != "" && room-w > 24 && !p.Narrow {
				b.rack(k, x+w+6, y-7, room-w-6)
			}
			b.brokerStatus(k, x, y+11, room)
		default:
			y := r.Y + r.H/2
			w := b.brokerID(k, x, y+5, 14, name)
			b.brokerStatus(k, x+w+6, y+4, room-w-6)
		}
	}
}

func (b *builder) brokerID(k *view.Broker, x, y, size float32, c theme.Color) float32 {
	b.begin()
	return b.n(int64(k.ID)).put(x, y, style{theme.Bold, size, c, display.Start}, 0)
}

func (b *builder) rack(k *view.Broker, x, y, room float32) {
	if k.Rack != "" {
		b.begin()
		b.s("rack ").s(k.Rack).put(x, y, b.tiny(b.th.Muted), room)
	}
}

// brokerStatus is the one thing worth saying about a broker, worst first.
func (b *builder) brokerStatus(k *view.Broker, x, y, room float32) {
	th := b.th
	switch {
	case down(k.State):
		b.label(stateWord(k.State), x, y, b.tiny(th.Bad), room)
		return
	case k.State != view.Running:
		b.label(stateWord(k.State), x, y, b.tiny(th.Warn), room)
		return
	}
	if len(k.CutFrom) > 0 {
		b.scissors(x+4, y-3.5, 5, th.Warn)
		b.begin()
		if len(k.CutFrom) >= len(b.c.Brokers)-1 && len(b.c.Brokers) > 2 && !b.plan.Narrow {
			b.s("cut off")
		} else {
			for i, id := range k.CutFrom {
				if i > 0 {
					b.s(",")
				}
				b.n(int64(id))
			}
		}
		b.put(x+14, y, b.tiny(th.Warn), room-14)
		return
	}
	switch {
	case k.Fenced:
		b.label("fenced", x, y, b.tiny(th.Warn), room)
	case k.DiskLatency > 0:
		b.begin()
		b.s("disk ").dur(k.DiskLatency).put(x, y, b.tiny(th.Warn), room)
	case k.LastHeartbeat != kafka.Never && k.Registered:
		b.shape(display.Heart, x+4, y-3.5, 4.2, th.InSync, 0, 0)
		b.begin()
		b.dur(b.now.Sub(k.LastHeartbeat)).put(x+13, y, b.tiny(th.InSync), room-13)
	}
}

// violation frames the picture when a law is broken.
func (b *builder) violation() {
	v := b.c.Violation
	if v == nil {
		return
	}
	b.box(rect(1, 1, b.in.W-2, b.in.H-2), 4, 0, b.th.Bad, 2, display.Solid, 0)
	b.begin()
	b.s("law broken: ").s(v.Law).s(": ").s(v.Text)
	b.fill(rect(1, b.in.H-23, b.in.W-2, 22), 0, b.th.BadRow, 0)
	b.put(10, b.in.H-8, b.small(b.th.Bad), b.in.W-20)
}

// focus outlines what is pointed at and what is selected.
func (b *builder) focus() {
	sel, hover := b.in.Selection, b.in.Hover
	for i := 1; i < len(b.out.Hits); i++ {
		t := &b.out.Hits[i]
		switch {
		case sel.Kind != "" && t.Sel.Kind == sel.Kind && t.Sel == sel:
			b.box(t.Rect.Inset(-2), 9, 0, b.th.Accent, 2, display.Solid, 0)
		case hover.Kind != "" && t.Sel.Kind == hover.Kind && t.Sel == hover:
			b.box(t.Rect.Inset(-1), 8, 0, b.th.Text.Alpha(0.6), 1, display.Solid, 0)
		}
	}
}
