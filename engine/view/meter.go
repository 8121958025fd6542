package view

import (
	"slices"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/highwater-sim/highwater/engine/world"
)

// trailMax is how many samples a metric keeps: two minutes, one a second.
const trailMax = 120

// Meter samples, once a second of virtual time, the numbers that people watch.
// It goes back in time with the world.
type Meter struct {
	next    kafka.Instant
	acked   int64
	slowest int64 // of this second's acks, in ms
	unclean int64 // unclean elections so far
	fromELR int64 // elections from the ELR so far
	shrinks int64 // of ISRs so far
	expands int64
	trails  [len(meters)][]int64
}

// meters are the metrics by Kafka's names: an MBean, and its attribute where a client
// has many of them in one. They are summed up over all that export them; what Kafka
// gives per second is counted.
var meters = [...]struct{ name, label, unit string }{
	{"kafka.producer:type=producer-metrics,client-id=* record-send-rate", "produce", "rec/s"},
	{"kafka.consumer:type=consumer-fetch-manager-metrics,client-id=*,topic=*,partition=* records-lag", "lag", ""},
	{"kafka.server:type=ReplicaManager,name=UnderReplicatedPartitions", "under-replicated", ""},
	{"kafka.producer:type=producer-metrics,client-id=* request-latency-max", "ack latency max", "ms"},
	{"kafka.server:type=ReplicaManager,name=UnderMinIsrPartitionCount", "under min ISR", ""},
	{"kafka.server:type=ReplicaManager,name=AtMinIsrPartitionCount", "at min ISR", ""},
	{"kafka.controller:type=KafkaController,name=OfflinePartitionsCount", "offline", ""},
	{"kafka.server:type=ReplicaManager,name=ReassigningPartitions", "reassigning", ""},
	{"kafka.controller:type=KafkaController,name=PreferredReplicaImbalanceCount", "preferred imbalance", ""},
	{"kafka.controller:type=KafkaController,name=ActiveControllerCount", "active controllers", ""},
	{"kafka.controller:type=KafkaController,name=FencedBrokerCount", "fenced brokers", ""},
	{"kafka.controller:type=ControllerStats,name=UncleanLeaderElectionsPerSec", "unclean elections", "in all"},
	{"kafka.controller:type=ControllerStats,name=ElectionFromEligibleLeaderReplicasPerSec", "elections from ELR", "in all"},
	{"kafka.server:type=ReplicaManager,name=IsrShrinksPerSec", "ISR shrinks", "in all"},
	{"kafka.server:type=ReplicaManager,name=IsrExpandsPerSec", "ISR expands", "in all"},
	{"kafka.server:type=ReplicaManager,name=OfflineReplicaCount", "offline replicas", ""},
	{"kafka.log:type=LogManager,name=OfflineLogDirectoryCount", "offline log directories", ""},
}

// NewMeter starts measuring at the world's present moment.
func NewMeter(w *world.World) *Meter { return &Meter{next: w.Now().Add(kafka.Second)} }

// Noted counts what a note says.
func (m *Meter) Noted(n *trace.Note) {
	switch n.Kind {
	case trace.ProduceAcked:
		m.acked += n.N
		m.slowest = max(m.slowest, n.Took.Millis())
	case trace.LeaderElected:
		m.unclean += one(n.Say == "unclean")
		m.fromELR += one(n.Say == "elr")
	case trace.ISRChanged:
		from, to, _ := strings.Cut(n.Say, " -> ")
		m.shrinks += one(strings.Count(to, ",") < strings.Count(from, ",") || to == "{}")
		m.expands += one(strings.Count(to, ",") > strings.Count(from, ",") || from == "{}")
	}
}

// Happened takes a sample for every second that has ended.
func (m *Meter) Happened(w *world.World) {
	for w.Now() >= m.next {
		m.sample(w)
		m.next = m.next.Add(kafka.Second)
	}
}

func (m *Meter) sample(w *world.World) {
	c := countPartitions(w)
	now := [len(meters)]int64{
		m.acked, lagOf(w), c.under, m.slowest,
		c.underMin, c.atMin, c.offline, c.reassigning, c.imbalance, activeControllers(w), fencedBrokers(w), m.unclean, m.fromELR,
		m.shrinks, m.expands, 0, 0,
	}
	offline := now[len(now)-2:]
	offline[0], offline[1] = offlineReplicas(w)
	for i, v := range now {
		t := m.trails[i]
		if len(t) >= 2*trailMax {
			t = append(make([]int64, 0, 2*trailMax), t[len(t)-trailMax:]...)
		}
		m.trails[i] = append(t, v)
	}
	m.acked, m.slowest = 0, 0
}

func lagOf(w *world.World) (lag int64) {
	for _, c := range w.Consumers() {
		for _, a := range c.Assignment(nil) {
			lag += max(a.Lag, 0)
		}
	}
	return lag
}

// counts are the gauges that brokers export for the partitions that they lead,
// summed up, and those of the controller (ReplicaManager.scala,
// ControllerMetadataMetrics.java). Kafka's own topics count as well.
type counts struct{ under, underMin, atMin, offline, reassigning, imbalance int64 }

func countPartitions(w *world.World) (c counts) {
	img, static := w.Image(), w.Controllers()[0].Static()
	for _, t := range img.Topics {
		floor := img.MinISR(t, kafka.NoNode, static)
		for _, p := range t.Partitions {
			if p == nil {
				continue
			}
			c.under += one(p.Leader != kafka.NoNode && p.UnderReplicated())
			c.underMin += one(p.Leader != kafka.NoNode && len(p.ISR) < floor)
			c.atMin += one(p.Leader != kafka.NoNode && len(p.ISR) == floor)
			c.offline += one(p.Leader == kafka.NoNode)
			c.reassigning += one(p.Reassigning())
			c.imbalance += one(p.Leader != p.Replicas[0])
		}
	}
	return c
}

func activeControllers(w *world.World) (n int64) {
	for _, c := range w.Controllers() {
		n += one(c.Active())
	}
	return n
}

func fencedBrokers(w *world.World) (n int64) {
	for i := range w.Image().Brokers {
		n += one(w.Image().Brokers[i].Fenced)
	}
	return n
}

// offlineReplicas counts the log directories that running brokers have given up, and
// the replicas in them.
func offlineReplicas(w *world.World) (replicas, dirs int64) {
	for _, n := range w.Brokers() {
		if n.Broker() == nil {
			continue
		}
		gone := n.OfflineDirectories()
		if dirs += int64(len(gone)); len(gone) == 0 {
			continue
		}
		for _, e := range n.Dir().Entries() {
			replicas += one(e.Partition.Topic != kafka.TopicMetadata && slices.Contains(gone, n.Directories()[e.In]))
		}
	}
	return replicas, dirs
}

// Fill puts the metrics into a read model. The trails are the meter's own; they
// may be read until it measures again.
func (m *Meter) Fill(into *Cluster) {
	into.Metrics = sized(into.Metrics, len(meters))
	for i, d := range meters {
		t := m.trails[i]
		t = t[max(0, len(t)-trailMax):]
		v := Metric{Name: d.name, Label: d.label, Unit: d.unit, Trail: t}
		if len(t) > 0 {
			v.Value = t[len(t)-1]
		}
		into.Metrics[i] = v
	}
}

// Clone returns a copy that shares nothing that changes.
func (m *Meter) Clone() *Meter {
	c := *m
	for i, t := range m.trails {
		c.trails[i] = t[:len(t):len(t)] // what is there never changes
	}
	return &c
}
