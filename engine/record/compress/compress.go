package compress

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"

	"github.com/highwater-sim/highwater/engine/record"
)

func init() { record.RegisterCodec(record.CodecGzip, gzipCodec{}) }

// ErrTooLarge is a batch that unpacks to more than the limit.
var ErrTooLarge = errors.New("unpacks to more than the limit")

type gzipCodec struct{}

func (gzipCodec) Compress(dst, src []byte) []byte {
	w := bytes.NewBuffer(dst)
	z := gzip.NewWriter(w)
	z.Write(src) // a bytes.Buffer does not fail
	z.Close()
	return w.Bytes()
}

func (gzipCodec) Decompress(dst, src []byte, limit int) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(src))
	if err != nil {
		return nil, err
	}
	return ReadAll(dst, z, limit)
}

// ReadAll appends all of r to dst, or fails with ErrTooLarge.
func ReadAll(dst []byte, r io.Reader, limit int) ([]byte, error) {
	w := bytes.NewBuffer(dst)
	n, err := w.ReadFrom(io.LimitReader(r, int64(limit)+1))
	switch {
	case err != nil:
		return nil, err
	case n > int64(limit):
		return nil, ErrTooLarge
	}
	return w.Bytes(), nil
}
