package full

import (
	"bytes"
	"testing"

	"github.com/highwater-sim/highwater/engine/record"
)

// TestLimit: nothing unpacks to more than it may, and exactly that much is fine.
func TestLimit(t *testing.T) {
	const size = 100_000
	plain := make([]byte, size)
	for name, c := range map[string]record.Compressor{"snappy": snappyCodec{}, "lz4": lz4Codec{}, "zstd": zstdCodec{}} {
		packed := c.Compress([]byte("kept"), plain)
		if !bytes.HasPrefix(packed, []byte("kept")) {
			t.Errorf("%s: Compress does not append", name)
		}
		packed = packed[4:]
		if out, err := c.Decompress(nil, packed, size); err != nil || len(out) != size {
			t.Errorf("%s: %d bytes, %v", name, len(out), err)
		}
		if out, err := c.Decompress(nil, packed, size-1); err == nil {
			t.Errorf("%s: %d bytes in spite of the limit %d", name, len(out), size-1)
		}
		out, err := c.Decompress([]byte("kept"), packed, size)
		if err != nil || !bytes.HasPrefix(out, []byte("kept")) || len(out) != size+4 {
			t.Errorf("%s: Decompress does not append: %d bytes, %v", name, len(out), err)
		}
	}
}
