package compress_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine/record"
	_ "github.com/highwater-sim/highwater/engine/record/compress"
	"github.com/klauspost/compress/snappy"
)

func batch(c record.Codec, value string) []byte {
	return record.Build(record.BatchSpec{Codec: c, Records: []record.Record{{Timestamp: 1, Value: []byte(value)}}})
}

// TestCodecs packs and unpacks small and large batches; large ones get
// smaller, and more than one block of snappy and lz4.
func TestCodecs(t *testing.T) {
	for c := record.CodecGzip; c <= record.CodecZstd; c++ {
		for _, value := range []string{"", "x", strings.Repeat("high watermark ", 20000)} {
			raw := batch(c, value)
			if err := record.Verify(raw); err != nil {
				t.Fatalf("%s: %v", c, err)
			}
			if len(value) > 1000 && len(raw) > len(value)/4 {
				t.Errorf("%s: %d bytes packed to %d", c, len(value), len(raw))
			}
			for r, err := range record.Records(raw) {
				if err != nil || string(r.Value) != value {
					t.Errorf("%s: %d bytes came back as %d: %v", c, len(value), len(r.Value), err)
				}
			}
		}
	}
}

// TestMagic: each frame begins as its format says, so that other clients read it.
func TestMagic(t *testing.T) {
	for c, want := range map[record.Codec]string{
		record.CodecGzip:   "\x1f\x8b\x08",
		record.CodecSnappy: "\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01",
		record.CodecLZ4:    "\x04\x22\x4d\x18\x60\x40\x82", // version 1, independent 64 KiB blocks, header checksum
		record.CodecZstd:   "\x28\xb5\x2f\xfd",
	} {
		if got := batch(c, strings.Repeat("a", 100))[record.HeaderSize:]; !strings.HasPrefix(string(got), want) {
			t.Errorf("%s: begins %x, want %x", c, got[:len(want)], want)
		}
	}
}

// TestBareSnappy: blocks without snappy-java's header are read too.
func TestBareSnappy(t *testing.T) {
	b, err := record.Decode(batch(record.CodecNone, "hello"))
	if err != nil {
		t.Fatal(err)
	}
	plain := b.Encode(nil)[record.HeaderSize:]
	b.Packed = snappy.Encode(nil, plain)
	b.Header.Attributes |= record.Attributes(record.CodecSnappy)
	for r, err := range record.Records(b.Encode(nil)) {
		if err != nil || string(r.Value) != "hello" {
			t.Errorf("%q %v", r.Value, err)
		}
	}
}

// TestBroken: damaged data is an error.
func TestBroken(t *testing.T) {
	for c := record.CodecGzip; c <= record.CodecZstd; c++ {
		b, err := record.Decode(batch(c, strings.Repeat("abcdefgh", 1000)))
		if err != nil {
			t.Fatal(err)
		}
		whole := b.Packed
		for _, packed := range [][]byte{whole[:len(whole)/2], whole[:3], bytes.Repeat([]byte{0xff}, 50)} {
			b.Packed = packed
			if _, err := record.NewIterator(b.Encode(nil)); err == nil {
				t.Errorf("%s: %d of %d bytes: no error", c, len(packed), len(whole))
			}
		}
	}
}
