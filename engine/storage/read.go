package storage

import (
	"iter"
	"sort"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
)

// place is where a batch stands.
type place struct {
	seg, chunk, at int
}

// find returns the first batch that ends at or after off.
func (l *Log) find(off kafka.Offset) (place, bool) {
	if off >= l.leo {
		return place{}, false
	}
	for i := l.tailN; i > 0 && i+tailMarks > l.tailN; i-- {
		m := &l.tail[(i-1)%tailMarks]
		if m.base > off {
			continue
		}
		p := place{len(l.closed), int(m.chunk), int(m.at)}
		if l.at(p).LastOffset() >= off {
			return p, true
		}
		return l.next(p) // off is in a gap behind it
	}
	for i := l.segFor(off); i <= len(l.closed); i++ {
		if ci, at, ok := l.seg(i).find(off); ok {
			return place{i, ci, at}, true
		}
	}
	return place{}, false
}

// at returns the batch at a place.
func (l *Log) at(p place) record.Raw { return rawAt(l.seg(p.seg).chunk(p.chunk).data, p.at) }

// next moves on by one batch, over chunks and segments.
func (l *Log) next(p place) (place, bool) {
	s := l.seg(p.seg)
	data := s.chunk(p.chunk).data
	if p.at += len(rawAt(data, p.at)); p.at < len(data) {
		return p, true
	}
	p.at = 0
	if p.chunk++; p.chunk < s.chunkCount() {
		return p, true
	}
	p.chunk = 0
	for p.seg++; p.seg <= len(l.closed); p.seg++ {
		if l.seg(p.seg).size > 0 {
			return p, true
		}
	}
	return place{}, false
}

// Read returns whole batches from the one that holds from on, as many as fit
// into maxBytes, from one segment, none that begins at or above upTo (the high
// watermark, the last stable offset or the log end offset). The first batch
// comes even if it is larger than maxBytes: KIP-74's "at least one message".
// Nothing there, or nothing below upTo, is an empty result. An offset outside
// [log start, log end] is OFFSET_OUT_OF_RANGE.
//
// The result is the log's own memory wherever it can be: never write to it and
// never append to it. It may begin with records before from, as in Kafka.
func (l *Log) Read(from kafka.Offset, maxBytes int, upTo kafka.Offset) ([]byte, error) {
	return l.read(from, maxBytes, upTo, true)
}

// ReadStrict is Read for a partition that comes after another one's data in
// the same response: a first batch larger than maxBytes stays out.
func (l *Log) ReadStrict(from kafka.Offset, maxBytes int, upTo kafka.Offset) ([]byte, error) {
	return l.read(from, maxBytes, upTo, false)
}

func (l *Log) read(from kafka.Offset, maxBytes int, upTo kafka.Offset, minOne bool) ([]byte, error) {
	if l.unclean {
		return nil, errUnclean
	}
	if from < l.start || from > l.leo {
		return nil, failf(kafka.OffsetOutOfRange, "offset %d is outside [%d, %d]", from, l.start, l.leo)
	}
	if from >= upTo {
		return nil, nil
	}
	p, ok := l.find(from)
	if !ok {
		return nil, nil
	}
	s := l.seg(p.seg)
	data := s.chunk(p.chunk).data
	first := rawAt(data, p.at)
	if first.BaseOffset() >= upTo || len(first) > maxBytes && !minOne {
		return nil, nil
	}
	whole := upTo >= l.leo || p.seg < len(l.closed) && upTo >= l.seg(p.seg+1).base
	end, done := l.extent(data, p.at, len(first), maxBytes, upTo, whole)
	if done || p.chunk+1 == s.chunkCount() {
		return data[p.at:end], nil
	}
	return l.gather(s, p, end, maxBytes, upTo, whole), nil
}

// extent returns where a read that begins at a place of a chunk with n bytes
// already granted ends in it, and whether it ends there for good: the budget
// or upTo stopped it, not the chunk's end.
func (l *Log) extent(data []byte, at, n, maxBytes int, upTo kafka.Offset, whole bool) (end int, done bool) {
	if whole && len(data)-at <= maxBytes {
		return len(data), false
	}
	for end = at + n; end < len(data); {
		r := rawAt(data, end)
		if end-at+len(r) > maxBytes || r.BaseOffset() >= upTo {
			return end, true
		}
		end += len(r)
	}
	return end, false
}

// gather copies a read that goes over the ends of chunks, so that where they
// are cannot be told from the result.
func (l *Log) gather(s *segment, p place, end, maxBytes int, upTo kafka.Offset, whole bool) []byte {
	part := s.chunk(p.chunk).data[p.at:end]
	var out []byte
	for ci := p.chunk + 1; ci < s.chunkCount(); ci++ {
		data := s.chunk(ci).data
		got := len(out) + len(part)
		n, done := l.extent(data, 0, 0, maxBytes-got, upTo, whole)
		if n > 0 {
			if out == nil {
				out = make([]byte, 0, min(maxBytes, int(s.size-s.chunk(p.chunk).pos)-p.at))
			}
			out = append(out, part...)
			part = data[:n]
		}
		if done {
			break
		}
	}
	if out == nil {
		return part
	}
	return append(out, part...)
}

// Batch is one batch of a log and where it stands.
type Batch struct {
	Header   record.Header
	Raw      record.Raw   // shared memory: read only
	Segment  kafka.Offset // base offset of its segment
	Position int64        // byte position in the segment's file
}

// Batches ranges over the batches from the one that holds an offset on, to the
// log's end. It looks at the log as it stands; do not change the log meanwhile.
func (l *Log) Batches(from kafka.Offset) iter.Seq[Batch] {
	return func(yield func(Batch) bool) {
		if l.unclean {
			return
		}
		for p, ok := l.find(from); ok; p, ok = l.next(p) {
			s := l.seg(p.seg)
			c := s.chunk(p.chunk)
			r := rawAt(c.data, p.at)
			if !yield(Batch{r.Header(), r, s.base, int64(c.pos) + int64(p.at)}) {
				return
			}
		}
	}
}

// BatchAt returns the first batch that ends at or after an offset: the one
// that holds it, if it was not compacted away.
func (l *Log) BatchAt(off kafka.Offset) (Batch, bool) {
	for b := range l.Batches(off) {
		return b, true
	}
	return Batch{}, false
}

// LastBatch returns the newest batch.
func (l *Log) LastBatch() (Batch, bool) {
	if l.tailN > 0 {
		return l.BatchAt(l.tail[(l.tailN-1)%tailMarks].base)
	}
	var last Batch
	found := false
	for b := range l.Batches(max(l.start, l.leo-1)) { // at most a few: nothing is behind it but a gap
		last, found = b, true
	}
	return last, found
}

// OffsetForTimestamp finds the first record, not below the log start offset,
// with a timestamp of at least ms (UnifiedLog.fetchOffsetByTimestamp). ok is
// false if there is none. The error is that of a batch which cannot be unpacked.
func (l *Log) OffsetForTimestamp(ms int64) (off kafka.Offset, timestamp int64, ok bool, err error) {
	if l.unclean {
		return 0, 0, false, errUnclean
	}
	for i := 0; i <= len(l.closed); i++ {
		if l.seg(i).maxTS >= ms {
			return l.seg(i).findTimestamp(ms, l.start)
		}
	}
	return kafka.NoOffset, record.NoTimestamp, false, nil
}

// findTimestamp is OffsetForTimestamp within a segment
// (LogSegment.findOffsetByTimestamp).
func (s *segment) findTimestamp(ms int64, from kafka.Offset) (kafka.Offset, int64, bool, error) {
	at := s.base
	if i := sort.Search(len(s.times), func(i int) bool { return s.times[i].ts > ms }); i > 0 {
		at += kafka.Offset(s.times[i-1].rel)
	}
	if s.size == 0 {
		return kafka.NoOffset, record.NoTimestamp, false, nil
	}
	ci, pos := s.locate(s.lookup(max(at, from)))
	for n := s.chunkCount(); ci < n; ci, pos = ci+1, 0 {
		data := s.chunk(ci).data
		for pos < len(data) {
			r := rawAt(data, pos)
			pos += len(r)
			if r.MaxTimestamp() < ms || r.LastOffset() < from {
				continue
			}
			for rec, err := range record.Records(r) {
				if err != nil {
					return kafka.NoOffset, record.NoTimestamp, false, err
				}
				if rec.Timestamp >= ms && rec.Offset >= from {
					return rec.Offset, rec.Timestamp, true, nil
				}
			}
		}
	}
	return kafka.NoOffset, record.NoTimestamp, false, nil
}
