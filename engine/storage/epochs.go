package storage

import (
	"sort"
	"strconv"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// EpochEntry says at which offset a leader epoch began.
type EpochEntry struct {
	Epoch       kafka.LeaderEpoch
	StartOffset kafka.Offset
}

// epochCache is the leader epoch cache: entries with both fields strictly
// rising (storage/internals/epoch/LeaderEpochFileCache.java). The slice is
// shared between copies: it is only appended to, or cut with its capacity.
type epochCache []EpochEntry

// assign records that an epoch begins at an offset, unless it is known to
// begin there or before. Entries that contradict it go.
func (c *epochCache) assign(epoch kafka.LeaderEpoch, start kafka.Offset) {
	e := *c
	n := len(e)
	if n > 0 && e[n-1].Epoch == epoch && start >= e[n-1].StartOffset {
		return
	}
	for n > 0 && (e[n-1].Epoch >= epoch || e[n-1].StartOffset >= start) {
		n--
	}
	if n < len(e) {
		e = e[:n:n] // copies may share what is cut off
	}
	*c = append(e, EpochEntry{epoch, start})
}

// latest is the newest entry.
func (c epochCache) latest() (EpochEntry, bool) {
	if len(c) == 0 {
		return EpochEntry{Epoch: kafka.NoEpoch, StartOffset: kafka.NoOffset}, false
	}
	return c[len(c)-1], true
}

// endOffsetFor finds the largest epoch that is not above the asked one, and
// where it ended: LeaderEpochFileCache.endOffsetFor. Both are -1 if the epoch
// is -1 or above every known one.
func (c epochCache) endOffsetFor(epoch kafka.LeaderEpoch, leo kafka.Offset) (kafka.LeaderEpoch, kafka.Offset) {
	last, ok := c.latest()
	switch {
	case epoch == kafka.NoEpoch || !ok || epoch > last.Epoch:
		return kafka.NoEpoch, kafka.NoOffset
	case epoch == last.Epoch:
		return epoch, leo
	}
	higher := sort.Search(len(c), func(i int) bool { return c[i].Epoch > epoch })
	if higher == 0 {
		// Older than anything known: its data is gone, and the follower goes on
		// from where the log begins.
		return epoch, c[0].StartOffset
	}
	return c[higher-1].Epoch, c[higher].StartOffset
}

// epochAt is the epoch of the record at an offset, NoEpoch if that is unknown.
func (c epochCache) epochAt(off kafka.Offset) kafka.LeaderEpoch {
	i := sort.Search(len(c), func(i int) bool { return c[i].StartOffset > off })
	if i == 0 {
		return kafka.NoEpoch
	}
	return c[i-1].Epoch
}

// truncateFromEnd forgets epochs that begin at or after an offset.
func (c *epochCache) truncateFromEnd(end kafka.Offset) {
	e := *c
	n := len(e)
	for n > 0 && e[n-1].StartOffset >= end {
		n--
	}
	*c = e[:n:n]
}

// truncateFromStart forgets epochs that ended before an offset; the one that
// the offset is in begins there now.
func (c *epochCache) truncateFromStart(start kafka.Offset) {
	e := *c
	n := sort.Search(len(e), func(i int) bool { return e[i].StartOffset > start })
	if n == 0 || n == 1 && e[0].StartOffset == start {
		return
	}
	rest := make(epochCache, 0, len(e)-n+1)
	rest = append(rest, EpochEntry{e[n-1].Epoch, start})
	*c = append(rest, e[n:]...)
}

// file is the text of leader-epoch-checkpoint.
func (c epochCache) file() []byte {
	b := []byte("0\n")
	b = append(strconv.AppendInt(b, int64(len(c)), 10), '\n')
	for _, e := range c {
		b = append(strconv.AppendInt(b, int64(e.Epoch), 10), ' ')
		b = append(strconv.AppendInt(b, int64(e.StartOffset), 10), '\n')
	}
	return b
}
