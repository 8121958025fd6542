package zstd

import (
	"encoding/binary"
	"math/bits"
)

// Matches are found by chains of positions whose next four bytes have the same
// hash: as many of the latest ones as effort says are looked at. A match that
// begins one byte later is preferred where it saves more.

const (
	searchMin   = 4       // bytes of a match
	effort      = 8       // positions that are looked at
	enough      = 128     // bytes of a match after which none better is looked for
	hashBitsMax = 15      // of the table of chains
	chainMax    = 1 << 17 // positions in chains: matches look back less than that
)

// sequence is so many literals and then a match; offset is the number that the
// format writes.
type sequence struct{ literals, offset, length int }

// matcher knows the positions of src up to next.
type matcher struct {
	src    []byte
	next   int
	hash   int     // bits
	head   []int32 // of each chain: the latest position + 1
	chain  []int32 // the one before, by position modulo its length
	recent recent
}

func newMatcher(src []byte) *matcher {
	size := bits.Len(uint(max(1, len(src)-1))) // 2^size positions suffice
	hash := min(hashBitsMax, size)
	return &matcher{
		src: src, hash: hash, recent: recentAtFirst,
		head: make([]int32, 1<<hash), chain: make([]int32, min(chainMax, 1<<size)),
	}
}

// enter adds the positions before to.
func (m *matcher) enter(to int) {
	for to = min(to, len(m.src)-searchMin+1); m.next < to; m.next++ {
		slot := &m.head[m.slot(m.next)]
		m.chain[m.next&(len(m.chain)-1)] = *slot
		*slot = int32(m.next + 1)
	}
}

func (m *matcher) slot(at int) uint32 {
	return binary.LittleEndian.Uint32(m.src[at:]) * 2654435761 >> (32 - m.hash)
}

// sequences gives the sequences of src[from:to] and its literals, one after the
// other: also those behind the last match.
func (m *matcher) sequences(list []sequence, literals []byte, from, to int) ([]sequence, []byte) {
	done := from
	for at := from; at+searchMin <= to; {
		offset, length, saves := m.best(at, to)
		if length == 0 {
			at += 1 + (at-done)>>8 // less often where nothing is found
			continue
		}
		for at+1+searchMin <= to && length < enough {
			o, l, s := m.best(at+1, to)
			if s <= saves+4 {
				break
			}
			at, offset, length, saves = at+1, o, l, s
		}
		literals = append(literals, m.src[done:at]...)
		list = append(list, sequence{at - done, m.recent.number(offset, at > done), length})
		at += length
		done = at
	}
	return list, append(literals, m.src[done:to]...)
}

// best finds the match at a position that saves the most: in bits, by a rough
// measure. The length is 0 if there is none.
func (m *matcher) best(at, to int) (offset, length, saves int) {
	m.enter(at)
	for i, o := range m.recent {
		if o > at {
			continue
		}
		if n := m.common(at-o, at, to); n >= searchMin && 6*n-i > saves {
			offset, length, saves = o, n, 6*n-i
		}
	}
	candidate := int(m.head[m.slot(at)]) - 1
	for range effort {
		if candidate < 0 || at-candidate >= len(m.chain) || length >= enough {
			break
		}
		if n := m.common(candidate, at, to); n >= searchMin {
			if s := 6*n - bits.Len(uint(at-candidate)) - 4; s > saves {
				offset, length, saves = at-candidate, n, s
			}
		}
		candidate = int(m.chain[candidate&(len(m.chain)-1)]) - 1
	}
	return offset, length, saves
}

// common is how many bytes from a and from b on are the same, before to.
func (m *matcher) common(a, b, to int) int {
	n := 0
	for b+n+8 <= to {
		if x := binary.LittleEndian.Uint64(m.src[a+n:]) ^ binary.LittleEndian.Uint64(m.src[b+n:]); x != 0 {
			return n + bits.TrailingZeros64(x)>>3
		}
		n += 8
	}
	for b+n < to && m.src[a+n] == m.src[b+n] {
		n++
	}
	return n
}
