package xxhash

import (
	"encoding/binary"
	"math/bits"
)

// The primes of xxhash_spec.md, "XXH32 algorithm description" and "XXH64".
const (
	prime32a uint32 = 0x9e3779b1
	prime32b uint32 = 0x85ebca77
	prime32c uint32 = 0xc2b2ae3d
	prime32d uint32 = 0x27d4eb2f
	prime32e uint32 = 0x165667b1

	prime64a uint64 = 0x9e3779b185ebca87
	prime64b uint64 = 0xc2b2ae3d27d4eb4f
	prime64c uint64 = 0x165667b19e3779f9
	prime64d uint64 = 0x85ebca77c2b2ae63
	prime64e uint64 = 0x27d4eb2f165667c5
)

// Sum32 is XXH32 of b with seed 0, which lz4 frames carry.
func Sum32(b []byte) uint32 {
	h, size := prime32e, uint32(len(b))
	if len(b) >= 16 {
		var lane [4]uint32
		lane[0], lane[1] = prime32a, prime32b
		lane[0] += prime32b
		lane[3] -= prime32a
		for ; len(b) >= 16; b = b[16:] {
			for i := range lane {
				lane[i] = bits.RotateLeft32(lane[i]+binary.LittleEndian.Uint32(b[4*i:])*prime32b, 13) * prime32a
			}
		}
		h = bits.RotateLeft32(lane[0], 1) + bits.RotateLeft32(lane[1], 7) + bits.RotateLeft32(lane[2], 12) + bits.RotateLeft32(lane[3], 18)
	}
	h += size
	for ; len(b) >= 4; b = b[4:] {
		h = bits.RotateLeft32(h+binary.LittleEndian.Uint32(b)*prime32c, 17) * prime32d
	}
	for _, c := range b {
		h = bits.RotateLeft32(h+uint32(c)*prime32e, 11) * prime32a
	}
	h = (h ^ h>>15) * prime32b
	h = (h ^ h>>13) * prime32c
	return h ^ h>>16
}

// Sum64 is XXH64 of b with seed 0, of which zstd frames carry the lower half.
func Sum64(b []byte) uint64 {
	h, size := prime64e, uint64(len(b))
	if len(b) >= 32 {
		var lane [4]uint64
		lane[0], lane[1] = prime64a, prime64b
		lane[0] += prime64b
		lane[3] -= prime64a
		for ; len(b) >= 32; b = b[32:] {
			for i := range lane {
				lane[i] = round64(lane[i], binary.LittleEndian.Uint64(b[8*i:]))
			}
		}
		h = bits.RotateLeft64(lane[0], 1) + bits.RotateLeft64(lane[1], 7) + bits.RotateLeft64(lane[2], 12) + bits.RotateLeft64(lane[3], 18)
		for _, v := range lane {
			h = (h^round64(0, v))*prime64a + prime64d
		}
	}
	h += size
	for ; len(b) >= 8; b = b[8:] {
		h = bits.RotateLeft64(h^round64(0, binary.LittleEndian.Uint64(b)), 27)*prime64a + prime64d
	}
	if len(b) >= 4 {
		h = bits.RotateLeft64(h^uint64(binary.LittleEndian.Uint32(b))*prime64a, 23)*prime64b + prime64c
		b = b[4:]
	}
	for _, c := range b {
		h = bits.RotateLeft64(h^uint64(c)*prime64e, 11) * prime64a
	}
	h = (h ^ h>>33) * prime64b
	h = (h ^ h>>29) * prime64c
	return h ^ h>>32
}

func round64(lane, v uint64) uint64 {
	return bits.RotateLeft64(lane+v*prime64b, 31) * prime64a
}
