package broker

import (
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
)

// Client quotas (KIP-13, KIP-219; server/.../ClientQuotaManager): each broker
// measures what a client.id sends and gets. Who is over the quota is answered at
// once with how long to wait, and not listened to for so long.
//
//	Produce  appended; the response goes out, and the connection is muted
//	Fetch    an empty response goes out instead of the data, and the connection is muted
//
// Nothing is measured for clients without a quota.

// clientUse is what a client did here lately.
type clientUse struct {
	client  string
	produce throttle
	consume throttle
}

// use returns a client's measurements, made on first use. Sorted by client.
func (b *Broker) use(client string) *clientUse {
	i, ok := slices.BinarySearchFunc(b.uses, client, func(u clientUse, c string) int { return strings.Compare(u.client, c) })
	if !ok {
		b.uses = slices.Insert(b.uses, i, clientUse{client: client})
	}
	return &b.uses[i]
}

// over records n bytes and returns for how long a client that may do limit bytes
// per second must wait until it is within the quota again
// (QuotaUtils.throttleTime): with the rate over the window at x times the quota,
// x - 1 windows.
func (t *throttle) over(now kafka.Instant, n int, limit int64) kafka.Duration {
	t.record(now, n)
	bytes, since := t.measure(now)
	window := now.Sub(since).Millis()
	if full := window / quotaWindow.Millis(); full < quotaSamples-1 { // Rate.windowSize
		window += (quotaSamples - 1 - full) * quotaWindow.Millis()
	}
	window = max(window, 1)
	if wait := (bytes*1000+limit/2)/limit - window; wait > 0 {
		return kafka.Duration(wait) * kafka.Millisecond
	}
	return 0
}

// unrecord takes back what was recorded last: it is not sent.
func (t *throttle) unrecord(n int) { t.samples[t.current].bytes -= int64(n) }

// produceQuota records a Produce and returns how long its client must wait.
func (b *Broker) produceQuota(now kafka.Instant, client string, req *kmsg.ProduceRequest) kafka.Duration {
	if len(b.img.Quotas) == 0 {
		return 0
	}
	limit := b.img.Quota(client).Produce
	if limit == 0 {
		return 0
	}
	return b.use(client).produce.over(now, requestSize(client, req), limit)
}

// replyProduce answers a Produce. The channel is muted before, so that nothing
// comes in between.
func (b *Broker) replyProduce(conn sim.ConnID, corr int32, client string, req *kmsg.ProduceRequest, resp *kmsg.ProduceResponse, out *sim.Out) {
	if wait := b.produceQuota(out.Now(), client, req); wait > 0 {
		resp.ThrottleMillis = int32(wait.Millis())
		out.Mute(conn, out.Now().Add(wait))
	}
	out.Reply(conn, corr, resp)
}

// requestSize is a request's size on the wire: header and body.
func requestSize(client string, req kmsg.Request) int {
	return 14 + len(client) + len(req.AppendTo(nil))
}

// consumeLimit is how many bytes a consumer may get in one response: what its
// quota lets through in a whole window. 0: no quota.
func (b *Broker) consumeLimit(s *session) int64 {
	if len(b.img.Quotas) == 0 || s.replica >= 0 {
		return 0
	}
	return b.img.Quota(s.client).Consume
}

// fetchQuota records a response and reports whether its client must wait. Then
// it is not sent: an empty one goes in its place, and what it held is said again
// the next time (FetchContext.getThrottledResponse).
func (b *Broker) fetchQuota(s *session, results []readResult, resp *kmsg.FetchResponse, out *sim.Out) bool {
	limit := b.consumeLimit(s)
	if limit == 0 {
		return false
	}
	n := len(resp.AppendTo(nil)) + 5
	u := b.use(s.client)
	wait := u.consume.over(out.Now(), n, limit)
	if wait == 0 {
		return false
	}
	u.consume.unrecord(n)
	for i := range results {
		if results[i].told {
			s.mark(results[i].pos)
		}
	}
	empty := &kmsg.FetchResponse{Version: s.version, ThrottleMillis: int32(wait.Millis()), SessionID: s.id}
	if s.full {
		empty.SessionID = 0 // as if there had been none
	}
	out.Mute(s.conn, out.Now().Add(wait))
	out.Reply(s.conn, s.corr, empty)
	if s.full || s.id == 0 {
		b.closeSession(s)
	}
	return true
}
