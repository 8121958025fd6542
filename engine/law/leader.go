package law

import (
	"fmt"
	"slices"

	"github.com/highwater-sim/highwater/engine/trace"
)

// oneLeader: a leader epoch of a partition has one leader.
func (c *Checker) oneLeader(p *partition, n *trace.Note) {
	i, ok := slices.BinarySearchFunc(p.leaders, n, func(l leadership, n *trace.Note) int { return int(l.epoch) - int(n.Epoch) })
	if !ok {
		p.leaders = slices.Insert(slices.Clip(p.leaders), i, leadership{n.Epoch, n.Node})
		return
	}
	if p.leaders[i].node != n.Node {
		c.broken("one leader", fmt.Sprintf("%s leader epoch %d has two leaders: broker %d and broker %d",
			p.tp, n.Epoch, p.leaders[i].node, n.Node))
	}
}
