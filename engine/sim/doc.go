// Package sim is the kernel: virtual clock, event queue, named random streams,
// connections, and the contract that every actor follows.
//
// An actor (a broker process, a controller process, a client process) is plain
// data with one way in: Step(now, input, out). What it wants done it says to
// Out; the kernel does it after Step has returned. No actor sees another one,
// a real clock, or a shared source of randomness.
//
//	         ┌────────── heap of (time, sequence) ──────────┐
//	pop ──> Input ──> Actor.Step ──> Out: Send Reply SetTimer Note ──> push
//
// The kernel stamps every effect with the event that caused it, so each note
// has a parent note; that chain is what "Why?" shows.
//
// It refuses to know Kafka: bodies are kmsg messages that it carries, sizes
// and delays, but never reads.
package sim
