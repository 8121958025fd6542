package zstd

import "math/bits"

// fseCoder encodes. Encoding runs backwards: of all states of a symbol it takes
// the one whose range of next states has the state that is to follow.
type fseCoder struct {
	log   int
	share [symbols]uint16 // states of the symbol
	bits  [symbols]uint8  // that the symbol takes, or one less
	first [symbols]uint16 // of its states, in state
	state [1 << fseLogMax]uint16
}

// fill makes the coder that a table decodes.
func (c *fseCoder) fill(t *table, s *shares) {
	c.log = s.log
	at := 0
	for symbol, share := range s.of[:s.n] {
		c.share[symbol], c.first[symbol] = uint16(share), uint16(at)
		if share == rare {
			c.share[symbol] = 1
		}
		c.bits[symbol] = uint8(s.log + 1 - bits.Len16(c.share[symbol]))
		at += int(c.share[symbol])
	}
	next := c.first
	for i := range 1 << s.log {
		symbol := t.cell[i].symbol
		c.state[next[symbol]] = uint16(i)
		next[symbol]++
	}
}

// begin is the state of the last symbol: of its states the one that needs the most
// bits, so that a reader who counts them sees the end.
func (c *fseCoder) begin(symbol uint8) int { return int(c.state[c.first[symbol]]) }

// step writes the bits that lead from a state of symbol, which it returns, to next.
func (c *fseCoder) step(w *writer, next int, symbol uint8) int {
	n, share := int(c.bits[symbol]), int(c.share[symbol])
	x := next + 1<<c.log
	if x>>n < share {
		n--
	}
	w.put(x, n)
	return int(c.state[int(c.first[symbol])+x>>n-share])
}

// fit makes shares for symbols that occur so often; at least two occur. The table
// has at most 2^logMax states.
func (s *shares) fit(count []int, logMax int) {
	total, distinct := 0, 0
	s.n = 0
	for symbol, n := range count {
		total += n
		if n > 0 {
			distinct++
			s.n = symbol + 1
		}
	}
	s.log = min(logMax, max(fseLogMin, bits.Len(uint(distinct)), bits.Len(uint(total-1))-2))
	rest := 1 << s.log
	for symbol, n := range count[:s.n] {
		share := (n<<s.log + total/2) / total
		if n > 0 {
			share = max(1, share)
		}
		s.of[symbol] = int16(share)
		rest -= share
	}
	for rest != 0 { // what rounding left or took too much: where the error is largest
		step, best, worst := 1, -1, 0
		if rest < 0 {
			step = -1
		}
		for symbol, n := range count[:s.n] {
			share := int(s.of[symbol])
			wrong := step * (n<<s.log - share*total)
			if n > 0 && share+step > 0 && (best < 0 || wrong > worst) {
				best, worst = symbol, wrong
			}
		}
		s.of[best] += int16(step)
		rest -= step
	}
}

// cost is how much symbols that occur so often take with these shares, in 1/256
// bits; no says that one of them has no state.
func (s *shares) cost(count []int) (cost int, ok bool) {
	for symbol, n := range count {
		switch {
		case n == 0:
		case symbol >= s.n || s.of[symbol] == 0:
			return 0, false
		default:
			cost += n * (s.log<<8 - log2(max(1, int(s.of[symbol]))))
		}
	}
	return cost, true
}

// log2 is the logarithm in 1/256, with straight lines between powers of two.
func log2(v int) int {
	n := bits.Len(uint(v)) - 1
	return n<<8 + v<<8>>n - 256
}

// write appends the description of the table.
func (s *shares) write(dst []byte) []byte {
	w := writer{dst: dst}
	w.put(s.log-fseLogMin, 4)
	rest := 1 << s.log
	for i := 0; rest > 0; {
		share := int(s.of[i])
		n, short := width(rest)
		switch v := share + 1; {
		case v < short:
			w.put(v, n-1)
		case v < 1<<(n-1):
			w.put(v, n)
		default:
			w.put(v+short, n)
		}
		rest -= share // fit makes no rare ones
		if i++; share != 0 {
			continue
		}
		zeros := 0
		for i+zeros < s.n && s.of[i+zeros] == 0 {
			zeros++
		}
		for i += zeros; ; zeros -= 3 {
			w.put(min(zeros, 3), 2)
			if zeros < 3 {
				break
			}
		}
	}
	w.fill()
	return w.dst
}
