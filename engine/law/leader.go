package law

import (
	"fmt"
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// oneLeader: a leader epoch of a partition has one leader.
func (c *Checker) oneLeader(p *partition, epoch kafka.LeaderEpoch, node kafka.NodeID) {
	if n := len(p.leaders); n > 0 && p.leaders[n-1] == (leadership{epoch, node}) {
		return
	}
	i, ok := slices.BinarySearchFunc(p.leaders, epoch, func(l leadership, e kafka.LeaderEpoch) int { return int(l.epoch) - int(e) })
	switch {
	case !ok:
		p.leaders = slices.Insert(slices.Clip(p.leaders), i, leadership{epoch, node})
	case p.leaders[i].node != node:
		c.broken("one leader", fmt.Sprintf("%s leader epoch %d has two leaders: broker %d and broker %d",
			p.tp, epoch, p.leaders[i].node, node))
	}
}
