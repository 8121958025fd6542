package broker

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
)

// Metadata (API key 3), versions 1 to 13; FindCoordinator (10), 1 to 6;
// InitProducerID (22), 2 to 5, without a transactional id; ApiVersions (18),
// 0 to 4. Answered from this broker's own image, however old it is.

// handleMetadata lists unfenced brokers and the topics that were asked for
// (KRaftMetadataCache.getTopicMetadata).
func (b *Broker) handleMetadata(now kafka.Instant, in *sim.Input, req *kmsg.MetadataRequest, out *sim.Out) {
	resp := &kmsg.MetadataResponse{Version: req.Version, ControllerID: -1, AuthorizedOperations: -1 << 31}
	if b.cfg.ClusterID != "" {
		resp.ClusterID = &b.cfg.ClusterID
	}
	for i := range b.img.Brokers {
		if n := &b.img.Brokers[i]; !n.Fenced {
			resp.Brokers = append(resp.Brokers, kmsg.MetadataResponseBroker{NodeID: int32(n.ID), Host: n.Host, Port: n.Port, Rack: rackOf(n.Rack)})
		}
	}
	if n := len(resp.Brokers); n > 0 { // clients need not know the real one: any broker forwards
		resp.ControllerID = resp.Brokers[b.rand.IntN(int64(n))].NodeID
	}
	if req.Topics == nil {
		resp.Topics = make([]kmsg.MetadataResponseTopic, 0, len(b.img.Topics))
		for _, t := range b.img.Topics {
			resp.Topics = append(resp.Topics, b.describe(t))
		}
	}
	for i := range req.Topics {
		resp.Topics = append(resp.Topics, b.askedTopic(now, req, &req.Topics[i], out))
	}
	out.Reply(in.Conn, in.Corr, resp)
}

// askedTopic describes one topic of a request, which names it or gives its id.
// An unknown name may be created (auto.create.topics.enable): this answer still
// says UNKNOWN_TOPIC_OR_PARTITION and the client asks again.
func (b *Broker) askedTopic(now kafka.Instant, req *kmsg.MetadataRequest, q *kmsg.MetadataRequestTopic, out *sim.Out) kmsg.MetadataResponseTopic {
	unknown := kafka.UnknownTopicOrPartition
	var t *metadata.Topic
	switch {
	case q.Topic != nil:
		t = b.img.Topic(*q.Topic)
	default:
		t, unknown = b.img.TopicByID(q.TopicID), kafka.UnknownTopicID
	}
	if t != nil {
		return b.describe(t)
	}
	if q.Topic != nil {
		switch {
		case !validTopic(*q.Topic):
			unknown = kafka.InvalidTopic
		case req.AllowAutoTopicCreation && b.set.autoCreate:
			b.autoCreate(now, *q.Topic, out)
		}
	}
	return kmsg.MetadataResponseTopic{
		ErrorCode: int16(unknown), Topic: q.Topic, TopicID: q.TopicID,
		IsInternal: q.Topic != nil && kafka.IsInternal(*q.Topic), AuthorizedOperations: -1 << 31,
	}
}

// validTopic is Topic.isValid: 1 to 249 of a-z A-Z 0-9 . _ - and not . or ..
func validTopic(name string) bool {
	if name == "" || name == "." || name == ".." || len(name) > 249 {
		return false
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

func (b *Broker) describe(t *metadata.Topic) kmsg.MetadataResponseTopic {
	r := kmsg.MetadataResponseTopic{
		Topic: &t.Name, TopicID: t.ID, IsInternal: kafka.IsInternal(t.Name), AuthorizedOperations: -1 << 31,
		Partitions: make([]kmsg.MetadataResponseTopicPartition, len(t.Partitions)),
	}
	for i, p := range t.Partitions {
		d := &r.Partitions[i]
		d.Partition, d.Leader, d.LeaderEpoch = int32(i), int32(p.Leader), int32(p.LeaderEpoch)
		d.Replicas, d.ISR = ints(p.Replicas), ints(p.ISR)
		if !b.alive(p.Leader) {
			d.ErrorCode, d.Leader = int16(kafka.LeaderNotAvailable), -1
		}
		for _, n := range p.Replicas {
			if !b.alive(n) || !b.img.OnlineReplica(p, n) {
				d.OfflineReplicas = append(d.OfflineReplicas, int32(n))
			}
		}
	}
	return r
}

func ints(nodes []kafka.NodeID) []int32 {
	out := make([]int32, len(nodes))
	for i, n := range nodes {
		out[i] = int32(n)
	}
	return out
}

// alive reports whether a broker is registered and not fenced, as far as the
// image goes.
func (b *Broker) alive(n kafka.NodeID) bool {
	r := b.img.Broker(n)
	return r != nil && !r.Fenced
}

// autoCreate asks the controller to create a topic, once
// (DefaultAutoTopicCreationManager).
func (b *Broker) autoCreate(now kafka.Instant, topic string, out *sim.Out) {
	at, creating := slices.BinarySearch(b.creating, topic)
	if creating {
		return
	}
	b.creating = slices.Insert(slices.Clone(b.creating), at, topic)
	t := kmsg.CreateTopicsRequestTopic{Topic: topic, NumPartitions: b.set.numPartitions, ReplicationFactor: b.set.defaultRF}
	if topic == kafka.TopicOffsets {
		t.NumPartitions, t.ReplicationFactor = b.set.offsetsPartitions, b.set.offsetsRF
		t.Configs = []kmsg.CreateTopicsRequestTopicConfig{
			{Name: "cleanup.policy", Value: kmsg.StringPtr("compact")},
			{Name: "compression.type", Value: kmsg.StringPtr("producer")},
			{Name: "segment.bytes", Value: kmsg.StringPtr(itoa(b.set.offsetsSegment))},
		}
	}
	b.ask(now, controlCreate, &kmsg.CreateTopicsRequest{
		Version: 7, TimeoutMillis: int32(b.set.requestTimeout.Millis()), Topics: []kmsg.CreateTopicsRequestTopic{t},
	}, now.Add(b.set.requestTimeout), out)
}

// creationEnded lets a topic be created again: it failed, or it will be in the
// image soon.
func (b *Broker) creationEnded(req kmsg.Request) {
	for _, t := range req.(*kmsg.CreateTopicsRequest).Topics {
		b.creating = slices.DeleteFunc(slices.Clone(b.creating), func(c string) bool { return c == t.Topic })
	}
}

// The kinds of coordinator (FindCoordinatorRequest.CoordinatorType).
const coordinatorGroup = 0

func (b *Broker) handleFindCoordinator(now kafka.Instant, in *sim.Input, req *kmsg.FindCoordinatorRequest, out *sim.Out) {
	resp := &kmsg.FindCoordinatorResponse{Version: req.Version, NodeID: -1, Port: -1}
	if req.Version < 4 {
		c := b.coordinator(now, req.CoordinatorType, req.CoordinatorKey, out)
		resp.ErrorCode, resp.NodeID, resp.Host, resp.Port = c.ErrorCode, c.NodeID, c.Host, c.Port
	}
	for _, key := range req.CoordinatorKeys {
		resp.Coordinators = append(resp.Coordinators, b.coordinator(now, req.CoordinatorType, key, out))
	}
	out.Reply(in.Conn, in.Corr, resp)
}

// coordinator finds the leader of the partition of __consumer_offsets that a
// group hashes to (KafkaApis.getCoordinator). The first question creates the topic.
func (b *Broker) coordinator(now kafka.Instant, kind int8, key string, out *sim.Out) kmsg.FindCoordinatorResponseCoordinator {
	c := kmsg.FindCoordinatorResponseCoordinator{Key: key, NodeID: -1, Port: -1, ErrorCode: int16(kafka.CoordinatorNotAvailable)}
	if kind != coordinatorGroup {
		return c // no transactions yet
	}
	t := b.img.Topic(kafka.TopicOffsets)
	if t == nil {
		b.autoCreate(now, kafka.TopicOffsets, out)
		return c
	}
	p := t.Partitions[kafka.CoordinatorPartition(key, int32(len(t.Partitions)))]
	if b.alive(p.Leader) {
		n := b.img.Broker(p.Leader)
		c.NodeID, c.Host, c.Port, c.ErrorCode = int32(n.ID), n.Host, n.Port, 0
	}
	return c
}

// producerIDs is the block of ids that the controller leased to this broker
// (RPCProducerIdManager).
type producerIDs struct {
	next, end int64
	asking    bool
}

func (p *producerIDs) clone() producerIDs { return *p }

func (p *producerIDs) leased(resp *kmsg.AllocateProducerIDsResponse) {
	p.asking = false
	if resp.ErrorCode == 0 {
		p.next, p.end = resp.ProducerIDStart, resp.ProducerIDStart+int64(resp.ProducerIDLen)
	}
}

// handleInitProducerID gives a fresh producer id and epoch 0. Without an id at
// hand the client is told to ask again while a block is leased.
func (b *Broker) handleInitProducerID(now kafka.Instant, in *sim.Input, req *kmsg.InitProducerIDRequest, out *sim.Out) {
	resp := &kmsg.InitProducerIDResponse{Version: req.Version, ProducerID: -1, ProducerEpoch: -1}
	switch {
	case req.TransactionalID != nil:
		resp.ErrorCode = int16(kafka.CoordinatorNotAvailable) // no transactions yet
	case b.pids.next < b.pids.end:
		resp.ProducerID, resp.ProducerEpoch = b.pids.next, 0
		b.pids.next++
	default:
		resp.ErrorCode = int16(kafka.CoordinatorLoadInProgress)
		if !b.pids.asking {
			b.pids.asking = true
			b.ask(now, controlPIDs, &kmsg.AllocateProducerIDsRequest{BrokerID: int32(b.cfg.ID), BrokerEpoch: int64(b.life.epoch)},
				now.Add(b.set.requestTimeout), out)
		}
	}
	out.Reply(in.Conn, in.Corr, resp)
}

// served lists the APIs that a broker process answers, by key, with versions.
var served = []kmsg.ApiVersionsResponseApiKey{
	{ApiKey: 0, MinVersion: 3, MaxVersion: 13}, // Produce
	{ApiKey: 1, MinVersion: 4, MaxVersion: 18}, // Fetch
	{ApiKey: 2, MinVersion: 1, MaxVersion: 10}, // ListOffsets
	{ApiKey: 3, MinVersion: 1, MaxVersion: 13}, // Metadata
	{ApiKey: 8, MinVersion: 2, MaxVersion: 10}, // OffsetCommit
	{ApiKey: 9, MinVersion: 8, MaxVersion: 10}, // OffsetFetch
	{ApiKey: 10, MinVersion: 1, MaxVersion: 6}, // FindCoordinator
	{ApiKey: 18, MinVersion: 0, MaxVersion: 4}, // ApiVersions
	{ApiKey: 19, MinVersion: 2, MaxVersion: 7}, // CreateTopics
	{ApiKey: 20, MinVersion: 1, MaxVersion: 6}, // DeleteTopics
	{ApiKey: 22, MinVersion: 2, MaxVersion: 5}, // InitProducerID
	{ApiKey: 23, MinVersion: 2, MaxVersion: 4}, // OffsetForLeaderEpoch
	{ApiKey: 32, MinVersion: 1, MaxVersion: 4}, // DescribeConfigs
	{ApiKey: 34, MinVersion: 1, MaxVersion: 2}, // AlterReplicaLogDirs
	{ApiKey: 35, MinVersion: 1, MaxVersion: 4}, // DescribeLogDirs
	{ApiKey: 37, MinVersion: 0, MaxVersion: 3}, // CreatePartitions
	{ApiKey: 43, MinVersion: 0, MaxVersion: 2}, // ElectLeaders
	{ApiKey: 44, MinVersion: 0, MaxVersion: 1}, // IncrementalAlterConfigs
	{ApiKey: 45, MinVersion: 0, MaxVersion: 1}, // AlterPartitionAssignments
	{ApiKey: 46, MinVersion: 0, MaxVersion: 0}, // ListPartitionReassignments
	{ApiKey: 48, MinVersion: 0, MaxVersion: 1}, // DescribeClientQuotas
	{ApiKey: 49, MinVersion: 0, MaxVersion: 1}, // AlterClientQuotas
	{ApiKey: 80, MinVersion: 0, MaxVersion: 1}, // AddRaftVoter
	{ApiKey: 81, MinVersion: 0, MaxVersion: 0}, // RemoveRaftVoter
}

func (b *Broker) handleAPIVersions(in *sim.Input, req *kmsg.ApiVersionsRequest, out *sim.Out) {
	resp := &kmsg.ApiVersionsResponse{Version: req.Version, ApiKeys: served, FinalizedFeaturesEpoch: int64(b.img.Offset)}
	for _, f := range b.img.Features {
		resp.FinalizedFeatures = append(resp.FinalizedFeatures, kmsg.ApiVersionsResponseFinalizedFeature{
			Name: f.Name, MaxVersionLevel: f.Level, MinVersionLevel: f.Level,
		})
	}
	out.Reply(in.Conn, in.Corr, resp)
}
