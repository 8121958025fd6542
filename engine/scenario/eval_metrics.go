package scenario

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
)

// metrics are the gauges that metric() knows, under the names that Kafka's
// controllers and brokers export (ControllerMetadataMetrics, ReplicaManager);
// brokers' are summed up. Topics of Kafka's own count, as they do there.
var metrics = []struct {
	name string
	read func(e *env) int64
}{
	{"UnderReplicatedPartitions", func(e *env) int64 {
		return e.countPartitions(func(_ *metadata.Topic, p *metadata.Partition) bool {
			return p.Leader != kafka.NoNode && p.UnderReplicated()
		})
	}},
	{"UnderMinIsrPartitionCount", func(e *env) int64 {
		return e.countPartitions(func(t *metadata.Topic, p *metadata.Partition) bool {
			return p.Leader != kafka.NoNode && len(p.ISR) < e.minISR(t, p)
		})
	}},
	{"AtMinIsrPartitionCount", func(e *env) int64 {
		return e.countPartitions(func(t *metadata.Topic, p *metadata.Partition) bool {
			return p.Leader != kafka.NoNode && len(p.ISR) == e.minISR(t, p)
		})
	}},
	{"OfflinePartitionsCount", func(e *env) int64 {
		return e.countPartitions(func(_ *metadata.Topic, p *metadata.Partition) bool { return p.Leader == kafka.NoNode })
	}},
	{"PreferredReplicaImbalanceCount", func(e *env) int64 {
		return e.countPartitions(func(_ *metadata.Topic, p *metadata.Partition) bool {
			return len(p.Replicas) > 0 && p.Leader != p.Replicas[0]
		})
	}},
	{"GlobalTopicCount", func(e *env) int64 { return int64(len(e.image().Topics)) }},
	{"GlobalPartitionCount", func(e *env) int64 {
		return e.countPartitions(func(*metadata.Topic, *metadata.Partition) bool { return true })
	}},
	{"ActiveBrokerCount", func(e *env) int64 { return e.countBrokers(false) }},
	{"FencedBrokerCount", func(e *env) int64 { return e.countBrokers(true) }},
	{"ActiveControllerCount", func(e *env) int64 {
		if e.Controller() == kafka.NoNode {
			return 0
		}
		return 1
	}},
}

func (e *env) countPartitions(f func(*metadata.Topic, *metadata.Partition) bool) (n int64) {
	for _, t := range e.image().Topics {
		for _, p := range t.Partitions {
			if f(t, p) {
				n++
			}
		}
	}
	return n
}

func (e *env) countBrokers(fenced bool) (n int64) {
	for i := range e.image().Brokers {
		if e.image().Brokers[i].Fenced == fenced {
			n++
		}
	}
	return n
}

func metricNames() []string {
	var s []string
	for _, m := range metrics {
		s = append(s, m.name)
	}
	return s
}

func evalMetric(e *env, a []Arg) (Value, string) {
	return number(metrics[a[0].N].read(e))
}
