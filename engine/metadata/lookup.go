package metadata

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// Empty returns the image before the first record.
func Empty() *Image { return &Image{Offset: -1} }

// Topic returns the topic of that name, or nil.
func (img *Image) Topic(name string) *Topic {
	if i, ok := img.findTopic(name); ok {
		return img.Topics[i]
	}
	return nil
}

// TopicByID returns the topic with that id, or nil.
func (img *Image) TopicByID(id kafka.TopicID) *Topic {
	if i, ok := img.findTopicID(id); ok {
		return img.byID[i]
	}
	return nil
}

// Partition returns a partition, or nil if the topic or the index does not exist.
func (img *Image) Partition(tp kafka.TopicPartition) *Partition {
	return img.Topic(tp.Topic).At(tp.Partition)
}

// At returns the partition with that index, or nil; a nil topic has none.
func (t *Topic) At(partition int32) *Partition {
	if t == nil || partition < 0 || int(partition) >= len(t.Partitions) {
		return nil
	}
	return t.Partitions[partition]
}

// Directory is the id of the log directory of a broker's replica (KIP-858); zero
// if it is UNASSIGNED, or if there is no such replica.
func (p *Partition) Directory(broker kafka.NodeID) (id [16]byte) {
	if i := slices.Index(p.Replicas, broker); i >= 0 && i < len(p.Directories) {
		id = p.Directories[i]
	}
	return id
}

// OnlineReplica reports whether the log directory of a replica is one that its
// broker has (BrokerRegistration.hasOnlineDir): any will do that was not assigned.
func (img *Image) OnlineReplica(p *Partition, broker kafka.NodeID) bool {
	b := img.Broker(broker)
	if b == nil || !slices.Contains(p.Replicas, broker) {
		return false
	}
	id := p.Directory(broker)
	return id == [16]byte{} || slices.Contains(b.LogDirs, id)
}

// Reassigning reports whether a reassignment is under way (KIP-455).
func (p *Partition) Reassigning() bool { return len(p.Adding) > 0 || len(p.Removing) > 0 }

// UnderReplicated reports whether the ISR lacks a replica; those that a
// reassignment is adding do not count (Partition.isUnderReplicated).
func (p *Partition) UnderReplicated() bool { return len(p.ISR) < len(p.Replicas)-len(p.Adding) }

// Broker returns a broker's registration, or nil. It must not be changed.
func (img *Image) Broker(id kafka.NodeID) *Broker {
	if i, ok := img.findBroker(id); ok {
		return &img.Brokers[i]
	}
	return nil
}

// Active reports whether a broker is registered, unfenced and not shutting
// down: it may lead and join an ISR (ClusterControlManager.isActive).
func (img *Image) Active(id kafka.NodeID) bool {
	b := img.Broker(id)
	return b != nil && !b.Fenced && !b.InControlledShutdown
}

// Feature returns a feature's finalized level; 0 if it has none.
func (img *Image) Feature(name string) int16 {
	i, ok := slices.BinarySearchFunc(img.Features, name, func(f Feature, n string) int { return cmp.Compare(f.Name, n) })
	if !ok {
		return 0
	}
	return img.Features[i].Level
}

// ELREnabled reports whether partitions keep eligible leader replicas (KIP-966).
func (img *Image) ELREnabled() bool { return img.Feature(FeatureELR) > 0 }

// Config returns a dynamic config as it is set on the resource itself.
func (img *Image) Config(t ResourceType, resource, name string) (value string, ok bool) {
	i, ok := img.findConfig(Resource{t, resource})
	if !ok {
		return "", false
	}
	vs := img.Configs[i].Values
	j, ok := slices.BinarySearchFunc(vs, name, compareValue)
	if !ok {
		return "", false
	}
	return vs[j].Value, true
}

// BrokerResource is the name under which a broker's dynamic configs are kept.
func BrokerResource(id kafka.NodeID) string { return strconv.Itoa(int(id)) }

func (img *Image) findTopic(name string) (int, bool) {
	return slices.BinarySearchFunc(img.Topics, name, func(t *Topic, n string) int { return cmp.Compare(t.Name, n) })
}

func (img *Image) findTopicID(id kafka.TopicID) (int, bool) {
	return slices.BinarySearchFunc(img.byID, id, func(t *Topic, id kafka.TopicID) int { return bytes.Compare(t.ID[:], id[:]) })
}

func (img *Image) findBroker(id kafka.NodeID) (int, bool) {
	return slices.BinarySearchFunc(img.Brokers, id, func(b Broker, id kafka.NodeID) int { return cmp.Compare(b.ID, id) })
}

func (img *Image) findConfig(r Resource) (int, bool) {
	return slices.BinarySearchFunc(img.Configs, r, func(c ResourceConfig, r Resource) int {
		return compareResource(Resource{c.Type, c.Name}, r)
	})
}

func compareResource(a, b Resource) int {
	return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Name, b.Name))
}

func compareValue(v ConfigValue, name string) int { return cmp.Compare(v.Name, name) }
