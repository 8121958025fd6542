// Command serve serves a built site on this machine:
//
//	go run ./web/serve -dir web/dist -addr localhost:8080
//
// It owns flags and listening; package static does the rest. Any other static
// file server serves the same site.
package main
