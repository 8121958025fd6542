package broker

import (
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
)

// The throttle of replication (KIP-73; server/.../ReplicationQuotaManager.java,
// ReplicaManager.shouldLeaderThrottle). Replicas that a topic's lists name, and
// that are not in sync, get no more than the broker's rate: as leader it gives
// them no data while the rate is exceeded, as follower it does not ask for any.
//
//	leader    read ── listed, outside the ISR, rate exceeded ──> no data, looked at again
//	follower  append ── listed, behind, rate exceeded ──> taken out of the fetch until it is not

// noLimit is the rate of a throttle that is off.
const noLimit int64 = math.MaxInt64

const (
	quotaSamples = 11           // replication.quota.window.num
	quotaWindow  = kafka.Second // replication.quota.window.size.seconds
)

// throttle measures bytes over the last samples (common/metrics/stats/SimpleRate).
// The zero value has seen none.
type throttle struct {
	samples [quotaSamples]quotaSample
	n       int // samples in use
	current int
}

type quotaSample struct {
	start kafka.Instant
	bytes int64
}

// record counts bytes.
func (t *throttle) record(now kafka.Instant, n int64) {
	switch {
	case t.n == 0:
		t.samples[0], t.n = quotaSample{start: now}, 1
	case now.Sub(t.samples[t.current].start) >= quotaWindow:
		t.current = (t.current + 1) % quotaSamples
		t.samples[t.current] = quotaSample{start: now}
		t.n = max(t.n, t.current+1)
	}
	t.samples[t.current].bytes += n
}

// measure sums what is not too old, and says since when.
func (t *throttle) measure(now kafka.Instant) (bytes int64, since kafka.Instant) {
	since = now
	for i := range t.n {
		s := &t.samples[i]
		if now.Sub(s.start) >= quotaSamples*quotaWindow {
			*s = quotaSample{start: now}
		}
		bytes += s.bytes
		since = min(since, s.start)
	}
	return bytes, since
}

// exceeded reports whether the rate, in bytes per second, is above limit.
func (t *throttle) exceeded(now kafka.Instant, limit int64) bool {
	if limit == noLimit || t.n == 0 {
		return false
	}
	bytes, since := t.measure(now)
	return more(bytes, kafka.Second, limit, max(now.Sub(since), quotaWindow))
}

// more reports whether a*x > b*y; none is negative.
func more(a int64, x kafka.Duration, b int64, y kafka.Duration) bool {
	h1, l1 := bits.Mul64(uint64(a), uint64(x))
	h2, l2 := bits.Mul64(uint64(b), uint64(y))
	return h1 > h2 || h1 == h2 && l1 > l2
}

// free is when the rate will be within limit if nothing is added: looked at
// again after a second at the latest, as a fetcher with nothing to do looks.
func (t *throttle) free(now kafka.Instant, limit int64) kafka.Instant {
	bytes, since := t.measure(now)
	wait := kafka.Second
	if limit > 0 && bytes/limit < int64(quotaSamples) {
		need := kafka.Duration(bytes/limit)*kafka.Second + kafka.Duration(bytes%limit)*kafka.Second/kafka.Duration(limit)
		wait = min(wait, need-now.Sub(since))
	}
	return now.Add(max(kafka.Millisecond, wait))
}

func (t *throttle) digest(h *sim.Hash) {
	h.Int(int64(t.n))
	h.Int(int64(t.current))
	for i := range t.n {
		h.Int(int64(t.samples[i].start))
		h.Int(t.samples[i].bytes)
	}
}

// listed reports whether a list of throttled replicas, "0:1,0:3" or "*", names
// one.
func listed(list string, partition int32, id kafka.NodeID) bool {
	if list == "*" {
		return true
	}
	for e := range strings.SplitSeq(list, ",") {
		p, n, ok := strings.Cut(strings.TrimSpace(e), ":")
		if !ok {
			continue
		}
		i, err := strconv.Atoi(p)
		j, err2 := strconv.Atoi(n)
		if err == nil && err2 == nil && int32(i) == partition && kafka.NodeID(j) == id {
			return true
		}
	}
	return false
}

// leaderThrottles reports whether a follower outside the ISR gets nothing now.
func (b *Broker) leaderThrottles(now kafka.Instant, p *partition, inSync bool) bool {
	return b.set.leaderRate != noLimit && !inSync && b.leaderThrottled(p) && b.gives.exceeded(now, b.set.leaderRate)
}

func (b *Broker) leaderThrottled(p *partition) bool {
	return listed(p.set.leaderThrottled, p.tp.Partition, b.cfg.ID)
}

// gave counts what a response to a follower holds of throttled partitions.
func (b *Broker) gave(now kafka.Instant, s *session, results []readResult) {
	for i := range results {
		r := &results[i]
		if n := s.parts[r.pos].part; r.told && len(r.records) > 0 && n >= 0 && b.leaderThrottled(b.parts[n]) {
			b.gives.record(now, int64(len(r.records)))
		}
	}
}

// took counts what a follower fetched, and reports until when the partition is
// left out of its fetches; 0: it is not.
func (b *Broker) took(now kafka.Instant, p *partition, n int, behind bool) kafka.Instant {
	if b.set.followerRate == noLimit || !listed(p.set.followerThrottled, p.tp.Partition, b.cfg.ID) {
		return 0
	}
	b.takes.record(now, int64(n))
	if !behind || !b.takes.exceeded(now, b.set.followerRate) {
		return 0
	}
	return b.takes.free(now, b.set.followerRate)
}
