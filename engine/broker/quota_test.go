package broker

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// The rate is that of the samples of the last 11 s, taken over one second at
// least (SimpleRate).
func TestThrottle(t *testing.T) {
	const limit = 1000
	at := func(ms int64) kafka.Instant { return kafka.Instant(ms) * kafka.Instant(kafka.Millisecond) }
	var q throttle
	for _, c := range []struct {
		ms, bytes int64
		exceeded  bool
	}{
		{0, 1000, false}, // 1000 bytes in what counts as a second
		{100, 1, true},
		{1001, 0, false}, // 1001 bytes in 1.001 s
		{1500, 2000, true},
		{3001, 0, false}, // 3001 bytes in 3.001 s
		{10_000, 8000, true},
		{11_600, 0, false}, // the first sample has gone: 10,000 bytes in 10.1 s
		{40_000, 0, false},
		{40_000, 1500, true},
	} {
		if c.bytes > 0 {
			q.record(at(c.ms), int64(c.bytes))
		}
		if got := q.exceeded(at(c.ms), limit); got != c.exceeded {
			t.Errorf("at %d ms: exceeded is %v", c.ms, got)
		}
		if q.exceeded(at(c.ms), noLimit) {
			t.Errorf("at %d ms: no limit is exceeded", c.ms)
		}
		if c.exceeded {
			free := q.free(at(c.ms), limit)
			if wait := free.Sub(at(c.ms)); wait < kafka.Millisecond || wait > kafka.Second {
				t.Errorf("at %d ms: free after %v", c.ms, wait)
			}
		}
	}
	var one throttle
	one.record(at(0), 1500)
	if free := one.free(at(600), limit); free != at(1500) {
		t.Errorf("1500 bytes at 1000 bytes/s are free at %v", free)
	}
	if one.exceeded(at(1500), limit) || !one.exceeded(at(1499), limit) {
		t.Error("free is not the instant at which the rate is within the limit")
	}
}

func TestListed(t *testing.T) {
	for _, c := range []struct {
		list      string
		partition int32
		id        kafka.NodeID
		want      bool
	}{
		{"", 0, 1, false}, {"*", 7, 9, true}, {"0:1,0:3,1:12", 0, 3, true}, {"0:1, 0:3", 0, 3, true},
		{"0:1,0:3,1:12", 1, 1, false}, {"0:1,0:3,1:12", 3, 0, false}, {"10:1", 0, 1, false}, {"x:y", 0, 0, false},
	} {
		if got := listed(c.list, c.partition, c.id); got != c.want {
			t.Errorf("%q names %d:%d: %v", c.list, c.partition, c.id, got)
		}
	}
}
