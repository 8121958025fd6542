package storage

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
)

// Corrupt makes a bit of the record at an offset wrong on this log's disk: of its
// value, or of its length. Copies of the log and other replicas, which share its
// memory, keep the right one. It is OFFSET_OUT_OF_RANGE if the log has no such
// record.
func (l *Log) Corrupt(off kafka.Offset, length bool) error {
	p, ok := l.find(off)
	if !ok {
		return failf(kafka.OffsetOutOfRange, "there is no record at offset %d", off)
	}
	bad, ok := record.Flipped(l.at(p), off, length)
	if !ok {
		return failf(kafka.OffsetOutOfRange, "there is no record at offset %d", off)
	}
	if p.seg < len(l.closed) {
		s := *l.closed[p.seg]
		s.overwrite(p, bad)
		l.closed = slices.Clone(l.closed)
		l.closed[p.seg] = &s
	} else {
		l.active.overwrite(p, bad)
		l.owned = false
	}
	l.cleanedHash = mix(l.cleanedHash, uint64(off)<<1|1)
	return nil
}

// overwrite puts a batch of the same size in the place of another one, in memory
// of its own.
func (s *segment) overwrite(p place, r record.Raw) {
	if p.chunk < len(s.chunks) {
		s.chunks = slices.Clone(s.chunks)
	}
	c := s.chunk(p.chunk)
	c.data = slices.Clone(c.data)
	c.data = c.data[:len(c.data):len(c.data)]
	copy(c.data[p.at:], r)
}
