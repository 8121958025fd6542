package broker

import (
	"slices"
	"strconv"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/highwater-sim/highwater/engine/trace"
)

// The log cleaner (LogCleaner.java, LogCleanerManager.java): one thread. It takes
// the filthiest log that is dirty enough, then deletes old segments of compacted
// logs, and sleeps log.cleaner.backoff.ms if there was nothing to clean.
//
//	asleep ──> look ──┬─ nothing to do ─> expire ─> back-off ─> look
//	    ▲             ├─ a log ─> pass, step by step ─> look
//	    └─────────────┴─ no log could ever need it ─> asleep until one grows
//
// Left out: more threads, the throttle's account of writes (what is read counts).

const (
	// cleanerBytesPerSecond is how fast a pass goes on our disks where no throttle
	// is set: reading, hashing and writing. Ours, not Kafka's.
	cleanerBytesPerSecond = 100 << 20
	// bytesPerKey is an entry of the offset map: an MD5 sum and an offset
	// (SkimpyOffsetMap.java).
	bytesPerKey = 24
)

// The uses of timerCleaner, told apart by A.
const (
	cleanerLook int32 = iota
	cleanerStep
)

// cleaner is the cleaner thread.
type cleaner struct {
	last kafka.Instant // when it looked last, or began
	next kafka.Instant // when it looks next; Never: asleep, or at a pass
	pass *storage.Cleaning
	part int32         // that the pass is over
	due  kafka.Instant // when the pass's step is done
	bad  []int32       // uncleanable partitions (KIP-346), sorted; never changed in place
	done int64         // passes since the process began
}

// mayNeedCleaner reports whether the cleaner could have anything to do on a log
// some day as it stands.
func (b *Broker) mayNeedCleaner(p *partition) bool {
	if !p.set.log.Compact {
		return false
	}
	l := b.log(p)
	return p.set.log.Delete && l.Size() > 0 || l.HasCleanable(b.dir.CleanCheckpoint(p.slot))
}

// stirCleaner wakes a sleeping cleaner for a log that has grown.
func (b *Broker) stirCleaner(p *partition, out *sim.Out) {
	if p.set.log.Compact && b.care.cleaner.next == kafka.Never && b.mayNeedCleaner(p) {
		b.wakeCleaner(out)
	}
}

// wakeCleaner has a sleeping cleaner look at its next regular moment.
func (b *Broker) wakeCleaner(out *sim.Out) {
	c := &b.care.cleaner
	if !b.set.cleanerEnable || c.pass != nil || c.next != kafka.Never {
		return
	}
	backoff := max(b.set.cleanerBackoff, kafka.Millisecond)
	c.next = c.last.Add((out.Now().Sub(c.last)/backoff + 1) * backoff)
	out.SetTimer(timer(timerCleaner, cleanerLook), c.next)
}

func (b *Broker) cleanerFired(now kafka.Instant, use int32, out *sim.Out) {
	if use == cleanerStep {
		b.cleanerSteps(now, out)
		return
	}
	b.care.cleaner.next = kafka.Never
	b.cleanerLooks(now, out)
}

// cleanerLooks picks the filthiest log and begins a pass over it
// (LogCleanerManager.grabFilthiestCompactedLog), or deletes and sleeps.
func (b *Broker) cleanerLooks(now kafka.Instant, out *sim.Out) {
	c := &b.care.cleaner
	if c.pass != nil {
		return
	}
	c.last = now
	best := int32(-1)
	var most storage.Cleanable
	for i, p := range b.parts {
		if p == nil || !p.set.log.Compact || !b.log(p).HasCleanable(b.dir.CleanCheckpoint(p.slot)) || slices.Contains(c.bad, int32(i)) {
			continue
		}
		m := b.log(p).Cleanable(now, b.dir.CleanCheckpoint(p.slot), p.hw)
		if m.Wanted(&p.set.log) && (best < 0 || m.Filthier(&most)) {
			best, most = int32(i), m
		}
	}
	if best >= 0 {
		b.beginCleaning(now, best, most, out)
		return
	}
	needed := false
	for i, p := range b.parts {
		if p != nil && p.set.log.Compact {
			b.expireLog(now, int32(i), out)
			needed = needed || b.mayNeedCleaner(b.parts[i])
		}
	}
	if needed {
		b.wakeCleaner(out)
	}
}

func (b *Broker) beginCleaning(now kafka.Instant, i int32, m storage.Cleanable, out *sim.Out) {
	p := b.parts[i]
	why := "dirty ratio " + ratioText(m.DirtyRatioPPM()) + " > " + ratioText(p.set.log.DirtyRatioPPM)
	if !m.Exceeds(p.set.log.DirtyRatioPPM) {
		why = "a record is older than max.compaction.lag.ms=" + itoa(p.set.log.MaxCompactionLagMs)
	}
	out.Note(trace.Note{
		Kind: trace.CleanerStarted, Topic: p.tp.Topic, Part: p.tp.Partition, Node: b.cfg.ID,
		From: m.FirstDirty, Offset: m.FirstUncleanable, N: m.DirtyBytes, Say: why,
	})
	c := &b.care.cleaner
	c.pass = storage.NewCleaning(now, m, int(b.set.cleanerBuffer/bytesPerKey*9/10), p.producers.tails())
	c.part = i
	b.planStep(now, out)
}

// tails are the last batches of the producers that a partition knows.
func (s producers) tails() []storage.ProducerTail {
	var t []storage.ProducerTail
	for i := range s {
		p := &s[i]
		last := kafka.NoOffset
		if p.n > 0 {
			last = p.batches[p.n-1].last
		}
		t = append(t, storage.ProducerTail{ID: p.id, Epoch: p.epoch, LastOffset: last})
	}
	return t
}

// planStep sets the time that the pass's step takes.
func (b *Broker) planStep(now kafka.Instant, out *sim.Out) {
	c := &b.care.cleaner
	c.due = now.Add(b.stepTakes(c.pass.Work()))
	out.SetTimer(timer(timerCleaner, cleanerStep), c.due)
}

// stepTakes is how long the cleaner needs to read a number of bytes.
func (b *Broker) stepTakes(work int64) kafka.Duration {
	rate := min(b.set.cleanerRate, cleanerBytesPerSecond)
	return kafka.Duration(work/rate)*kafka.Second + kafka.Duration(work%rate*int64(kafka.Second)/rate)
}

// cleanerSteps ends a step of the pass.
func (b *Broker) cleanerSteps(now kafka.Instant, out *sim.Out) {
	c := &b.care.cleaner
	if c.pass == nil {
		return
	}
	p := b.parts[c.part]
	if p == nil {
		c.pass = nil
		b.cleanerLooks(now, out)
		return
	}
	before := c.pass
	next, aborted, err := before.Advance(b.mutLog(p), now)
	switch {
	case err != nil:
		b.uncleanable(p, err, out)
	case aborted:
		b.abortCleaning(p, "its segments are not there any more", out)
		return
	default:
		c.pass = next
		b.noteStep(p, before, next, out)
		b.purgeLater(b.log(p).PurgeDue(), out)
		if next.Stage != storage.Cleaned {
			b.planStep(now, out)
			return
		}
		b.cleaned(now, p, next, out)
	}
	b.cleanerLooks(now, out)
}

// noteStep tells of a group of segments that was written.
func (b *Broker) noteStep(p *partition, before, after *storage.Cleaning, out *sim.Out) {
	if before.Stage != storage.Rewriting {
		return
	}
	g := before.Groups[before.Group]
	out.Note(trace.Note{
		Kind: trace.CleanerWrote, Topic: p.tp.Topic, Part: p.tp.Partition, Node: b.cfg.ID,
		From: g.Base, Offset: g.End, N: after.Stats.Kept - before.Stats.Kept,
		Say: itoa(g.Bytes) + " -> " + itoa(after.Stats.BytesWritten-before.Stats.BytesWritten) + " bytes",
	})
	if n := after.Stats.Horizons - before.Stats.Horizons; n > 0 {
		out.Note(trace.Note{
			Kind: trace.HorizonSet, Topic: p.tp.Topic, Part: p.tp.Partition, Node: b.cfg.ID, N: n,
			Say: "gone from " + kafka.InstantOfUnixMilli(after.Stats.HorizonMs).String() + " on",
		})
	}
}

// cleaned ends a pass: its end goes into cleaner-offset-checkpoint.
func (b *Broker) cleaned(now kafka.Instant, p *partition, pass *storage.Cleaning, out *sim.Out) {
	c := &b.care.cleaner
	c.pass = nil
	c.done++
	if pass.End <= pass.Cleanable.FirstDirty { // the offset map is too small for one batch
		c.bad = insertSorted(c.bad, p.num)
	}
	b.dir.SetCleanCheckpoint(p.slot, pass.End)
	s := &pass.Stats
	out.Note(trace.Note{
		Kind: trace.CleanerDone, Topic: p.tp.Topic, Part: p.tp.Partition, Node: b.cfg.ID,
		Offset: pass.End, N: s.Read - s.Kept, Took: now.Sub(pass.Started), Say: cleanText(s),
	})
}

// cleanText says what a pass did with the records that it read.
func cleanText(s *storage.CleanStats) string {
	text := "kept " + itoa(s.Kept) + " of " + itoa(s.Read)
	for _, f := range []struct {
		n    int64
		what string
	}{
		{s.Superseded, " superseded"}, {s.Tombstones, " tombstones"}, {s.Markers, " markers"},
		{s.Aborted, " aborted"}, {s.NullKeys, " without key"},
	} {
		if f.n > 0 {
			text += ", " + itoa(f.n) + f.what
		}
	}
	return text
}

// uncleanable puts a log aside until the process starts anew (KIP-346): the
// cleaner goes on with others, and this one grows.
func (b *Broker) uncleanable(p *partition, err error, out *sim.Out) {
	c := &b.care.cleaner
	c.pass = nil
	c.bad = insertSorted(c.bad, p.num)
	out.Note(trace.Note{
		Kind: trace.Uncleanable, Topic: p.tp.Topic, Part: p.tp.Partition, Node: b.cfg.ID, Offset: b.log(p).LEO(), Say: err.Error(),
	})
}

func insertSorted(list []int32, n int32) []int32 {
	if i, ok := slices.BinarySearch(list, n); !ok {
		return slices.Insert(slices.Clone(list), i, n)
	}
	return list
}

// abortCleaning ends a pass without an end.
func (b *Broker) abortCleaning(p *partition, why string, out *sim.Out) {
	b.care.cleaner.pass = nil
	out.ClearTimer(timer(timerCleaner, cleanerStep))
	out.Note(trace.Note{Kind: trace.CleanerAborted, Topic: p.tp.Topic, Part: p.tp.Partition, Node: b.cfg.ID, Say: why})
	b.wakeCleaner(out)
}

// cleanerTruncated adapts the cleaner to a log that was cut
// (LogCleaner.maybeTruncateCheckpoint, abortAndPauseCleaning).
func (b *Broker) cleanerTruncated(p *partition, out *sim.Out) {
	if leo := b.log(p).LEO(); b.dir.CleanCheckpoint(p.slot) > leo {
		b.dir.SetCleanCheckpoint(p.slot, leo)
	}
	if c := &b.care.cleaner; c.pass != nil && c.part == p.num {
		b.abortCleaning(p, "the log was truncated", out)
	}
}

// ratioText prints millionths as a decimal number.
func ratioText(ppm int64) string {
	s := strconv.FormatInt(1_000_000+ppm%1_000_000, 10)[1:]
	for len(s) > 1 && s[len(s)-1] == '0' {
		s = s[:len(s)-1]
	}
	return itoa(ppm/1_000_000) + "." + s
}
