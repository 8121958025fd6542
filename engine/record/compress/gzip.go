package compress

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/highwater-sim/highwater/engine/record"
)

func init() { record.RegisterCodec(record.CodecGzip, gzipCodec{}) }

type gzipCodec struct{}

func (gzipCodec) Compress(dst, src []byte) []byte {
	w := bytes.NewBuffer(dst)
	z := gzip.NewWriter(w)
	z.Write(src) // a bytes.Buffer does not fail
	z.Close()
	return w.Bytes()
}

// Decompress unpacks all members of the stream, RFC 1952.
func (gzipCodec) Decompress(dst, src []byte, limit int) ([]byte, error) {
	in := bytes.NewReader(src) // it has ReadByte, so nothing is read in advance
	at := func() int { return len(src) - in.Len() }
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, gzipBroken(err, at(), "the header")
	}
	w := bytes.NewBuffer(dst)
	n, err := w.ReadFrom(io.LimitReader(z, int64(limit)+1))
	switch {
	case err != nil:
		return nil, gzipBroken(err, at(), "the content")
	case n > int64(limit):
		return nil, &record.Broken{At: at(), Kind: record.ErrTooLarge, What: fmt.Sprintf("more than %d bytes", limit)}
	}
	return w.Bytes(), nil
}

// gzipBroken tells what the library found, and where it was.
func gzipBroken(err error, at int, part string) error {
	b := &record.Broken{At: at, Kind: record.ErrCorrupt, What: part}
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		b.Kind = record.ErrCutOff
	case errors.Is(err, gzip.ErrHeader):
		b.At, b.What = max(0, at-10), "no gzip header"
	case errors.Is(err, gzip.ErrChecksum):
		b.Kind, b.What = record.ErrChecksum, "the trailer has another CRC-32 or size than the content"
	case errors.As(err, &corrupt):
		b.What = "the deflated content"
	}
	return b
}
