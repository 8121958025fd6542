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

	// Capacity is how many bytes of log the disk of each log directory holds; 0 is
	// unlimited.
	Capacity int64

	writing, syncing kafka.Instant // when what is queued will be done
}

// New returns a healthy disk: appends to the page cache cost nothing, an fsync
// takes 1 ms and moves 500 MB/s.
func New() Disk {
	return Disk{FsyncLatency: kafka.Millisecond, Bandwidth: 500_000_000, writing: -kafka.Never, syncing: -kafka.Never}
}

// Write returns when an append of n bytes is done: now itself on a healthy disk
// with nothing queued. Writes are done in the order in which they were asked.
func (d *Disk) Write(now kafka.Instant, n int) kafka.Instant {
	d.writing = max(now, d.writing).Add(d.WriteLatency)
	return d.writing
}

// Fsync returns when a flush of n dirty bytes is done. Flushes queue behind each
// other, beside the writes to the page cache.
func (d *Disk) Fsync(now kafka.Instant, n int) kafka.Instant {
	cost := d.FsyncLatency + d.WriteLatency
	if d.Bandwidth > 0 {
		cost += kafka.Duration(int64(n) * int64(kafka.Second) / d.Bandwidth)
	}
	d.syncing = max(now, d.syncing).Add(cost)
	return d.syncing
}

// Reset forgets what was queued: the machine lost power or the process died.
func (d *Disk) Reset() { d.writing, d.syncing = -kafka.Never, -kafka.Never }

// Digest writes the disk's state.
func (d *Disk) Digest(h *sim.Hash) {
	h.Int(int64(d.WriteLatency))
	h.Int(int64(d.FsyncLatency))
	h.Int(d.Bandwidth)
	h.Int(d.Capacity)
	h.Int(int64(d.writing))
	h.Int(int64(d.syncing))
}
