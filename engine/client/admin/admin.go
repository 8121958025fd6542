package admin

import (
	"errors"
	"slices"
	"strconv"

	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/sim/order"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Config says what an admin client is to be.
type Config struct {
	ID        sim.ActorID
	Name      string
	Bootstrap []sim.ActorID // every broker
	Seed      uint64        // the world's
}

// Result is what became of an order.
type Result struct {
	Token   int32
	What    string // "create topic payments"
	Code    kafka.ErrorCode
	Message string // the broker's words, if any
	At      kafka.Instant
}

// The client's configs (AdminClientConfig), all at their defaults.
const (
	requestTimeout = 30 * kafka.Second
	apiTimeout     = 60 * kafka.Second // default.api.timeout.ms
)

var (
	retryBackoff     = client.Backoff{Initial: 100 * kafka.Millisecond, Max: kafka.Second}
	reconnectBackoff = client.Backoff{Initial: 50 * kafka.Millisecond, Max: kafka.Second}
)

// Admin is one admin client process.
type Admin struct {
	cfg     *Config
	running bool
	closing bool
	net     client.Net
	rng     sim.Rand
	calls   []call // not answered yet, in the order in which they came
	results []Result
	armed   kafka.Instant
}

// call is an order under way.
type call struct {
	order   Order
	until   kafka.Instant
	retryAt kafka.Instant
	tries   int32
	corr    int32 // of the request in flight; 0: none
	to      sim.ActorID
	last    kafka.ErrorCode // of the last try
	why     string
	leader  sim.ActorID // that an order for a partition's leader goes to; 0: to be asked for
}

// New returns an admin client that has not been started.
func New(cfg Config) (*Admin, error) {
	if len(cfg.Bootstrap) == 0 {
		return nil, errors.New("an admin client needs bootstrap.servers")
	}
	cfg.Bootstrap = slices.Clone(cfg.Bootstrap)
	slices.Sort(cfg.Bootstrap)
	a := &Admin{cfg: &cfg, rng: sim.NewRand(cfg.Seed, "admin/"+cfg.Name+"/backoff"), armed: kafka.Never}
	a.net = client.NewNet(cfg.Name, requestTimeout, reconnectBackoff, sim.NewRand(cfg.Seed, "admin/"+cfg.Name+"/net"))
	return a, nil
}

// Step takes one input. Orders are the types of this package and order.Shutdown.
func (a *Admin) Step(now kafka.Instant, in *sim.Input, out *sim.Out) {
	if in.Kind == sim.InputBoot {
		a.net = a.net.Restarted()
		a.running, a.closing, a.calls, a.armed = true, false, nil, kafka.Never
	}
	if !a.running {
		return
	}
	switch in.Kind {
	case sim.InputResponse, sim.InputDisconnected:
		a.heard(now, in, out)
	case sim.InputTimer:
		a.armed = kafka.Never
	case sim.InputCommand:
		switch o := in.Command.(type) {
		case Order:
			a.calls = append(a.calls, call{order: o, until: now.Add(apiTimeout), retryAt: now})
		case order.Shutdown:
			a.closing = true
		}
	}
	a.send(now, out)
	if a.closing && len(a.calls) == 0 {
		a.running = false
		out.Exit()
		return
	}
	a.arm(out)
}

// send sends what is due, and gives up what has taken too long.
func (a *Admin) send(now kafka.Instant, out *sim.Out) {
	for i := 0; i < len(a.calls); i++ {
		c := &a.calls[i]
		if c.corr == 0 && now >= c.until {
			code, why := c.timedOut()
			a.finish(now, i, code, why, out)
			i--
			continue
		}
		if c.corr != 0 || now < c.retryAt {
			continue
		}
		to, req := c.leader, c.order.request()
		if o, one := c.order.(addressed); one {
			to = o.broker()
		}
		if l, led := c.order.(led); led && to == 0 {
			req = askLeader(l.partition().Topic)
		}
		if to == 0 {
			var ok bool
			if to, ok = a.net.LeastLoaded(now, a.cfg.Bootstrap, sim.ChanClient); !ok {
				a.net.Want(a.cfg.Bootstrap, sim.ChanClient)
				continue
			}
		}
		if a.net.Connect(now, to, sim.ChanClient, out) {
			c.to, c.corr = to, a.net.Send(to, sim.ChanClient, req, out)
		} else if a.net.Unavailable(now, to, sim.ChanClient) {
			c.leader = 0 // it may lead no more
		}
	}
}

func (a *Admin) heard(now kafka.Instant, in *sim.Input, out *sim.Out) {
	if mine, _ := a.net.Heard(now, in, out); mine {
		return
	}
	i := slices.IndexFunc(a.calls, func(c call) bool { return c.corr == in.Corr && c.to == in.From })
	if i < 0 {
		return
	}
	c := &a.calls[i]
	c.corr = 0
	code, why := kafka.NetworkException, ""
	if in.Kind == sim.InputResponse {
		if m, ok := in.Response.(*kmsg.MetadataResponse); ok {
			c.leader, code = leaderIn(m, c.order.(led).partition().Partition)
			if code == kafka.None {
				return // send goes on
			}
		} else {
			code, why = c.order.outcome(in.Response)
		}
	}
	if c.leader != 0 && (code == kafka.NotLeaderOrFollower || code == kafka.NetworkException) {
		c.leader, code = 0, kafka.LeaderNotAvailable
	}
	if !again(code) {
		a.finish(now, i, code, why, out)
		return
	}
	c.last, c.why = code, why
	c.retryAt = now.Add(retryBackoff.After(c.tries, &a.rng))
	if r, ok := in.Response.(kmsg.ThrottleResponse); ok && code == kafka.ThrottlingQuotaExceeded {
		ms, _ := r.Throttle()
		c.retryAt = max(c.retryAt, now.Add(kafka.Duration(ms)*kafka.Millisecond))
	}
	c.tries++
}

// timedOut is the outcome of an order that was not carried out within
// default.api.timeout.ms: a TimeoutException, whatever the last try met
// (KafkaAdminClient.Call.handleTimeoutFailure), unless that was a quota.
func (c *call) timedOut() (kafka.ErrorCode, string) {
	switch c.last {
	case kafka.ThrottlingQuotaExceeded:
		return c.last, c.why
	case kafka.None:
		return kafka.RequestTimedOut, "Timed out waiting for a node assignment."
	}
	return kafka.RequestTimedOut, "Timed out after " + strconv.Itoa(int(c.tries)) + " attempt(s), the last: " + c.last.String()
}

// again reports whether an order is sent again after such an outcome. What the
// controller says about the topic or partition itself is final, even where a
// producer would retry it.
func again(code kafka.ErrorCode) bool {
	switch code {
	case kafka.NetworkException, kafka.NotController, kafka.BrokerNotAvailable, kafka.LeaderNotAvailable,
		kafka.ThrottlingQuotaExceeded: // retryOnQuotaViolation
		return true
	}
	return false
}

func (a *Admin) finish(now kafka.Instant, i int, code kafka.ErrorCode, why string, out *sim.Out) {
	o := a.calls[i].order
	a.calls = slices.Delete(a.calls, i, i+1)
	if next, ok := o.(chained); ok && code == kafka.None {
		for _, n := range next.then() {
			a.calls = append(a.calls, call{order: n, until: now.Add(apiTimeout), retryAt: now})
		}
	}
	a.results = append(a.results, Result{Token: o.token(), What: o.what(), Code: code, Message: why, At: now})
	say := o.what()
	if why != "" {
		say += ": " + why
	}
	out.Note(trace.Note{Kind: trace.AdminDone, Err: code, Say: say})
}

func (a *Admin) arm(out *sim.Out) {
	at := a.net.Wake(out.Now())
	for i := range a.calls {
		if c := &a.calls[i]; c.corr == 0 {
			at = min(at, c.until)
			if c.retryAt > out.Now() {
				at = min(at, c.retryAt)
			}
		}
	}
	if len(a.calls) > 0 && at < a.armed {
		a.armed = at
		out.SetTimer(sim.Timer{Owner: sim.OwnerAdmin}, at)
	}
}

// Name is the client's name.
func (a *Admin) Name() string { return a.cfg.Name }

// Running reports whether the process runs.
func (a *Admin) Running() bool { return a.running }

// Pending is how many orders are under way.
func (a *Admin) Pending() int { return len(a.calls) }

// Results lists what became of the orders that are done, in the order in which
// they ended. Read only.
func (a *Admin) Results() []Result { return a.results }

// Result returns the outcome of an order, if it has one yet.
func (a *Admin) Result(token int32) (Result, bool) {
	i := slices.IndexFunc(a.results, func(r Result) bool { return r.Token == token })
	if i < 0 {
		return Result{}, false
	}
	return a.results[i], true
}

// Crash kills the process; orders under way are forgotten.
func (a *Admin) Crash(kafka.Instant, bool) (bytesLost int64) {
	a.running, a.calls = false, nil
	return 0
}

// Clone returns a deep copy.
func (a *Admin) Clone() sim.Actor {
	c := *a
	c.net = a.net.Clone()
	c.calls, c.results = slices.Clone(a.calls), slices.Clone(a.results)
	return &c
}

// Digest writes the whole state.
func (a *Admin) Digest(h *sim.Hash) {
	h.Bool(a.running)
	h.Bool(a.closing)
	a.net.Digest(h)
	a.rng.Digest(h)
	h.Int(int64(a.armed))
	h.Int(int64(len(a.calls)))
	for i := range a.calls {
		c := &a.calls[i]
		h.Int(int64(c.order.token()))
		h.String(c.order.what())
		h.Bytes(c.order.request().AppendTo(nil))
		h.Int(int64(c.until))
		h.Int(int64(c.retryAt))
		h.Int(int64(c.tries))
		h.Int(int64(c.corr))
		h.Int(int64(c.to))
		h.Int(int64(c.last))
		h.String(c.why)
		h.Int(int64(c.leader))
	}
	h.Int(int64(len(a.results)))
	for _, r := range a.results {
		h.Int(int64(r.Token))
		h.Int(int64(r.Code))
		h.String(r.Message)
		h.Int(int64(r.At))
	}
}
