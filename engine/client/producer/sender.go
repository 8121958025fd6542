package producer

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// flight is a request that waits for its response.
type flight struct {
	corr    int32
	node    sim.ActorID
	init    bool    // InitProducerId; else Produce
	batches []int32 // slots, in the request's order
}

// runSender is one turn of the sender thread (Sender.runOnce).
func (p *Producer) runSender(now kafka.Instant, out *sim.Out) {
	p.followLeaders()
	p.meta.Poll(now, &p.net, out)
	if p.opt.idempotent {
		p.resolveSequences()
		p.bumpEpochIfNeeded()
		p.initProducerID(now, out)
	}
	if len(p.acc.nodes[0].listed) > 0 { // batches without a leader
		p.meta.Request()
		p.meta.Poll(now, &p.net, out)
	}
	p.expire(now, out)
	p.nextReady = kafka.Never
	for n := 1; n < len(p.acc.nodes); n++ {
		p.sendTo(now, int32(n), out)
	}
}

// followLeaders makes partitions follow the metadata.
func (p *Producer) followLeaders() {
	if p.seen == p.meta.Version() {
		return
	}
	p.seen = p.meta.Version()
	for ti := range p.acc.topics {
		if t := p.meta.Topic(ti); t.Known {
			p.acc.grow(ti, len(t.Parts), p)
		}
		for i, pi := range p.acc.topics[ti].parts {
			p.acc.lead(pi, p.meta.Leader(ti, int32(i)))
		}
	}
}

// sendTo drains what is ready for a broker, request by request, as far as its
// connection takes them.
func (p *Producer) sendTo(now kafka.Instant, n int32, out *sim.Out) {
	for len(p.acc.nodes[n].listed) > 0 && p.anyReady(now, n) {
		id := p.acc.nodes[n].id
		if !p.net.Connect(now, id, sim.ChanClient, out) || p.net.InFlight(id, sim.ChanClient) >= p.opt.inFlight {
			p.tried(now, n, false)
			return
		}
		p.tried(now, n, true)
		batches := p.drain(now, n)
		if len(batches) == 0 {
			p.acc.lists = append(p.acc.lists, batches)
			return
		}
		p.produce(now, id, batches, out)
	}
}

// anyReady reports whether one of a broker's partitions has a batch to send now
// (RecordAccumulator.batchReady); if not, nextReady takes in when it will.
func (p *Producer) anyReady(now kafka.Instant, n int32) bool {
	for _, pi := range p.acc.nodes[n].listed {
		pt := &p.acc.parts[pi]
		if pt.muted {
			continue
		}
		b := &p.acc.batches[pt.queue[0]]
		if p.backingOff(now, pt, b) {
			p.nextReady = min(p.nextReady, b.backoff)
			continue
		}
		lingers := b.attempted.Add(p.opt.linger)
		if now >= lingers || len(pt.queue) > 1 || b.full() || p.app.memory || p.closing {
			return true
		}
		p.nextReady = min(p.nextReady, lingers)
	}
	return false
}

// backingOff reports whether a retried batch must still wait. A new leader ends
// the wait (KIP-951, ProducerBatch.hasLeaderChangedForTheOngoingRetry).
func (p *Producer) backingOff(now kafka.Instant, pt *part, b *batch) bool {
	if pt.epoch != kafka.NoEpoch && b.epoch != pt.epoch {
		b.epoch, b.epochAt = pt.epoch, b.attempts
	}
	return now < b.backoff && b.epochAt != b.attempts
}

// drain takes one batch of each of a broker's partitions, up to
// max.request.size, going round from where the last drain ended
// (RecordAccumulator.drainBatchesForOneNode).
func (p *Producer) drain(now kafka.Instant, n int32) (batches []int32) {
	nd := &p.acc.nodes[n]
	if free := len(p.acc.lists); free > 0 {
		batches, p.acc.lists = p.acc.lists[free-1], p.acc.lists[:free-1]
	}
	at, _ := slices.BinarySearch(nd.listed, nd.from)
	bytes := 0
	for left := len(nd.listed); left > 0; left-- {
		if at == len(nd.listed) {
			at = 0
		}
		pi := nd.listed[at]
		nd.from = pi
		pt := &p.acc.parts[pi]
		slot := pt.queue[0]
		b := &p.acc.batches[slot]
		if pt.muted || p.backingOff(now, pt, b) {
			at++
			continue
		}
		if bytes+b.size() > p.opt.maxRequest && len(batches) > 0 || p.mustWait(pt, b) {
			break
		}
		if p.dequeue(pi, 0); pt.listed {
			at++
		}
		if p.opt.idempotent {
			p.number(pi, slot)
		}
		p.acc.encode(b)
		b.state = batchFlying
		bytes += len(b.bytes)
		batches = append(batches, slot)
		pt.muted = p.opt.preserveOrder
	}
	return batches
}

// dequeue takes the batch at a place out of a partition's queue.
func (p *Producer) dequeue(pi int32, at int) {
	pt := &p.acc.parts[pi]
	p.acc.queued -= len(p.acc.batches[pt.queue[at]].ids)
	pt.queue = slices.Delete(pt.queue, at, at+1)
	if len(pt.queue) == 0 {
		p.acc.unlist(pi)
	}
}

// produce sends batches to a broker in one request.
func (p *Producer) produce(now kafka.Instant, to sim.ActorID, batches []int32, out *sim.Out) {
	req := out.NewProduceRequest()
	req.Default()
	req.Version = 13
	req.Acks = p.opt.acks
	req.TimeoutMillis = int32(p.opt.request.Millis())
	for _, slot := range batches {
		b := &p.acc.batches[slot]
		pt := &p.acc.parts[b.part]
		p.acc.flying += len(b.ids)
		t := topicOf(req, p.meta.Topic(int(pt.topic)).Name, p.meta.Topic(int(pt.topic)).ID)
		t.Partitions = append(t.Partitions, kmsg.ProduceRequestTopicPartition{Partition: pt.index, Records: b.bytes})
		out.Note(trace.Note{Kind: trace.ProduceSent, Who: p.cfg.Name, Topic: t.Topic, Part: pt.index,
			Peer: to.Node(), N: int64(len(b.ids)), Offset: kafka.Offset(b.sequence)})
	}
	if p.opt.acks == 0 {
		out.SendOneWay(to, sim.ChanClient, req)
		for _, slot := range batches { // sent is all that can be known
			p.complete(now, slot, verdict{base: kafka.NoOffset}, to, out)
		}
		p.acc.lists = append(p.acc.lists, batches[:0])
		return
	}
	corr := p.net.Send(to, sim.ChanClient, req, out)
	p.flights = append(p.flights, flight{corr: corr, node: to, batches: batches})
}

// topicOf returns the request's entry for a topic, made if need be.
func topicOf(req *kmsg.ProduceRequest, name string, id kafka.TopicID) *kmsg.ProduceRequestTopic {
	for i := range req.Topics {
		if req.Topics[i].Topic == name {
			return &req.Topics[i]
		}
	}
	var room []kmsg.ProduceRequestTopicPartition
	if len(req.Topics) == 0 && cap(req.Topics) > 0 {
		room = req.Topics[:1][0].Partitions
	}
	req.Topics = append(req.Topics, kmsg.ProduceRequestTopic{Topic: name, TopicID: id, Partitions: room})
	return &req.Topics[len(req.Topics)-1]
}

// expire fails the batches whose delivery.timeout.ms is over, whether they are
// queued or in flight (Sender.sendProducerData, KIP-91).
func (p *Producer) expire(now kafka.Instant, out *sim.Out) {
	n := 0
	for n < len(p.expiry) {
		e := p.expiry[n]
		b := &p.acc.batches[e.slot]
		if b.serial == e.serial && e.at > now {
			break
		}
		n++
		if b.serial != e.serial || b.state == batchExpired {
			continue
		}
		flying := b.state == batchFlying
		if !flying {
			p.dequeue(b.part, slices.Index(p.acc.parts[b.part].queue, e.slot))
		}
		why := "Expiring " + itoa(len(b.ids)) + " record(s) for " + p.tp(b.part).String() + ":" +
			itoa(int(now.Sub(b.created).Millis())) + " ms has passed since batch creation"
		last := record.AddSequence(b.sequence, int32(len(b.ids)))
		p.give(now, e.slot, kafka.RequestTimedOut, why, false, out)
		if p.opt.idempotent && b.retry {
			p.markUnresolved(b.part, last)
			p.dirty = true // to be resolved in another turn
		}
		if flying {
			b.state = batchExpired // its memory is free when the response comes
		} else {
			p.deallocate(b)
			p.acc.release(e.slot)
		}
	}
	p.expiry = append(p.expiry[:0], p.expiry[n:]...)
}
