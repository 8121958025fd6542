package metadata

import (
	"fmt"
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// Apply replays entries, which follow each other in the log, on an image and
// returns the image after them and what changed. img itself stays as it is;
// the new one shares with it all that did not change: a change of one
// partition copies its topic's list of pointers, not the partitions.
//
// An error means that the log contradicts itself (a change of an unknown
// partition, say); then the result is img.
func Apply(img *Image, entries ...Entry) (*Image, Delta, error) {
	next := *img
	a := applier{img: &next, topics: map[*Topic]bool{}}
	for _, e := range entries {
		if e.Offset <= next.Offset {
			return img, Delta{}, fmt.Errorf("metadata: record at offset %d after offset %d", e.Offset, next.Offset)
		}
		if err := a.apply(e.Record); err != nil {
			return img, Delta{}, fmt.Errorf("metadata: record at offset %d: %w", e.Offset, err)
		}
		next.Offset = e.Offset
	}
	a.delta.normalize()
	return &next, a.delta, nil
}

// applier builds an image. What it has copied once it changes in place.
type applier struct {
	img     *Image
	delta   Delta
	owns    struct{ topics, brokers, configs, features bool }
	topics  map[*Topic]bool // topics that are this applier's own copies; looked up only
	configs []Resource      // resources whose value lists are its own copies
}

func (a *applier) apply(r Record) error {
	switch r := r.(type) {
	case *RegisterBrokerRecord:
		a.registerBroker(r)
	case *UnregisterBrokerRecord:
		return a.unregisterBroker(r)
	case *BrokerRegistrationChangeRecord:
		return a.changeBroker(r)
	case *FenceBrokerRecord:
		return a.fence(r.ID, r.Epoch, true)
	case *UnfenceBrokerRecord:
		return a.fence(r.ID, r.Epoch, false)
	case *TopicRecord:
		return a.addTopic(r)
	case *RemoveTopicRecord:
		return a.removeTopic(r)
	case *PartitionRecord:
		return a.setPartition(r)
	case *PartitionChangeRecord:
		return a.changePartition(r)
	case *ClearELRRecord:
		return a.clearELR(r)
	case *ConfigRecord:
		a.setConfig(r)
	case *FeatureLevelRecord:
		a.setFeature(r)
	case *ClientQuotaRecord:
		a.setQuota(r)
	case *ProducerIDsRecord:
		a.img.NextProducerID = r.NextProducerID
	case *NoOpRecord, *ZkMigrationRecord, *RegisterControllerRecord,
		*BeginTransactionRecord, *EndTransactionRecord, *AbortTransactionRecord:
		// Nothing that the image holds. A transaction is written as one batch
		// here, and batches are applied whole.
	default:
		return fmt.Errorf("record type %d cannot be replayed", r.Type())
	}
	return nil
}

func (a *applier) setFeature(r *FeatureLevelRecord) {
	if !a.owns.features {
		a.img.Features, a.owns.features = slices.Clone(a.img.Features), true
	}
	i, ok := slices.BinarySearchFunc(a.img.Features, r.Name, func(f Feature, n string) int {
		return compareResource(Resource{0, f.Name}, Resource{0, n})
	})
	switch {
	case ok && r.Level == 0:
		a.img.Features = slices.Delete(a.img.Features, i, i+1)
	case ok:
		a.img.Features[i].Level = r.Level
	case r.Level != 0:
		a.img.Features = slices.Insert(a.img.Features, i, Feature{r.Name, r.Level})
	}
	a.delta.Features = true
}

// setConfig follows ConfigurationsDelta.replay.
func (a *applier) setConfig(r *ConfigRecord) {
	res := Resource{r.ResourceType, r.ResourceName}
	i, found := a.ownConfig(res)
	vs := a.img.Configs[i].Values
	j, ok := slices.BinarySearchFunc(vs, r.Name, compareValue)
	switch {
	case r.Value != nil && ok:
		vs[j].Value = *r.Value
	case r.Value != nil:
		vs = slices.Insert(vs, j, ConfigValue{r.Name, *r.Value})
	case ok:
		vs = slices.Delete(vs, j, j+1)
	}
	a.img.Configs[i].Values = vs
	if len(vs) == 0 {
		a.dropConfig(i)
	}
	if found || len(vs) > 0 {
		a.delta.Configs = true
		a.delta.Resources = append(a.delta.Resources, res)
	}
}

// ownConfig returns the index of a resource whose values may be changed in
// place, and whether it was there before.
func (a *applier) ownConfig(res Resource) (int, bool) {
	if !a.owns.configs {
		a.img.Configs, a.owns.configs = slices.Clone(a.img.Configs), true
	}
	i, found := a.img.findConfig(res)
	if !found {
		a.img.Configs = slices.Insert(a.img.Configs, i, ResourceConfig{Type: res.Type, Name: res.Name})
	}
	if !slices.Contains(a.configs, res) {
		a.configs = append(a.configs, res)
		a.img.Configs[i].Values = slices.Clone(a.img.Configs[i].Values)
	}
	return i, found
}

func (a *applier) dropConfig(i int) {
	c := a.img.Configs[i]
	a.img.Configs = slices.Delete(a.img.Configs, i, i+1)
	a.configs = slices.DeleteFunc(a.configs, func(r Resource) bool { return r == Resource{c.Type, c.Name} })
}

// normalize sorts the lists and names each thing once.
func (d *Delta) normalize() {
	slices.Sort(d.Topics)
	d.Topics = slices.Compact(d.Topics)
	slices.Sort(d.Brokers)
	d.Brokers = slices.Compact(d.Brokers)
	slices.SortFunc(d.Partitions, kafka.TopicPartition.Compare)
	d.Partitions = slices.Compact(d.Partitions)
	slices.SortFunc(d.Resources, compareResource)
	d.Resources = slices.Compact(d.Resources)
}

// Empty reports whether nothing changed that an image shows.
func (d *Delta) Empty() bool {
	return len(d.Topics) == 0 && len(d.Brokers) == 0 && !d.Configs && !d.Features
}
