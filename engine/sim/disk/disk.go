package disk

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
)

// Disk is one machine's disk. The zero value is a disk that costs nothing;
// New gives a healthy SSD. It is a value: copying it copies its state.
type Disk struct {
	// WriteLatency is added to every append; above 0 the disk is slow.
	WriteLatency kafka.Duration
	// FsyncLatency is what one flush takes.
	FsyncLatency kafka.Duration
	// Bandwidth is how many bytes a second an fsync moves; 0 is unlimited.
	Bandwidth int64

	busyUntil kafka.Instant
}

// New returns a healthy disk: appends to the page cache cost nothing, an fsync
// takes 1 ms and moves 500 MB/s.
func New() Disk {
	return Disk{FsyncLatency: kafka.Millisecond, Bandwidth: 500_000_000, busyUntil: -kafka.Never}
}

// Write returns when an append of n bytes is done: now itself on a healthy disk
// that is idle.
func (d *Disk) Write(now kafka.Instant, n int) kafka.Instant {
	if d.WriteLatency == 0 {
		return max(now, d.slowTail(now))
	}
	return d.occupy(now, d.WriteLatency)
}

// Fsync returns when a flush of n dirty bytes is done.
func (d *Disk) Fsync(now kafka.Instant, n int) kafka.Instant {
	cost := d.FsyncLatency + d.WriteLatency
	if d.Bandwidth > 0 {
		cost += kafka.Duration(int64(n) * int64(kafka.Second) / d.Bandwidth)
	}
	return d.occupy(now, cost)
}

// slowTail is when the last slow operation ends; writes keep their order
// behind it after the disk has recovered. Flushes run beside the page cache.
func (d *Disk) slowTail(now kafka.Instant) kafka.Instant {
	if d.WriteLatency == 0 {
		return now
	}
	return d.busyUntil
}

func (d *Disk) occupy(now kafka.Instant, cost kafka.Duration) kafka.Instant {
	d.busyUntil = max(now, d.busyUntil).Add(cost)
	return d.busyUntil
}

// Reset forgets what was queued: the machine lost power or the process died.
func (d *Disk) Reset() { d.busyUntil = -kafka.Never }

// Digest writes the disk's state.
func (d *Disk) Digest(h *sim.Hash) {
	h.Int(int64(d.WriteLatency))
	h.Int(int64(d.FsyncLatency))
	h.Int(d.Bandwidth)
	h.Int(int64(d.busyUntil))
}
