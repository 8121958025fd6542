package full

import (
	"encoding/binary"
	"errors"

	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/record/compress"
)

// LZ4 is written here for the same reason as snappy, and because a library's many
// levels and streams weigh more in a browser than all of this package. The
// formats are lz4_Frame_format.md and lz4_Block_format.md. Checksums of frames are
// skipped: a record batch has its own.

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

var errLZ4 = errors.New("frame is cut off or broken")

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

func (lz4Codec) Decompress(dst, src []byte, limit int) ([]byte, error) {
	if len(src) < len(lz4Header) || binary.LittleEndian.Uint32(src) != 0x184d2204 || src[4]>>6 != 1 {
		return nil, errLZ4
	}
	flags := src[4]
	skip := 7
	if flags&8 != 0 { // content size
		skip += 8
	}
	if flags&1 != 0 { // dictionary id
		skip += 4
	}
	trailer := 0 // of a block: its checksum
	if flags&16 != 0 {
		trailer = 4
	}
	if len(src) < skip {
		return nil, errLZ4
	}
	start, end := len(dst), len(dst)+max(0, limit)
	for src = src[skip:]; ; {
		if len(src) < 4 {
			return nil, errLZ4
		}
		size := binary.LittleEndian.Uint32(src)
		if src = src[4:]; size == 0 {
			return dst, nil
		}
		n := int(size &^ lz4Stored)
		if n+trailer > len(src) {
			return nil, errLZ4
		}
		var err error
		if size&lz4Stored != 0 {
			if len(dst)+n > end {
				return nil, compress.ErrTooLarge
			}
			dst = append(dst, src[:n]...)
		} else if dst, err = lz4Unpack(dst, src[:n], start, end); err != nil {
			return nil, err
		}
		src = src[n+trailer:]
	}
}

// lz4Unpack appends what a block unpacks to. Matches may look back to start;
// nothing may go beyond end.
func lz4Unpack(dst, src []byte, start, end int) ([]byte, error) {
	for len(src) > 0 {
		token := int(src[0])
		lit, rest, ok := lz4ReadLength(token>>4, src[1:])
		switch {
		case !ok || lit > len(rest):
			return nil, errLZ4
		case len(dst)+lit > end:
			return nil, compress.ErrTooLarge
		}
		dst = append(dst, rest[:lit]...)
		if src = rest[lit:]; len(src) == 0 {
			return dst, nil
		}
		if len(src) < 2 {
			return nil, errLZ4
		}
		offset := int(binary.LittleEndian.Uint16(src))
		n, rest, ok := lz4ReadLength(token&15, src[2:])
		n += lz4MatchMin
		switch {
		case !ok || offset == 0 || offset > len(dst)-start:
			return nil, errLZ4
		case len(dst)+n > end:
			return nil, compress.ErrTooLarge
		}
		for ; n > 0; n-- { // a match may overlap itself
			dst = append(dst, dst[len(dst)-offset])
		}
		src = rest
	}
	return nil, errLZ4 // a block ends with literals
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
