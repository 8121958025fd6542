package compress

import (
	"encoding/binary"

	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/record/compress/xxhash"
)

// LZ4 is written here for the same reason as snappy, and because a library's many
// levels and streams weigh more in a browser than all of this package. The
// formats are lz4_Frame_format.md and lz4_Block_format.md. Frames are written without
// checksums but that of the header: a record batch has its own.

func init() { record.RegisterCodec(record.CodecLZ4, lz4Codec{}) }

type lz4Codec struct{}

// lz4Header begins a frame: magic, blocks that stand alone, of at most 64 KiB,
// without checksums or content size; the last byte is the header's checksum.
var lz4Header = []byte{0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82}

const (
	lz4Block      = 64 << 10
	lz4HashBits   = 13
	lz4MatchMin   = 4
	lz4LastLits   = 5  // a block ends with so many literals at least
	lz4LastSearch = 12 // no match begins in the last so many bytes
	lz4Stored     = 1 << 31
)

func (lz4Codec) Compress(dst, src []byte) []byte {
	dst = append(dst, lz4Header...)
	for len(src) > 0 {
		n := min(len(src), lz4Block)
		at := len(dst)
		dst = lz4Pack(append(dst, 0, 0, 0, 0), src[:n])
		size := uint32(len(dst) - at - 4)
		if size >= uint32(n) {
			dst = append(dst[:at+4], src[:n]...)
			size = uint32(n) | lz4Stored
		}
		binary.LittleEndian.PutUint32(dst[at:], size)
		src = src[n:]
	}
	return append(dst, 0, 0, 0, 0)
}

// lz4Pack appends one block: greedy matches of at least 4 bytes, found by a table
// of hashes.
func lz4Pack(dst, src []byte) []byte {
	var table [1 << lz4HashBits]int32 // position + 1; 0: none
	from := 0
	for i := 0; i+lz4LastSearch < len(src); {
		v := binary.LittleEndian.Uint32(src[i:])
		slot := &table[v*2654435761>>(32-lz4HashBits)]
		j := int(*slot) - 1
		*slot = int32(i + 1)
		if j < 0 || i-j > 65535 || binary.LittleEndian.Uint32(src[j:]) != v {
			i++
			continue
		}
		n := lz4MatchMin
		for i+n < len(src)-lz4LastLits && src[j+n] == src[i+n] {
			n++
		}
		dst = lz4Sequence(dst, src[from:i], i-j, n)
		i += n
		from = i
	}
	return lz4Sequence(dst, src[from:], 0, 0)
}

// lz4Sequence appends literals and a match; offset 0 is the block's end.
func lz4Sequence(dst, lit []byte, offset, n int) []byte {
	at := len(dst)
	dst = append(dst, byte(min(len(lit), 15))<<4)
	dst = lz4Length(dst, len(lit))
	dst = append(dst, lit...)
	if offset == 0 {
		return dst
	}
	dst[at] |= byte(min(n-lz4MatchMin, 15))
	dst = append(dst, byte(offset), byte(offset>>8))
	return lz4Length(dst, n-lz4MatchMin)
}

// lz4Length appends what of a length does not fit into the token.
func lz4Length(dst []byte, n int) []byte {
	if n < 15 {
		return dst
	}
	for n -= 15; n >= 255; n -= 255 {
		dst = append(dst, 255)
	}
	return append(dst, byte(n))
}

// The flags of a frame's descriptor.
const (
	lz4Dictionary  = 1
	lz4ContentSum  = 4
	lz4ContentSize = 8
	lz4BlockSum    = 16
)

func (lz4Codec) Decompress(dst, src []byte, limit int) ([]byte, error) {
	all := src
	src, flags, err := lz4ReadHeader(src)
	if err != nil {
		return nil, err
	}
	start, end := len(dst), len(dst)+max(0, limit)
	for {
		if len(src) < 4 {
			return nil, record.NewBroken(all, src, record.ErrCutOff, "the size of a block")
		}
		size := binary.LittleEndian.Uint32(src)
		if size == 0 {
			src = src[4:]
			break
		}
		n, trailer := int(size&^lz4Stored), 0
		if flags&lz4BlockSum != 0 {
			trailer = 4
		}
		if n+trailer > len(src)-4 {
			return nil, record.NewBroken(all, src, record.ErrCutOff, "a block of %d bytes, of which %d are there", n, len(src)-4)
		}
		block := src[4 : 4+n]
		if src = src[4+n:]; trailer > 0 {
			if err := lz4Check(all, src, xxhash.Sum32(block), "the block"); err != nil {
				return nil, err
			}
			src = src[4:]
		}
		if size&lz4Stored == 0 {
			if dst, err = lz4Unpack(dst, all, block, start, end); err != nil {
				return nil, err
			}
			continue
		}
		if len(dst)+n > end {
			return nil, record.NewBroken(all, block, record.ErrTooLarge, "more than %d bytes", limit)
		}
		dst = append(dst, block...)
	}
	if flags&lz4ContentSum != 0 {
		if len(src) < 4 {
			return nil, record.NewBroken(all, src, record.ErrCutOff, "the content's checksum")
		}
		if err := lz4Check(all, src, xxhash.Sum32(dst[start:]), "the content"); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// lz4Check compares the checksum at the begin of src.
func lz4Check(all, src []byte, got uint32, what string) error {
	if want := binary.LittleEndian.Uint32(src); want != got {
		return record.NewBroken(all, src, record.ErrChecksum, "that of %s is %08x, not %08x", what, got, want)
	}
	return nil
}

// lz4ReadHeader reads a frame's header and gives what follows, and its flags.
func lz4ReadHeader(src []byte) (rest []byte, flags byte, err error) {
	if len(src) < len(lz4Header) {
		return nil, 0, record.NewBroken(src, src, record.ErrCutOff, "the frame's header")
	}
	if number := binary.LittleEndian.Uint32(src); number != 0x184d2204 {
		return nil, 0, record.NewBroken(src, src, record.ErrCorrupt, "the magic number is %08x, not 184d2204", number)
	}
	flags = src[4]
	size := len(lz4Header)
	if flags&lz4ContentSize != 0 {
		size += 8
	}
	switch {
	case flags>>6 != 1:
		return nil, 0, record.NewBroken(src, src[4:], record.ErrUnsupported, "version %d of the frame, not 1", flags>>6)
	case flags&lz4Dictionary != 0:
		return nil, 0, record.NewBroken(src, src[4:], record.ErrUnsupported, "the frame needs a dictionary; a batch has to be packed without one")
	case len(src) < size:
		return nil, 0, record.NewBroken(src, src, record.ErrCutOff, "the frame's header")
	}
	if want, got := src[size-1], byte(xxhash.Sum32(src[4:size-1])>>8); want != got {
		return nil, 0, record.NewBroken(src, src[size-1:], record.ErrChecksum, "that of the header is %02x, not %02x", got, want)
	}
	return src[size:], flags, nil
}

// lz4Unpack appends what a block, a part of all, unpacks to. Matches may look back
// to start; nothing may go beyond end.
func lz4Unpack(dst, all, src []byte, start, end int) ([]byte, error) {
	for len(src) > 0 {
		token := int(src[0])
		lit, rest, ok := lz4ReadLength(token>>4, src[1:])
		switch {
		case !ok || lit > len(rest):
			return nil, record.NewBroken(all, src, record.ErrCutOff, "the literals of a sequence")
		case len(dst)+lit > end:
			return nil, record.NewBroken(all, src, record.ErrTooLarge, "more than %d bytes", end-start)
		}
		dst = append(dst, rest[:lit]...)
		if src = rest[lit:]; len(src) == 0 {
			return dst, nil
		}
		if len(src) < 2 {
			return nil, record.NewBroken(all, src, record.ErrCutOff, "the offset of a match")
		}
		offset := int(binary.LittleEndian.Uint16(src))
		n, rest, ok := lz4ReadLength(token&15, src[2:])
		n += lz4MatchMin
		switch {
		case !ok:
			return nil, record.NewBroken(all, src, record.ErrCutOff, "the length of a match")
		case offset == 0 || offset > len(dst)-start:
			return nil, record.NewBroken(all, src, record.ErrCorrupt, "a match %d bytes back after %d bytes", offset, len(dst)-start)
		case len(dst)+n > end:
			return nil, record.NewBroken(all, src, record.ErrTooLarge, "more than %d bytes", end-start)
		}
		dst, src = appendCopy(dst, offset, n), rest
	}
	return nil, record.NewBroken(all, src, record.ErrCutOff, "a block that does not end with literals")
}

func lz4ReadLength(n int, src []byte) (length int, rest []byte, ok bool) {
	if n < 15 {
		return n, src, true
	}
	for len(src) > 0 && n < 1<<30 {
		c := src[0]
		n, src = n+int(c), src[1:]
		if c < 255 {
			return n, src, true
		}
	}
	return 0, nil, false
}
