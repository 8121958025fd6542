package law

import (
	"fmt"
	"strings"
)

// uncleanChoice: nobody from outside ISR and ELR leads unless somebody allows it
// (unclean.leader.election.enable), asks for it (kafka-leader-election), or it is
// the last leader and nobody else is left (KIP-966).
func (c *Checker) uncleanChoice(cl Cluster, p *partition) {
	if !c.ordered && !cl.UncleanAllowed(p.tp.Topic) {
		c.broken("unclean choice", fmt.Sprintf("%s is led by broker %d, which was in neither ISR nor ELR and did not lead last, and nobody allowed it", p.tp, p.chosen))
	}
}

// asksUnclean reports whether a command asks for or allows unclean elections.
func asksUnclean(command string) bool {
	return strings.HasPrefix(command, "elect ") && strings.HasSuffix(command, " unclean") ||
		strings.Contains(command, "unclean.leader.election.enable=true")
}
