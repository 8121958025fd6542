package broker

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
)

// Client quotas (KIP-13, KIP-124, KIP-219; server/.../ClientQuotaManager,
// ClientRequestQuotaManager): each broker measures the bytes that clients send and
// get, and the time of its threads that they use. Who is over the quota is answered
// at once with how long to wait, and not listened to for so long; of several waits
// the longest counts.
//
//	Produce  appended; the response goes out, and the connection is muted
//	Fetch    an empty response goes out instead of the data, and the connection is muted
//	others   the response goes out, and the connection is muted: by request_percentage only
//
// Who is measured together follows from the quota that counts: metadata.Image.Quota.
// Nothing is measured for clients without a quota. There is no SASL here: who a
// client says it is, it is, and one that says nothing is User:ANONYMOUS, as on a
// PLAINTEXT listener.
//
// # Request time
//
// Handling a request takes no time in this world, so request_percentage goes by a
// model of what a real broker's threads need: requestTime for each request, and
// timePerByte for its body, or for a fetch that of the response, which is read,
// checked and copied. 100 % is one thread's whole time; a broker has
// num.io.threads + num.network.threads = 11 of them. Left out: the mute after a
// response that comes later than its request's step (JoinGroup, SyncGroup), whose
// time counts nevertheless; requests that are forwarded to the controller.

const (
	requestTime = 100 * kafka.Microsecond
	timePerByte = 4 * kafka.Nanosecond
	// requestThrottleMost is the longest wait for request_percentage: one window
	// (ClientRequestQuotaManager.throttleTime).
	requestThrottleMost = quotaWindow
)

// caller is who sent a request.
type caller struct {
	user   string // principal, without its type
	client string // client.id
}

// anonymous is the principal of a client that does not say who it is.
const anonymous = "ANONYMOUS"

func callerOf(in *sim.Input) caller {
	if in.User == "" {
		return caller{anonymous, in.ClientID}
	}
	return caller{in.User, in.ClientID}
}

// clientUse is what those did here lately who share a quota; "" stands for all
// users, or for all clients.
type clientUse struct {
	user, client string
	produce      throttle // bytes
	consume      throttle // bytes
	request      throttle // nanoseconds of threads
}

// use returns measurements, made on first use. Sorted by user, then client.
func (b *Broker) use(q metadata.QuotaLimit) *clientUse {
	i, ok := slices.BinarySearchFunc(b.uses, q, func(u clientUse, q metadata.QuotaLimit) int {
		return cmp.Or(strings.Compare(u.user, q.User), strings.Compare(u.client, q.Client))
	})
	if !ok {
		b.uses = slices.Insert(b.uses, i, clientUse{user: q.User, client: q.Client})
	}
	return &b.uses[i]
}

// over records n bytes and returns for how long clients that may do limit bytes
// per second must wait until it is within the quota again
// (QuotaUtils.throttleTime): with the rate over the window at x times the quota,
// x - 1 windows.
func (t *throttle) over(now kafka.Instant, n, limit int64) kafka.Duration {
	t.record(now, n)
	bytes, since := t.measure(now)
	window := now.Sub(since).Millis()
	if full := window / quotaWindow.Millis(); full < quotaSamples-1 { // Rate.windowSize
		window += (quotaSamples - 1 - full) * quotaWindow.Millis()
	}
	window = max(window, 1)
	if wait := perMille(bytes, limit) - window; wait > 0 {
		return kafka.Duration(wait) * kafka.Millisecond
	}
	return 0
}

// perMille is a*1000/b, rounded. a is at least 0, b is more.
func perMille(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), 1000)
	lo, carry := bits.Add64(lo, uint64(b/2), 0)
	if hi += carry; hi >= uint64(b) {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, uint64(b))
	return int64(min(q, math.MaxInt64))
}

// unrecord takes back what was recorded last: it is not sent.
func (t *throttle) unrecord(n int) { t.samples[t.current].bytes -= int64(n) }

// produceQuota records a Produce and returns how long its client must wait. With
// acks=0 only its bytes count.
func (b *Broker) produceQuota(now kafka.Instant, who caller, req *kmsg.ProduceRequest) (wait kafka.Duration) {
	if len(b.img.Quotas) == 0 {
		return 0
	}
	size := requestSize(who.client, req)
	if q := b.img.Quota(metadata.ProduceRate, who.user, who.client); q.Limit > 0 {
		wait = b.use(q).produce.over(now, int64(size), q.Limit)
	}
	if req.Acks != 0 {
		wait = max(wait, b.requestQuota(now, who, size))
	}
	return wait
}

// requestQuota records the time that a request takes and returns how long its
// client must wait.
func (b *Broker) requestQuota(now kafka.Instant, who caller, bytes int) kafka.Duration {
	q := b.img.Quota(metadata.RequestShare, who.user, who.client)
	if q.Limit == 0 {
		return 0
	}
	took := requestTime + kafka.Duration(bytes)*timePerByte
	return min(b.use(q).request.over(now, int64(took), q.Limit*shareNanos), requestThrottleMost)
}

// shareNanos is a millionth of a percent of a second.
const shareNanos = int64(kafka.Second) / 100 / 1_000_000

// replyProduce answers a Produce. The channel is muted before, so that nothing
// comes in between.
func (b *Broker) replyProduce(conn sim.ConnID, corr int32, who caller, req *kmsg.ProduceRequest, resp *kmsg.ProduceResponse, out *sim.Out) {
	if wait := b.produceQuota(out.Now(), who, req); wait > 0 {
		resp.ThrottleMillis = int32(wait.Millis())
		out.Mute(conn, out.Now().Add(wait))
	}
	out.Reply(conn, corr, resp)
}

// requestSize is a request's size on the wire: header and body.
func requestSize(client string, req kmsg.Request) int {
	return 14 + len(client) + len(req.AppendTo(nil))
}

// Charge records a request other than Produce and Fetch after the step that
// answered it, and slows its client down if that is over its request_percentage.
// Requests of brokers are exempt.
func (b *Broker) Charge(now kafka.Instant, in *sim.Input, out *sim.Out) {
	if len(b.img.Quotas) == 0 || !in.From.IsClient() || forwardable(in.Request) {
		return
	}
	who := callerOf(in)
	if b.img.Quota(metadata.RequestShare, who.user, who.client).Limit == 0 {
		return
	}
	if wait := b.requestQuota(now, who, requestSize(who.client, in.Request)); wait > 0 {
		out.Throttle(in.Conn, in.Corr, wait)
	}
}

// consumeLimit is how many bytes a second a consumer may get. 0: no quota.
func (b *Broker) consumeLimit(s *session) int64 {
	if len(b.img.Quotas) == 0 || s.replica >= 0 {
		return 0
	}
	return b.img.Quota(metadata.ConsumeRate, s.who.user, s.who.client).Limit
}

// fetchQuota records a response and reports whether its client must wait. Then
// it is not sent: an empty one goes in its place, and what it held is said again
// the next time (FetchContext.getThrottledResponse). Its bytes are not counted,
// the time that it took is.
func (b *Broker) fetchQuota(s *session, results []readResult, resp *kmsg.FetchResponse, out *sim.Out) bool {
	if len(b.img.Quotas) == 0 || s.replica >= 0 {
		return false
	}
	q := b.img.Quota(metadata.ConsumeRate, s.who.user, s.who.client)
	if q.Limit == 0 && b.img.Quota(metadata.RequestShare, s.who.user, s.who.client).Limit == 0 {
		return false
	}
	n := len(resp.AppendTo(nil)) + 5
	wait := b.requestQuota(out.Now(), s.who, n)
	if q.Limit > 0 {
		wait = max(wait, b.use(q).consume.over(out.Now(), int64(n), q.Limit))
	}
	if wait == 0 {
		return false
	}
	if q.Limit > 0 {
		b.use(q).consume.unrecord(n)
	}
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
	if s.full || s.id == 0 || s.evicted {
		b.closeSession(s)
	}
	return true
}
