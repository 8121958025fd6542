package world

import (
	"github.com/highwater-sim/highwater/engine/client/admin"
	"github.com/highwater-sim/highwater/engine/client/consumer"
	"github.com/highwater-sim/highwater/engine/client/producer"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/node"
	"github.com/highwater-sim/highwater/engine/sim"
)

// Brokers lists the broker processes by node.id, for reading.
func (w *World) Brokers() []*node.Broker {
	return w.AppendBrokers(make([]*node.Broker, 0, w.spec.Cluster.Brokers))
}

// AppendBrokers appends what Brokers lists.
func (w *World) AppendBrokers(out []*node.Broker) []*node.Broker {
	for i := range w.spec.Cluster.Brokers {
		out = append(out, node.BrokerOf(w.k.Actor(sim.ActorID(i+1))))
	}
	return out
}

// controllerAt is the i-th controller by node.id, from 0: combined ones first.
func (w *World) controllerAt(i int) sim.ActorID {
	if n := w.spec.Cluster.Combined; i >= n {
		return sim.ActorID(FirstController + i - n)
	}
	return sim.ActorID(i + 1)
}

// Controllers lists the controllers by node.id, for reading: those in processes of
// their own and those in combined ones.
func (w *World) Controllers() []*node.Controller {
	c := &w.spec.Cluster
	return w.AppendControllers(make([]*node.Controller, 0, c.Combined+c.Controllers))
}

// AppendControllers appends what Controllers lists.
func (w *World) AppendControllers(out []*node.Controller) []*node.Controller {
	for i := range w.spec.Cluster.Combined + w.spec.Cluster.Controllers {
		out = append(out, node.ControllerOf(w.k.Actor(w.controllerAt(i))))
	}
	return out
}

// Producers lists the producer processes in order of starting, for reading.
func (w *World) Producers() []*producer.Producer { return w.AppendProducers(nil) }

// AppendProducers appends what Producers lists.
func (w *World) AppendProducers(out []*producer.Producer) []*producer.Producer {
	for _, c := range w.clients {
		if p, ok := w.k.Actor(c.id).(*producer.Producer); ok {
			out = append(out, p)
		}
	}
	return out
}

// Consumers lists the consumer processes in order of starting, for reading.
func (w *World) Consumers() []*consumer.Consumer { return w.AppendConsumers(nil) }

// AppendConsumers appends what Consumers lists.
func (w *World) AppendConsumers(out []*consumer.Consumer) []*consumer.Consumer {
	for _, c := range w.clients {
		if p, ok := w.k.Actor(c.id).(*consumer.Consumer); ok {
			out = append(out, p)
		}
	}
	return out
}

// Admin is the admin client, for reading.
func (w *World) Admin() *admin.Admin { return w.k.Actor(adminID).(*admin.Admin) }

// Image is the committed metadata: what the process that knows most has replayed.
// That is the active controller, unless there is none, or one that has not heard
// that it is deposed.
func (w *World) Image() *metadata.Image {
	var best *metadata.Image
	for i := range w.spec.Cluster.Combined + w.spec.Cluster.Controllers {
		c := node.ControllerOf(w.k.Actor(w.controllerAt(i)))
		if img := c.Image(); img != nil && (best == nil || img.Offset > best.Offset || img.Offset == best.Offset && c.Active()) {
			best = img
		}
	}
	for i := range w.spec.Cluster.Brokers {
		if img := node.BrokerOf(w.k.Actor(sim.ActorID(i + 1))).Image(); img != nil && (best == nil || img.Offset > best.Offset) {
			best = img
		}
	}
	if best == nil {
		return metadata.Empty()
	}
	return best
}
