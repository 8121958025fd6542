package storage

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
)

// Verdict is what a pass does with a record.
type Verdict uint8

// The verdicts.
const (
	Keep        Verdict = iota
	Superseded          // a later record has its key
	Expired             // a tombstone whose delete horizon has passed
	NullKey             // no key
	AbortedData         // of an aborted transaction
)

// String names the verdict.
func (v Verdict) String() string {
	return [...]string{"keep", "superseded", "tombstone past its delete horizon", "null key", "aborted"}[v]
}

// Verdict judges a record of a data batch that is not aborted
// (Cleaner.shouldRetainRecord). Before the offset map is there, all are kept.
func (c *Cleaning) Verdict(r record.Raw, rec *record.Record) Verdict {
	if c.latest == nil || rec.Offset >= c.End {
		return Keep
	}
	if rec.Key == nil {
		return NullKey
	}
	if at, ok := c.latest[string(rec.Key)]; ok && rec.Offset < at {
		return Superseded
	}
	if rec.Value == nil {
		h := r.Header()
		if horizon, ok := h.DeleteHorizon(); ok && c.Started.UnixMilli() >= horizon {
			return Expired
		}
	}
	return Keep
}

// rewrite filters closed segments [from, to) into the bytes of their successor
// (Cleaner.cleanInto, MemoryRecords.filterTo).
func (c *Cleaning) rewrite(l *Log, from, to int) ([]byte, error) {
	var out []byte
	var err error
	l.segmentBatches(from, to, func(r record.Raw) bool {
		c.Stats.BytesRead += int64(len(r))
		c.Stats.Read += int64(r.Count())
		n := len(out)
		if r.Attributes().Control() {
			out = c.control(l, out, r)
		} else if out, err = c.data(l, out, r); err != nil {
			return false
		}
		c.Stats.BytesWritten += int64(len(out) - n)
		return true
	})
	return out, err
}

// data filters a batch of records.
func (c *Cleaning) data(l *Log, out []byte, r record.Raw) ([]byte, error) {
	if r.Attributes().Transactional() {
		aborted := c.isAborted(r)
		c.begin(r.ProducerID(), aborted)
		if aborted {
			c.Stats.Aborted += int64(r.Count())
			return c.emptied(out, r), nil
		}
	}
	keep := make([]record.Record, 0, r.Count())
	tombstones := false
	for rec, err := range record.Records(r) {
		if err != nil {
			return out, err
		}
		switch c.Verdict(r, &rec) {
		case Keep:
			keep = append(keep, rec)
			tombstones = tombstones || rec.Value == nil
		case Superseded:
			c.Stats.Superseded++
		case Expired:
			c.Stats.Tombstones++
		case NullKey:
			c.Stats.NullKeys++
		}
	}
	if len(keep) == 0 {
		return c.emptied(out, r), nil
	}
	return c.retained(l, out, r, keep, tombstones), nil
}

// retained writes the records that a batch keeps. One with tombstones gets the
// time from which they may go, once (KIP-534).
func (c *Cleaning) retained(l *Log, out []byte, r record.Raw, keep []record.Record, dated bool) []byte {
	c.Stats.Kept += int64(len(keep))
	h := r.Header()
	horizon, has := h.DeleteHorizon()
	if !has {
		horizon = record.NoTimestamp
	}
	if dated && !has {
		horizon = c.Started.UnixMilli() + l.cfg.DeleteRetentionMs
		c.Stats.Horizons++
		c.Stats.HorizonMs = max(c.Stats.HorizonMs, horizon)
	} else if len(keep) == int(r.Count()) {
		return append(out, r...)
	}
	return record.AppendRetained(out, r, keep, horizon)
}

// emptied writes a batch that has lost all its records: nothing, unless its
// header must stay (BatchRetention.RETAIN_EMPTY).
func (c *Cleaning) emptied(out []byte, r record.Raw) []byte {
	if !c.lastOfProducer(r) && r.NextOffset() != c.Cleanable.FirstUncleanable {
		return out
	}
	c.Stats.Empty++
	return record.AppendEmpty(out, r)
}

// lastOfProducer reports whether a batch is the newest that a live producer's
// state rests on.
func (c *Cleaning) lastOfProducer(r record.Raw) bool {
	id := r.ProducerID()
	if id <= record.NoProducerID {
		return false
	}
	i, ok := slices.BinarySearchFunc(c.producers, id, func(p ProducerTail, id int64) int { return int(max(-1, min(1, p.ID-id))) })
	if !ok {
		return false
	}
	p := &c.producers[i]
	if p.LastOffset == kafka.NoOffset {
		h := r.Header()
		return h.Attributes.Control() && h.ProducerEpoch == p.Epoch
	}
	return p.LastOffset == r.LastOffset()
}

// control decides about a control batch. A transaction's marker may go when no
// data of the transaction is left; it gets a delete horizon then, and goes in a
// later pass after it (CleanedTransactionMetadata.onControlBatchRead).
func (c *Cleaning) control(l *Log, out []byte, r record.Raw) []byte {
	_, isMarker := markerOf(r)
	if r.Count() == 0 { // what an earlier pass left of one
		if r.NextOffset() == c.Cleanable.FirstUncleanable || c.lastOfProducer(r) {
			return append(out, r...)
		}
		return out
	}
	if !isMarker {
		c.Stats.Kept += int64(r.Count())
		return append(out, r...)
	}
	withData := c.end(r.ProducerID())
	h := r.Header()
	horizon, has := h.DeleteHorizon()
	if !withData && has && horizon <= c.Started.UnixMilli() {
		c.Stats.Markers++
		return c.emptied(out, r)
	}
	keep := make([]record.Record, 0, 1)
	for rec, err := range record.Records(r) {
		if err == nil {
			keep = append(keep, rec)
		}
	}
	return c.retained(l, out, r, keep, !withData)
}

// begin notes data of a transaction.
func (c *Cleaning) begin(id int64, aborted bool) {
	i, ok := c.findOpen(id)
	if !ok {
		c.open = slices.Insert(c.open, i, openTxn{id, aborted})
	}
}

// end ends a transaction at its marker and reports whether data of it was seen.
func (c *Cleaning) end(id int64) bool {
	i, ok := c.findOpen(id)
	if ok {
		c.open = slices.Delete(c.open, i, i+1)
	}
	return ok
}

func (c *Cleaning) findOpen(id int64) (int, bool) {
	return slices.BinarySearchFunc(c.open, id, func(t openTxn, id int64) int { return int(max(-1, min(1, t.id-id))) })
}
