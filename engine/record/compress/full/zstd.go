//go:build !js

package full

import (
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/klauspost/compress/zstd"
)

// Zstandard costs a download of 200 kB, so the page is without it.

func init() { record.RegisterCodec(record.CodecZstd, zstdCodec{}) }

type zstdCodec struct{}

func (zstdCodec) Compress(dst, src []byte) []byte {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	if err != nil {
		panic(err) // the options are constant
	}
	defer z.Close()
	return z.EncodeAll(src, dst)
}

func (zstdCodec) Decompress(dst, src []byte, limit int) ([]byte, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(len(dst)+limit)))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return z.DecodeAll(src, dst)
}
