// Package compress makes every codec of Kafka available to record batches by being
// imported: gzip, snappy, lz4 and zstd.
//
// It owns how Kafka frames each of them. Snappy comes in blocks behind the header
// of snappy-java, as the Java client writes it, or bare, as some other clients do;
// the others are their standard frames.
//
//	gzip     one stream, RFC 1952
//	snappy   82 'SNAPPY' 00 | version 4 | compatible 4 | { size 4 | block }*
//	lz4      one frame, 64 KiB blocks that stand alone, no checksum but the header's
//	zstd     one frame with the content's size, no checksum: see package zstd
//
// What does not unpack is a *record.Broken: what is wrong, of which kind, and at
// which byte. The same bytes are packed to the same bytes on every machine.
//
// It refuses to choose: which codec a batch has is the producer's
// compression.type.
package compress
