package zstd

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// encoder writes one frame.
type encoder struct {
	*matcher
	dst      []byte
	list     []sequence // of the block; used again, as what follows
	literals []byte
	symbol   [alphabets][]uint8
}

// Pack appends one frame that stands for src to dst.
func Pack(dst, src []byte) []byte {
	e := &encoder{matcher: newMatcher(src), list: make([]sequence, 0, min(len(src), blockSizeMax)/32), literals: make([]byte, 0, min(len(src), blockSizeMax)/2)}
	for i := range e.symbol {
		e.symbol[i] = make([]uint8, 0, cap(e.list))
	}
	e.dst = binary.LittleEndian.AppendUint32(slices.Grow(dst, len(src)/4+16), magic)
	switch n := len(src); {
	case n < 256:
		e.dst = append(e.dst, flagSingle, byte(n))
	case n < 65536+256:
		e.dst = append(e.dst, flagSingle|1<<6)
		e.dst = binary.LittleEndian.AppendUint16(e.dst, uint16(n-256))
	case n < 1<<32:
		e.dst = append(e.dst, flagSingle|2<<6)
		e.dst = binary.LittleEndian.AppendUint32(e.dst, uint32(n))
	default:
		e.dst = append(e.dst, flagSingle|3<<6)
		e.dst = binary.LittleEndian.AppendUint64(e.dst, uint64(n))
	}
	for from := 0; ; from += blockSizeMax {
		to := min(from+blockSizeMax, len(src))
		e.addBlock(from, to)
		if to == len(src) {
			return e.dst
		}
	}
}

// addBlock appends the block that stands for src[from:to]: packed if that makes it
// smaller.
func (e *encoder) addBlock(from, to int) {
	plain, at, before := e.src[from:to], len(e.dst), e.recent
	e.dst = append(e.dst, 0, 0, 0)
	kind, n := blockRepeated, len(plain)
	if same := n > 0 && e.common(from, from+1, to) == n-1; same {
		e.dst = append(e.dst, plain[0])
	} else if kind = blockPacked; !e.pack(from, to) || len(e.dst)-at-3 >= n {
		kind, e.recent = blockRaw, before
		e.dst = append(e.dst[:at+3], plain...)
	}
	if kind == blockPacked {
		n = len(e.dst) - at - 3
	}
	head := n<<3 | kind<<1
	if to == len(e.src) {
		head |= 1
	}
	e.dst[at], e.dst[at+1], e.dst[at+2] = byte(head), byte(head>>8), byte(head>>16)
}

// pack appends the content of a packed block; no says that it is better left as it
// is.
func (e *encoder) pack(from, to int) bool {
	if to-from < searchMin {
		return false
	}
	e.list, e.literals = e.sequences(e.list[:0], e.literals[:0], from, to)
	e.addLiterals()
	e.dst = appendCount(e.dst, len(e.list))
	if len(e.list) > 0 {
		e.addSequences()
	}
	return true
}

// appendCount appends a number of sequences.
func appendCount(dst []byte, n int) []byte {
	switch {
	case n < 128:
		return append(dst, byte(n))
	case n < sequencesLong:
		return append(dst, byte(n>>8)+128, byte(n))
	}
	n -= sequencesLong
	return append(dst, 255, byte(n), byte(n>>8))
}

// addLiterals appends the block's literals in the smallest of the three ways.
func (e *encoder) addLiterals() {
	var count [256]int
	most := 0
	for _, c := range e.literals {
		count[c]++
		most = max(most, count[c])
	}
	n, at := len(e.literals), len(e.dst)
	if n > 1 && most == n {
		e.dst = append(literalsHead(e.dst, literalsRepeated, n), e.literals[0])
		return
	}
	if n >= 32 && e.packLiterals(&count) && len(e.dst)-at < n {
		return
	}
	e.dst = append(literalsHead(e.dst[:at], literalsRaw, n), e.literals...)
}

// literalsHead appends the header of n literals that are not packed.
func literalsHead(dst []byte, kind, n int) []byte {
	switch {
	case n < 32:
		return append(dst, byte(kind|n<<3))
	case n < 4096:
		return append(dst, byte(kind|1<<2|n<<4), byte(n>>4))
	}
	return append(dst, byte(kind|3<<2|n<<4), byte(n>>4), byte(n>>12))
}

// packLiterals appends literals with a Huffman code of their own: a few in one
// stream, others in four, which a reader can unpack at the same time.
func (e *encoder) packLiterals(count *[256]int) bool {
	var h huffmanCoder
	h.fit(count)
	n, at, ok := len(e.literals), len(e.dst), false
	format, head, width := 0, 3, 10
	switch {
	case n >= 1<<14:
		format, head, width = 3, 5, 18
	case n >= 1<<10:
		format, head, width = 2, 4, 14
	case n >= 256:
		format = 1
	}
	e.dst = append(e.dst, make([]byte, head)...)
	if e.dst, ok = h.write(e.dst); !ok {
		return false
	}
	if format == 0 {
		e.dst = h.encode(e.dst, e.literals)
	} else {
		jumps, quarter := len(e.dst), (n+3)/4
		e.dst = append(e.dst, 0, 0, 0, 0, 0, 0)
		for i := range 4 {
			begin := len(e.dst)
			e.dst = h.encode(e.dst, e.literals[min(n, i*quarter):min(n, (i+1)*quarter)])
			if i < 3 {
				binary.LittleEndian.PutUint16(e.dst[jumps+2*i:], uint16(len(e.dst)-begin))
			}
		}
	}
	stored := len(e.dst) - at - head
	if stored >= 1<<width {
		return false
	}
	v := uint64(literalsPacked | format<<2 | n<<4 | stored<<(4+width))
	for i := range head {
		e.dst[at+i] = byte(v >> (8 * i))
	}
	return true
}

// addSequences appends the tables of the three alphabets and then the sequences:
// the last one is written first.
func (e *encoder) addSequences() {
	var count [alphabets][symbols]int
	for i := range e.symbol {
		e.symbol[i] = e.symbol[i][:0]
	}
	for _, s := range e.list {
		codes := [alphabets]uint8{literalCodes.of(s.literals), uint8(bits.Len(uint(s.offset)) - 1), matchCodes.of(s.length)}
		for i, c := range codes {
			e.symbol[i] = append(e.symbol[i], c)
			count[i][c]++
		}
	}
	modes := len(e.dst)
	e.dst = append(e.dst, 0)
	var coder [alphabets]*fseCoder
	for i := range kinds {
		var mode int
		coder[i], mode = e.addTable(&kinds[i], count[i][:], e.symbol[i][0])
		e.dst[modes] |= byte(mode << (6 - 2*i))
	}
	w := writer{dst: e.dst}
	var state [alphabets]int
	for k := len(e.list) - 1; k >= 0; k-- {
		l, o, m := e.symbol[literalLengths][k], e.symbol[offsets][k], e.symbol[matchLengths][k]
		if k == len(e.list)-1 {
			state = [alphabets]int{coder[0].begin(l), coder[1].begin(o), coder[2].begin(m)}
		} else {
			state[offsets] = coder[offsets].step(&w, state[offsets], o)
			state[matchLengths] = coder[matchLengths].step(&w, state[matchLengths], m)
			state[literalLengths] = coder[literalLengths].step(&w, state[literalLengths], l)
		}
		w.put(e.list[k].literals-literalCodes.base[l], int(literalCodes.extra[l]))
		w.put(e.list[k].length-matchCodes.base[m], int(matchCodes.extra[m]))
		w.put(e.list[k].offset, int(o))
	}
	for _, i := range [alphabets]int{matchLengths, offsets, literalLengths} {
		w.put(state[i], coder[i].log)
	}
	w.end()
	e.dst = w.dst
}

// addTable appends the table with which an alphabet takes the least: none, the one
// symbol that there is, or one of its own.
func (e *encoder) addTable(kind *alphabet, count []int, one uint8) (*fseCoder, int) {
	total := 0
	for _, n := range count {
		total += n
	}
	best, mode := 0, modeTable
	if cost, ok := kind.defaults.cost(count); ok {
		best, mode = cost, modeDefault
	}
	if count[one] == total {
		if mode == modeTable || best > 8<<8 {
			e.dst = append(e.dst, one)
			c := &fseCoder{}
			c.share[one] = 1
			return c, modeOne
		}
		return &kind.encode, modeDefault
	}
	var s shares
	s.fit(count, kind.logMax)
	at := len(e.dst)
	e.dst = s.write(e.dst)
	if cost, _ := s.cost(count); mode == modeDefault && best <= cost+(len(e.dst)-at)<<11 {
		e.dst = e.dst[:at]
		return &kind.encode, modeDefault
	}
	var t table
	t.fill(&s)
	c := &fseCoder{}
	c.fill(&t, &s)
	return c, modeTable
}
