package broker

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
)

// DeleteRecords (API key 21), versions 0 to 2: the leader moves its log start
// offset up, and answers when every live replica has followed
// (ReplicaManager.deleteRecords, DelayedDeleteRecords.scala).

// delayedDelete is a request whose replicas have not all followed. It is changed
// by replacing it.
type delayedDelete struct {
	conn     sim.ConnID
	corr     int32
	version  int16
	deadline kafka.Instant
	results  []deleteResult
}

// deleteResult is what became of one partition.
type deleteResult struct {
	topic     string
	partition int32
	part      int32 // -1: not here
	waiting   bool
	code      kafka.ErrorCode
	required  kafka.Offset // the low watermark that it waits for
	low       kafka.Offset // -1 on error
}

func (b *Broker) handleDeleteRecords(now kafka.Instant, in *sim.Input, req *kmsg.DeleteRecordsRequest, out *sim.Out) {
	d := &delayedDelete{
		conn: in.Conn, corr: in.Corr, version: req.Version,
		deadline: now.Add(kafka.Duration(req.TimeoutMillis) * kafka.Millisecond),
	}
	for t := range req.Topics {
		rt := &req.Topics[t]
		for p := range rt.Partitions {
			r := b.deleteRecords(now, rt.Topic, rt.Partitions[p].Partition, kafka.Offset(rt.Partitions[p].Offset), out)
			d.results = append(d.results, r)
		}
	}
	b.care.deletes = append(slices.Clone(b.care.deletes), d)
	b.completeDeletes(now, out)
	if n := len(b.care.deletes); n > 0 && b.care.deletes[n-1] == d {
		out.SetTimer(timer(timerDelete, 0), b.deletesDue())
	}
}

// deleteRecords moves one log start offset up (Partition.deleteRecordsOnLeader).
// Offset -1 stands for the high watermark.
func (b *Broker) deleteRecords(now kafka.Instant, topic string, partition int32, off kafka.Offset, out *sim.Out) deleteResult {
	i, known := b.findName(topic, partition)
	r := deleteResult{topic: topic, partition: partition, part: i, low: -1}
	switch {
	case kafka.IsInternal(topic):
		r.code = kafka.InvalidTopic
		return r
	case !known:
		r.code = kafka.UnknownTopicOrPartition
		return r
	case i < 0:
		r.code = absent(i)
		return r
	case !b.leads(b.parts[i]):
		r.code = kafka.NotLeaderOrFollower
		return r
	}
	p := b.parts[i]
	if off == -1 {
		off = p.hw
	}
	switch {
	case p.set.log.Compact && !p.set.log.Delete: // an empty cleanup.policy is no hindrance (KIP-1161)
		r.code = kafka.PolicyViolation
		return r
	case off < 0 || off > p.hw:
		r.code = kafka.OffsetOutOfRange
		return r
	}
	p = b.mut(i)
	l := b.mutLog(p)
	start := l.LogStart()
	if moved, _ := l.SetLogStart(off); moved {
		b.logStartMoved(now, p, start, out)
	}
	r.waiting, r.required = true, off
	return r
}

// lowWatermark is the smallest log start offset among the leader and the live
// followers (Partition.lowWatermarkIfLeader).
func (b *Broker) lowWatermark(p *partition) kafka.Offset {
	low := b.log(p).LogStart()
	for i := range p.remotes {
		r := &p.remotes[i]
		if reg := b.img.Broker(r.node); reg != nil && !reg.Fenced {
			low = min(low, r.logStart)
		}
	}
	return low
}

// completeDeletes answers requests whose partitions have all got there, or can
// not any more.
func (b *Broker) completeDeletes(now kafka.Instant, out *sim.Out) {
	if len(b.care.deletes) == 0 {
		return
	}
	var left []*delayedDelete
	for _, d := range b.care.deletes {
		if n := b.tryDelete(now, d); n.waits() {
			left = append(left, n)
		} else {
			out.Reply(n.conn, n.corr, n.response())
		}
	}
	b.care.deletes = left
}

// tryDelete returns the request with what is known now.
func (b *Broker) tryDelete(now kafka.Instant, d *delayedDelete) *delayedDelete {
	n := *d
	n.results = slices.Clone(d.results)
	for i := range n.results {
		r := &n.results[i]
		if !r.waiting {
			continue
		}
		p := b.parts[r.part]
		switch {
		case p == nil || !b.leads(p):
			r.waiting, r.code = false, kafka.NotLeaderOrFollower
		case b.lowWatermark(p) >= r.required:
			r.waiting, r.low = false, b.lowWatermark(p)
		case now >= d.deadline:
			r.waiting, r.code = false, kafka.RequestTimedOut
		}
	}
	return &n
}

func (d *delayedDelete) waits() bool {
	return slices.ContainsFunc(d.results, func(r deleteResult) bool { return r.waiting })
}

func (d *delayedDelete) response() *kmsg.DeleteRecordsResponse {
	resp := &kmsg.DeleteRecordsResponse{Version: d.version}
	for i := range d.results {
		r := &d.results[i]
		if n := len(resp.Topics); n == 0 || resp.Topics[n-1].Topic != r.topic {
			resp.Topics = append(resp.Topics, kmsg.DeleteRecordsResponseTopic{Topic: r.topic})
		}
		t := &resp.Topics[len(resp.Topics)-1]
		t.Partitions = append(t.Partitions, kmsg.DeleteRecordsResponseTopicPartition{
			Partition: r.partition, LowWatermark: int64(r.low), ErrorCode: int16(r.code),
		})
	}
	return resp
}

func (b *Broker) deletesDue() kafka.Instant {
	due := kafka.Never
	for _, d := range b.care.deletes {
		due = min(due, d.deadline)
	}
	return due
}

func (b *Broker) expireDeletes(now kafka.Instant, out *sim.Out) {
	b.completeDeletes(now, out)
	if due := b.deletesDue(); due != kafka.Never {
		out.SetTimer(timer(timerDelete, 0), due)
	}
}
