package producer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// verdict is what a response says about one batch.
type verdict struct {
	err      kafka.ErrorCode
	base     kafka.Offset // of the first record; NoOffset if it is not known
	logStart kafka.Offset
	bad      string // the records that the broker named, with its words (KIP-467)
}

// heard takes a response, or the news that there will be none.
func (p *Producer) heard(now kafka.Instant, in *sim.Input, out *sim.Out) {
	p.dirty = true
	if p.meta.Mine(in) {
		_, broken := p.net.Heard(now, in, out)
		p.meta.Heard(now, in, out)
		p.broken(broken)
		return
	}
	mine, broken := p.net.Heard(now, in, out)
	p.broken(broken)
	if mine {
		return
	}
	at := slices.IndexFunc(p.flights, func(f flight) bool { return f.corr == in.Corr && f.node == in.From })
	if at < 0 {
		return
	}
	f := p.flights[at]
	p.flights = slices.Delete(p.flights, at, at+1)
	if f.init {
		p.heardInit(now, in)
		return
	}
	resp, _ := in.Response.(*kmsg.ProduceResponse)
	switch {
	case in.Kind == sim.InputDisconnected && in.Reason == sim.ReasonRefused:
		for _, slot := range f.batches { // it never left: nobody listened
			p.putBack(slot)
		}
	case in.Kind == sim.InputDisconnected || resp == nil:
		code := kafka.NetworkException
		if in.Kind == sim.InputDisconnected && in.Reason == sim.ReasonTimeout { // request.timeout.ms (Sender.handleProduceResponse)
			code = kafka.RequestTimedOut
		}
		for _, slot := range f.batches {
			p.complete(now, slot, verdict{err: code, base: kafka.NoOffset, logStart: kafka.NoOffset}, f.node, out)
		}
	default:
		p.takeHints(resp)
		for _, slot := range f.batches {
			p.complete(now, slot, p.verdictFor(resp, slot), f.node, out)
		}
	}
	p.acc.lists = append(p.acc.lists, f.batches[:0])
}

// broken asks for metadata after a connection was found to be broken
// (NetworkClient.handleServerDisconnect).
func (p *Producer) broken(yes bool) {
	if yes {
		p.meta.Request()
	}
}

// takeHints learns of new leaders from the response itself (KIP-951).
func (p *Producer) takeHints(resp *kmsg.ProduceResponse) {
	for i := range resp.Topics {
		ti := p.meta.ByID(resp.Topics[i].TopicID, resp.Topics[i].Topic)
		if ti < 0 {
			continue
		}
		for j := range resp.Topics[i].Partitions {
			r := &resp.Topics[i].Partitions[j]
			if c := kafka.ErrorCode(r.ErrorCode); c == kafka.NotLeaderOrFollower || c == kafka.FencedLeaderEpoch {
				p.meta.Hint(ti, r.Partition, r.CurrentLeader.LeaderID, r.CurrentLeader.LeaderEpoch)
			}
		}
	}
	p.followLeaders()
}

func (p *Producer) verdictFor(resp *kmsg.ProduceResponse, slot int32) verdict {
	pt := &p.acc.parts[p.acc.batches[slot].part]
	for i := range resp.Topics {
		if p.meta.ByID(resp.Topics[i].TopicID, resp.Topics[i].Topic) != int(pt.topic) {
			continue
		}
		for j := range resp.Topics[i].Partitions {
			if r := &resp.Topics[i].Partitions[j]; r.Partition == pt.index {
				return verdict{kafka.ErrorCode(r.ErrorCode), kafka.Offset(r.BaseOffset), kafka.Offset(r.LogStartOffset), badRecords(r)}
			}
		}
	}
	return verdict{err: kafka.UnknownServerError, base: kafka.NoOffset, logStart: kafka.NoOffset}
}

// badRecords says which records of a batch made the broker refuse it.
func badRecords(r *kmsg.ProduceResponseTopicPartition) string {
	var b strings.Builder
	for i := range r.ErrorRecords {
		e := &r.ErrorRecords[i]
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString("record " + strconv.Itoa(int(e.RelativeOffset)))
		if e.ErrorMessage != nil {
			b.WriteString(": " + *e.ErrorMessage)
		}
	}
	return b.String()
}

// complete ends one try of a batch: acked, to be split, to be retried, or
// failed (Sender.completeBatch).
func (p *Producer) complete(now kafka.Instant, slot int32, v verdict, from sim.ActorID, out *sim.Out) {
	b := &p.acc.batches[slot]
	pi := b.part
	expired := b.state == batchExpired
	if !expired {
		p.acc.flying -= len(b.ids)
	}
	if v.err != kafka.None && v.err != kafka.DuplicateSequenceNumber && !expired {
		p.ledger.errors.Add(now, v.err)
	}
	switch {
	case v.err == kafka.None || v.err == kafka.DuplicateSequenceNumber && !expired:
		p.ack(now, slot, v, from, out)
	case v.err == kafka.MessageTooLarge && len(b.ids) > 1 && !expired:
		p.noteRejected(b, v.err, from, out)
		p.split(slot)
	case p.canRetry(now, b, v):
		p.noteRejected(b, v.err, from, out)
		p.retry(now, slot)
	default:
		p.failBatch(now, slot, v.err, v.bad, int64(b.attempts) < p.opt.retries, out)
		p.deallocate(b)
		p.acc.release(slot)
	}
	if client.InvalidMetadata(v.err) {
		p.meta.Request()
	}
	p.acc.parts[pi].muted = false
}

func (p *Producer) noteRejected(b *batch, code kafka.ErrorCode, from sim.ActorID, out *sim.Out) {
	pt := &p.acc.parts[b.part]
	out.Note(trace.Note{Kind: trace.ProduceRejected, Who: p.cfg.Name, Topic: p.meta.Topic(int(pt.topic)).Name, Part: pt.index,
		Peer: from.Node(), Err: code, N: int64(len(b.ids))})
}

// ack ends a batch well.
func (p *Producer) ack(now kafka.Instant, slot int32, v verdict, from sim.ActorID, out *sim.Out) {
	b := &p.acc.batches[slot]
	pt := &p.acc.parts[b.part]
	if p.opt.idempotent {
		p.ackSequence(slot)
	}
	if b.state != batchExpired {
		base := v.base
		if v.err != kafka.None {
			base = kafka.NoOffset
		}
		for i, id := range b.ids {
			p.ledger.acked.Add(id)
			if base >= 0 {
				pt.acks.Add(id, base+kafka.Offset(i))
			}
		}
		out.Note(trace.Note{Kind: trace.ProduceAcked, Who: p.cfg.Name, Topic: p.meta.Topic(int(pt.topic)).Name, Part: pt.index,
			Peer: from.Node(), Offset: base, N: int64(len(b.ids)), Took: out.Now().Sub(b.attempted)})
	}
	p.deallocate(b)
	p.acc.release(slot)
}

// canRetry is Sender.canRetry.
func (p *Producer) canRetry(now kafka.Instant, b *batch, v verdict) bool {
	if b.state == batchExpired || now.Sub(b.created) >= p.opt.delivery || int64(b.attempts) >= p.opt.retries {
		return false
	}
	if p.opt.idempotent {
		return p.canRetrySequence(b, v)
	}
	return v.err.Retriable()
}

// retry puts a batch back into its queue with a back-off
// (RecordAccumulator.reenqueue).
func (p *Producer) retry(now kafka.Instant, slot int32) {
	b := &p.acc.batches[slot]
	b.backoff = now.Add(p.opt.backoff.After(b.attempts, &p.backoff))
	b.attempts++
	b.attempted, b.retry = now, true
	p.ledger.retries += int64(len(b.ids))
	p.enqueue(slot)
}

// putBack undoes the drain of a batch that never left this machine.
func (p *Producer) putBack(slot int32) {
	b := &p.acc.batches[slot]
	if b.state == batchExpired {
		p.deallocate(b)
		p.acc.release(slot)
		return
	}
	p.acc.flying -= len(b.ids)
	p.acc.parts[b.part].muted = false
	p.enqueue(slot)
}

// enqueue puts a batch at the front of its queue, behind batches with lower
// sequences that wait there (RecordAccumulator.insertInSequenceOrder).
func (p *Producer) enqueue(slot int32) {
	b := &p.acc.batches[slot]
	pt := &p.acc.parts[b.part]
	at := 0
	if p.opt.idempotent {
		for at < len(pt.queue) {
			q := &p.acc.batches[pt.queue[at]]
			if q.sequence == record.NoSequence || q.sequence >= b.sequence {
				break
			}
			at++
		}
	}
	b.state = batchClosed
	pt.queue = slices.Insert(pt.queue, at, slot)
	p.acc.queued += len(b.ids)
	p.acc.list(b.part)
}

// give tells the application that a batch has failed (Sender.failBatch). adjust
// says that the broker surely has none of it, so that sequences may be given
// again. The slot stays.
func (p *Producer) give(now kafka.Instant, slot int32, code kafka.ErrorCode, why string, adjust bool, out *sim.Out) {
	b := &p.acc.batches[slot]
	if b.state == batchExpired {
		return // it has failed before; what a late response says changes nothing
	}
	p.ledger.errors.Add(now, code)
	if b.state == batchFlying {
		p.acc.flying -= len(b.ids)
	}
	p.failBatch(now, slot, code, why, adjust, out)
}

// failBatch is give for a batch of which the broker has been heard.
func (p *Producer) failBatch(now kafka.Instant, slot int32, code kafka.ErrorCode, why string, adjust bool, out *sim.Out) {
	b := &p.acc.batches[slot]
	if b.state == batchExpired {
		return
	}
	if p.opt.idempotent {
		p.failSequence(slot, code, adjust)
	}
	for _, id := range b.ids {
		p.ledger.failed.Add(id)
		p.ledger.given.Add(now, code)
	}
	tp := p.tp(b.part)
	out.Note(trace.Note{Kind: trace.ProduceFailed, Who: p.cfg.Name, Topic: tp.Topic, Part: tp.Partition, Err: code, N: int64(len(b.ids)), Say: why})
}

// split makes smaller batches of one that the broker found too large and puts
// them back in order, as if they had never been tried (KIP-126,
// RecordAccumulator.splitAndReenqueue). A batch that comes out of a split is
// halved (KAFKA-8350).
func (p *Producer) split(slot int32) {
	target := p.opt.batchSize
	whole := p.acc.batches[slot]
	if whole.split {
		target = max(int(whole.largest), whole.size()/2)
	}
	if p.opt.idempotent {
		p.forget(slot)
	}
	var pieces []int32
	piece := int32(-1)
	it, err := record.NewIterator(whole.bytes)
	if err != nil {
		panic("producer: own batch: " + err.Error())
	}
	var r record.Record
	for i := 0; it.Next(&r); i++ {
		size := record.HeaderSize + record.RecordSizeMax(r.Key, r.Value, r.Headers)
		if piece < 0 || p.acc.batches[piece].open.SizeWith(r.Timestamp, r.Key, r.Value, r.Headers) > p.acc.batches[piece].limit {
			piece = p.newBatch(whole.part, whole.created)
			n := &p.acc.batches[piece]
			n.split, n.limit, n.epoch = true, max(target, size), whole.epoch
			n.open.Reset(record.BatchSpec{Codec: p.opt.codec})
			pieces = append(pieces, piece)
		}
		n := &p.acc.batches[piece]
		n.open.Add(r.Timestamp, r.Key, r.Value, r.Headers)
		n.ids = append(n.ids, whole.ids[i])
		n.largest = max(n.largest, int32(size))
	}
	sequence := whole.sequence
	for _, s := range pieces {
		n := &p.acc.batches[s]
		n.id, n.pepoch, n.sequence = whole.id, whole.pepoch, sequence
		p.acc.encode(n)
		if sequence != record.NoSequence {
			sequence = record.AddSequence(sequence, int32(len(n.ids)))
		}
	}
	for _, s := range slices.Backward(pieces) {
		if p.opt.idempotent {
			p.track(s)
		}
		p.enqueue(s)
	}
	p.deallocate(&p.acc.batches[slot])
	p.acc.release(slot)
}

func (p *Producer) tp(pi int32) kafka.TopicPartition {
	pt := &p.acc.parts[pi]
	return kafka.TopicPartition{Topic: p.meta.Topic(int(pt.topic)).Name, Partition: pt.index}
}

func itoa(n int) string { return strconv.Itoa(n) }
