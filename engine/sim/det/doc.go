// Package det holds the two deterministic tools that everything in the engine
// may use: named streams of random numbers and the hash that sums up state.
//
//	(seed, name) ──NewRand──> Rand, a value that lives and is cloned inside its owner
//	state ──Digest──> Hash ──Sum──> 64 bits, equal for equal runs
//
// It refuses global state and entropy from outside.
package det
