package producer

import (
	"math"
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	noProducerID    = record.NoProducerID
	noProducerEpoch = record.NoProducerEpoch

	// codes that only this machine has a use for
	unknownProducerID kafka.ErrorCode = 59
)

// idempotence is the part of TransactionManager that an idempotent producer
// without transactions uses (KIP-98, KIP-360).
type idempotence struct {
	id      int64
	epoch   int16
	asking  bool // InitProducerId is under way
	retryAt kafka.Instant
	tries   int32
	bump    bool    // the epoch must be bumped
	rewrite []int32 // partitions whose sequences begin anew with the bump, ascending
}

// initProducerID asks any broker for a producer id if there is none.
func (p *Producer) initProducerID(now kafka.Instant, out *sim.Out) {
	i := &p.idem
	if i.id != noProducerID || i.asking || now < i.retryAt {
		return
	}
	to, ok := p.net.LeastLoaded(now, p.meta.Brokers(), sim.ChanClient)
	if !ok {
		p.net.Want(p.meta.Brokers(), sim.ChanClient)
		return
	}
	if !p.net.Connect(now, to, sim.ChanClient, out) {
		return
	}
	req := kmsg.NewPtrInitProducerIDRequest()
	req.Version = 5
	req.TransactionTimeoutMillis = math.MaxInt32
	req.ProducerID, req.ProducerEpoch = noProducerID, noProducerEpoch
	i.asking = true
	p.flights = append(p.flights, flight{corr: p.net.Send(to, sim.ChanClient, req, out), node: to, init: true})
}

func (p *Producer) heardInit(now kafka.Instant, in *sim.Input) {
	i := &p.idem
	i.asking = false
	resp, _ := in.Response.(*kmsg.InitProducerIDResponse)
	if in.Kind == sim.InputResponse && resp != nil && resp.ErrorCode == 0 {
		i.id, i.epoch, i.tries = resp.ProducerID, resp.ProducerEpoch, 0
		return
	}
	if resp != nil && in.Kind == sim.InputResponse {
		p.ledger.errors.Add(now, kafka.ErrorCode(resp.ErrorCode))
	}
	i.retryAt = now.Add(p.opt.backoff.After(i.tries, &p.backoff))
	i.tries++
}

// mustWait is RecordAccumulator.shouldStopDrainBatchesForPartition: whether a
// batch cannot be sent yet for the sake of sequences.
func (p *Producer) mustWait(pt *part, b *batch) bool {
	if !p.opt.idempotent {
		return false
	}
	if p.idem.id == noProducerID {
		return true
	}
	if b.sequence == record.NoSequence {
		if len(pt.sequenced) > 0 && p.outdated(pt) {
			return true // let those of the earlier epoch end first
		}
		return pt.unresolved != record.NoSequence
	}
	// A batch that is sent again goes alone, in order: only the first of those
	// that are not resolved.
	return len(pt.sequenced) > 0 && p.acc.batches[pt.sequenced[0]].sequence != b.sequence
}

func (p *Producer) outdated(pt *part) bool { return pt.id != p.idem.id || pt.pepoch != p.idem.epoch }

// number gives a batch its sequence when it is sent for the first time.
func (p *Producer) number(pi, slot int32) {
	b, pt := &p.acc.batches[slot], &p.acc.parts[pi]
	if b.sequence != record.NoSequence {
		return
	}
	if p.outdated(pt) && len(pt.sequenced) == 0 {
		p.startSequences(pi)
	}
	b.id, b.pepoch, b.sequence = p.idem.id, p.idem.epoch, pt.next
	b.stale = b.bytes != nil
	pt.next = record.AddSequence(pt.next, int32(len(b.ids)))
	p.track(slot)
}

// track adds a numbered batch to those that are not resolved.
func (p *Producer) track(slot int32) {
	b := &p.acc.batches[slot]
	pt := &p.acc.parts[b.part]
	at := len(pt.sequenced)
	for at > 0 && p.acc.batches[pt.sequenced[at-1]].sequence > b.sequence {
		at--
	}
	pt.sequenced = slices.Insert(pt.sequenced, at, slot)
}

// forget takes a batch out of those that are not resolved.
func (p *Producer) forget(slot int32) {
	pt := &p.acc.parts[p.acc.batches[slot].part]
	if at := slices.Index(pt.sequenced, slot); at >= 0 {
		pt.sequenced = slices.Delete(pt.sequenced, at, at+1)
	}
}

// startSequences begins a partition's sequences at 0 under the current id and
// epoch, for unresolved batches too (TxnPartitionMap.startSequencesAtBeginning).
func (p *Producer) startSequences(pi int32) {
	pt := &p.acc.parts[pi]
	next := int32(0)
	for _, slot := range pt.sequenced {
		b := &p.acc.batches[slot]
		b.id, b.pepoch, b.sequence = p.idem.id, p.idem.epoch, next
		b.reset, b.stale = true, true
		next = record.AddSequence(next, int32(len(b.ids)))
	}
	pt.id, pt.pepoch, pt.next, pt.lastAcked = p.idem.id, p.idem.epoch, next, record.NoSequence
}

// ackSequence is TransactionManager.handleCompletedBatch.
func (p *Producer) ackSequence(slot int32) {
	b := &p.acc.batches[slot]
	pt := &p.acc.parts[b.part]
	if last := record.AddSequence(b.sequence, int32(len(b.ids))-1); last > pt.lastAcked {
		pt.lastAcked = last
	}
	p.forget(slot)
}

func (pt *part) isNext(sequence int32) bool { return sequence-pt.lastAcked == 1 }

// canRetrySequence is TransactionManager.canRetry for a producer without
// transactions.
func (p *Producer) canRetrySequence(b *batch, v verdict) bool {
	pt := &p.acc.parts[b.part]
	switch v.err {
	case unknownProducerID:
		if v.logStart != kafka.NoOffset && !b.reset {
			p.requestBump(b.part)
		}
		return true
	case kafka.OutOfOrderSequenceNumber:
		resolved := pt.unresolved == record.NoSequence
		if resolved && (b.reset || !pt.isNext(b.sequence)) {
			return true // an earlier batch is still on its way: wait for it
		}
		if resolved || b.sequence == pt.unresolved {
			p.requestBump(b.part) // there is a gap for good
		}
		return true
	}
	return v.err.Retriable()
}

// failSequence is TransactionManager.handleFailedBatch.
func (p *Producer) failSequence(slot int32, code kafka.ErrorCode, adjust bool) {
	b := &p.acc.batches[slot]
	if b.sequence == record.NoSequence {
		return
	}
	p.forget(slot)
	if code == kafka.OutOfOrderSequenceNumber || code == unknownProducerID || adjust {
		p.requestBump(b.part)
	}
}

// requestBump asks for a new epoch, with which the partition's sequences begin
// at 0 again (requestIdempotentEpochBumpForPartition).
func (p *Producer) requestBump(pi int32) {
	p.idem.bump = true
	if at, ok := slices.BinarySearch(p.idem.rewrite, pi); !ok {
		p.idem.rewrite = slices.Insert(p.idem.rewrite, at, pi)
	}
}

// markUnresolved remembers that the fate of sequences below next is not known:
// nothing new is sent to the partition until it is.
func (p *Producer) markUnresolved(pi int32, next int32) {
	pt := &p.acc.parts[pi]
	pt.unresolved = max(pt.unresolved, next)
	if at, ok := slices.BinarySearch(p.acc.unresolved, pi); !ok {
		p.acc.unresolved = slices.Insert(p.acc.unresolved, at, pi)
	}
}

// resolveSequences is TransactionManager.maybeResolveSequences.
func (p *Producer) resolveSequences() {
	p.acc.unresolved = slices.DeleteFunc(p.acc.unresolved, func(pi int32) bool {
		pt := &p.acc.parts[pi]
		if pt.unresolved == record.NoSequence {
			return true // a bump has settled it
		}
		if len(pt.sequenced) > 0 {
			return false
		}
		if !pt.isNext(pt.next) {
			p.requestBump(pi) // all that was in flight has expired
		}
		pt.unresolved = record.NoSequence
		return true
	})
}

// bumpEpochIfNeeded is TransactionManager.bumpIdempotentEpochAndResetIdIfNeeded:
// the client itself counts the epoch up; past the last one it needs a new id.
func (p *Producer) bumpEpochIfNeeded() {
	i := &p.idem
	if !i.bump {
		return
	}
	if i.epoch == math.MaxInt16 {
		i.id, i.epoch = noProducerID, noProducerEpoch
	} else {
		i.epoch++
	}
	for _, pi := range i.rewrite {
		p.startSequences(pi)
		p.acc.parts[pi].unresolved = record.NoSequence
	}
	i.rewrite, i.bump = i.rewrite[:0], false
}
