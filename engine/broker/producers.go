package broker

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/storage"
)

// batchesKept is how many of a producer's last batches a partition remembers to
// recognise duplicates (ProducerStateEntry.NUM_BATCHES_TO_RETAIN).
const batchesKept = 5

// producers is what a partition knows of idempotent producers, sorted by id
// (storage/.../ProducerStateManager.java). It follows from the log's content.
type producers []producerState

// producerState is one producer's (ProducerStateEntry).
type producerState struct {
	id      int64
	epoch   int16
	n       int32
	batches [batchesKept]producedBatch // the last n, oldest first
}

// producedBatch is a batch that was appended.
type producedBatch struct {
	firstSeq, lastSeq int32
	last              kafka.Offset
	delta             int32 // last offset - first offset
	timestamp         int64
}

func (s producers) clone() producers { return slices.Clone(s) }

func (s producers) find(id int64) (int, bool) {
	lo, hi := 0, len(s)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if s[m].id < id {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo, lo < len(s) && s[lo].id == id
}

// check validates a batch of an idempotent producer before it is appended
// (ProducerAppendInfo.checkProducerEpoch, checkSequence). A batch equal in
// sequence to one of the last five is a duplicate: it is answered with its
// old offsets and not appended again.
func (s producers) check(h *record.Header) (dup *producedBatch, code kafka.ErrorCode) {
	i, ok := s.find(h.ProducerID)
	if !ok {
		return nil, kafka.None // unknown here: any first sequence will do
	}
	p := &s[i]
	if h.ProducerEpoch < p.epoch {
		return nil, kafka.InvalidProducerEpoch
	}
	if h.ProducerEpoch > p.epoch {
		if h.BaseSequence != 0 && p.n > 0 {
			return nil, kafka.OutOfOrderSequenceNumber
		}
		return nil, kafka.None
	}
	last := h.LastSequence()
	for k := range p.n {
		if b := &p.batches[k]; b.firstSeq == h.BaseSequence && b.lastSeq == last {
			return b, kafka.None
		}
	}
	if p.n > 0 && h.BaseSequence != record.AddSequence(p.batches[p.n-1].lastSeq, 1) {
		return nil, kafka.OutOfOrderSequenceNumber
	}
	return nil, kafka.None
}

// observe takes note of a batch in the log.
func (s *producers) observe(h *record.Header) {
	if !h.HasProducer() || h.Attributes.Control() {
		return
	}
	i, ok := s.find(h.ProducerID)
	if !ok {
		*s = slices.Insert(*s, i, producerState{id: h.ProducerID, epoch: h.ProducerEpoch})
	}
	p := &(*s)[i]
	if h.ProducerEpoch != p.epoch {
		p.epoch, p.n = h.ProducerEpoch, 0
	}
	if p.n == batchesKept {
		copy(p.batches[:], p.batches[1:])
		p.n--
	}
	p.batches[p.n] = producedBatch{h.BaseSequence, h.LastSequence(), h.LastOffset(), h.LastOffsetDelta, h.MaxTimestamp}
	p.n++
}

// observeAll takes note of whole batches, one after the other.
func (s *producers) observeAll(b []byte) {
	for len(b) > 0 {
		r, err := record.Frame(b)
		if err != nil {
			return
		}
		if r.ProducerID() > record.NoProducerID {
			h := r.Header()
			s.observe(&h)
		}
		b = b[len(r):]
	}
}

// loadProducers is the state after a start or a truncation: that of the newest
// snapshot, and what the log has above it (ProducerStateManager.truncateAndReload,
// UnifiedLog.rebuildProducerState).
func (b *Broker) loadProducers(now kafka.Instant, l *storage.Log) producers {
	var s producers
	from := l.LogStart()
	if at, data, ok := l.SavedProducers(); ok {
		s = decodeProducers(data)
		s = slices.DeleteFunc(s, func(p producerState) bool { return p.expired(now, b.set.producerExpiry) })
		from = max(from, at)
	}
	for batch := range l.Batches(from) {
		s.observe(&batch.Header)
	}
	return s
}

// observeAppended takes note of what a follower appended. Where a segment began
// with it, the state up to there goes into a snapshot (UnifiedLog.roll).
func (b *Broker) observeAppended(p *partition, records []byte, segments int) {
	l := b.log(p)
	if l.SegmentCount() == segments {
		p.producers.observeAll(records)
		return
	}
	rolled := activeBase(l)
	n := 0
	for n < len(records) {
		r, err := record.Frame(records[n:])
		if err != nil || r.BaseOffset() >= rolled {
			break
		}
		n += len(r)
	}
	p.producers.observeAll(records[:n])
	b.saveProducers(p, rolled)
	p.producers.observeAll(records[n:])
}

func activeBase(l *storage.Log) kafka.Offset {
	s := l.Segments()
	return s[len(s)-1].BaseOffset
}

// saveProducers writes a snapshot. If there never was a producer, its absence
// says the same.
func (b *Broker) saveProducers(p *partition, at kafka.Offset) {
	if _, _, ok := b.log(p).SavedProducers(); !ok && len(p.producers) == 0 {
		return
	}
	b.mutLog(p).SaveProducers(at, encodeProducers(p.producers))
}

// saveAllProducers is part of a clean shutdown.
func (b *Broker) saveAllProducers() {
	for _, p := range b.parts {
		if p != nil {
			b.saveProducers(p, b.log(p).LEO())
		}
	}
}

// producerCheck is how often Kafka looks for producers that expired
// (producer.id.expiration.check.interval.ms).
const producerCheck = 10 * kafka.Minute

// forgetExpired removes a producer that has not written for
// producer.id.expiration.ms. Kafka's task does so every ten minutes since the
// logs were opened; here it is done when the producer writes again, if such a
// moment has passed: nobody can tell the difference.
func (b *Broker) forgetExpired(now kafka.Instant, i int32, id int64) {
	k, ok := b.parts[i].producers.find(id)
	if !ok {
		return
	}
	checked := b.opened.Add(now.Sub(b.opened) / producerCheck * producerCheck)
	if b.parts[i].producers[k].expired(checked, b.set.producerExpiry) {
		p := b.mut(i)
		p.producers = slices.Delete(p.producers, k, k+1)
	}
}

// expired is ProducerStateManager.isProducerExpired.
func (p *producerState) expired(now kafka.Instant, expiry kafka.Duration) bool {
	return p.n > 0 && now.UnixMilli()-p.batches[p.n-1].timestamp >= expiry.Millis()
}

func (s producers) digest(h *sim.Hash) {
	h.Int(int64(len(s)))
	for i := range s {
		p := &s[i]
		h.Int(p.id)
		h.Int(int64(p.epoch))
		for _, b := range p.batches[:p.n] {
			h.Int(int64(b.firstSeq)<<32 | int64(uint32(b.lastSeq)))
			h.Int(int64(b.last))
		}
	}
}
