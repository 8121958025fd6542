package zstd

import "math/bits"

// FSE, RFC 8878 section 4.1. A table of 2^log states gives each symbol as many
// states as its share. Decoding emits the symbol of the state, and the next state
// is the cell's base plus so many bits from the stream.

const (
	fseLogMin = 5
	fseLogMax = 9
	symbols   = 53 // of the largest alphabet, match lengths
	rare      = -1 // a share of less than one state: one state that starts anew
)

type cell struct {
	base   uint16
	symbol uint8
	bits   uint8
}

// table decodes.
type table struct {
	log  int
	cell [1 << fseLogMax]cell
}

// shares are how many of 2^log states each symbol has; they add up to 2^log.
type shares struct {
	log int
	n   int // symbols
	of  [256]int16
}

// fill makes the table of shares, RFC 8878 section 4.1.1, "From normalized
// distribution to decoding tables".
func (t *table) fill(s *shares) {
	t.log = s.log
	size := 1 << s.log
	var next [256]uint16 // number of the symbol's next state, counted from its share
	top := size
	for symbol, share := range s.of[:s.n] {
		if next[symbol] = uint16(share); share == rare {
			next[symbol] = 1
			top--
			t.cell[top].symbol = uint8(symbol)
		}
	}
	at, step := 0, size>>1+size>>3+3
	for symbol, share := range s.of[:s.n] {
		for range share {
			t.cell[at].symbol = uint8(symbol)
			for at = (at + step) & (size - 1); at >= top; {
				at = (at + step) & (size - 1)
			}
		}
	}
	for i := range t.cell[:size] {
		c := &t.cell[i]
		x := next[c.symbol]
		next[c.symbol]++
		c.bits = uint8(s.log + 1 - bits.Len16(x))
		c.base = x<<c.bits - uint16(size)
	}
}

// always makes the table of an alphabet with one symbol: it takes no bits.
func (t *table) always(symbol uint8) {
	t.log = 0
	t.cell[0] = cell{symbol: symbol}
}

// width gives how a share is written while rest states are without a symbol: with
// n bits, or with one less if it is below short.
func width(rest int) (n, short int) {
	n = bits.Len(uint(rest + 1))
	return n, 1<<n - (rest + 2)
}

// read reads the shares of at most limit symbols at the begin of src and gives how
// many bytes they took; a table may have at most 2^logMax states.
func (s *shares) read(src []byte, logMax, limit int) (used int, wrong *flaw) {
	s.log, s.n = int(load(src, 0)&15)+fseLogMin, 0
	if s.log > logMax {
		return 0, corrupt("a table of 2^%d states, of at most 2^%d", s.log, logMax)
	}
	rest, at := 1<<s.log, 4
	for rest > 0 {
		if s.n >= limit {
			return 0, corrupt("a table of more than %d symbols", limit)
		}
		n, short := width(rest)
		v := int(load(src, at))
		share := v & (1<<(n-1) - 1)
		if at += n - 1; share >= short {
			if share = v & (1<<n - 1); share >= 1<<(n-1) {
				share -= short
			}
			at++
		}
		share--
		s.of[s.n] = int16(share)
		s.n++
		if rest -= share; share == rare {
			rest -= 2 // it takes one state
		}
		for share == 0 { // how many more symbols have no state
			more := int(load(src, at) & 3)
			if at += 2; s.n+more > limit {
				return 0, corrupt("a table of more than %d symbols", limit)
			}
			for range more {
				s.of[s.n] = 0
				s.n++
			}
			if more < 3 {
				break
			}
		}
	}
	if used = (at + 7) / 8; used > len(src) {
		return 0, cutOff("a table of %d bytes, of which %d are there", used, len(src))
	}
	return used, nil
}
