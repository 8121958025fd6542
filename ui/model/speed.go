package model

// Speed is virtual time per real time, as a fraction.
type Speed struct {
	Num, Den int64
	Label    string
}

// Speeds are the stops of the speed slider, 1/1000 to 100 times real time, each
// about twice the one before.
var Speeds = []Speed{
	{1, 1000, "0.001×"}, {2, 1000, "0.002×"}, {5, 1000, "0.005×"},
	{1, 100, "0.01×"}, {2, 100, "0.02×"}, {5, 100, "0.05×"},
	{1, 10, "0.1×"}, {2, 10, "0.2×"}, {5, 10, "0.5×"},
	{1, 1, "1×"}, {2, 1, "2×"}, {5, 1, "5×"},
	{10, 1, "10×"}, {20, 1, "20×"}, {50, 1, "50×"}, {100, 1, "100×"},
}

// Stops of Speeds with a meaning.
const (
	SpeedDefault = 6 // 0.1×: a 1 ms message takes 10 ms
	SpeedReal    = 9
)

// slower is the stop for watching an event: a quarter of stop, roughly.
func slower(stop int) int { return max(0, stop-2) }
