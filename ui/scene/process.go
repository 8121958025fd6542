package scene

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/scene/display"
	"github.com/highwater-sim/highwater/ui/theme"
)

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
			w := b.brokerID(k, x, r.Y+45, theme.SizeBig, name)
			b.controllerBadge(k, x+w+14, r.Y+37)
			y := r.Y + 63
			if k.Rack != "" && len(p.Racks) == 0 {
				b.rack(k, x, y, room)
				y += 18
			}
			b.brokerStatus(k, x, y, room)
			b.disks(k, x, y+17, room, r.Y+r.H-4)
		case r.H >= 56:
			y := r.Y + r.H/2
			w := b.brokerID(k, x, y-7, 17, name)
			w += b.controllerBadge(k, x+w+12, y-13)
			if k.Rack != "" && len(p.Racks) == 0 && room-w > 24 && !p.Narrow {
				b.rack(k, x+w+6, y-7, room-w-6)
			}
			b.brokerShort(k, x, y+11, room)
		default:
			y := r.Y + r.H/2
			w := b.brokerID(k, x, y+5, 14, name)
			w += b.controllerBadge(k, x+w+11, y)
			b.brokerShort(k, x+w+6, y+4, room-w-6)
		}
	}
}

func (b *builder) brokerID(k *view.Broker, x, y, size float32, c theme.Color) float32 {
	b.begin()
	return b.n(int64(k.ID)).put(x, y, style{theme.Bold, size, c, display.Start}, 0)
}

// controllerBadge is the figure of the controller in a broker's process, if it has one;
// it returns how much room that takes.
func (b *builder) controllerBadge(k *view.Broker, x, y float32) float32 {
	for i := range b.c.Controllers {
		if c := &b.c.Controllers[i]; c.ID == k.ID {
			b.target(view.Selection{Kind: "controller", Node: c.ID}, rect(x-9, y-9, 18, 18), true)
			b.controllerFigure(c, x, y, 6)
			return 20
		}
	}
	return 0
}

func (b *builder) rack(k *view.Broker, x, y, room float32) {
	if k.Rack != "" {
		b.begin()
		b.s("rack ").s(k.Rack).put(x, y, b.tiny(b.th.Muted), room)
	}
}

// brokerShort is brokerStatus where there is no room for the disks: one that has
// failed or is nearly full comes first.
func (b *builder) brokerShort(k *view.Broker, x, y, room float32) {
	in, full := fullest(k)
	if k.State != view.Running || len(k.OfflineDirs) == 0 && full < 90 {
		b.brokerStatus(k, x, y, room)
		return
	}
	b.begin()
	if len(k.OfflineDirs) > 0 {
		b.s(base(k.OfflineDirs[0])).s(" failed")
	} else {
		b.s(dirName(k, k.LogDirs[in])).s(" ").n(full).s(" %")
	}
	b.put(x, y, b.tiny(b.th.Bad), room)
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

// disks lists a broker's log directories where there are several, or where they have
// an end: which have failed, and how full they are.
func (b *builder) disks(k *view.Broker, x, y, room, bottom float32) {
	if len(k.LogDirs) < 2 && k.DiskCapacity == 0 {
		return
	}
	for in, path := range k.LogDirs {
		if y > bottom {
			return
		}
		c, full := b.th.Muted, int64(-1)
		if in < len(k.DiskUsed) {
			if full = percent(k.DiskUsed[in], k.DiskCapacity); full >= 90 {
				c = b.th.Warn
			}
		}
		left := room
		switch {
		case failed(k, path):
			c = b.th.Bad
			b.cross(x+room-4, y-3.5, 3.2, c, 1.4)
			left -= 12
		case full >= 0:
			b.begin()
			left -= 4 + b.n(full).s(" %").put(x+room, y, b.tiny(c).right(), room)
		}
		b.begin()
		b.s(dirName(k, path)).put(x, y, b.tiny(c), left)
		if full >= 0 && !failed(k, path) {
			bar := rect(x, y+3, room, 3)
			b.fill(bar, 1.5, b.th.Line, 0)
			bar.W = bar.W * float32(min(full, 100)) / 100
			b.fill(bar, 1.5, c, 0)
		}
		y += 17
	}
}

func percent(part, of int64) int64 { return part * 100 / max(of, 1) }

func failed(k *view.Broker, path string) bool {
	for _, p := range k.OfflineDirs {
		if p == path {
			return true
		}
	}
	return false
}

// fullest is the directory of which most is used, and how many percent.
func fullest(k *view.Broker) (in int, full int64) {
	for i, n := range k.DiskUsed {
		if p := percent(n, k.DiskCapacity); p > full {
			in, full = i, p
		}
	}
	return in, full
}

// dirName is what a log directory is called where there is little room.
func dirName(k *view.Broker, path string) string {
	if len(k.LogDirs) == 1 {
		return "disk"
	}
	return base(path)
}

// base is the last element of a path.
func base(path string) string {
	for i := len(path) - 2; i >= 0; i-- {
		if path[i] == '/' {
			return path[i:]
		}
	}
	return path
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
