package zstd

import (
	"encoding/binary"
	"math/bits"
)

// A bit stream is written from its begin and, but for the description of FSE
// tables, read from its end: the last byte's highest set bit ends it.

// load gives the 57 bits and more that begin at bit at of b; beyond the end of b
// there are zeros.
func load(b []byte, at int) uint64 {
	i := at >> 3
	if i+8 <= len(b) {
		return binary.LittleEndian.Uint64(b[i:]) >> (at & 7)
	}
	var v uint64
	for k := len(b) - 1; k >= i; k-- {
		v = v<<8 | uint64(b[k])
	}
	return v >> (at & 7)
}

// backward reads a stream from its end.
type backward struct {
	src  []byte
	left int // bits; negative once more was read than there is
}

// newBackward says no where there is no end mark.
func newBackward(src []byte) (backward, bool) {
	if len(src) == 0 || src[len(src)-1] == 0 {
		return backward{}, false
	}
	return backward{src, 8*len(src) - 9 + bits.Len8(src[len(src)-1])}, true
}

// peek gives the next n bits, at most 56, with zeros for those that are missing.
func (b *backward) peek(n int) int {
	if at := b.left - n; at >= 0 {
		return int(load(b.src, at) & (1<<n - 1))
	}
	if b.left <= 0 {
		return 0
	}
	return int(load(b.src, 0)&(1<<b.left-1)) << (n - b.left)
}

func (b *backward) read(n int) int {
	v := b.peek(n)
	b.left -= n
	return v
}

// writer writes a stream, from its begin.
type writer struct {
	dst  []byte
	bits uint64 // those that do not fill a byte yet
	n    int
}

// put appends the lowest n bits of v, at most 32.
func (w *writer) put(v, n int) {
	w.bits |= (uint64(v) & (1<<n - 1)) << w.n
	w.n += n
	for ; w.n >= 8; w.n -= 8 {
		w.dst = append(w.dst, byte(w.bits))
		w.bits >>= 8
	}
}

// fill appends zeros up to the next byte.
func (w *writer) fill() {
	if w.n > 0 {
		w.put(0, 8-w.n)
	}
}

// end appends the mark at which a reader begins.
func (w *writer) end() {
	w.put(1, 1)
	w.fill()
}
