package client

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Metadata is a client's view of the cluster and the rules by which it is
// refreshed (clients/Metadata.java, NetworkClient.DefaultMetadataUpdater).
type Metadata struct {
	cfg MetadataConfig

	version    int64         // counts the changes
	brokers    []sim.ActorID // of the last response, sorted; a new slice each time
	controller kafka.NodeID
	topics     []Topic // in the order in which they were asked for

	need       bool  // an update was asked for
	attempts   int32 // failed updates in a row
	equivalent int32 // updates in a row that changed nothing
	allowAt    kafka.Instant
	refreshed  kafka.Instant // last success
	corr       int32         // of the request in flight; 0: none
	from       sim.ActorID
	asked      int32 // topics in the request in flight
	rng        sim.Rand
}

// MetadataConfig is what a Metadata needs to know for good.
type MetadataConfig struct {
	Name       string        // the client's, for notes
	Bootstrap  []sim.ActorID // bootstrap.servers, sorted
	MaxAge     kafka.Duration
	Backoff    Backoff
	AutoCreate bool // allow.auto.create.topics
}

// Topic is a topic as the client knows it.
type Topic struct {
	Name  string
	ID    kafka.TopicID
	Err   kafka.ErrorCode // of the last response
	Known bool            // the last response described it
	Parts []Leader        // by partition; a new slice with every change
}

// Leader is who leads a partition.
type Leader struct {
	Node  kafka.NodeID // NoNode: nobody that is alive
	Epoch kafka.LeaderEpoch
}

// NewMetadata returns a Metadata that wants its first update.
func NewMetadata(cfg MetadataConfig, rng sim.Rand) Metadata {
	return Metadata{cfg: cfg, controller: kafka.NoNode, need: true, allowAt: -kafka.Never, refreshed: -kafka.Never, rng: rng}
}

// Version counts the changes of leaders and topics; equal versions, equal view.
func (m *Metadata) Version() int64 { return m.version }

// Brokers lists the brokers that can be talked to: those of the last response,
// or bootstrap.servers before the first. The slice must not be changed.
func (m *Metadata) Brokers() []sim.ActorID {
	if len(m.brokers) == 0 {
		return m.cfg.Bootstrap
	}
	return m.brokers
}

// Topics lists the topics, in an order that never changes. Read only.
func (m *Metadata) Topics() []Topic { return m.topics }

// Topic returns a topic by its index.
func (m *Metadata) Topic(i int) *Topic { return &m.topics[i] }

// Add makes the client interested in a topic and returns its index. A new topic
// asks for an update at once, whatever back-off there is
// (Metadata.requestUpdateForNewTopics).
func (m *Metadata) Add(name string) int {
	for i := range m.topics {
		if m.topics[i].Name == name {
			return i
		}
	}
	m.topics = append(m.topics, Topic{Name: name})
	m.need, m.allowAt, m.equivalent = true, -kafka.Never, 0
	return len(m.topics) - 1
}

// ByID returns the index of the topic in a response, which names it by id or by
// name; -1 if the client does not know it.
func (m *Metadata) ByID(id [16]byte, name string) int {
	for i := range m.topics {
		if t := &m.topics[i]; t.ID == id && id != [16]byte{} || name != "" && t.Name == name {
			return i
		}
	}
	return -1
}

// Leader returns who leads a partition; NoNode if the client knows of nobody.
func (m *Metadata) Leader(topic int, partition int32) Leader {
	if t := &m.topics[topic]; t.Known && int(partition) < len(t.Parts) {
		return t.Parts[partition]
	}
	return Leader{kafka.NoNode, kafka.NoEpoch}
}

// Request asks for an update as soon as the back-off allows.
func (m *Metadata) Request() { m.need = true }

// Wake is when an update is due; Never while one is under way.
func (m *Metadata) Wake() kafka.Instant {
	switch {
	case m.corr != 0:
		return kafka.Never
	case m.need:
		return m.allowAt
	}
	return max(m.allowAt, m.refreshed.Add(m.cfg.MaxAge))
}

// Poll sends a request if one is due and a broker can be reached; if none is
// connected it begins to connect (DefaultMetadataUpdater.maybeUpdate).
func (m *Metadata) Poll(now kafka.Instant, net *Net, out *sim.Out) {
	if m.corr != 0 || m.Wake() > now {
		return
	}
	id, ok := net.LeastLoaded(now, m.Brokers(), sim.ChanClient)
	if !ok { // metadata.recovery.strategy=rebootstrap (KIP-899)
		if id, ok = net.LeastLoaded(now, m.cfg.Bootstrap, sim.ChanClient); !ok {
			net.Want(m.Brokers(), sim.ChanClient)
			net.Want(m.cfg.Bootstrap, sim.ChanClient)
			return
		}
	}
	if !net.Connect(now, id, sim.ChanClient, out) {
		return
	}
	req := kmsg.NewPtrMetadataRequest()
	req.Version = 13
	req.AllowAutoTopicCreation = m.cfg.AutoCreate
	req.Topics = make([]kmsg.MetadataRequestTopic, len(m.topics))
	for i := range m.topics {
		req.Topics[i] = kmsg.NewMetadataRequestTopic()
		req.Topics[i].Topic = &m.topics[i].Name
	}
	m.need, m.asked = false, int32(len(m.topics))
	m.corr, m.from = net.Send(id, sim.ChanClient, req, out), id
}

// Mine reports whether an input is the answer to the request in flight.
func (m *Metadata) Mine(in *sim.Input) bool {
	return m.corr != 0 && in.Corr == m.corr && in.From == m.from && in.Channel == sim.ChanClient
}

// Heard takes the answer to the request in flight and reports whether the view
// changed.
func (m *Metadata) Heard(now kafka.Instant, in *sim.Input, out *sim.Out) (changed bool) {
	asked := int(m.asked)
	m.corr, m.asked = 0, 0
	resp, ok := in.Response.(*kmsg.MetadataResponse)
	if in.Kind != sim.InputResponse || !ok || len(resp.Brokers) == 0 {
		m.need = true // no answer, or from a broker that knows nobody yet
		m.allowAt = now.Add(m.cfg.Backoff.After(m.attempts, &m.rng))
		m.attempts++
		return false
	}
	changed = m.setBrokers(resp)
	for i := range resp.Topics {
		if m.setTopic(&resp.Topics[i]) {
			changed = true
		}
	}
	m.attempts, m.refreshed = 0, now
	wait := m.cfg.Backoff.After(0, &m.rng)
	if changed {
		m.equivalent = 0
		m.version++
		out.Note(trace.Note{Kind: trace.MetadataUpdated, Who: m.cfg.Name, N: m.version})
	} else if m.equivalent++; m.equivalent > 1 {
		wait = max(wait, m.cfg.Backoff.After(m.equivalent-1, &m.rng))
	}
	m.allowAt = now.Add(wait)
	if asked < len(m.topics) { // topics came in while it was under way
		m.need, m.allowAt = true, now
	}
	return changed
}

func (m *Metadata) setBrokers(resp *kmsg.MetadataResponse) (changed bool) {
	brokers := make([]sim.ActorID, len(resp.Brokers))
	for i := range resp.Brokers {
		brokers[i] = sim.ActorID(resp.Brokers[i].NodeID)
	}
	slices.Sort(brokers)
	changed = !slices.Equal(brokers, m.brokers)
	m.brokers = brokers
	m.controller = kafka.NodeID(resp.ControllerID)
	return changed
}

// setTopic takes in one topic of a response. A leader with an older epoch than
// the one known is stale news and does not count (Metadata.updateLatestMetadata,
// KIP-320).
func (m *Metadata) setTopic(r *kmsg.MetadataResponseTopic) (changed bool) {
	i := -1
	if r.Topic != nil {
		i = m.ByID([16]byte{}, *r.Topic)
	}
	if i < 0 {
		return false
	}
	t := &m.topics[i]
	was := *t
	t.Err = kafka.ErrorCode(r.ErrorCode)
	if t.Err != kafka.None {
		if InvalidMetadata(t.Err) {
			m.need = true
		}
		t.Known = t.Known && t.Err == kafka.LeaderNotAvailable
		return t.Err != was.Err || t.Known != was.Known
	}
	fresh := !was.Known || was.ID != kafka.TopicID(r.TopicID)
	t.Known, t.ID = true, kafka.TopicID(r.TopicID)
	parts := make([]Leader, len(r.Partitions))
	for j := range parts {
		parts[j] = Leader{kafka.NoNode, kafka.NoEpoch}
	}
	for j := range r.Partitions {
		p := &r.Partitions[j]
		if int(p.Partition) >= len(parts) || p.Partition < 0 {
			continue
		}
		parts[p.Partition] = m.leaderOf(p)
		if !fresh && int(p.Partition) < len(was.Parts) && was.Parts[p.Partition].Epoch > parts[p.Partition].Epoch {
			parts[p.Partition] = was.Parts[p.Partition]
		}
	}
	t.Parts = parts
	return fresh || was.Err != kafka.None || !slices.Equal(parts, was.Parts)
}

func (m *Metadata) leaderOf(p *kmsg.MetadataResponseTopicPartition) Leader {
	l := Leader{kafka.NodeID(p.Leader), kafka.LeaderEpoch(p.LeaderEpoch)}
	if InvalidMetadata(kafka.ErrorCode(p.ErrorCode)) {
		m.need = true
	}
	if _, alive := slices.BinarySearch(m.brokers, sim.ActorID(p.Leader)); !alive {
		l.Node = kafka.NoNode
	}
	return l
}

// Hint takes a newer leader out of a produce or fetch response (KIP-951) and
// reports whether it was news.
func (m *Metadata) Hint(topic int, partition int32, node int32, epoch int32) bool {
	t := &m.topics[topic]
	if node < 0 || epoch < 0 || !t.Known || partition < 0 || int(partition) >= len(t.Parts) || t.Parts[partition].Epoch >= kafka.LeaderEpoch(epoch) {
		return false
	}
	t.Parts = slices.Clone(t.Parts)
	t.Parts[partition] = Leader{kafka.NodeID(node), kafka.LeaderEpoch(epoch)}
	if at, ok := slices.BinarySearch(m.brokers, sim.ActorID(node)); !ok {
		m.brokers = slices.Insert(slices.Clone(m.brokers), at, sim.ActorID(node))
	}
	m.version++
	return true
}

// InvalidMetadata reports whether a code is one of Kafka's
// InvalidMetadataExceptions: it means that the client asked the wrong broker.
func InvalidMetadata(c kafka.ErrorCode) bool {
	switch c {
	case kafka.UnknownTopicOrPartition, kafka.LeaderNotAvailable, kafka.NotLeaderOrFollower, kafka.ReplicaNotAvailable,
		kafka.NetworkException, kafka.KafkaStorageError, kafka.FencedLeaderEpoch, kafka.UnknownTopicID, kafka.InconsistentTopicID:
		return true
	}
	return false
}

// Clone returns a copy.
func (m *Metadata) Clone() Metadata {
	c := *m
	c.topics = slices.Clone(m.topics)
	return c
}

// Digest writes the state.
func (m *Metadata) Digest(h *sim.Hash) {
	h.Int(m.version)
	h.Int(int64(m.controller))
	h.Int(int64(len(m.brokers)))
	for _, b := range m.brokers {
		h.Int(int64(b))
	}
	h.Int(int64(len(m.topics)))
	for i := range m.topics {
		t := &m.topics[i]
		h.String(t.Name)
		h.Bytes(t.ID[:])
		h.Int(int64(t.Err))
		h.Bool(t.Known)
		h.Int(int64(len(t.Parts)))
		for _, l := range t.Parts {
			h.Int(int64(l.Node))
			h.Int(int64(l.Epoch))
		}
	}
	h.Bool(m.need)
	h.Int(int64(m.attempts))
	h.Int(int64(m.equivalent))
	h.Int(int64(m.allowAt))
	h.Int(int64(m.refreshed))
	h.Int(int64(m.corr))
	h.Int(int64(m.from))
	h.Int(int64(m.asked))
	m.rng.Digest(h)
}

// Restarted returns the Metadata of a new life of the process: it knows nothing.
func (m *Metadata) Restarted() Metadata {
	c := NewMetadata(m.cfg, m.rng)
	c.version = m.version
	return c
}
