// Package compress makes gzip available to record batches by being imported.
//
// It owns the one codec that the standard library has, so that the browser's
// program can be small. It refuses the heavy ones: snappy, lz4 and zstd are in
// compress/full.
//
//	record ──registry──< compress (gzip) < compress/full (snappy, lz4, zstd)
package compress
