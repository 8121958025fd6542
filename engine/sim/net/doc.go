// Package net is the wires: one link for each direction between two processes,
// with latency, jitter, bandwidth, and cuts.
//
//	send at t ──> wait for the wire ──> n/bandwidth ──> latency + jitter ──> arrive
//	                                     └─ cut: lost; TCP sends it again at 0.2, 0.6, 1.4, 3.0... s after t
//
// It owns when bytes arrive. It refuses connections and their order (the
// kernel's) and what the bytes mean.
package net
