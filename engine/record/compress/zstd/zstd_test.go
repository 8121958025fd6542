package zstd

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/record/compress/xxhash"
	peer "github.com/klauspost/compress/zstd"
)

// samples are bytes of every kind of redundancy, and of the sizes at which the
// format changes its mind.
func samples() map[string][]byte {
	rng := rand.New(rand.NewPCG(5, 6))
	list := map[string][]byte{"": nil}
	for _, n := range []int{1, 3, 4, 31, 32, 255, 256, 1023, 1024, 4095, 16383, 16384, 65791, 65792, 131071, 131072, 131073, 400_000} {
		noise, letters, same, words := make([]byte, n), make([]byte, n), bytes.Repeat([]byte{'k'}, n), []byte{}
		for i := range noise {
			noise[i] = byte(rng.Uint32())
			letters[i] = "etaoin shrdlu"[rng.IntN(1+rng.IntN(13))]
		}
		for len(words) < n {
			words = fmt.Appendf(words, `{"id":%d,"user":"user-%d","amount":%d.%02d,"currency":"EUR","state":"%s"}`,
				len(words), rng.IntN(500), rng.IntN(1000), rng.IntN(100), []string{"OPEN", "PAID", "FAILED", "REFUNDED"}[rng.IntN(4)])
		}
		list[fmt.Sprint("noise ", n)] = noise
		list[fmt.Sprint("letters ", n)] = letters
		list[fmt.Sprint("same ", n)] = same
		list[fmt.Sprint("words ", n)] = words[:n]
	}
	far := make([]byte, blockSizeMax, 2*blockSizeMax) // a second block with literals that are all the same
	for i := blockSizeMax - 10_000; i < len(far); i++ {
		far[i] = byte(rng.Uint32())
	}
	for len(far) < blockSizeMax+1300 {
		at := blockSizeMax - 10_000 + rng.IntN(9000)
		far = append(append(far, far[at:at+60]...), 'k')
	}
	list["far"] = far
	for k := range 60 {
		b := make([]byte, rng.IntN(3000*(1+k%40)))
		kinds := 1 + rng.IntN(256)
		for i := range b {
			b[i] = byte(rng.IntN(kinds))
			if back := 1 + rng.IntN(1+rng.IntN(1+i)); i >= back && rng.IntN(8) > k%8 {
				b[i] = b[i-back]
			}
		}
		list[fmt.Sprint("copies ", k)] = b
	}
	return list
}

// TestPeer: what we pack another implementation unpacks, and the other way round,
// at each of its levels, with and without a checksum.
func TestPeer(t *testing.T) {
	reader, err := peer.NewReader(nil, peer.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	for level := peer.SpeedFastest; level <= peer.SpeedBestCompression; level++ {
		w, err := peer.NewWriter(nil, peer.WithEncoderConcurrency(1), peer.WithEncoderCRC(level%2 == 0), peer.WithEncoderLevel(level), peer.WithWindowSize(256<<10), peer.WithZeroFrames(true))
		if err != nil {
			t.Fatal(err)
		}
		for name, src := range samples() {
			got, err := Unpack([]byte("kept"), w.EncodeAll(src, nil), len(src))
			if err != nil || !bytes.Equal(got[4:], src) {
				t.Fatalf("%s, packed by the peer: %v", name, err)
			}
			var stream bytes.Buffer // no content size, blocks as they come, no single segment
			w.Reset(&stream)
			for part := src; len(part) > 0; part = part[min(len(part), 50_000):] {
				if _, err := w.Write(part[:min(len(part), 50_000)]); err != nil || w.Flush() != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if got, err := Unpack(nil, stream.Bytes(), len(src)); err != nil || !bytes.Equal(got, src) {
				t.Fatalf("%s, packed by the peer as a stream: %v", name, err)
			}
		}
	}
	for name, src := range samples() {
		packed := Pack([]byte("kept"), src)[4:]
		if got, err := Unpack(nil, packed, len(src)); err != nil || !bytes.Equal(got, src) {
			t.Fatalf("%s: %v", name, err)
		}
		if got, err := reader.DecodeAll(packed, nil); err != nil || !bytes.Equal(got, src) {
			t.Fatalf("%s: peer: %v", name, err)
		}
		if over := len(packed) - len(src); over > 12+3*(len(src)>>17) {
			t.Errorf("%s: %d bytes more than before", name, over)
		}
	}
}

// TestRatio: records such as people write get about as small as with the peer, at
// the level that libzstd has by default.
func TestRatio(t *testing.T) {
	w, err := peer.NewWriter(nil, peer.WithEncoderConcurrency(1), peer.WithEncoderCRC(false))
	if err != nil {
		t.Fatal(err)
	}
	texts := bytes.Repeat([]byte("the high watermark is the offset up to which a consumer may read; "), 20)
	for i := range texts {
		texts[i] ^= byte(i * i >> 7 & i >> 3 & 1)
	}
	for _, src := range [][]byte{orders(300), orders(1000), orders(16_000), orders(128_000), orders(1_000_000), texts} {
		ours, theirs := len(Pack(nil, src)), len(w.EncodeAll(src, nil))
		t.Logf("%7d bytes: %6d, the peer %6d", len(src), ours, theirs)
		if 100*ours > 105*theirs {
			t.Errorf("%d bytes are packed to %d, by the peer to %d", len(src), ours, theirs)
		}
	}
}

// head is a frame's header without content size: a window of 1 KiB.
var head = []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 0}

func join(parts ...any) (b []byte) {
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			b = append(b, byte(p))
		case string:
			b = append(b, p...)
		case []byte:
			b = append(b, p...)
		}
	}
	return b
}

// block is one block, the last of its frame.
func block(kind, n int, parts ...any) []byte {
	return join(n<<3|kind<<1|1, n>>5, n>>13, join(parts...))
}

// packed is one packed block.
func packed(parts ...any) []byte {
	b := join(parts...)
	return block(blockPacked, len(b), b)
}

// TestFrames: frames written by hand, whole and broken. The peer agrees on which.
func TestFrames(t *testing.T) {
	reader, err := peer.NewReader(nil, peer.WithDecoderConcurrency(1), peer.WithDecoderMaxMemory(4000))
	if err != nil {
		t.Fatal(err)
	}
	raw := block(blockRaw, 5, "hello")
	summed := join(0x28, 0xb5, 0x2f, 0xfd, flagChecksum, 0, raw)
	for i, one := range []struct {
		src  []byte
		want string // the content, or, after "!", what is wrong
	}{
		{join(head, raw), "hello"},
		{join(head, block(blockRepeated, 5, "x")), "xxxxx"},
		{join(head, block(blockRepeated, 0, "x")), ""},
		{join(head, 5<<3, 0, 0, "hello", block(blockRaw, 2, "!!")), "hello!!"},
		{join(head, raw, head, raw), "hellohello"},
		{join(0x53, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, "zz", head, raw), "hello"},
		{join(summed, 0xa3, 0x6d, 0x9f, 0x88), "hello"},
		{join(0x28, 0xb5, 0x2f, 0xfd, flagDictionary, 0, 0, 0, 0, 0, raw), "hello"}, // dictionary 0 is none
		{join(0x28, 0xb5, 0x2f, 0xfd, flagSingle, 5, raw), "hello"},
		{join(head, packed(5<<3, "hello", 0)), "hello"},
		{join(head, packed(5<<3|literalsRepeated, "z", 0)), "zzzzz"},
		{join(head, packed(5<<3, "hello", 1, 0x54, 5, 3, 2, 8)), "hellohello"},
		{join(head, packed(5<<3, "hello", 128, 1, 0x54, 5, 3, 2, 8)), "hellohello"},

		{nil, "!cut off at byte 0: no frame"},
		{head[:3], "!cut off at byte 0: the magic number"},
		{join(1, 2, 3, 4), "!corrupt at byte 0: the magic number is 04030201"},
		{join(0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, "zz"), "!cut off at byte 0: a frame to skip"},
		{head[:4], "!cut off at byte 4: the frame's descriptor"},
		{head[:5], "!cut off at byte 4: the frame's header"},
		{join(0x28, 0xb5, 0x2f, 0xfd, flagReserved, 0, raw), "!corrupt at byte 4: the reserved bit"},
		{join(0x28, 0xb5, 0x2f, 0xfd, 1, 0, 7, raw), "!not supported at byte 6: the frame needs dictionary 7"},
		{join(0x28, 0xb5, 0x2f, 0xfd, 0, 18<<3, raw), "!not supported at byte 4: a window of 268435456 bytes"},
		{join(0x28, 0xb5, 0x2f, 0xfd, flagSingle, 6, raw), "!corrupt at byte 0: a frame of 6 bytes unpacks to 5"},
		{join(0x28, 0xb5, 0x2f, 0xfd, flagSingle|2<<6, 0, 0, 0, 9, raw), "!too large at byte 5: a frame of 150994944 bytes, and the limit leaves 4000"},
		{join(0x28, 0xb5, 0x2f, 0xfd, flagSingle|3<<6, 0, 0, 0, 0, 0, 0, 0, 255, raw), "!too large at byte 5: a frame of 18374686479671623680 bytes"},
		{join(summed, 0xa4, 0x6d, 0x9f, 0x88), "!checksum differs at byte 14: the frame's is 889f6da4, its content's is 889f6da3"},
		{join(summed, 0x16), "!cut off at byte 14: the frame's checksum"},
		{join(head, 1), "!cut off at byte 6: the header of a block"},
		{join(head, block(blockRaw, 6, "hello")), "!cut off at byte 6: a block of 6 bytes, of which 5 are there"},
		{join(head, block(blockRepeated, 6)), "!cut off at byte 6: a block of 1 bytes"},
		{join(head, block(blockReserved, 0)), "!corrupt at byte 6: a block of the reserved type"},
		{join(head, block(blockRepeated, 1025, "x")), "!corrupt at byte 6: a block of 1025 bytes, of at most 1024"},
		{join(0x28, 0xb5, 0x2f, 0xfd, 0, 3<<3, block(blockRepeated, 4001, "x")), "!too large at byte 6: it unpacks to more"},

		{join(head, packed()), "!cut off at byte 9: the header of literals"},
		{join(head, packed(1<<2)), "!cut off at byte 9: the header of literals"},
		{join(head, packed(3<<2, 0, 1)), "!corrupt at byte 9: 4096 literals in a block of at most 1024"},
		{join(head, packed(9<<3, "hello")), "!cut off at byte 9: 9 bytes of literals, of which 5 are there"},
		{join(head, packed(5<<3, "hello")), "!cut off at byte 15: the number of sequences"},
		{join(head, packed(5<<3, "hello", 200)), "!cut off at byte 15: the number of sequences"},
		{join(head, packed(5<<3, "hello", 0, 0)), "!corrupt at byte 16: 1 bytes after the last literal"},
		{join(head, packed(5<<3, "hello", 1)), "!cut off at byte 16: the modes"},
		{join(head, packed(5<<3, "hello", 1, 1)), "!corrupt at byte 16: reserved bits"},
		{join(head, packed(5<<3, "hello", 1, 0x54)), "!cut off at byte 17: the one symbol"},
		{join(head, packed(5<<3, "hello", 1, 0x54, 36)), "!corrupt at byte 17: symbol 36 of 36"},
		{join(head, packed(5<<3, "hello", 1, 0xfc, 1)), "!corrupt at byte 17: the table of an earlier block"},
		{join(head, packed(5<<3, "hello", 1, 0xa8, 15)), "!corrupt at byte 17: a table of 2^20 states, of at most 2^9"},
		{join(head, packed(5<<3, "hello", 1, 0xa8, 0)), "!cut off at byte 17: a table of"},
		{join(head, packed(5<<3, "hello", 1, 0xa8, 0x10, 0xfe, 0xff, 0xff, 0xff, 0xff)), "!corrupt at byte 17: a table of more than 36 symbols"},
		{join(head, packed(5<<3, "hello", 1, 0x54, 5, 2, 2)), "!corrupt at byte 20: sequences without an end"},
		{join(head, packed(5<<3, "hello", 1, 0x54, 5, 2, 2, 0)), "!corrupt at byte 20: sequences without an end"},
		{join(head, packed(5<<3, "hello", 1, 0x54, 6, 2, 2, 4)), "!corrupt at byte 20: a sequence of 6 literals, of which 5 are left"},
		{join(head, packed(5<<3, "hello", 1, 0x54, 5, 3, 2, 9)), "!corrupt at byte 20: a match 6 bytes back after 5 bytes"},
		{join(head, packed(5<<3, "hello", 1, 0x54, 0, 1, 2, 3)), "!corrupt at byte 20: a match"},
		{join(head, packed(5<<3, "hello", 1, 0x54, 5, 20, 2, 4)), "!cut off at byte 20: 1 of the block's sequences"},
		{join(head, packed(5<<3, "hello", 1, 0x54, 5, 2, 2, 255)), "!corrupt at byte 20: 5 bits are left"},
		{join(head, packed(5<<3, "hello", 1, 0x54, 5, 0, 46, 0xff, 0xff)), "!corrupt at byte 20: a block of more than 1024 bytes"},

		{join(head, packed(literalsPacked, 0)), "!cut off at byte 9: the header of literals"},
		{join(head, packed(literalsPacked|5<<4, 0, 4)), "!cut off at byte 9: 16 bytes of literals, of which 0 are there"},
		{join(head, packed(literalsPacked|3<<2, 255, 255, 0, 0)), "!corrupt at byte 9: 262128 literals"},
		{join(head, packed(literalsAgain|5<<4, 0x40, 0, 0)), "!corrupt at byte 9: the Huffman table of an earlier block"},
		{join(head, packed(literalsPacked|5<<4, 0, 0)), "!cut off at byte 12: a Huffman table"},
		{join(head, packed(literalsPacked|5<<4, 0x40, 0, 130)), "!cut off at byte 12: a Huffman table of 3 bytes, of which 1 are there"},
		{join(head, packed(literalsPacked|5<<4, 0x80, 0, 128, 0)), "!corrupt at byte 12: Huffman weights that are all 0"},
		{join(head, packed(literalsPacked|5<<4, 0x80, 0, 128, 0xd0)), "!corrupt at byte 12: a Huffman weight of 13"},
		{join(head, packed(literalsPacked|5<<4, 0x80, 0, 128, 0xc0)), "!corrupt at byte 12: a Huffman code of 12 bits"},
		{join(head, packed(literalsPacked|5<<4, 0x80, 0, 129, 0x31)), "!corrupt at byte 12: Huffman weights that leave 3 of 8"},
		{join(head, packed(literalsPacked|5<<4, 0x80, 0, 128, 0x10)), "!corrupt at byte 14: literals without an end"},
		{join(head, packed(literalsPacked|5<<4, 0xc0, 0, 128, 0x10, 0xff)), "!corrupt at byte 14: 2 bits are left of 5 literals"},
		{join(head, packed(literalsPacked|1<<2|5<<4, 0xc0, 0, 128, 0x10, 1)), "!cut off at byte 14: the sizes of four streams"},
		{join(head, packed(literalsPacked|1<<2|5<<4, 0x40, 2, 128, 0x10, 1, 0, 1, 0, 1, 0, 1)), "!corrupt at byte 14: four streams for 5 literals"},
		{join(head, packed(literalsPacked|1<<2|8<<4, 0x40, 2, 128, 0x10, 9, 0, 1, 0, 1, 0, 1)), "!cut off at byte 14: stream 1 of four has 9 bytes, of which 1 are there"},
		{join(head, packed(literalsPacked|5<<4, 0x80, 0, 1, 0)), "!c"},
	} {
		got, err := Unpack(nil, one.src, 4000)
		if wrong, bad := strings.CutPrefix(one.want, "!"); bad {
			var b *record.Broken
			if !errors.As(err, &b) || !strings.HasPrefix(err.Error(), wrong) {
				t.Errorf("%d: %q, %v; want %q", i, got, err, wrong)
			}
		} else if err != nil || string(got) != one.want {
			t.Errorf("%d: %q, %v; want %q", i, got, err, one.want)
		}
		if theirs, wrong := reader.DecodeAll(one.src, nil); len(one.src) > 0 && (wrong == nil) != (err == nil) {
			t.Errorf("%d: the peer: %q, %v; ours: %v", i, theirs, wrong, err)
		}
	}
}

// TestAllocations: a frame that promises much and has little costs little.
func TestAllocations(t *testing.T) {
	promise := join(0x28, 0xb5, 0x2f, 0xfd, flagSingle|2<<6, 0, 0, 0, 4, block(blockRaw, 5, "hello"))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out, err := Unpack(nil, promise, 64<<20)
	runtime.ReadMemStats(&after)
	if out != nil || err == nil {
		t.Errorf("%d bytes, %v", len(out), err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 300_000 {
		t.Errorf("%d bytes were allocated for a frame of %d", n, len(promise))
	}
}

// FuzzUnpack: no bytes are a panic or more than the limit; and what the peer unpacks
// unpacks to the same here.
func FuzzUnpack(f *testing.F) {
	const limit = 1 << 18
	reader, err := peer.NewReader(nil, peer.WithDecoderConcurrency(1), peer.WithDecoderMaxMemory(limit), peer.WithDecoderMaxWindow(limit))
	if err != nil {
		f.Fatal(err)
	}
	for _, src := range samples() {
		if len(src) < 20_000 {
			f.Add(Pack(nil, src))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := Unpack(nil, b, limit)
		if len(got) > limit {
			t.Fatalf("%d bytes", len(got))
		}
		want, wrong := reader.DecodeAll(b, nil)
		if wrong == nil && len(b) > 0 && (err != nil || !bytes.Equal(got, want)) { // the peer refuses some that libzstd reads
			t.Fatalf("%d bytes and %v here, %d at the peer", len(got), err, len(want))
		}
	})
}

// FuzzPack: what is packed unpacks to the same, here and at the peer.
func FuzzPack(f *testing.F) {
	reader, err := peer.NewReader(nil, peer.WithDecoderConcurrency(1))
	if err != nil {
		f.Fatal(err)
	}
	for _, src := range samples() {
		if len(src) < 20_000 {
			f.Add(src)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		packed := Pack(nil, src)
		if got, err := Unpack(nil, packed, len(src)); err != nil || !bytes.Equal(got, src) {
			t.Fatalf("%v", err)
		}
		if got, err := reader.DecodeAll(packed, nil); err != nil || !bytes.Equal(got, src) {
			t.Fatalf("peer: %v", err)
		}
	})
}

// TestCounts: every number of sequences that a block can have.
func TestCounts(t *testing.T) {
	for n := range blockSizeMax / matchMin {
		b := appendCount(nil, n)
		if got, used := countSequences(append(b, 1, 2)); got != n || used != len(b) {
			t.Fatalf("%d is written as %x and read as %d in %d bytes", n, b, got, used)
		}
	}
}

// TestHuffman: codes for all kinds of frequencies are complete and not too long,
// and are read as they were written.
func TestHuffman(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for k := range 500 {
		var h huffmanCoder
		var count [256]int
		var literals []byte
		a, b := 1, 1
		for range 2 + rng.IntN(1+rng.IntN(254)) {
			symbol := rng.IntN(256)
			switch k % 3 {
			case 0:
				a, b = b, min(a+b, 1<<40) // the deepest tree there is
				count[symbol] = a
			case 1:
				count[symbol] = 1 + rng.IntN(1<<rng.IntN(12))
			case 2:
				count[symbol] = 5
			}
			literals = append(literals, byte(symbol))
		}
		if count[literals[0]]++; bytes.Count(literals, literals[:1]) == len(literals) {
			continue // one symbol has no code
		}
		h.fit(&count)
		full := 0
		for symbol, n := range h.length {
			if n > codeBitsMax || (n > 0) != (count[symbol] > 0) {
				t.Fatalf("%d: symbol %d occurs %d times and has %d bits", k, symbol, count[symbol], n)
			}
			if n > 0 {
				full += 1 << (codeBitsMax - n)
			}
		}
		if full != 1<<codeBitsMax {
			t.Fatalf("%d: the codes take %d of %d", k, full, 1<<codeBitsMax)
		}
		table, ok := h.write(nil)
		if !ok {
			continue
		}
		var r huffman
		if used, wrong := r.read(append(table, 1, 2, 3)); wrong != nil || used != len(table) {
			t.Fatalf("%d: a table of %d bytes is read as %d: %+v", k, len(table), used, wrong)
		}
		got := make([]byte, len(literals))
		if wrong := r.decode(got, h.encode(nil, literals)); wrong != nil || !bytes.Equal(got, literals) {
			t.Fatalf("%d: %+v", k, wrong)
		}
	}
}

// TestSameBytes: what Pack gives is the same on every machine, so that a scenario
// is. A change of the encoder changes the sum.
func TestSameBytes(t *testing.T) {
	var all []byte
	list := samples()
	for _, name := range slices.Sorted(maps.Keys(list)) {
		all = Pack(all, list[name])
	}
	if got, want := xxhash.Sum64(all), uint64(0xd217bf1816d8fa05); got != want {
		t.Errorf("%d bytes with the sum %#x, want %#x", len(all), got, want)
	}
}
