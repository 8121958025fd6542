package metadata

import "github.com/highwater-sim/highwater/engine/kafka"

// Image is the replayed state of the metadata log at Offset. Apply makes a new
// one; an Image in use by a broker never changes under it (slices and structs
// reachable from it are immutable once applied).
type Image struct {
	Offset  kafka.Offset     // of the last record replayed; -1 for an empty image
	Brokers []Broker         // sorted by ID
	Topics  []*Topic         // sorted by Name
	Configs []ResourceConfig // sorted by (Type, Name)

	Features       []Feature     // finalized levels, sorted by Name
	Quotas         []ClientQuota // sorted by user, then client id
	NextProducerID int64         // first producer id that no broker has leased

	byID []*Topic // the same topics, sorted by ID
}

// Feature is the finalized level of a feature (KIP-584).
type Feature struct {
	Name  string
	Level int16
}

// The features that the engine knows (server-common/.../Feature.java).
const (
	FeatureMetadataVersion = "metadata.version"
	FeatureELR             = "eligible.leader.replicas.version" // KIP-966: 1 is on
	FeatureGroup           = "group.version"                    // KIP-848: 1 is on
	FeatureTransaction     = "transaction.version"              // KIP-890: 2 is the newest
)

// Broker is a broker registration (metadata/BrokerRegistration.java).
type Broker struct {
	ID                   kafka.NodeID
	Epoch                kafka.BrokerEpoch // offset of the first record that its registration wrote
	IncarnationID        [16]byte
	Rack                 string // "" for none
	Host                 string
	Port                 int32
	Fenced               bool
	InControlledShutdown bool
	LogDirs              [][16]byte         // KIP-858
	Features             []SupportedFeature // levels that it knows (KIP-584), in the order in which it named them
}

// Topic is one topic and all its partitions, by index.
type Topic struct {
	Name       string
	ID         kafka.TopicID
	Partitions []*Partition
}

// Partition is a partition's registration (metadata/PartitionRegistration.java).
type Partition struct {
	Replicas       []kafka.NodeID // in assignment order; the first is preferred
	Directories    [][16]byte     // by position in Replicas
	ISR            []kafka.NodeID
	ELR            []kafka.NodeID // KIP-966
	LastKnownELR   []kafka.NodeID
	Leader         kafka.NodeID // NoNode: offline
	LeaderEpoch    kafka.LeaderEpoch
	PartitionEpoch kafka.PartitionEpoch
	Recovering     bool // leader recovery state RECOVERING (KIP-704)

	Removing, Adding []kafka.NodeID // a reassignment under way; empty otherwise
}

// ResourceType is a kind of thing that has dynamic configs (ConfigResource.Type).
type ResourceType int8

// The kinds with Kafka's numbers.
const (
	ResourceTopic  ResourceType = 2
	ResourceBroker ResourceType = 4 // Name "" is the cluster-wide default
)

// ResourceConfig holds the dynamic configs of one resource.
type ResourceConfig struct {
	Type   ResourceType
	Name   string
	Values []ConfigValue // sorted by Name
}

// ConfigValue is one dynamic config.
type ConfigValue struct{ Name, Value string }

// Delta lists what Apply changed, so that a broker need not compare images.
type Delta struct {
	Topics  []string // topics created, deleted or with a changed partition, sorted, each once
	Brokers []kafka.NodeID
	Configs bool

	Partitions []kafka.TopicPartition // partitions created, changed or deleted, sorted, each once
	Resources  []Resource             // whose configs changed, sorted, each once
	Features   bool
	Quotas     bool
}

// Resource names a thing that has dynamic configs.
type Resource struct {
	Type ResourceType
	Name string
}
