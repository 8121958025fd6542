package metadata

import (
	"fmt"
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// Brokers.

func (a *applier) ownBrokers() {
	if !a.owns.brokers {
		a.img.Brokers, a.owns.brokers = slices.Clone(a.img.Brokers), true
	}
}

func (a *applier) registerBroker(r *RegisterBrokerRecord) {
	a.ownBrokers()
	b := Broker{
		ID: r.BrokerID, Epoch: r.BrokerEpoch, IncarnationID: r.IncarnationID,
		Fenced: r.Fenced, InControlledShutdown: r.InControlledShutdown, LogDirs: r.LogDirs, Features: r.Features,
	}
	if r.Rack != nil {
		b.Rack = *r.Rack
	}
	first := "" // the listener of the lowest name: logs and snapshots order them differently
	for _, e := range r.Endpoints {
		if first == "" || e.Name < first {
			first, b.Host, b.Port = e.Name, e.Host, int32(e.Port)
		}
	}
	if i, ok := a.img.findBroker(b.ID); ok {
		a.img.Brokers[i] = b
	} else {
		a.img.Brokers = slices.Insert(a.img.Brokers, i, b)
	}
	a.delta.Brokers = append(a.delta.Brokers, b.ID)
}

func (a *applier) unregisterBroker(r *UnregisterBrokerRecord) error {
	i, err := a.knownBroker(r.BrokerID, r.BrokerEpoch)
	if err != nil {
		return err
	}
	a.img.Brokers = slices.Delete(a.img.Brokers, i, i+1)
	return nil
}

func (a *applier) changeBroker(r *BrokerRegistrationChangeRecord) error {
	i, err := a.knownBroker(r.BrokerID, r.BrokerEpoch)
	if err != nil {
		return err
	}
	b := &a.img.Brokers[i]
	if r.Fenced != 0 {
		b.Fenced = r.Fenced > 0
	}
	if r.InControlledShutdown != 0 {
		b.InControlledShutdown = r.InControlledShutdown > 0
	}
	if len(r.LogDirs) > 0 {
		b.LogDirs = r.LogDirs
	}
	return nil
}

func (a *applier) fence(id kafka.NodeID, epoch kafka.BrokerEpoch, fenced bool) error {
	i, err := a.knownBroker(id, epoch)
	if err != nil {
		return err
	}
	a.img.Brokers[i].Fenced = fenced
	return nil
}

// knownBroker returns the place of the broker that a record is about, ready to
// be changed, if its epoch is the registered one.
func (a *applier) knownBroker(id kafka.NodeID, epoch kafka.BrokerEpoch) (int, error) {
	a.ownBrokers()
	i, ok := a.img.findBroker(id)
	if !ok {
		return 0, fmt.Errorf("broker %d is not registered", id)
	}
	if e := a.img.Brokers[i].Epoch; e != epoch {
		return 0, fmt.Errorf("broker %d is registered with epoch %d, not %d", id, e, epoch)
	}
	a.delta.Brokers = append(a.delta.Brokers, id)
	return i, nil
}

// Topics and partitions.

func (a *applier) ownTopics() {
	if !a.owns.topics {
		a.img.Topics, a.img.byID = slices.Clone(a.img.Topics), slices.Clone(a.img.byID)
		a.owns.topics = true
	}
}

func (a *applier) addTopic(r *TopicRecord) error {
	a.ownTopics()
	i, ok := a.img.findTopic(r.Name)
	j, dup := a.img.findTopicID(r.ID)
	if ok || dup {
		return fmt.Errorf("topic %q with id %v exists", r.Name, r.ID)
	}
	t := &Topic{Name: r.Name, ID: r.ID}
	a.topics[t] = true
	a.img.Topics = slices.Insert(a.img.Topics, i, t)
	a.img.byID = slices.Insert(a.img.byID, j, t)
	a.delta.Topics = append(a.delta.Topics, r.Name)
	return nil
}

func (a *applier) removeTopic(r *RemoveTopicRecord) error {
	a.ownTopics()
	j, ok := a.img.findTopicID(r.ID)
	if !ok {
		return fmt.Errorf("no topic has id %v", r.ID)
	}
	t := a.img.byID[j]
	i, _ := a.img.findTopic(t.Name)
	a.img.Topics = slices.Delete(a.img.Topics, i, i+1)
	a.img.byID = slices.Delete(a.img.byID, j, j+1)
	a.delta.Topics = append(a.delta.Topics, t.Name)
	for p := range t.Partitions {
		a.delta.Partitions = append(a.delta.Partitions, kafka.TopicPartition{Topic: t.Name, Partition: int32(p)})
	}
	if res := (Resource{ResourceTopic, t.Name}); a.hasConfig(res) {
		i, _ := a.ownConfig(res)
		a.dropConfig(i)
		a.delta.Configs = true
		a.delta.Resources = append(a.delta.Resources, res)
	}
	return nil
}

func (a *applier) hasConfig(res Resource) bool {
	_, ok := a.img.findConfig(res)
	return ok
}

// ownTopic returns a copy of the topic whose list of partitions may be changed.
func (a *applier) ownTopic(id kafka.TopicID) (*Topic, error) {
	a.ownTopics()
	j, ok := a.img.findTopicID(id)
	if !ok {
		return nil, fmt.Errorf("no topic has id %v", id)
	}
	t := a.img.byID[j]
	if !a.topics[t] {
		t = &Topic{Name: t.Name, ID: t.ID, Partitions: slices.Clone(t.Partitions)}
		a.topics[t] = true
		i, _ := a.img.findTopic(t.Name)
		a.img.Topics[i], a.img.byID[j] = t, t
	}
	a.delta.Topics = append(a.delta.Topics, t.Name)
	return t, nil
}

func (a *applier) touched(t *Topic, partition int32) {
	a.delta.Partitions = append(a.delta.Partitions, kafka.TopicPartition{Topic: t.Name, Partition: partition})
}

func (a *applier) setPartition(r *PartitionRecord) error {
	t, err := a.ownTopic(r.TopicID)
	if err != nil {
		return err
	}
	p := &Partition{
		Replicas: r.Replicas, Directories: r.Directories, ISR: r.ISR, ELR: r.ELR, LastKnownELR: r.LastKnownELR,
		Leader: r.Leader, LeaderEpoch: r.LeaderEpoch, PartitionEpoch: r.PartitionEpoch,
		Recovering: r.RecoveryState == 1, Removing: r.Removing, Adding: r.Adding,
	}
	switch n := int32(len(t.Partitions)); {
	case r.Partition >= 0 && r.Partition < n:
		t.Partitions[r.Partition] = p
	case r.Partition == n:
		t.Partitions = append(t.Partitions, p)
	default:
		return fmt.Errorf("partition %s-%d after %d partitions", t.Name, r.Partition, n)
	}
	a.touched(t, r.Partition)
	return nil
}

// changePartition follows PartitionRegistration.merge.
func (a *applier) changePartition(r *PartitionChangeRecord) error {
	t, err := a.ownTopic(r.TopicID)
	if err != nil {
		return err
	}
	old := t.At(r.Partition)
	if old == nil {
		return fmt.Errorf("no partition %s-%d", t.Name, r.Partition)
	}
	p := old.Merge(r)
	t.Partitions[r.Partition] = &p
	a.touched(t, r.Partition)
	return nil
}

// Merge returns the partition as a change record leaves it.
func (p *Partition) Merge(r *PartitionChangeRecord) Partition {
	n := *p
	n.PartitionEpoch++
	if r.Leader != NoLeaderChange {
		n.Leader = r.Leader
		n.LeaderEpoch++
	}
	if r.RecoveryState != NoRecoveryStateChange {
		n.Recovering = r.RecoveryState == 1
	}
	for _, f := range []struct{ to, from *[]kafka.NodeID }{
		{&n.ISR, &r.ISR}, {&n.Replicas, &r.Replicas}, {&n.Removing, &r.Removing}, {&n.Adding, &r.Adding},
		{&n.ELR, &r.ELR}, {&n.LastKnownELR, &r.LastKnownELR},
	} {
		if *f.from != nil {
			*f.to = *f.from
		}
	}
	if r.Directories != nil {
		n.Directories = r.Directories
	}
	return n
}

// clearELR follows ReplicationControlManager.removeTopicElrs and TopicDelta.maybeClearElr:
// to a partition with an ELR it is a change like any other, so its partition epoch
// rises.
func (a *applier) clearELR(r *ClearELRRecord) error {
	names := []string{r.Topic}
	if r.Topic == "" {
		names = names[:0]
		for _, t := range a.img.Topics {
			names = append(names, t.Name)
		}
	} else if a.img.Topic(r.Topic) == nil {
		return fmt.Errorf("no topic is called %q", r.Topic)
	}
	for _, name := range names {
		if err := a.clearTopicELR(a.img.Topic(name)); err != nil {
			return err
		}
	}
	return nil
}

func (a *applier) clearTopicELR(t *Topic) error {
	for i := range t.Partitions {
		if p := t.Partitions[i]; len(p.ELR) == 0 && len(p.LastKnownELR) == 0 {
			continue
		}
		own, err := a.ownTopic(t.ID)
		if err != nil {
			return err
		}
		empty := NewPartitionChange(t.ID, int32(i))
		empty.ELR, empty.LastKnownELR = []kafka.NodeID{}, []kafka.NodeID{}
		p := own.Partitions[i].Merge(empty)
		own.Partitions[i] = &p
		a.touched(own, int32(i))
	}
	return nil
}
