package law

import (
	"maps"
	"slices"

	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/highwater-sim/highwater/engine/trace"
)

// Ledger knows which records the cluster can still serve, by identity: for each
// partition those on the leader's log; if the leader's process does not run, or
// there is no leader, those on the longest log among the replicas that may be
// elected without an unclean election (ISR and ELR), as it will be after
// recovery.
//
// It reads each record once: Update goes on where it stopped, and goes back
// only where logs were cut. What retention or the cleaner took away was not lost:
// it stays stored if it was read before, and is not looked for if its offset is
// known from the ack. Its zero value is ready. Copies (Clone) share what
// they have read.
type Ledger struct {
	index  map[kafka.TopicPartition]int
	parts  []shelf
	names  []string // of producers, in the order in which they were met
	books  []book   // by producer
	outage []outage // sorted by node
	stale  bool     // records were taken away: books must be made anew
	seen   bool     // every partition was looked at since a process or a topic last came or went
	topics int      // then
	dirty  []int    // what notes were about since the last Update
}

// book is what is stored of one producer.
type book struct {
	stored client.IDs
	extra  int64 // copies beyond the first
}

// shelf is what was read of one partition.
type shelf struct {
	tp     kafka.TopicPartition
	epochs []storage.EpochEntry // of the batches read
	end    kafka.Offset         // read up to here
	pages  []*idPage
	count  int
	dirty  bool
	until  kafka.Instant // stays dirty until then
	gone   kafka.Offset  // retention or the cleaner may have taken records before it

	recovered []recovered
}

// recovered is a copy of a crashed log, as it will be after recovery.
type recovered struct {
	node kafka.NodeID
	life int // of the node's process when the copy was made
	log  *storage.Log
}

// entry is one stored record.
type entry struct {
	id       int64
	offset   kafka.Offset
	producer int32
}

const pageEntries = 1024

// idPage is a page of entries. A shared one belongs to more than one Ledger.
type idPage struct {
	shared  bool
	entries []entry
}

// outage counts the starts and ends of a broker's process.
type outage struct {
	node  kafka.NodeID
	times int
}

// Clone returns a copy. It costs a pointer per page.
func (l *Ledger) Clone() *Ledger {
	c := *l
	c.index = maps.Clone(l.index)
	c.parts = slices.Clone(l.parts)
	for i := range c.parts {
		s := &c.parts[i]
		for _, p := range s.pages {
			p.shared = true
		}
		s.pages = slices.Clone(s.pages)
		s.epochs = slices.Clone(s.epochs)
		s.recovered = slices.Clone(s.recovered)
	}
	c.names = slices.Clone(l.names)
	c.books = slices.Clone(l.books)
	for i := range c.books {
		c.books[i].stored = l.books[i].stored.Clone()
	}
	c.outage = slices.Clone(l.outage)
	c.dirty = slices.Clone(l.dirty)
	return &c
}

// commitTime is how long a decision of the controller takes at most to be in
// the committed metadata.
const commitTime = kafka.Second

// Noted takes a note: what it is about is looked at by the next Update.
func (l *Ledger) Noted(n *trace.Note) {
	switch n.Kind {
	case trace.Crash, trace.PowerLoss, trace.DiskFormatted, trace.Boot, trace.Shutdown:
		l.seen = false
		i, ok := l.findOutage(n.Node)
		if !ok {
			l.outage = slices.Insert(l.outage, i, outage{node: n.Node})
		}
		l.outage[i].times++ // copies of its logs are obsolete
	case trace.Append, trace.BecameLeader, trace.LeaderElected, trace.ISRChanged, trace.ELRChanged, trace.Truncated, trace.LogStartMoved:
		i, ok := l.index[kafka.TopicPartition{Topic: n.Topic, Partition: n.Part}]
		if !ok {
			l.seen = l.seen && kafka.IsInternal(n.Topic)
			return
		}
		s := &l.parts[i]
		if n.Kind == trace.LeaderElected || n.Kind == trace.ISRChanged || n.Kind == trace.ELRChanged {
			s.until = n.At.Add(commitTime)
		}
		if !s.dirty {
			s.dirty = true
			l.dirty = append(l.dirty, i)
		}
	}
}

func (l *Ledger) findOutage(n kafka.NodeID) (int, bool) {
	return slices.BinarySearchFunc(l.outage, n, func(o outage, n kafka.NodeID) int { return int(o.node - n) })
}

func (l *Ledger) life(n kafka.NodeID) int {
	if i, ok := l.findOutage(n); ok {
		return l.outage[i].times
	}
	return 0
}

// Update reads what has changed since the last time.
func (l *Ledger) Update(cl Cluster) {
	img := cl.Image()
	if !l.seen || l.topics != len(img.Topics) {
		l.updateAll(cl)
	}
	again := l.dirty[:0]
	for _, i := range l.dirty {
		s := &l.parts[i]
		if s.dirty = s.until > cl.Now(); s.dirty {
			again = append(again, i)
		}
		if reg := img.Partition(s.tp); reg != nil {
			l.read(s, l.serving(cl, s, reg))
		} else {
			l.cut(s, 0) // deleted
		}
	}
	l.dirty = again
	if l.stale {
		l.rebuild()
	}
}

// updateAll has every partition looked at, those that are gone included.
func (l *Ledger) updateAll(cl Cluster) {
	img := cl.Image()
	l.seen, l.topics = true, len(img.Topics)
	for _, t := range img.Topics {
		for i := range t.Partitions {
			if !kafka.IsInternal(t.Name) {
				l.shelf(kafka.TopicPartition{Topic: t.Name, Partition: int32(i)})
			}
		}
	}
	l.dirty = l.dirty[:0]
	for i := range l.parts {
		l.parts[i].dirty = true
		l.dirty = append(l.dirty, i)
	}
}

// shelf makes the shelf of a partition unless it is there.
func (l *Ledger) shelf(tp kafka.TopicPartition) {
	if _, ok := l.index[tp]; ok {
		return
	}
	if l.index == nil {
		l.index = map[kafka.TopicPartition]int{}
	}
	l.index[tp] = len(l.parts)
	l.parts = append(l.parts, shelf{tp: tp})
}

// serving returns the log that the cluster serves, or can come to serve; nil
// if there is none.
func (l *Ledger) serving(cl Cluster, s *shelf, reg *metadata.Partition) *storage.Log {
	if r, ok := cl.Replica(reg.Leader, s.tp); ok && r.Up && !r.Log.Unclean() {
		s.recovered = nil
		return r.Log
	}
	var best *storage.Log
	for _, set := range [][]kafka.NodeID{reg.ISR, reg.ELR} {
		for _, n := range set {
			r, ok := cl.Replica(n, s.tp)
			if !ok {
				continue
			}
			log := l.asRecovered(s, n, r.Log)
			if best == nil || log.LatestEpoch() > best.LatestEpoch() ||
				log.LatestEpoch() == best.LatestEpoch() && log.LEO() > best.LEO() {
				best = log
			}
		}
	}
	return best
}

// asRecovered returns the log as it will be after recovery.
func (l *Ledger) asRecovered(s *shelf, n kafka.NodeID, log *storage.Log) *storage.Log {
	if !log.Unclean() {
		return log
	}
	life := l.life(n)
	for i := range s.recovered {
		if s.recovered[i].node == n && s.recovered[i].life == life {
			return s.recovered[i].log
		}
	}
	c := Recovered(log)
	s.recovered = append(s.recovered, recovered{n, life, c})
	return c
}

// read takes what a log has that the shelf has not, after taking away what the
// shelf has that the log has not.
func (l *Ledger) read(s *shelf, log *storage.Log) {
	if log == nil {
		l.cut(s, 0)
		return
	}
	s.gone = max(log.LogStart(), log.CleanedTo())
	l.cut(s, common(s, log))
	if s.end >= log.LEO() {
		return
	}
	from := max(s.end, log.LogStart())
	for b := range log.Batches(from) {
		if b.Header.BaseOffset < from {
			continue
		}
		if n := len(s.epochs); n == 0 || s.epochs[n-1].Epoch != b.Header.LeaderEpoch {
			s.epochs = append(s.epochs, storage.EpochEntry{Epoch: b.Header.LeaderEpoch, StartOffset: b.Header.BaseOffset})
		}
		if !b.Header.Attributes.Control() {
			l.take(s, b.Raw)
		}
	}
	s.end = log.LEO()
}

// take enters the records of a batch.
func (l *Ledger) take(s *shelf, raw record.Raw) {
	it, err := record.NewIterator(raw)
	if err != nil {
		return
	}
	var rec record.Record
	for it.Next(&rec) {
		name, id, ok := client.Identity(&rec)
		if !ok {
			continue
		}
		p := l.producer(name)
		l.put(s, entry{id, rec.Offset, int32(p)})
		if !l.stale && !l.books[p].stored.Add(id) {
			l.books[p].extra++
		}
	}
}

func (l *Ledger) producer(name []byte) int {
	for i, n := range l.names {
		if n == string(name) {
			return i
		}
	}
	l.names = append(l.names, string(name))
	l.books = append(l.books, book{})
	return len(l.names) - 1
}

func (l *Ledger) put(s *shelf, e entry) {
	i := s.count / pageEntries
	if i == len(s.pages) {
		s.pages = append(s.pages, &idPage{})
	}
	p := s.pages[i]
	if p.shared {
		p = &idPage{entries: slices.Clone(p.entries)}
		s.pages[i] = p
	}
	p.entries = append(p.entries[:s.count%pageEntries], e)
	s.count++
}

// common is how far the shelf and a log agree: up to the end of the latest
// epoch that both have from the same offset on (KIP-101).
func common(s *shelf, log *storage.Log) kafka.Offset {
	if n := len(s.epochs); n > 0 && s.end <= log.LEO() && log.EpochForOffset(s.end-1) == s.epochs[n-1].Epoch {
		return s.end
	}
	end := s.end
	for i := len(s.epochs) - 1; i >= 0; i-- {
		e := s.epochs[i]
		if found, logEnd := log.EndOffsetForEpoch(e.Epoch, log.LEO()); found == e.Epoch && logEnd > e.StartOffset {
			return min(end, logEnd)
		}
		end = e.StartOffset
	}
	if len(s.epochs) == 0 {
		return s.end
	}
	return min(end, log.LogStart())
}

// cut takes away the records from an offset on.
func (l *Ledger) cut(s *shelf, end kafka.Offset) {
	if end >= s.end {
		return
	}
	s.end = end
	for s.count > 0 && s.pages[(s.count-1)/pageEntries].entries[(s.count-1)%pageEntries].offset >= end {
		s.count--
		l.stale = true
	}
	s.pages = s.pages[:(s.count+pageEntries-1)/pageEntries]
	for n := len(s.epochs); n > 0 && s.epochs[n-1].StartOffset >= end; n-- {
		s.epochs = s.epochs[:n-1]
	}
}

// rebuild makes the books from the shelves.
func (l *Ledger) rebuild() {
	l.stale = false
	for i := range l.books {
		l.books[i] = book{}
	}
	for i := range l.parts {
		left := l.parts[i].count
		for _, p := range l.parts[i].pages {
			for _, e := range p.entries[:min(left, len(p.entries))] {
				if b := &l.books[e.producer]; !b.stored.Add(e.id) {
					b.extra++
				}
			}
			left -= min(left, len(p.entries))
		}
	}
}

// Entry is what the ledger knows of one producer, as of the last Update.
type Entry struct {
	Stored     int64 // different records on the logs that are served
	Duplicated int64 // copies beyond the first there
	Lost       int64 // acked, and on none of those logs
}

// Of returns a producer's entry.
func (l *Ledger) Of(p Producer) Entry {
	e := Entry{Lost: p.Acked.Len()}
	var stored *client.IDs
	for i, n := range l.names {
		if n == p.Name {
			b := &l.books[i]
			stored = &b.stored
			e = Entry{stored.Len(), b.extra, p.Acked.CountNotIn(stored)}
		}
	}
	if e.Lost > 0 && p.EachAck != nil {
		e.Lost -= l.takenAway(p, stored)
	}
	return e
}

// takenAway counts the acked records that are not stored because retention or
// the cleaner took them.
func (l *Ledger) takenAway(p Producer, stored *client.IDs) (n int64) {
	any := false
	for i := range l.parts {
		any = any || l.parts[i].gone > 0
	}
	if !any {
		return 0
	}
	p.EachAck(func(tp kafka.TopicPartition, id int64, at kafka.Offset) bool {
		if i, ok := l.index[tp]; ok && at < l.parts[i].gone && (stored == nil || !stored.Has(id)) {
			n++
		}
		return true
	})
	return n
}
