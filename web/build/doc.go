// Command build writes the static site. See package site for what is in it.
//
//	go run ./web/build            the site to host, everything precompressed
//	go run ./web/build -fast      the same site for trying things out
//	go run ./web/build -size      sizes beside the two empty programs
//
// It owns the flags and nothing else.
package main
