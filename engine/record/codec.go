package record

import "fmt"

// Compressor is one codec. Both methods append to dst and return it.
// Decompress must fail rather than produce more than max bytes.
type Compressor interface {
	Compress(dst, src []byte) []byte
	Decompress(dst, src []byte, max int) ([]byte, error)
}

// DecompressedBytesMax bounds what one batch may unpack to, so that a broken
// or hostile one cannot eat the memory of the page.
const DecompressedBytesMax = 64 << 20

// compressors is filled by the init functions of record/compress, and read-only
// after that.
var compressors [CodecZstd + 1]Compressor

// RegisterCodec makes a codec available. Call it from init only.
func RegisterCodec(c Codec, z Compressor) { compressors[c] = z }

// HasCodec reports whether records of that compression can be read and built.
func HasCodec(c Codec) bool {
	return c == CodecNone || c > CodecNone && c <= CodecZstd && compressors[c] != nil
}

// CodecError is a batch that is compressed in a way this program cannot read,
// or that does not unpack.
type CodecError struct {
	Codec Codec
	Cause error // nil: the codec is not part of this program
}

// Error names codec and cause.
func (e *CodecError) Error() string {
	if e.Cause == nil {
		return fmt.Sprintf("record: compression %s (%d) is not available", e.Codec, e.Codec)
	}
	return fmt.Sprintf("record: %s: %v", e.Codec, e.Cause)
}

// Unwrap returns the cause.
func (e *CodecError) Unwrap() error { return e.Cause }

// recordBytes returns the record section, unpacked if need be.
func recordBytes(r Raw) ([]byte, error) {
	c := r.Attributes().Codec()
	if c == CodecNone {
		return r[HeaderSize:], nil
	}
	if !HasCodec(c) {
		return nil, &CodecError{Codec: c}
	}
	b, err := compressors[c].Decompress(nil, r[HeaderSize:], DecompressedBytesMax)
	if err != nil {
		return nil, &CodecError{Codec: c, Cause: err}
	}
	return b, nil
}
