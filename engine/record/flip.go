package record

import "github.com/highwater-sim/highwater/engine/kafka"

// Flipped returns a copy of a batch in which one bit of the record at an offset is
// wrong, as a bad disk leaves it: of its value (of its key if it has none), or of
// its length. The checksum stays as it was. In a compressed batch the last byte
// is hit. ok is false if the batch does not hold the offset.
func Flipped(r Raw, off kafka.Offset, length bool) (out Raw, ok bool) {
	out = append(Raw(nil), r...)
	if r.Attributes().Codec() != CodecNone {
		out[len(out)-1] ^= 1
		return out, r.BaseOffset() <= off && off <= r.LastOffset()
	}
	pos := HeaderSize
	for range r.Count() {
		n, body, ok := varint(r, pos)
		if !ok || n < 0 || n > int64(len(r)-body) {
			return nil, false
		}
		end := body + int(n)
		var rec Record
		if _, what := parseRecord(r[:end], body, &rec); what != "" {
			return nil, false
		}
		if r.BaseOffset()+kafka.Offset(rec.OffsetDelta) != off {
			pos = end
			continue
		}
		switch {
		case length:
			out[pos] ^= 0x20
		case len(rec.Value) > 0:
			out[end-headersSize(rec.Headers)-len(rec.Value)] ^= 1
		case len(rec.Key) > 0:
			out[end-headersSize(rec.Headers)-bytesSize(rec.Value)-len(rec.Key)] ^= 1
		default:
			out[body] ^= 1 // its attributes
		}
		return out, true
	}
	return nil, false
}
