package world

import (
	"fmt"

	"github.com/highwater-sim/highwater/engine/client/admin"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/node"
	"github.com/highwater-sim/highwater/engine/raft"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
)

// ControllersMax bounds the controllers of a cluster, those that join later
// included.
const ControllersMax = 9

// controllerIDs lists the controllers that there are: what a process that is set
// up now gets as controller.quorum.voters, or with dynamic voters as
// controller.quorum.bootstrap.servers. Nobody edits that file later.
func (w *World) controllerIDs() (ids []kafka.NodeID) {
	for i := range w.spec.Cluster.Controllers {
		ids = append(ids, kafka.NodeID(FirstController+i))
	}
	return ids
}

// serverProperties are the configs of all nodes.
func (w *World) serverProperties() (cs []metadata.ConfigValue) {
	for _, v := range w.spec.Cluster.Configs {
		cs = append(cs, metadata.ConfigValue{Name: v.Name, Value: v.Value})
	}
	return cs
}

// initialVoters are those that the first controllers are formatted with; nil with
// kraft.version 0.
func (w *World) initialVoters() (vs []raft.Voter) {
	if w.spec.Cluster.KRaftVersion == 0 {
		return nil
	}
	for _, id := range w.controllerIDs() {
		vs = append(vs, raft.Voter{ID: id, Directory: node.ControllerDirectory(id)})
	}
	return vs
}

// controllerSpec describes the i-th controller process, from 0.
func (w *World) controllerSpec(i int, initial []raft.Voter) node.ControllerSpec {
	return node.ControllerSpec{
		ID: kafka.NodeID(FirstController + i), Voters: w.controllerIDs(), Dynamic: w.spec.Cluster.KRaftVersion > 0, Initial: initial,
		Configs: w.serverProperties(), Seed: w.spec.Seed,
	}
}

// checkAddController reports why no controller of that name can join.
func (w *World) checkAddController(c Command) error {
	n := w.spec.Cluster.Controllers
	next := w.NameOf(sim.ActorID(FirstController + n))
	switch {
	case w.spec.Cluster.KRaftVersion == 0:
		return fmt.Errorf("add %s: controller.quorum.voters does not name it, and it will not start; controllers join with kraft.version=1", c.Name)
	case c.Name != next:
		return fmt.Errorf("add %s: the next controller is %s", c.Name, next)
	case n >= ControllersMax:
		return fmt.Errorf("add %s: a cluster has at most %d controllers", c.Name, ControllersMax)
	}
	return nil
}

// addController puts a new machine with a controller into the running cluster,
// formatted with --no-initial-controllers: it follows as an observer and votes
// for nobody until it is made a voter.
func (w *World) addController(cause trace.ID) {
	i := w.spec.Cluster.Controllers
	spec := w.controllerSpec(i, nil)
	w.spec.Cluster.Controllers++
	id := sim.ActorID(spec.ID)
	w.k.Add(id, w.NameOf(id), node.NewController(spec))
	w.k.Start(id, cause)
}

// controller is the controller of a name.
func (w *World) controller(name string) (*node.Controller, error) {
	if IsControllerRole(name) {
		name = w.inRole(name)
	}
	id, err := w.ActorOf(name)
	if err != nil {
		return nil, err
	}
	c, ok := w.k.Actor(id).(*node.Controller)
	if !ok {
		return nil, fmt.Errorf("%s is not a controller", name)
	}
	return c, nil
}

// voterOrder is what kafka-metadata-quorum asks for. The tool reads the
// directory.id on the controller's disk, or has it from describe.
func (w *World) voterOrder(c Command) admin.Order {
	p, err := w.controller(c.Name)
	if err != nil {
		panic("world: unchecked controller: " + err.Error())
	}
	if c.Verb == VerbRemoveVoter {
		return admin.RemoveVoter{Token: w.token(), Voter: p.ID(), Directory: node.ControllerDirectory(p.ID())}
	}
	return admin.AddVoter{Token: w.token(), Voter: p.ID(), Directory: node.ControllerDirectory(p.ID())}
}
