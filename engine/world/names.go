package world

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/sim"
)

// FirstController is the node.id of the first dedicated controller.
const FirstController = 101

// clientRef is a client process that was ever started, in order of starting.
type clientRef struct {
	name string
	id   sim.ActorID
	kind ClientKind
}

// ActorOf returns the actor that a name means: broker-1, controller-101, or a
// client's name. A combined process is broker-1 and controller-1. The error names what exists.
func (w *World) ActorOf(name string) (sim.ActorID, error) {
	for _, c := range w.clients {
		if c.name == name {
			return c.id, nil
		}
	}
	for _, p := range []struct {
		prefix       string
		first, count int
	}{{"broker-", 1, w.spec.Cluster.Brokers}, {"controller-", FirstController, w.spec.Cluster.Controllers}, {"controller-", 1, w.spec.Cluster.Combined}} {
		if n, err := strconv.Atoi(strings.TrimPrefix(name, p.prefix)); err == nil && strings.HasPrefix(name, p.prefix) {
			if n >= p.first && n < p.first+p.count {
				return sim.ActorID(n), nil
			}
		}
	}
	if IsControllerRole(name) {
		return 0, fmt.Errorf("%s: no controller is that now", name)
	}
	return 0, fmt.Errorf("%s: no such process; there are %s", name, strings.Join(w.Names(), ", "))
}

// NameOf returns what a scenario calls an actor.
func (w *World) NameOf(id sim.ActorID) string {
	switch {
	case id == adminID:
		return "admin"
	case id.IsClient():
		for _, c := range w.clients {
			if c.id == id {
				return c.name
			}
		}
		return "client-" + strconv.Itoa(int(id))
	case id >= FirstController:
		return "controller-" + strconv.Itoa(int(id))
	}
	return "broker-" + strconv.Itoa(int(id))
}

// Names lists every process: brokers, controllers, clients. A combined process is
// named after its broker.
func (w *World) Names() []string {
	var out []string
	for i := range w.spec.Cluster.Brokers {
		out = append(out, "broker-"+strconv.Itoa(i+1))
	}
	for i := range w.spec.Cluster.Controllers {
		out = append(out, "controller-"+strconv.Itoa(FirstController+i))
	}
	for _, c := range w.clients {
		out = append(out, c.name)
	}
	return out
}
