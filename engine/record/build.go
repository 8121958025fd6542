package record

import (
	"encoding/binary"
	"math/bits"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// BatchSpec says how a batch is to be. The zero value is an uncompressed batch
// of a producer without idempotence, at offset 0, with timestamps of the producer.
type BatchSpec struct {
	BaseOffset    kafka.Offset // a producer sends 0; the leader sets the real one
	LeaderEpoch   kafka.LeaderEpoch
	Codec         Codec
	LogAppendTime bool
	Transactional bool
	Control       bool

	// Idempotent: the three fields below are written; else they are -1.
	Idempotent    bool
	ProducerID    int64
	ProducerEpoch int16
	BaseSequence  int32

	// Records: Timestamp, Key, Value and Headers count; offsets go up by one.
	// At least one.
	Records []Record
}

func (s *BatchSpec) header() Header {
	h := Header{
		BaseOffset:    s.BaseOffset,
		LeaderEpoch:   s.LeaderEpoch,
		Magic:         Magic,
		Attributes:    Attributes(s.Codec),
		BaseTimestamp: NoTimestamp,
		MaxTimestamp:  NoTimestamp,
		ProducerID:    NoProducerID,
		ProducerEpoch: NoProducerEpoch,
		BaseSequence:  NoSequence,
	}
	if s.Idempotent {
		h.ProducerID, h.ProducerEpoch, h.BaseSequence = s.ProducerID, s.ProducerEpoch, s.BaseSequence
	}
	if s.LogAppendTime {
		h.Attributes |= LogAppendTimeFlag
	}
	if s.Transactional {
		h.Attributes |= TransactionalFlag
	}
	if s.Control {
		h.Attributes |= ControlFlag
	}
	return h
}

// Build makes a batch in memory of its own, of exactly its size if it is not
// compressed. It panics without records, and for a codec that is not available.
func Build(s BatchSpec) []byte {
	if len(s.Records) == 0 {
		panic("record: Build without records")
	}
	size := HeaderSize
	base := s.Records[0].Timestamp
	for i := range s.Records {
		r := &s.Records[i]
		size += RecordSize(int32(i), r.Timestamp-base, r.Key, r.Value, r.Headers)
	}
	b := Builder{buf: make([]byte, 0, size)}
	b.Reset(s)
	for i := range s.Records {
		r := &s.Records[i]
		b.Add(r.Timestamp, r.Key, r.Value, r.Headers)
	}
	return b.Take()
}

// Builder makes a batch record by record. Reset starts one; after Bytes or
// Take the next Reset may reuse the builder. The zero value needs a Reset.
type Builder struct {
	h   Header
	buf []byte // header space and uncompressed records
}

// Reset starts a new batch by s; its Records are not looked at.
func (b *Builder) Reset(s BatchSpec) {
	b.h = s.header()
	if cap(b.buf) < HeaderSize {
		b.buf = make([]byte, 0, 256)
	}
	b.buf = b.buf[:HeaderSize]
}

// Add appends a record with the next offset. The batch's base timestamp is
// that of the first record (MemoryRecordsBuilder.java).
func (b *Builder) Add(timestamp int64, key, value []byte, headers []RecordHeader) {
	if b.h.Count == 0 {
		b.h.BaseTimestamp, b.h.MaxTimestamp = timestamp, timestamp
	}
	b.h.MaxTimestamp = max(b.h.MaxTimestamp, timestamp)
	b.buf = appendRecord(b.buf, 0, b.h.Count, timestamp-b.h.BaseTimestamp, key, value, headers)
	b.h.LastOffsetDelta = b.h.Count
	b.h.Count++
}

// Count is the number of records so far.
func (b *Builder) Count() int { return int(b.h.Count) }

// Size is the batch's size so far in bytes, before compression.
func (b *Builder) Size() int { return max(len(b.buf), HeaderSize) }

// SizeWith is what Size would be with one more record.
func (b *Builder) SizeWith(timestamp int64, key, value []byte, headers []RecordHeader) int {
	delta := timestamp - b.h.BaseTimestamp
	if b.h.Count == 0 {
		delta = 0
	}
	return b.Size() + RecordSize(b.h.Count, delta, key, value, headers)
}

// Bytes finishes the batch. What it returns is the builder's memory and valid
// until the next Reset. It panics without records.
func (b *Builder) Bytes() []byte {
	if b.h.Count == 0 {
		panic("record: a batch without records")
	}
	out := b.buf
	if c := b.h.Attributes.Codec(); c != CodecNone {
		if !HasCodec(c) {
			panic((&CodecError{Codec: c}).Error())
		}
		out = compressors[c].Compress(make([]byte, HeaderSize, len(b.buf)/2+HeaderSize), b.buf[HeaderSize:])
	}
	seal(&b.h, out)
	return out
}

// Take finishes the batch and gives its memory away. It panics without records.
func (b *Builder) Take() []byte {
	out := b.Bytes()
	if b.h.Attributes.Codec() == CodecNone {
		b.buf = nil // out is that memory
	}
	return out
}

// seal fills in length and CRC and writes the header in front of the records
// that already stand in b.
func seal(h *Header, b []byte) {
	h.Length = int32(len(b) - logOverhead)
	h.put(b)
	h.CRC = Raw(b).checksum()
	binary.BigEndian.PutUint32(b[posCRC:], h.CRC)
}

// RecordSize is the exact size of a record in bytes, uncompressed, with its
// length field (DefaultRecord.sizeInBytes).
func RecordSize(offsetDelta int32, timestampDelta int64, key, value []byte, headers []RecordHeader) int {
	n := bodySize(offsetDelta, timestampDelta, key, value, headers)
	return varintSize(int64(n)) + n
}

// RecordSizeMax is an upper bound of RecordSize for any offset and timestamp
// (DefaultRecord.recordSizeUpperBound): 21 bytes and the payload.
func RecordSizeMax(key, value []byte, headers []RecordHeader) int {
	const overhead = 21
	return overhead + bytesSize(key) + bytesSize(value) + headersSize(headers)
}

func bodySize(offsetDelta int32, timestampDelta int64, key, value []byte, headers []RecordHeader) int {
	return 1 + varintSize(timestampDelta) + varintSize(int64(offsetDelta)) +
		bytesSize(key) + bytesSize(value) + headersSize(headers)
}

func headersSize(headers []RecordHeader) int {
	n := varintSize(int64(len(headers)))
	for i := range headers {
		k := len(headers[i].Key)
		n += varintSize(int64(k)) + k + bytesSize(headers[i].Value)
	}
	return n
}

func bytesSize(b []byte) int {
	if b == nil {
		return 1
	}
	return varintSize(int64(len(b))) + len(b)
}

func varintSize(v int64) int {
	u := uint64(v<<1) ^ uint64(v>>63)
	return (bits.Len64(u|1) + 6) / 7
}

func appendRecord(dst []byte, attributes int8, offsetDelta int32, timestampDelta int64, key, value []byte, headers []RecordHeader) []byte {
	dst = binary.AppendVarint(dst, int64(bodySize(offsetDelta, timestampDelta, key, value, headers)))
	dst = append(dst, byte(attributes))
	dst = binary.AppendVarint(dst, timestampDelta)
	dst = binary.AppendVarint(dst, int64(offsetDelta))
	dst = appendVarBytes(dst, key)
	dst = appendVarBytes(dst, value)
	dst = binary.AppendVarint(dst, int64(len(headers)))
	for i := range headers {
		dst = binary.AppendVarint(dst, int64(len(headers[i].Key)))
		dst = append(dst, headers[i].Key...)
		dst = appendVarBytes(dst, headers[i].Value)
	}
	return dst
}

func appendVarBytes(dst, b []byte) []byte {
	if b == nil {
		return binary.AppendVarint(dst, -1)
	}
	return append(binary.AppendVarint(dst, int64(len(b))), b...)
}
