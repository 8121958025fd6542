//go:build js && wasm

package main

import (
	"runtime/debug"
	"runtime/metrics"
)

// The collector runs when the heap has grown to gcPercent over what was live, or
// nears a limit: a young run makes little garbage that lasts. Where a long run
// needs more than memoryLimit leaves it, the limit keeps a fifth above what is
// live, else the collector would run all the time.
const (
	gcPercent   = 300
	memoryLimit = 140 << 20
)

// memory is the collector's limit.
type memory struct {
	limit  int64
	pieces int // of running since the last look
	sample [1]metrics.Sample
}

// looksEvery is after how many pieces of running the limit is looked at.
const looksEvery = 256

func (m *memory) start() {
	m.limit = memoryLimit
	m.sample[0].Name = "/gc/heap/live:bytes"
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(m.limit)
}

// fit moves the limit with what is live. It is called for every piece of running.
func (m *memory) fit() {
	if m.pieces++; m.pieces < looksEvery {
		return
	}
	m.pieces = 0
	metrics.Read(m.sample[:])
	if m.sample[0].Value.Kind() != metrics.KindUint64 {
		return
	}
	live := int64(m.sample[0].Value.Uint64())
	if limit := max(memoryLimit, live+live/5); limit != m.limit {
		m.limit = limit
		debug.SetMemoryLimit(limit)
	}
}
