package producer

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
)

// Clone returns a deep copy that shares only what never changes: sealed
// batches, configs, listed acks.
func (p *Producer) Clone() sim.Actor { return p.Fork() }

// Fork is Clone with the type kept.
func (p *Producer) Fork() *Producer {
	c := *p
	c.net, c.meta = p.net.Clone(), p.meta.Clone()
	c.acc = p.acc.clone()
	c.idem.rewrite = slices.Clone(p.idem.rewrite)
	c.flights = slices.Clone(p.flights)
	for i := range c.flights {
		c.flights[i].batches = slices.Clone(c.flights[i].batches)
	}
	c.expiry = slices.Clone(p.expiry)
	c.app.orders = slices.Clone(p.app.orders)
	c.app.rec.key = slices.Clone(p.app.rec.key)
	c.app.rec.value = slices.Clone(p.app.rec.value)
	c.app.rec.header = slices.Clone(p.app.rec.header)
	l := &p.ledger
	c.ledger.acked, c.ledger.failed = l.acked.Clone(), l.failed.Clone()
	c.ledger.errors, c.ledger.given = l.errors.Clone(), l.given.Clone()
	return &c
}

func (a *accumulator) clone() accumulator {
	c := *a
	c.arena, c.lists = nil, nil // the original goes on in that memory
	c.topics = slices.Clone(a.topics)
	for i := range c.topics {
		c.topics[i].parts = slices.Clone(c.topics[i].parts)
	}
	c.parts = slices.Clone(a.parts)
	for i := range c.parts {
		pt := &c.parts[i]
		pt.queue, pt.sequenced = slices.Clone(pt.queue), slices.Clone(pt.sequenced)
		pt.acks = a.parts[i].acks.Clone()
	}
	c.nodes = slices.Clone(a.nodes)
	for i := range c.nodes {
		c.nodes[i].listed = slices.Clone(c.nodes[i].listed)
	}
	c.batches = slices.Clone(a.batches)
	for i := range c.batches {
		b := &c.batches[i]
		if b.state == batchFree {
			*b = batch{}
			continue
		}
		b.ids = slices.Clone(b.ids)
		if b.bytes == nil {
			b.open = a.batches[i].open.Clone()
		}
	}
	c.spare, c.unresolved, c.oldAcks = slices.Clone(a.spare), slices.Clone(a.unresolved), slices.Clone(a.oldAcks)
	for i := range c.oldAcks {
		c.oldAcks[i].acks = a.oldAcks[i].acks.Clone()
	}
	return c
}

// pastAcks gathers what was acked so far, for the next life of the process.
func (p *Producer) pastAcks() []partAcks {
	past := slices.Clip(p.acc.oldAcks)
	for i := range p.acc.parts {
		if pt := &p.acc.parts[i]; pt.acks.Len() > 0 {
			past = append(past, partAcks{p.tp(int32(i)), pt.acks})
		}
	}
	return past
}

// Digest writes the whole state.
func (p *Producer) Digest(h *sim.Hash) {
	for _, b := range []bool{p.running, p.closing, p.paused, p.dirty} {
		h.Bool(b)
	}
	h.Int(p.rate)
	h.Int(p.seen)
	h.Int(int64(p.nextReady))
	h.Int(int64(p.armed))
	p.net.Digest(h)
	p.meta.Digest(h)
	p.spread.Digest(h)
	p.keys.Digest(h)
	p.backoff.Digest(h)
	p.acc.digest(h)
	p.idem.digest(h)
	p.app.digest(h)
	for _, at := range []kafka.Instant{p.work.from, p.work.next, p.work.armed} {
		h.Int(int64(at))
	}
	h.Int(p.work.n)
	h.Int(int64(len(p.flights)))
	for i := range p.flights {
		f := &p.flights[i]
		h.Int(int64(f.corr))
		h.Int(int64(f.node))
		h.Bool(f.init)
		digestSlots(h, f.batches)
	}
	h.Int(int64(len(p.expiry)))
	for _, e := range p.expiry {
		h.Int(int64(e.at))
		h.Int(int64(e.slot))
		h.Int(e.serial)
	}
	l := &p.ledger
	h.Int(l.next)
	h.Int(l.worked)
	h.Int(l.retries)
	l.acked.Digest(h)
	l.failed.Digest(h)
	l.errors.Digest(h)
	l.given.Digest(h)
}

func digestSlots(h *sim.Hash, s []int32) {
	h.Int(int64(len(s)))
	for _, v := range s {
		h.Int(int64(v))
	}
}

func (i *idempotence) digest(h *sim.Hash) {
	h.Int(i.id)
	h.Int(int64(i.epoch))
	h.Bool(i.asking)
	h.Int(int64(i.retryAt))
	h.Int(int64(i.tries))
	h.Bool(i.bump)
	digestSlots(h, i.rewrite)
}

func (a *app) digest(h *sim.Hash) {
	h.Bool(a.busy)
	h.Bool(a.memory)
	h.Int(int64(a.until))
	if a.busy {
		r := &a.rec
		h.Int(r.id)
		h.Int(int64(r.topic))
		h.Int(int64(r.partition))
		h.Int(r.timestamp)
		h.Bool(r.hasKey)
		h.Bool(r.tombstone)
		h.Bytes(r.key)
		h.Bytes(r.value)
		h.Bytes(r.header)
	}
	h.Int(int64(len(a.orders)))
	for i := range a.orders {
		o := &a.orders[i]
		h.String(o.Topic)
		h.Int(int64(o.Partition))
		h.String(o.Key)
		h.Bool(o.HasKey)
		h.String(o.Value)
		h.Bool(o.Tombstone)
		h.Int(o.Timestamp)
		h.Int(o.N)
	}
}

func (a *accumulator) digest(h *sim.Hash) {
	h.Int(a.serial)
	h.Int(a.free)
	h.Int(int64(a.queued))
	h.Int(int64(a.flying))
	for i := range a.topics {
		t := &a.topics[i]
		h.Int(int64(len(t.parts)))
		h.Int(int64(t.touched))
		h.Int(int64(t.sticky))
		h.Int(int64(t.produced))
	}
	for i := range a.nodes {
		n := &a.nodes[i]
		h.Int(int64(n.id))
		digestSlots(h, n.listed)
		h.Int(int64(n.from))
		h.Int(int64(n.triedAt))
		h.Int(int64(n.drainsAt))
	}
	for i := range a.parts {
		a.parts[i].digest(h)
	}
	digestSlots(h, a.spare)
	digestSlots(h, a.unresolved)
	for i := range a.batches {
		a.batches[i].digest(h)
	}
	for i := range a.oldAcks {
		a.oldAcks[i].acks.Digest(h)
	}
}

func (pt *part) digest(h *sim.Hash) {
	for _, v := range []int64{int64(pt.node), int64(pt.epoch), pt.id, int64(pt.pepoch), int64(pt.next), int64(pt.lastAcked), int64(pt.unresolved)} {
		h.Int(v)
	}
	h.Bool(pt.muted)
	h.Bool(pt.touched)
	digestSlots(h, pt.queue)
	digestSlots(h, pt.sequenced)
	pt.acks.Digest(h)
}

func (b *batch) digest(h *sim.Hash) {
	h.Int(int64(b.state))
	if b.state == batchFree {
		return
	}
	for _, v := range []bool{b.split, b.retry, b.reset, b.stale} {
		h.Bool(v)
	}
	for _, v := range []int64{b.serial, int64(b.part), int64(b.limit), b.memory, int64(b.largest), int64(b.created), int64(b.attempted), int64(b.backoff),
		int64(b.attempts), int64(b.epoch), int64(b.epochAt), b.id, int64(b.pepoch), int64(b.sequence)} {
		h.Int(v)
	}
	for _, id := range b.ids {
		h.Int(id)
	}
	h.Bytes(b.bytes)
	if b.bytes == nil {
		h.Bytes(b.open.Unsealed())
	}
}

// Batch is a batch in the accumulator or in flight.
type Batch struct {
	TP       kafka.TopicPartition
	Records  int
	Bytes    int
	InFlight bool
	Attempts int // tries that failed so far
	Sequence int32
	Created  kafka.Instant
}

// ID is the process's actor id.
func (p *Producer) ID() sim.ActorID { return p.cfg.ID }

// Name is the client.id.
func (p *Producer) Name() string { return p.cfg.Name }

// Topic is the workload's topic.
func (p *Producer) Topic() string { return p.cfg.Topic }

// Settings lists the configs that were given, sorted by name.
func (p *Producer) Settings() []client.Setting { return p.opt.all.All() }

// Idempotent reports whether the producer numbers its records; configs that
// exclude it turn the default off.
func (p *Producer) Idempotent() bool { return p.opt.idempotent }

// Running reports whether the process runs.
func (p *Producer) Running() bool { return p.running }

// Closing reports whether close() was called and waits for what is under way.
func (p *Producer) Closing() bool { return p.running && p.closing }

// Paused reports whether the workload is paused.
func (p *Producer) Paused() bool { return p.paused }

// Blocked reports whether send() is blocked, for metadata or for memory.
func (p *Producer) Blocked() bool { return p.app.busy }

// Rate is the workload's rate in records per 1000 s.
func (p *Producer) Rate() int64 { return p.rate }

// Queued is how many records wait in the accumulator.
func (p *Producer) Queued() int { return p.acc.queued }

// InFlight is how many records were sent and are not answered.
func (p *Producer) InFlight() int { return p.acc.flying }

// Sent is how many records were handed to send(): numbers 0..Sent-1.
func (p *Producer) Sent() int64 { return p.ledger.next }

// Throttled is how long brokers asked to be left alone (KIP-219).
func (p *Producer) Throttled() kafka.Duration { return p.net.Throttled() }

// Retries counts records that were sent again (record-retry-total).
func (p *Producer) Retries() int64 { return p.ledger.retries }

// Acked is the set of records whose send succeeded. Read only.
func (p *Producer) Acked() *client.IDs { return &p.ledger.acked }

// Failed is the set of records whose send failed. Read only. A failed record
// may be in the log all the same.
func (p *Producer) Failed() *client.IDs { return &p.ledger.failed }

// Errors counts the errors that the producer met, once per batch and response,
// whether retried or not.
func (p *Producer) Errors() *client.Errors { return &p.ledger.errors }

// Failures counts the records that failed, by error.
func (p *Producer) Failures() *client.Errors { return &p.ledger.given }

// ProducerID returns the idempotent producer's id and epoch, -1 before it has
// one.
func (p *Producer) ProducerID() (id int64, epoch int16) { return p.idem.id, p.idem.epoch }

// BufferFree is how many bytes of buffer.memory are not in use.
func (p *Producer) BufferFree() int64 { return p.acc.free }

// EachAck calls yield with every record that was acked at a known offset: by
// partition, in the order of the acks. A partition may come twice if the
// process was started again. Acks without an offset (acks=0, or a duplicate
// whose batch the broker no longer remembers) are in Acked only.
func (p *Producer) EachAck(yield func(tp kafka.TopicPartition, id int64, at kafka.Offset) bool) {
	for _, past := range p.pastAcks() {
		more := true
		past.acks.Each(func(id int64, at kafka.Offset) bool {
			more = yield(past.tp, id, at)
			return more
		})
		if !more {
			return
		}
	}
}

// Batches appends the batches that are not done to dst, oldest first.
func (p *Producer) Batches(dst []Batch) []Batch {
	for _, e := range p.expiry {
		b := &p.acc.batches[e.slot]
		if b.serial != e.serial || b.state == batchExpired {
			continue
		}
		dst = append(dst, Batch{TP: p.tp(b.part), Records: len(b.ids), Bytes: b.size(), InFlight: b.state == batchFlying,
			Attempts: int(b.attempts), Sequence: b.sequence, Created: b.created})
	}
	return dst
}
