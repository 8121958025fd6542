package world

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/node"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/sim/net"
	"github.com/highwater-sim/highwater/engine/trace"
)

// Check reports why a command cannot be carried out now; nil if it can.
func (w *World) Check(c Command) error {
	c.Nodes, c.Peers = w.expand(c.Verb, c.Nodes), w.expand(c.Verb, c.Peers)
	for _, name := range append(append([]string(nil), c.Nodes...), c.Peers...) {
		if _, err := w.ActorOf(name); err != nil {
			return err
		}
	}
	switch c.Verb {
	case VerbStart:
		return w.each(c.Nodes, func(name string, id sim.ActorID) error {
			if w.k.Up(id) {
				return fmt.Errorf("start %s: it is running", name)
			}
			return nil
		})
	case VerbCrash, VerbStop, VerbFreeze:
		return w.each(c.Nodes, w.mustRun)
	case VerbThaw:
		return w.each(c.Nodes, func(name string, id sim.ActorID) error {
			if !w.k.Frozen(id) {
				return fmt.Errorf("thaw %s: it is not frozen", name)
			}
			return nil
		})
	case VerbPowerLoss:
		return w.each(c.Nodes, func(name string, id sim.ActorID) error {
			if !w.k.Powered(id) {
				return fmt.Errorf("powerloss %s: it has no power already", name)
			}
			return nil
		})
	case VerbDisk:
		if c.Directory == "" {
			return w.each(c.Nodes, w.mustBeNode)
		}
		return w.each(c.Nodes, func(name string, id sim.ActorID) error { return w.checkDirectory(c, name, id) })
	case VerbSync:
		return w.each(c.Nodes, w.mustBeNode)
	case VerbWipe:
		return w.each(c.Nodes, func(name string, id sim.ActorID) error {
			if err := w.mustBeNode(name, id); err != nil || !w.k.Up(id) {
				return err
			}
			return fmt.Errorf("wipe %s: it is running; stop or crash it first", name)
		})
	case VerbAlterLogDir:
		return w.each(c.Nodes, w.mustBeBroker)
	case VerbCorrupt:
		return w.each(c.Nodes, func(name string, id sim.ActorID) error { return w.checkCorrupt(c, name, id) })
	case VerbCut, VerbHeal, VerbLink:
		return w.checkLink(c)
	case VerbAddBroker:
		return w.checkAdd(c)
	case VerbAddController:
		return w.checkAddController(c)
	case VerbAddVoter, VerbRemoveVoter:
		_, err := w.controller(c.Name)
		return err
	case VerbClient:
		return w.checkClient(c.Client)
	case VerbProduce, VerbRate:
		return w.mustBe(c.Name, ClientProducer)
	case VerbSeek, VerbCommit:
		return w.mustBe(c.Name, ClientConsumer)
	case VerbPause, VerbResume:
		return w.mustBe(c.Name, ClientProducer, ClientConsumer)
	}
	return nil
}

func (w *World) each(names []string, f func(string, sim.ActorID) error) error {
	if len(names) == 0 {
		return errors.New("name at least one process")
	}
	for _, name := range names {
		id, err := w.ActorOf(name)
		if err == nil {
			err = f(name, id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *World) mustRun(name string, id sim.ActorID) error {
	if !w.k.Up(id) {
		return fmt.Errorf("%s is not running", name)
	}
	if w.k.Frozen(id) {
		return fmt.Errorf("%s is frozen: thaw it first", name)
	}
	return nil
}

func (w *World) mustBeBroker(name string, id sim.ActorID) error {
	if node.BrokerOf(w.k.Actor(id)) == nil {
		return fmt.Errorf("%s is not a broker", name)
	}
	return nil
}

func (w *World) mustBeNode(name string, id sim.ActorID) error {
	if id.IsClient() {
		return fmt.Errorf("%s is a client: only brokers and controllers have a disk", name)
	}
	return nil
}

func (w *World) mustBe(name string, kinds ...ClientKind) error {
	for _, c := range w.clients {
		if c.name != name {
			continue
		}
		for _, k := range kinds {
			if c.kind == k {
				return w.mustRun(name, c.id)
			}
		}
		return fmt.Errorf("%s is a %s", name, c.kind)
	}
	_, err := w.ActorOf(name)
	if err == nil {
		err = fmt.Errorf("%s is not a client", name)
	}
	return err
}

func (w *World) checkLink(c Command) error {
	if c.Verb == VerbHeal && len(c.Nodes) == 0 && len(c.Peers) == 0 {
		return nil
	}
	if len(c.Nodes) == 0 || len(c.Peers) == 0 {
		return errors.New("name both ends of the link: cut broker-1 broker-2,broker-3")
	}
	for _, a := range c.Nodes {
		for _, b := range c.Peers {
			from, _ := w.ActorOf(a)
			if to, _ := w.ActorOf(b); from == to {
				return fmt.Errorf("%s has no link to itself", a)
			}
		}
	}
	return nil
}

// Do carries out a command at the current instant. The caller has let all
// events of this instant happen before. If it cannot be done, nothing changes
// but a note that says why.
func (w *World) Do(c Command) error {
	if err := w.Check(c); err != nil {
		w.k.Note(trace.Note{Kind: trace.Command, Say: c.Text + " (not done: " + err.Error() + ")"}, 0)
		return err
	}
	cause := w.k.Note(trace.Note{Kind: trace.Command, Say: c.Text}, 0)
	c.Nodes, c.Peers = w.expand(c.Verb, c.Nodes), w.expand(c.Verb, c.Peers)
	switch c.Verb {
	case VerbCut, VerbHeal, VerbLink:
		w.doLink(c, cause)
	case VerbTopic, VerbDeleteTopic, VerbConfig, VerbElect, VerbReassign, VerbCancelReassign, VerbVerifyReassign, VerbCreatePartitions,
		VerbDeleteRecords, VerbQuota, VerbAlterLogDir, VerbAddVoter, VerbRemoveVoter:
		w.doAdmin(c, cause)
	case VerbAddBroker:
		w.addBroker(c.Rack, cause)
	case VerbAddController:
		w.addController(cause)
	case VerbClient:
		w.startClient(c.Client, cause)
	case VerbProduce, VerbSeek, VerbCommit, VerbPause, VerbResume, VerbRate:
		w.doClient(c, cause)
	default:
		for _, name := range c.Nodes {
			id, _ := w.ActorOf(name)
			w.doProcess(c, id, cause)
		}
	}
	return nil
}

// doProcess carries out a command that concerns one process or its machine.
func (w *World) doProcess(c Command, id sim.ActorID, cause trace.ID) {
	switch c.Verb {
	case VerbCrash:
		w.kill(id, false, cause)
	case VerbPowerLoss:
		w.kill(id, true, cause)
	case VerbStart:
		w.k.Start(id, cause)
	case VerbStop:
		w.k.Order(id, node.Shutdown{}, cause)
	case VerbFreeze:
		w.k.Freeze(id)
	case VerbThaw:
		w.k.Thaw(id)
	case VerbDisk:
		if c.Latency >= 0 {
			w.machineOrder(id, node.SlowDisk{Latency: c.Latency}, cause)
		}
		if c.Capacity != 0 {
			w.machineOrder(id, node.DiskCapacity{Bytes: c.Capacity}, cause)
		}
		if c.Directory != "" {
			w.machineOrder(id, node.FailDirectory{Path: c.Directory, Repair: c.Repair}, cause)
		}
	case VerbCorrupt:
		off, _ := strconv.ParseInt(c.To, 10, 64)
		w.machineOrder(id, node.FlipBit{TP: c.Partition, Offset: kafka.Offset(off), Length: c.Name == "length"}, cause)
	case VerbSync:
		w.machineOrder(id, node.Sync{}, cause)
	case VerbWipe:
		w.wipe(id, cause)
	}
}

func (w *World) kill(id sim.ActorID, powerLoss bool, cause trace.ID) {
	p := w.k.Actor(id).(node.Process)
	lost := p.Crash(w.Now(), powerLoss)
	n := trace.Note{Kind: trace.Crash, Node: kafka.NodeID(id)}
	if powerLoss {
		n.Kind, n.N = trace.PowerLoss, lost
	}
	if id.IsClient() {
		n.Node, n.Who = 0, w.NameOf(id)
	}
	w.k.Kill(id, powerLoss, w.k.Note(n, cause))
}

// machineOrder reaches the machine whether its process runs or not: a disk is
// slow, and sync(1) flushes, without a broker too.
func (w *World) machineOrder(id sim.ActorID, order any, cause trace.ID) {
	if w.k.Up(id) && !w.k.Frozen(id) {
		w.k.Order(id, order, cause)
		return
	}
	if m, ok := w.k.Actor(id).(node.Machine); ok {
		m.OrderMachine(w.Now(), order)
	}
}

func (w *World) doLink(c Command, cause trace.ID) {
	if c.Verb == VerbHeal && len(c.Nodes) == 0 {
		for _, l := range w.k.ChangedLinks() {
			if l.Cut {
				w.heal(sim.ActorID(l.From), sim.ActorID(l.To), cause)
			}
		}
		return
	}
	for _, a := range c.Nodes {
		for _, b := range c.Peers {
			from, _ := w.ActorOf(a)
			to, _ := w.ActorOf(b)
			w.doOneLink(c, from, to, cause)
			if !c.OneWay {
				w.doOneLink(c, to, from, cause)
			}
		}
	}
}

func (w *World) doOneLink(c Command, from, to sim.ActorID, cause trace.ID) {
	switch c.Verb {
	case VerbCut:
		if !w.k.IsCut(from, to) {
			w.k.Cut(from, to)
			w.k.Note(trace.Note{Kind: trace.LinkCut, Node: kafka.NodeID(to), Peer: kafka.NodeID(from)}, cause)
		}
	case VerbHeal:
		if w.k.IsCut(from, to) {
			w.heal(from, to, cause)
		}
	case VerbLink:
		w.k.SetLink(from, to, net.Quality{Latency: c.Latency, Jitter: c.Jitter, Bandwidth: c.Bandwidth})
	}
}

func (w *World) heal(from, to sim.ActorID, cause trace.ID) {
	w.k.Note(trace.Note{Kind: trace.LinkHealed, Node: kafka.NodeID(from), Peer: kafka.NodeID(to)}, cause)
	w.k.Heal(from, to)
}

// String is the kind's word in the scenario language.
func (k ClientKind) String() string {
	if k == ClientConsumer {
		return "consumer"
	}
	return "producer"
}
