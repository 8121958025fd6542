package storage

import (
	"fmt"
	"slices"
	"sort"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
)

// Dir is what a broker has on its disks: its partition logs and what Kafka keeps
// beside them. It outlives the process and, but for the page cache, the machine.
//
// The logs lie in one log directory or in several (JBOD), numbered from 0 in the
// order of log.dirs. A directory that has failed keeps its logs, but nothing can
// be read or written there until it is repaired: see Failed.
//
// Logs are in numbered slots. A slot's number stays as long as the log is
// there, also in copies of the directory, so a machine may keep it in its
// state where it must not keep a *Log.
//
// Copies share logs. Read through At or Get; change only what MutableAt or
// Mutable returned, and only until the directory is copied next.
type Dir struct {
	slots []*part // nil: free
	order []int32 // slots by partition; replaced, never changed

	futures []int32 // slots of future logs, by partition; replaced, never changed
	gone    []Gone  // folders that were given up, in that order; replaced, never changed

	dirs   int    // log directories; 0 stands for 1
	main   int    // the one in which Create makes logs
	failed uint32 // by directory

	clean      bool   // the clean shutdown files are there
	unclean    uint32 // by directory: but for those, which had failed at the shutdown
	cleanEpoch kafka.BrokerEpoch
}

// DirectoriesMax bounds the log directories of a broker.
const DirectoriesMax = 16

// part is a partition's folder. A frozen one belongs to more than one Dir and
// never changes.
type part struct {
	tp     kafka.TopicPartition
	id     kafka.TopicID
	in     uint8 // log directory
	log    Log
	hw     kafka.Offset // in replication-offset-checkpoint
	clean  kafka.Offset // in cleaner-offset-checkpoint; NoOffset: not there
	frozen bool
	snap   *part // frozen copy of a part that has not changed since
}

// Entry names a log of a directory.
type Entry struct {
	Partition kafka.TopicPartition
	TopicID   kafka.TopicID
	Slot      int
	In        int // its log directory
}

// NewDir returns a single empty directory, as a formatted disk is.
func NewDir() *Dir { return &Dir{} }

// NewDirs returns 1 to DirectoriesMax empty directories, of which Create uses main.
func NewDirs(n, main int) *Dir { return &Dir{dirs: n, main: main} }

// Directories is the number of log directories, failed ones included.
func (d *Dir) Directories() int { return max(1, d.dirs) }

// Fail breaks the disk of a log directory. What its logs hold is as after a
// crash of the process: nothing was closed.
func (d *Dir) Fail(in int) {
	d.failed |= 1 << in
	d.KillIn(in)
}

// KillIn is Kill for the logs of one directory, which the process gives up.
func (d *Dir) KillIn(in int) {
	for _, s := range d.every() {
		if int(d.slots[s].in) == in && !d.closed(s) {
			d.mutable(int(s)).log.Kill()
		}
	}
}

// Repair makes a log directory that failed work again, with what was on it.
func (d *Dir) Repair(in int) { d.failed &^= 1 << in }

// Failed reports whether the disk of a log directory is broken.
func (d *Dir) Failed(in int) bool { return d.failed>>in&1 == 1 }

// In is the log directory of the log in a slot.
func (d *Dir) In(slot int) int { return int(d.slots[slot].in) }

// SizeIn is the number of bytes in a log directory, as Size.
func (d *Dir) SizeIn(in int) (n int64) {
	for _, s := range d.every() {
		if p := d.slots[s]; int(p.in) == in {
			n += p.log.Size() + p.log.RemovedSize()
		}
	}
	return n + d.goneIn(in)
}

// Clone returns a copy. It costs a pointer per log, and a few hundred bytes
// for each that has changed since the last copy.
func (d *Dir) Clone() *Dir {
	c := *d
	c.slots = make([]*part, len(d.slots))
	for i, p := range d.slots {
		if p != nil {
			c.slots[i] = p.freeze()
		}
	}
	return &c
}

// freeze returns a part for another Dir. The live part stays this Dir's, with
// the right to write to its current chunk.
func (p *part) freeze() *part {
	if p.frozen {
		return p
	}
	if p.snap == nil {
		c := *p
		c.frozen = true
		c.log.share()
		p.snap = &c
	}
	return p.snap
}

// mutable returns the part in a slot, made this Dir's own.
func (d *Dir) mutable(slot int) *part {
	p := d.slots[slot]
	if p.frozen {
		c := *p
		c.frozen = false
		p = &c
		d.slots[slot] = p
	}
	p.snap = nil
	return p
}

// search finds where a partition is, or would be, in the order.
func (d *Dir) search(tp kafka.TopicPartition) (i int, found bool) {
	i = sort.Search(len(d.order), func(i int) bool { return d.slots[d.order[i]].tp.Compare(tp) >= 0 })
	return i, i < len(d.order) && d.slots[d.order[i]].tp == tp
}

// Slot returns the slot of a partition's log.
func (d *Dir) Slot(tp kafka.TopicPartition) (slot int, ok bool) {
	i, ok := d.search(tp)
	if !ok {
		return -1, false
	}
	return int(d.order[i]), true
}

// SlotNear is Slot for who goes through partitions in their order: it looks at
// place hint of the logs in that order first. at is the place where it was found.
func (d *Dir) SlotNear(tp kafka.TopicPartition, hint int) (slot, at int, ok bool) {
	if hint >= 0 && hint < len(d.order) && d.slots[d.order[hint]].tp == tp {
		return int(d.order[hint]), hint, true
	}
	at, ok = d.search(tp)
	if !ok {
		return -1, at, false
	}
	return int(d.order[at]), at, true
}

// Len is the number of logs.
func (d *Dir) Len() int { return len(d.order) }

// Entries lists the logs in the order of their partitions.
func (d *Dir) Entries() []Entry { return d.entries(d.order) }

func (d *Dir) entries(slots []int32) []Entry {
	out := make([]Entry, len(slots))
	for i, s := range slots {
		p := d.slots[s]
		out[i] = Entry{p.tp, p.id, int(s), int(p.in)}
	}
	return out
}

// Create makes an empty log for a partition in the main log directory, which is
// that of the metadata log, and returns its slot. It fails if there is one.
func (d *Dir) Create(now kafka.Instant, tp kafka.TopicPartition, id kafka.TopicID, cfg Config) (slot int, err error) {
	return d.CreateIn(d.main, now, tp, id, cfg)
}

// CreateIn is Create in a log directory.
func (d *Dir) CreateIn(in int, now kafka.Instant, tp kafka.TopicPartition, id kafka.TopicID, cfg Config) (slot int, err error) {
	i, found := d.search(tp)
	if found {
		return -1, fmt.Errorf("storage: log of %s exists", tp)
	}
	slot = d.free()
	d.slots[slot] = &part{tp: tp, id: id, in: uint8(in), log: *newLog(now, cfg, tp, 0), clean: kafka.NoOffset}
	d.order = slices.Insert(slices.Clone(d.order), i, int32(slot))
	return slot, nil
}

// free returns a slot that holds no log.
func (d *Dir) free() int {
	slot := slices.Index(d.slots, nil)
	if slot < 0 {
		slot = len(d.slots)
		d.slots = append(d.slots, nil)
	}
	return slot
}

// Delete removes a partition's log, bytes and checkpoints.
func (d *Dir) Delete(tp kafka.TopicPartition) bool {
	i, found := d.search(tp)
	if !found {
		return false
	}
	d.slots[d.order[i]] = nil
	d.order = slices.Delete(slices.Clone(d.order), i, i+1)
	return true
}

// At returns the log in a slot, to read.
func (d *Dir) At(slot int) *Log { return &d.slots[slot].log }

// MutableAt returns the log in a slot, to change.
func (d *Dir) MutableAt(slot int) *Log { return &d.mutable(slot).log }

// Get returns a partition's log to read, nil if there is none.
func (d *Dir) Get(tp kafka.TopicPartition) *Log {
	if slot, ok := d.Slot(tp); ok {
		return d.At(slot)
	}
	return nil
}

// Mutable returns a partition's log to change, nil if there is none.
func (d *Dir) Mutable(tp kafka.TopicPartition) *Log {
	if slot, ok := d.Slot(tp); ok {
		return d.MutableAt(slot)
	}
	return nil
}

// TopicID is the topic id in the partition.metadata file of the log in a slot.
func (d *Dir) TopicID(slot int) kafka.TopicID { return d.slots[slot].id }

// HWCheckpoint is the high watermark in replication-offset-checkpoint, 0 at first.
func (d *Dir) HWCheckpoint(slot int) kafka.Offset { return d.slots[slot].hw }

// SetHWCheckpoint writes a high watermark to replication-offset-checkpoint, as
// a broker does for all its logs every 5 s (replica.high.watermark.checkpoint.interval.ms).
func (d *Dir) SetHWCheckpoint(slot int, hw kafka.Offset) {
	if d.slots[slot].hw != hw {
		d.mutable(slot).hw = hw
	}
}

// CleanCheckpoint is the offset in cleaner-offset-checkpoint up to which the
// cleaner has been over a log; NoOffset without one.
func (d *Dir) CleanCheckpoint(slot int) kafka.Offset { return d.slots[slot].clean }

// SetCleanCheckpoint writes it, as the cleaner does after a pass.
func (d *Dir) SetCleanCheckpoint(slot int, off kafka.Offset) {
	if d.slots[slot].clean != off {
		d.mutable(slot).clean = off
	}
}

// Size is the number of bytes on the disk, deleted files that are still there
// included.
func (d *Dir) Size() (n int64) {
	for _, s := range d.every() {
		n += d.slots[s].log.Size() + d.slots[s].log.RemovedSize()
	}
	for i := range d.gone {
		n += d.gone[i].Bytes
	}
	return n
}

// Checkpoint writes recovery points and log start offsets to their files, as
// a broker does every 60 s (log.flush.offset.checkpoint.interval.ms,
// log.flush.start.offset.checkpoint.interval.ms).
func (d *Dir) Checkpoint() {
	for _, s := range d.every() {
		if !d.slots[s].log.checkpointed() && !d.Failed(d.In(int(s))) {
			d.mutable(int(s)).log.Checkpoint()
		}
	}
}

// Writeback lets Linux write back old dirty pages of all logs. Call it every
// WritebackInterval while the machine is up.
func (d *Dir) Writeback(now kafka.Instant) {
	for _, s := range d.every() {
		if d.slots[s].log.Dirty() > 0 && !d.Failed(d.In(int(s))) {
			d.mutable(int(s)).log.Writeback(now)
		}
	}
}

// Dirty is the number of bytes that only the page cache holds.
func (d *Dir) Dirty() (n int64) {
	for _, s := range d.every() {
		n += d.slots[s].log.Dirty()
	}
	return n
}

// Kill is the crash of the broker's process: see Log.Kill. One that was shut
// down cleanly before is not there to crash.
func (d *Dir) Kill() {
	for _, s := range d.every() {
		if d.closed(s) {
			continue
		}
		d.mutable(int(s)).log.Kill()
	}
}

// closed reports whether a log was closed by a clean shutdown.
func (d *Dir) closed(slot int32) bool {
	return d.clean && d.unclean>>d.slots[slot].in&1 == 0
}

// LosePageCache is the crash of the machine: see Log.LosePageCache. A broker
// that was shut down cleanly before loses nothing.
func (d *Dir) LosePageCache() (lost int64) {
	for _, s := range d.every() {
		if d.closed(s) {
			continue
		}
		lost += d.mutable(int(s)).log.LosePageCache()
	}
	return lost
}

// Shutdown is the end of a clean shutdown: every log closed, checkpoints
// written, and the clean shutdown file with the broker epoch (KIP-966). Failed
// directories get none: their logs are as a crash leaves them.
func (d *Dir) Shutdown(epoch kafka.BrokerEpoch) { d.ShutdownWithout(epoch, 0) }

// ShutdownWithout is Shutdown of a process that had given up directories, a bit
// each, whether they have failed for good or not.
func (d *Dir) ShutdownWithout(epoch kafka.BrokerEpoch, offline uint32) {
	d.unclean = d.failed | offline
	d.clean, d.cleanEpoch = true, epoch
	for _, s := range d.every() {
		if d.closed(s) {
			d.mutable(int(s)).log.Close()
		}
	}
}

// CloseAgain closes what was written after a clean shutdown: the metadata log of a
// process whose controller ends after its broker.
func (d *Dir) CloseAgain() {
	for _, s := range d.every() {
		if d.closed(s) {
			d.mutable(int(s)).log.Close()
		}
	}
}

// StartReport is what a broker found when it loaded its logs.
type StartReport struct {
	Clean bool
	// PreviousBrokerEpoch is what the broker shows when it registers, as proof
	// of a clean shutdown; -1 without one.
	PreviousBrokerEpoch kafka.BrokerEpoch
	Recovered           []RecoveredLog // after an unclean shutdown, in order
}

// RecoveredLog is the recovery of one log.
type RecoveredLog struct {
	Entry
	RecoveryReport
}

// Start loads the logs as a starting broker does (LogManager.loadLogs): after a
// clean shutdown they are taken as they are, and the file that says so is
// deleted; otherwise every log is recovered. Failed directories are left alone.
// A directory that works again and has no such file spoils the proof of a clean
// shutdown (LogManager.readBrokerEpochFromCleanShutdownFiles).
func (d *Dir) Start() StartReport {
	rep := StartReport{Clean: d.clean && d.unclean&^d.failed == 0, PreviousBrokerEpoch: -1}
	if rep.Clean {
		rep.PreviousBrokerEpoch = d.cleanEpoch
	}
	for _, s := range d.every() {
		if d.Failed(d.In(int(s))) {
			continue
		}
		closed := d.closed(s)
		p := d.mutable(int(s))
		if closed {
			p.log.Reopen()
			continue
		}
		rep.Recovered = append(rep.Recovered, RecoveredLog{Entry{p.tp, p.id, int(s), int(p.in)}, p.log.Recover()})
	}
	d.clean, d.unclean, d.cleanEpoch = false, 0, 0
	return rep
}

// Digest writes the directory's state in the order of its partitions.
func (d *Dir) Digest(h *sim.Hash) {
	h.Int(int64(len(d.order)))
	for _, s := range d.every() {
		p := d.slots[s]
		h.String(p.tp.Topic)
		h.Int(int64(p.tp.Partition))
		h.Bytes(p.id[:])
		h.Int(int64(p.hw))
		h.Int(int64(p.clean))
		h.Int(int64(p.in))
		p.log.Digest(h)
	}
	d.digestFolders(h)
	h.Int(int64(d.dirs))
	h.Int(int64(d.failed))
	h.Bool(d.clean)
	h.Int(int64(d.unclean))
	h.Int(int64(d.cleanEpoch))
}
