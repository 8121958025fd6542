package controller

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
)

// ids reads "1,2,3"; "" is none.
func ids(s string) []kafka.NodeID {
	var l []kafka.NodeID
	for f := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ',' }) {
		var n kafka.NodeID
		if _, err := fmt.Sscan(f, &n); err != nil {
			panic(err)
		}
		l = append(l, n)
	}
	return l
}

// show prints what a record changes, in the order of the fields.
func show(r *metadata.PartitionChangeRecord) string {
	if r == nil {
		return "no change"
	}
	var s []string
	add := func(name string, l []kafka.NodeID) {
		if l != nil {
			s = append(s, name+" "+nodes(l))
		}
	}
	add("isr", r.ISR)
	if r.Leader != metadata.NoLeaderChange {
		s = append(s, fmt.Sprintf("leader %d", r.Leader))
	}
	if r.RecoveryState != metadata.NoRecoveryStateChange {
		s = append(s, fmt.Sprintf("recovery %d", r.RecoveryState))
	}
	add("elr", r.ELR)
	add("last", r.LastKnownELR)
	return strings.Join(s, ", ")
}

// The rules of PartitionChangeBuilder, one case each. "dead" are the replicas
// that are not acceptable as leaders.
func TestPartitionChange(t *testing.T) {
	for _, c := range []struct {
		name                     string
		replicas, isr, elr, last string
		leader                   kafka.NodeID
		recovering               bool
		target                   string // ISR; "=": as it is, "-": empty
		dead, unclean            string
		min                      int
		elect                    election
		noELR, lastELR           bool // lastELR: last known ELR holds replicas, not the last leader
		recovered                bool // the leader says that it has recovered
		want                     string
	}{
		{name: "nothing", replicas: "1,2,3", isr: "1,2,3", leader: 1, target: "=", min: 2, want: "no change"},
		{name: "leader stays though another is preferred", replicas: "1,2,3", isr: "1,2,3", leader: 2, target: "=", min: 2, want: "no change"},
		{name: "preferred", replicas: "1,2,3", isr: "3,2,1", leader: 2, target: "=", min: 2, elect: electPrefer, want: "leader 1"},
		{name: "preferred is dead", replicas: "1,2,3", isr: "2,3", leader: 2, target: "=", dead: "1", min: 2, elect: electPrefer, want: "no change"},
		{name: "first in assignment order, not in ISR order", replicas: "1,2,3", isr: "3,2,1", leader: 1, target: "3,2", dead: "1", min: 1, want: "isr {3,2}, leader 2"},
		{name: "shrink keeps the leader and its epoch", replicas: "1,2,3", isr: "1,2,3", leader: 1, target: "1,3", min: 2, want: "isr {1,3}"},
		{name: "expand", replicas: "1,2,3", isr: "1,2", leader: 1, target: "1,2,3", min: 2, want: "isr {1,2,3}"},

		// Without ELR the last member stays in the ISR, dead or not.
		{name: "last in ISR dies, no ELR", replicas: "1,2,3", isr: "2", leader: 2, target: "-", dead: "2", min: 2, noELR: true, want: "leader -1"},
		{name: "unclean election", replicas: "1,2,3", isr: "2", leader: 2, target: "-", dead: "2", min: 2, noELR: true, elect: electUnclean, want: "isr {1}, leader 1, recovery 1"},
		{name: "no unclean election while one of the ISR lives", replicas: "1,2,3", isr: "3", leader: -1, target: "=", min: 2, noELR: true, elect: electUnclean, want: "leader 3"},
		{name: "unclean while recovering", replicas: "1,2,3", isr: "2", leader: 2, recovering: true, target: "-", dead: "2", min: 2, noELR: true, elect: electUnclean, want: "isr {1}, leader 1"},
		{name: "recovered", replicas: "1,2,3", isr: "1", leader: 1, recovering: true, target: "=", min: 2, noELR: true, recovered: true, want: "recovery 0"},

		// KIP-966, the published cases.
		{name: "R09 T0: ISR at min", replicas: "0,1,2", isr: "0,1,2", leader: 0, target: "1,2", dead: "0", min: 2, want: "isr {1,2}, leader 1"},
		{name: "R09 T1: ISR below min", replicas: "0,1,2", isr: "1,2", leader: 1, target: "2", dead: "0,1", min: 2, want: "isr {2}, leader 2, elr {1}"},
		{name: "R09 T2: unclean shutdown of the last", replicas: "0,1,2", isr: "2", elr: "1", leader: 2, target: "-", dead: "0,1,2", unclean: "2", min: 2, want: "isr {}, leader -1, last {2}"},
		{name: "R09 T3: ELR member returns", replicas: "0,1,2", isr: "", elr: "1", last: "2", leader: -1, target: "=", dead: "2", min: 2, want: "isr {1}, leader 1, elr {}, last {}"},
		{name: "shrink below min", replicas: "1,2,3,4", isr: "1,2,3,4", leader: 1, target: "1,2", dead: "3", min: 3, elect: electPrefer, want: "isr {1,2}, elr {3,4}"},
		{name: "expand to min clears", replicas: "1,2,3,4", isr: "1,2", elr: "3", last: "4", leader: 1, target: "1,2,3", dead: "3", min: 3, elect: electPrefer, lastELR: true, want: "isr {1,2,3}, elr {}, last {}"},
		{name: "new member not from ELR", replicas: "1,2,3,4", isr: "1", elr: "3", last: "2", leader: 1, target: "1,4", dead: "3", min: 3, elect: electPrefer, lastELR: true, want: "isr {1,4}"},
		{name: "unclean shutdown leaves ELR", replicas: "1,2,3,4", isr: "1", elr: "2,3", leader: 1, target: "=", dead: "3", unclean: "3", min: 3, elect: electPrefer, lastELR: true, want: "elr {2}, last {3}"},
		{name: "ELR is sorted", replicas: "4,3,2,1", isr: "4,3,2,1", leader: 4, target: "4", min: 3, want: "isr {4}, elr {1,2,3}"},
		{name: "elected from ELR in assignment order", replicas: "1,2,3", isr: "", elr: "2,3", last: "1", leader: -1, target: "=", dead: "1", min: 2, want: "isr {2}, leader 2, elr {3}, last {}"},
		{name: "ISR before ELR", replicas: "1,2,3", isr: "3", elr: "1,2", leader: -1, target: "=", min: 2, want: "leader 3"},

		// The last known leader, when nobody else is left.
		{name: "last leader returns", replicas: "1,2,3", isr: "", last: "2", leader: -1, target: "=", dead: "1,3", min: 2, want: "isr {2}, leader 2, recovery 1, last {}"},
		{name: "last leader is dead", replicas: "1,2,3", isr: "", last: "2", leader: -1, target: "=", dead: "2", min: 2, want: "no change"},
		{name: "not while ELR has members", replicas: "1,2,3", isr: "", elr: "3", last: "2", leader: -1, target: "=", dead: "1,3", min: 2, want: "no change"},
		{name: "more than one last known", replicas: "1,2,3", isr: "", last: "2,3", leader: -1, target: "=", dead: "1", min: 2, want: "no change"},
		{name: "ELR is switched off", replicas: "1,2,3", isr: "1", elr: "2", leader: 1, target: "=", min: 2, noELR: true, want: "elr {}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &metadata.Partition{
				Replicas: ids(c.replicas), ISR: ids(c.isr), ELR: ids(c.elr), LastKnownELR: ids(c.last), Leader: c.leader, Recovering: c.recovering,
			}
			target := ids(strings.Trim(c.target, "=-"))
			if c.target == "=" {
				target = p.ISR
			}
			b := change{
				p: p, replicas: p.Replicas, isr: target, unclean: ids(c.unclean), minISR: c.min, elr: !c.noELR, lastLeader: !c.lastELR, election: c.elect,
				recovering: c.recovering && !c.recovered,
				acceptable: func(n kafka.NodeID) bool { return !slices.Contains(ids(c.dead), n) },
			}
			if got := show(b.build()); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}
