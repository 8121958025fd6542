package sim

import (
	"slices"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// The queue gives events in order of (instant, sequence), whatever is added and
// taken out in between.
func TestQueueAgainstASortedList(t *testing.T) {
	rng := NewRand(1, "queue")
	var q queue
	var model []key
	now, seq := kafka.Instant(0), uint64(0)
	for range 200_000 {
		switch n := rng.IntN(10); {
		case n < 5:
			seq++
			at := now.Add(kafka.Duration(rng.IntN(5)))
			if n == 0 {
				at = now.Add(kafka.Duration(rng.IntN(10_000)))
			}
			h := q.alloc(&event{at: at, seq: seq})
			q.push(h)
			k := key{at, seq, h}
			i, _ := slices.BinarySearchFunc(model, k, func(a, b key) int {
				if a.before(b) {
					return -1
				}
				return 1
			})
			model = slices.Insert(model, i, k)
		case n < 9 && len(model) > 0:
			at, ok := q.next()
			h := q.pop()
			if !ok || at != model[0].at || h != model[0].h {
				t.Fatalf("got event %d at %v, want %d at %v", h, at, model[0].h, model[0].at)
			}
			now, model = model[0].at, model[1:]
			q.release(h)
		case len(model) > 0:
			i := int(rng.IntN(int64(len(model))))
			q.remove(model[i].h)
			model = slices.Delete(model, i, i+1)
		}
		if q.empty() != (len(model) == 0) {
			t.Fatal("empty or not")
		}
	}
	for i, h := range q.sorted() {
		if h != model[i].h {
			t.Fatalf("event %d of the sorted ones is %d, want %d", i, h, model[i].h)
		}
	}
}
