package world

import (
	"encoding/base64"
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

// VotersMax bounds the controllers that a cluster begins with.
const VotersMax = 5

// controllerIDs lists the controllers that there are: what a process that is set
// up now gets as controller.quorum.voters, or with dynamic voters as
// controller.quorum.bootstrap.servers. Nobody edits that file later.
func (w *World) controllerIDs() (ids []kafka.NodeID) {
	for i := range w.spec.Cluster.Combined {
		ids = append(ids, kafka.NodeID(i+1))
	}
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
		vs = append(vs, raft.NewVoter(id, node.FirstDirectory(id, id < FirstController, metadata.NewStatic(w.serverProperties())), node.ControllerHost(id, id < FirstController)))
	}
	return vs
}

// controllerSpec describes a controller process, or the controller in a combined one.
func (w *World) controllerSpec(id kafka.NodeID, initial []raft.Voter) node.ControllerSpec {
	return node.ControllerSpec{
		ID: id, ClusterID: w.ClusterID(), Voters: w.controllerIDs(), Dynamic: w.spec.Cluster.KRaftVersion > 0, Initial: initial,
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
	case n+w.spec.Cluster.Combined >= ControllersMax:
		return fmt.Errorf("add %s: a cluster has at most %d controllers", c.Name, ControllersMax)
	}
	return nil
}

// addController puts a new machine with a controller into the running cluster,
// formatted with --no-initial-controllers: it follows as an observer and votes
// for nobody until it is made a voter.
func (w *World) addController(cause trace.ID) {
	spec := w.controllerSpec(kafka.NodeID(FirstController+w.spec.Cluster.Controllers), nil)
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
	c := node.ControllerOf(w.k.Actor(id))
	if c == nil {
		return nil, fmt.Errorf("%s is not a controller", name)
	}
	return c, nil
}

// voterOrder is what kafka-metadata-quorum asks for. To add a voter the tool reads the
// directory.id on the controller's disk; of one to remove describe tells it, which
// need not be the one that the controller has now.
func (w *World) voterOrder(c Command) admin.Order {
	p, err := w.controller(c.Name)
	if err != nil {
		panic("world: unchecked controller: " + err.Error())
	}
	if c.Verb == VerbAddVoter {
		return admin.AddVoter{Token: w.token(), Voter: p.ID(), Directory: p.Directory(), Host: p.Host()}
	}
	order := admin.RemoveVoter{Token: w.token(), Voter: p.ID(), Directory: p.Directory()}
	for _, other := range w.Controllers() {
		if !other.Active() {
			continue
		}
		for _, v := range other.Raft().Voters() {
			if v.ID == p.ID() {
				order.Directory = v.Directory
			}
		}
	}
	return order
}

// ClusterID is the cluster.id: 22 characters, the same for the same seed.
func (w *World) ClusterID() string { return w.cluster }

// clusterID is what kafka-storage random-uuid draws, 16 bytes in base64.
func clusterID(seed uint64) string {
	r := sim.NewRand(seed, "cluster.id")
	var id [16]byte
	for i := range id {
		id[i] = byte(r.Uint64())
	}
	id[0] &= 0x7f // none begins with a dash
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return base64.RawURLEncoding.EncodeToString(id[:])
}
