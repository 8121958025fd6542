package node

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
)

// Combined is a process with process.roles=broker,controller: both servers in one
// JVM, on one machine, with one node.id, one metadata log and one quorum replica
// between them (server/KafkaRaftServer.scala, SharedServer.scala).
//
//	            ┌ broker ─ group coordinator      its requests to the active controller
//	process ────┤    ^ image                      go over the network, also to itself
//	            ├ raft replica (a voter) ── metadata log
//	            └ controller
//
// What is sent to the controller's listener comes over sim.ChanControl and
// sim.ChanRaft; all else is the broker's.
type Combined struct {
	*machine
	broker     *Broker
	controller *Controller
}

var _ Process = (*Combined)(nil)

// NewCombined returns a process with both roles that is down, on a machine that was
// just formatted. Both specs must have the same node.id and configs.
func NewCombined(b BrokerSpec, c ControllerSpec) *Combined {
	if b.ID != c.ID {
		panic("node: the roles of a combined process have one node.id")
	}
	p := &Combined{broker: NewBroker(b), controller: NewController(c)}
	p.machine = p.broker.machine
	p.machine.snaps = p.controller.snaps
	p.share(p.machine)
	return p
}

// share has both roles use one machine.
func (p *Combined) share(m *machine) {
	p.machine, p.broker.machine, p.controller.machine = m, m, m
	p.controller.beside = p.broker
}

// Broker is its broker role.
func (p *Combined) Broker() *Broker { return p.broker }

// Controller is its controller role.
func (p *Combined) Controller() *Controller { return p.controller }

// Step implements sim.Actor.
func (p *Combined) Step(now kafka.Instant, in *sim.Input, out *sim.Out) {
	b, c := p.broker, p.controller
	quorum := in.Kind == sim.InputBoot || forController(in)
	switch {
	case in.Kind == sim.InputBoot:
		if !p.boot(now, in, out) {
			return
		}
	case c.raft == nil:
		return // nothing reaches a process that is down
	case quorum:
		c.handle(now, in, out)
	case b.broker != nil:
		b.handle(now, in, out)
	case in.Kind == sim.InputCommand:
		p.OrderMachine(now, in.Command) // a second order to end changes nothing
	case in.Kind == sim.InputRequest:
		out.CloseConn(in.Conn) // the broker has closed its sockets
	}
	if quorum && p.faulted(c.raft, out) {
		p.end()
		return
	}
	if quorum {
		c.pump(now, out)
	}
	if b.broker != nil {
		b.settle(now, quorum, out)
	}
	p.ending(now, out)
}

// forController reports whether an input is the controller's or the quorum replica's.
func forController(in *sim.Input) bool {
	switch in.Kind {
	case sim.InputTimer:
		return in.Timer.Owner == sim.OwnerRaft || in.Timer.Owner == sim.OwnerController
	case sim.InputRequest:
		return in.Channel == sim.ChanRaft || in.Channel == sim.ChanControl
	case sim.InputCommand, sim.InputBoot:
		return false
	}
	return in.Channel == sim.ChanRaft
}

// boot starts both roles: the quorum replica first, then the broker, which
// registers with whoever is the controller.
func (p *Combined) boot(now kafka.Instant, in *sim.Input, out *sim.Out) bool {
	b, c := p.broker, p.controller
	if b.lacksMetadataDir(out) {
		return false
	}
	rep, checked := p.load(now, out)
	c.create()
	b.raft = c.raft
	b.create(rep)
	c.raft.Step(now, in, out, p.files())
	b.broker.Start(now, checked, out)
	p.armPages(now, out)
	return true
}

// ending ends the process when a role is done. The broker goes first, for its
// controlled shutdown needs a controller, which may be this one; then a leader of
// the quorum hands over (KafkaRaftServer.shutdown). With the metadata log's disk
// gone nothing is handed over (Exit.halt).
func (p *Combined) ending(now kafka.Instant, out *sim.Out) {
	b, c := p.broker, p.controller
	if b.broker != nil && out.Exited() {
		if slices.Contains(b.OfflineDirectories(), p.paths[0]) {
			p.end()
			return
		}
		out.Stay()
		b.broker, b.group, b.image = nil, nil, nil
		c.raft.Shutdown(now, out, p.files())
		c.pump(now, out)
	}
	if c.raft.ShutDown(now) {
		p.dir.CloseAgain()
		p.dir.Kill() // what was not closed
		p.end()
		out.Exit()
	}
}

// Crash implements Process.
func (p *Combined) Crash(now kafka.Instant, powerLoss bool) (bytesLost int64) {
	bytesLost = p.crash(now, p.controller.raft != nil, powerLoss)
	p.end()
	return bytesLost
}

// end forgets the process.
func (p *Combined) end() {
	p.broker.end()
	p.controller.end()
}

// Clone implements sim.Actor.
func (p *Combined) Clone() sim.Actor {
	m := p.machine.clone()
	c := &Combined{broker: p.broker.cloneOn(m), controller: p.controller.cloneOn(m)}
	c.share(m)
	if p.controller.raft != nil {
		c.controller.raft = p.controller.raft.Clone()
		c.broker.raft = c.controller.raft
	}
	return c
}

// Digest implements sim.Actor.
func (p *Combined) Digest(h *sim.Hash) {
	p.machine.digest(h)
	if p.controller.raft != nil {
		p.controller.raft.Digest(h)
	}
	p.broker.digest(h)
	p.controller.digest(h)
}
