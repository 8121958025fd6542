package storage

import (
	"fmt"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	_ "github.com/highwater-sim/highwater/engine/record/compress"
)

// The verbs of retention and cleaning. Times are ms since the log began.
//
//	config   on [policy=compact,delete] [retention.ms] [retention.bytes] [ratio] [delete.retention.ms] [min.lag] [max.lag]
//	put      on ms [pid] [seq] [txn] [codec]  one batch; input: a=1 b=~ !=x      (~ no value, ! no key)
//	marker   on ms pid type=commit|abort
//	expire   on ms hw                         deleteOldSegments
//	purge    on ms
//	cleanable on ms from [stable]
//	clean    on ms from [stable] [entries] [live=pid]   a whole pass, step by step
//	records  on                               what is left, batch by batch
func retention(l *Log, a *args) string {
	switch a.d.Cmd {
	case "config":
		return configure(l, a)
	case "put":
		return put(l, a)
	case "marker":
		m := record.Marker{Commit: a.text("type") == "commit"}
		first, _, err := l.AppendAsLeader(0, record.BuildMarker(m, a.must("pid"), 0, kafka.StartUnixMilli+a.must("ms")), 0)
		return fmt.Sprintf("offset %d %v\n", first, err)
	case "expire":
		var b strings.Builder
		for _, d := range l.DeleteExpired(at(a), kafka.Offset(a.num("hw", int64(l.LEO())))) {
			fmt.Fprintf(&b, "%s: segment %d..%d, %d bytes, age %d ms, excess %d\n", d.Reason, d.Segment.BaseOffset, d.Segment.EndOffset, d.Segment.Size, d.Age, d.Excess)
		}
		fmt.Fprintf(&b, "[%d, %d) %d bytes, %d removed\n", l.LogStart(), l.LEO(), l.Size(), l.RemovedSize())
		return b.String()
	case "purge":
		return fmt.Sprintf("%d bytes freed\n", l.Purge(at(a)))
	case "cleanable":
		c := l.Cleanable(at(a), kafka.Offset(a.num("from", -1)), kafka.Offset(a.num("stable", int64(l.LEO()))))
		return cleanableLine(l, &c)
	case "clean":
		return clean(l, a)
	case "records":
		return recordLines(l)
	}
	a.d.Fatalf(a.t, "unknown verb %q", a.d.Cmd)
	return ""
}

func at(a *args) kafka.Instant { return kafka.Instant(a.must("ms")) * kafka.Instant(kafka.Millisecond) }

func configure(l *Log, a *args) string {
	c := l.Config()
	if p, ok := a.find("policy"); ok {
		c.Compact, c.Delete = strings.Contains(p, "compact"), strings.Contains(p, "delete")
	}
	c.RetentionMs = a.num("retention.ms", c.RetentionMs)
	c.RetentionBytes = a.num("retention.bytes", c.RetentionBytes)
	c.DirtyRatioPPM = a.num("ratio", c.DirtyRatioPPM)
	c.DeleteRetentionMs = a.num("delete.retention.ms", c.DeleteRetentionMs)
	c.MinCompactionLagMs = a.num("min.lag", c.MinCompactionLagMs)
	c.MaxCompactionLagMs = a.num("max.lag", c.MaxCompactionLagMs)
	l.SetConfig(c)
	return ""
}

func put(l *Log, a *args) string {
	s := record.BatchSpec{}
	if _, ok := a.find("pid"); ok {
		s.Idempotent, s.ProducerID, s.BaseSequence = true, a.must("pid"), int32(a.num("seq", 0))
	}
	s.Transactional = a.num("txn", 0) == 1
	if name, ok := a.find("codec"); ok {
		s.Codec, _ = record.CodecByName(name)
	}
	ms := kafka.StartUnixMilli + a.must("ms")
	for _, kv := range strings.Fields(a.d.Input) {
		k, v, _ := strings.Cut(kv, "=")
		r := record.Record{Timestamp: ms, Key: []byte(k), Value: []byte(v)}
		if k == "!" {
			r.Key = nil
		}
		if v == "~" {
			r.Value = nil
		}
		s.Records = append(s.Records, r)
		ms++
	}
	first, last, err := l.AppendAsLeader(0, record.Build(s), 0)
	if err != nil {
		return err.Error() + "\n"
	}
	return fmt.Sprintf("[%d, %d]\n", first, last)
}

func cleanableLine(l *Log, c *Cleanable) string {
	cfg := l.Config()
	return fmt.Sprintf("clean %d bytes, dirty [%d, %d) %d bytes, up to the %s; ratio %d due %v: wanted %v\n",
		c.CleanBytes, c.FirstDirty, c.FirstUncleanable, c.DirtyBytes, c.Bound, c.DirtyRatioPPM(), c.Due, c.Wanted(&cfg))
}

func clean(l *Log, a *args) string {
	now := at(a)
	c := l.Cleanable(now, kafka.Offset(a.num("from", -1)), kafka.Offset(a.num("stable", int64(l.LEO()))))
	var live []ProducerTail
	if _, ok := a.find("live"); ok {
		last := kafka.NoOffset
		for b := range l.Batches(0) {
			if b.Header.ProducerID == a.must("live") && !b.Header.Attributes.Control() {
				last = b.Header.LastOffset()
			}
		}
		live = append(live, ProducerTail{ID: a.must("live"), LastOffset: last})
	}
	p := NewCleaning(now, c, int(a.num("entries", 1000)), live)
	var b strings.Builder
	b.WriteString(cleanableLine(l, &c))
	for p.Stage != Cleaned {
		fmt.Fprintf(&b, "%s: %d bytes", p.Stage, p.Work())
		if p.Stage == Rewriting {
			g := p.Groups[p.Group]
			fmt.Fprintf(&b, ", %d segments [%d, %d)", g.Segments, g.Base, g.End)
		}
		b.WriteString("\n")
		next, aborted, err := p.Advance(l, now)
		if aborted || err != nil {
			return b.String() + fmt.Sprintf("aborted %v %v\n", aborted, err)
		}
		p = next
	}
	s := p.Stats
	fmt.Fprintf(&b, "clean to %d: read %d kept %d; superseded %d tombstones %d markers %d aborted %d null keys %d; horizons %d, empty batches %d; %d -> %d bytes\n",
		p.End, s.Read, s.Kept, s.Superseded, s.Tombstones, s.Markers, s.Aborted, s.NullKeys, s.Horizons, s.Empty, s.BytesRead, s.BytesWritten)
	check(a.t, l)
	return b.String()
}

func recordLines(l *Log) string {
	var b strings.Builder
	for x := range l.Batches(0) {
		h := &x.Header
		fmt.Fprintf(&b, "%d: [%d, %d]", x.Segment, h.BaseOffset, h.LastOffset())
		if h.HasProducer() {
			fmt.Fprintf(&b, " pid %d seq %d..%d", h.ProducerID, h.BaseSequence, h.LastSequence())
		}
		if ms, ok := h.DeleteHorizon(); ok {
			fmt.Fprintf(&b, " horizon %d", ms-kafka.StartUnixMilli)
		}
		if err := record.Verify(x.Raw); err != nil {
			fmt.Fprintf(&b, " BROKEN %v", err)
		}
		for r, err := range record.Records(x.Raw) {
			if m, ok := markerOf(x.Raw); ok && h.Attributes.Control() {
				fmt.Fprintf(&b, " %d:commit=%v", r.Offset, m.Commit)
				continue
			}
			k, v := string(r.Key), string(r.Value)
			if r.Key == nil {
				k = "!"
			}
			if r.Value == nil {
				v = "~"
			}
			fmt.Fprintf(&b, " %d:%s=%s", r.Offset, k, v)
			if err != nil {
				fmt.Fprintf(&b, " %v", err)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}
