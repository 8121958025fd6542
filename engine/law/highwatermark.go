package law

import (
	"fmt"
	"slices"

	"github.com/highwater-sim/highwater/engine/metadata"
)

// highWatermark: a leader's high watermark is never above the log end offset of
// a member of its maximal ISR. The true log end offset is at least the one that
// the leader knows, so this holds at every moment, unless power was lost.
// A member that the controller has let go may do as it likes before the leader
// knows.
func (c *Checker) highWatermark(p *partition, r *seen, reg *metadata.Partition) {
	if r.HW > r.Log.LEO() {
		c.broken("high watermark", fmt.Sprintf("%s at its leader %d: high watermark %d is above its own log end offset %d",
			p.tp, r.node, r.HW, r.Log.LEO()))
	}
	if r.Epoch < p.since {
		return // deposed, and records were lost since
	}
	for _, n := range r.Maximal {
		f := c.at(n)
		if f == nil || f == r || p.member(n).excused || r.Known < reg.PartitionEpoch && !slices.Contains(reg.ISR, n) {
			continue
		}
		if leo := f.Log.LEO(); leo < r.HW {
			c.broken("high watermark", fmt.Sprintf("%s at its leader %d: high watermark %d is above the log end offset %d of broker %d, a member of the maximal ISR",
				p.tp, r.node, r.HW, leo, n))
		}
	}
}

// monotone: a leader's high watermark does not go back within its epoch.
func (c *Checker) monotone(p *partition, r *seen) {
	if p.node == r.node && p.epoch == r.Epoch && r.HW < p.hw {
		c.broken("monotone", fmt.Sprintf("%s at its leader %d in epoch %d: high watermark went back from %d to %d",
			p.tp, r.node, r.Epoch, p.hw, r.HW))
	}
	if r.Epoch >= p.epoch {
		p.node, p.epoch, p.hw = r.node, r.Epoch, r.HW
	}
}
