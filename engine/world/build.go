package world

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/client/admin"
	"github.com/highwater-sim/highwater/engine/client/consumer"
	"github.com/highwater-sim/highwater/engine/client/producer"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/node"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/highwater-sim/highwater/engine/trace"
)

// adminID is the admin client through which topics and configs are changed, as
// a person changes them with Kafka's tools.
const adminID = sim.FirstClient

// brokersMax bounds the brokers of a cluster.
const brokersMax = 30

// clientsMax bounds the client processes of a world, ever started.
const clientsMax = 500

// addProcesses puts controllers, brokers and the admin client into the kernel
// and starts them.
func (w *World) addProcesses() error {
	c := &w.spec.Cluster
	for _, v := range c.Configs {
		if err := CheckLogDirs(v.Name, v.Value); err != nil {
			return err
		}
	}
	if len(c.Disks()) > storage.DirectoriesMax {
		return fmt.Errorf("log.dirs and metadata.log.dir are at most %d directories", storage.DirectoriesMax)
	}
	if err := metadata.NewStatic(w.serverProperties()).Check(); err != nil {
		return err
	}
	initial := w.initialVoters()
	for i := range c.Controllers {
		w.add(sim.ActorID(FirstController+i), node.NewController(w.controllerSpec(kafka.NodeID(FirstController+i), initial)))
	}
	for i := range c.Brokers {
		if id := kafka.NodeID(i + 1); i < c.Combined {
			w.add(sim.ActorID(id), node.NewCombined(w.brokerSpec(i, ""), w.controllerSpec(id, initial)))
		} else {
			w.add(sim.ActorID(id), node.NewBroker(w.brokerSpec(i, "")))
		}
	}
	a, err := admin.New(admin.Config{ID: adminID, Name: "admin", Bootstrap: w.bootstrap(), Seed: w.spec.Seed})
	if err != nil {
		return err
	}
	w.add(adminID, a)
	return nil
}

// brokerSpec describes the i-th broker process, from 0. rack "" takes it from
// the cluster's racks in turn.
func (w *World) brokerSpec(i int, rack string) node.BrokerSpec {
	c := &w.spec.Cluster
	s := node.BrokerSpec{
		ID: kafka.NodeID(i + 1), Rack: rack, ClusterID: w.ClusterID(), Controllers: w.controllerIDs(), Dynamic: c.KRaftVersion > 0, Configs: w.serverProperties(), Seed: w.spec.Seed,
	}
	if rack == "" && len(c.Racks) > 0 {
		s.Rack = c.Racks[i%len(c.Racks)]
	}
	return s
}

// checkAdd reports why no broker of that name can join.
func (w *World) checkAdd(c Command) error {
	n := w.spec.Cluster.Brokers
	if next := w.NameOf(sim.ActorID(n + 1)); c.Name != next {
		return fmt.Errorf("add %s: the next broker is %s", c.Name, next)
	}
	if n >= brokersMax {
		return fmt.Errorf("add %s: a cluster has at most %d brokers", c.Name, brokersMax)
	}
	return nil
}

// addBroker puts a new machine with a broker into the running cluster. It
// formats its log directory, finds the controller, registers and is unfenced
// like every other; it holds nothing until something is given to it.
func (w *World) addBroker(rack string, cause trace.ID) {
	i := w.spec.Cluster.Brokers
	w.spec.Cluster.Brokers++
	id := sim.ActorID(i + 1)
	w.k.Add(id, w.NameOf(id), node.NewBroker(w.brokerSpec(i, rack)))
	w.k.Start(id, cause)
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
		Group: s.Group, Assign: s.Assign, From: s.From, Work: s.Work, CommitFirst: s.CommitFirst, Configs: settings(s.Configs),
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
	w.k.SetUser(id, s.User)
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
	case VerbCreatePartitions:
		order = admin.CreatePartitions{Token: w.token(), Name: c.Name, Count: int32(c.Count)}
	case VerbReassign, VerbCancelReassign:
		w.reassign(c, cause)
		return
	case VerbVerifyReassign:
		order = w.verify(c.Name)
	case VerbDeleteRecords:
		off := int64(-1)
		if c.To != "latest" {
			off, _ = strconv.ParseInt(c.To, 10, 64)
		}
		order = admin.DeleteRecords{Token: w.token(), TP: c.Partition, Offset: kafka.Offset(off)}
	case VerbQuota:
		order = admin.AlterQuotas{Token: w.token(), User: c.QuotaUser, Client: c.QuotaClient, Limits: c.Quotas}
	case VerbAlterLogDir:
		id, _ := w.ActorOf(c.Nodes[0])
		order = admin.AlterLogDir{Token: w.token(), Broker: id, TP: c.Partition, Path: c.Directory}
	case VerbAddVoter, VerbRemoveVoter:
		order = w.voterOrder(c)
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

// reassign orders moves, topic by topic as the throttle's configs go. The tool
// looks at the present replicas to know which brokers give.
func (w *World) reassign(c Command, cause trace.ID) {
	img := w.Image()
	moves := slices.Clone(c.Moves)
	slices.SortStableFunc(moves, func(a, b Move) int { return strings.Compare(a.TP.Topic, b.TP.Topic) })
	for len(moves) > 0 {
		n := 1
		for n < len(moves) && moves[n].TP.Topic == moves[0].TP.Topic {
			n++
		}
		var part []admin.Move
		for _, m := range moves[:n] {
			a := admin.Move{TP: m.TP, To: m.Replicas}
			if p := img.Partition(m.TP); p != nil {
				a.From = p.Replicas
			}
			part = append(part, a)
		}
		order := admin.Execute(w.token, part, c.Throttle)
		if brokers := throttled(img); c.Verb == VerbCancelReassign && len(brokers) > 0 {
			order = admin.Cancel(w.token, part, brokers)
		}
		w.k.Order(adminID, order, cause)
		moves = moves[n:]
	}
}

// verify is what takes the throttles off a topic and all brokers.
func (w *World) verify(topic string) admin.Order {
	img, n := w.Image(), 0
	if t := img.Topic(topic); t != nil {
		n = len(t.Partitions)
	}
	return admin.Verify(w.token, topic, n, throttled(img))
}

// throttled lists the brokers whose replication is throttled. The tool clears
// all brokers; the others have nothing to clear.
func throttled(img *metadata.Image) (brokers []kafka.NodeID) {
	for i := range img.Brokers {
		if id := img.Brokers[i].ID; admin.Throttled(img, id) {
			brokers = append(brokers, id)
		}
	}
	return brokers
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
