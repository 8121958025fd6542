package law

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/highwater-sim/highwater/engine/trace"
)

// keyed appends one batch with keys to brokers' logs and closes the segment.
func (f *fake) keyed(t *testing.T, keys string, brokers ...int) {
	t.Helper()
	for _, b := range brokers {
		var bld record.Builder
		bld.Reset(record.BatchSpec{})
		for _, k := range keys {
			bld.Add(kafka.StartUnixMilli, []byte(string(k)), []byte("v"), nil)
		}
		if _, _, err := f.replicas[b].Log.AppendAsLeader(0, bld.Take(), 0); err != nil {
			t.Fatal(err)
		}
		f.replicas[b].Log.Roll(0)
	}
}

// clean runs a pass of the cleaner on a broker.
func (f *fake) clean(t *testing.T, b int) *trace.Note {
	t.Helper()
	l := f.replicas[b].Log
	p := storage.NewCleaning(0, l.Cleanable(0, kafka.NoOffset, l.LEO()), 100, nil)
	for p.Stage != storage.Cleaned {
		next, aborted, err := p.Advance(l, 0)
		if aborted || err != nil {
			t.Fatal(aborted, err)
		}
		p = next
	}
	return &trace.Note{Kind: trace.CleanerDone, Topic: "t", Node: kafka.NodeID(b)}
}

func TestCleaner(t *testing.T) {
	f, c := newFake(), &Checker{}
	f.keyed(t, "abab", 1, 2, 3)
	f.keyed(t, "ac", 1, 2, 3)
	for b := 1; b <= 3; b++ {
		f.replicas[b].HW = 6
	}
	mustHold(t, step(c, f, hw(1, 6)))
	mustHold(t, step(c, f, f.clean(t, 1)))
	mustHold(t, step(c, f, f.clean(t, 3)))

	f, c = newFake(), &Checker{}
	f.keyed(t, "abab", 1, 2)
	f.keyed(t, "abac", 3)
	for b := 1; b <= 3; b++ {
		f.replicas[b].HW = 4
	}
	mustBreak(t, step(c, f, f.clean(t, 1)), "cleaner", "t-0", "broker 3", `"b" at offset 3`)
}

func TestLogStartBelowHighWatermark(t *testing.T) {
	f, c := newFake(), &Checker{}
	f.put(t, 0, 0, 5, 1, 2, 3)
	f.replicas[1].HW, f.replicas[2].HW, f.replicas[3].HW = 5, 3, 5
	moved := &trace.Note{Kind: trace.LogStartMoved, Topic: "t", Node: 2}
	if _, err := f.replicas[2].Log.SetLogStart(3); err != nil {
		t.Fatal(err)
	}
	mustHold(t, step(c, f, moved))
	if _, err := f.replicas[2].Log.SetLogStart(4); err != nil {
		t.Fatal(err)
	}
	mustBreak(t, step(c, f, moved), "retention", "broker 2", "log start offset 4", "high watermark 3")
}
