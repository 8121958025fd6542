package law

import "fmt"

// epoch: a broker does not go back to an earlier leader epoch of a partition
// (MonotonicEpoch). It may after a restart, when it reads the metadata log again.
func (c *Checker) epoch(p *partition, r *seen) {
	m := p.member(r.node)
	if r.Epoch < m.epoch {
		c.broken("epoch", fmt.Sprintf("%s on broker %d went back from leader epoch %d to %d", p.tp, r.node, m.epoch, r.Epoch))
	}
	m.epoch = r.Epoch
}
