package record

import "encoding/binary"

// Batch is a batch taken apart: its header and its records.
type Batch struct {
	Header  Header
	Records []Record // nil for a compressed batch whose codec is not available
	Packed  []byte   // the record section as stored, if it is compressed
}

// Decode takes the batch at the start of b apart. Keys, values and Packed
// point into b. A compressed batch whose codec is not available decodes
// without its records; ask HasCodec. CRC is not checked: see Verify.
func Decode(b []byte) (Batch, error) {
	r, err := Frame(b)
	if err != nil {
		return Batch{}, err
	}
	out := Batch{Header: r.Header()}
	if c := r.Attributes().Codec(); c != CodecNone {
		out.Packed = r[HeaderSize:len(r):len(r)]
		if !HasCodec(c) {
			return out, nil
		}
	}
	it, err := NewIterator(r)
	if err != nil {
		return Batch{}, err
	}
	out.Records = make([]Record, 0, min(int(out.Header.Count), len(it.buf)/6)) // a record takes 7 bytes at least
	var rec Record
	for it.Next(&rec) {
		out.Records = append(out.Records, rec)
	}
	return out, it.err
}

// Encode appends the batch to dst. Every field is written as it stands, except
// length, CRC and, for an uncompressed batch, count, which follow from the
// rest. A compressed batch is written with Packed as its record section, so
// that no codec is needed and the bytes come back as they were.
func (b *Batch) Encode(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, make([]byte, HeaderSize)...)
	h := b.Header
	if h.Attributes.Codec() == CodecNone {
		h.Count = int32(len(b.Records))
		for i := range b.Records {
			r := &b.Records[i]
			dst = appendRecord(dst, r.Attributes, r.OffsetDelta, r.TimestampDelta, r.Key, r.Value, r.Headers)
		}
	} else {
		dst = append(dst, b.Packed...)
	}
	seal(&h, dst[start:])
	return dst
}

// Verify checks that b is exactly one batch: length, magic, CRC and, if it is
// not compressed, that its records are as many as it says and fill it. Errors
// are *Error and name byte, expected and found.
func Verify(b []byte) error {
	r, err := Frame(b)
	if err != nil {
		return err
	}
	if len(r) != len(b) {
		return &Error{Pos: int64(len(r)), What: "bytes after the batch", Expected: 0, Found: int64(len(b) - len(r))}
	}
	if want := r.checksum(); want != r.CRC() {
		return &Error{Pos: posCRC, What: "CRC-32C", Expected: int64(want), Found: int64(r.CRC())}
	}
	if r.Attributes().Codec() != CodecNone {
		return nil
	}
	return verifyCount(r)
}

// verifyCount hops over the records by their lengths.
func verifyCount(r Raw) error {
	pos := HeaderSize
	for i := range r.Count() {
		n, next, ok := varint(r, pos)
		if !ok || n < 0 || n > int64(len(r)-next) {
			return &Error{Pos: int64(pos), What: "record count: records in the batch", Expected: int64(r.Count()), Found: int64(i)}
		}
		pos = next + int(n)
	}
	if pos != len(r) {
		return &Error{Pos: int64(pos), What: "bytes after the last record", Expected: 0, Found: int64(len(r) - pos)}
	}
	return nil
}

// VerifyCRC checks a framed batch's checksum alone.
func VerifyCRC(r Raw) error {
	if want := r.checksum(); want != binary.BigEndian.Uint32(r[posCRC:]) {
		return &Error{Pos: posCRC, What: "CRC-32C", Expected: int64(want), Found: int64(r.CRC())}
	}
	return nil
}

// VerifyAll checks frames and checksums of batches that follow each other. The
// error is an *Error; its position counts from the start of the batch.
func VerifyAll(b []byte) error {
	for len(b) > 0 {
		r, err := Frame(b)
		if err != nil {
			return err
		}
		if err := VerifyCRC(r); err != nil {
			return err
		}
		b = b[len(r):]
	}
	return nil
}
