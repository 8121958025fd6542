package view_test

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/scenario"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/engine/world"
)

// open opens a scenario's text.
func open(t *testing.T, text string) *world.History {
	t.Helper()
	f, err := scenario.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(f.Spec)
	if err != nil {
		t.Fatal(err)
	}
	return world.NewHistory(w, scenario.NewTracker(f), f.Inputs())
}

const slowCleaner = `title compaction
cluster  brokers=1 log.cleaner.io.max.bytes.per.second=200 log.cleaner.backoff.ms=1000
topic    users partitions=1 cleanup.policy=compact segment.bytes=400 min.cleanable.dirty.ratio=0.1
producer db topic=users linger.ms=0

at 1s    produce db key=ada value=1
at 2s    produce db key=bob value=1
at 3s    produce db key=ada value=2
at 4s    produce db key=eve value=1
at 5s    produce db key=ada value=3
at 6s    produce db key=bob value=2
`

// The cleaner is seen at work: what it will drop, how far it is, and what is left.
func TestCleanerIsSeen(t *testing.T) {

	h := open(t, slowCleaner)
	var b view.Builder
	var c view.Cluster
	look := func(at kafka.Duration) *view.Replica {
		h.RunUntil(kafka.Instant(at), 1<<30)
		b.Build(h.World(), view.Options{Cells: 20}, &c)
		return &c.Topics[0].Partitions[0].Replicas[0]
	}
	r := look(6500 * kafka.Millisecond)
	if len(r.Cells) != 6 || len(r.Extents) != 2 || r.Extents[0].Active || !r.Extents[1].Active || r.Extents[1].Base != 5 || r.Extents[1].End != 6 {
		t.Fatalf("before: %d cells, segments %+v", len(r.Cells), r.Extents)
	}
	var drops []kafka.Offset
	last, seen := int64(-1), false
	for at := 6500 * kafka.Millisecond; at < 20*kafka.Second; at += 100 * kafka.Millisecond {
		r = look(at)
		if r.Cleaning != "" {
			if r.CleanDone < last || r.CleanDone > 1_000_000 {
				t.Errorf("at %v done %d after %d", at, r.CleanDone, last)
			}
			last = r.CleanDone
			if r.Cleaning == "rewriting" && !seen {
				seen = true
				for _, x := range r.Cells {
					if x.Fate == view.Superseded {
						drops = append(drops, x.Offset)
					}
				}
			}
		}
	}
	if len(drops) != 2 || drops[0] != 0 || drops[1] != 2 || last < 500_000 {
		t.Errorf("dropped %v, done %d", drops, last)
	}
	var left []kafka.Offset
	for _, x := range r.Cells {
		left = append(left, x.Offset)
	}
	if r.Cleaning != "" || len(left) != 4 || left[0] != 1 || r.CleanTo != 5 || r.CellsFrom != 0 {
		t.Errorf("left %v, cleaned to %d, %s", left, r.CleanTo, r.Cleaning)
	}
}

const overtaken = `title divergence
cluster  brokers=3
topic    orders replica-assignment=1:2:3
producer app topic=orders acks=1 linger.ms=0

at 2s    produce app value=a n=2
at 5s    cut broker-1 broker-2,broker-3,controller-101
at 6s    produce app value=b n=3
at 7s    crash broker-1
at 40s   produce app value=c
`

// A log that went on alone is known by the epochs, also while nobody serves it.
func TestDivergentTailIsSeen(t *testing.T) {
	h := open(t, overtaken)
	h.RunUntil(kafka.Instant(45*kafka.Second), 1<<30)
	var b view.Builder
	var c view.Cluster
	b.Build(h.World(), view.Options{Cells: 20}, &c)
	p := &c.Topics[0].Partitions[0]
	for i := range p.Replicas {
		r := &p.Replicas[i]
		want := int64(0)
		if r.Broker == 1 {
			want = 3
		}
		if r.Divergent != want {
			t.Errorf("broker %d ends at %d, %d of it diverge, want %d", r.Broker, r.LEO, r.Divergent, want)
		}
		if r.Broker == p.Leader && (len(r.Epochs) != 2 || r.Epochs[1].Offset != 2) {
			t.Errorf("epochs of the leader: %+v", r.Epochs)
		}
	}
}
