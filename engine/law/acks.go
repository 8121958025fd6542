package law

import (
	"fmt"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/trace"
)

// Acked checks an answer to a producer with acks=all: it may come only when the
// high watermark covers the records. The note is a ProduceAcked of that
// producer.
func (c *Checker) Acked(n *trace.Note) {
	if n.Topic == "" || n.Offset < 0 {
		return
	}
	p, _ := c.part(n.Topic, n.Part)
	covered := p.committed
	if p.since > 0 {
		covered = max(covered, p.readable) // an answer from before the loss may be on its way still
	}
	if end := n.Offset + kafka.Offset(n.N); end > covered && !p.anyExcused() {
		c.broken("acks", fmt.Sprintf("%s: %s has acks=all and was answered for offsets up to %d, but only %d are committed",
			p.tp, n.Who, end-1, p.committed))
	}
}

func (p *partition) anyExcused() bool {
	for _, m := range p.members {
		if m.excused {
			return true
		}
	}
	return p.unclean
}
