package broker

import (
	"strconv"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/highwater-sim/highwater/engine/trace"
)

// Old segments (LogManager.cleanupLogs): every log.retention.check.interval.ms,
// first 30 s after the logs were opened. Logs that are compacted are the
// cleaner's, deletion included.

// retentionFirst is LogManager.INITIAL_TASK_DELAY_MS.
const retentionFirst = 30 * kafka.Second

// logCare is the broker's background work on its logs.
type logCare struct {
	checkDue kafka.Instant // when old segments are looked for next
	purgeDue kafka.Instant // when timerPurge fires; Never: unset
	cleaner  cleaner
	offline  uint32           // log directories that have failed, a bit each
	failing  []failure        // those that failed in this step
	deletes  []*delayedDelete // DeleteRecords purgatory, in the order of arrival
}

func newLogCare() logCare {
	return logCare{purgeDue: kafka.Never}
}

// careForLogs starts the background work once the logs are open.
func (b *Broker) careForLogs(now kafka.Instant, out *sim.Out) {
	b.opened = now
	out.After(timer(timerRetention, 0), retentionFirst)
	b.care.checkDue = now.Add(retentionFirst)
	b.startCleaner(now, out)
}

// checkRetention deletes what is too old or too much. A log that has nothing to
// delete costs a comparison.
func (b *Broker) checkRetention(now kafka.Instant, out *sim.Out) {
	out.After(timer(timerRetention, 0), b.set.retentionCheck)
	b.care.checkDue = now.Add(b.set.retentionCheck)
	for i, p := range b.parts {
		if p != nil && !p.set.log.Compact {
			b.expireLog(now, int32(i), out)
		}
	}
}

// expireLog deletes old segments of one log.
func (b *Broker) expireLog(now kafka.Instant, i int32, out *sim.Out) {
	p := b.parts[i]
	if !b.log(p).Expirable(now) {
		return
	}
	l := b.mutLog(p)
	start, segments := l.LogStart(), l.SegmentCount()
	gone := l.DeleteExpired(now, p.hw)
	if len(gone) == 0 {
		return
	}
	p = b.mut(i)
	for k := range gone {
		d := &gone[k]
		out.Note(trace.Note{
			Kind: trace.SegmentDeleted, Topic: p.tp.Topic, Part: p.tp.Partition, Node: b.cfg.ID,
			From: d.Segment.BaseOffset, Offset: d.Segment.EndOffset, N: d.Segment.Size, Say: deletedBecause(d, &p.set.log),
		})
	}
	if l.SegmentCount() > segments-len(gone) {
		b.saveProducers(p, activeBase(l))
		b.noteNewSegment(p, l, out)
	}
	b.purgeLater(l.PurgeDue(), out)
	if l.LogStart() > start {
		b.logStartMoved(now, p, start, out)
	}
}

// deletedBecause says which rule took a segment, with its numbers.
func deletedBecause(d *storage.Deleted, cfg *storage.Config) string {
	switch d.Reason {
	case storage.RetentionTime:
		return "newest record is " + itoa(d.Age) + " ms old, retention.ms=" + strconv.FormatInt(cfg.RetentionMs, 10)
	case storage.RetentionSize:
		return "log is " + itoa(d.Excess) + " bytes above retention.bytes=" + strconv.FormatInt(cfg.RetentionBytes, 10)
	}
	return "below the log start offset"
}

// logStartMoved tells of a higher log start offset. Followers and consumers hear
// of it in their next response; a parked fetch does not end for it.
func (b *Broker) logStartMoved(now kafka.Instant, p *partition, from kafka.Offset, out *sim.Out) {
	out.Note(trace.Note{
		Kind: trace.LogStartMoved, Topic: p.tp.Topic, Part: p.tp.Partition, Node: b.cfg.ID,
		From: from, Offset: b.log(p).LogStart(),
	})
	for _, w := range p.watchers {
		b.mutSession(w.session).mark(w.pos)
	}
	if b.leads(p) {
		b.completeDeletes(now, out)
	} else if p.fetch.active && p.leader != kafka.NoNode {
		b.fetcher(p.leader).name(p) // tells the leader
	}
}

// purgeLater has files of deleted segments removed when they are due.
func (b *Broker) purgeLater(due kafka.Instant, out *sim.Out) {
	if due < b.care.purgeDue {
		b.care.purgeDue = due
		out.SetTimer(timer(timerPurge, 0), due)
	}
}

// purge removes the files that are due.
func (b *Broker) purge(now kafka.Instant, out *sim.Out) {
	b.care.purgeDue = kafka.Never
	next := kafka.Never
	for _, p := range b.parts {
		if p == nil {
			continue
		}
		due := b.log(p).PurgeDue()
		if due <= now {
			l := b.mutLog(p)
			l.Purge(now)
			due = l.PurgeDue()
		}
		next = min(next, due)
	}
	if b.dir.GoneDue() <= now {
		b.dir.PurgeGone(now)
	}
	next = min(next, b.dir.GoneDue())
	b.purgeLater(next, out)
}
