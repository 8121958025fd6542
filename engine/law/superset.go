package law

import (
	"fmt"
	"slices"

	"github.com/highwater-sim/highwater/engine/metadata"
)

// superset: a leader of the current epoch waits for all that the controller might
// elect: its maximal ISR holds the controller's ISR, and its ELR too once its own
// ISR is large enough to move the high watermark (ReplicationQuorumSuperset).
//
// It is asked of leaders that know the registration. Kafka's leader forgets an
// ISR that it has proposed when the metadata log tells it what an AlterPartition
// response had told before (Partition.makeLeader, equal partition epochs), so until
// it hears of the answer it may know too little; what would come of that is the
// candidates' law.
func (c *Checker) superset(p *partition, r *seen, reg *metadata.Partition) {
	if r.Epoch != reg.LeaderEpoch || r.node != reg.Leader || r.Known != reg.PartitionEpoch {
		return
	}
	for _, n := range reg.ISR {
		if !slices.Contains(r.Maximal, n) {
			c.broken("quorum superset", fmt.Sprintf("%s has ISR %v at the controller, broker %d of which is not in leader %d's maximal ISR %v",
				p.tp, reg.ISR, n, r.node, r.Maximal))
			return
		}
	}
	if len(r.ISR) < r.MinISR {
		return
	}
	for _, n := range reg.ELR {
		if !slices.Contains(r.Maximal, n) {
			c.broken("quorum superset", fmt.Sprintf("%s has ELR %v at the controller, broker %d of which is not in leader %d's maximal ISR %v",
				p.tp, reg.ELR, n, r.node, r.Maximal))
			return
		}
	}
}

// joining: who a leader proposes for the ISR has all that it had when it became the
// leader, so all that was committed before (Partition.isFollowerInSync). Its high
// watermark alone does not say so: it may be late by a trip.
func (c *Checker) joining(p *partition, r *seen) {
	if p.proposer != r.node || r.Epoch != p.newest() {
		return
	}
	for _, n := range r.Maximal {
		f := c.at(n)
		if f == nil || slices.Contains(r.ISR, n) || p.member(n).excused {
			continue
		}
		if leo := f.Log.LEO(); leo < r.Start {
			c.broken("joining the ISR", fmt.Sprintf("%s at its leader %d: broker %d is proposed for ISR %v with log end offset %d; leader epoch %d began at %d",
				p.tp, r.node, n, r.Maximal, leo, r.Epoch, r.Start))
		}
	}
}
