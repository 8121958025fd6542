package main

import (
	"fmt"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
)

// dirFaults draws failures of the second of two log directories, in half of the
// seeds without a power loss: a directory that comes back after it is a crash.
type dirFaults struct {
	r      sim.Rand
	f      *faults
	on     bool
	failed [soakBrokers]bool // the disk is broken
	missed [soakBrokers]bool // the process may have given the directory up
}

func newDirFaults(seed uint64, f *faults) *dirFaults {
	d := &dirFaults{r: sim.NewRand(seed, "soak/directories"), f: f}
	d.on = d.r.IntN(2) == 0 && !f.power
	return d
}

// header is a line of the scenario's header. A broker that is cut off from the
// controller must not give up.
func (d *dirFaults) header() string {
	if !d.on {
		return ""
	}
	return "broker all log.dirs=/d1,/d2 log.dir.failure.timeout.ms=600000\n"
}

// next writes what happens to a disk at the instant of the last line, in one case
// of four.
func (d *dirFaults) next(b *strings.Builder) {
	if !d.on || d.r.IntN(4) != 0 {
		return
	}
	i := d.r.IntN(soakBrokers)
	if d.f.brokers[i] == frozen {
		return
	}
	what := "fail"
	if d.failed[i] {
		what = "repair"
	}
	fmt.Fprintf(b, "   disk broker-%d %s=/d2\n", i+1, what)
	d.failed[i], d.missed[i] = !d.failed[i], true
}

// repair makes every disk good.
func (d *dirFaults) repair(b *strings.Builder) {
	for i, failed := range d.failed {
		if failed {
			fmt.Fprintf(b, "   disk broker-%d repair=/d2\n", i+1)
		}
	}
}

// restart has the brokers take their directories back, a while after.
func (d *dirFaults) restart(b *strings.Builder, at kafka.Duration) {
	for i, missed := range d.missed {
		if missed {
			fmt.Fprintf(b, "at %s crash broker-%d\n", at, i+1)
			at += 2 * kafka.Second
			fmt.Fprintf(b, "at %s start broker-%d\n", at, i+1)
		}
	}
}
