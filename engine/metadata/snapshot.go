package metadata

import (
	"fmt"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// Snapshot lists records that make the image when they are loaded, as a snapshot
// of the metadata log holds them: features, brokers, topics with their
// partitions, configs, producer ids (image/MetadataImage.write). What the image
// does not keep, such as all but one of a broker's listeners, is not in it.
func Snapshot(img *Image) []Record {
	var recs []Record
	for _, f := range img.Features {
		recs = append(recs, &FeatureLevelRecord{Name: f.Name, Level: f.Level})
	}
	for i := range img.Brokers {
		recs = append(recs, img.Brokers[i].record())
	}
	for _, t := range img.Topics {
		recs = append(recs, &TopicRecord{Name: t.Name, ID: t.ID})
		for i, p := range t.Partitions {
			if p != nil {
				recs = append(recs, p.record(t.ID, int32(i)))
			}
		}
	}
	for _, c := range img.Configs {
		for _, v := range c.Values {
			recs = append(recs, &ConfigRecord{ResourceType: c.Type, ResourceName: c.Name, Name: v.Name, Value: &v.Value})
		}
	}
	for i := range img.Quotas {
		recs = append(recs, img.Quotas[i].records()...)
	}
	if img.NextProducerID > 0 {
		recs = append(recs, &ProducerIDsRecord{BrokerID: kafka.NoNode, BrokerEpoch: -1, NextProducerID: img.NextProducerID})
	}
	return recs
}

// record states all of a registration (metadata/BrokerRegistration.toRecord).
func (b *Broker) record() Record {
	r := Latest(&RegisterBrokerRecord{
		BrokerID: b.ID, IncarnationID: b.IncarnationID, BrokerEpoch: b.Epoch, Fenced: b.Fenced,
		InControlledShutdown: b.InControlledShutdown, LogDirs: b.LogDirs, Features: b.Features,
	})
	if b.Rack != "" {
		r.Rack = &b.Rack
	}
	if b.Host != "" {
		r.Endpoints = []Endpoint{{Name: "PLAINTEXT", Host: b.Host, Port: uint16(b.Port)}}
	}
	return r
}

// record states all of a partition (metadata/PartitionRegistration.toRecord).
func (p *Partition) record(topic kafka.TopicID, index int32) Record {
	r := Latest(&PartitionRecord{
		Partition: index, TopicID: topic, Replicas: p.Replicas, ISR: p.ISR, Removing: p.Removing, Adding: p.Adding,
		Leader: p.Leader, LeaderEpoch: p.LeaderEpoch, PartitionEpoch: p.PartitionEpoch, Directories: p.Directories,
		ELR: p.ELR, LastKnownELR: p.LastKnownELR,
	})
	if p.Recovering {
		r.RecoveryState = 1
	}
	return r
}

// Load makes the image that a snapshot's records describe; last is the offset of
// the last record of the log that the snapshot holds.
func Load(records []Record, last kafka.Offset) (*Image, error) {
	img := Empty()
	a := applier{img: img, topics: map[*Topic]bool{}}
	for i, r := range records {
		if err := a.apply(r); err != nil {
			return nil, fmt.Errorf("metadata: record %d of a snapshot: %w", i, err)
		}
	}
	img.Offset = last
	return img, nil
}

// Replaced is the delta of an image that takes another's place, as the one from
// a snapshot does: everything in either may have changed.
func Replaced(old, img *Image) Delta {
	d := Delta{Configs: true, Features: true}
	for _, i := range [...]*Image{old, img} {
		for _, t := range i.Topics {
			d.Topics = append(d.Topics, t.Name)
			for p := range t.Partitions {
				d.Partitions = append(d.Partitions, kafka.TopicPartition{Topic: t.Name, Partition: int32(p)})
			}
		}
		for _, b := range i.Brokers {
			d.Brokers = append(d.Brokers, b.ID)
		}
		for _, c := range i.Configs {
			d.Resources = append(d.Resources, Resource{c.Type, c.Name})
		}
	}
	d.normalize()
	return d
}
