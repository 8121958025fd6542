package world

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/broker"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/node"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/highwater-sim/highwater/engine/trace"
)

// expand puts machines in the place of their groups: all brokers and controllers
// for all, the brokers of a rack for rack-a. Of a group only those count to which
// the verb can be done.
func (w *World) expand(v Verb, names []string) []string {
	var out []string
	for _, name := range names {
		if IsControllerRole(name) {
			out = append(out, w.inRole(name))
			continue
		}
		rack, isRack := strings.CutPrefix(name, "rack-")
		if _, err := w.ActorOf(name); err == nil || name != "all" && !isRack {
			out = append(out, name)
			continue
		}
		for _, b := range w.Brokers() { // combined processes among them
			if !isRack || b.Spec().Rack == rack {
				out = w.applicable(v, sim.ActorID(b.ID()), out)
			}
		}
		if isRack {
			continue
		}
		for i := range w.spec.Cluster.Controllers { // those in processes of their own
			out = w.applicable(v, sim.ActorID(FirstController+i), out)
		}
	}
	return out
}

// Names that stand for one controller, by what it is at the time of the command:
// elections are random, so a script cannot know its node.id.
const (
	roleActive  = "controller-active"  // leads the quorum
	roleStandby = "controller-standby" // the first voter that runs and does not lead
	roleDown    = "controller-down"    // the first that does not run
)

// IsControllerRole reports whether a name stands for a controller by its role.
func IsControllerRole(name string) bool {
	return name == roleActive || name == roleStandby || name == roleDown
}

// inRole is the name of the controller in a role; the role itself if none is.
func (w *World) inRole(role string) string {
	for _, c := range w.Controllers() {
		is := roleDown
		if c.Running() {
			if is = roleStandby; c.Active() {
				is = roleActive
			} else if !c.IsVoter(c.ID()) {
				continue
			}
		}
		if is == role {
			return w.NameOf(sim.ActorID(c.ID()))
		}
	}
	return role
}

// applicable appends a process of a group if the verb can be done to it.
func (w *World) applicable(v Verb, id sim.ActorID, to []string) []string {
	ok := true
	switch v {
	case VerbStart, VerbWipe:
		ok = !w.k.Up(id)
	case VerbCrash, VerbStop, VerbFreeze:
		ok = w.k.Up(id) && !w.k.Frozen(id)
	case VerbThaw:
		ok = w.k.Frozen(id)
	case VerbPowerLoss:
		ok = w.k.Powered(id)
	}
	if ok {
		to = append(to, w.NameOf(id))
	}
	return to
}

// checkDirectory reports why a log directory of a machine can not fail or be
// repaired.
func (w *World) checkDirectory(c Command, name string, id sim.ActorID) error {
	b := node.BrokerOf(w.k.Actor(id))
	if b == nil {
		return fmt.Errorf("%s is not a broker", name)
	}
	in := slices.Index(b.Directories(), c.Directory)
	switch {
	case w.k.Frozen(id):
		return fmt.Errorf("%s is frozen: thaw it first", name)
	case in < 0:
		return fmt.Errorf("%s has no log directory %s; log.dirs=%s", name, c.Directory, strings.Join(b.Directories(), ","))
	case c.Repair && !b.Dir().Failed(in):
		return fmt.Errorf("%s of %s has not failed", c.Directory, name)
	case !c.Repair && b.Dir().Failed(in):
		return fmt.Errorf("%s of %s has failed already", c.Directory, name)
	}
	return nil
}

// CheckLogDirs reports what is wrong with a value of log.dirs.
func CheckLogDirs(value string) error {
	paths := broker.Paths(value)
	for i, p := range paths {
		switch {
		case !strings.HasPrefix(p, "/"):
			return fmt.Errorf("log.dirs lists paths, as log.dirs=/d1,/d2; %q is none", p)
		case slices.Contains(paths[:i], p):
			return fmt.Errorf("log.dirs names %s twice", p)
		}
	}
	if len(paths) > storage.DirectoriesMax {
		return fmt.Errorf("log.dirs has at most %d directories", storage.DirectoriesMax)
	}
	return nil
}

// LogDirs are the paths of every broker's log directories.
func (c *ClusterSpec) LogDirs() []string {
	value := kafka.LookupConfig(kafka.ScopeBroker, "log.dirs").Default
	for _, v := range c.Configs {
		if v.Name == "log.dirs" {
			value = v.Value
		}
	}
	return broker.Paths(value)
}

// checkCorrupt reports why no bit of a record can flip on a machine.
func (w *World) checkCorrupt(c Command, name string, id sim.ActorID) error {
	b := node.BrokerOf(w.k.Actor(id))
	if b == nil {
		return fmt.Errorf("%s is not a broker", name)
	}
	l := b.Dir().Get(c.Partition)
	if l == nil {
		return fmt.Errorf("%s has no replica of %s", name, c.Partition)
	}
	off, err := strconv.ParseInt(c.To, 10, 64)
	if err != nil {
		return fmt.Errorf("corrupt: %s is not an offset", c.To)
	}
	return l.Clone().Corrupt(kafka.Offset(off), c.Name == "length")
}

// wipe replaces the disks of a machine. With kraft.version 0 its controller is the
// voter that it was, with 1 another one (KIP-853).
func (w *World) wipe(id sim.ActorID, cause trace.ID) {
	p := w.k.Actor(id)
	n := trace.Note{Kind: trace.DiskFormatted, Node: id.Node()}
	switch c := node.ControllerOf(p); {
	case c == nil:
		n.N = node.BrokerOf(p).Dir().Size()
	case c.Dynamic():
		n.N, n.Say = c.Dir().Size(), trace.AnotherVoter
	default:
		n.N, n.Say = c.Dir().Size(), trace.SameVoter
	}
	w.k.Note(n, cause)
	w.machineOrder(id, node.Format{}, cause)
}
