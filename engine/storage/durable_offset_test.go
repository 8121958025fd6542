package storage

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
)

// A loss of power leaves exactly what DurableOffset said.
func TestDurableOffsetIsWhatPowerLossLeaves(t *testing.T) {
	for flushAt := range 40 {
		l := New(0, DefaultConfig(), 0)
		for i := range 40 {
			if i == flushAt {
				l.Flush()
			}
			b := record.Build(record.BatchSpec{Records: []record.Record{{Value: make([]byte, 300)}}})
			if _, _, err := l.AppendAsLeader(kafka.Instant(i), b, 0); err != nil {
				t.Fatal(err)
			}
		}
		want := l.DurableOffset()
		l.LosePageCache()
		l.Recover()
		if l.LEO() != want || want != kafka.Offset(flushAt) {
			t.Errorf("flushed after %d records: durable offset %d, log end offset after power loss %d", flushAt, want, l.LEO())
		}
	}
}
