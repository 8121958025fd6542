package law

import (
	"fmt"
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/storage"
)

// retention: what a log no longer has at its beginning was below the high
// watermark: the log start offset never passes it (UnifiedLog).
func (c *Checker) retention(p *partition) {
	for i := range c.now {
		if r := &c.now[i]; r.Up && r.Log.LogStart() > r.HW {
			c.broken("retention", fmt.Sprintf("%s on broker %d: log start offset %d is above the high watermark %d",
				p.tp, r.node, r.Log.LogStart(), r.HW))
		}
	}
}

// cleaner: a compacted log reads as the same latest state. Up to where any has
// been cleaned, for followers are given what is left there, a replica and each
// other one in the leader's maximal ISR say the same of every key that retention
// has left on both. A replica that lost what was cleaned for is left out: the
// newer value went with the cut, the older one with the cleaning.
func (c *Checker) cleaner(p *partition, node kafka.NodeID) {
	for i := range c.now {
		p.compacted = max(p.compacted, c.now[i].Log.CleanedTo())
	}
	a := c.at(node)
	if a == nil || !a.Up || a.Log.Unclean() || p.member(node).patchy {
		return
	}
	for i := range c.now {
		if l := &c.now[i]; !l.Up || !l.Leads || l.Epoch != p.newest() || l.node != node && !slices.Contains(l.Maximal, node) {
			continue
		}
		for _, n := range c.now[i].Maximal {
			if b := c.at(n); b != nil && b != a && !b.Log.Unclean() && !p.member(n).patchy {
				c.sameState(p, a, b, c.now[i].HW)
			}
		}
	}
}

func (c *Checker) sameState(p *partition, a, b *seen, hw kafka.Offset) {
	from, to := max(a.Log.LogStart(), b.Log.LogStart()), p.compacted
	if to > min(hw, a.Log.LEO(), b.Log.LEO()) {
		return
	}
	x, err := a.Log.Latest(from, to)
	y, err2 := b.Log.Latest(from, to)
	if err != nil || err2 != nil || slices.Equal(x, y) {
		return // what cannot be read is a disk's fault
	}
	c.broken("cleaner", fmt.Sprintf("%s cleaned on broker %d reads otherwise than on broker %d in [%d, %d): %s",
		p.tp, a.node, b.node, from, to, difference(x, y)))
}

// difference names the first key that two states do not agree on.
func difference(x, y []storage.KeyState) string {
	for i := range x {
		if i >= len(y) || x[i] != y[i] {
			other := "nothing"
			if i < len(y) {
				other = fmt.Sprintf("%q at offset %d", y[i].Key, y[i].Offset)
			}
			return fmt.Sprintf("%q at offset %d, %s", x[i].Key, x[i].Offset, other)
		}
	}
	return fmt.Sprintf("nothing, %q at offset %d", y[len(x)].Key, y[len(x)].Offset)
}
