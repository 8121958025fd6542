package storage

import "github.com/highwater-sim/highwater/engine/kafka"

// Config is what a log needs of its topic's configs. Sizes are in bytes.
type Config struct {
	SegmentBytes       int64 // segment.bytes
	SegmentMs          int64 // segment.ms
	IndexIntervalBytes int64 // index.interval.bytes
	SegmentIndexBytes  int64 // segment.index.bytes
	LogAppendTime      bool  // message.timestamp.type=LogAppendTime
}

// DefaultConfig has Kafka's defaults (LogConfig.java).
func DefaultConfig() Config {
	return Config{
		SegmentBytes:       1 << 30,
		SegmentMs:          kafka.Duration(7 * kafka.Day).Millis(),
		IndexIntervalBytes: 4096,
		SegmentIndexBytes:  10 << 20,
	}
}

// Sizes of index entries in their files, in bytes.
const (
	offsetEntrySize = 8
	timeEntrySize   = 12
)

// indexFull reports whether one of a segment's indexes takes no more entries;
// the time index keeps a slot for the entry that a roll adds (TimeIndex.isFull).
func (c *Config) indexFull(s *segment) bool {
	return int64(len(s.index)) >= c.SegmentIndexBytes/offsetEntrySize ||
		int64(len(s.times)) >= c.SegmentIndexBytes/timeEntrySize-1
}
