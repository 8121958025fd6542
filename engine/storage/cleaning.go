package storage

import (
	"slices"
	"sort"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
)

// Cleaning is one pass of the log cleaner over one log (Cleaner.doClean), step
// by step so that it can be watched: first the dirty part is read into a map from
// key to latest offset, then the segments below the map's end are written anew,
// group by group. A step happens at its end, when its bytes have been read.
//
//	Indexing ──> Rewriting group 1 ──> group 2 ──> ... ──> done
//
// It is plain data and never changes: Advance returns the next state.
type Cleaning struct {
	Cleanable Cleanable
	Started   kafka.Instant
	Stage     CleanStage
	End       kafka.Offset // below it all is cleaned by this pass; known after Indexing
	Groups    []CleanGroup // known after Indexing
	Group     int          // the group that is being written
	Stats     CleanStats   // of the groups that are done

	entriesMax int
	latest     map[string]kafka.Offset // shared, never changed once built
	aborted    []abortedTxn            // by producer and offset
	producers  []ProducerTail          // sorted by id
	open       []openTxn               // transactions that the rewriting is in, sorted by producer
}

// CleanStage is what a pass is doing.
type CleanStage uint8

// The stages.
const (
	Indexing  CleanStage = iota // reading the dirty part into the offset map
	Rewriting                   // writing segments anew
	Cleaned                     // done
)

// String names the stage.
func (s CleanStage) String() string {
	return [...]string{"building the offset map", "rewriting", "done"}[s]
}

// CleanGroup is a run of segments that become one.
type CleanGroup struct {
	Base     kafka.Offset
	End      kafka.Offset // base offset of the segment after it
	Bytes    int64
	Segments int
}

// CleanStats counts what a pass did (CleanerStats).
type CleanStats struct {
	BytesRead, BytesWritten int64
	Read, Kept              int64 // records, control records included
	Superseded              int64 // a later record has the key
	Tombstones              int64 // dropped: their horizon had passed
	Markers                 int64 // dropped transaction markers
	Aborted                 int64 // records of aborted transactions
	NullKeys                int64 // dropped: a record without a key has no place here
	Horizons                int64 // batches that got a delete horizon
	HorizonMs               int64 // the latest horizon that was set, ms
	Empty                   int64 // batches kept without records
	Segments                int64 // segments read
}

type abortedTxn struct {
	id          int64
	first, last kafka.Offset
}

// openTxn is a transaction that the rewriting has seen data of.
type openTxn struct {
	id      int64
	aborted bool
}

// NewCleaning plans a pass. entriesMax is how many keys the offset map holds
// (log.cleaner.dedupe.buffer.size / 24 x 0.9); producers are those that the
// partition knows, sorted by id.
func NewCleaning(now kafka.Instant, c Cleanable, entriesMax int, producers []ProducerTail) *Cleaning {
	return &Cleaning{Cleanable: c, Started: now, entriesMax: max(entriesMax, 1), producers: producers}
}

// Work is how many bytes the present step reads, and writes at most.
func (c *Cleaning) Work() int64 {
	switch c.Stage {
	case Indexing:
		return c.Cleanable.DirtyBytes
	case Rewriting:
		return c.Groups[c.Group].Bytes
	}
	return 0
}

// Advance ends the present step and returns the state after it. A log that was
// cut or expired under the pass ends it: aborted. An error is a batch that
// cannot be read: the partition is uncleanable until then (KIP-346).
func (c *Cleaning) Advance(l *Log, now kafka.Instant) (next *Cleaning, aborted bool, err error) {
	n := *c
	switch c.Stage {
	case Indexing:
		err = n.index(l)
		n.Stage = Rewriting
		if len(n.Groups) == 0 {
			n.Stage = Cleaned
		}
	case Rewriting:
		g := c.Groups[c.Group]
		from := l.closedFor(g.Base)
		if from+g.Segments > len(l.closed) || l.closed[from].base != g.Base || l.seg(from+g.Segments).base != g.End {
			return nil, true, nil
		}
		n.open = slices.Clone(c.open)
		var data []byte
		if data, err = n.rewrite(l, from, from+g.Segments); err != nil {
			break
		}
		l.replaceSegments(now, from, from+g.Segments, data)
		l.cleanedTo = max(l.cleanedTo, g.End, n.End) // the map may reach farther than the group
		n.Stats.Segments += int64(g.Segments)
		if n.Group++; n.Group == len(n.Groups) {
			n.Stage = Cleaned
		}
	}
	if err != nil {
		return nil, false, err
	}
	return &n, false, nil
}

// index builds the offset map over [first dirty, first uncleanable), as far as
// there is room for it, and groups the segments below its end
// (Cleaner.buildOffsetMap).
func (c *Cleaning) index(l *Log) error {
	from, end := l.closedFor(c.Cleanable.FirstDirty), l.segBounded(c.Cleanable.FirstUncleanable)
	c.aborted = l.abortedTxns(end)
	c.latest = make(map[string]kafka.Offset)
	c.End = c.Cleanable.FirstDirty
	stop := from
	for ; stop < end; stop++ {
		full, err := c.indexSegment(l, stop)
		if err != nil {
			return err
		}
		if full {
			break
		}
		c.End = l.seg(stop + 1).base
	}
	if stop < end && c.End > l.closed[stop].base {
		stop++ // the segment in which the map got full: records behind its end stay
	}
	starts := l.groupSegments(stop)
	for i := 0; i+1 < len(starts); i++ {
		g := CleanGroup{Base: l.closed[starts[i]].base, End: l.seg(starts[i+1]).base, Segments: starts[i+1] - starts[i]}
		for _, s := range l.closed[starts[i]:starts[i+1]] {
			g.Bytes += int64(s.size)
		}
		c.Groups = append(c.Groups, g)
	}
	return nil
}

// indexSegment reads a segment's keys into the map and reports whether it is
// full: then the next record with a key ends it, even if its key is in the map, and
// the map's end is after the last batch before (Cleaner.buildOffsetMapForSegment).
func (c *Cleaning) indexSegment(l *Log, i int) (full bool, err error) {
	l.segmentBatches(i, i+1, func(r record.Raw) bool {
		if a := r.Attributes(); !a.Control() && !(a.Transactional() && c.isAborted(r)) {
			for rec, bad := range record.Records(r) {
				if bad != nil {
					err = bad
					return false
				}
				if rec.Key == nil || rec.Offset < c.Cleanable.FirstDirty {
					continue
				}
				if len(c.latest) >= c.entriesMax {
					full = true
					return false
				}
				c.latest[string(rec.Key)] = rec.Offset
			}
		}
		if r.LastOffset() >= c.Cleanable.FirstDirty {
			c.End = r.NextOffset()
		}
		return true
	})
	return full, err
}

// abortedTxns finds the aborted transactions with data in the first segments.
// Kafka has them in the transaction index; they follow from the markers.
func (l *Log) abortedTxns(segments int) []abortedTxn {
	var open, gone []abortedTxn
	bound := l.seg(segments).base
	for b := range l.Batches(l.seg(0).base) {
		if b.Header.BaseOffset >= bound && len(open) == 0 {
			break
		}
		h := &b.Header
		i := slices.IndexFunc(open, func(t abortedTxn) bool { return t.id == h.ProducerID })
		switch {
		case !h.Attributes.Transactional():
		case !h.Attributes.Control():
			if i < 0 && h.BaseOffset < bound {
				open = append(open, abortedTxn{id: h.ProducerID, first: h.BaseOffset})
			}
		case i >= 0:
			if m, ok := markerOf(b.Raw); ok && !m.Commit {
				open[i].last = h.LastOffset()
				gone = append(gone, open[i])
			}
			open = slices.Delete(open, i, i+1)
		}
	}
	slices.SortFunc(gone, func(a, b abortedTxn) int {
		switch {
		case a.id != b.id:
			return int(max(-1, min(1, a.id-b.id)))
		case a.first < b.first:
			return -1
		}
		return 1
	})
	return gone
}

// markerOf reads the transaction marker in a control batch.
func markerOf(r record.Raw) (record.Marker, bool) {
	for rec, err := range record.Records(r) {
		if err != nil {
			break
		}
		m, err := record.ParseMarker(&rec)
		return m, err == nil
	}
	return record.Marker{}, false
}

// isAborted reports whether a transactional data batch belongs to an aborted
// transaction.
func (c *Cleaning) isAborted(r record.Raw) bool {
	id, off := r.ProducerID(), r.BaseOffset()
	i := sort.Search(len(c.aborted), func(i int) bool {
		t := &c.aborted[i]
		return t.id > id || t.id == id && t.last >= off
	})
	return i < len(c.aborted) && c.aborted[i].id == id && c.aborted[i].first <= off
}
