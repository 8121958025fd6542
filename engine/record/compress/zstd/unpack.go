package zstd

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/record/compress/xxhash"
)

const (
	magic        = 0xfd2fb528
	skippable    = 0x184d2a50 // and 15 more
	blockSizeMax = 128 << 10
	windowMax    = 128 << 20 // ZSTD_WINDOWLOG_LIMIT_DEFAULT of libzstd is 27
)

// The types of a block.
const (
	blockRaw = iota
	blockRepeated
	blockPacked
	blockReserved
)

// flaw is what is wrong with a part of a frame.
type flaw struct {
	kind error
	what string
}

func corrupt(format string, args ...any) *flaw {
	return &flaw{record.ErrCorrupt, fmt.Sprintf(format, args...)}
}

func cutOff(format string, args ...any) *flaw {
	return &flaw{record.ErrCutOff, fmt.Sprintf(format, args...)}
}

// decoder is at work on one frame after the other.
type decoder struct {
	src   []byte // everything
	dst   []byte
	start int // where the frame begins in dst
	block int // where the block begins in dst
	end   int // where dst must end

	window, blockMax int
	checked          bool   // the frame has a checksum
	literals         []byte // of the block; used again
	huffman          huffman
	own              [alphabets]table
	use              [alphabets]*table // of the latest block with sequences
	recent           recent
	shares           shares
}

// Unpack appends what the frames in src stand for to dst. It fails with a
// *record.Broken, and with one of the kind record.ErrTooLarge rather than append
// more than limit bytes.
func Unpack(dst, src []byte, limit int) ([]byte, error) {
	d := &decoder{src: src, dst: dst, end: len(dst) + max(0, limit)}
	if len(src) == 0 {
		return nil, d.broken(src, cutOff("no frame"))
	}
	for len(src) > 0 {
		var err error
		if src, err = d.frame(src); err != nil {
			return nil, err
		}
	}
	return d.dst, nil
}

// broken tells of a flaw in a part of src.
func (d *decoder) broken(part []byte, f *flaw) error {
	return record.NewBroken(d.src, part, f.kind, "%s", f.what)
}

// frame appends one frame and gives what follows it.
func (d *decoder) frame(src []byte) ([]byte, error) {
	if len(src) < 4 {
		return nil, d.broken(src, cutOff("the magic number of a frame"))
	}
	number := binary.LittleEndian.Uint32(src)
	if number&^15 == skippable {
		if len(src) < 8 || uint64(binary.LittleEndian.Uint32(src[4:])) > uint64(len(src)-8) {
			return nil, d.broken(src, cutOff("a frame to skip"))
		}
		return src[8+int(binary.LittleEndian.Uint32(src[4:])):], nil
	}
	if number != magic {
		return nil, d.broken(src, corrupt("the magic number is %08x, not %08x", number, uint32(magic)))
	}
	d.start, d.recent, d.use, d.huffman.log = len(d.dst), recentAtFirst, [alphabets]*table{}, 0
	begin := src
	size, src, err := d.header(src[4:])
	if err != nil {
		return nil, err
	}
	d.dst = slices.Grow(d.dst, int(min(max(0, size), blockSizeMax)))
	for last := false; !last; {
		if src, last, err = d.nextBlock(src); err != nil {
			return nil, err
		}
	}
	if got := len(d.dst) - d.start; size >= 0 && size != int64(got) {
		return nil, d.broken(begin, corrupt("a frame of %d bytes unpacks to %d", size, got))
	}
	if !d.checked {
		return src, nil
	}
	if len(src) < 4 {
		return nil, d.broken(src, cutOff("the frame's checksum"))
	}
	want, got := binary.LittleEndian.Uint32(src), uint32(xxhash.Sum64(d.dst[d.start:]))
	if want != got {
		return nil, d.broken(src, &flaw{record.ErrChecksum, fmt.Sprintf("the frame's is %08x, its content's is %08x", want, got)})
	}
	return src[4:], nil
}

// The flags of a frame's descriptor, RFC 8878 section 3.1.1.1.1.
const (
	flagDictionary = 3
	flagChecksum   = 4
	flagReserved   = 8
	flagSingle     = 32 // no window: all of the content is one
)

// header reads a frame's header, RFC 8878 section 3.1.1.1, and gives the size of
// the content, -1 if it is not known.
func (d *decoder) header(src []byte) (size int64, rest []byte, err error) {
	if len(src) == 0 {
		return 0, nil, d.broken(src, cutOff("the frame's descriptor"))
	}
	begin, f := src, src[0]
	single := f&flagSingle != 0
	windowBytes, idBytes, sizeBytes := 1, [4]int{0, 1, 2, 4}[f&flagDictionary], [4]int{0, 2, 4, 8}[f>>6]
	if single {
		windowBytes, sizeBytes = 0, max(1, sizeBytes)
	}
	switch src = src[1:]; {
	case f&flagReserved != 0:
		return 0, nil, d.broken(begin, corrupt("the reserved bit of the frame's descriptor is set"))
	case len(src) < windowBytes+idBytes+sizeBytes:
		return 0, nil, d.broken(begin, cutOff("the frame's header"))
	}
	var window uint64
	if !single {
		window = 1 << (10 + src[0]>>3)
		window += window / 8 * uint64(src[0]&7)
		src = src[1:]
	}
	if id := little(src[:idBytes]); id != 0 {
		return 0, nil, d.broken(src, &flaw{record.ErrUnsupported, fmt.Sprintf("the frame needs dictionary %d; a batch has to be packed without one", id)})
	}
	content := little(src[idBytes : idBytes+sizeBytes])
	if sizeBytes == 2 {
		content += 256
	}
	if size = int64(content); sizeBytes == 0 {
		size = -1
	}
	if single {
		window = content
	}
	switch {
	case size >= 0 && content > uint64(d.end-len(d.dst)) || size < -1:
		return 0, nil, d.broken(src, &flaw{record.ErrTooLarge, fmt.Sprintf("a frame of %d bytes, and the limit leaves %d", content, d.end-len(d.dst))})
	case window > windowMax:
		return 0, nil, d.broken(begin, &flaw{record.ErrUnsupported, fmt.Sprintf("a window of %d bytes, of at most %d", window, windowMax)})
	}
	d.checked = f&flagChecksum != 0
	d.window, d.blockMax = int(window), min(int(window), blockSizeMax)
	return size, src[idBytes+sizeBytes:], nil
}

// little is a number of up to 8 bytes, the lowest first.
func little(b []byte) (v uint64) {
	for i := len(b) - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v
}

// nextBlock appends one block and gives what follows it.
func (d *decoder) nextBlock(src []byte) (rest []byte, last bool, err error) {
	if len(src) < 3 {
		return nil, false, d.broken(src, cutOff("the header of a block"))
	}
	head := int(little(src[:3]))
	begin, kind, n := src, head>>1&3, head>>3
	stored := n
	if kind == blockRepeated {
		stored = 1
	}
	switch src = src[3:]; {
	case kind == blockReserved:
		return nil, false, d.broken(begin, corrupt("a block of the reserved type"))
	case n > d.blockMax:
		return nil, false, d.broken(begin, corrupt("a block of %d bytes, of at most %d", n, d.blockMax))
	case stored > len(src):
		return nil, false, d.broken(begin, cutOff("a block of %d bytes, of which %d are there", stored, len(src)))
	}
	d.block = len(d.dst)
	switch kind {
	case blockPacked:
		err = d.packed(src[:n])
	case blockRaw:
		if err = d.room(begin, n); err == nil {
			d.dst = append(d.dst, src[:n]...)
		}
	case blockRepeated:
		if err = d.room(begin, n); err == nil && n > 0 {
			d.dst = append(d.dst, src[0])
			d.copy(1, n-1)
		}
	}
	return src[stored:], head&1 != 0, err
}

// packed appends a compressed block.
func (d *decoder) packed(src []byte) error {
	literals, src, err := d.readLiterals(src)
	if err != nil {
		return err
	}
	n, used := countSequences(src)
	if used == 0 {
		return d.broken(src, cutOff("the number of sequences"))
	}
	if src = src[used:]; n > 0 {
		if src, err = d.readTables(src); err != nil {
			return err
		}
		return d.run(src, literals, n)
	}
	if len(src) > 0 {
		return d.broken(src, corrupt("%d bytes after the last literal", len(src)))
	}
	if err := d.room(src, len(literals)); err != nil {
		return err
	}
	d.dst = append(d.dst, literals...)
	return nil
}

// countSequences reads a number of sequences and how many bytes it takes, 0 if it
// is cut off.
func countSequences(src []byte) (n, used int) {
	switch {
	case len(src) == 0:
	case src[0] < 128:
		return int(src[0]), 1
	case src[0] < 255 && len(src) > 1:
		return int(src[0]-128)<<8 | int(src[1]), 2
	case src[0] == 255 && len(src) > 2:
		return int(little(src[1:3])) + sequencesLong, 3
	}
	return 0, 0
}

// sequencesLong is the least number of sequences that takes three bytes.
const sequencesLong = 0x7f00

// The types of literals.
const (
	literalsRaw = iota
	literalsRepeated
	literalsPacked
	literalsAgain // packed, with the table of an earlier block
)

// readLiterals reads the literals of a block, RFC 8878 section 3.1.1.3.1, and gives
// what follows them.
func (d *decoder) readLiterals(src []byte) (literals, rest []byte, err error) {
	if len(src) == 0 {
		return nil, nil, d.broken(src, cutOff("the header of literals"))
	}
	begin, kind, format := src, src[0]&3, src[0]>>2&3
	if kind >= literalsPacked {
		return d.readPacked(src, kind == literalsAgain, int(format))
	}
	head := [4]int{1, 2, 1, 3}[format]
	if len(src) < head {
		return nil, nil, d.broken(begin, cutOff("the header of literals"))
	}
	n := int(little(src[:head])) >> [4]int{3, 4, 3, 4}[format]
	stored := n
	if kind == literalsRepeated {
		stored = 1
	}
	switch src = src[head:]; {
	case n > d.blockMax:
		return nil, nil, d.broken(begin, corrupt("%d literals in a block of at most %d bytes", n, d.blockMax))
	case stored > len(src):
		return nil, nil, d.broken(begin, cutOff("%d bytes of literals, of which %d are there", stored, len(src)))
	case kind == literalsRaw:
		return src[:n], src[n:], nil
	}
	literals = d.scratch(n)
	for i := range literals {
		literals[i] = src[0]
	}
	return literals, src[1:], nil
}

// scratch is room for n literals.
func (d *decoder) scratch(n int) []byte {
	if n > cap(d.literals) {
		d.literals = make([]byte, n)
	}
	return d.literals[:n]
}

// readPacked reads literals that are written with a Huffman code, in one stream or
// in four.
func (d *decoder) readPacked(src []byte, again bool, format int) (literals, rest []byte, err error) {
	head, width := [4]int{3, 3, 4, 5}[format], [4]int{10, 10, 14, 18}[format]
	if len(src) < head {
		return nil, nil, d.broken(src, cutOff("the header of literals"))
	}
	sizes := int64(little(src[:head])) >> 4
	n, stored := int(sizes&(1<<width-1)), int(sizes>>width)
	begin := src
	switch src = src[head:]; {
	case n > d.blockMax:
		return nil, nil, d.broken(begin, corrupt("%d literals in a block of at most %d bytes", n, d.blockMax))
	case stored > len(src):
		return nil, nil, d.broken(begin, cutOff("%d bytes of literals, of which %d are there", stored, len(src)))
	case again && d.huffman.log == 0:
		return nil, nil, d.broken(begin, corrupt("the Huffman table of an earlier block, and there is none"))
	}
	src, rest = src[:stored], src[stored:]
	if !again {
		used, wrong := d.huffman.read(src)
		if wrong != nil {
			return nil, nil, d.broken(src, wrong)
		}
		src = src[used:]
	}
	literals = d.scratch(n)
	if format == 0 {
		if wrong := d.huffman.decode(literals, src); wrong != nil {
			return nil, nil, d.broken(src, wrong)
		}
		return literals, rest, nil
	}
	return literals, rest, d.fourStreams(literals, src)
}

// fourStreams reads literals in four streams: a quarter each, and the sizes of the
// first three before them.
func (d *decoder) fourStreams(literals, src []byte) error {
	const jumps = 6
	quarter := (len(literals) + 3) / 4
	if len(src) < jumps {
		return d.broken(src, cutOff("the sizes of four streams"))
	}
	if 3*quarter > len(literals) {
		return d.broken(src, corrupt("four streams for %d literals", len(literals)))
	}
	streams := src[jumps:]
	for i := range 4 {
		size, n := len(streams), len(literals)
		if i < 3 {
			size, n = int(binary.LittleEndian.Uint16(src[2*i:])), quarter
		}
		if size > len(streams) {
			return d.broken(src, cutOff("stream %d of four has %d bytes, of which %d are there", i+1, size, len(streams)))
		}
		if wrong := d.huffman.decode(literals[:n], streams[:size]); wrong != nil {
			return d.broken(streams, wrong)
		}
		literals, streams = literals[n:], streams[size:]
	}
	return nil
}
