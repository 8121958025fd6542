package view

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
)

func TestMomentsFarAway(t *testing.T) {
	const hour = 60 * kafka.Minute
	for want, at := range map[string]kafka.Instant{
		"90.000s":     kafka.Instant(90 * kafka.Second),
		"2h 0m 3s":    kafka.Instant(2*hour + 3*kafka.Second),
		"7d 1h 3m 3s": kafka.Instant(7*24*hour + hour + 183*kafka.Second),
		"never":       kafka.Never,
	} {
		if got := moment(at); got != want {
			t.Errorf("%d: %s, want %s", at, got, want)
		}
	}
}
