package scene

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/motion"
	"github.com/highwater-sim/highwater/ui/scene/display"
	"github.com/highwater-sim/highwater/ui/theme"
)

// flightsMax is how many messages a picture shows one by one.
const flightsMax = 300

// end is where a link begins or ends on the screen.
type end struct {
	x, y   float32
	up     bool // it is left upwards
	broker int  // row, or -1
	ok     bool
}

// place is one end of a message. A combined process has two: its row, and its
// controller above.
type place struct {
	actor      int32
	controller bool
}

// places are where a message comes from and goes to.
func (b *builder) places(f *view.Flight) (from, to place) {
	asks, answers := b.place(f.From, f.Quorum), b.place(f.To, f.Quorum || f.Control)
	if f.Response {
		asks, answers = b.place(f.From, f.Quorum || f.Control), b.place(f.To, f.Quorum)
	}
	return asks, answers
}

// place is where an actor is, which speaks as a controller if it is one and asController
// says so.
func (b *builder) place(actor int32, asController bool) place {
	return place{actor, b.isController(actor) && (asController || b.plan.RowOf(b.c, kafka.NodeID(actor)) < 0)}
}

// row is the row of a broker; -1 for all else.
func (b *builder) row(p place) int {
	if p.controller {
		return -1
	}
	return b.plan.RowOf(b.c, kafka.NodeID(p.actor))
}

// anchor finds where a place is, for traffic about a partition.
func (b *builder) anchor(at place, tp kafka.TopicPartition, top bool) end {
	p, actor := b.plan, at.actor
	if row := b.row(at); row >= 0 {
		return b.rowAnchor(row, tp, top)
	}
	for i := range b.c.Controllers {
		if int32(b.c.Controllers[i].ID) == actor {
			r := b.at(p.Controllers[i])
			return end{x: r.X + 9, y: r.Y + 23, broker: -1, ok: true}
		}
	}
	for i := range p.Producers {
		if b.c.Producers[p.Producers[i].Client].ID == actor {
			r := b.at(p.Producers[i].Rect)
			return end{x: r.X + r.W/2, y: r.Y + r.H, broker: -1, ok: true}
		}
	}
	for i := range p.Consumers {
		if b.c.Consumers[p.Consumers[i].Client].ID == actor {
			r := b.at(p.Consumers[i].Rect)
			return end{x: r.X + r.W/2, y: r.Y, up: true, broker: -1, ok: true}
		}
	}
	return end{}
}

// rowAnchor is the replica's box if its column is in sight, else the row's gutter.
func (b *builder) rowAnchor(row int, tp kafka.TopicPartition, top bool) end {
	p := b.plan
	r := b.at(p.Rows[row].Rect)
	e := end{x: p.MatrixX - 10, y: r.Y + r.H/2, broker: row, ok: true}
	if p.Narrow {
		e.x = p.MatrixX - 6
	}
	if tp.Topic == "" || p.Level == Tiles {
		return e
	}
	for i := range p.Columns {
		col := &p.Columns[i]
		if part := &b.c.Topics[col.Topic].Partitions[col.Partition]; part.TP == tp {
			x := b.colX(col.X)
			if b.visibleX(x+col.W/2, 1) {
				e.x, e.y = x+col.W*0.62, r.Y+p.BoxTop+p.BoxH
				if top {
					e.y = r.Y + p.BoxTop
				}
				e.up = top
			}
			return e
		}
	}
	return e
}

// path is a cubic between two ends.
type path struct{ x0, y0, x1, y1, x2, y2, x3, y3 float32 }

func (b *builder) route(from, to place, tp kafka.TopicPartition, lane float32) (path, bool) {
	rf, rt := b.row(from), b.row(to)
	// A broker is left towards the other end.
	f := b.anchor(from, tp, b.above(rf, rt, to.actor))
	t := b.anchor(to, tp, b.above(rt, rf, from.actor))
	if !f.ok || !t.ok {
		return path{}, false
	}
	f.x += lane
	t.x += lane
	p := path{f.x, f.y, f.x, f.y, t.x, t.y, t.x, t.y}
	dy := t.y - f.y
	if rf >= 0 && rt >= 0 {
		// Between brokers: a bow, wider the more rows it passes.
		bow := float32(14)
		if d := rf - rt; d > 1 || d < -1 {
			bow = 30
		}
		if lane < 0 {
			bow = -bow
		}
		p.x1, p.x2 = f.x+bow, t.x+bow
		p.y1, p.y2 = f.y+dy*0.25, t.y-dy*0.25
		return p, true
	}
	if from.controller && to.controller {
		// A bow under the controllers, deeper the farther they are.
		dip := min(34, 12+max(t.x-f.x, f.x-t.x)*0.06) + lane
		p.x1, p.x2, p.y1, p.y2 = f.x+(t.x-f.x)*0.2, t.x-(t.x-f.x)*0.2, f.y+dip, t.y+dip
		return p, true
	}
	if rf >= 0 && to.controller || rt >= 0 && from.controller {
		// Up along the gutter, then over: not through the replicas.
		low, high := &p.y1, &p.y2
		if rt >= 0 {
			low, high = high, low
		}
		*low, *high = min(f.y, t.y)+40, min(f.y, t.y)+14
		return p, true
	}
	p.y1, p.y2 = f.y+dy*0.5, t.y-dy*0.5
	return p, true
}

func (b *builder) isController(actor int32) bool {
	for i := range b.c.Controllers {
		if int32(b.c.Controllers[i].ID) == actor {
			return true
		}
	}
	return false
}

// above reports whether a broker in row r is left at its top to reach a peer.
func (b *builder) above(r, peerRow int, peer int32) bool {
	if r < 0 {
		return false
	}
	if peerRow >= 0 {
		return peerRow < r
	}
	for i := range b.c.Consumers {
		if b.c.Consumers[i].ID == peer {
			return false
		}
	}
	return true
}

func (p *path) at(t float32) (x, y float32) {
	return motion.Bezier(p.x0, p.x1, p.x2, p.x3, t), motion.Bezier(p.y0, p.y1, p.y2, p.y3, t)
}

func (b *builder) curve(p *path, c theme.Color, width float32, dash display.Dash) {
	b.add(display.Op{Kind: display.Curve, X: p.x0, Y: p.y0, W: p.x3, H: p.y3, A: p.x1, B: p.y1, C: p.x2, D: p.y2, Stroke: c, Width: width, Dash: dash})
}

// flights paints messages one by one where a reader can follow them, and the
// rest as lines whose weight is the number in flight.
func (b *builder) flights() {
	b.band = bandGroups + 1
	b.fadeFlows()
	shown := 0
	for i := range b.c.Flights {
		f := &b.c.Flights[i]
		if f.Held || shown < flightsMax && motion.Visible(f.ArriveAt.Sub(f.SentAt), b.in.Speed) {
			shown++
			b.flight(f, len(b.c.Flights) <= 10)
			continue
		}
		b.countFlow(f)
	}
	b.drawFlows()
}

// tint is the colour of a kind of traffic.
func (b *builder) tint(f *view.Flight) theme.Color {
	switch {
	case f.Err != kafka.None:
		return b.th.Bad
	case f.Held:
		return b.th.Warn
	case f.Say != "":
		return b.voteTint(f)
	}
	return b.apiTint(b.traffic(f))
}

// traffic is what a message is for; what goes to or from a controller is control.
func (b *builder) traffic(f *view.Flight) traffic {
	if from, to := b.places(f); from.controller || to.controller {
		return trafficControl
	}
	return category(f.API)
}

func (b *builder) flight(f *view.Flight, named bool) {
	lane := float32(-5)
	if f.Response {
		lane = 5
	}
	from, to := b.places(f)
	p, ok := b.route(from, to, f.TP, lane)
	if !ok {
		return
	}
	c := b.tint(f)
	t := motion.Progress(b.now, f.SentAt, f.ArriveAt)
	switch {
	case f.Held:
		t = 0.5
	case b.in.ReducedMotion:
		t = 0.5
	}
	dash := display.Solid
	if f.Held {
		dash = display.Dashed
	}
	b.curve(&p, c.Alpha(0.45), 1, dash)
	x, y := p.at(t)
	r := float32(3)
	if f.Records > 0 {
		r = 4
	}
	hit := b.target(view.Selection{Kind: "flight", ID: f.ID}, rect(x-9, y-9, 18, 18), false)
	b.circle(x, y, 2*r, c.Alpha(0.2), 0)
	if f.Response {
		b.box(rect(x-r, y-r, 2*r, 2*r), r, b.th.Bg, c, 1.6, display.Solid, hit)
	} else {
		b.circle(x, y, r, c, hit)
	}
	if d := p.y3 - p.y0; d > 0 && y-p.y0 < 10 || d < 0 && y-p.y3 < 10 {
		y = min(p.y0, p.y3) + 11 // not under the card that it left
	}
	switch {
	case f.Held:
		b.scissors(x+14, y, 5, b.th.Warn)
		b.begin()
		b.s(f.API).s(" held")
		b.tag(x+24, y+4, b.tiny(b.th.Warn))
	case f.Say != "":
		b.begin()
		b.s(f.Say)
		b.tag(x+11, b.plan.QuorumY-b.camY+43, b.tiny(b.voteTint(f))) // under what the controllers say
	case named && b.traffic(f) != trafficControl:
		b.begin()
		b.s(f.API)
		b.tag(x+11, y+4, b.tiny(b.th.Soft))
	}
}

// tag puts the text begun on a ground of its own, so that it can be read over
// records.
func (b *builder) tag(x, y float32, st style) {
	w := b.width(st)
	x = min(x, b.in.W-w-4)
	b.fill(rect(x-3, y-10, w+6, 13), 4, b.th.Bg.Alpha(0.85), 0)
	b.put(x, y, st, 0)
}

// voteTint is the colour of a vote that is asked for, granted or refused.
func (b *builder) voteTint(f *view.Flight) theme.Color {
	switch f.Say {
	case "granted":
		return b.th.InSync
	case "refused":
		return b.th.Bad
	}
	return b.th.Warn
}

// traffic tells kinds of requests apart by what they are for.
type traffic uint8

const (
	trafficControl traffic = iota
	trafficProduce
	trafficFetch
)

func category(api string) traffic {
	switch api {
	case "Produce":
		return trafficProduce
	case "Fetch":
		return trafficFetch
	}
	return trafficControl
}

func (b *builder) apiTint(k traffic) theme.Color {
	switch k {
	case trafficProduce:
		return b.th.Leader
	case trafficFetch:
		return b.th.InSync
	}
	return b.th.Muted
}
