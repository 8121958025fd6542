package storage

import (
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
)

// mix adds a number to a content hash.
func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	return h ^ h>>32
}

// mixBatch adds a batch to the hash: its offset, epoch and CRC, which stands
// for all the rest. The hash of a log is that of all its batches in turn since
// it was created or last truncated fully, those deleted since included. Every
// chunk holds the hash before it, so a truncation needs to walk one chunk.
func mixBatch(h uint64, r record.Raw) uint64 {
	h = mix(h, uint64(r.BaseOffset()))
	return mix(h, uint64(r.CRC())<<32|uint64(uint32(r.LeaderEpoch())))
}

// Digest writes the log's state: offsets, segments, epochs, durability, and
// the running hash in place of the batches. It costs the same however long the
// log is, and is equal however the bytes are chunked.
func (l *Log) Digest(h *sim.Hash) {
	h.Int(int64(l.start))
	h.Int(int64(l.leo))
	h.Uint64(l.hash)
	h.Int(l.bytes)
	h.Int(int64(len(l.closed)))
	s := &l.active
	h.Int(int64(s.base))
	h.Uint64(uint64(s.size)<<32 | uint64(s.since))
	h.Uint64(uint64(len(s.index))<<32 | uint64(len(s.times)))
	h.Int(s.maxTS)
	h.Int(int64(s.maxAt))
	h.Int(s.rollTS)
	h.Int(s.created)
	h.Int(s.changed)
	h.Int(s.jitter)
	h.Int(int64(len(l.epochs)))
	for _, e := range l.epochs {
		h.Int(int64(e.Epoch))
		h.Int(int64(e.StartOffset))
	}
	h.Int(int64(l.recovery))
	h.Int(int64(l.recoverySave))
	h.Int(int64(l.startSave))
	h.Uint64(uint64(l.flushed))
	h.Bool(l.unclean)
	for _, d := range l.dirty.samples[:l.dirty.n] {
		h.Int(int64(d.at))
		h.Uint64(uint64(d.size))
	}
	h.Int(l.cfg.SegmentBytes)
	h.Int(l.cfg.SegmentMs)
	h.Int(l.cfg.IndexIntervalBytes)
	h.Int(l.cfg.SegmentIndexBytes)
	h.Bool(l.cfg.LogAppendTime)
	h.Bool(l.cfg.Delete)
	h.Bool(l.cfg.Compact)
	for _, n := range [...]int64{
		l.cfg.SegmentJitterMs, l.cfg.RetentionMs, l.cfg.RetentionBytes, l.cfg.FileDeleteDelayMs,
		l.cfg.DirtyRatioPPM, l.cfg.DeleteRetentionMs, l.cfg.MinCompactionLagMs, l.cfg.MaxCompactionLagMs,
	} {
		h.Int(n)
	}
	h.Int(int64(len(l.removed)))
	for _, r := range l.removed {
		h.Int(int64(r.base))
		h.Int(r.size)
		h.Int(int64(r.due))
	}
	l.digestSnapshots(h)
	h.Int(int64(l.cleanedTo))
	h.Uint64(l.cleanedHash)
}
