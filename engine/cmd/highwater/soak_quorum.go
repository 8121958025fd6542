package main

import (
	"fmt"
	"strings"

	"github.com/highwater-sim/highwater/engine/sim"
)

// quorumFaults draws faults of the controllers, beside those of the brokers: every
// other seed has a quorum of three. They may all be down at once. Every sixth has
// dynamic voters, and two more controllers that become voters and cease to be.
type quorumFaults struct {
	r       sim.Rand
	down    []bool // by controller
	dynamic bool
	joined  bool
}

func newQuorumFaults(seed uint64) *quorumFaults {
	q := &quorumFaults{r: sim.NewRand(seed, "soak/controllers"), down: make([]bool, 1)}
	if seed%2 == 0 {
		q.down = make([]bool, 3)
	}
	if seed%6 == 0 {
		q.dynamic, q.down = true, make([]bool, 5)
	}
	return q
}

// cluster is what the cluster's line says of the controllers. A broker that starts
// while the quorum is lost must not give up.
func (q *quorumFaults) cluster() string {
	if len(q.down) == 1 {
		return "controllers=1"
	}
	if q.dynamic {
		return "controllers=3 kraft.version=1 initial.broker.registration.timeout.ms=600000"
	}
	return fmt.Sprintf("controllers=%d initial.broker.registration.timeout.ms=600000", len(q.down))
}

// next writes what happens to a controller at the instant of the last line, in
// one case of three; nothing in a quorum of one.
func (q *quorumFaults) next(b *strings.Builder) {
	if q.dynamic && !q.joined {
		q.joined = true
		fmt.Fprintf(b, "   add controller-104\n   add controller-105\n")
		return
	}
	if len(q.down) == 1 || q.r.IntN(3) != 0 {
		return
	}
	if q.dynamic && q.r.IntN(2) == 0 { // the first three always stay voters
		fmt.Fprintf(b, "   %s controller-%d\n", [...]string{"add-voter", "remove-voter"}[q.r.IntN(2)], 104+q.r.IntN(2))
		return
	}
	i := q.r.IntN(int64(len(q.down)))
	name := fmt.Sprintf("controller-%d", 101+i)
	what := q.r.IntN(5)
	switch {
	case q.down[i]:
		fmt.Fprintf(b, "   start %s\n", name)
		q.down[i] = false
	case what == 0:
		fmt.Fprintf(b, "   cut %s controller-%d\n", name, 101+(i+1)%3)
	case what == 1:
		fmt.Fprintf(b, "   disk %s latency=%dms\n", name, q.r.IntN(3)*100)
	case what == 2:
		fmt.Fprintf(b, "   powerloss %s\n", name)
		q.down[i] = true
	default:
		fmt.Fprintf(b, "   crash %s\n", name)
		q.down[i] = true
	}
}

// end undoes everything.
func (q *quorumFaults) end(b *strings.Builder) {
	for i, down := range q.down {
		if down {
			fmt.Fprintf(b, "   start controller-%d\n", 101+i)
		}
		if len(q.down) > 1 {
			fmt.Fprintf(b, "   disk controller-%d latency=0\n", 101+i)
		}
	}
}
