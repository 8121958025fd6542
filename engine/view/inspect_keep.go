package view

import (
	"fmt"

	"github.com/highwater-sim/highwater/engine/broker"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/highwater-sim/highwater/engine/trace"
)

// liveReplica looks at a replica whose process runs.
func (i *inspector) liveReplica(tp kafka.TopicPartition, id kafka.NodeID) (r broker.Replica, ok bool) {
	if id < 1 || int(id) > len(i.w.Brokers()) {
		return r, false
	}
	if m := i.w.Brokers()[id-1].Broker(); m != nil {
		return m.Replica(tp)
	}
	return r, false
}

// careRows say what retention and the cleaner have to do with a replica.
func (i *inspector) careRows(tp kafka.TopicPartition, id kafka.NodeID) {
	r, ok := i.liveReplica(tp, id)
	if !ok {
		return
	}
	c := r.Care(i.c.Now)
	if n := r.Log.RemovedSize(); n > 0 {
		i.row("deleted, still on disk", size(n))
	}
	if !c.Config.Compact {
		return
	}
	m := &c.Cleanable
	i.row("clean", fmt.Sprintf("below %d · %s", m.FirstDirty, size(m.CleanBytes)))
	i.row("dirty", fmt.Sprintf("%d..%d · %s, up to the %s", m.FirstDirty, m.FirstUncleanable, size(m.DirtyBytes), m.Bound))
	i.row("dirty ratio", fmt.Sprintf("%d %% of %d %%", m.DirtyRatioPPM()/10_000, c.Config.DirtyRatioPPM/10_000))
	if c.Uncleanable {
		i.warn("cleaner", "gave this log up (KIP-346)")
	}
	if p := c.Pass; p != nil {
		i.row("cleaner", p.Stage.String())
		if p.Stage == storage.Rewriting {
			g := p.Groups[p.Group]
			i.row("segments being written", fmt.Sprintf("%d..%d, %d of %d", g.Base, g.End, p.Group+1, len(p.Groups)))
			i.row("kept so far", fmt.Sprintf("%d of %d", p.Stats.Kept, p.Stats.Read))
		}
		i.row("step done at", c.StepDue.String())
	} else if c.NextLook != kafka.Never {
		i.row("cleaner looks at", c.NextLook.String())
	}
}

// whyKept explains why a record is still in a log, and what would end that.
func (i *inspector) whyKept(tp kafka.TopicPartition, id kafka.NodeID, b *storage.Batch, rec *record.Record) {
	r, ok := i.liveReplica(tp, id)
	if !ok {
		return
	}
	c := r.Care(i.c.Now)
	i.out.WhyTitle = fmt.Sprintf("Why is record %d still here?", rec.Offset)
	if c.Config.Compact {
		i.whyNotCleaned(&r, &c, b, rec)
	}
	if c.Config.Delete {
		i.whyNotDeleted(&r, &c, b)
	}
	i.whatEndsIt(tp, &c, rec)
}

// whatEndsIt says what the user can do so that a record goes.
func (i *inspector) whatEndsIt(tp kafka.TopicPartition, c *broker.Care, rec *record.Record) {
	if c.Config.Compact && rec.Key != nil && rec.Value != nil {
		i.fact(fmt.Sprintf("a later record with its key ends it, or a tombstone: produce … key=%s tombstone", text(rec.Key)), "cleanup.policy=compact", trace.Note{})
	}
	if c.Config.Delete {
		i.fact("it goes sooner with a shorter time: config topic "+tp.Topic+" retention.ms=1000", "retention.ms", trace.Note{})
	}
	if t, p := i.find(tp); t != nil && p.Leader != kafka.NoNode && rec.Offset < p.HW && c.Config.Delete {
		i.fact(fmt.Sprintf("or at once, with all before it: delete-records %s %d", tp, rec.Offset+1), "kafka-delete-records", trace.Note{})
	}
}

// whyNotDeleted is about the segment that a record is in.
func (i *inspector) whyNotDeleted(r *broker.Replica, c *broker.Care, b *storage.Batch) {
	segs := r.Log.Segments()
	k := 0
	for k+1 < len(segs) && segs[k+1].BaseOffset <= b.Segment {
		k++
	}
	s := &segs[k]
	i.fact(fmt.Sprintf("it goes with its segment %d..%d, whole and after all older ones", s.BaseOffset, s.EndOffset), "UnifiedLog.deleteOldSegments", trace.Note{})
	if s.EndOffset > r.HW {
		i.fact(fmt.Sprintf("the segment reaches above the high watermark %d: it may not go", r.HW), "UnifiedLog.deletableSegments", trace.Note{})
	}
	look := "looked at every log.retention.check.interval.ms, next at " + moment(c.NextCheck)
	if c.Config.Compact {
		look = "the cleaner looks, next at " + c.NextLook.String()
	}
	switch ms := c.Config.RetentionMs; {
	case ms < 0:
		i.fact("time does not delete it: retention.ms=-1", "retention.ms", trace.Note{})
	case s.LargestTimestamp > record.NoTimestamp && ms < 1<<50:
		i.fact(fmt.Sprintf("its newest record is %d ms old; after %s it is older than retention.ms=%d",
			i.c.Now.UnixMilli()-s.LargestTimestamp, moment(kafka.InstantOfUnixMilli(s.LargestTimestamp+ms)), ms), "retention.ms", trace.Note{})
	}
	if n := c.Config.RetentionBytes; n >= 0 {
		i.fact(fmt.Sprintf("the log has %d bytes, retention.bytes=%d; a segment goes if the rest is still as much", r.Log.Size(), n), "retention.bytes", trace.Note{})
	}
	i.fact(look, "LogManager.cleanupLogs", trace.Note{})
}

// whyNotCleaned is about a record's key.
func (i *inspector) whyNotCleaned(r *broker.Replica, c *broker.Care, b *storage.Batch, rec *record.Record) {
	m := &c.Cleanable
	latest := kafka.NoOffset
	for x := range r.Log.Batches(rec.Offset) {
		for o, err := range record.Records(x.Raw) {
			if err == nil && !x.Header.Attributes.Control() && o.Key != nil && rec.Key != nil && string(o.Key) == string(rec.Key) {
				latest = max(latest, o.Offset)
			}
		}
	}
	horizon, dated := b.Header.DeleteHorizon()
	switch {
	case rec.Key == nil:
		i.fact("it has no key: the next pass over it drops it", "Cleaner.shouldRetainRecord", trace.Note{})
	case latest > rec.Offset:
		i.fact(fmt.Sprintf("its key has a later record at offset %d: a pass that reads both drops it", latest), "Cleaner.shouldRetainRecord", trace.Note{})
	case rec.Value == nil && dated:
		i.fact("a tombstone, marked by an earlier pass: the first one after "+moment(kafka.InstantOfUnixMilli(horizon))+" drops it", "KIP-534", trace.Note{})
	case rec.Value == nil:
		i.fact(fmt.Sprintf("a tombstone: the next pass marks it, one more than delete.retention.ms=%d later drops it", c.Config.DeleteRetentionMs), "KIP-534", trace.Note{})
	default:
		i.fact("it is the latest of its key: compaction keeps it", "Cleaner.shouldRetainRecord", trace.Note{})
		return
	}
	if max(latest, rec.Offset) >= m.FirstUncleanable {
		i.fact(fmt.Sprintf("the cleaner stops at offset %d: the %s", m.FirstUncleanable, m.Bound), "LogCleanerManager.cleanableOffsets", trace.Note{})
	}
	switch {
	case c.Uncleanable:
		i.fact("this broker's cleaner has given the log up", "KIP-346", trace.Note{})
	case c.Pass != nil:
		i.fact("a pass is being made: "+c.Pass.Stage.String(), "Cleaner.doClean", trace.Note{})
	case !m.Wanted(&c.Config):
		i.fact(fmt.Sprintf("%d of %d bytes in closed segments are dirty: not above min.cleanable.dirty.ratio", m.DirtyBytes, m.CleanBytes+m.DirtyBytes),
			"min.cleanable.dirty.ratio", trace.Note{})
	}
}

// gone explains why a record that was in a log is not there any more.
func (i *inspector) gone(tp kafka.TopicPartition, id kafka.NodeID, at kafka.Offset) bool {
	log := i.readable(tp, id)
	if log == nil || at < 0 || at >= log.LEO() {
		return false
	}
	i.title("record %d of %s", at, tp)
	i.subtitle("gone from broker %d", id)
	kind := trace.CleanerDone
	if at < log.LogStart() {
		kind = trace.LogStartMoved
	}
	first := trace.Note{}
	i.log.Each(i.w.LastNote(), func(n *trace.Note) {
		if first.ID == 0 && n.Node == id && n.Topic == tp.Topic && n.Part == tp.Partition &&
			(n.Kind == kind || n.Kind == trace.SegmentDeleted && kind == trace.LogStartMoved) && n.Offset > at {
			first = *n
		}
	})
	i.because(first, "")
	i.out.WhyTitle = fmt.Sprintf("Why is record %d gone?", at)
	switch kind {
	case trace.CleanerDone:
		i.fact("it would be here still without a later record of its key, or with a longer min.compaction.lag.ms", "min.compaction.lag.ms", trace.Note{})
	default:
		i.fact("it would be here still with a longer retention.ms or a larger retention.bytes, unless delete-records asked for it", "retention.ms, retention.bytes", trace.Note{})
	}
	return true
}

// moment prints an instant; one that is hours away in days, hours, minutes and
// seconds.
func moment(at kafka.Instant) string {
	const hour = 60 * kafka.Minute
	d := at.Sub(0)
	if d < hour || at == kafka.Never {
		return at.String()
	}
	out := fmt.Sprintf("%dh %dm %ds", d/hour%24, d/kafka.Minute%60, d/kafka.Second%60)
	if days := d / hour / 24; days > 0 {
		out = fmt.Sprintf("%dd %s", days, out)
	}
	return out
}
