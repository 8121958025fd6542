// Package xxhash computes XXH32 and XXH64, the checksums of lz4 and zstd frames.
//
// It owns the two sums with seed 0 over bytes at hand; it refuses seeds and
// streams, which no frame needs. The algorithm is xxhash_spec.md of the xxHash
// project.
package xxhash
