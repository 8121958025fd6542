package det

import "math/rand/v2"

// Rand is a named stream of random numbers. It is a value: copying it copies
// its state, so it can live inside an actor and be cloned with it. The numbers
// are the same natively and in WebAssembly.
type Rand struct {
	pcg rand.PCG
}

// NewRand derives the stream called name from the world's seed. Two names give
// unrelated streams, so a draw added in one place moves nothing elsewhere.
func NewRand(seed uint64, name string) Rand {
	h := NewHash()
	h.String(name)
	return Rand{pcg: *rand.NewPCG(seed, h.Sum())}
}

// Uint64 returns the next number.
func (r *Rand) Uint64() uint64 { return r.pcg.Uint64() }

// IntN returns a number in [0, n). It panics if n < 1. The tiny bias of the
// modulo is below 2^-40 for every n that the engine uses.
func (r *Rand) IntN(n int64) int64 {
	if n < 1 {
		panic("det: Rand.IntN of an empty range")
	}
	return int64(r.pcg.Uint64() % uint64(n))
}

// Digest writes the stream's state.
func (r *Rand) Digest(h *Hash) {
	c := *r // look ahead on a copy; the stream itself does not move
	h.Uint64(c.pcg.Uint64())
	h.Uint64(c.pcg.Uint64())
}
