package broker

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
)

// Timestamps that ListOffsets takes for an end of the log (ListOffsetsRequest).
const (
	latestOffset   int64 = -1
	earliestOffset int64 = -2
	maxTimestamp   int64 = -3
	earliestLocal  int64 = -4
)

// offsetQuestion is a ListOffsets request of a follower that is out of range.
type offsetQuestion struct {
	corr int32
	part int32
	kind int64 // latestOffset or earliestOffset
}

// truncateDiverging cuts the log to where it agrees with the leader's, whose
// largest epoch not above the last fetched one ended at end
// (AbstractFetcherThread.getOffsetTruncationState). If this log does not know
// that epoch, it is cut to the end of the next lower one and the next fetch
// compares again.
func (b *Broker) truncateDiverging(f *fetcher, p *partition, epoch kafka.LeaderEpoch, end kafka.Offset, out *sim.Out) {
	l := b.log(p)
	own, ownEnd := l.EndOffsetForEpoch(epoch, l.LEO())
	to := min(end, l.LEO())
	switch {
	case own >= 0 && own != epoch:
		to = min(ownEnd, l.LEO())
	case own >= 0:
		to = min(ownEnd, end, l.LEO())
	}
	b.truncate(p, to, out)
	f.name(p)
}

// truncate cuts the log. The high watermark comes down with it if it must.
func (b *Broker) truncate(p *partition, to kafka.Offset, out *sim.Out) {
	l := b.mutLog(p)
	from := l.LEO()
	l.TruncateTo(to)
	b.truncated(p, from, out)
}

func (b *Broker) truncated(p *partition, from kafka.Offset, out *sim.Out) {
	l := b.log(p)
	if l.LEO() != from {
		out.Note(trace.Note{
			Kind: trace.Truncated, Topic: p.tp.Topic, Part: p.tp.Partition, Node: b.cfg.ID, Peer: p.leader,
			Offset: l.LEO(), From: from, Epoch: p.leaderEpoch,
		})
	}
	p.hw = min(p.hw, l.LEO())
	b.cleanerTruncated(p, out)
	b.moveTruncated(p)
	p.producers = b.loadProducers(out.Now(), l)
	b.stirred(p)
}

// askOffsets asks the leader for an end of its log: the follower's offset was
// out of range (AbstractFetcherThread.fetchOffsetAndTruncate).
func (b *Broker) askOffsets(f *fetcher, p *partition, kind int64, out *sim.Out) {
	req := &kmsg.ListOffsetsRequest{Version: 10, ReplicaID: int32(b.cfg.ID), TimeoutMillis: int32(b.set.requestTimeout.Millis())}
	part := kmsg.ListOffsetsRequestTopicPartition{Partition: p.tp.Partition, CurrentLeaderEpoch: int32(p.leaderEpoch), Timestamp: kind}
	req.Topics = []kmsg.ListOffsetsRequestTopic{{Topic: p.tp.Topic, Partitions: []kmsg.ListOffsetsRequestTopicPartition{part}}}
	corr := b.corr()
	f.offsets = append(f.offsets, offsetQuestion{corr, p.num, kind})
	out.Send(sim.ActorID(f.leader), sim.ChanFetcher, corr, req, fetcherTimeout)
}

// offsetsAnswered goes on with what askOffsets wanted to know: a leader that
// ends before this log has it cut; one that begins behind it has it start anew
// there.
func (b *Broker) offsetsAnswered(now kafka.Instant, f *fetcher, corr int32, resp *kmsg.ListOffsetsResponse, out *sim.Out) {
	k := slices.IndexFunc(f.offsets, func(q offsetQuestion) bool { return q.corr == corr })
	if k < 0 {
		return
	}
	q := f.offsets[k]
	f.offsets = slices.Delete(f.offsets, k, k+1)
	p := b.parts[q.part]
	if p != nil && p.fetch.active && p.leader == f.leader {
		b.outOfRange(now, f, b.mut(q.part), q.kind, resp, out)
	}
	b.sendFetch(now, f, out)
}

func (b *Broker) outOfRange(now kafka.Instant, f *fetcher, p *partition, kind int64, resp *kmsg.ListOffsetsResponse, out *sim.Out) {
	if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
		b.fetchFailed(now, f, p, kafka.UnknownServerError, out)
		return
	}
	r := &resp.Topics[0].Partitions[0]
	if r.ErrorCode != 0 {
		b.fetchFailed(now, f, p, kafka.ErrorCode(r.ErrorCode), out)
		return
	}
	leo, at := b.log(p).LEO(), kafka.Offset(r.Offset)
	out.Note(trace.Note{Kind: trace.OutOfRange, Topic: p.tp.Topic, Part: p.tp.Partition, Node: b.cfg.ID, Peer: p.leader, Offset: at, From: leo})
	switch {
	case kind == latestOffset && at < leo:
		b.truncate(p, at, out)
	case kind == latestOffset:
		b.askOffsets(f, p, earliestOffset, out)
		return
	case at > leo:
		b.mutLog(p).TruncateFullyAndStartAt(at)
		p.hw = at
		b.truncated(p, leo, out)
	}
	f.name(p)
}
