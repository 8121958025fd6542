package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/storage"
)

// ListOffsets (API key 2), versions 1 to 10, and OffsetForLeaderEpoch (23),
// versions 2 to 4. Left out: remote storage's special timestamps.

func (b *Broker) handleListOffsets(now kafka.Instant, in *sim.Input, req *kmsg.ListOffsetsRequest, out *sim.Out) {
	resp := &kmsg.ListOffsetsResponse{Version: req.Version}
	for t := range req.Topics {
		rt := &req.Topics[t]
		topic := kmsg.ListOffsetsResponseTopic{Topic: rt.Topic}
		for i := range rt.Partitions {
			topic.Partitions = append(topic.Partitions, b.listOffset(req, rt.Topic, &rt.Partitions[i]))
		}
		resp.Topics = append(resp.Topics, topic)
	}
	out.Reply(in.Conn, in.Corr, resp)
}

// listOffset answers for one partition (Partition.fetchOffsetForTimestamp).
func (b *Broker) listOffset(req *kmsg.ListOffsetsRequest, topic string, q *kmsg.ListOffsetsRequestTopicPartition) kmsg.ListOffsetsResponseTopicPartition {
	r := kmsg.ListOffsetsResponseTopicPartition{Partition: q.Partition, Timestamp: -1, Offset: -1, LeaderEpoch: -1}
	fail := func(code kafka.ErrorCode) kmsg.ListOffsetsResponseTopicPartition {
		r.ErrorCode = int16(code)
		return r
	}
	i, known := b.findName(topic, q.Partition)
	if i < 0 {
		if known {
			return fail(absent(i))
		}
		return fail(kafka.UnknownTopicOrPartition)
	}
	p := b.parts[i]
	if code := b.checkEpoch(p, kafka.LeaderEpoch(q.CurrentLeaderEpoch), req.ReplicaID != debugReplica); code != kafka.None {
		return fail(code)
	}
	l := b.log(p)
	end := p.hw // also the last stable offset of read_committed
	client := req.ReplicaID == -1
	if !client {
		end = l.LEO()
	}
	at, ts, ok, err := offsetFor(l, q.Timestamp, end)
	if err != nil {
		return fail(storage.CodeOf(err))
	}
	// A new leader does not know yet how much is committed before its epoch.
	// Where the log begins is certain.
	hidden := q.Timestamp != earliestOffset && q.Timestamp != earliestLocal && (q.Timestamp == latestOffset || !ok || at >= end)
	if client && p.hw < p.epochStart && hidden {
		return fail(kafka.OffsetNotAvailable)
	}
	if !ok || hidden && q.Timestamp != latestOffset {
		return r
	}
	r.Offset, r.Timestamp = int64(at), ts
	r.LeaderEpoch = int32(l.EpochForOffset(at))
	if q.Timestamp == latestOffset {
		r.LeaderEpoch = int32(p.leaderEpoch)
	}
	return r
}

// debugReplica may ask any replica (ListOffsetsRequest.DEBUGGING_REPLICA_ID).
const debugReplica = -2

// offsetFor resolves a timestamp, or one of the special ones.
func offsetFor(l *storage.Log, ts int64, end kafka.Offset) (kafka.Offset, int64, bool, error) {
	switch ts {
	case latestOffset:
		return end, record.NoTimestamp, true, nil
	case earliestOffset, earliestLocal:
		return l.LogStart(), record.NoTimestamp, true, nil
	case maxTimestamp:
		best := record.NoTimestamp
		for _, s := range l.Segments() {
			best = max(best, s.LargestTimestamp)
		}
		if best == record.NoTimestamp {
			return kafka.NoOffset, best, false, nil
		}
		return l.OffsetForTimestamp(best)
	}
	return l.OffsetForTimestamp(ts)
}

func (b *Broker) handleOffsetForLeaderEpoch(in *sim.Input, req *kmsg.OffsetForLeaderEpochRequest, out *sim.Out) {
	resp := &kmsg.OffsetForLeaderEpochResponse{Version: req.Version}
	for t := range req.Topics {
		rt := &req.Topics[t]
		topic := kmsg.OffsetForLeaderEpochResponseTopic{Topic: rt.Topic}
		for i := range rt.Partitions {
			topic.Partitions = append(topic.Partitions, b.endOfEpoch(rt.Topic, &rt.Partitions[i]))
		}
		resp.Topics = append(resp.Topics, topic)
	}
	out.Reply(in.Conn, in.Corr, resp)
}

// endOfEpoch answers for one partition (Partition.lastOffsetForLeaderEpoch).
func (b *Broker) endOfEpoch(topic string, q *kmsg.OffsetForLeaderEpochRequestTopicPartition) kmsg.OffsetForLeaderEpochResponseTopicPartition {
	r := kmsg.OffsetForLeaderEpochResponseTopicPartition{Partition: q.Partition, LeaderEpoch: -1, EndOffset: -1}
	i, known := b.findName(topic, q.Partition)
	switch {
	case !known:
		r.ErrorCode = int16(kafka.UnknownTopicOrPartition)
		return r
	case i < 0:
		r.ErrorCode = int16(absent(i))
		return r
	}
	p := b.parts[i]
	if code := b.checkEpoch(p, kafka.LeaderEpoch(q.CurrentLeaderEpoch), true); code != kafka.None {
		r.ErrorCode = int16(code)
		return r
	}
	l := b.log(p)
	epoch, end := l.EndOffsetForEpoch(kafka.LeaderEpoch(q.LeaderEpoch), l.LEO())
	r.LeaderEpoch, r.EndOffset = int32(epoch), int64(end)
	return r
}
