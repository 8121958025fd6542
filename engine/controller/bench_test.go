package controller

import (
	"fmt"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// BenchmarkHeartbeat and BenchmarkAlterPartition are what a running cluster asks
// all the time: neither may cost more with more partitions.
func BenchmarkHeartbeat(b *testing.B)      { benchRequests(b, heartbeatRequest) }
func BenchmarkAlterPartition(b *testing.B) { benchRequests(b, alterRequest) }

func benchRequests(b *testing.B, make func(*Controller, int) kmsg.Request) {
	for _, n := range []int32{12, 1000} {
		b.Run(fmt.Sprint(n, " partitions"), func(b *testing.B) {
			c := benchController(n)
			out := sim.NewOut(0, 101)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				c.Step(0, &sim.Input{Kind: sim.InputRequest, Conn: 1, Corr: 1, Request: make(c, i)}, out)
				c.TakeRecords()
				c.Committed(c.NextOffset(), out)
				out.Reset(0, 101)
			}
		})
	}
}

// BenchmarkFence is the worst that can happen at once.
func BenchmarkFence1000Partitions(b *testing.B) {
	c := benchController(1000)
	for b.Loop() {
		f := c.Clone()
		out := sim.NewOut(0, 101)
		f.append(out, f.fenceRecords(1), why{})
	}
}

func benchController(partitions int32) *Controller {
	c := New(Config{ID: 101, Seed: 1})
	out := sim.NewOut(0, 101)
	c.Activate(0, 1, 1, out)
	for id := int32(1); id <= 3; id++ {
		req := kmsg.NewPtrBrokerRegistrationRequest()
		req.BrokerID, req.IncarnationID = id, [16]byte{byte(id)}
		c.register(0, req, out)
		c.heartbeat(0, heartbeatOf(c, id), out)
	}
	t := kmsg.NewCreateTopicsRequestTopic()
	t.Topic, t.NumPartitions, t.ReplicationFactor = "t", partitions, 3
	c.createTopics(0, &kmsg.CreateTopicsRequest{Topics: []kmsg.CreateTopicsRequestTopic{t}}, out)
	c.TakeRecords()
	c.Committed(c.NextOffset(), sim.NewOut(0, 101))
	return c
}

func heartbeatOf(c *Controller, id int32) *kmsg.BrokerHeartbeatRequest {
	req := kmsg.NewPtrBrokerHeartbeatRequest()
	req.BrokerID, req.BrokerEpoch = id, int64(c.Head().Broker(kafka.NodeID(id)).Epoch)
	req.CurrentMetadataOffset = int64(c.Head().Offset)
	return req
}

func heartbeatRequest(c *Controller, i int) kmsg.Request { return heartbeatOf(c, 1+int32(i%3)) }

// alterRequest takes a follower out of a partition's ISR, or puts it back.
func alterRequest(c *Controller, i int) kmsg.Request {
	t := c.Head().Topics[0]
	index := int32(i % len(t.Partitions))
	p := t.Partitions[index]
	isr := p.Replicas
	if len(p.ISR) == len(isr) {
		isr = []kafka.NodeID{p.Leader}
	}
	ap := kmsg.NewAlterPartitionRequestTopicPartition()
	ap.Partition, ap.LeaderEpoch, ap.PartitionEpoch = index, int32(p.LeaderEpoch), int32(p.PartitionEpoch)
	for _, n := range isr {
		ap.NewEpochISR = append(ap.NewEpochISR, kmsg.AlterPartitionRequestTopicPartitionNewEpochISR{BrokerID: int32(n), BrokerEpoch: -1})
	}
	req := kmsg.NewPtrAlterPartitionRequest()
	req.Version = 3
	req.BrokerID, req.BrokerEpoch = int32(p.Leader), int64(c.Head().Broker(p.Leader).Epoch)
	req.Topics = []kmsg.AlterPartitionRequestTopic{{TopicID: t.ID, Partitions: []kmsg.AlterPartitionRequestTopicPartition{ap}}}
	return req
}
