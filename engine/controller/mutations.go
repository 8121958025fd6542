package controller

import (
	"cmp"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
)

// controller_mutation_rate (KIP-599; server/.../ControllerMutationQuotaManager,
// common/metrics/stats/TokenBucket.java): partitions that clients have created and
// deleted, measured by the active controller. A bucket fills at the quota's rate up to
// what it gives in a whole window; who finds it below zero is refused with
// THROTTLING_QUOTA_EXCEEDED, topic by topic, and told how long to wait. One request may
// take the bucket far below zero.
//
// Left out: the permissive form for versions of requests before KIP-599, topics that
// brokers create by themselves.

// mutationWindow is controller.quota.window.num times
// controller.quota.window.size.seconds.
const mutationWindow = 11

// bucket is what is left for those who share a quota, in millionths of a partition.
type bucket struct {
	user, client string
	tokens       int64 // may be negative
	at           kafka.Instant
}

// mutations is a request's account: whom to charge, and how long he must wait.
type mutations struct {
	c    *Controller
	now  kafka.Instant
	q    metadata.QuotaLimit
	wait kafka.Duration
}

// account opens the account of a request by the tagged field that names its caller.
func (c *Controller) account(now kafka.Instant, tags *kmsg.Tags, validateOnly bool) mutations {
	m := mutations{c: c, now: now}
	if len(c.head.Quotas) == 0 || validateOnly {
		return m
	}
	tags.Each(func(tag uint32, value []byte) {
		if tag == metadata.CallerTag {
			who := metadata.CallerFrom(value)
			m.q = c.head.Quota(metadata.MutationRate, who.User, who.Client)
		}
	})
	return m
}

// charge takes n partitions from the bucket, unless it is empty.
func (m *mutations) charge(n int) *fault {
	if m.q.Limit == 0 {
		return nil
	}
	b := m.c.bucket(m.now, m.q)
	if b.tokens < 0 {
		m.wait = max(m.wait, kafka.Duration((-b.tokens*1000+m.q.Limit/2)/m.q.Limit)*kafka.Millisecond)
		return failf(kafka.ThrottlingQuotaExceeded, "The throttling quota has been exceeded.")
	}
	b.tokens -= int64(n) * 1_000_000
	return nil
}

// bucket returns the bucket of those who share a quota, filled up to now; a new one is
// full.
func (c *Controller) bucket(now kafka.Instant, q metadata.QuotaLimit) *bucket {
	burst := q.Limit * mutationWindow
	i, ok := slices.BinarySearchFunc(c.buckets, q, func(b bucket, q metadata.QuotaLimit) int {
		return cmp.Or(cmp.Compare(b.user, q.User), cmp.Compare(b.client, q.Client))
	})
	if !ok {
		c.buckets = slices.Insert(c.buckets, i, bucket{q.User, q.Client, burst, now})
	}
	b := &c.buckets[i]
	gained := burst // what fills any bucket that is not below zero
	if ms := now.Sub(b.at).Millis(); ms < 1<<30 {
		gained = q.Limit/1000*ms + q.Limit%1000*ms/1000
	}
	b.tokens, b.at = min(burst, b.tokens+gained), now
	return b
}

func digestBuckets(h *sim.Hash, buckets []bucket) {
	h.Int(int64(len(buckets)))
	for i := range buckets {
		h.String(buckets[i].user)
		h.String(buckets[i].client)
		h.Int(buckets[i].tokens)
		h.Int(int64(buckets[i].at))
	}
}
