package node

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/sim/order"
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

// The orders that reach a running process as InputCommand; they live in
// sim/order, below the machines that hear them.
type (
	Shutdown      = order.Shutdown
	SlowDisk      = order.SlowDisk
	Sync          = order.Sync
	DiskCapacity  = order.DiskCapacity
	FlipBit       = order.FlipBit
	FailDirectory = order.FailDirectory
	Format        = order.Format
	Pause         = order.Pause
	Rate          = order.Rate
	Seek          = order.Seek
	Commit        = order.Commit
)

// Machine is what a process runs on, for orders that reach the machine while the
// process is down: SlowDisk, DiskCapacity, FailDirectory, FlipBit, Sync and Format.
type Machine interface {
	OrderMachine(now kafka.Instant, order any)
}

// BrokerOf is the broker role of a process; nil if it has none.
func BrokerOf(p sim.Actor) *Broker {
	switch n := p.(type) {
	case *Broker:
		return n
	case *Combined:
		return n.broker
	}
	return nil
}

// ControllerOf is the controller role of a process; nil if it has none.
func ControllerOf(p sim.Actor) *Controller {
	switch n := p.(type) {
	case *Controller:
		return n
	case *Combined:
		return n.controller
	}
	return nil
}
