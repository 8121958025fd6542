package broker

import (
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/highwater-sim/highwater/engine/trace"
)

// The log cleaner (LogCleaner.java, LogCleanerManager.java): log.cleaner.threads
// of them. Each takes the filthiest log that is dirty enough and that no other is
// at, then deletes old segments of compacted logs, whether there was one to clean
// or not, and sleeps log.cleaner.backoff.ms if there was none, or it could not be
// cleaned. Logs that were put aside are not looked at for either.
//
//	asleep ──> look ──┬─ nothing to do ─> expire ─> back-off ─> look
//	    ▲             ├─ a log ─> pass, step by step ─> expire ─> look
//	    └─────────────┴─ no log could ever need it ─> asleep until one grows
//
// The offset map's memory is shared out among the threads for good, the throttle's
// rate (log.cleaner.io.max.bytes.per.second) among those that are at a pass when a
// step begins. What a step wrote is charged to the step after it. A change of the
// cleaner's configs ends every pass and begins anew (LogCleaner.reconfigure).

const (
	// cleanerBytesPerSecond is how fast a pass goes on our disks where no throttle
	// is set: reading, hashing and writing. Ours, not Kafka's.
	cleanerBytesPerSecond = 100 << 20
	// bytesPerKey is an entry of the offset map: an MD5 sum and an offset
	// (SkimpyOffsetMap.java).
	bytesPerKey = 24
	// cleanerMapMax is the most memory of a thread's offset map.
	cleanerMapMax = math.MaxInt32
	// cleanerThreadsMax bounds what runs here; Kafka does not.
	cleanerThreadsMax = 64
)

// The uses of timerCleaner, told apart by A; B is the thread.
const (
	cleanerLook int32 = iota
	cleanerStep
)

// cleaner is what the cleaner's threads share.
type cleaner struct {
	threads []cleanerThread
	bad     []int32 // uncleanable partitions (KIP-346), sorted; never changed in place
	done    int64   // passes since the process began
}

// cleanerThread is one thread of the cleaner.
type cleanerThread struct {
	last kafka.Instant // when it looked last, or began
	next kafka.Instant // when it looks next; Never: asleep, or at a pass
	pass *storage.Cleaning
	part int32          // that the pass is over
	due  kafka.Instant  // when the pass's step is done
	take kafka.Duration // how long the step takes in all
	owed int64          // bytes that the pass has written and the throttle not counted
}

// startCleaner starts as many threads as there are to be; passes under way are
// given up.
func (b *Broker) startCleaner(now kafka.Instant, out *sim.Out) {
	c := &b.care.cleaner
	for t := range c.threads {
		if th := &c.threads[t]; th.pass != nil {
			b.abortCleaning(b.parts[th.part], "the cleaner's configs have changed", out)
		}
		out.ClearTimer(cleanerTimer(cleanerLook, t))
	}
	c.threads = make([]cleanerThread, min(b.set.cleaner.threads, cleanerThreadsMax))
	for t := range c.threads {
		c.threads[t] = cleanerThread{last: now, next: kafka.Never}
	}
	b.wakeCleaner(out)
}

func cleanerTimer(use int32, thread int) sim.Timer {
	t := timer(timerCleaner, use)
	t.B = int32(thread)
	return t
}

// at returns the thread that is over a partition, -1 if none is.
func (c *cleaner) at(part int32) int {
	return slices.IndexFunc(c.threads, func(t cleanerThread) bool { return t.pass != nil && t.part == part })
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

// stirCleaner wakes sleeping threads for a log that has grown.
func (b *Broker) stirCleaner(p *partition, out *sim.Out) {
	if p.set.log.Compact && b.care.cleaner.asleep() && b.mayNeedCleaner(p) {
		b.wakeCleaner(out)
	}
}

// asleep reports whether some thread sleeps until a log grows.
func (c *cleaner) asleep() bool {
	for i := range c.threads {
		if t := &c.threads[i]; t.pass == nil && t.next == kafka.Never {
			return true
		}
	}
	return false
}

// wakeCleaner has sleeping threads look at their next regular moment.
func (b *Broker) wakeCleaner(out *sim.Out) {
	for i := range b.care.cleaner.threads {
		b.wakeThread(i, out)
	}
}

func (b *Broker) wakeThread(i int, out *sim.Out) {
	t := &b.care.cleaner.threads[i]
	if !b.set.cleaner.enable || t.pass != nil || t.next != kafka.Never {
		return
	}
	backoff := max(b.set.cleaner.backoff, kafka.Millisecond)
	t.next = t.last.Add((out.Now().Sub(t.last)/backoff + 1) * backoff)
	out.SetTimer(cleanerTimer(cleanerLook, i), t.next)
}

func (b *Broker) cleanerFired(now kafka.Instant, use, thread int32, out *sim.Out) {
	switch {
	case int(thread) >= len(b.care.cleaner.threads):
	case use == cleanerStep:
		b.cleanerSteps(now, int(thread), out)
	default:
		b.care.cleaner.threads[thread].next = kafka.Never
		b.cleanerLooks(now, int(thread), out)
	}
}

// cleanerLooks has a thread pick the filthiest log and begin a pass over it
// (LogCleanerManager.grabFilthiestCompactedLog), or delete and sleep.
func (b *Broker) cleanerLooks(now kafka.Instant, thread int, out *sim.Out) {
	c := &b.care.cleaner
	t := &c.threads[thread]
	if t.pass != nil {
		return
	}
	t.last = now
	best := int32(-1)
	var most storage.Cleanable
	for i, p := range b.parts {
		if p == nil || !p.set.log.Compact || !b.log(p).HasCleanable(b.dir.CleanCheckpoint(p.slot)) || slices.Contains(c.bad, int32(i)) || c.at(int32(i)) >= 0 || p.move.phase != moveNone {
			continue
		}
		m := b.log(p).Cleanable(now, b.dir.CleanCheckpoint(p.slot), p.hw)
		if c := b.dir.CleanCheckpoint(p.slot); c != kafka.NoOffset && c != m.FirstDirty { // it is of no use
			b.dir.SetCleanCheckpoint(p.slot, m.FirstDirty)
		}
		if m.Wanted(&p.set.log) && (best < 0 || m.Filthier(&most)) {
			best, most = int32(i), m
		}
	}
	if best >= 0 {
		b.beginCleaning(now, thread, best, most, out)
		return
	}
	if b.expireCompacted(now, out) {
		b.wakeThread(thread, out)
	}
}

// expireCompacted deletes old segments of the logs that are the cleaner's
// (LogCleanerManager.deletableLogs), and reports whether one of them may need the
// cleaner again.
func (b *Broker) expireCompacted(now kafka.Instant, out *sim.Out) (needed bool) {
	c := &b.care.cleaner
	for i, p := range b.parts {
		if p != nil && p.set.log.Compact && c.at(int32(i)) < 0 && !slices.Contains(c.bad, int32(i)) {
			b.expireLog(now, int32(i), out)
			needed = needed || b.mayNeedCleaner(b.parts[i])
		}
	}
	return needed
}

func (b *Broker) beginCleaning(now kafka.Instant, thread int, i int32, m storage.Cleanable, out *sim.Out) {
	p := b.parts[i]
	why := "dirty ratio " + ratioText(m.DirtyRatioPPM()) + " > " + ratioText(p.set.log.DirtyRatioPPM)
	if !m.Exceeds(p.set.log.DirtyRatioPPM) {
		why = "a record is older than max.compaction.lag.ms=" + itoa(p.set.log.MaxCompactionLagMs)
	}
	out.Note(trace.Note{
		Kind: trace.CleanerStarted, Topic: p.tp.Topic, Part: p.tp.Partition, Node: b.cfg.ID,
		From: m.FirstDirty, Offset: m.FirstUncleanable, N: m.DirtyBytes, Say: why,
	})
	t := &b.care.cleaner.threads[thread]
	t.pass = storage.NewCleaning(now, m, b.set.cleaner.keysMax(), p.producers.tails())
	t.part, t.owed = i, 0
	b.planStep(now, thread, out)
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

// planStep sets the time that the step of a thread's pass takes: as fast as the disk
// is, or as the thread's part of the throttle lets it.
func (b *Broker) planStep(now kafka.Instant, thread int, out *sim.Out) {
	c := &b.care.cleaner
	busy := int64(0)
	for i := range c.threads {
		if c.threads[i].pass != nil {
			busy++
		}
	}
	t := &c.threads[thread]
	work := t.pass.Work()
	t.take = max(lasts(work, cleanerBytesPerSecond), lasts(work+t.owed, max(b.set.cleaner.rate/busy, 1)))
	t.due, t.owed = now.Add(t.take), 0
	out.SetTimer(cleanerTimer(cleanerStep, thread), t.due)
}

// lasts is how long bytes take at a rate per second.
func lasts(bytes, rate int64) kafka.Duration {
	if bytes/rate >= int64(kafka.Never/kafka.Instant(kafka.Second)) {
		return kafka.Duration(kafka.Never)
	}
	part, _ := bits.Div64(mul(uint64(bytes%rate), uint64(kafka.Second), uint64(rate)))
	return kafka.Duration(bytes/rate)*kafka.Second + kafka.Duration(part)
}

// mul gives a*b in 128 bits, and d as it is.
func mul(a, b, d uint64) (hi, lo, same uint64) {
	hi, lo = bits.Mul64(a, b)
	return hi, lo, d
}

// cleanerSteps ends a step of a thread's pass.
func (b *Broker) cleanerSteps(now kafka.Instant, thread int, out *sim.Out) {
	t := &b.care.cleaner.threads[thread]
	if t.pass == nil {
		return
	}
	p := b.parts[t.part]
	if p == nil {
		t.pass = nil
		b.cleanerLooks(now, thread, out)
		return
	}
	before := t.pass
	next, aborted, err := before.Advance(b.mutLog(p), now)
	switch {
	case err != nil:
		t.pass, t.last = nil, now
		b.uncleanable(p, err, out)
		b.wakeThread(thread, out)
		return
	case aborted:
		b.abortCleaning(p, "its segments are not there any more", out)
		return
	default:
		t.pass = next
		t.owed += next.Stats.BytesWritten - before.Stats.BytesWritten
		b.noteStep(p, before, next, out)
		b.purgeLater(b.log(p).PurgeDue(), out)
		if next.Stage != storage.Cleaned {
			b.planStep(now, thread, out)
			return
		}
		t.pass = nil
		b.cleaned(now, p, next, out)
		b.expireCompacted(now, out)
	}
	b.cleanerLooks(now, thread, out)
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

// abortCleaning ends the pass over a partition without an end; its thread looks for
// another log at once.
func (b *Broker) abortCleaning(p *partition, why string, out *sim.Out) {
	if p == nil {
		return
	}
	thread := b.care.cleaner.at(p.num)
	if thread < 0 {
		return
	}
	t := &b.care.cleaner.threads[thread]
	t.pass, t.next = nil, out.Now()
	out.ClearTimer(cleanerTimer(cleanerStep, thread))
	out.SetTimer(cleanerTimer(cleanerLook, thread), t.next)
	out.Note(trace.Note{Kind: trace.CleanerAborted, Topic: p.tp.Topic, Part: p.tp.Partition, Node: b.cfg.ID, Say: why})
}

// cleanerTruncated adapts the cleaner to a log that was cut
// (LogCleaner.maybeTruncateCheckpoint, abortAndPauseCleaning).
func (b *Broker) cleanerTruncated(p *partition, out *sim.Out) {
	if leo := b.log(p).LEO(); b.dir.CleanCheckpoint(p.slot) > leo {
		b.dir.SetCleanCheckpoint(p.slot, leo)
	}
	b.abortCleaning(p, "the log was truncated", out)
}

// ratioText prints millionths as a decimal number.
func ratioText(ppm int64) string {
	s := strconv.FormatInt(1_000_000+ppm%1_000_000, 10)[1:]
	for len(s) > 1 && s[len(s)-1] == '0' {
		s = s[:len(s)-1]
	}
	return itoa(ppm/1_000_000) + "." + s
}
