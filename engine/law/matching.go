package law

import (
	"bytes"
	"fmt"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/storage"
)

// growth is what a follower appended.
type growth struct {
	node        kafka.NodeID
	first, last kafka.Offset
}

// logMatching: the same offset and leader epoch is the same batch. Only what
// followers appended in this event needs a look; what is below was looked at
// when it came.
func (c *Checker) logMatching(cl Cluster, p *partition, reg *metadata.Partition) {
	for _, g := range p.grown {
		r, ok := cl.Replica(g.node, p.tp)
		if !ok || unclean(r.Log) {
			continue
		}
		epoch := r.Log.EpochForOffset(g.last)
		for _, n := range reg.Replicas {
			o, ok := cl.Replica(n, p.tp)
			if n == g.node || !ok || unclean(o.Log) || g.last >= o.Log.LEO() || o.Log.EpochForOffset(g.last) != epoch {
				continue
			}
			if same, known := matches(r.Log, o.Log, g.last); known && !same {
				c.broken("log matching", fmt.Sprintf("%s offset %d, leader epoch %d: brokers %d and %d hold different batches",
					p.tp, g.last, epoch, g.node, n))
			}
		}
	}
}

// Recovered returns a log as the next start of its broker will find it: itself,
// unless a crash went over it.
func Recovered(l *storage.Log) *storage.Log {
	if unclean(l) {
		l = l.Clone()
		l.Recover()
	}
	return l
}

// unclean reports whether a log has yet to be recovered after a crash: then it
// serves nothing.
func unclean(l *storage.Log) bool {
	_, err := l.Read(l.LogStart(), 0, l.LogStart())
	return err != nil
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
		if !shared && !bytes.Equal(x[:n], y[:n]) {
			return max(next, r.BaseOffset()), false
		}
		next = r.NextOffset()
		x, y = x[n:], y[n:]
	}
	return next, next >= 0
}
