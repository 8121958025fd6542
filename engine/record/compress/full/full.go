package full

import (
	"bytes"

	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/record/compress"
	"github.com/pierrec/lz4/v4"
)

func init() { record.RegisterCodec(record.CodecLZ4, lz4Codec{}) }

type lz4Codec struct{}

func (lz4Codec) Compress(dst, src []byte) []byte {
	w := bytes.NewBuffer(dst)
	z := lz4.NewWriter(w)
	// These options are always accepted, and a bytes.Buffer does not fail.
	_ = z.Apply(lz4.BlockSizeOption(lz4.Block64Kb), lz4.ChecksumOption(false), lz4.ConcurrencyOption(1))
	_, _ = z.Write(src)
	_ = z.Close()
	return w.Bytes()
}

func (lz4Codec) Decompress(dst, src []byte, limit int) ([]byte, error) {
	return compress.ReadAll(dst, lz4.NewReader(bytes.NewReader(src)), limit)
}
