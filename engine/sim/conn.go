package sim

import (
	"fmt"
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim/net"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// What Kafka's NetworkClient and Linux's TCP wait
// (clients/NetworkClient.java, ClusterConnectionStates.java, CommonClientConfigs.java).
const (
	reconnectBackoff    = 50 * kafka.Millisecond // reconnect.backoff.ms
	reconnectBackoffMax = kafka.Second           // reconnect.backoff.max.ms
	setupTimeout        = 10 * kafka.Second      // socket.connection.setup.timeout.ms
	synFirst            = kafka.Second           // Linux sends a lost SYN again after 1, 3, 7 s
)

// conn is one process's connection to another over one channel, through all its
// lives. life counts: what belongs to an earlier life is void.
//
// A broker reads the next request of a connection only after it has answered
// the one before (SocketServer mutes the channel), so requests wait in inbox.
type conn struct {
	client, server int32 // slots
	channel        Channel
	state          connState
	life           uint32
	serverLife     uint32 // life of the server's process when it was opened
	up, down       int32  // link handles: client to server and back

	failures int32
	retryAt  kafka.Instant // no attempt before
	synSent  kafka.Instant // first SYN of this attempt
	synWait  kafka.Duration

	waiting  []request // not sent: not connected yet
	inflight []request // sent, no response yet, in order
	expire   handle    // pending evExpire

	busy     bool          // the server works on a request
	busyCorr int32         // that one
	busyReq  kmsg.Request  // its body
	busyGen  uint32        // its generation (Kernel.gen)
	muted    kafka.Instant // the server takes no request before that; unmuted: it does
	inbox    []arrived
	closing  bool // the server has closed; the client does not know yet
	oneWay   bool // requests without a response were sent in this life

	upLast, downLast kafka.Instant // arrival of the latest bytes, each way
}

// unmuted is conn.muted of a connection that is read from.
const unmuted = -kafka.Never

type connState uint8

const (
	connClosed connState = iota
	connConnecting
	connOpen
)

type request struct {
	corr     int32
	oneWay   bool
	deadline kafka.Instant
	req      kmsg.Request // nil once sent
	cause    trace.ID
	gen      uint32
}

type arrived struct {
	corr   int32
	oneWay bool
	req    kmsg.Request
	cause  trace.ID
	gen    uint32
}

func (c *conn) link(down bool) int {
	if down {
		return int(c.down)
	}
	return int(c.up)
}

func (c *conn) cloneLists() {
	c.waiting, c.inflight, c.inbox = slices.Clone(c.waiting), slices.Clone(c.inflight), slices.Clone(c.inbox)
}

func (c *conn) digest(h *Hash) {
	h.Int(int64(c.client)<<32 | int64(c.server))
	h.Uint64(uint64(c.channel)<<8 | uint64(c.state))
	h.Uint64(uint64(c.life)<<32 | uint64(c.serverLife))
	h.Int(int64(c.failures))
	h.Int(int64(c.retryAt))
	h.Int(int64(c.synSent))
	for _, r := range c.waiting {
		h.Int(int64(r.corr))
		h.Int(int64(r.deadline))
	}
	for _, r := range c.inflight {
		h.Int(int64(r.corr))
		h.Int(int64(r.deadline))
	}
	h.Bool(c.busy)
	h.Int(int64(c.muted))
	h.Bool(c.closing)
	h.Bool(c.oneWay)
	for _, a := range c.inbox {
		h.Int(int64(a.corr))
		h.Bytes(a.req.AppendTo(nil))
	}
	h.Int(int64(c.upLast))
	h.Int(int64(c.downLast))
}

// connID packs a connection and its life into what a server knows it by.
func connID(i int32, life uint32) ConnID { return ConnID(life)<<20 | ConnID(i) + 1 }

// live returns the connection that a server means, nil if that life is over.
func (k *Kernel) live(id ConnID) (int32, *conn) {
	i, life := int32(id&(1<<20-1))-1, uint32(id>>20)
	if i < 0 || int(i) >= len(k.conns) || k.conns[i].life != life || k.conns[i].state != connOpen || k.conns[i].closing {
		return -1, nil
	}
	return i, &k.conns[i]
}

// connTo finds or makes a process's connection record to a peer.
func (k *Kernel) connTo(s int32, to ActorID, ch Channel) int32 {
	server := k.find(to)
	if server < 0 {
		panic(fmt.Sprintf("sim: %s sends to unknown actor %d", k.slots[s].name, to))
	}
	for _, i := range k.slots[s].own {
		if c := &k.conns[i]; c.server == server && c.channel == ch {
			return i
		}
	}
	a, b := int32(k.slots[s].id), int32(to)
	k.conns = append(k.conns, conn{
		client: s, server: server, channel: ch, expire: noHandle,
		up: int32(k.net.Index(a, b)), down: int32(k.net.Index(b, a)),
		retryAt: -kafka.Never, muted: unmuted, upLast: -kafka.Never, downLast: -kafka.Never,
	})
	i := int32(len(k.conns) - 1)
	k.slots[s].own = append(k.slots[s].own, i)
	k.slots[server].serves = append(k.slots[server].serves, i)
	return i
}

// applyOnWire does an effect that concerns a connection.
func (k *Kernel) applyOnWire(s int32, o *op, cause trace.ID) {
	switch o.kind {
	case opSend:
		k.send(k.connTo(s, o.to, o.channel), request{o.corr, o.oneWay, o.at, o.req, cause, k.gen})
	case opReply:
		k.reply(o, cause)
	case opMute:
		if i, c := k.live(o.conn); c != nil {
			c.muted = max(c.muted, o.at)
			k.schedule(event{at: c.muted, kind: evNext, conn: i, life: c.life, cause: cause})
		}
	case opCloseConn:
		if i, c := k.live(o.conn); c != nil {
			k.serverCloses(i, cause)
		}
	case opDisconnect:
		i := k.connTo(s, o.to, o.channel)
		k.fail(i, ReasonClosed, cause)
	}
}

func (k *Kernel) send(i int32, r request) {
	if k.Hooks.Recode != nil {
		r.req = k.Hooks.Recode(Message{Request: r.req}).Request
	}
	c := &k.conns[i]
	switch c.state {
	case connOpen:
		k.transmit(i, r)
	case connClosed:
		c.state = connConnecting
		c.life++
		c.synWait = synFirst
		at := max(k.now, c.retryAt)
		c.synSent = at
		k.schedule(event{at: at, kind: evSyn, conn: i, life: c.life, cause: r.cause})
		fallthrough
	default:
		c.waiting = append(c.waiting, r)
	}
}

// transmit puts a request on the wire of an open connection.
func (k *Kernel) transmit(i int32, r request) {
	c := &k.conns[i]
	c.upLast = max(c.upLast, k.transit(c.up, Message{Request: r.req}))
	k.schedule(event{at: c.upLast, sent: k.now, kind: evRequest, conn: i, life: c.life, corr: r.corr, oneWay: r.oneWay, req: r.req, cause: r.cause, gen: r.gen})
	if r.oneWay {
		c.oneWay = true
		return
	}
	r.req = nil
	c.inflight = append(c.inflight, r)
	if c.expire == noHandle {
		c.expire = k.schedule(event{at: max(k.now, r.deadline), kind: evExpire, conn: i, life: c.life, cause: r.cause})
	}
}

func (k *Kernel) transit(link int32, m Message) kafka.Instant {
	l := k.net.At(int(link))
	bytes := 0
	if l.Bandwidth > 0 && k.Hooks.Size != nil {
		bytes = k.Hooks.Size(m)
	}
	return l.Transit(k.now, bytes)
}

func (k *Kernel) reply(o *op, cause trace.ID) {
	i, c := k.live(o.conn)
	if c == nil {
		return
	}
	if !c.busy || c.busyCorr != o.corr {
		panic(fmt.Sprintf("sim: %s answers request %d on a connection that does not wait for it", k.slots[c.server].name, o.corr))
	}
	resp := o.resp
	if k.Hooks.Recode != nil {
		resp = k.Hooks.Recode(Message{Response: resp}).Response
	}
	if c.busyGen == k.gen && c.channel != ChanRaft {
		k.takeBack(Message{Request: c.busyReq})
	}
	c.busy, c.busyReq = false, nil
	c.downLast = max(c.downLast, k.transit(c.down, Message{Response: resp}))
	k.schedule(event{at: c.downLast, sent: k.now, kind: evResponse, conn: i, life: c.life, corr: o.corr, resp: resp, cause: cause, gen: k.gen})
	if len(c.inbox) > 0 {
		k.schedule(event{at: k.now, kind: evNext, conn: i, life: c.life, cause: cause})
	}
}

// serverCloses closes a connection from the server's side: the client learns of
// it after what was sent before.
func (k *Kernel) serverCloses(i int32, cause trace.ID) {
	c := &k.conns[i]
	c.closing, c.busy, c.busyReq, c.muted, c.inbox = true, false, nil, unmuted, nil
	c.downLast = max(c.downLast, k.net.At(int(c.down)).Transit(k.now, 0))
	k.schedule(event{at: c.downLast, sent: k.now, kind: evReset, conn: i, life: c.life, cause: cause})
}

// happenOnWire lets an event of a connection happen.
func (k *Kernel) happenOnWire(e *event) {
	c := &k.conns[e.conn]
	if c.life != e.life {
		return
	}
	switch e.kind {
	case evSyn:
		k.syn(e)
	case evConnected:
		k.connected(e)
	case evRequest:
		k.arrive(e)
	case evNext:
		if !c.busy && c.muted <= k.now && len(c.inbox) > 0 {
			a := c.inbox[0]
			c.inbox = slices.Delete(c.inbox, 0, 1)
			k.serve(e.conn, a)
		}
	case evResponse:
		k.respond(e)
	case evReset:
		k.fail(e.conn, ReasonReset, e.cause)
	case evExpire:
		k.expire(e)
	}
}

// syn is the client's attempt to connect.
func (k *Kernel) syn(e *event) {
	c := &k.conns[e.conn]
	up, down := k.net.At(int(c.up)), k.net.At(int(c.down))
	if up.Cut || down.Cut || !k.slots[c.server].powered {
		next := k.now.Add(c.synWait)
		c.synWait *= 2
		if limit := c.synSent.Add(setupTimeout); next >= limit {
			if k.now >= limit {
				k.fail(e.conn, ReasonTimeout, e.cause)
				return
			}
			next = limit
		}
		k.schedule(event{at: next, kind: evSyn, conn: e.conn, life: e.life, cause: e.cause})
		return
	}
	at := up.Transit(k.now, 0)
	at = max(at, at.Add(down.Transit(k.now, 0).Sub(k.now)))
	k.schedule(event{at: at, kind: evConnected, conn: e.conn, life: e.life, cause: e.cause})
}

// connected ends the handshake: open, or refused because nobody listens.
func (k *Kernel) connected(e *event) {
	c := &k.conns[e.conn]
	s := &k.slots[c.server]
	if !s.powered || k.net.At(int(c.up)).Cut || k.net.At(int(c.down)).Cut {
		k.schedule(event{at: k.now.Add(c.synWait), kind: evSyn, conn: e.conn, life: e.life, cause: e.cause})
		return
	}
	if !s.up {
		k.fail(e.conn, ReasonRefused, e.cause)
		return
	}
	c.state, c.serverLife, c.failures = connOpen, s.life, 0
	c.busy, c.busyReq, c.muted, c.closing, c.inbox = false, nil, unmuted, false, nil
	c.upLast, c.downLast = -kafka.Never, -kafka.Never // what an earlier life still had on its way delays nothing
	waiting := c.waiting
	c.waiting = nil
	for _, r := range waiting {
		k.transmit(e.conn, r)
	}
}

// arrive brings a request to the server's process.
func (k *Kernel) arrive(e *event) {
	c := &k.conns[e.conn]
	s := &k.slots[c.server]
	switch {
	case !s.powered || !s.up || c.closing:
		return
	case c.serverLife != s.life: // the process that knew this connection is gone
		k.serverCloses(e.conn, e.cause)
		return
	}
	a := arrived{e.corr, e.oneWay, e.req, e.cause, e.gen}
	if c.busy || c.muted > k.now || len(c.inbox) > 0 {
		c.inbox = append(c.inbox, a)
		return
	}
	k.serve(e.conn, a)
}

// serve hands a request to the server's process.
func (k *Kernel) serve(i int32, a arrived) {
	c := &k.conns[i]
	server, life := c.server, c.life
	c.busy, c.busyCorr, c.busyReq, c.busyGen = !a.oneWay, a.corr, a.req, a.gen
	k.in = Input{
		Kind: InputRequest, From: k.slots[c.client].id, Channel: c.channel,
		Conn: connID(i, life), Corr: a.corr, ClientID: k.slots[c.client].name, User: k.slots[c.client].user, Request: a.req,
	}
	k.step(server, a.cause)
	if c = &k.conns[i]; a.oneWay && c.life == life && len(c.inbox) > 0 {
		k.schedule(event{at: k.now, kind: evNext, conn: i, life: life, cause: a.cause})
	}
}

// respond brings a response to the client's process.
func (k *Kernel) respond(e *event) {
	c := &k.conns[e.conn]
	at := slices.IndexFunc(c.inflight, func(r request) bool { return r.corr == e.corr })
	if at < 0 {
		panic(fmt.Sprintf("sim: response %d to %s, which did not ask", e.corr, k.slots[c.client].name))
	}
	c.inflight = slices.Delete(c.inflight, at, at+1)
	k.in = Input{
		Kind: InputResponse, From: k.slots[c.server].id, Channel: c.channel, Corr: e.corr, Response: e.resp,
	}
	raft := c.channel == ChanRaft
	k.step(c.client, e.cause)
	if e.gen == k.gen && !raft && !k.out.kept {
		k.takeBack(Message{Response: e.resp})
	}
}

// takeBack uses the memory of a message again that has been dealt with.
func (k *Kernel) takeBack(m Message) {
	switch {
	case k.Hooks.Done != nil:
		k.Hooks.Done(m)
	case m.Request != nil:
		k.out.reuse.request(m.Request)
	default:
		k.out.reuse.response(m.Response)
	}
}

// expire closes a connection on which a request has waited too long.
func (k *Kernel) expire(e *event) {
	c := &k.conns[e.conn]
	c.expire = noHandle
	if len(c.inflight) == 0 {
		return
	}
	first := c.inflight[0].deadline
	for _, r := range c.inflight[1:] {
		first = min(first, r.deadline)
	}
	if first <= k.now {
		k.fail(e.conn, ReasonTimeout, e.cause)
		return
	}
	c.expire = k.schedule(event{at: first, kind: evExpire, conn: e.conn, life: c.life, cause: e.cause})
}

// fail ends a life of a connection and tells the client which requests will get
// no response.
func (k *Kernel) fail(i int32, why Reason, cause trace.ID) {
	c := &k.conns[i]
	if c.state == connClosed {
		return
	}
	asked := slices.Concat(c.inflight, c.waiting)
	untold := c.oneWay && why != ReasonClosed
	k.close(i)
	c.failures++
	wait := min(reconnectBackoff<<min(c.failures-1, 10), reconnectBackoffMax)
	s := &k.slots[c.client]
	c.retryAt = k.now.Add(wait*4/5 + kafka.Duration(s.rng.IntN(int64(wait*2/5)+1))) // plus or minus 20 %
	for _, r := range asked {
		if !r.oneWay {
			untold = false
			k.schedule(event{at: k.now, kind: evNoAnswer, slot: c.client, life: s.life, conn: i, corr: r.corr, reason: why, cause: cause})
		}
	}
	if untold { // a client sees its socket close, whether it waits for something or not
		k.schedule(event{at: k.now, kind: evNoAnswer, slot: c.client, life: s.life, conn: i, reason: why, cause: cause})
	}
}

// close ends a life of a connection without telling anybody.
func (k *Kernel) close(i int32) {
	c := &k.conns[i]
	if c.expire != noHandle {
		k.queue.remove(c.expire)
		c.expire = noHandle
	}
	c.state, c.busy, c.busyReq, c.muted, c.closing, c.oneWay = connClosed, false, nil, unmuted, false, false
	c.life++
	c.waiting, c.inflight, c.inbox = nil, nil, nil
	k.lost = slices.DeleteFunc(k.lost, func(h handle) bool {
		if k.queue.slab[h].conn != i {
			return false
		}
		k.queue.release(h)
		return true
	})
}

// Retransmit sends again what was lost on links that have healed since.
func (k *Kernel) retransmit() {
	keep := k.lost[:0]
	for _, h := range k.lost {
		e := &k.queue.slab[h]
		c := &k.conns[e.conn]
		down := e.kind != evRequest
		l := k.net.At(c.link(down))
		if l.Cut {
			keep = append(keep, h)
			continue
		}
		last := &c.upLast
		if down {
			last = &c.downLast
		}
		*last = max(*last, net.Retransmit(e.sent, k.now).Add(l.Latency))
		k.seq++
		e.at, e.seq = *last, k.seq
		k.queue.push(h)
	}
	k.lost = keep
}
