package view_test

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
)

const twoThreads = `title two threads
cluster brokers=1 log.cleaner.io.max.bytes.per.second=200 log.cleaner.backoff.ms=1000
topic   a cleanup.policy=compact segment.bytes=400 min.cleanable.dirty.ratio=0.1
topic   b cleanup.policy=compact segment.bytes=400 min.cleanable.dirty.ratio=0.1
producer p topic=a rate=10/s keys=2 count=100 linger.ms=0
producer q topic=b rate=10/s keys=2 count=100 linger.ms=0
at 0s config cluster log.cleaner.threads=2
at 100s end
`

// Two threads are at two logs at once; what a pass has done so far is seen, and
// going back and forth in time gives the same.
func TestCleanerThreads(t *testing.T) {
	h := open(t, twoThreads)
	var b view.Builder
	var c view.Cluster
	both, dropped := 0, int64(0)
	digests := map[kafka.Instant]uint64{}
	for at := kafka.Instant(0); at < 90*kafka.Instant(kafka.Second); at = at.Add(500 * kafka.Millisecond) {
		h.RunUntil(at, 1<<40)
		b.Build(h.World(), view.Options{}, &c)
		busy := 0
		for i := range 2 {
			if r := &c.Topics[i].Partitions[0].Replicas[0]; r.Cleaning != "" {
				busy++
				if r.Cleaned.Read != r.Cleaned.Kept+r.Cleaned.Superseded {
					t.Fatalf("at %v: %+v", at, r.Cleaned)
				}
				dropped = max(dropped, r.Cleaned.Superseded)
			}
		}
		if busy == 2 {
			both++
		}
		if at%(10*kafka.Instant(kafka.Second)) == 0 {
			digests[at] = h.Digest()
		}
	}
	if both < 10 || dropped == 0 {
		t.Errorf("both logs are cleaned in %d looks, %d records dropped under a pass", both, dropped)
	}
	for _, at := range []kafka.Duration{70 * kafka.Second, 30 * kafka.Second, 80 * kafka.Second} {
		h.Seek(kafka.Instant(at))
		h.RunUntil(kafka.Instant(at), 1<<40)
		if got, want := h.Digest(), digests[kafka.Instant(at)]; got != want {
			t.Errorf("at %v digest %x after seeking, %x when run", at, got, want)
		}
	}
}
