package motion

import (
	"math"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// Progress is how far a message has come, from 0 to 1.
func Progress(now, sent, arrive kafka.Instant) float32 {
	switch {
	case now <= sent:
		return 0
	case now >= arrive || arrive <= sent:
		return 1
	}
	return float32(float64(now.Sub(sent)) / float64(arrive.Sub(sent)))
}

// visibleFor is how long a message must be under way on the reader's clock to
// be drawn as a thing that moves, in seconds.
const visibleFor = 0.08

// Visible reports whether a message that flies for d can be followed at a
// speed (virtual seconds per real second). A paused picture shows everything.
func Visible(d kafka.Duration, speed float32) bool {
	return speed <= 0 || float32(d)/float32(kafka.Second) >= visibleFor*speed
}

// Approach moves cur towards target over wall seconds; tau is the time in which
// it covers two thirds of the way. A wall of 0 and a close target arrive at once.
func Approach(cur, target, wall, tau float32) float32 {
	if wall <= 0 || tau <= 0 {
		return target
	}
	d := target - cur
	if d < 0.004 && d > -0.004 {
		return target
	}
	return target - d*float32(math.Exp(float64(-wall/tau)))
}

// Bezier is the point of a cubic at t, for one coordinate.
func Bezier(p0, p1, p2, p3, t float32) float32 {
	u := 1 - t
	return u*u*u*p0 + 3*u*u*t*p1 + 3*u*t*t*p2 + t*t*t*p3
}
