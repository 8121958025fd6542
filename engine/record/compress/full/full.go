package full

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/record/compress"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

func init() {
	record.RegisterCodec(record.CodecSnappy, snappyCodec{})
	record.RegisterCodec(record.CodecLZ4, lz4Codec{})
	record.RegisterCodec(record.CodecZstd, zstdCodec{})
}

type snappyCodec struct{}

// xerial is the header of snappy-java's stream: magic, version 1, compatible 1.
var xerial = []byte{0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0, 0, 0, 0, 1, 0, 0, 0, 1}

// snappyBlock is the block size of the Java client, in bytes.
const snappyBlock = 32 << 10

var errSnappyBlock = errors.New("block is cut off")

func (snappyCodec) Compress(dst, src []byte) []byte {
	dst = append(dst, xerial...)
	for len(src) > 0 {
		n := min(len(src), snappyBlock)
		block := snappy.Encode(nil, src[:n])
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(block)))
		dst = append(dst, block...)
		src = src[n:]
	}
	return dst
}

func (snappyCodec) Decompress(dst, src []byte, limit int) ([]byte, error) {
	if !bytes.HasPrefix(src, xerial[:8]) {
		return snappyAppend(dst, src, limit)
	}
	if len(src) < len(xerial) {
		return nil, errSnappyBlock
	}
	start := len(dst)
	for src = src[len(xerial):]; len(src) > 0; {
		if len(src) < 4 {
			return nil, errSnappyBlock
		}
		n := int64(binary.BigEndian.Uint32(src))
		if src = src[4:]; n > int64(len(src)) {
			return nil, errSnappyBlock
		}
		var err error
		if dst, err = snappyAppend(dst, src[:n], limit-(len(dst)-start)); err != nil {
			return nil, err
		}
		src = src[n:]
	}
	return dst, nil
}

func snappyAppend(dst, block []byte, limit int) ([]byte, error) {
	n, err := snappy.DecodedLen(block)
	switch {
	case err != nil:
		return nil, err
	case n > limit:
		return nil, compress.ErrTooLarge
	}
	out, err := snappy.Decode(nil, block)
	return append(dst, out...), err
}

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
