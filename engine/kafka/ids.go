package kafka

import (
	"encoding/base64"
	"strconv"
)

// NodeID is a process's node.id. Brokers count from 1, dedicated controllers
// from 101. NoNode stands for "none", as Kafka's -1 does.
type NodeID int32

// NoNode is the leader of a partition that has none.
const NoNode NodeID = -1

// Offset is the place of a record in a partition log; the first is 0.
type Offset int64

// NoOffset stands for an offset that is not known or not set.
const NoOffset Offset = -1

// LeaderEpoch counts the leaderships of one partition, from 0; -1 is none.
type LeaderEpoch int32

// NoEpoch is the leader epoch of a request that does not state one.
const NoEpoch LeaderEpoch = -1

// PartitionEpoch counts every change of a partition's registration in the
// metadata log (leader, ISR, ELR): metadata/PartitionRegistration.java.
type PartitionEpoch int32

// BrokerEpoch is where the metadata log ended when a broker registered: a new one
// for every registration (KIP-500, KIP-841).
type BrokerEpoch int64

// TopicID is a topic's uuid (KIP-516). The zero value is "no id".
type TopicID [16]byte

// String prints the id as Kafka does: base64url without padding.
func (t TopicID) String() string { return base64.RawURLEncoding.EncodeToString(t[:]) }

// TopicPartition names one partition.
type TopicPartition struct {
	Topic     string
	Partition int32
}

// String prints "topic-partition", as Kafka's logs and folders do.
func (tp TopicPartition) String() string {
	return tp.Topic + "-" + strconv.Itoa(int(tp.Partition))
}

// Compare orders by topic name, then by partition.
func (tp TopicPartition) Compare(o TopicPartition) int {
	switch {
	case tp.Topic < o.Topic:
		return -1
	case tp.Topic > o.Topic:
		return 1
	case tp.Partition < o.Partition:
		return -1
	case tp.Partition > o.Partition:
		return 1
	}
	return 0
}

// Names of the topics that Kafka keeps for itself.
const (
	TopicOffsets  = "__consumer_offsets"
	TopicTxnState = "__transaction_state"
	TopicMetadata = "__cluster_metadata"
)

// IsInternal reports whether Kafka keeps the topic for itself
// (clients/common/internals/Topic.java).
func IsInternal(topic string) bool {
	return topic == TopicOffsets || topic == TopicTxnState || topic == TopicMetadata
}

// JavaHash is String.hashCode for the text's UTF-16 units, restricted to ASCII
// input: coordinators are placed by it (group-coordinator/Utils).
func JavaHash(s string) int32 {
	var h int32
	for i := 0; i < len(s); i++ {
		h = 31*h + int32(s[i])
	}
	return h
}

// CoordinatorPartition is the partition of __consumer_offsets or
// __transaction_state that serves an id: abs(hash) modulo the count, where abs
// of the smallest int is 0 (clients/common/utils/Utils.java abs).
func CoordinatorPartition(id string, partitions int32) int32 {
	h := JavaHash(id)
	switch {
	case h == -1<<31:
		h = 0
	case h < 0:
		h = -h
	}
	return h % partitions
}

// Murmur2 is the hash of the Java producer's keyed partitioner, with Kafka's
// seed (clients/common/utils/Utils.java murmur2).
func Murmur2(data []byte) int32 {
	const m = 0x5bd1e995
	n := len(data)
	h := uint32(0x9747b28c) ^ uint32(n)
	for ; len(data) >= 4; data = data[4:] {
		k := uint32(data[0]) | uint32(data[1])<<8 | uint32(data[2])<<16 | uint32(data[3])<<24
		k *= m
		k ^= k >> 24
		k *= m
		h = h*m ^ k
	}
	for i := len(data) - 1; i >= 0; i-- {
		h ^= uint32(data[i]) << (8 * i)
	}
	if n%4 != 0 {
		h *= m
	}
	h ^= h >> 13
	h *= m
	h ^= h >> 15
	return int32(h)
}

// PartitionForKey is the partition that the Java producer gives a key:
// murmur2 with the sign bit masked, modulo the number of all partitions
// (clients/producer/internals/BuiltInPartitioner.java).
func PartitionForKey(key []byte, partitions int32) int32 {
	return int32(uint32(Murmur2(key))&0x7fffffff) % partitions
}
