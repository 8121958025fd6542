package zstd

import "github.com/highwater-sim/highwater/engine/record"

// Sequences, RFC 8878 section 3.1.1.3.2. The lengths of literals, the offsets and
// the lengths of matches are codes of three alphabets; a code stands for a range
// of numbers, and extra bits choose from it.

// The alphabets, in the order in which a block describes their tables.
const (
	literalLengths = iota
	offsets
	matchLengths
	alphabets
)

const (
	matchMin   = 3
	offsetsMax = 31 // the largest code of an offset
)

// alphabet is one of the three.
type alphabet struct {
	logMax, symbols int
	defaults        shares // of a block that describes no table
	decode          table  // of defaults
	encode          fseCoder
}

var kinds = [alphabets]alphabet{
	literalLengths: newAlphabet(9, len(literalCodes.base), 6,
		4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, rare, rare, rare, rare),
	offsets: newAlphabet(8, offsetsMax+1, 5,
		1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, rare, rare, rare, rare, rare),
	matchLengths: newAlphabet(9, len(matchCodes.base), 6,
		1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
		1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, rare, rare, rare, rare, rare, rare, rare),
}

func newAlphabet(logMax, symbols, log int, of ...int16) (a alphabet) {
	a.logMax, a.symbols = logMax, symbols
	a.defaults.log, a.defaults.n = log, len(of)
	copy(a.defaults.of[:], of)
	a.decode.fill(&a.defaults)
	a.encode.fill(&a.decode, &a.defaults)
	return a
}

// codes say what the codes of a length stand for: base and so many extra bits.
type codes struct {
	base  []int
	extra []uint8
}

var (
	literalCodes = newCodes(0, 16, 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
	matchCodes   = newCodes(matchMin, 32, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
)

// newCodes begins with so many single numbers, from first on.
func newCodes(first, single int, extra ...uint8) (c codes) {
	c.extra = append(make([]uint8, single), extra...)
	for _, bits := range c.extra {
		c.base = append(c.base, first)
		first += 1 << bits
	}
	return c
}

// of is the code of a length.
func (c *codes) of(length int) uint8 {
	i := len(c.base) - 1
	for c.base[i] > length {
		i--
	}
	return uint8(i)
}

// recent are the last three offsets, which a sequence can name by number.
type recent [3]int

var recentAtFirst = recent{1, 4, 8}

// offset is what a sequence's number stands for, with or without literals before
// the match; it becomes the most recent one. RFC 8878 section 3.1.1.5.
func (r *recent) offset(number int, literals bool) int {
	if number > 3 {
		*r = recent{number - 3, r[0], r[1]}
		return r[0]
	}
	if !literals {
		number++
	}
	switch number {
	case 1:
	case 2:
		*r = recent{r[1], r[0], r[2]}
	case 3:
		*r = recent{r[2], r[0], r[1]}
	default:
		*r = recent{r[0] - 1, r[0], r[1]}
	}
	return r[0]
}

// number is the reverse of offset.
func (r *recent) number(offset int, literals bool) int {
	number := offset + 3
	for n := 3; n > 0; n-- {
		if try := *r; try.offset(n, literals) == offset {
			number = n
		}
	}
	r.offset(number, literals)
	return number
}

// readTables reads how the three alphabets are written in this block and gives
// what follows.
func (d *decoder) readTables(src []byte) ([]byte, error) {
	if len(src) == 0 {
		return nil, d.broken(src, cutOff("the modes of the sequences' tables"))
	}
	modes := src[0]
	if modes&3 != 0 {
		return nil, d.broken(src, corrupt("reserved bits of the sequences' modes are set"))
	}
	src = src[1:]
	for i := range kinds {
		kind, own := &kinds[i], &d.own[i]
		switch modes >> (6 - 2*i) & 3 {
		case modeDefault:
			d.use[i] = &kind.decode
		case modeOne:
			if len(src) == 0 {
				return nil, d.broken(src, cutOff("the one symbol of a table"))
			}
			if int(src[0]) >= kind.symbols {
				return nil, d.broken(src, corrupt("symbol %d of %d", src[0], kind.symbols))
			}
			own.always(src[0])
			d.use[i], src = own, src[1:]
		case modeTable:
			used, wrong := d.shares.read(src, kind.logMax, kind.symbols)
			if wrong != nil {
				return nil, d.broken(src, wrong)
			}
			own.fill(&d.shares)
			d.use[i], src = own, src[used:]
		case modeRepeat:
			if d.use[i] == nil {
				return nil, d.broken(src, corrupt("the table of an earlier block, and there is none"))
			}
		}
	}
	return src, nil
}

// The modes of a table.
const (
	modeDefault = iota
	modeOne
	modeTable
	modeRepeat
)

// run carries out n sequences: literals and matches, and at last the literals that
// are left.
func (d *decoder) run(src, literals []byte, n int) error {
	in, ok := newBackward(src)
	if !ok {
		return d.broken(src, corrupt("sequences without an end"))
	}
	var state [alphabets]int
	for i, t := range d.use {
		state[i] = in.read(t.log)
	}
	for ; n > 0; n-- {
		l, o, m := d.use[literalLengths].cell[state[literalLengths]], d.use[offsets].cell[state[offsets]], d.use[matchLengths].cell[state[matchLengths]]
		number := 1<<o.symbol + in.read(int(o.symbol))
		length := matchCodes.base[m.symbol] + in.read(int(matchCodes.extra[m.symbol]))
		fresh := literalCodes.base[l.symbol] + in.read(int(literalCodes.extra[l.symbol]))
		if n > 1 {
			state[literalLengths] = int(l.base) + in.read(int(l.bits))
			state[matchLengths] = int(m.base) + in.read(int(m.bits))
			state[offsets] = int(o.base) + in.read(int(o.bits))
		}
		if in.left < 0 {
			return d.broken(src, cutOff("%d of the block's sequences", n))
		}
		if fresh > len(literals) {
			return d.broken(src, corrupt("a sequence of %d literals, of which %d are left", fresh, len(literals)))
		}
		offset := d.recent.offset(number, fresh > 0)
		if reach := len(d.dst) + fresh - d.start; offset <= 0 || offset > min(reach, d.window) {
			return d.broken(src, corrupt("a match %d bytes back after %d bytes, in a window of %d", offset, reach, d.window))
		}
		if err := d.room(src, fresh+length); err != nil {
			return err
		}
		d.dst = append(d.dst, literals[:fresh]...)
		literals = literals[fresh:]
		d.copy(offset, length)
	}
	if in.left != 0 {
		return d.broken(src, corrupt("%d bits are left after the sequences", in.left))
	}
	if err := d.room(src, len(literals)); err != nil {
		return err
	}
	d.dst = append(d.dst, literals...)
	return nil
}

// copy appends length bytes from offset bytes back; they may overlap themselves.
func (d *decoder) copy(offset, length int) {
	for from := len(d.dst) - offset; length > 0; {
		part := d.dst[from:min(len(d.dst), from+length)]
		d.dst = append(d.dst, part...)
		length -= len(part)
	}
}

// room refuses n more bytes where block or limit have none for them.
func (d *decoder) room(src []byte, n int) error {
	if len(d.dst)+n-d.block > d.blockMax {
		return d.broken(src, corrupt("a block of more than %d bytes", d.blockMax))
	}
	if len(d.dst)+n > d.end {
		return d.broken(src, &flaw{record.ErrTooLarge, "it unpacks to more than the limit"})
	}
	return nil
}
