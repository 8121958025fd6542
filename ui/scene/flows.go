package scene

import (
	"github.com/highwater-sim/highwater/ui/scene/display"
	"math"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
)

// flowsMax is how many lines of traffic a picture shows.
const flowsMax = 96

// flowMemory is how long traffic stays visible after it stopped, in seconds.
const flowMemory = 0.35

// fadeFlows lets old traffic die away. A still picture has no memory.
func (b *builder) fadeFlows() {
	s := b.state
	if b.in.Wall <= 0 || b.in.Speed <= 0 {
		s.flows = s.flows[:0]
		return
	}
	keep := float32(math.Exp(float64(-b.in.Wall / flowMemory)))
	n := 0
	for i := range s.flows {
		f := s.flows[i]
		f.weight *= keep
		if f.weight > 0.02 {
			s.flows[n] = f
			n++
		}
	}
	s.flows = s.flows[:n]
}

// countFlow adds a message that is too fast to follow to its line. Replication
// is counted by pair of brokers, clients' traffic by partition.
func (b *builder) countFlow(f *view.Flight) {
	from, to := b.places(f)
	tp := f.TP
	if f.Response {
		from, to = to, from
	}
	if b.row(from) >= 0 {
		tp = kafka.TopicPartition{}
	}
	kind := b.traffic(f)
	share := float32(1)
	if b.in.Wall > 0 {
		share = 1 - float32(math.Exp(float64(-b.in.Wall/flowMemory)))
	}
	s := b.state
	for i := range s.flows {
		if x := &s.flows[i]; x.from == from && x.to == to && x.kind == kind && x.tp == tp {
			x.weight += share
			return
		}
	}
	if len(s.flows) < flowsMax {
		s.flows = append(s.flows, flow{from: from, to: to, kind: kind, tp: tp, weight: share})
	}
}

func (b *builder) drawFlows() {
	for i := range b.state.flows {
		f := &b.state.flows[i]
		p, ok := b.route(f.from, f.to, f.tp, 0)
		if !ok {
			continue
		}
		w := float32(math.Log2(float64(1+f.weight*4))) * 0.8
		c := b.apiTint(f.kind).Alpha(min(0.6, 0.12+0.3*f.weight))
		b.curve(&p, c, min(4, max(0.8, w)), display.Solid)
	}
	if len(b.state.flows) > 0 && b.in.Speed > 0 {
		b.out.Moving = true
	}
}

// links paints what faults and settings changed: cuts with scissors, slow links
// dotted, as bows at the right end of the rows.
func (b *builder) links() {
	p := b.plan
	b.band = bandGroups
	for i := range b.c.Links {
		l := &b.c.Links[i]
		rf, rt := p.RowOf(b.c, kafka.NodeID(l.From)), p.RowOf(b.c, kafka.NodeID(l.To))
		if rf < 0 || rt < 0 || b.drawnBefore(i) {
			continue
		}
		a, z := b.at(p.Rows[rf].Rect), b.at(p.Rows[rt].Rect)
		x := a.X + a.W - 16
		bow := float32(16)
		if p.Narrow {
			x, bow = a.X+a.W-8, 10
		}
		y0, y1 := a.Y+a.H/2, z.Y+z.H/2
		c, dash := b.th.Warn, display.Dotted
		if l.Cut {
			c, dash = b.th.Bad, display.Dashed
		}
		if d := rf - rt; d > 1 || d < -1 {
			bow += 6
		}
		pth := path{x, y0, x + bow, y0, x + bow, y1, x, y1}
		b.curve(&pth, c, 1.4, dash)
		mx, my := pth.at(0.5)
		b.target(view.Selection{Kind: "link", Node: kafka.NodeID(l.From), Peer: kafka.NodeID(l.To)}, rect(mx-10, my-12, 20, 24), true)
		b.fill(rect(mx-7, my-7, 14, 14), 7, b.th.Bg, 0)
		if l.Cut {
			b.scissors(mx, my, 6, c)
		} else {
			b.circle(mx, my, 2.5, c, 0)
		}
		if l.Cut && !b.cutBack(l) {
			form := display.Up
			if y1 > y0 {
				form = display.Down
			}
			b.shape(form, x, y1, 3.5, c, 0, 0)
		}
	}
}

// drawnBefore reports whether the other direction of link i came earlier.
func (b *builder) drawnBefore(i int) bool {
	l := &b.c.Links[i]
	for j := range i {
		if o := &b.c.Links[j]; o.From == l.To && o.To == l.From {
			return true
		}
	}
	return false
}

// cutBack reports whether the other direction is cut as well.
func (b *builder) cutBack(l *view.Link) bool {
	for j := range b.c.Links {
		if o := &b.c.Links[j]; o.From == l.To && o.To == l.From && o.Cut {
			return true
		}
	}
	return false
}
