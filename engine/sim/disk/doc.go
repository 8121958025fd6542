// Package disk is the time that a machine's disk takes. What is on it, and what
// of that is durable, the storage package knows; this package only says when an
// operation is done.
//
// A write goes to the page cache and takes WriteLatency (0 on a healthy
// machine: copying to memory). An fsync takes FsyncLatency and the bytes'
// time at Bandwidth. Writes queue behind writes, flushes behind flushes.
//
//	now ──Write(n)──> max(now, busy) + latency + n/bandwidth = done
package disk
