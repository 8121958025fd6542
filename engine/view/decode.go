package view

import (
	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/storage"
)

// decode appends the records of a batch from an offset on, with what a pass of the
// cleaner, if there is one, does with them. A batch that cannot
// be decoded (its codec is not in this program) gives one cell per offset,
// without key.
func (b *Builder) decode(batch *storage.Batch, from kafka.Offset, out []Cell) []Cell {
	h := &batch.Header
	base := Cell{Batch: h.BaseOffset, Epoch: h.LeaderEpoch, Control: h.Attributes.Control()}
	if at, ok := h.DeleteHorizon(); ok {
		base.Horizon = at
	}
	it, err := record.NewIterator(batch.Raw)
	if err != nil {
		for o := max(h.BaseOffset, from); o <= h.LastOffset(); o++ {
			c := base
			c.Offset, c.Timestamp = o, h.MaxTimestamp
			out = append(out, c)
		}
		return out
	}
	var r record.Record
	for it.Next(&r) {
		if r.Offset < from {
			continue
		}
		c := base
		c.Offset, c.Timestamp = r.Offset, r.Timestamp
		c.HasKey, c.Tombstone, c.Size = r.Key != nil, r.Value == nil && !c.Control, len(r.Key)+len(r.Value)
		if c.HasKey && !c.Control {
			c.Key = b.word(r.Key)
		}
		if b.pass != nil && !c.Control {
			c.Fate = Fate(b.pass.Verdict(batch.Raw, &r))
		}
		if name, _, ok := client.Identity(&r); ok {
			c.Producer = b.word(name)
		}
		out = append(out, c)
	}
	return out
}
