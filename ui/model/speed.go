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
	SpeedDefault = 9 // real time
	speedOrder   = 3 // after an order of the script: a message of 1 ms takes 100 ms
	speedNotable = 5 // after a trace line of weight 2: 20 ms
)
