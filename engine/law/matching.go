package law

import (
	"bytes"
	"fmt"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/storage"
)

// growth is what a follower appended last in an event.
type growth struct {
	node kafka.NodeID
	last kafka.Offset
}

// logMatching: the same offset and leader epoch is the same batch. Only what a
// follower appended in this event needs a look, and only beside its leader: what
// is below was looked at when it came, and what others hold they had from a
// leader too.
func (c *Checker) logMatching(cl Cluster, p *partition, leader kafka.NodeID) {
	if len(p.grown) == 0 {
		return
	}
	l, f := &c.pair[0], &c.pair[1] // memory for the two; no state
	if !cl.ReplicaOf(leader, p.tp, p.id, l) {
		return
	}
	for _, g := range p.grown {
		if g.node == leader || !cl.ReplicaOf(g.node, p.tp, p.id, f) || g.last < max(l.Log.CleanedTo(), f.Log.CleanedTo()) {
			continue // each cleans its log by itself, so what was cleaned may differ
		}
		x, y := batchAt(l.Log, g.last), batchAt(f.Log, g.last)
		if x == nil || y == nil || &x[0] == &y[0] || x.LeaderEpoch() != y.LeaderEpoch() || sameBatch(x, y) {
			continue
		}
		c.broken("log matching", fmt.Sprintf("%s offset %d, leader epoch %d: brokers %d and %d hold different batches",
			p.tp, g.last, x.LeaderEpoch(), g.node, leader))
	}
}

// batchAt returns the batch with an offset, nil if the log has none or cannot
// be read.
func batchAt(l *storage.Log, off kafka.Offset) record.Raw {
	b, err := l.Read(off, 1, off+1)
	if err != nil || len(b) == 0 {
		return nil
	}
	r, err := record.Frame(b)
	if err != nil || r.BaseOffset() > off {
		return nil
	}
	return r
}

// Recovered returns a log as the next start of its broker will find it: itself,
// unless a crash went over it.
func Recovered(l *storage.Log) *storage.Log {
	if l.Unclean() {
		l = l.Clone()
		l.Recover()
	}
	return l
}

// equalBatches compares two runs of batches from the same offset on, of the
// same length in bytes, of which the last one may be cut off. It returns the
// offset after the last whole batch that was equal.
func equalBatches(x, y []byte) (next kafka.Offset, same bool) {
	shared := &x[0] == &y[0]
	next = -1
	for len(x) > 0 {
		r, err := record.Frame(x)
		if err != nil {
			break // cut off: the other log's chunk ends here
		}
		n := r.Size()
		if !shared && !sameBatch(x[:n], y[:n]) {
			return max(next, r.BaseOffset()), false
		}
		next = r.NextOffset()
		x, y = x[n:], y[n:]
	}
	return next, next >= 0
}

// sameBatch reports whether two batches are equal, or were before a disk damaged
// one of them: then its checksum is still the other's, and does not fit it.
func sameBatch(x, y record.Raw) bool {
	return bytes.Equal(x, y) || len(x) == len(y) && bytes.Equal(x[:record.HeaderSize], y[:record.HeaderSize]) &&
		(record.VerifyCRC(x) != nil || record.VerifyCRC(y) != nil)
}
