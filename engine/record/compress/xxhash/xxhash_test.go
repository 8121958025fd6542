package xxhash

import (
	"testing"

	peer "github.com/vugu/xxhash"
)

// TestVectors: sums that the format's authors publish.
func TestVectors(t *testing.T) {
	for text, want := range map[string]struct {
		small uint32
		large uint64
	}{
		"":    {0x02cc5d05, 0xef46db3751d8e999},
		"a":   {0x550d7456, 0xd24ec4f1a98c6e5b},
		"abc": {0x32d153ff, 0x44bc2cf5ad770999},
		"Nobody inspects the spammish repetition": {0xe2293b2f, 0xfbcea83c8a378bf1},
	} {
		if got := Sum32([]byte(text)); got != want.small {
			t.Errorf("Sum32(%q) = %08x, want %08x", text, got, want.small)
		}
		if got := Sum64([]byte(text)); got != want.large {
			t.Errorf("Sum64(%q) = %016x, want %016x", text, got, want.large)
		}
	}
}

// TestLengths: every length up to some rounds, beside another implementation.
func TestLengths(t *testing.T) {
	b := make([]byte, 0, 300)
	for n := range cap(b) {
		if got, want := Sum64(b), peer.Sum64(b); got != want {
			t.Fatalf("Sum64 of %d bytes = %016x, want %016x", n, got, want)
		}
		b = append(b, byte(n*n>>3))
	}
}
