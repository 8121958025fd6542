package record

import (
	"encoding/binary"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// Sizes and positions within a batch, in bytes.
const (
	// HeaderSize is the size of a batch without its records.
	HeaderSize = 61
	// logOverhead is the part that the length field does not count.
	logOverhead = 12

	posLength     = 8
	posEpoch      = 12
	posMagic      = 16
	posCRC        = 17
	posAttributes = 21
	posLastDelta  = 23
	posBaseTime   = 27
	posMaxTime    = 35
	posProducerID = 43
	posProdEpoch  = 51
	posBaseSeq    = 53
	posCount      = 57
)

// Magic is the only batch version that Kafka 4 reads and writes (KIP-724).
const Magic = 2

// Values that stand for "none" in a header.
const (
	NoTimestamp     int64 = -1
	NoProducerID    int64 = -1
	NoProducerEpoch int16 = -1
	NoSequence      int32 = -1
)

// Attributes are the flags of a batch.
type Attributes int16

// The bits of Attributes; the lowest three are the Codec.
const (
	codecMask         Attributes = 0x07
	LogAppendTimeFlag Attributes = 0x08 // timestamps are the broker's
	TransactionalFlag Attributes = 0x10
	ControlFlag       Attributes = 0x20
	DeleteHorizonFlag Attributes = 0x40 // base timestamp holds the delete horizon (KIP-534)
)

// Codec is the compression of the records.
type Codec int8

// The codecs, by Kafka's numbers (clients/common/record/CompressionType.java).
const (
	CodecNone Codec = iota
	CodecGzip
	CodecSnappy
	CodecLZ4
	CodecZstd
)

// String is the codec's name as compression.type spells it.
func (c Codec) String() string {
	switch c {
	case CodecNone:
		return "none"
	case CodecGzip:
		return "gzip"
	case CodecSnappy:
		return "snappy"
	case CodecLZ4:
		return "lz4"
	case CodecZstd:
		return "zstd"
	}
	return "unknown"
}

// CodecByName finds the codec that compression.type names.
func CodecByName(name string) (Codec, bool) {
	for c := CodecNone; c <= CodecZstd; c++ {
		if c.String() == name {
			return c, true
		}
	}
	return CodecNone, false
}

// Codec returns the compression.
func (a Attributes) Codec() Codec { return Codec(a & codecMask) }

// LogAppendTime reports whether the timestamps are the broker's (else the
// producer's: CreateTime).
func (a Attributes) LogAppendTime() bool { return a&LogAppendTimeFlag != 0 }

// Transactional reports whether the batch belongs to a transaction.
func (a Attributes) Transactional() bool { return a&TransactionalFlag != 0 }

// Control reports whether the records are control records.
func (a Attributes) Control() bool { return a&ControlFlag != 0 }

// Header is everything in a batch but its records.
type Header struct {
	BaseOffset      kafka.Offset
	Length          int32 // bytes after the length field
	LeaderEpoch     kafka.LeaderEpoch
	Magic           int8
	CRC             uint32 // CRC-32C from the attributes to the end
	Attributes      Attributes
	LastOffsetDelta int32
	BaseTimestamp   int64 // ms; the delete horizon if DeleteHorizonFlag is set
	MaxTimestamp    int64 // ms; the append time if LogAppendTimeFlag is set
	ProducerID      int64 // NoProducerID for a producer without idempotence
	ProducerEpoch   int16
	BaseSequence    int32
	Count           int32 // records present, fewer than offsets after compaction
}

// Size is the whole batch in bytes.
func (h *Header) Size() int { return int(h.Length) + logOverhead }

// LastOffset is the offset of the batch's last record, present or compacted away.
func (h *Header) LastOffset() kafka.Offset {
	return h.BaseOffset + kafka.Offset(h.LastOffsetDelta)
}

// NextOffset is the offset after the batch.
func (h *Header) NextOffset() kafka.Offset { return h.LastOffset() + 1 }

// HasProducer reports whether an idempotent producer, or the transaction
// coordinator in its name, wrote the batch.
func (h *Header) HasProducer() bool { return h.ProducerID > NoProducerID }

// LastSequence is the sequence of the last record; NoSequence if the batch has none.
func (h *Header) LastSequence() int32 {
	if h.BaseSequence == NoSequence {
		return NoSequence
	}
	return AddSequence(h.BaseSequence, h.LastOffsetDelta)
}

// DeleteHorizon is the time, in ms, from which the cleaner drops the batch's
// tombstones and markers (KIP-534).
func (h *Header) DeleteHorizon() (ms int64, ok bool) {
	return h.BaseTimestamp, h.Attributes&DeleteHorizonFlag != 0
}

// AddSequence adds n >= 0 to a sequence number, which wraps from the largest
// int32 to 0 (DefaultRecordBatch.incrementSequence).
func AddSequence(seq, n int32) int32 {
	const biggest = 1<<31 - 1
	if seq > biggest-n {
		return n - (biggest - seq) - 1
	}
	return seq + n
}

// put writes the header into the first HeaderSize bytes of b.
func (h *Header) put(b []byte) {
	_ = b[HeaderSize-1]
	binary.BigEndian.PutUint64(b, uint64(h.BaseOffset))
	binary.BigEndian.PutUint32(b[posLength:], uint32(h.Length))
	binary.BigEndian.PutUint32(b[posEpoch:], uint32(h.LeaderEpoch))
	b[posMagic] = byte(h.Magic)
	binary.BigEndian.PutUint32(b[posCRC:], h.CRC)
	binary.BigEndian.PutUint16(b[posAttributes:], uint16(h.Attributes))
	binary.BigEndian.PutUint32(b[posLastDelta:], uint32(h.LastOffsetDelta))
	binary.BigEndian.PutUint64(b[posBaseTime:], uint64(h.BaseTimestamp))
	binary.BigEndian.PutUint64(b[posMaxTime:], uint64(h.MaxTimestamp))
	binary.BigEndian.PutUint64(b[posProducerID:], uint64(h.ProducerID))
	binary.BigEndian.PutUint16(b[posProdEpoch:], uint16(h.ProducerEpoch))
	binary.BigEndian.PutUint32(b[posBaseSeq:], uint32(h.BaseSequence))
	binary.BigEndian.PutUint32(b[posCount:], uint32(h.Count))
}

// ParseHeader reads the header of the batch at the start of b, which must hold
// the whole batch. It checks what Frame checks; the CRC it leaves to Verify.
func ParseHeader(b []byte) (Header, error) {
	r, err := Frame(b)
	if err != nil {
		return Header{}, err
	}
	return r.Header(), nil
}
