package world

import "github.com/highwater-sim/highwater/engine/kafka"

// Reference is the cluster by which speed is measured: 3 brokers, 12 partitions
// with 3 replicas, acks=all, 1,000 records a second, 3 consumers.
func Reference(seed uint64) Spec {
	s := Spec{
		Seed:    seed,
		Cluster: ClusterSpec{Brokers: 3, Controllers: 1},
		Topics:  []TopicSpec{{Name: "load", Partitions: 12, ReplicationFactor: 3}},
		Clients: []ClientSpec{{
			Kind: ClientProducer, Name: "app", Topic: "load", Partition: -1,
			RatePer1000s: 1_000_000, Keys: 100, Configs: []Config{{"acks", "all"}},
		}},
	}
	for i, name := range []string{"c1", "c2", "c3"} {
		c := ClientSpec{Kind: ClientConsumer, Name: name, Group: name, From: "earliest"}
		for p := range int32(4) {
			c.Assign = append(c.Assign, kafka.TopicPartition{Topic: "load", Partition: int32(i)*4 + p})
		}
		s.Clients = append(s.Clients, c)
	}
	return s
}

// Wide is the reference load on a cluster with more partitions, for measuring
// that an event does not cost more where there is more.
func Wide(seed uint64, brokers, partitions int) Spec {
	s := Reference(seed)
	s.Cluster.Brokers = brokers
	s.Topics = append(s.Topics, TopicSpec{Name: "wide", Partitions: partitions - 12, ReplicationFactor: 3})
	return s
}
