package compress

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/pierrec/lz4/v4"
)

// TestSnappyPeer: what we pack another implementation unpacks, and the other way
// round, for data of every kind of redundancy; and no broken block is a panic.
func TestSnappyPeer(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
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
		if got, err := snappyUnpack(nil, theirs, theirs, len(src)); err != nil || !bytes.Equal(got, src) {
			t.Fatalf("%d bytes of %d letters, packed by the peer: %v", len(src), letters, err)
		}
		if len(theirs) > 0 {
			theirs[rng.IntN(len(theirs))] ^= byte(1 + rng.IntN(255))
			got, err := snappyUnpack(nil, theirs, theirs, len(src))
			want, wrong := snappy.Decode(nil, theirs)
			if err == nil && (wrong != nil || !bytes.Equal(got, want)) {
				t.Fatalf("a broken block of %d bytes unpacks here and not at the peer: %v", len(theirs), wrong)
			}
		}
		if _, err := snappyUnpack(nil, packed, packed[:len(packed)/2], len(src)); err == nil && len(src) > 0 {
			t.Fatalf("half a block of %d bytes unpacks", len(packed))
		}
	}
}

// TestLZ4Peer is the same for lz4 frames, of several blocks.
func TestLZ4Peer(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for n := range 100 {
		src := make([]byte, rng.IntN(3*lz4Block))
		letters := 1 + n%256
		for i := range src {
			src[i] = byte(rng.IntN(letters))
			if i > 100 && rng.IntN(4) == 0 {
				src[i] = src[i-1-rng.IntN(100)]
			}
		}
		packed := lz4Codec{}.Compress(nil, src)
		got, err := io.ReadAll(lz4.NewReader(bytes.NewReader(packed)))
		if err != nil || !bytes.Equal(got, src) {
			t.Fatalf("%d bytes of %d letters: peer: %v", len(src), letters, err)
		}
		var theirs bytes.Buffer
		z := lz4.NewWriter(&theirs)
		if err := z.Apply(lz4.BlockSizeOption(lz4.Block64Kb), lz4.ChecksumOption(n%2 == 0), lz4.BlockChecksumOption(n%3 == 0), lz4.SizeOption(uint64(n%5)*uint64(len(src))/max(1, uint64(n%5)))); err != nil {
			t.Fatal(err)
		}
		_, _ = z.Write(src)
		_ = z.Close()
		if got, err := (lz4Codec{}).Decompress(nil, theirs.Bytes(), len(src)); err != nil || !bytes.Equal(got, src) {
			t.Fatalf("%d bytes of %d letters, packed by the peer: %d, %v", len(src), letters, len(got), err)
		}
		for k := 0; k < len(packed); k += 1 + rng.IntN(len(packed)) { // nothing broken is a panic
			packed[k] ^= byte(1 + rng.IntN(255))
			_, _ = lz4Codec{}.Decompress(nil, packed, len(src))
		}
	}
}
