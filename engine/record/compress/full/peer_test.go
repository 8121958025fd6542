package full

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/snappy"
)

// TestSnappyPeer: what we pack another implementation unpacks, and the other way
// round, for data of every kind of redundancy; and no broken block is a panic.
func TestSnappyPeer(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 400 {
		src := make([]byte, rng.IntN(snappyBlock+1))
		letters := 1 + n%256
		for i := range src {
			src[i] = byte(rng.IntN(letters))
			if i > 100 && rng.IntN(4) == 0 {
				src[i] = src[i-1-rng.IntN(100)]
			}
		}
		packed := snappyPack(nil, src)
		if got, err := snappy.Decode(nil, packed); err != nil || !bytes.Equal(got, src) {
			t.Fatalf("%d bytes of %d letters: peer: %v", len(src), letters, err)
		}
		theirs := snappy.Encode(nil, src)
		if got, err := snappyUnpack(nil, theirs, len(src)); err != nil || !bytes.Equal(got, src) {
			t.Fatalf("%d bytes of %d letters, packed by the peer: %v", len(src), letters, err)
		}
		if len(theirs) > 0 {
			theirs[rng.IntN(len(theirs))] ^= byte(1 + rng.IntN(255))
			got, err := snappyUnpack(nil, theirs, len(src))
			want, wrong := snappy.Decode(nil, theirs)
			if err == nil && (wrong != nil || !bytes.Equal(got, want)) {
				t.Fatalf("a broken block of %d bytes unpacks here and not at the peer: %v", len(theirs), wrong)
			}
		}
		if _, err := snappyUnpack(nil, packed[:len(packed)/2], len(src)); err == nil && len(src) > 0 {
			t.Fatalf("half a block of %d bytes unpacks", len(packed))
		}
	}
}
