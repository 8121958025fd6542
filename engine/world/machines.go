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

// CheckLogDirs reports what is wrong with a value of log.dirs or metadata.log.dir;
// other configs pass.
func CheckLogDirs(name, value string) error {
	if name != logDirsConfig && (name != metadataDirConfig || value == "") {
		return nil
	}
	paths := broker.Paths(value)
	for i, p := range paths {
		switch {
		case !strings.HasPrefix(p, "/"):
			return fmt.Errorf("%s names paths, as log.dirs=/d1,/d2; %q is none", name, p)
		case slices.Contains(paths[:i], p):
			return fmt.Errorf("%s names %s twice", name, p)
		}
	}
	switch {
	case len(paths) > storage.DirectoriesMax:
		return fmt.Errorf("%s has at most %d directories", name, storage.DirectoriesMax)
	case name == metadataDirConfig && len(paths) > 1:
		return fmt.Errorf("%s is one directory, not %s", name, value)
	}
	return nil
}

const (
	logDirsConfig     = "log.dirs"
	metadataDirConfig = "metadata.log.dir"
)

func (c *ClusterSpec) config(name string) string {
	for _, v := range c.Configs {
		if v.Name == name {
			return v.Value
		}
	}
	return kafka.LookupConfig(kafka.ScopeBroker, name).Default
}

// LogDirs are the paths of every broker's log directories.
func (c *ClusterSpec) LogDirs() []string { return broker.Paths(c.config(logDirsConfig)) }

// Disks are LogDirs, and metadata.log.dir if it is none of them.
func (c *ClusterSpec) Disks() []string {
	disks := c.LogDirs()
	if m := c.config(metadataDirConfig); m != "" && !slices.Contains(disks, m) {
		disks = append(disks, m)
	}
	return disks
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
