package zstd

import "math/bits"

// Huffman, RFC 8878 section 4.2. A symbol of weight w > 0 has a code of log+1-w
// bits. The longest codes are the lowest numbers, and among equally long ones the
// order of symbols decides.

const (
	codeBitsMax   = 11
	weightMax     = codeBitsMax + 1
	weightsLogMax = 6   // of the FSE table that writes weights
	directMax     = 128 // weights that can be written in four bits each
)

// huffman decodes: the next log bits are the index of what they begin with.
type huffman struct {
	log  int // 0: no table
	cell [1 << codeBitsMax]struct{ symbol, bits uint8 }
}

// read reads the table at the begin of src and gives how many bytes it took.
func (h *huffman) read(src []byte) (used int, wrong *flaw) {
	h.log = 0
	if len(src) == 0 {
		return 0, cutOff("a Huffman table")
	}
	var weight [256]uint8
	n := int(src[0])
	if used = 1 + n; n >= directMax {
		n -= directMax - 1
		used = 1 + (n+1)/2
	}
	if used > len(src) {
		return 0, cutOff("a Huffman table of %d bytes, of which %d are there", used, len(src))
	}
	if src[0] >= directMax {
		for i := range n {
			weight[i] = src[1+i/2] >> (4 * (^i & 1)) & 15
		}
	} else if n, wrong = readWeights(&weight, src[1:used]); wrong != nil {
		return 0, wrong
	}
	return used, h.fill(&weight, n)
}

// readWeights reads weights that are written with FSE: two states take turns,
// until the bits do not suffice.
func readWeights(weight *[256]uint8, src []byte) (n int, wrong *flaw) {
	var s shares
	used, wrong := s.read(src, weightsLogMax, weightMax+1)
	if wrong != nil {
		return 0, wrong
	}
	var t table
	t.fill(&s)
	in, ok := newBackward(src[used:])
	if !ok {
		return 0, corrupt("Huffman weights without an end")
	}
	state := [2]int{in.read(t.log), in.read(t.log)}
	if in.left < 0 {
		return 0, cutOff("Huffman weights")
	}
	for n < len(weight)-2 {
		c := t.cell[state[n&1]]
		weight[n] = c.symbol
		n++
		if in.left < int(c.bits) {
			weight[n] = t.cell[state[n&1]].symbol
			return n + 1, nil
		}
		state[^n&1] = int(c.base) + in.read(int(c.bits))
	}
	return 0, corrupt("more than %d Huffman weights", len(weight)-1)
}

// fill makes the table. The weight of symbol n is what the others leave of a power
// of two.
func (h *huffman) fill(weight *[256]uint8, n int) *flaw {
	var number [weightMax + 1]int // of symbols with that weight
	sum := 0
	for _, w := range weight[:n] {
		if w > weightMax {
			return corrupt("a Huffman weight of %d", w)
		}
		number[w]++
		sum += 1 << w >> 1
	}
	if sum == 0 {
		return corrupt("Huffman weights that are all 0")
	}
	log := bits.Len(uint(sum))
	rest := 1<<log - sum
	if log > codeBitsMax {
		return corrupt("a Huffman code of %d bits, of at most %d", log, codeBitsMax)
	}
	if rest&(rest-1) != 0 {
		return corrupt("Huffman weights that leave %d of %d for the last", rest, 1<<log)
	}
	weight[n] = uint8(bits.Len(uint(rest)))
	number[weight[n]]++
	var at [weightMax + 1]int // where the next symbol of that weight begins
	for w := 1; w < weightMax; w++ {
		at[w+1] = at[w] + number[w]<<(w-1)
	}
	for symbol, w := range weight[:n+1] {
		if w == 0 {
			continue
		}
		for range 1 << (w - 1) {
			h.cell[at[w]].symbol, h.cell[at[w]].bits = uint8(symbol), uint8(log+1-int(w))
			at[w]++
		}
	}
	h.log = log
	return nil
}

// decode fills dst with what a stream stands for: all of the stream.
func (h *huffman) decode(dst, src []byte) *flaw {
	in, ok := newBackward(src)
	if !ok {
		return corrupt("literals without an end")
	}
	for i := range dst {
		c := h.cell[in.peek(h.log)&(len(h.cell)-1)]
		dst[i] = c.symbol
		in.left -= int(c.bits)
	}
	if in.left != 0 {
		return corrupt("%d bits are left of %d literals", in.left, len(dst))
	}
	return nil
}
