package client

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
)

// Backoff is exponential back-off with multiplier 2 and 20 % jitter
// (clients/common/utils/ExponentialBackoff.java, KIP-580).
type Backoff struct {
	Initial kafka.Duration
	Max     kafka.Duration
}

// After returns how long to wait after so many earlier attempts (0 for the
// first wait): Initial doubled each time, at most Max, then 20 % more or less,
// and again at most Max. If Max is not above Initial it is Initial.
func (b Backoff) After(attempts int32, rng *sim.Rand) kafka.Duration {
	if b.Initial <= 0 || b.Max <= b.Initial {
		return b.Initial
	}
	term := b.Max
	if attempts < 40 && b.Initial < b.Max>>attempts {
		term = b.Initial << attempts
	}
	if term < 5 {
		return term
	}
	return min(term*4/5+kafka.Duration(rng.IntN(int64(term*2/5)+1)), b.Max)
}
