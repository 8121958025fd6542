package scene

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/scene/display"
	"github.com/highwater-sim/highwater/ui/theme"
)

// producers paints the producers' cards.
func (b *builder) producers() {
	p := b.plan
	b.band = bandProducers
	if len(p.Producers) > 0 && !p.Narrow {
		first := b.at(p.Producers[0].Rect)
		b.label("PRODUCERS", p.Pad+2, first.Y+first.H/2+4, b.tiny(b.th.Muted), p.GutterW-4)
	}
	for i := range p.Producers {
		if r := b.at(p.Producers[i].Rect); b.visibleY(r.Y, r.H) {
			b.producer(&b.c.Producers[p.Producers[i].Client], r)
		}
	}
}

func (b *builder) producer(k *view.Producer, r Rect) {
	th := b.th
	hit := b.target(view.Selection{Kind: "producer", Name: k.Name}, r, true)
	stroke, dash := th.Line, display.Solid
	switch {
	case down(k.State):
		stroke, dash = th.Bad, display.Dashed
	case k.Lost > 0:
		stroke = th.Bad
	case inTrouble(k):
		stroke = th.Warn
	}
	b.box(r, 8, th.Card, stroke, 1, dash, hit)
	room := r.W - 20
	if r.W >= 150 {
		room -= b.queue(k, r) + 6
	}
	name := b.bold(th.Text)
	if down(k.State) {
		name.color = th.Muted
	}
	w := b.label(k.Name, r.X+10, r.Y+r.H/2-3, name, room)
	b.producerBadge(k, r.X+10+w+8, r.Y+r.H/2-3, room-w-8)
	b.begin()
	st := b.tiny(th.Muted)
	switch {
	case k.State != view.Running || k.Paused:
		b.s(clientState(k.State, k.Paused))
		st.color = th.Warn
	case inTrouble(k):
		b.s(k.LastError.String())
		st.color = th.Warn
	default:
		b.s("acks=").s(k.Acks)
		if k.Rate > 0 {
			b.s(" · ").rate(k.Rate)
		}
		if k.Retries > 0 {
			b.s(" · ").short(k.Retries).s(" retr")
			if k.Retries == 1 {
				b.s("y")
			} else {
				b.s("ies")
			}
		}
	}
	b.put(r.X+10, r.Y+r.H/2+11, st, room)
	if b.cutClient(k.ID) {
		b.scissors(r.X+r.W-8, r.Y+r.H-1, 5, th.Warn)
	}
}

// inTrouble reports whether a producer's last error still matters: it is sending
// a batch again.
func inTrouble(k *view.Producer) bool {
	if k.LastError == kafka.None {
		return false
	}
	for i := range k.Pending {
		if k.Pending[i].Attempts > 1 {
			return true
		}
	}
	return false
}

// stuck reports whether a consumer's last error still matters: it reads nothing,
// or does not know from where.
func stuck(k *view.Consumer) bool {
	if k.LastError == kafka.None {
		return false
	}
	for i := range k.Assigned {
		if k.Assigned[i].Position < 0 {
			return true
		}
	}
	return len(k.Assigned) == 0
}

// producerBadge shouts about acknowledged records that are gone, and says how
// many were given up.
func (b *builder) producerBadge(k *view.Producer, x, y, room float32) {
	st := style{theme.Bold, theme.SizeTiny, b.th.Bad, display.Start}
	b.begin()
	switch {
	case k.Lost > 0:
		b.short(k.Lost).s(" lost")
	case k.Failed > 0:
		b.short(k.Failed).s(" failed")
		st.color = b.th.Warn
	}
	if b.width(st) <= room {
		b.put(x, y, st, room)
		return
	}
	b.out.Text = b.out.Text[:b.mark]
}

// rate prints records per 1000 s as records per second.
func (b *builder) rate(per1000 int64) *builder {
	b.short(per1000 / 1000)
	if f := per1000 % 1000; f != 0 && per1000 < 10_000 {
		b.s(".").n(f / 100)
	}
	return b.s("/s")
}

// queueCells is how many batches a card shows.
const queueCells = 5

// queue paints the batches that wait (outlined) and fly (filled), newest left,
// and returns how wide that is.
func (b *builder) queue(k *view.Producer, r Rect) float32 {
	const w, pitch = 9, 11
	x := r.X + r.W - 10 - queueCells*pitch + (pitch - w)
	h := r.H - 18
	for i := range queueCells {
		at := rect(x+float32(i)*pitch, r.Y+9, w, h)
		switch {
		case i >= len(k.Pending):
			b.fill(at, 2, b.th.Well, 0)
		case k.Pending[i].Attempts > 1:
			b.fill(at, 2, b.th.Warn, 0)
		case k.Pending[i].InFlight:
			b.fill(at, 2, b.th.Accent, 0)
		default:
			b.box(at, 2, b.th.Well, b.th.Accent, 1, display.Solid, 0)
		}
	}
	if more := len(k.Pending) - queueCells; more > 0 {
		b.begin()
		b.s("+").short(int64(more)).put(r.X+r.W-10, r.Y+8, b.tiny(b.th.Muted).right(), 0)
	}
	return queueCells * pitch
}

// cutClient reports whether a client's link to anything is cut.
func (b *builder) cutClient(id int32) bool {
	for i := range b.c.Links {
		if l := &b.c.Links[i]; l.Cut && (l.From == id || l.To == id) {
			return true
		}
	}
	return false
}

// groups paints the consumer groups and their members' cards.
func (b *builder) groups() {
	p := b.plan
	b.band = bandGroups
	for i := range p.Groups {
		g := &p.Groups[i]
		r := b.at(g.Rect)
		if !b.visibleY(r.Y, r.H+p.H) {
			continue
		}
		b.begin()
		if g.Name == "" {
			b.s("NO GROUP · assign()")
		} else {
			b.s("GROUP ").s(g.Name)
		}
		if g.N > 1 {
			b.s(" · ").n(int64(g.N)).s(" members")
		}
		b.put(r.X, r.Y+12, b.tiny(b.th.Muted), r.W+14)
		for j := g.First; j < g.First+g.N; j++ {
			card := &p.Consumers[j]
			if cr := b.at(card.Rect); b.visibleY(cr.Y, cr.H) {
				b.consumer(&b.c.Consumers[card.Client], cr)
			}
		}
	}
}

func (b *builder) consumer(k *view.Consumer, r Rect) {
	th := b.th
	hit := b.target(view.Selection{Kind: "consumer", Name: k.Name}, r, true)
	stroke, dash := th.Line, display.Solid
	switch {
	case down(k.State):
		stroke, dash = th.Bad, display.Dashed
	case stuck(k):
		stroke = th.Warn
	case len(k.Assigned) == 0:
		dash = display.Dashed
	}
	b.box(r, 9, th.Card, stroke, 1, dash, hit)
	name := style{theme.Bold, theme.SizeTitle, th.Text, display.Start}
	if down(k.State) {
		name.color = th.Muted
	}
	top := r.Y + 19
	if b.plan.Compact {
		top = r.Y + 16
	}
	w := b.label(k.Name, r.X+10, top, name, r.W-20)
	b.chips(k, r.X+10+w+8, top, r.X+r.W-8)
	var lag int64
	for i := range k.Assigned {
		lag += max(0, k.Assigned[i].Lag)
	}
	line := top + 21
	if b.plan.Compact {
		line = top + 16
	}
	room := r.W - 20
	if len(k.Assigned) > 0 {
		b.begin()
		b.s("lag ").short(lag)
		st := b.tiny(th.Text).right()
		if lag > 0 {
			st.color = th.Warn
		}
		room -= b.put(r.X+r.W-10, line, st, room) + 6
		b.lagBar(lag, r)
	}
	b.consumerLine(k, r.X+10, line, room)
	if b.cutClient(k.ID) {
		b.scissors(r.X+r.W-10, r.Y, 5, th.Warn)
	}
}

// consumerLine says what a member has committed, or what is wrong with it.
func (b *builder) consumerLine(k *view.Consumer, x, y, room float32) {
	st := b.tiny(b.th.Muted)
	b.begin()
	switch {
	case k.State != view.Running || k.Paused:
		b.s(clientState(k.State, k.Paused))
		st.color = b.th.Warn
	case stuck(k):
		b.s(k.LastError.String())
		st.color = b.th.Warn
	case len(k.Assigned) == 0:
		b.s("no partition assigned")
	case len(k.Assigned) > 1:
		b.n(int64(len(k.Assigned))).s(" partitions")
	case k.Assigned[0].Committed >= 0:
		b.s("committed ").n(int64(k.Assigned[0].Committed))
	case k.Assigned[0].Position >= 0:
		b.s("position ").n(int64(k.Assigned[0].Position))
	default:
		b.s("no position yet")
	}
	b.put(x, y, st, room)
}

// chips names the partitions that a member reads, as many as fit.
func (b *builder) chips(k *view.Consumer, x, base, right float32) {
	st := b.tiny(b.th.Text)
	for i := range k.Assigned {
		rest := len(k.Assigned) - i
		keep := float32(0)
		if rest > 1 {
			keep = 26 // for "+n"
		}
		b.begin()
		b.s(k.Assigned[i].TP.Topic).s("-").n(int64(k.Assigned[i].TP.Partition))
		w := b.width(st) + 14
		if x+w+keep > right && i > 0 || x+30 > right {
			b.out.Text = b.out.Text[:b.mark]
			if i > 0 {
				b.s("+").n(int64(rest)).put(x, base, b.tiny(b.th.Muted), right-x)
			}
			return
		}
		w = min(w, right-x-keep)
		r := rect(x, base-12, w, 17)
		hit := b.target(view.Selection{Kind: "partition", TP: k.Assigned[i].TP}, r, false)
		b.box(r, 8.5, b.th.Well, b.th.InSync, 1, display.Solid, hit)
		b.put(x+7, base, st, w-13)
		x += w + 4
	}
}

// lagBar is full when nothing is left to read, half full at 50 records.
func (b *builder) lagBar(lag int64, r Rect) {
	h := float32(8)
	if b.plan.Compact {
		h = 4
	}
	at := rect(r.X+10, r.Y+r.H-h-10, r.W-20, h)
	if b.plan.Compact {
		at.Y = r.Y + r.H - h - 6
	}
	c := b.th.InSync
	if lag > 200 {
		c = b.th.Warn
	}
	b.fill(at, h/2, b.th.Well, 0)
	at.W = max(h, at.W*50/float32(50+lag))
	b.fill(at, h/2, c, 0)
}
