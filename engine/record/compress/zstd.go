package compress

import (
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/record/compress/zstd"
)

// Zstandard is written here, in package zstd, for the same reasons: the libraries
// have assembly, and they add 190 kB to the page's download.

func init() { record.RegisterCodec(record.CodecZstd, zstdCodec{}) }

type zstdCodec struct{}

func (zstdCodec) Compress(dst, src []byte) []byte { return zstd.Pack(dst, src) }

func (zstdCodec) Decompress(dst, src []byte, limit int) ([]byte, error) {
	return zstd.Unpack(dst, src, limit)
}
