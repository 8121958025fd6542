package broker

import (
	"encoding/binary"
	"hash/crc32"
	"math"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// The bytes of a producer snapshot (ProducerStateManager.writeSnapshot, schema
// version 1): version 2, CRC-32C 4, count 4, and for each producer its id 8,
// epoch 2, last sequence 4, last offset 8, offset delta 4, timestamp 8,
// coordinator epoch 4, first offset of the open transaction 8. Of the five
// batches that memory holds, only the last is in it.

const (
	snapshotVersion = 1
	snapshotHead    = 10
	snapshotEntry   = 46
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func encodeProducers(s producers) []byte {
	b := make([]byte, 6, snapshotHead+len(s)*snapshotEntry)
	binary.BigEndian.PutUint16(b, snapshotVersion)
	b = binary.BigEndian.AppendUint32(b, uint32(len(s)))
	for i := range s {
		p := &s[i]
		last := producedBatch{lastSeq: -1, last: -1, timestamp: -1}
		if p.n > 0 {
			last = p.batches[p.n-1]
		}
		b = binary.BigEndian.AppendUint64(b, uint64(p.id))
		b = binary.BigEndian.AppendUint16(b, uint16(p.epoch))
		b = binary.BigEndian.AppendUint32(b, uint32(last.lastSeq))
		b = binary.BigEndian.AppendUint64(b, uint64(last.last))
		b = binary.BigEndian.AppendUint32(b, uint32(last.delta))
		b = binary.BigEndian.AppendUint64(b, uint64(last.timestamp))
		b = binary.BigEndian.AppendUint32(b, 0xffffffff) // no coordinator
		b = binary.BigEndian.AppendUint64(b, 1<<64-1)    // no transaction
	}
	binary.BigEndian.PutUint32(b[2:], crc32.Checksum(b[6:], castagnoli))
	return b
}

// decodeProducers reads a snapshot; one that is broken is as none.
func decodeProducers(b []byte) producers {
	if len(b) < snapshotHead || binary.BigEndian.Uint16(b) != snapshotVersion || binary.BigEndian.Uint32(b[2:]) != crc32.Checksum(b[6:], castagnoli) {
		return nil
	}
	n := int(binary.BigEndian.Uint32(b[6:]))
	if b = b[snapshotHead:]; len(b) != n*snapshotEntry {
		return nil
	}
	s := make(producers, 0, n)
	for ; len(b) > 0; b = b[snapshotEntry:] {
		p := producerState{id: int64(binary.BigEndian.Uint64(b)), epoch: int16(binary.BigEndian.Uint16(b[8:]))}
		last := producedBatch{
			lastSeq: int32(binary.BigEndian.Uint32(b[10:])), last: kafka.Offset(binary.BigEndian.Uint64(b[14:])),
			delta: int32(binary.BigEndian.Uint32(b[22:])), timestamp: int64(binary.BigEndian.Uint64(b[26:])),
		}
		if last.lastSeq >= 0 {
			if last.firstSeq = last.lastSeq - last.delta; last.firstSeq < 0 { // DefaultRecordBatch.decrementSequence
				last.firstSeq += math.MaxInt32
				last.firstSeq++
			}
			p.n, p.batches[0] = 1, last
		}
		s = append(s, p)
	}
	return s
}
