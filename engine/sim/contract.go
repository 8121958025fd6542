package sim

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// ActorID names an actor. A broker's or controller's is its node.id; clients
// count from FirstClient.
type ActorID int32

// FirstClient is the lowest ActorID of a client process.
const FirstClient ActorID = 1000

// Node returns the node.id of a broker or controller process.
func (a ActorID) Node() kafka.NodeID { return kafka.NodeID(a) }

// IsClient reports whether the actor is a client process.
func (a ActorID) IsClient() bool { return a >= FirstClient }

// Channel tells apart the connections of one process to one peer, as Kafka's
// separate NetworkClients do. Requests on one channel keep their order; those
// on different channels do not wait for each other.
type Channel uint8

// The channels in use.
const (
	ChanClient      Channel = iota // a client's data connection
	ChanCoordinator                // a consumer's connection to its coordinator
	ChanFetcher                    // replica fetcher to a leader
	ChanControl                    // broker to controller: registration, heartbeat, AlterPartition, forwarded requests
	ChanRaft                       // metadata log fetches and votes
)

// ConnID names one life of a connection, from a server's side: reconnecting
// gives a new one. 0 is none.
type ConnID uint64

// Timer is the name of a timer within its actor. A machine inside a process
// puts its own Owner there, so that names never collide.
type Timer struct {
	Owner Owner
	Kind  uint8 // by owner
	A, B  int32 // by kind: an id, a partition index...
}

// Owner is the machine that a timer belongs to.
type Owner uint8

// The owners.
const (
	OwnerNode Owner = iota
	OwnerBroker
	OwnerRaft
	OwnerController
	OwnerGroup
	OwnerProducer
	OwnerConsumer
	OwnerAdmin
)

// InputKind says what an Input carries.
type InputKind uint8

// The kinds of input, with the fields that each fills.
const (
	InputBoot         InputKind = iota // the process starts: none
	InputRequest                       // From, Conn, Channel, Corr, ClientID, User, Request
	InputResponse                      // From, Channel, Corr, Response
	InputDisconnected                  // From, Channel, Corr: a request of ours that will get no answer; Reason
	InputTimer                         // Timer
	InputCommand                       // Command: an order of the user or of the scenario to this process
)

// Input is what an actor is given in one step. It is valid during the step
// only. Bodies are never changed; a request's may be kept until it is answered, a
// response's only if Out.Keep is called.
type Input struct {
	Kind     InputKind
	From     ActorID
	Channel  Channel
	Conn     ConnID
	Corr     int32
	ClientID string // of a request: the client.id in its header
	User     string // of a request: the principal that its connection has; "": User:ANONYMOUS
	Request  kmsg.Request
	Response kmsg.Response
	Timer    Timer
	Reason   Reason
	Command  any
}

// Reason says why a connection ended.
type Reason uint8

// The reasons.
const (
	ReasonNone    Reason = iota
	ReasonRefused        // nobody listens there (the process is down, its machine is up)
	ReasonTimeout        // connection setup or a request took too long
	ReasonReset          // the peer's process died or closed the connection
	ReasonClosed         // this side closed it
)

// Actor is a process in the simulated world.
//
// Step must be a function of the actor's state and its arguments alone. It
// must not keep out or in.
type Actor interface {
	Step(now kafka.Instant, in *Input, out *Out)
	// Clone returns a deep copy that shares only immutable parts. Neither copy
	// sees what the other does later.
	Clone() Actor
	// Digest writes the actor's whole state in a fixed order.
	Digest(h *Hash)
}

// Out collects what an actor wants done. The kernel does it after Step.
type Out struct {
	now   kafka.Instant
	self  ActorID
	ops   []op
	notes []trace.Note
	kept  bool // Keep was called
	reuse reuse
}

type opKind uint8

const (
	opSend opKind = iota
	opReply
	opMute
	opCloseConn
	opDisconnect
	opSetTimer
	opClearTimer
	opNote
	opExit
)

type op struct {
	kind    opKind
	to      ActorID
	channel Channel
	corr    int32
	conn    ConnID
	oneWay  bool
	at      kafka.Instant // deadline of a request, instant of a timer
	timer   Timer
	req     kmsg.Request
	resp    kmsg.Response
	note    int // index into notes
}

// NewOut returns an Out for actor self at now, for use by the kernel and by
// tests that drive a machine alone.
func NewOut(now kafka.Instant, self ActorID) *Out { return &Out{now: now, self: self} }

// Now is the instant of the step.
func (o *Out) Now() kafka.Instant { return o.now }

// Self is the actor that is stepping.
func (o *Out) Self() ActorID { return o.self }

// Send sends a request to a process over the named channel, connecting first if
// need be. Exactly one of these comes back with the same corr: InputResponse,
// or InputDisconnected (refused, reset, or no response within timeout: then
// the whole connection is closed and every request in flight on it is told).
// The request must not change after this.
func (o *Out) Send(to ActorID, ch Channel, corr int32, req kmsg.Request, timeout kafka.Duration) {
	o.ops = append(o.ops, op{kind: opSend, to: to, channel: ch, corr: corr, req: req, at: o.now.Add(timeout)})
}

// SendOneWay sends a request that gets no response (Produce with acks=0). If
// the connection ends before it is delivered, nobody is told of the request; that
// the connection ended comes back as InputDisconnected with corr 0, unless other
// requests were in flight on it.
func (o *Out) SendOneWay(to ActorID, ch Channel, req kmsg.Request) {
	o.ops = append(o.ops, op{kind: opSend, to: to, channel: ch, req: req, oneWay: true})
}

// Reply answers the request that came over conn with corr. If that connection
// is gone, the response is dropped, as a real one would be.
func (o *Out) Reply(conn ConnID, corr int32, resp kmsg.Response) {
	o.ops = append(o.ops, op{kind: opReply, conn: conn, corr: corr, resp: resp})
}

// Mute has the server take no further request from a connection until an
// instant (KIP-219): they wait, unread. A response to the present one still goes
// out at once; ask for Mute before Reply.
func (o *Out) Mute(conn ConnID, until kafka.Instant) {
	o.ops = append(o.ops, op{kind: opMute, conn: conn, at: until})
}

// Throttle has the response that this step gives to a request carry its
// throttle_time_ms, and mutes the connection for so long (KIP-219). Nothing happens
// without such a response, or if it cannot say so.
func (o *Out) Throttle(conn ConnID, corr int32, wait kafka.Duration) {
	for i := range o.ops {
		p := &o.ops[i]
		if p.kind != opReply || p.conn != conn || p.corr != corr {
			continue
		}
		if r, ok := p.resp.(kmsg.SetThrottleResponse); ok {
			r.SetThrottle(int32(wait.Millis()))
			o.Mute(conn, o.now.Add(wait))
		}
		return
	}
}

// CloseConn closes a connection from the server's side (a broker does so when
// a Produce with acks=0 fails).
func (o *Out) CloseConn(conn ConnID) {
	o.ops = append(o.ops, op{kind: opCloseConn, conn: conn})
}

// Disconnect closes this process's own connection to a peer; requests in
// flight on it come back as InputDisconnected with ReasonClosed.
func (o *Out) Disconnect(to ActorID, ch Channel) {
	o.ops = append(o.ops, op{kind: opDisconnect, to: to, channel: ch})
}

// SetTimer sets the named timer to fire at an instant, replacing an earlier
// setting. An instant in the past fires at once, after this step.
func (o *Out) SetTimer(t Timer, at kafka.Instant) {
	o.ops = append(o.ops, op{kind: opSetTimer, timer: t, at: at})
}

// After sets the named timer to fire after d.
func (o *Out) After(t Timer, d kafka.Duration) { o.SetTimer(t, o.now.Add(d)) }

// ClearTimer unsets the named timer; clearing one that is not set is fine.
func (o *Out) ClearTimer(t Timer) {
	o.ops = append(o.ops, op{kind: opClearTimer, timer: t})
}

// Note records that something happened. The kernel stamps id, instant, actor
// and parent; effects asked for after a note have that note as their cause.
func (o *Out) Note(n trace.Note) {
	n.At, n.Actor = o.now, int32(o.self)
	o.notes = append(o.notes, n)
	o.ops = append(o.ops, op{kind: opNote, note: len(o.notes) - 1})
}

// Exit ends this process after the step (the last act of a clean shutdown): its
// connections are closed, its timers cleared, and nothing reaches it until it
// is started again.
func (o *Out) Exit() { o.ops = append(o.ops, op{kind: opExit}) }

// Exited reports whether the step asked to end the process.
func (o *Out) Exited() bool {
	return slices.ContainsFunc(o.ops, func(p op) bool { return p.kind == opExit })
}

// Stay takes back that the process should end: another part of it has not ended yet.
func (o *Out) Stay() {
	o.ops = slices.DeleteFunc(o.ops, func(p op) bool { return p.kind == opExit })
}

// Sent is a request or response in an Out, for tests that drive a machine alone.
type Sent struct {
	To       ActorID
	Channel  Channel
	Corr     int32
	Conn     ConnID
	OneWay   bool
	Request  kmsg.Request  // nil for a response
	Response kmsg.Response // nil for a request
}

// Messages lists what the step sent, in order.
func (o *Out) Messages() []Sent {
	var s []Sent
	for _, p := range o.ops {
		if p.kind == opSend || p.kind == opReply {
			s = append(s, Sent{p.to, p.channel, p.corr, p.conn, p.oneWay, p.req, p.resp})
		}
	}
	return s
}

// TimerSetting is a timer set or cleared in an Out.
type TimerSetting struct {
	Timer Timer
	At    kafka.Instant // Never: cleared
}

// Timers lists the timers that the step set or cleared, in order.
func (o *Out) Timers() []TimerSetting {
	var s []TimerSetting
	for _, p := range o.ops {
		switch p.kind {
		case opSetTimer:
			s = append(s, TimerSetting{p.timer, p.at})
		case opClearTimer:
			s = append(s, TimerSetting{p.timer, kafka.Never})
		}
	}
	return s
}

// Notes lists what the step noted, in order.
func (o *Out) Notes() []trace.Note { return o.notes }

// Closed lists the connections that the step closed from the server's side.
func (o *Out) Closed() []ConnID {
	var s []ConnID
	for _, p := range o.ops {
		if p.kind == opCloseConn {
			s = append(s, p.conn)
		}
	}
	return s
}

// Reset empties the Out for a step of self at now, keeping its memory.
func (o *Out) Reset(now kafka.Instant, self ActorID) {
	for i := range o.ops { // let go of the messages
		switch p := &o.ops[i]; p.kind {
		case opSend:
			p.req = nil
		case opReply:
			p.resp = nil
		}
	}
	o.now, o.self, o.ops, o.notes, o.kept = now, self, o.ops[:0], o.notes[:0], false
}
