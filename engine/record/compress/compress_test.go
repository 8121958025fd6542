package compress

import (
	"bytes"
	"errors"
	"testing"
)

// TestLimit: nothing unpacks to more than it may, and exactly that much is fine.
func TestLimit(t *testing.T) {
	const size = 100_000
	packed := gzipCodec{}.Compress([]byte("kept"), make([]byte, size))
	if !bytes.HasPrefix(packed, []byte("kept")) {
		t.Error("Compress does not append")
	}
	packed = packed[4:]
	out, err := gzipCodec{}.Decompress([]byte("kept"), packed, size)
	if err != nil || len(out) != size+4 || !bytes.HasPrefix(out, []byte("kept")) {
		t.Errorf("%d bytes, %v", len(out), err)
	}
	if _, err := (gzipCodec{}).Decompress(nil, packed, size-1); !errors.Is(err, ErrTooLarge) {
		t.Errorf("beyond the limit: %v", err)
	}
}
