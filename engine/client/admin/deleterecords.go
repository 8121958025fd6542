package admin

import (
	"strconv"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// DeleteRecords is kafka-delete-records for one partition: everything below an
// offset goes. The request is for the partition's leader, which the client asks
// for first.
type DeleteRecords struct {
	Token  int32
	TP     kafka.TopicPartition
	Offset kafka.Offset // -1: the high watermark
}

// led is an order that only the leader of a partition carries out.
type led interface {
	partition() kafka.TopicPartition
}

func (o DeleteRecords) token() int32                    { return o.Token }
func (o DeleteRecords) partition() kafka.TopicPartition { return o.TP }

func (o DeleteRecords) what() string {
	return "delete records of " + o.TP.String() + " below " + strconv.FormatInt(int64(o.Offset), 10)
}

func (o DeleteRecords) request() kmsg.Request {
	r := kmsg.NewPtrDeleteRecordsRequest()
	r.Version, r.TimeoutMillis = 2, timeoutMillis
	p := kmsg.NewDeleteRecordsRequestTopicPartition()
	p.Partition, p.Offset = o.TP.Partition, int64(o.Offset)
	t := kmsg.NewDeleteRecordsRequestTopic()
	t.Topic = o.TP.Topic
	t.Partitions = append(t.Partitions, p)
	r.Topics = append(r.Topics, t)
	return r
}

func (o DeleteRecords) outcome(resp kmsg.Response) (kafka.ErrorCode, string) {
	r, _ := resp.(*kmsg.DeleteRecordsResponse)
	if r == nil || len(r.Topics) == 0 || len(r.Topics[0].Partitions) == 0 {
		return kafka.UnknownServerError, "The response names no partition."
	}
	p := &r.Topics[0].Partitions[0]
	if code := kafka.ErrorCode(p.ErrorCode); code != kafka.None {
		return code, ""
	}
	return kafka.None, "low watermark " + strconv.FormatInt(p.LowWatermark, 10)
}

// askLeader asks who leads the partitions of a topic.
func askLeader(topic string) kmsg.Request {
	r := kmsg.NewPtrMetadataRequest()
	r.Version = 12
	t := kmsg.NewMetadataRequestTopic()
	t.Topic = kmsg.StringPtr(topic)
	r.Topics = append(r.Topics, t)
	return r
}

// leaderIn reads from the answer who leads a partition.
func leaderIn(m *kmsg.MetadataResponse, partition int32) (sim.ActorID, kafka.ErrorCode) {
	if len(m.Topics) == 0 {
		return 0, kafka.UnknownTopicOrPartition
	}
	t := &m.Topics[0]
	if t.ErrorCode != 0 {
		return 0, kafka.ErrorCode(t.ErrorCode)
	}
	for i := range t.Partitions {
		if p := &t.Partitions[i]; p.Partition == partition {
			if p.Leader < 0 {
				return 0, kafka.LeaderNotAvailable
			}
			return sim.ActorID(p.Leader), kafka.None
		}
	}
	return 0, kafka.UnknownTopicOrPartition
}
