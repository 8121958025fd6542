package broker

import (
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
)

// Log directories. This broker has one (log.dirs names a single directory). When
// it fails, by a write that the disk has no room for, it goes offline, and as
// there is no other the process halts (LogManager.handleLogDirFailure).
//
// Left out: several directories (JBOD), of which the others would go on.

// diskFull reports whether the disk has no room for n more bytes of log. Then the
// directory goes offline and the process ends, without flushing anything.
func (b *Broker) diskFull(n int, out *sim.Out) bool {
	if b.care.offline {
		return true
	}
	if b.disk.Capacity == 0 || b.dir.Size()+int64(n) <= b.disk.Capacity {
		return false
	}
	out.Note(trace.Note{
		Kind: trace.DirectoryOffline, Node: b.cfg.ID,
		Say: "No space left on device: " + itoa(b.dir.Size()) + " of " + itoa(b.disk.Capacity) + " bytes",
	})
	out.Note(trace.Note{Kind: trace.Shutdown, Node: b.cfg.ID, Say: "because all log dirs have failed"})
	b.care.offline = true
	b.life.state = ShuttingDown
	b.loaded = false
	b.dir.Kill()
	out.Exit()
	return true
}
