package record

import (
	"encoding/binary"
	"slices"
)

// SetProducer writes the producer's id, epoch and base sequence into a batch
// that nobody else holds, in place, and renews the CRC. A producer does so when
// it bumps its epoch and numbers a batch anew (ProducerBatch.resetProducerState).
func SetProducer(dst Raw, id int64, epoch int16, sequence int32) {
	binary.BigEndian.PutUint64(dst[posProducerID:], uint64(id))
	binary.BigEndian.PutUint16(dst[posProdEpoch:], uint16(epoch))
	binary.BigEndian.PutUint32(dst[posBaseSeq:], uint32(sequence))
	binary.BigEndian.PutUint32(dst[posCRC:], dst.checksum())
}

// SetProducer sets the producer's id, epoch and base sequence of the batch that
// is being built: a producer knows them only when it sends the batch.
func (b *Builder) SetProducer(id int64, epoch int16, sequence int32) {
	b.h.ProducerID, b.h.ProducerEpoch, b.h.BaseSequence = id, epoch, sequence
}

// Clone returns a copy that shares no memory.
func (b *Builder) Clone() Builder { return Builder{h: b.h, buf: slices.Clone(b.buf)} }

// Unsealed returns the records added so far, without the space for the header.
// The caller must not change them.
func (b *Builder) Unsealed() []byte {
	if len(b.buf) < HeaderSize {
		return nil
	}
	return b.buf[HeaderSize:]
}
