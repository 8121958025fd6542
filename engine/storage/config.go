package storage

import (
	"math"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// ratioOne is a whole, in the unit of Config.DirtyRatioPPM.
const ratioOne = 1_000_000

// Config is what a log needs of its topic's configs. Sizes are in bytes.
type Config struct {
	SegmentBytes       int64 // segment.bytes
	SegmentMs          int64 // segment.ms
	SegmentJitterMs    int64 // segment.jitter.ms
	IndexIntervalBytes int64 // index.interval.bytes
	SegmentIndexBytes  int64 // segment.index.bytes
	LogAppendTime      bool  // message.timestamp.type=LogAppendTime
	// Seed is what the jitter of segments is drawn from, with the partition.
	Seed uint64

	// Retention. A negative limit is none.
	Delete            bool  // cleanup.policy contains delete
	RetentionMs       int64 // retention.ms
	RetentionBytes    int64 // retention.bytes
	FileDeleteDelayMs int64 // file.delete.delay.ms

	// Compaction.
	Compact            bool  // cleanup.policy contains compact
	DirtyRatioPPM      int64 // min.cleanable.dirty.ratio, in millionths
	DeleteRetentionMs  int64 // delete.retention.ms
	MinCompactionLagMs int64 // min.compaction.lag.ms
	MaxCompactionLagMs int64 // max.compaction.lag.ms
}

// DefaultConfig has Kafka's defaults (LogConfig.java).
func DefaultConfig() Config {
	return Config{
		SegmentBytes:       1 << 30,
		SegmentMs:          kafka.Duration(7 * kafka.Day).Millis(),
		IndexIntervalBytes: 4096,
		SegmentIndexBytes:  10 << 20,
		Delete:             true,
		RetentionMs:        kafka.Duration(7 * kafka.Day).Millis(),
		RetentionBytes:     -1,
		FileDeleteDelayMs:  kafka.Duration(kafka.Minute).Millis(),
		DirtyRatioPPM:      ratioOne / 2,
		DeleteRetentionMs:  kafka.Duration(kafka.Day).Millis(),
		MaxCompactionLagMs: math.MaxInt64,
	}
}

// Sizes of index entries in their files, in bytes.
const (
	offsetEntrySize = 8
	timeEntrySize   = 12
)

// ParseRatio reads min.cleanable.dirty.ratio, a decimal number from 0 to 1, as
// millionths; further digits do not count. What is none gives the default, 0.5:
// the controller lets no such value in.
func ParseRatio(s string) int64 {
	whole, frac, _ := strings.Cut(strings.TrimSpace(s), ".")
	if len(frac) > 6 {
		frac = frac[:6]
	}
	w, err := strconv.ParseUint("0"+whole, 10, 8)
	f, err2 := strconv.ParseUint(frac+"000000"[len(frac):], 10, 32)
	if n := int64(w*ratioOne + f); err == nil && err2 == nil && n <= ratioOne {
		return n
	}
	return ratioOne / 2
}

// segmentMs is how long a segment may wait to be rolled, in ms: compaction must
// be able to reach its records in time (LogConfig.maxSegmentMs).
func (c *Config) segmentMs() int64 {
	if c.Compact && c.MaxCompactionLagMs > 0 {
		return min(c.SegmentMs, c.MaxCompactionLagMs)
	}
	return c.SegmentMs
}

// jitter draws how much sooner than after segment.ms a segment is rolled that begins
// at an offset and an instant in ms: less than segment.jitter.ms and than segment.ms
// (LogConfig.randomSegmentJitter). Every replica draws its own.
func (l *Log) jitter(base kafka.Offset, ms int64) int64 {
	most := min(l.cfg.SegmentJitterMs, l.cfg.SegmentMs)
	if most <= 0 {
		return 0
	}
	h := mix(mix(mix(l.cfg.Seed, l.salt), uint64(base)), uint64(ms))
	return int64(h>>1) % most
}

// indexFull reports whether one of a segment's indexes takes no more entries;
// the time index keeps a slot for the entry that a roll adds (TimeIndex.isFull).
func (c *Config) indexFull(s *segment) bool {
	return int64(len(s.index)) >= c.SegmentIndexBytes/offsetEntrySize ||
		int64(len(s.times)) >= c.SegmentIndexBytes/timeEntrySize-1
}
