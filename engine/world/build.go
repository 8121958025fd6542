package world

import (
	"fmt"
	"strconv"

	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/client/admin"
	"github.com/highwater-sim/highwater/engine/client/consumer"
	"github.com/highwater-sim/highwater/engine/client/producer"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/node"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
)

// adminID is the admin client through which topics and configs are changed, as
// a person changes them with Kafka's tools.
const adminID = sim.FirstClient

// clientsMax bounds the client processes of a world, ever started.
const clientsMax = 500

// addProcesses puts controllers, brokers and the admin client into the kernel
// and starts them.
func (w *World) addProcesses() error {
	c := &w.spec.Cluster
	var static []metadata.ConfigValue
	for _, v := range c.Configs {
		static = append(static, metadata.ConfigValue{Name: v.Name, Value: v.Value})
	}
	if err := metadata.NewStatic(static).Check(); err != nil {
		return err
	}
	var voters []kafka.NodeID
	for i := range c.Controllers {
		voters = append(voters, kafka.NodeID(FirstController+i))
	}
	for _, id := range voters {
		w.add(sim.ActorID(id), node.NewController(node.ControllerSpec{ID: id, Voters: voters, Configs: static, Seed: w.spec.Seed}))
	}
	for i := range c.Brokers {
		s := node.BrokerSpec{ID: kafka.NodeID(i + 1), Controllers: voters, Configs: static, Seed: w.spec.Seed}
		if len(c.Racks) > 0 {
			s.Rack = c.Racks[i%len(c.Racks)]
		}
		w.add(sim.ActorID(s.ID), node.NewBroker(s))
	}
	a, err := admin.New(admin.Config{ID: adminID, Name: "admin", Bootstrap: w.bootstrap(), Seed: w.spec.Seed})
	if err != nil {
		return err
	}
	w.add(adminID, a)
	return nil
}

func (w *World) add(id sim.ActorID, p sim.Actor) {
	w.k.Add(id, w.NameOf(id), p)
	w.k.Start(id, 0)
}

func (w *World) bootstrap() []sim.ActorID {
	var ids []sim.ActorID
	for i := range w.spec.Cluster.Brokers {
		ids = append(ids, sim.ActorID(i+1))
	}
	return ids
}

func settings(cs []Config) []client.Setting {
	var out []client.Setting
	for _, c := range cs {
		out = append(out, client.Setting{Name: c.Name, Value: c.Value})
	}
	return out
}

// newClient makes a client process; the error names what is wrong with its
// spec.
func (w *World) newClient(id sim.ActorID, s ClientSpec) (sim.Actor, error) {
	if s.Kind == ClientProducer {
		return producer.New(producer.Config{
			ID: id, Name: s.Name, Bootstrap: w.bootstrap(), Seed: w.spec.Seed,
			Topic: s.Topic, Partition: s.Partition, RatePer1000s: s.RatePer1000s, Count: s.Count,
			Keys: s.Keys, ValueBytes: s.ValueBytes, Configs: settings(s.Configs),
		})
	}
	return consumer.New(consumer.Config{
		ID: id, Name: s.Name, Bootstrap: w.bootstrap(), Seed: w.spec.Seed,
		Group: s.Group, Assign: s.Assign, From: s.From, Work: s.Work, Configs: settings(s.Configs),
	})
}

// checkClient reports what is wrong with a client that is to be started.
func (w *World) checkClient(s ClientSpec) error {
	if _, err := w.ActorOf(s.Name); err == nil {
		return fmt.Errorf("%s: that name is taken", s.Name)
	}
	if len(w.clients) >= clientsMax {
		return fmt.Errorf("%s: a world holds at most %d clients", s.Name, clientsMax)
	}
	_, err := w.newClient(adminID+1, s)
	return err
}

// startClient starts a client that was checked.
func (w *World) startClient(s ClientSpec, cause trace.ID) {
	id := adminID + 1 + sim.ActorID(len(w.clients))
	completeClient(&s)
	p, err := w.newClient(id, s)
	if err != nil {
		panic("world: unchecked client: " + err.Error())
	}
	w.clients = append(w.clients, clientRef{s.Name, id, s.Kind})
	w.k.Add(id, s.Name, p)
	w.k.Start(id, cause)
}

// doClient gives a client process its order.
func (w *World) doClient(c Command, cause trace.ID) {
	id, _ := w.ActorOf(c.Name)
	var order any
	switch c.Verb {
	case VerbProduce:
		r := &c.Record
		order = producer.Produce{
			Topic: r.Topic, Partition: r.Partition, Key: r.Key, HasKey: r.HasKey,
			Value: r.Value, Tombstone: r.Tombstone, Timestamp: r.Timestamp, N: max(r.N, 1),
		}
	case VerbSeek:
		order = node.Seek{TP: c.Partition, To: c.To}
	case VerbCommit:
		order = node.Commit{}
	case VerbPause:
		order = node.Pause{On: true}
	case VerbResume:
		order = node.Pause{On: false}
	case VerbRate:
		order = node.Rate{Per1000s: c.Rate}
	}
	w.k.Order(id, order, cause)
}

// createTopic orders a topic from the admin client.
func (w *World) createTopic(t TopicSpec, cause trace.ID) {
	completeTopic(&t, w.spec.Cluster.Brokers)
	w.k.Order(adminID, admin.CreateTopic{
		Token: w.token(), Name: t.Name, Partitions: int32(t.Partitions), ReplicationFactor: int16(t.ReplicationFactor),
		Assignment: t.Assignment, Configs: settings(t.Configs),
	}, cause)
}

func (w *World) token() int32 {
	w.tokens++
	return w.tokens
}

// doAdmin orders from the admin client what Kafka's tools do.
func (w *World) doAdmin(c Command, cause trace.ID) {
	var order admin.Order
	switch c.Verb {
	case VerbTopic:
		w.createTopic(c.Topic, cause)
		return
	case VerbDeleteTopic:
		order = admin.DeleteTopic{Token: w.token(), Name: c.Name}
	case VerbElect:
		order = admin.ElectLeaders{Token: w.token(), TPs: []kafka.TopicPartition{c.Partition}, Unclean: c.Unclean}
	case VerbConfig:
		a := admin.AlterConfigs{Token: w.token(), Type: metadata.ResourceBroker, Configs: settings(c.Configs)}
		switch c.ConfigOf {
		case ConfigOfTopic:
			a.Type, a.Name = metadata.ResourceTopic, c.Name
		case ConfigOfBroker:
			if id, err := w.ActorOf(c.Name); err == nil {
				a.Name = strconv.Itoa(int(id))
			}
		}
		order = a
	}
	w.k.Order(adminID, order, cause)
}

// adminFailure says why the admin client could not create a topic.
func (w *World) adminFailure(topic string) string {
	for _, r := range w.Admin().Results() {
		if r.What == "create topic "+topic && r.Code != kafka.None {
			return r.Code.String() + ": " + r.Message
		}
	}
	return "no broker has answered"
}
