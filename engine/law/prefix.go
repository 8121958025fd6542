package law

import (
	"fmt"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/storage"
)

// prefix: below the high watermark, the logs of a leader and of its maximal ISR
// are equal; and a new leader has all that was ever below one. A leader that has
// not heard of its successor yet counts as well: what it commits is on the logs
// of all in its ISR, so on its successor's.
func (c *Checker) prefix(cl Cluster, p *partition, r *seen) {
	newest := p.newest()
	if r.Epoch == newest && r.Log.LEO() < p.committed {
		c.lacking(cl, p, r)
	}
	if r.HW <= 0 || r.Epoch < p.since {
		return
	}
	for _, n := range r.Maximal {
		f, m := c.at(n), p.member(n)
		if f == nil || f == r || m.verified >= r.HW {
			continue
		}
		if f.Log.LEO() < r.HW || f.Log.Unclean() {
			continue // the high watermark's law, or excused
		}
		from := max(m.verified, r.Log.LogStart(), f.Log.LogStart(), r.Log.CleanedTo(), f.Log.CleanedTo())
		if at, same := equalLogs(r.Log, f.Log, from, r.HW); !same {
			c.broken("committed prefix", fmt.Sprintf("%s below the high watermark %d of leader %d: broker %d has another batch at offset %d",
				p.tp, r.HW, r.node, n, at))
			return
		}
		m.verified = r.HW
		if r.Epoch == newest && f.Log.LEO() >= m.until {
			m.excused = false
		}
	}
	own := p.member(r.node)
	own.verified = max(own.verified, r.HW)
	if r.HW > p.committed {
		p.committed, p.lastEpoch = r.HW, r.Log.EpochForOffset(r.HW-1)
	}
}

// complete: the log of a new leader has the last record that was committed, of
// the epoch in which it was (LeaderCompleteness). By log matching it has all
// before it, too.
func (c *Checker) complete(cl Cluster, p *partition, r *seen) {
	if r.Epoch != p.newest() || p.node == r.node && p.epoch == r.Epoch || r.Epoch < p.epoch {
		return
	}
	unclean := p.unclean && r.Epoch >= p.judged
	if unclean {
		p.since = r.Epoch
	}
	last := p.committed - 1
	if e := r.Log.EpochForOffset(last); last >= r.Log.LEO() ||
		last >= r.Log.LogStart() && p.lastEpoch != kafka.NoEpoch && e != kafka.NoEpoch && e != p.lastEpoch {
		c.lacking(cl, p, r)
	}
	p.unclean = p.unclean && !unclean
}

// newest is the latest epoch that somebody led in.
func (p *partition) newest() kafka.LeaderEpoch {
	if len(p.leaders) == 0 {
		return kafka.NoEpoch
	}
	return p.leaders[len(p.leaders)-1].epoch
}

// lacking judges a leader that has not all that was committed: its log ends too
// early, or has other records.
func (c *Checker) lacking(cl Cluster, p *partition, r *seen) {
	excused := 0
	for _, m := range p.members {
		if m.excused {
			excused++
		}
	}
	floor := cl.MinISR(p.tp)
	if !cl.Image().ELREnabled() {
		floor = 1 // the last of the ISR leads, with what its disk has (KIP-966 is about this)
	}
	leo := r.Log.LEO()
	if !p.unclean && excused < floor {
		how := fmt.Sprintf("with log end offset %d", leo)
		if leo >= p.committed {
			how = fmt.Sprintf("with a record of epoch %d at offset %d, where one of epoch %d was", r.Log.EpochForOffset(p.committed-1), p.committed-1, p.lastEpoch)
		}
		c.broken("committed prefix", fmt.Sprintf("%s has leader %d %s, but %d records were committed; %d of its replicas lost power, min.insync.replicas is %d",
			p.tp, r.node, how, p.committed, excused, floor))
		return
	}
	if leo >= p.committed {
		leo = min(r.HW, leo)
	}
	p.committed, p.since = leo, r.Epoch
	p.lastEpoch = r.Log.EpochForOffset(leo - 1)
	for i := range p.members {
		p.members[i].verified = min(p.members[i].verified, p.committed)
		p.members[i].excused = p.members[i].excused && p.members[i].node != r.node
	}
}

// equalLogs compares the batches of two logs in [from, to). It returns where
// they differ first.
func equalLogs(a, b *storage.Log, from, to kafka.Offset) (at kafka.Offset, same bool) {
	for from < to {
		x, _ := a.Read(from, compareBytes, to)
		y, _ := b.Read(from, compareBytes, to)
		n := min(len(x), len(y))
		if n == 0 {
			return from, false
		}
		next, ok := equalBatches(x[:n], y[:n])
		if !ok || next <= from {
			return max(from, next), false
		}
		from = next
	}
	return to, true
}

// compareBytes is how much equalLogs looks at at a time.
const compareBytes = 1 << 16
