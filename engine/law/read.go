package law

import (
	"fmt"

	"github.com/highwater-sim/highwater/engine/trace"
)

// read: a consumer is given only what was committed at some leader when it was
// read (ConsistentRead). That it stays so, the committed prefix says.
func (c *Checker) read(p *partition, n *trace.Note) {
	if n.Offset >= p.readable {
		c.broken("committed read", fmt.Sprintf("%s: %s was given offset %d, but only %d records were ever committed", p.tp, n.Who, n.Offset, p.readable))
	}
}
