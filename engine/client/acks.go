package client

import (
	"encoding/binary"
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
)

const ackChunkBytes = 4096

// Acks lists the records of one partition that were acked at a known offset,
// in the order of the acks. Chunks are append-only, so that clones share them.
type Acks struct {
	chunks [][]byte
	count  int64
	lastID int64
	last   kafka.Offset
}

// Add appends one record.
func (a *Acks) Add(id int64, at kafka.Offset) {
	n := len(a.chunks)
	if n == 0 || len(a.chunks[n-1]) > ackChunkBytes-2*binary.MaxVarintLen64 {
		a.chunks = append(a.chunks, make([]byte, 0, 64))
		n++
	}
	c := binary.AppendVarint(a.chunks[n-1], id-a.lastID)
	a.chunks[n-1] = binary.AppendVarint(c, int64(at-a.last))
	a.lastID, a.last = id, at
	a.count++
}

// Len is how many records are listed.
func (a *Acks) Len() int64 { return a.count }

// Each calls yield with every record until it returns false.
func (a *Acks) Each(yield func(id int64, at kafka.Offset) bool) {
	var id, at int64
	for _, c := range a.chunks {
		for len(c) > 0 {
			d, n := binary.Varint(c)
			e, m := binary.Varint(c[n:])
			id, at, c = id+d, at+e, c[n+m:]
			if !yield(id, kafka.Offset(at)) {
				return
			}
		}
	}
}

// Clone returns a copy that shares what is listed so far.
func (a *Acks) Clone() Acks {
	b := *a
	b.chunks = slices.Clone(a.chunks)
	if n := len(b.chunks); n > 0 {
		b.chunks[n-1] = slices.Clip(b.chunks[n-1]) // the original goes on in the same memory
	}
	return b
}

// Digest writes the list.
func (a *Acks) Digest(h *sim.Hash) {
	h.Int(a.count)
	for _, c := range a.chunks {
		h.Bytes(c)
	}
}
