package kafka

import "strconv"

// Instant is a point in virtual time, in nanoseconds since the scenario's
// start. The cluster boots before it, at negative instants.
type Instant int64

// Duration is a span of virtual time in nanoseconds.
type Duration int64

// Units of Duration.
const (
	Nanosecond  Duration = 1
	Microsecond          = 1000 * Nanosecond
	Millisecond          = 1000 * Microsecond
	Second               = 1000 * Millisecond
	Minute               = 60 * Second
	Hour                 = 60 * Minute
	Day                  = 24 * Hour
)

// Never is an instant that no run reaches; a deadline that is not set.
const Never Instant = 1<<63 - 1

// StartUnixMilli is the wall-clock time of Instant 0, in milliseconds since
// the Unix epoch: 2026-01-01T00:00:00Z. Record timestamps count from it.
const StartUnixMilli int64 = 1767225600000

// Add returns the instant d later. Adding to Never gives Never.
func (i Instant) Add(d Duration) Instant {
	if i == Never {
		return Never
	}
	return i + Instant(d)
}

// Sub returns the span from o to i.
func (i Instant) Sub(o Instant) Duration { return Duration(i - o) }

// UnixMilli returns the wall-clock milliseconds that a record stamped at i carries.
func (i Instant) UnixMilli() int64 {
	return StartUnixMilli + floorDiv(int64(i), int64(Millisecond))
}

// InstantOfUnixMilli is the inverse of UnixMilli, at millisecond precision.
func InstantOfUnixMilli(ms int64) Instant {
	return Instant((ms - StartUnixMilli) * int64(Millisecond))
}

// String prints seconds with three decimals, rounded down: "5.200s".
func (i Instant) String() string {
	if i == Never {
		return "never"
	}
	ms := floorDiv(int64(i), int64(Millisecond))
	sign := ""
	if ms < 0 {
		sign, ms = "-", -ms
	}
	frac := strconv.FormatInt(1000+ms%1000, 10)[1:]
	return sign + strconv.FormatInt(ms/1000, 10) + "." + frac + "s"
}

// String prints the duration in the largest unit that divides it: "30s", "1500ms".
func (d Duration) String() string {
	for _, u := range durationUnits {
		if d%u.size == 0 && (d != 0 || u.name == "s") {
			return strconv.FormatInt(int64(d/u.size), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(d), 10) + "ns"
}

// Millis returns d in whole milliseconds, rounded down.
func (d Duration) Millis() int64 { return floorDiv(int64(d), int64(Millisecond)) }

// durationUnits are the spellings that a scenario may use, largest first.
var durationUnits = []struct {
	name string
	size Duration
}{{"d", Day}, {"h", Hour}, {"m", Minute}, {"s", Second}, {"ms", Millisecond}, {"us", Microsecond}, {"ns", Nanosecond}}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
