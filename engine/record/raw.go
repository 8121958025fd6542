package record

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// Raw is the bytes of exactly one batch, as Frame returned them. Its methods
// read one field each and allocate nothing.
type Raw []byte

// castagnoli is the polynomial of CRC-32C.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Frame returns the batch at the start of b, without what follows it. It
// checks that the batch is whole, that its magic is 2 and that its counts are
// possible. The error is an *Error.
func Frame(b []byte) (Raw, error) {
	if len(b) < HeaderSize {
		return nil, &Error{Pos: 0, What: "batch header is cut off", Expected: HeaderSize, Found: int64(len(b))}
	}
	n := int32(binary.BigEndian.Uint32(b[posLength:]))
	if n < HeaderSize-logOverhead {
		return nil, &Error{Pos: posLength, What: "length is below that of an empty batch", Expected: HeaderSize - logOverhead, Found: int64(n)}
	}
	if b[posMagic] != Magic {
		return nil, &Error{Pos: posMagic, What: "magic", Expected: Magic, Found: int64(int8(b[posMagic]))}
	}
	if int64(len(b)) < int64(n)+logOverhead {
		return nil, &Error{Pos: posLength, What: "batch is cut off: bytes from the length field on", Expected: int64(n), Found: int64(len(b)) - logOverhead}
	}
	r := Raw(b[:int(n)+logOverhead])
	if d := r.lastOffsetDelta(); d < 0 {
		return nil, &Error{Pos: posLastDelta, What: "last offset delta is negative", Expected: 0, Found: int64(d)}
	}
	if c := r.Count(); c < 0 || int64(c) > int64(r.lastOffsetDelta())+1 {
		return nil, &Error{Pos: posCount, What: "record count is outside the offsets", Expected: int64(r.lastOffsetDelta()) + 1, Found: int64(c)}
	}
	return r, nil
}

// Size is the number of bytes.
func (r Raw) Size() int { return len(r) }

// BaseOffset is the offset of the first record.
func (r Raw) BaseOffset() kafka.Offset { return kafka.Offset(binary.BigEndian.Uint64(r)) }

// LastOffset is the offset of the last record.
func (r Raw) LastOffset() kafka.Offset {
	return r.BaseOffset() + kafka.Offset(r.lastOffsetDelta())
}

// NextOffset is the offset after the batch.
func (r Raw) NextOffset() kafka.Offset { return r.LastOffset() + 1 }

// LeaderEpoch is the partition leader epoch that the broker wrote.
func (r Raw) LeaderEpoch() kafka.LeaderEpoch {
	return kafka.LeaderEpoch(binary.BigEndian.Uint32(r[posEpoch:]))
}

// CRC is the checksum as stored.
func (r Raw) CRC() uint32 { return binary.BigEndian.Uint32(r[posCRC:]) }

// Attributes are the batch's flags.
func (r Raw) Attributes() Attributes {
	return Attributes(binary.BigEndian.Uint16(r[posAttributes:]))
}

// MaxTimestamp is the largest timestamp, in ms.
func (r Raw) MaxTimestamp() int64 { return int64(binary.BigEndian.Uint64(r[posMaxTime:])) }

// ProducerID is the producer's id, or NoProducerID.
func (r Raw) ProducerID() int64 { return int64(binary.BigEndian.Uint64(r[posProducerID:])) }

// Count is the number of records.
func (r Raw) Count() int32 { return int32(binary.BigEndian.Uint32(r[posCount:])) }

func (r Raw) lastOffsetDelta() int32 { return int32(binary.BigEndian.Uint32(r[posLastDelta:])) }

// checksum computes what CRC should hold.
func (r Raw) checksum() uint32 { return crc32.Checksum(r[posAttributes:], castagnoli) }

// Header reads all fields.
func (r Raw) Header() Header {
	return Header{
		BaseOffset:      r.BaseOffset(),
		Length:          int32(binary.BigEndian.Uint32(r[posLength:])),
		LeaderEpoch:     r.LeaderEpoch(),
		Magic:           int8(r[posMagic]),
		CRC:             r.CRC(),
		Attributes:      r.Attributes(),
		LastOffsetDelta: r.lastOffsetDelta(),
		BaseTimestamp:   int64(binary.BigEndian.Uint64(r[posBaseTime:])),
		MaxTimestamp:    r.MaxTimestamp(),
		ProducerID:      r.ProducerID(),
		ProducerEpoch:   int16(binary.BigEndian.Uint16(r[posProdEpoch:])),
		BaseSequence:    int32(binary.BigEndian.Uint32(r[posBaseSeq:])),
		Count:           r.Count(),
	}
}

// SetBaseOffsetAndEpoch writes where the batch stands in a log, in place. Both
// fields are outside the CRC, so that a broker can set them cheaply.
func SetBaseOffsetAndEpoch(dst []byte, off kafka.Offset, epoch kafka.LeaderEpoch) {
	binary.BigEndian.PutUint64(dst, uint64(off))
	binary.BigEndian.PutUint32(dst[posEpoch:], uint32(epoch))
}

// SetLogAppendTime turns the batch's timestamps into the broker's, ms, in
// place, and renews the CRC (DefaultRecordBatch.setMaxTimestamp).
func SetLogAppendTime(dst Raw, ms int64) {
	binary.BigEndian.PutUint16(dst[posAttributes:], uint16(dst.Attributes()|LogAppendTimeFlag))
	binary.BigEndian.PutUint64(dst[posMaxTime:], uint64(ms))
	binary.BigEndian.PutUint32(dst[posCRC:], dst.checksum())
}
