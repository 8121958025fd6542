package world

import (
	"fmt"
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/sim/net"
	"github.com/highwater-sim/highwater/engine/trace"
)

// World is a cluster, its clients and its wires at one instant.
type World struct {
	k       *sim.Kernel
	spec    Spec // as completed by New; only the numbers of brokers and controllers grow
	clients []clientRef
	tokens  int32  // orders given to the admin client so far
	cluster string // cluster.id
	onEvent func()
}

// The cluster boots at bootAt and must be ready at instant 0; topics are created
// from topicsAt on. A quorum of several gets electionTime more, to elect its leader.
const (
	bootAt   = -10 * kafka.Instant(kafka.Second)
	topicsAt = -6 * kafka.Instant(kafka.Second)

	electionTime = 10 * kafka.Second
)

// New builds the world of a spec and runs it to instant 0. An error names what
// is wrong with the spec, or what did not come up.
func New(spec Spec) (*World, error) {
	spec, err := complete(spec)
	if err != nil {
		return nil, err
	}
	c := &spec.Cluster
	start := bootAt
	if c.Controllers+c.Combined > 1 {
		start = start.Add(-electionTime)
	}
	w := &World{spec: spec, k: sim.New(spec.Seed, start, net.Quality{Latency: c.Latency, Jitter: c.Jitter, Bandwidth: c.Bandwidth})}
	w.k.Hooks.Size = messageSize
	w.cluster = clusterID(spec.Seed)
	if err := w.addProcesses(); err != nil {
		return nil, err
	}
	w.run(topicsAt)
	for _, t := range spec.Topics {
		w.createTopic(t, 0)
	}
	w.run(0)
	if err := w.ready(); err != nil {
		return nil, err
	}
	for _, c := range spec.Clients {
		if err := w.checkClient(c); err != nil {
			return nil, err
		}
		w.startClient(c, 0)
	}
	return w, nil
}

// complete fills in the defaults of a spec and checks it.
func complete(s Spec) (Spec, error) {
	c := &s.Cluster
	if c.Brokers < 1 || c.Brokers > brokersMax {
		return s, fmt.Errorf("cluster brokers=%d: 1 to %d are possible", c.Brokers, brokersMax)
	}
	if c.Controllers == 0 && c.Combined == 0 {
		c.Controllers = 1
	}
	if c.Combined < 0 || c.Combined > min(c.Brokers, VotersMax) {
		return s, fmt.Errorf("cluster combined=%d: 0 to %d of the %d brokers can be controllers as well", c.Combined, min(c.Brokers, VotersMax), c.Brokers)
	}
	if n := c.Controllers + c.Combined; c.Controllers < 0 || n > VotersMax {
		return s, fmt.Errorf("cluster controllers=%d: 1 to %d controllers are possible, combined ones included", n, VotersMax)
	}
	if c.KRaftVersion < 0 || c.KRaftVersion > 1 {
		return s, fmt.Errorf("cluster kraft.version=%d: 0 and 1 are possible", c.KRaftVersion)
	}
	if c.Latency == 0 {
		c.Latency = kafka.Millisecond
	}
	if c.Jitter == 0 {
		c.Jitter = 200 * kafka.Microsecond
	}
	s.Topics, s.Clients = slices.Clone(s.Topics), slices.Clone(s.Clients)
	for i := range s.Topics {
		completeTopic(&s.Topics[i], c.Brokers)
	}
	for i := range s.Clients {
		completeClient(&s.Clients[i])
	}
	return s, nil
}

func completeTopic(t *TopicSpec, brokers int) {
	if t.Partitions == 0 {
		t.Partitions = max(1, len(t.Assignment))
	}
	if t.ReplicationFactor == 0 {
		t.ReplicationFactor = min(3, brokers)
		if len(t.Assignment) > 0 {
			t.ReplicationFactor = len(t.Assignment[0])
		}
	}
}

func completeClient(c *ClientSpec) {
	if c.ValueBytes == 0 {
		c.ValueBytes = 100
	}
}

// ready reports what is missing at instant 0.
func (w *World) ready() error {
	img := w.Image()
	for i := range w.spec.Cluster.Brokers {
		id := kafka.NodeID(i + 1)
		if b := img.Broker(id); b == nil || b.Fenced {
			return fmt.Errorf("broker-%d did not come up before the scenario's start", id)
		}
	}
	for _, t := range w.spec.Topics {
		if img.Topic(t.Name) == nil {
			why := w.adminFailure(t.Name)
			return fmt.Errorf("topic %s could not be created: %s", t.Name, why)
		}
	}
	return nil
}

func (w *World) run(until kafka.Instant) {
	w.RunUntil(until)
}

// RunUntil lets everything happen that is due by t, and sets the clock to t.
func (w *World) RunUntil(t kafka.Instant) {
	for at, ok := w.k.Next(); ok && at <= t; at, ok = w.k.Next() {
		w.StepEvent()
	}
	w.k.AdvanceTo(t)
}

// StepEvent lets the next event happen. It returns false if there is none.
func (w *World) StepEvent() bool {
	before := w.k.Events()
	if !w.k.Step() {
		return false
	}
	if w.onEvent != nil && w.k.Events() != before {
		w.onEvent()
	}
	return true
}

// OnEvent sets what is called after every event of an actor.
func (w *World) OnEvent(f func()) { w.onEvent = f }

// OnNote sets what is called with every note.
func (w *World) OnNote(f func(*trace.Note)) { w.k.Hooks.Note = f }

// SetDone has every message that has been dealt with passed to f; tests spoil them
// there.
func (w *World) SetDone(f func(sim.Message)) { w.k.Hooks.Done = f }

// SetRecode makes every message pass through f; tests encode and decode there.
func (w *World) SetRecode(f func(sim.Message) sim.Message) { w.k.Hooks.Recode = f }

// Now is the current instant.
func (w *World) Now() kafka.Instant { return w.k.Now() }

// Next is the instant of the next event.
func (w *World) Next() (kafka.Instant, bool) { return w.k.Next() }

// Events counts the events of actors so far, the boot included.
func (w *World) Events() uint64 { return w.k.Events() }

// LastNote is the id of the latest note.
func (w *World) LastNote() trace.ID { return w.k.LastNote() }

// Spec is what the world was built from, with the defaults filled in;
// Cluster.Brokers and Cluster.Controllers count those that joined later, too.
func (w *World) Spec() *Spec { return &w.spec }

// Kernel gives read access to processes, links and messages on their way.
func (w *World) Kernel() *sim.Kernel { return w.k }

// Clone returns a copy that shares only what never changes. Hooks are not
// copied.
func (w *World) Clone() *World {
	c := *w
	c.k, c.clients, c.onEvent = w.k.Clone(), slices.Clone(w.clients), nil
	c.k.Hooks.Size = messageSize
	return &c
}

// Digest writes the world's whole state.
func (w *World) Digest(h *sim.Hash) {
	w.k.Digest(h)
	h.Int(int64(w.tokens))
	for _, c := range w.clients {
		h.String(c.name)
		h.Int(int64(c.id))
	}
}
