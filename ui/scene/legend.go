package scene

import (
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/scene/display"
)

// bandLegend is the legend's place in the reading order.
const bandLegend = bandGroups + 2

// entry is one mark of the legend.
type entry struct {
	name string // Selection.Name of its target
	says string
	mark func(b *builder, x, y float32) // a sample in a box of legendMarkW, middle at y
}

// legendMarkW is the width of a sample.
const legendMarkW = 34

// LegendName is the name of the legend's entry i in its Selection (Kind "legend"),
// "" past the last.
func LegendName(i int) string {
	if i < 0 || i >= len(entries) {
		return ""
	}
	return entries[i].name
}

// legend explains the marks, over the picture.
func (b *builder) legend() {
	if !b.in.Legend {
		return
	}
	b.band = bandLegend
	cols := 1
	if b.in.W >= 620 {
		cols = 2
	}
	rows := (len(entries) + cols - 1) / cols
	w := min(float32(cols)*300, b.in.W-12)
	line := min(max((b.in.H-46)/float32(rows), 12.5), 20)
	h := float32(rows)*line + 34
	panel := rect(b.in.W-w-6, max(6, (b.in.H-h)/2), w, h)
	hit := b.target(view.Selection{Kind: "legend"}, panel, false)
	b.box(panel, 10, b.th.Panel, b.th.Accent, 1, display.Solid, hit)
	b.label("LEGEND", panel.X+12, panel.Y+18, b.tiny(b.th.Muted), 0)
	for i := range entries {
		e := &entries[i]
		cw := (w - 16) / float32(cols)
		at := rect(panel.X+8+float32(i/rows)*cw, panel.Y+26+float32(i%rows)*line, cw, line)
		b.target(view.Selection{Kind: "legend", Name: e.name}, at, true)
		e.mark(b, at.X+4, at.Y+line/2)
		b.label(e.says, at.X+legendMarkW+12, at.Y+line/2+3.5, b.tiny(b.th.Text), cw-legendMarkW-14)
	}
	b.legendFocus()
}

// legendFocus outlines the entry that is selected or pointed at, over the panel.
func (b *builder) legendFocus() {
	for i := 1; i < len(b.out.Hits); i++ {
		t := &b.out.Hits[i]
		if t.Sel.Kind == "legend" && t.Sel.Name != "" && (t.Sel == b.in.Selection || t.Sel == b.in.Hover) {
			b.box(t.Rect, 5, 0, b.th.Accent, 1.5, display.Solid, 0)
		}
	}
}

// entries are the legend, in reading order. The samples are drawn by what draws
// the marks themselves wherever that is possible.
var entries = [...]entry{
	{"leader", "leader of the partition", func(b *builder, x, y float32) {
		b.sampleBox(standLeader, x, y)
		b.shape(display.Star, x+17, y, 4.5, b.th.Leader, 0, 0)
	}},
	{"in-sync", "in the ISR", func(b *builder, x, y float32) { b.sampleBox(standInSync, x, y) }},
	{"out-of-sync", "behind, or out of the ISR", func(b *builder, x, y float32) { b.sampleBox(standOut, x, y) }},
	{"offline", "offline: its broker is down", func(b *builder, x, y float32) {
		b.sampleBox(standOffline, x, y)
		b.cross(x+17, y, 3.5, b.th.Bad, 1.4)
	}},
	{"elr", "eligible leader replica (ELR)", func(b *builder, x, y float32) {
		b.shape(display.Pentagon, x+17, y, 4.8, b.th.Well, b.th.InSync, 1.4)
	}},
	{"last-known-leader", "last known leader", func(b *builder, x, y float32) {
		b.shape(display.Star, x+17, y, 5, b.th.Well, b.th.Leader, 1.2)
	}},
	{"reassignment", "being added, being removed", func(b *builder, x, y float32) {
		b.line(x+6, y, x+13, y, b.th.Accent, 1.8, display.Solid)
		b.line(x+9.5, y-3.5, x+9.5, y+3.5, b.th.Accent, 1.8, display.Solid)
		b.line(x+21, y, x+28, y, b.th.Accent, 1.8, display.Solid)
	}},
	{"high-watermark", "high watermark (HW)", func(b *builder, x, y float32) {
		b.line(x+15.8, y-6, x+15.8, y+6, b.th.HW, 1, display.Solid)
		b.line(x+18.2, y-6, x+18.2, y+6, b.th.HW, 1, display.Solid)
	}},
	{"last-stable-offset", "last stable offset (LSO)", func(b *builder, x, y float32) {
		b.line(x+17, y-6, x+17, y+6, b.th.LSO, 1.6, display.Dotted)
	}},
	{"log-end", "log end offset (LEO)", func(b *builder, x, y float32) { b.shape(display.Down, x+17, y, 3.2, b.th.Soft, 0, 0) }},
	{"log-start", "log start: older offsets are gone", func(b *builder, x, y float32) {
		b.line(x+15, y-6, x+15, y+6, b.th.Soft, 2, display.Solid)
		b.line(x+15, y-6, x+19, y-6, b.th.Soft, 1.4, display.Solid)
		b.line(x+15, y+6, x+19, y+6, b.th.Soft, 1.4, display.Solid)
	}},
	{"committed", "committed offset, position of a consumer", func(b *builder, x, y float32) {
		b.shape(display.Diamond, x+11, y, 3.6, b.th.InSync, 0, 0)
		b.shape(display.Diamond, x+23, y, 3.6, b.th.Bg, b.th.InSync, 1.2)
	}},
	{"record", "record, coloured by its key; batch over it", func(b *builder, x, y float32) {
		for i := range 3 {
			b.fill(rect(x+4+float32(i)*9, y-3, 7, 8), 1.5, b.th.Key[i], 0)
		}
		b.bracket(x+4, x+20, y-3, 0)
		b.bracket(x+22, x+29, y-3, 0)
	}},
	{"uncommitted", "above the HW; acknowledged there", func(b *builder, x, y float32) {
		b.box(rect(x+7, y-5, 8, 10), 1.5, b.th.Key[0].Alpha(0.45), b.th.Key[0], 1, display.Solid, 0)
		b.box(rect(x+19, y-5, 8, 10), 1.5, b.th.Key[0], b.th.Bad, 1.5, display.Solid, 0)
	}},
	{"open-transaction", "in an open transaction", func(b *builder, x, y float32) {
		b.fill(rect(x+12, y-5, 9, 10), 1.5, b.th.Key[2], 0)
		b.hatch(rect(x+12, y-5, 9, 10), 1.5, b.th.Well.Alpha(0.85))
	}},
	{"marker", "transaction marker: commit, abort", func(b *builder, x, y float32) {
		b.marker(&view.Cell{Key: "COMMIT"}, rect(x+5, y-6, 10, 12), 1, 0)
		b.marker(&view.Cell{Key: "ABORT"}, rect(x+19, y-6, 10, 12), 1, 0)
	}},
	{"tombstone", "tombstone; with its delete horizon set", func(b *builder, x, y float32) {
		for _, tx := range [2]float32{5, 19} {
			b.box(rect(x+tx, y-6, 10, 12), 2, b.th.Well, b.th.Key[3], 1.4, display.Solid, 0)
			b.cross(x+tx+5, y, 2.8, b.th.Key[3], 1.2)
		}
		b.fill(rect(x+21, y+2.5, 6, 2), 0, b.th.Key[3], 0)
	}},
	{"divergent", "divergent: the leader's log has others here", func(b *builder, x, y float32) {
		b.divergent(&view.Cell{}, rect(x+6, y-6, 10, 12), 1, 0)
		b.divergent(&view.Cell{}, rect(x+18, y-6, 10, 12), 1, 0)
	}},
	{"dropped", "the cleaner will drop it, has dropped it", func(b *builder, x, y float32) {
		b.dropped(b.th.Key[0], rect(x+5, y-6, 10, 12), false, 0)
		b.dropped(b.th.Key[0], rect(x+19, y-6, 10, 12), true, 0)
	}},
	{"new-segment", "the cleaner is here; what it keeps", func(b *builder, x, y float32) {
		b.box(rect(x+3, y, 19, 6), 1, b.th.Well, b.th.InSync, 1, display.Solid, 0)
		b.fill(rect(x+5, y+1.5, 6, 3), 0, b.th.Key[0], 0)
		b.fill(rect(x+14, y+1.5, 6, 3), 0, b.th.Key[2], 0)
		b.line(x+22, y-6, x+22, y+7, b.th.Accent, 1.6, display.Solid)
	}},
	{"gap", "gap: compacted away", func(b *builder, x, y float32) {
		b.line(x+5, y, x+29, y, b.th.Muted.Alpha(0.7), 1.2, display.Dotted)
	}},
	{"cleaned", "cleaned up to here", func(b *builder, x, y float32) { b.shape(display.Up, x+17, y, 3, b.th.InSync, 0, 0) }},
	{"segment", "segments; the open one is active", func(b *builder, x, y float32) {
		c := b.th.Muted.Alpha(0.75)
		b.fill(rect(x+3, y, 12, 3), 0, c, 0)
		b.fill(rect(x+18, y, 13, 3), 0, c, 0)
		for _, tx := range [3]float32{3.5, 14.5, 18.5} {
			b.line(x+tx, y-4, x+tx, y+3, c, 1, display.Solid)
		}
	}},
	{"not-flushed", "not on the disk yet: a power loss takes it", func(b *builder, x, y float32) {
		b.fill(rect(x+3, y-1, 12, 3), 0, b.th.Muted.Alpha(0.75), 0)
		b.add(display.Op{Kind: display.Hatch, X: x + 15, Y: y - 1, W: 16, H: 3, Fill: b.th.Muted, Width: 1.3, Size: 4})
	}},
	{"index", "offset index entry", func(b *builder, x, y float32) {
		b.fill(rect(x+5, y-1, 24, 3), 0, b.th.Muted.Alpha(0.75), 0)
		b.line(x+17, y-2, x+17, y+4, b.th.Accent, 1.2, display.Solid)
	}},
	{"epoch", "a leader epoch begins: e6", func(b *builder, x, y float32) {
		b.line(x+12, y-6, x+12, y+6, b.th.Text.Alpha(0.8), 1, display.Dashed)
		b.label("e6", x+15, y+4, b.tiny(b.th.Text), 0)
	}},
	{"controller", "controller: leader, follower", func(b *builder, x, y float32) {
		b.controllerSample("Leader", x+9, y)
		b.controllerSample("Follower", x+25, y)
	}},
	{"election", "candidate, prospective (pre-vote)", func(b *builder, x, y float32) {
		b.controllerSample("Candidate", x+9, y)
		b.controllerSample("Prospective", x+25, y)
	}},
	{"vote", "vote granted, refused, not answered", func(b *builder, x, y float32) {
		b.fill(rect(x+3, y-4, 8, 8), 4, b.th.InSync, 0)
		b.cross(x+17, y, 3, b.th.Bad, 1.5)
		b.box(rect(x+23, y-4, 8, 8), 4, 0, b.th.Muted, 1.2, display.Solid, 0)
	}},
	{"message", "request, response", func(b *builder, x, y float32) {
		b.circle(x+10, y, 3.5, b.th.Leader, 0)
		b.box(rect(x+20.5, y-3.5, 7, 7), 3.5, b.th.Bg, b.th.Leader, 1.6, display.Solid, 0)
	}},
	{"cut", "cut link, or held at one", func(b *builder, x, y float32) { b.scissors(x+15, y, 6, b.th.Warn) }},
}

func (b *builder) sampleBox(s standing, x, y float32) {
	c, width, dash := b.look(s)
	b.box(rect(x+2, y-5.5, 30, 11), 3, b.th.Well, c, width, dash, 0)
}

func (b *builder) controllerSample(role string, x, y float32) {
	b.controllerFigure(&view.Controller{Role: role}, x, y, 7)
}
