// Package full makes every codec of Kafka available to record batches by being
// imported: gzip, snappy, lz4 and, but in a browser, zstd, which would add 200 kB
// to the page's download.
//
// It owns how Kafka frames each of them. Snappy comes in blocks behind the
// header of snappy-java, as the Java client writes it, or bare, as some other
// clients do; lz4 and zstd are their standard frames.
//
//	snappy   82 'SNAPPY' 00 | version 4 | compatible 4 | { size 4 | block }*
//	lz4      one frame, 64 KiB blocks that stand alone, no content checksum
//	zstd     one frame
//
// It refuses to choose: which codec a batch has is the producer's
// compression.type.
package full
