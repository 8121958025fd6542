package sim

import "github.com/highwater-sim/highwater/engine/sim/det"

// Rand is a named stream of random numbers; see det.Rand.
type Rand = det.Rand

// Hash sums state up for comparing runs; see det.Hash.
type Hash = det.Hash

// NewRand derives the stream called name from the world's seed.
func NewRand(seed uint64, name string) Rand { return det.NewRand(seed, name) }

// NewHash returns an empty hash.
func NewHash() *Hash { return det.NewHash() }
