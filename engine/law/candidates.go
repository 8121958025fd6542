package law

import (
	"fmt"
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
)

// candidates: who may be elected without loss, the ISR and the ELR of the
// controller, has all that was committed (LeaderCandidateCompleteness), and the
// same as every leader that still takes itself for one (StrongIsr). Who lost
// power since it was last in sync is excused.
func (c *Checker) candidates(p *partition, reg *metadata.Partition) {
	if p.committed == 0 || p.unclean || p.newest() < p.since {
		return
	}
	for _, set := range [...][]kafka.NodeID{reg.ISR, reg.ELR} {
		for _, n := range set {
			m := p.member(n)
			if m.excused || m.verified >= p.committed {
				continue
			}
			if f := c.at(n); f != nil && f.Log.LEO() < p.committed && !p.anyExcused() {
				c.broken("leader candidate", fmt.Sprintf("%s could be led by broker %d, of ISR %v and ELR %v, whose log ends at %d; %d records were committed",
					p.tp, n, reg.ISR, reg.ELR, f.Log.LEO(), p.committed))
			} else if f != nil {
				c.likeLeaders(p, f)
			}
		}
	}
}

// likeLeaders compares a candidate with whoever leads or thinks so.
func (c *Checker) likeLeaders(p *partition, f *seen) {
	for i := range c.now {
		r := &c.now[i]
		if r == f || !r.Up || !r.Leads || r.Epoch < p.since || slices.Contains(r.Maximal, f.node) || f.Log.Unclean() {
			continue // members of its maximal ISR were compared
		}
		to := min(r.HW, f.Log.LEO())
		m := p.member(f.node)
		from := max(m.verified, r.Log.LogStart(), f.Log.LogStart(), r.Log.CleanedTo(), f.Log.CleanedTo())
		if from >= to {
			continue
		}
		if at, same := equalLogs(r.Log, f.Log, from, to); !same && !p.anyExcused() {
			c.broken("leader candidate", fmt.Sprintf("%s could be led by broker %d, which has another batch at offset %d than leader %d, below its high watermark %d",
				p.tp, f.node, at, r.node, r.HW))
			return
		}
		m.verified = max(m.verified, to)
	}
}
