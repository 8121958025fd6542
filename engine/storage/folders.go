package storage

import (
	"fmt"
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
)

// Folders of partitions that are no ordinary logs (UnifiedLog.DELETE_DIR_SUFFIX,
// STRAY_DIR_SUFFIX, FUTURE_DIR_SUFFIX):
//
//	t-0.<unique>-future   a copy that grows in another log directory (KIP-113)
//	t-0.<unique>-delete   given up; still there for file.delete.delay.ms
//	t-0.<unique>-stray    found at a start and nobody's; stays until somebody deletes it

// Gone is a folder that was given up. Only its size is kept.
type Gone struct {
	Partition kafka.TopicPartition
	TopicID   kafka.TopicID
	In        int // log directory
	Bytes     int64
	At        kafka.Instant // when it was renamed
	Due       kafka.Instant // when it is deleted
	Stray     bool          // nobody deletes it; Due is Never
}

// Name is the folder's name. Kafka draws the unique part at random; here it follows
// from the topic id and the instant.
func (g *Gone) Name() string {
	suffix := "-delete"
	if g.Stray {
		suffix = "-stray"
	}
	return fmt.Sprintf("%s.%s%s", g.Partition, unique(g.TopicID, g.At), suffix)
}

func unique(id kafka.TopicID, at kafka.Instant) string {
	return fmt.Sprintf("%x%016x", id[:8], uint64(at))
}

// FutureName is the name of the folder of a future log.
func FutureName(tp kafka.TopicPartition, id kafka.TopicID) string {
	return fmt.Sprintf("%s.%s-future", tp, unique(id, 0))
}

// Retire renames a partition's folder, to be deleted at due.
func (d *Dir) Retire(tp kafka.TopicPartition, now, due kafka.Instant) bool {
	return d.retire(tp, now, due, false)
}

// Stray renames the folder of a partition that is nobody's. Kafka never deletes it.
func (d *Dir) Stray(tp kafka.TopicPartition, now kafka.Instant) bool {
	return d.retire(tp, now, kafka.Never, true)
}

func (d *Dir) retire(tp kafka.TopicPartition, now, due kafka.Instant, stray bool) bool {
	slot, ok := d.Slot(tp)
	if !ok {
		return false
	}
	d.bury(d.slots[slot], now, due, stray)
	return d.Delete(tp)
}

func (d *Dir) bury(p *part, now, due kafka.Instant, stray bool) {
	d.gone = append(slices.Clone(d.gone), Gone{p.tp, p.id, int(p.in), p.log.Size() + p.log.RemovedSize(), now, due, stray})
}

// Gone lists the folders that were given up and are still there, in the order in
// which they were. It must not be changed.
func (d *Dir) Gone() []Gone { return d.gone }

// GoneDue is when the next folder is to be deleted; Never if none is.
func (d *Dir) GoneDue() kafka.Instant {
	due := kafka.Never
	for i := range d.gone {
		due = min(due, d.gone[i].Due)
	}
	return due
}

// PurgeGone deletes the folders that are due. Those in failed directories cannot be
// deleted; the next start tries again.
func (d *Dir) PurgeGone(now kafka.Instant) {
	gone := slices.Clone(d.gone)
	for i := range gone {
		if g := &gone[i]; g.Due <= now && d.Failed(g.In) {
			g.Due = kafka.Never
		}
	}
	d.gone = slices.DeleteFunc(gone, func(g Gone) bool { return g.Due <= now })
}

// RequeueGone has a starting broker delete at due what it finds to be deleted.
func (d *Dir) RequeueGone(due kafka.Instant) {
	d.gone = slices.Clone(d.gone)
	for i := range d.gone {
		if g := &d.gone[i]; !g.Stray && !d.Failed(g.In) {
			g.Due = due
		}
	}
}

// goneIn is how many bytes of folders that were given up a directory holds.
func (d *Dir) goneIn(in int) (n int64) {
	for i := range d.gone {
		if d.gone[i].In == in {
			n += d.gone[i].Bytes
		}
	}
	return n
}

// every lists the slots of all logs: those of partitions, then the future ones.
func (d *Dir) every() []int32 {
	if len(d.futures) == 0 {
		return d.order
	}
	return slices.Concat(d.order, d.futures)
}

// Future returns the slot of a partition's future log.
func (d *Dir) Future(tp kafka.TopicPartition) (slot int, ok bool) {
	for _, s := range d.futures { // a handful
		if d.slots[s].tp == tp {
			return int(s), true
		}
	}
	return -1, false
}

// Futures lists the future logs in the order of their partitions.
func (d *Dir) Futures() []Entry { return d.entries(d.futures) }

// CreateFuture makes an empty future log of a partition in a log directory, from
// an offset on. It fails if there is one.
func (d *Dir) CreateFuture(in int, now kafka.Instant, tp kafka.TopicPartition, id kafka.TopicID, cfg Config, from kafka.Offset) (slot int, err error) {
	if _, found := d.Future(tp); found {
		return -1, fmt.Errorf("storage: future log of %s exists", tp)
	}
	slot = d.free()
	d.slots[slot] = &part{tp: tp, id: id, in: uint8(in), log: *newLog(now, cfg, tp, from), clean: kafka.NoOffset}
	at := 0
	for at < len(d.futures) && d.slots[d.futures[at]].tp.Compare(tp) < 0 {
		at++
	}
	d.futures = slices.Insert(slices.Clone(d.futures), at, int32(slot))
	return slot, nil
}

// RetireFuture gives up a partition's future log.
func (d *Dir) RetireFuture(tp kafka.TopicPartition, now, due kafka.Instant) bool {
	slot, ok := d.Future(tp)
	if !ok {
		return false
	}
	d.bury(d.slots[slot], now, due, false)
	d.slots[slot] = nil
	d.futures = without(d.futures, int32(slot))
	return true
}

func without(slots []int32, slot int32) []int32 {
	return slices.DeleteFunc(slices.Clone(slots), func(s int32) bool { return s == slot })
}

// Promote puts a partition's future log in the place of its log, under the same slot
// (LogManager.replaceCurrentWithFutureLog): the old folder is to be deleted at due,
// its checkpoints go over to the new directory.
func (d *Dir) Promote(tp kafka.TopicPartition, now, due kafka.Instant) bool {
	from, ok := d.Future(tp)
	slot, ok2 := d.Slot(tp)
	if !ok || !ok2 {
		return false
	}
	old, next := d.slots[slot], d.mutable(from)
	d.bury(old, now, due, false)
	next.hw, next.clean = old.hw, old.clean
	d.slots[slot], d.slots[from] = next, nil
	d.futures = without(d.futures, int32(from))
	return true
}

func (d *Dir) digestFolders(h *sim.Hash) {
	h.Int(int64(len(d.gone)))
	for i := range d.gone {
		g := &d.gone[i]
		h.String(g.Partition.Topic)
		h.Int(int64(g.Partition.Partition))
		h.Bytes(g.TopicID[:])
		h.Int(int64(g.In))
		h.Int(g.Bytes)
		h.Int(int64(g.At))
		h.Int(int64(g.Due))
		h.Bool(g.Stray)
	}
	h.Int(int64(len(d.futures)))
}
