package scenario

import "github.com/highwater-sim/highwater/engine/kafka"

// What a scenario may ask for at most. A text beyond them is a problem, never
// a hang.
const (
	textBytesMax          = 256 << 10
	lineBytesMax          = 4 << 10
	wordBytesMax          = 256
	stepsMax              = 5_000
	problemsMax           = 50  // told
	problemsReadMax       = 500 // after so many, reading ends
	optionsMax            = 6
	brokersMax            = 30
	topicsMax             = 200
	partitionsMax         = 10_000
	clientsMax            = 100
	recordsMax            = 1_000_000
	valueBytesMax         = 8 << 20
	listMax               = 1_000
	termsMax              = 8
	rateMax               = 1_000_000 * 1000 // records per 1000 s
	instantMax            = kafka.Instant(30 * kafka.Day)
	sizeMax         int64 = 1 << 50
)
