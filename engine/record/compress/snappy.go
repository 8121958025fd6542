package compress

import (
	"bytes"
	"encoding/binary"

	"github.com/highwater-sim/highwater/engine/record"
)

// Snappy is written here because the libraries pack with assembly that finds
// other matches than their Go code does: the same scenario would give other bytes
// natively than in a browser. The format is Google's format_description.txt in
// the frame of snappy-java.

func init() { record.RegisterCodec(record.CodecSnappy, snappyCodec{}) }

type snappyCodec struct{}

// xerial is the header of snappy-java's stream: magic, version 1, compatible 1.
var xerial = []byte{0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0, 0, 0, 0, 1, 0, 0, 0, 1}

// snappyBlock is the block size of the Java client, in bytes.
const snappyBlock = 32 << 10

func (snappyCodec) Compress(dst, src []byte) []byte {
	dst = append(dst, xerial...)
	for len(src) > 0 {
		n := min(len(src), snappyBlock)
		at := len(dst)
		dst = snappyPack(append(dst, 0, 0, 0, 0), src[:n])
		binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
		src = src[n:]
	}
	return dst
}

func (snappyCodec) Decompress(dst, src []byte, limit int) ([]byte, error) {
	if !bytes.HasPrefix(src, xerial[:8]) {
		return snappyUnpack(dst, src, src, limit)
	}
	all := src
	if len(src) < len(xerial) {
		return nil, record.NewBroken(all, src, record.ErrCutOff, "the header of snappy-java's stream")
	}
	start := len(dst)
	for src = src[len(xerial):]; len(src) > 0; {
		if len(src) < 4 {
			return nil, record.NewBroken(all, src, record.ErrCutOff, "the size of a block")
		}
		n := int64(binary.BigEndian.Uint32(src))
		if n > int64(len(src)-4) {
			return nil, record.NewBroken(all, src, record.ErrCutOff, "a block of %d bytes, of which %d are there", n, len(src)-4)
		}
		var err error
		if dst, err = snappyUnpack(dst, all, src[4:4+n], limit-(len(dst)-start)); err != nil {
			return nil, err
		}
		src = src[4+n:]
	}
	return dst, nil
}

const (
	snappyHashBits = 12
	snappyMatchMin = 4
)

// snappyPack appends one block: its length, then literals and copies. It looks
// for matches of at least 4 bytes greedily, by a table of hashes; a block is at
// most 32 KiB, so every offset fits into two bytes.
func snappyPack(dst, src []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(src)))
	var table [1 << snappyHashBits]uint16 // position + 1; 0: none
	from := 0
	for i := 0; i+snappyMatchMin <= len(src); {
		v := binary.LittleEndian.Uint32(src[i:])
		slot := &table[v*0x1e35a7bd>>(32-snappyHashBits)]
		j := int(*slot) - 1
		*slot = uint16(i + 1)
		if j < 0 || binary.LittleEndian.Uint32(src[j:]) != v {
			i++
			continue
		}
		n := snappyMatchMin
		for i+n < len(src) && src[j+n] == src[i+n] {
			n++
		}
		dst = snappyLiteral(dst, src[from:i])
		dst = snappyCopy(dst, i-j, n)
		i += n
		from = i
	}
	return snappyLiteral(dst, src[from:])
}

func snappyLiteral(dst, lit []byte) []byte {
	switch n := len(lit) - 1; {
	case n < 0:
		return dst
	case n < 60:
		dst = append(dst, byte(n)<<2)
	case n < 1<<8:
		dst = append(dst, 60<<2, byte(n))
	default:
		dst = append(dst, 61<<2, byte(n), byte(n>>8))
	}
	return append(dst, lit...)
}

// snappyCopy appends copies with 2-byte offsets of at most 64 bytes each.
func snappyCopy(dst []byte, offset, n int) []byte {
	for ; n > 0; n -= 64 {
		dst = append(dst, byte(min(n, 64)-1)<<2|2, byte(offset), byte(offset>>8))
	}
	return dst
}

// snappyUnpack appends what one block, a part of all, unpacks to.
func snappyUnpack(dst, all, src []byte, limit int) ([]byte, error) {
	want, n := binary.Uvarint(src)
	switch {
	case n == 0:
		return nil, record.NewBroken(all, src, record.ErrCutOff, "the size of a block's content")
	case n < 0 || want > 1<<32-1:
		return nil, record.NewBroken(all, src, record.ErrCorrupt, "the size of a block's content has more than 32 bits")
	case want > uint64(max(0, limit)):
		return nil, record.NewBroken(all, src, record.ErrTooLarge, "a block of %d bytes, and the limit leaves %d", want, max(0, limit))
	}
	start := len(dst)
	end := start + int(want)
	for src = src[n:]; len(src) > 0; {
		size, offset, used := snappyElement(src)
		if used == 0 {
			return nil, record.NewBroken(all, src, record.ErrCutOff, "the tag of a literal or a copy")
		}
		if len(dst)+size > end {
			return nil, record.NewBroken(all, src, record.ErrCorrupt, "more than the %d bytes that the block announces", want)
		}
		if src[0]&3 == 0 {
			if size > len(src)-used {
				return nil, record.NewBroken(all, src, record.ErrCutOff, "a literal of %d bytes, of which %d are there", size, len(src)-used)
			}
			dst, src = append(dst, src[used:used+size]...), src[used+size:]
			continue
		}
		if offset <= 0 || offset > len(dst)-start {
			return nil, record.NewBroken(all, src, record.ErrCorrupt, "a copy from %d bytes back after %d bytes", offset, len(dst)-start)
		}
		dst, src = appendCopy(dst, offset, size), src[used:]
	}
	if len(dst) != end {
		return nil, record.NewBroken(all, src, record.ErrCutOff, "a block of %d bytes ends after %d", want, len(dst)-start)
	}
	return dst, nil
}

// appendCopy appends n bytes from offset bytes back; they may overlap themselves.
func appendCopy(dst []byte, offset, n int) []byte {
	for from := len(dst) - offset; n > 0; {
		part := dst[from:min(len(dst), from+n)]
		dst = append(dst, part...)
		n -= len(part)
	}
	return dst
}

// snappyElement reads a tag: how many bytes it stands for, how far back a copy
// looks, and how long the tag is; 0 if it is cut off.
func snappyElement(src []byte) (size, offset, used int) {
	tag := src[0]
	extra := [4]int{0, 1, 2, 4}[tag&3]
	if tag&3 == 0 && tag>>2 >= 60 {
		extra = int(tag>>2) - 59
	}
	if len(src) < 1+extra {
		return 0, 0, 0
	}
	n := 0
	for k := extra; k > 0; k-- {
		n = n<<8 | int(src[k])
	}
	switch tag & 3 {
	case 0:
		if extra == 0 {
			n = int(tag >> 2)
		}
		return n + 1, 0, 1 + extra
	case 1:
		return int(tag>>2&7) + 4, int(tag>>5)<<8 | n, 2
	}
	return int(tag>>2) + 1, n, 1 + extra
}
