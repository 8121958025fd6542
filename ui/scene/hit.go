package scene

import (
	"cmp"
	"slices"

	"github.com/highwater-sim/highwater/engine/view"
)

// Hit returns what lies under a point of the stage: the topmost target, and its
// rectangle. The zero Selection means nothing.
func Hit(l *List, x, y float32) (view.Selection, Rect) {
	for i := len(l.Hits) - 1; i > 0; i-- {
		if t := &l.Hits[i]; t.Rect.Contains(x, y) {
			return t.Sel, t.Rect
		}
	}
	return view.Selection{}, Rect{}
}

// Find returns the rectangle of a selection, if it is in the picture; of several
// the one that the keyboard stops at.
func Find(l *List, sel view.Selection) (Rect, bool) {
	if len(l.Hits) == 0 {
		return Rect{}, false
	}
	found := 0
	for i := len(l.Hits) - 1; i > 0; i-- {
		if l.Hits[i].Sel != sel {
			continue
		}
		if l.Hits[i].focus {
			return l.Hits[i].Rect, true
		}
		found = i
	}
	return l.Hits[found].Rect, found > 0
}

// Targets returns what the keyboard can reach, in reading order (rows from the
// top, each from the left), with spoken labels. It reads the cluster that the
// list was built from, so call it before that is built again.
func Targets(l *List) []Target {
	var out []Target
	for i := range l.Hits {
		if t := l.Hits[i]; t.focus {
			t.Label = Label(l.cluster, t.Sel)
			out = append(out, t)
		}
	}
	slices.SortStableFunc(out, func(a, b Target) int {
		if a.band != b.band {
			return int(a.band - b.band)
		}
		return cmp.Compare(a.Rect.X, b.Rect.X)
	})
	return out
}

// Step returns the target that lies next to sel in the direction dx, dy (each
// -1, 0 or 1): the nearest whose centre lies that way. Without a selection it
// is the first target; if nothing lies that way it is sel itself.
func Step(l *List, sel view.Selection, dx, dy int) view.Selection {
	if len(l.Hits) == 0 {
		return sel
	}
	from, ok := Find(l, sel)
	if !ok {
		for i := range l.Hits {
			if l.Hits[i].focus {
				return l.Hits[i].Sel
			}
		}
		return sel
	}
	best, bestCost := sel, float32(1e9)
	cx, cy := middle(sel, from)
	for i := range l.Hits {
		t := &l.Hits[i]
		if !t.focus || t.Sel == sel {
			continue
		}
		x, y := middle(t.Sel, t.Rect)
		vx, vy := x-cx, y-cy
		along := vx*float32(dx) + vy*float32(dy)
		across := vx*float32(dy) - vy*float32(dx)
		if along < 2 {
			continue
		}
		if cost := along + 3*max(across, -across); cost < bestCost {
			best, bestCost = t.Sel, cost
		}
	}
	return best
}

// middle is where a target counts as being: a broker stands at the left end of
// its row.
func middle(sel view.Selection, r Rect) (x, y float32) {
	if sel.Kind == "broker" {
		return r.X + min(30, r.W/2), r.Y + r.H/2
	}
	return r.X + r.W/2, r.Y + r.H/2
}
