package client

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Net is a client's connections, as Kafka's NetworkClient and
// ClusterConnectionStates keep them: a broker is Ready once it has answered
// ApiVersions; after a failure it is left alone for reconnect.backoff.
type Net struct {
	name      string         // the client's, for notes
	timeout   kafka.Duration // request.timeout.ms
	reconnect Backoff
	rng       sim.Rand
	peers     []peer // sorted by (id, channel)
	corr      int32
	throttled kafka.Duration // how long brokers asked to be left alone, in all
}

type peer struct {
	id       sim.ActorID
	ch       sim.Channel
	state    peerState
	wanted   bool // somebody waits for the end of the back-off
	inFlight int32
	failures int32
	hello    int32         // corr of the ApiVersions request in flight
	tried    kafka.Instant // last attempt to connect
	retryAt  kafka.Instant // no attempt before this
	muteTill kafka.Instant // the broker asked to be left alone until then (KIP-219)
}

type peerState uint8

const (
	disconnected peerState = iota
	connecting
	ready
)

// SetupTimeout bounds connecting and the first ApiVersions
// (socket.connection.setup.timeout.ms).
const SetupTimeout = 10 * kafka.Second

// NewNet returns a Net without connections, of the client of that name.
func NewNet(name string, timeout kafka.Duration, reconnect Backoff, rng sim.Rand) Net {
	return Net{name: name, timeout: timeout, reconnect: reconnect, rng: rng}
}

func (n *Net) find(id sim.ActorID, ch sim.Channel) *peer {
	for i := range n.peers {
		if p := &n.peers[i]; p.id == id && p.ch == ch {
			return p
		}
	}
	return nil
}

func (n *Net) peer(id sim.ActorID, ch sim.Channel) *peer {
	if p := n.find(id, ch); p != nil {
		return p
	}
	at := 0
	for at < len(n.peers) && (n.peers[at].id < id || n.peers[at].id == id && n.peers[at].ch < ch) {
		at++
	}
	n.peers = slices.Insert(n.peers, at, peer{id: id, ch: ch, tried: -kafka.Never, retryAt: -kafka.Never, muteTill: -kafka.Never})
	return &n.peers[at]
}

// Ready reports whether requests can be sent on a connection at once.
func (n *Net) Ready(id sim.ActorID, ch sim.Channel) bool {
	p := n.find(id, ch)
	return p != nil && p.state == ready
}

// Unavailable reports whether the broker has failed and is still left alone.
func (n *Net) Unavailable(now kafka.Instant, id sim.ActorID, ch sim.Channel) bool {
	p := n.find(id, ch)
	return p != nil && p.state == disconnected && now < p.retryAt
}

// InFlight is how many requests on a connection wait for their response.
func (n *Net) InFlight(id sim.ActorID, ch sim.Channel) int {
	p := n.find(id, ch)
	if p == nil {
		return 0
	}
	return int(p.inFlight)
}

// Connect begins to connect unless that is done or under way, and reports
// whether the connection is Ready. In back-off it does nothing but remember
// that Wake must include the end of it.
func (n *Net) Connect(now kafka.Instant, id sim.ActorID, ch sim.Channel, out *sim.Out) bool {
	p := n.peer(id, ch)
	if p.state != disconnected {
		return p.state == ready && now >= p.muteTill
	}
	if now < p.retryAt {
		p.wanted = true
		return false
	}
	p.state, p.wanted, p.tried = connecting, false, now
	req := kmsg.NewPtrApiVersionsRequest()
	req.Version = 4
	req.ClientSoftwareName, req.ClientSoftwareVersion = "apache-kafka-java", "4.2.0"
	p.hello = n.send(p, req, min(n.timeout, SetupTimeout), out)
	return false
}

// Send sends a request on a Ready connection with request.timeout.ms and
// returns its correlation id.
func (n *Net) Send(id sim.ActorID, ch sim.Channel, req kmsg.Request, out *sim.Out) int32 {
	return n.send(n.peer(id, ch), req, n.timeout, out)
}

func (n *Net) send(p *peer, req kmsg.Request, timeout kafka.Duration, out *sim.Out) int32 {
	n.corr++
	p.inFlight++
	out.Send(p.id, p.ch, n.corr, req, timeout)
	return n.corr
}

// Heard must be given every InputResponse and InputDisconnected first. It
// returns whether the input is for Net alone (then nothing else is to be done
// but to look again who is Ready), and whether a connection was found to be
// broken (then Kafka's clients ask for new metadata).
func (n *Net) Heard(now kafka.Instant, in *sim.Input, out *sim.Out) (mine, broken bool) {
	p := n.find(in.From, in.Channel)
	if p == nil {
		return true, false // of an earlier life of this process
	}
	hello := in.Corr != 0 && in.Corr == p.hello
	if in.Corr != 0 {
		p.inFlight = max(p.inFlight-1, 0)
	}
	if hello {
		p.hello = 0
	}
	if in.Kind == sim.InputResponse {
		if hello {
			p.state, p.failures = ready, 0
		}
		n.throttle(now, p, in.Response)
		return hello, false
	}
	if p.state != disconnected {
		broken = true
		if p.state == ready || p.failures == 0 { // further vain attempts are no news
			out.Note(trace.Note{Kind: trace.Disconnected, Who: n.name, Peer: in.From.Node(), Say: reasons[min(int(in.Reason), len(reasons)-1)]})
		}
		p.state, p.muteTill = disconnected, -kafka.Never
		p.retryAt = now.Add(n.reconnect.After(p.failures, &n.rng))
		p.failures++
	}
	return hello || in.Corr == 0, broken
}

// throttle leaves a broker alone for as long as its response asks for
// (NetworkClient.throttle, KIP-219).
func (n *Net) throttle(now kafka.Instant, p *peer, resp kmsg.Response) {
	r, ok := resp.(kmsg.ThrottleResponse)
	if !ok {
		return
	}
	if ms, after := r.Throttle(); after && ms > 0 {
		d := kafka.Duration(ms) * kafka.Millisecond
		p.muteTill = max(p.muteTill, now.Add(d))
		n.throttled += d
	}
}

// Throttled is how long brokers asked this life of the process to leave them
// alone, in all: the sum of the responses' throttle_time_ms.
func (n *Net) Throttled() kafka.Duration { return n.throttled }

// Close closes a connection of this side; requests in flight on it come back
// as disconnected.
func (n *Net) Close(id sim.ActorID, ch sim.Channel, out *sim.Out) { out.Disconnect(id, ch) }

// Wake is when the next back-off ends that somebody waits for; Never if there is
// none. Those that have ended are of no interest: who still wanted them has
// called Connect in the same step.
func (n *Net) Wake(now kafka.Instant) kafka.Instant {
	at := kafka.Never
	for i := range n.peers {
		switch p := &n.peers[i]; {
		case p.state == disconnected && p.wanted && p.retryAt > now:
			at = min(at, p.retryAt)
		case p.state == ready && p.muteTill > now:
			at = min(at, p.muteTill)
		}
	}
	return at
}

// LeastLoaded picks a broker for a request that any of them can answer, as
// NetworkClient.leastLoadedNode does: beginning at a random one, the Ready one
// with the fewest requests in flight; else one that is connecting; else the one
// that it is longest since anybody tried to reach. ok is false if all are in
// back-off.
func (n *Net) LeastLoaded(now kafka.Instant, among []sim.ActorID, ch sim.Channel) (id sim.ActorID, ok bool) {
	if len(among) == 0 {
		return 0, false
	}
	from := int(n.rng.IntN(int64(len(among))))
	rank, load := 0, int64(0)
	for i := range among {
		c := among[(from+i)%len(among)]
		p := n.find(c, ch)
		switch {
		case p != nil && p.state == ready:
			if rank < 3 || int64(p.inFlight) < load {
				id, rank, load = c, 3, int64(p.inFlight)
			}
		case p != nil && p.state == connecting:
			if rank < 2 {
				id, rank = c, 2
			}
		case p == nil || now >= p.retryAt:
			tried := int64(-kafka.Never)
			if p != nil {
				tried = int64(p.tried)
			}
			if rank < 1 || rank == 1 && tried < load {
				id, rank, load = c, 1, tried
			}
		}
	}
	return id, rank > 0
}

// Want makes Wake include the end of the back-off of each of these brokers.
func (n *Net) Want(ids []sim.ActorID, ch sim.Channel) {
	for _, id := range ids {
		if p := n.find(id, ch); p != nil && p.state == disconnected {
			p.wanted = true
		}
	}
}

// Clone returns a copy.
func (n *Net) Clone() Net {
	c := *n
	c.peers = slices.Clone(n.peers)
	return c
}

// Digest writes the state.
func (n *Net) Digest(h *sim.Hash) {
	h.Int(int64(n.corr))
	h.Int(int64(n.throttled))
	n.rng.Digest(h)
	h.Int(int64(len(n.peers)))
	for i := range n.peers {
		p := &n.peers[i]
		h.Int(int64(p.id))
		h.Int(int64(p.ch))
		h.Int(int64(p.state))
		h.Bool(p.wanted)
		h.Int(int64(p.inFlight))
		h.Int(int64(p.failures))
		h.Int(int64(p.hello))
		h.Int(int64(p.tried))
		h.Int(int64(p.retryAt))
		h.Int(int64(p.muteTill))
	}
}

// reasons say why a connection ended, by sim.Reason.
var reasons = [...]string{"", "refused", "timed out", "reset by peer", "closed"}

// Restarted returns the Net of a new life of the process: no connections.
func (n *Net) Restarted() Net {
	return Net{name: n.name, timeout: n.timeout, reconnect: n.reconnect, rng: n.rng, corr: n.corr}
}
