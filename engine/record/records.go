package record

import (
	"encoding/binary"
	"iter"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// RecordHeader is one of the headers that a producer may put on a record
// (KIP-82). A key may come more than once.
type RecordHeader struct {
	Key   string
	Value []byte // nil is null
}

// Record is one record. Key and Value may be nil, which is Kafka's null; a
// null value is a tombstone in a compacted topic.
type Record struct {
	Offset     kafka.Offset
	Timestamp  int64 // ms; the batch's append time if that is its timestamp type
	Key, Value []byte
	Headers    []RecordHeader

	// As stored in the batch.
	OffsetDelta    int32
	TimestampDelta int64
	Attributes     int8 // unused by Kafka, 0
}

// Records ranges over the records of the batch at the start of b. It decodes
// as it goes; keys and values point into b unless the batch is compressed. The
// first error ends it.
func Records(b []byte) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		it, err := NewIterator(b)
		if err != nil {
			yield(Record{}, err)
			return
		}
		var rec Record
		for it.Next(&rec) {
			if !yield(rec, nil) {
				return
			}
		}
		if it.err != nil {
			yield(Record{}, it.err)
		}
	}
}

// Iterator walks the records of one batch. It allocates only for record
// headers and to unpack.
type Iterator struct {
	buf        []byte // record section, unpacked
	pos        int
	left       int32
	base       kafka.Offset
	baseTime   int64
	appendTime int64 // or NoTimestamp-1 when the records carry their own
	packed     bool
	err        error
}

const ownTimes = NoTimestamp - 1

// NewIterator starts at the first record of the batch at the start of b.
func NewIterator(b []byte) (Iterator, error) {
	r, err := Frame(b)
	if err != nil {
		return Iterator{}, err
	}
	buf, err := recordBytes(r)
	if err != nil {
		return Iterator{}, err
	}
	a := r.Attributes()
	it := Iterator{
		buf:        buf,
		left:       r.Count(),
		base:       r.BaseOffset(),
		baseTime:   int64(binary.BigEndian.Uint64(r[posBaseTime:])),
		appendTime: ownTimes,
		packed:     a.Codec() != CodecNone,
	}
	if a.LogAppendTime() {
		it.appendTime = r.MaxTimestamp()
	}
	return it, nil
}

// Err is the error that ended the iteration, if one did. Its position counts
// from the start of the batch; from the start of the unpacked records if the
// batch is compressed.
func (it *Iterator) Err() error { return it.err }

// Next reads the next record into rec and reports whether there was one.
func (it *Iterator) Next(rec *Record) bool {
	if it.err != nil {
		return false
	}
	if it.left == 0 {
		if it.pos != len(it.buf) {
			it.fail(it.pos, "bytes after the last record", 0, int64(len(it.buf)-it.pos))
		}
		return false
	}
	start := it.pos
	n, pos, ok := varint(it.buf, it.pos)
	if !ok || n < 0 || n > int64(len(it.buf)-pos) {
		it.fail(start, "record length", int64(len(it.buf)-pos), n)
		return false
	}
	end := pos + int(n)
	body, what := parseRecord(it.buf[:end], pos, rec)
	if what != "" {
		it.fail(body, what, int64(end-body), -1)
		return false
	}
	if body != end {
		it.fail(body, "bytes after a record's last header", 0, int64(end-body))
		return false
	}
	rec.Offset = it.base + kafka.Offset(rec.OffsetDelta)
	rec.Timestamp = it.baseTime + rec.TimestampDelta
	if it.appendTime != ownTimes {
		rec.Timestamp = it.appendTime
	}
	it.pos = end
	it.left--
	return true
}

func (it *Iterator) fail(pos int, what string, expected, found int64) {
	if !it.packed {
		pos += HeaderSize
	}
	it.err = &Error{Pos: int64(pos), What: what, Expected: expected, Found: found}
}

// parseRecord reads the fields after a record's length. It returns where it
// stopped and, on failure, which field was broken.
func parseRecord(b []byte, pos int, rec *Record) (int, string) {
	if pos >= len(b) {
		return pos, "record attributes"
	}
	rec.Attributes = int8(b[pos])
	pos++
	var ok bool
	if rec.TimestampDelta, pos, ok = varint(b, pos); !ok {
		return pos, "timestamp delta"
	}
	d, pos, ok := varint(b, pos)
	if !ok || d != int64(int32(d)) {
		return pos, "offset delta"
	}
	rec.OffsetDelta = int32(d)
	if rec.Key, pos, ok = varBytes(b, pos); !ok {
		return pos, "key"
	}
	if rec.Value, pos, ok = varBytes(b, pos); !ok {
		return pos, "value"
	}
	rec.Headers = nil
	n, pos, ok := varint(b, pos)
	if !ok || n < 0 || n > int64(len(b)-pos) { // a header takes two bytes at least
		return pos, "header count"
	}
	if n == 0 {
		return pos, ""
	}
	rec.Headers = make([]RecordHeader, n)
	for i := range rec.Headers {
		var k []byte
		if k, pos, ok = varBytes(b, pos); !ok || k == nil {
			return pos, "header key"
		}
		rec.Headers[i].Key = string(k)
		if rec.Headers[i].Value, pos, ok = varBytes(b, pos); !ok {
			return pos, "header value"
		}
	}
	return pos, ""
}

// varint reads a zigzag varint of up to 64 bits. On failure pos stays.
func varint(b []byte, pos int) (v int64, next int, ok bool) {
	if pos < len(b) && b[pos] < 0x80 { // the usual case: one byte
		u := b[pos]
		return int64(u>>1) ^ -int64(u&1), pos + 1, true
	}
	v, n := binary.Varint(b[pos:])
	if n <= 0 {
		return 0, pos, false
	}
	return v, pos + n, true
}

// varBytes reads bytes with a varint length, -1 for null. Its capacity ends
// with it, so that appending to it cannot reach into the batch.
func varBytes(b []byte, pos int) (v []byte, next int, ok bool) {
	n, p, ok := varint(b, pos)
	switch {
	case !ok || n < -1 || n > int64(len(b)-p):
		return nil, pos, false
	case n == -1:
		return nil, p, true
	}
	end := p + int(n)
	return b[p:end:end], end, true
}
