package node

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
)

// Process is a broker, controller or client process on its machine. It gets
// InputBoot when it is started and ends by Crash or by its own Out.Exit.
type Process interface {
	sim.Actor
	// Crash ends the process at once. Volatile state is gone; what the machine
	// keeps (disk, page cache) stays, unless power is lost too: then bytes that
	// were not flushed are gone as well. It returns how many bytes that were.
	Crash(now kafka.Instant, powerLoss bool) (bytesLost int64)
}

// The orders that reach a running process as InputCommand.
type (
	// Shutdown asks for a clean end: SIGTERM for a broker, close() for a client.
	Shutdown struct{}
	// SlowDisk sets the latency of every write; 0 is normal.
	SlowDisk struct{ Latency kafka.Duration }
	// Sync flushes every dirty page of the machine, as sync(1) does.
	Sync struct{}
	// Pause makes a client idle: a producer's workload sends nothing new, a consumer stops calling poll.
	Pause struct{ On bool }
	// Rate sets a producer's workload, in records per 1000 s.
	Rate struct{ Per1000s int64 }
	// Seek moves a consumer's position.
	Seek struct {
		TP kafka.TopicPartition
		To string // earliest, latest or an offset
	}
	// Commit makes a consumer commit its positions now (commitSync).
	Commit struct{}
)
