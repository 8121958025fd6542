package storage

import (
	"hash/crc32"
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
)

// producerSnapshot is a file OFFSET.snapshot beside the segments: what was known
// of producers below the offset (ProducerStateManager.takeSnapshot). Its content
// is the broker's business.
type producerSnapshot struct {
	at   kafka.Offset
	data []byte // never changed
}

// SaveProducers writes a snapshot of the state of producers, of all batches
// below an offset. It is flushed at once; those before the first segment go.
func (l *Log) SaveProducers(at kafka.Offset, data []byte) {
	kept := make([]producerSnapshot, 0, len(l.snapshots)+1)
	for _, s := range l.snapshots {
		if s.at < at && s.at >= l.seg(0).base {
			kept = append(kept, s)
		}
	}
	l.snapshots = append(kept, producerSnapshot{at, data})
}

// SavedProducers returns the newest snapshot, which must not be changed; ok is
// false if there is none.
func (l *Log) SavedProducers() (at kafka.Offset, data []byte, ok bool) {
	if len(l.snapshots) == 0 {
		return 0, nil, false
	}
	s := l.snapshots[len(l.snapshots)-1]
	return s.at, s.data, true
}

// trimSnapshots removes those of a part of the log that was cut off.
func (l *Log) trimSnapshots() {
	n := len(l.snapshots)
	for n > 0 && l.snapshots[n-1].at > l.leo {
		n--
	}
	l.snapshots = slices.Clip(l.snapshots[:n])
}

func (l *Log) digestSnapshots(h *sim.Hash) {
	h.Int(int64(len(l.snapshots)))
	for _, s := range l.snapshots {
		h.Int(int64(s.at))
		h.Uint64(uint64(crc32.ChecksumIEEE(s.data)))
	}
}
