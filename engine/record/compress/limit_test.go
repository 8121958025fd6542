package compress

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine/record"
	"github.com/pierrec/lz4/v4"
)

var codecs = map[string]record.Compressor{"gzip": gzipCodec{}, "snappy": snappyCodec{}, "lz4": lz4Codec{}, "zstd": zstdCodec{}}

// TestLimit: nothing unpacks to more than it may, and exactly that much is fine.
func TestLimit(t *testing.T) {
	const size = 100_000
	plain := make([]byte, size)
	for name, c := range codecs {
		packed := c.Compress([]byte("kept"), plain)
		if !bytes.HasPrefix(packed, []byte("kept")) {
			t.Errorf("%s: Compress does not append", name)
		}
		packed = packed[4:]
		if out, err := c.Decompress(nil, packed, size); err != nil || len(out) != size {
			t.Errorf("%s: %d bytes, %v", name, len(out), err)
		}
		for _, limit := range []int{size - 1, 1, 0, -1} {
			if out, err := c.Decompress(nil, packed, limit); !errors.Is(err, record.ErrTooLarge) {
				t.Errorf("%s: %d bytes in spite of the limit %d: %v", name, len(out), limit, err)
			}
		}
		out, err := c.Decompress([]byte("kept"), packed, size)
		if err != nil || !bytes.HasPrefix(out, []byte("kept")) || len(out) != size+4 {
			t.Errorf("%s: Decompress does not append: %d bytes, %v", name, len(out), err)
		}
	}
}

// TestCutOff: whatever is missing at the end, it is said that something is, and
// where it ends.
func TestCutOff(t *testing.T) {
	plain := []byte(strings.Repeat("high watermark, log end offset; ", 40))
	for i := range plain {
		plain[i] += byte(i * i / 100 % 3)
	}
	for name, c := range codecs {
		packed := c.Compress(nil, plain)
		for n := range packed {
			var b *record.Broken
			_, err := c.Decompress(nil, packed[:n:n], len(plain))
			switch {
			case name == "snappy" && n == 16: // a header and no block is an empty stream
			case name == "snappy" && n > 0 && n < 8: // without the magic it can be a bare block
			case !errors.As(err, &b) || b.Kind != record.ErrCutOff || b.At > n:
				t.Errorf("%s: %d of %d bytes: %v", name, n, len(packed), err)
			}
		}
	}
}

// frame is an lz4 frame of another implementation.
func frame(t *testing.T, plain []byte, options ...lz4.Option) []byte {
	t.Helper()
	var out bytes.Buffer
	w := lz4.NewWriter(&out)
	if err := w.Apply(options...); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(plain); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestBrokenParts: each error says which part is broken, how and where.
func TestBrokenParts(t *testing.T) {
	plain := []byte(strings.Repeat("abcdefgh", 100))
	noise := make([]byte, 300)
	for i := range noise {
		noise[i] = byte(i * i >> 3)
	}
	with := func(b []byte, at int, v ...byte) []byte {
		b = bytes.Clone(b)
		if at < 0 {
			at += len(b)
		}
		copy(b[at:], v)
		return b
	}
	gz, lz, sn := gzipCodec{}.Compress(nil, plain), lz4Codec{}.Compress(nil, plain), snappyCodec{}.Compress(nil, plain)
	blockSum := frame(t, plain, lz4.BlockChecksumOption(true), lz4.ChecksumOption(true))
	bare := func(size uint64, rest ...byte) []byte { return append(binary.AppendUvarint(nil, size), rest...) }
	for i, one := range []struct {
		codec  string
		packed []byte
		kind   error
		want   string
	}{
		{"gzip", with(gz, 0, 7), record.ErrCorrupt, "at byte 0: no gzip header"},
		{"gzip", with(gz, -1, 7), record.ErrChecksum, "the trailer has another CRC-32 or size"},
		{"gzip", with(gz, 10, 7), record.ErrCorrupt, "the deflated content"},
		{"gzip", nil, record.ErrCutOff, "at byte 0: the header"},
		{"snappy", with(sn, 16, 0, 1), record.ErrCutOff, "at byte 16: a block of"},
		{"snappy", bare(1000), record.ErrTooLarge, "at byte 0: a block of 1000 bytes, and the limit leaves 800"},
		{"snappy", bare(1<<40, 1), record.ErrCorrupt, "more than 32 bits"},
		{"snappy", bare(4, 0, 'a', 9<<2|2, 9, 0), record.ErrCorrupt, "at byte 3: more than the 4 bytes that the block announces"},
		{"snappy", bare(4, 0, 'a', 2<<2|2, 9, 0), record.ErrCorrupt, "at byte 3: a copy from 9 bytes back after 1 bytes"},
		{"snappy", bare(4, 3<<2, 'a'), record.ErrCutOff, "at byte 1: a literal of 4 bytes, of which 1 are there"},
		{"snappy", bare(4, 0, 'a', 2), record.ErrCutOff, "at byte 3: the tag"},
		{"snappy", bare(4, 0, 'a'), record.ErrCutOff, "a block of 4 bytes ends after 1"},
		{"lz4", with(lz, 0, 7), record.ErrCorrupt, "at byte 0: the magic number is 184d2207"},
		{"lz4", with(lz, 4, 0x20), record.ErrUnsupported, "at byte 4: version 0"},
		{"lz4", with(lz, 4, 0x61), record.ErrUnsupported, "dictionary"},
		{"lz4", with(lz, 6, 0), record.ErrChecksum, "at byte 6: that of the header is 82, not 00"},
		{"lz4", with(lz, 7, 0xff, 0xff), record.ErrCutOff, "at byte 7: a block of 65535 bytes"},
		{"lz4", with(lz, 20, 0xff, 0xff), record.ErrCorrupt, "a match 65535 bytes back"},
		{"lz4", with(blockSum, 12, 'X'), record.ErrChecksum, "that of the block is"},
		{"lz4", with(blockSum, -1, 0), record.ErrChecksum, "that of the content is"},
		{"lz4", blockSum[:len(blockSum)-1], record.ErrCutOff, "the content's checksum"},
		{"lz4", lz4Codec{}.Compress(nil, append(noise, plain...)), record.ErrTooLarge, "more than 800 bytes"},
		{"zstd", with(zstdCodec{}.Compress(nil, plain), 0, 7), record.ErrCorrupt, "at byte 0: the magic number is fd2fb507"},
	} {
		_, err := codecs[one.codec].Decompress(nil, one.packed, len(plain))
		var b *record.Broken
		if !errors.As(err, &b) || !errors.Is(err, one.kind) || !strings.Contains(err.Error(), one.want) {
			t.Errorf("%d: %s: %v; want %q", i, one.codec, err, one.want)
		}
	}
	if out, err := (lz4Codec{}).Decompress(nil, blockSum, len(plain)); err != nil || !bytes.Equal(out, plain) {
		t.Errorf("the unbroken frame: %v", err)
	}
}

// FuzzUnpack: no bytes are a panic or more than the limit, with any codec; and what
// is packed unpacks to itself.
func FuzzUnpack(f *testing.F) {
	for _, c := range codecs {
		f.Add(c.Compress(nil, []byte(strings.Repeat("to a keyframe and back ", 20))))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		const limit = 10_000
		for name, c := range codecs {
			if out, err := c.Decompress(nil, b, limit); len(out) > limit || err != nil && fmt.Sprint(err) == "" {
				t.Fatalf("%s: %d bytes, %v", name, len(out), err)
			}
			if out, err := c.Decompress(nil, c.Compress(nil, b), len(b)); err != nil || !bytes.Equal(out, b) {
				t.Fatalf("%s: a round trip of %d bytes: %v", name, len(b), err)
			}
		}
	})
}
