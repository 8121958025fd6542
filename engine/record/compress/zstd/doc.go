// Package zstd packs and unpacks Zstandard frames (RFC 8878), for the records of a
// batch with compression.type=zstd (KIP-110).
//
// Words: a frame is a sequence of blocks. A compressed block is literals, bytes
// that are new, and sequences; a sequence is so many literals followed by a match,
// a copy of so many bytes from so far back. Literals are written with a Huffman
// code, the lengths and offsets of sequences with FSE, a code whose lengths are
// fractions of bits (a state machine of 2^n states).
//
//	Pack:    bytes ─match.go─> literals, sequences ─huffman_pack.go, fse_pack.go─> block ─pack.go─> frame
//	Unpack:  frame ─unpack.go─> block ─huffman.go, fse.go, sequences.go─> bytes
//
// It owns the whole format for reading: every kind of block, of literals and of
// tables, skippable frames, several frames, windows up to 128 MiB as libzstd reads
// them by default, and the checksum. It writes one frame with the content's size
// and without a checksum, because a record batch has one; about as small as
// libzstd does at its default level. The same bytes come out on every machine:
// there is no assembly, no map, no float.
//
// It refuses dictionaries, since no Kafka client uses them.
package zstd
