package order

import "github.com/highwater-sim/highwater/engine/kafka"

// Shutdown asks for a clean end: SIGTERM for a broker, close() for a client.
type Shutdown struct{}

// SlowDisk sets the latency of every write; 0 is normal.
type SlowDisk struct{ Latency kafka.Duration }

// Sync flushes every dirty page of the machine, as sync(1) does.
type Sync struct{}

// Format gives the machine new, empty disks, which kafka-storage format has formatted
// with the node.id of before. No process may run on it.
type Format struct{}

// DiskCapacity sets how many bytes of log the machine's disk holds; -1 is no
// limit.
type DiskCapacity struct{ Bytes int64 }

// FailDirectory breaks the disk of a log directory, or repairs it: the broker
// takes it back when it starts next.
type FailDirectory struct {
	Path   string
	Repair bool
}

// FlipBit makes a bit of a record wrong on the machine's disk: of its value, or
// of its length.
type FlipBit struct {
	TP     kafka.TopicPartition
	Offset kafka.Offset
	Length bool
}

// Pause makes a client idle: a producer's workload sends nothing new, a
// consumer stops calling poll. On false resumes it.
type Pause struct{ On bool }

// Rate sets a producer's workload, in records per 1000 s; 0 sends none.
type Rate struct{ Per1000s int64 }

// Seek moves a consumer's position.
type Seek struct {
	TP kafka.TopicPartition
	To string // earliest, latest or an offset
}

// Commit makes a consumer commit its positions now (commitSync).
type Commit struct{}
