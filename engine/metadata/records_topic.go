package metadata

import "github.com/highwater-sim/highwater/engine/kafka"

// The records about topics, partitions and configs.

// TopicRecord creates a topic without partitions.
type TopicRecord struct {
	Head
	Name string
	ID   kafka.TopicID
}

// Type implements Record.
func (*TopicRecord) Type() Type { return TypeTopic }

func (r *TopicRecord) code(c *coder) {
	c.string(&r.Name)
	uuid(c, &r.ID)
	c.tags(&r.Unknown)
}

// RemoveTopicRecord deletes a topic with its partitions and configs.
type RemoveTopicRecord struct {
	Head
	ID kafka.TopicID
}

// Type implements Record.
func (*RemoveTopicRecord) Type() Type { return TypeRemoveTopic }

func (r *RemoveTopicRecord) code(c *coder) {
	uuid(c, &r.ID)
	c.tags(&r.Unknown)
}

// PartitionRecord creates a partition, or states all of it in a snapshot.
type PartitionRecord struct {
	Head
	Partition      int32
	TopicID        kafka.TopicID
	Replicas       []kafka.NodeID
	ISR            []kafka.NodeID
	Removing       []kafka.NodeID
	Adding         []kafka.NodeID
	Leader         kafka.NodeID
	RecoveryState  int8 // tag 0: 1 is RECOVERING
	LeaderEpoch    kafka.LeaderEpoch
	PartitionEpoch kafka.PartitionEpoch
	Directories    [][16]byte     // 1+
	ELR            []kafka.NodeID // 2+, tag 1
	LastKnownELR   []kafka.NodeID // 2+, tag 2
}

// Type implements Record.
func (*PartitionRecord) Type() Type { return TypePartition }

func (r *PartitionRecord) code(c *coder) {
	num32(c, &r.Partition)
	uuid(c, &r.TopicID)
	list(c, &r.Replicas, num32[kafka.NodeID])
	list(c, &r.ISR, num32[kafka.NodeID])
	list(c, &r.Removing, num32[kafka.NodeID])
	list(c, &r.Adding, num32[kafka.NodeID])
	num32(c, &r.Leader)
	num32(c, &r.LeaderEpoch)
	num32(c, &r.PartitionEpoch)
	if r.Version >= 1 {
		list(c, &r.Directories, uuid[[16]byte])
	}
	known := []tagged{{0, r.RecoveryState != 0, func(c *coder) { num8(c, &r.RecoveryState) }}}
	if r.Version >= 2 {
		known = append(known, nodesTag(1, &r.ELR), nodesTag(2, &r.LastKnownELR))
	}
	c.tags(&r.Unknown, known...)
}

// nodesTag is a tagged list of nodes that is null, and not written, by default.
func nodesTag(tag uint32, p *[]kafka.NodeID) tagged {
	return tagged{tag, *p != nil, func(c *coder) { array(c, p, num32[kafka.NodeID]) }}
}

// Values of PartitionChangeRecord that stand for "no change".
const (
	NoLeaderChange        kafka.NodeID = -2
	NoRecoveryStateChange int8         = -1
)

// PartitionChangeRecord changes a partition. A nil list, NoLeaderChange and
// NoRecoveryStateChange leave a field as it is. Naming a leader, even the
// current one, raises the leader epoch; every change raises the partition
// epoch (PartitionRegistration.java merge). NewPartitionChange makes one.
type PartitionChangeRecord struct {
	Head
	Partition     int32
	TopicID       kafka.TopicID
	ISR           []kafka.NodeID // tag 0
	Leader        kafka.NodeID   // tag 1
	Replicas      []kafka.NodeID // tag 2
	Removing      []kafka.NodeID // tag 3
	Adding        []kafka.NodeID // tag 4
	RecoveryState int8           // tag 5: 0 RECOVERED, 1 RECOVERING
	ELR           []kafka.NodeID // 2+, tag 6
	LastKnownELR  []kafka.NodeID // 2+, tag 7
	Directories   [][16]byte     // 1+, tag 8
}

// NewPartitionChange returns a record that changes nothing yet, in the version
// that a 4.2 controller writes.
func NewPartitionChange(topic kafka.TopicID, partition int32) *PartitionChangeRecord {
	return Latest(&PartitionChangeRecord{
		Partition: partition, TopicID: topic, Leader: NoLeaderChange, RecoveryState: NoRecoveryStateChange,
	})
}

// Type implements Record.
func (*PartitionChangeRecord) Type() Type { return TypePartitionChange }

// IsNoOp reports whether the record changes nothing.
func (r *PartitionChangeRecord) IsNoOp() bool {
	return r.ISR == nil && r.Leader == NoLeaderChange && r.Replicas == nil && r.Removing == nil && r.Adding == nil &&
		r.RecoveryState == NoRecoveryStateChange && r.ELR == nil && r.LastKnownELR == nil && r.Directories == nil
}

func (r *PartitionChangeRecord) code(c *coder) {
	num32(c, &r.Partition)
	uuid(c, &r.TopicID)
	known := []tagged{
		nodesTag(0, &r.ISR),
		{1, r.Leader != NoLeaderChange, func(c *coder) { num32(c, &r.Leader) }},
		nodesTag(2, &r.Replicas),
		nodesTag(3, &r.Removing),
		nodesTag(4, &r.Adding),
		{5, r.RecoveryState != NoRecoveryStateChange, func(c *coder) { num8(c, &r.RecoveryState) }},
	}
	if r.Version >= 2 {
		known = append(known, nodesTag(6, &r.ELR), nodesTag(7, &r.LastKnownELR))
	}
	if r.Version >= 1 {
		known = append(known, tagged{8, r.Directories != nil, func(c *coder) { array(c, &r.Directories, uuid[[16]byte]) }})
	}
	c.tags(&r.Unknown, known...)
}

// ConfigRecord sets a dynamic config, or removes it if Value is nil.
type ConfigRecord struct {
	Head
	ResourceType ResourceType
	ResourceName string
	Name         string
	Value        *string
}

// Type implements Record.
func (*ConfigRecord) Type() Type { return TypeConfig }

func (r *ConfigRecord) code(c *coder) {
	num8(c, &r.ResourceType)
	c.string(&r.ResourceName)
	c.string(&r.Name)
	c.nullString(&r.Value)
	c.tags(&r.Unknown)
}

// ClearELRRecord empties ELR and last known ELR of a topic's partitions, or of
// all partitions if Topic is "" (KIP-966).
type ClearELRRecord struct {
	Head
	Topic string
}

// Type implements Record.
func (*ClearELRRecord) Type() Type { return TypeClearELR }

func (r *ClearELRRecord) code(c *coder) {
	c.string(&r.Topic)
	c.tags(&r.Unknown)
}
