package law

import "fmt"

// frozen: a leader's high watermark stands still while the ISR is smaller than
// min.insync.replicas (KIP-966).
func (c *Checker) frozen(p *partition, r *seen) {
	if p.node == r.node && p.epoch == r.Epoch && r.HW > p.hw && len(r.ISR) < r.MinISR {
		c.broken("frozen high watermark", fmt.Sprintf("%s at its leader %d: high watermark moved from %d to %d with ISR %v, min.insync.replicas is %d",
			p.tp, r.node, p.hw, r.HW, r.ISR, r.MinISR))
	}
}
