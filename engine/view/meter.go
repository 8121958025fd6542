package view

import (
	"slices"

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
	trails  [len(meters)][]int64
}

// meters are the metrics by Kafka's names.
var meters = [...]struct{ name, label, unit string }{
	{"kafka.producer:type=producer-metrics,name=record-send-rate", "produce", "rec/s"},
	{"kafka.consumer:type=consumer-fetch-manager-metrics,name=records-lag", "lag", ""},
	{"kafka.server:type=ReplicaManager,name=UnderReplicatedPartitions", "under-replicated", ""},
	{"kafka.producer:type=producer-metrics,name=request-latency-max", "ack latency max", "ms"},
}

// NewMeter starts measuring at the world's present moment.
func NewMeter(w *world.World) *Meter { return &Meter{next: w.Now().Add(kafka.Second)} }

// Noted counts what a note says.
func (m *Meter) Noted(n *trace.Note) {
	if n.Kind == trace.ProduceAcked {
		m.acked += n.N
		m.slowest = max(m.slowest, n.Took.Millis())
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
	now := [len(meters)]int64{m.acked, lagOf(w), underReplicated(w), m.slowest}
	for i, v := range now {
		t := m.trails[i]
		if len(t) >= 2*trailMax {
			t = append(t[:0], t[len(t)-trailMax:]...)
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

func underReplicated(w *world.World) (n int64) {
	for _, t := range w.Image().Topics {
		for _, p := range t.Partitions {
			if p != nil && len(p.ISR) < len(p.Replicas) {
				n++
			}
		}
	}
	return n
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
		c.trails[i] = slices.Clone(t[max(0, len(t)-trailMax):])
	}
	return &c
}
