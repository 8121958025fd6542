package law

import (
	"fmt"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// highWatermark: a leader's high watermark is never above the log end offset of
// a member of its maximal ISR. The true log end offset is at least the one that
// the leader knows, so this holds at every moment, unless power was lost.
func (c *Checker) highWatermark(cl Cluster, p *partition, leader kafka.NodeID, r *Replica) {
	if r.HW > r.Log.LEO() {
		c.broken("high watermark", fmt.Sprintf("%s at its leader %d: high watermark %d is above its own log end offset %d",
			p.tp, leader, r.HW, r.Log.LEO()))
	}
	for _, n := range r.Maximal {
		if n == leader || p.member(n).excused {
			continue
		}
		f, ok := cl.Replica(n, p.tp)
		if !ok {
			continue
		}
		if leo := f.Log.LEO(); leo < r.HW {
			c.broken("high watermark", fmt.Sprintf("%s at its leader %d: high watermark %d is above the log end offset %d of broker %d, a member of the maximal ISR",
				p.tp, leader, r.HW, leo, n))
		}
	}
}

// monotone: a leader's high watermark does not go back within its epoch.
func (c *Checker) monotone(p *partition, leader kafka.NodeID, r *Replica) {
	if p.node == leader && p.epoch == r.Epoch && r.HW < p.hw {
		c.broken("monotone", fmt.Sprintf("%s at its leader %d in epoch %d: high watermark went back from %d to %d",
			p.tp, leader, r.Epoch, p.hw, r.HW))
	}
	if r.Epoch >= p.epoch {
		p.node, p.epoch, p.hw = leader, r.Epoch, r.HW
	}
}
