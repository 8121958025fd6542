package world

import (
	"github.com/highwater-sim/highwater/engine/client/admin"
	"github.com/highwater-sim/highwater/engine/client/consumer"
	"github.com/highwater-sim/highwater/engine/client/producer"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/node"
	"github.com/highwater-sim/highwater/engine/sim"
)

// Brokers lists the broker processes by node.id, for reading.
func (w *World) Brokers() []*node.Broker {
	out := make([]*node.Broker, 0, w.spec.Cluster.Brokers)
	for i := range w.spec.Cluster.Brokers {
		out = append(out, w.k.Actor(sim.ActorID(i+1)).(*node.Broker))
	}
	return out
}

// Controllers lists the controller processes by node.id, for reading.
func (w *World) Controllers() []*node.Controller {
	out := make([]*node.Controller, 0, w.spec.Cluster.Controllers)
	for i := range w.spec.Cluster.Controllers {
		out = append(out, w.k.Actor(sim.ActorID(FirstController+i)).(*node.Controller))
	}
	return out
}

// Producers lists the producer processes in order of starting, for reading.
func (w *World) Producers() []*producer.Producer {
	var out []*producer.Producer
	for _, c := range w.clients {
		if p, ok := w.k.Actor(c.id).(*producer.Producer); ok {
			out = append(out, p)
		}
	}
	return out
}

// Consumers lists the consumer processes in order of starting, for reading.
func (w *World) Consumers() []*consumer.Consumer {
	var out []*consumer.Consumer
	for _, c := range w.clients {
		if p, ok := w.k.Actor(c.id).(*consumer.Consumer); ok {
			out = append(out, p)
		}
	}
	return out
}

// Admin is the admin client, for reading.
func (w *World) Admin() *admin.Admin { return w.k.Actor(adminID).(*admin.Admin) }

// Image is the committed metadata as the active controller has it, the one of
// the latest epoch if an earlier one has not heard that it is deposed. Without one
// it is what the process that knows most has replayed.
func (w *World) Image() *metadata.Image {
	best, epoch := metadata.Empty(), kafka.NoEpoch
	for i := range w.spec.Cluster.Controllers {
		c := w.k.Actor(sim.ActorID(FirstController + i)).(*node.Controller)
		img := c.Image()
		switch {
		case c.Active() && c.QuorumEpoch() > epoch:
			best, epoch = img, c.QuorumEpoch()
		case epoch == kafka.NoEpoch && img != nil && img.Offset > best.Offset:
			best = img
		}
	}
	if epoch != kafka.NoEpoch {
		return best
	}
	for _, b := range w.Brokers() {
		if img := b.Image(); img != nil && img.Offset > best.Offset {
			best = img
		}
	}
	return best
}
