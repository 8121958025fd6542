package sim

import (
	"fmt"
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim/net"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Hooks are what the owner of a kernel wants to hear. They are not part of the
// kernel's state: a clone has none.
type Hooks struct {
	// Note is called with every note, already stamped.
	Note func(*trace.Note)
	// Exited is called when a process has ended by itself.
	Exited func(ActorID)
	// Size returns a message's size in bytes; it is asked only on links with a
	// bandwidth.
	Size func(Message) int
	// Recode, if set, replaces every message that is sent. Tests encode and
	// decode here, so that nothing hides outside a message's bytes.
	Recode func(Message) Message
	// Done, if set, is given every message whose memory would be used again.
	// Tests spoil them here, so that nobody lives on what was dealt with.
	Done func(Message)
}

// Message is a request or a response; the other is nil.
type Message struct {
	Request  kmsg.Request
	Response kmsg.Response
}

// Kernel runs actors in virtual time.
//
// Invariant: events happen in order of (instant, sequence); every effect of a
// step is applied before the next event.
type Kernel struct {
	Hooks Hooks

	seed   uint64
	now    kafka.Instant
	seq    uint64
	events uint64
	last   ActorID // who had the last of them; not part of the digest
	still  int     // events at this instant so far
	notes  trace.ID
	queue  queue
	lost   []handle // messages sent into a cut, in order of loss; TCP will send them again
	net    net.Net
	conns  []conn
	slots  []slot
	nodes  []int32 // slot+1 by ActorID below FirstClient
	others []int32 // slot+1 by ActorID - FirstClient

	out Out
	in  Input
	gen uint32 // counts clones: messages of this generation are in no other copy
}

// slot is a process's place in the kernel.
type slot struct {
	id      ActorID
	name    string
	user    string // principal of its connections; "": User:ANONYMOUS
	actor   Actor
	up      bool
	powered bool
	frozen  bool
	exited  bool       // it ended by itself
	life    uint32     // counts starts
	timers  []timerSet // few: looked through one by one
	own     []int32    // connections that it opened
	serves  []int32    // connections that others opened to it
	backlog []handle   // what a frozen process has not seen yet
	rng     Rand       // for reconnect back-off
}

// New returns a kernel at instant now, without actors.
func New(seed uint64, now kafka.Instant, normal net.Quality) *Kernel {
	return &Kernel{seed: seed, now: now, net: net.New(seed, normal)}
}

// Add puts a process into the world; it is down until it is started.
func (k *Kernel) Add(id ActorID, name string, a Actor) {
	table, i := &k.nodes, int(id)
	if id.IsClient() {
		table, i = &k.others, int(id-FirstClient)
	}
	if i < 0 || i > 1<<16 {
		panic(fmt.Sprintf("sim: actor id %d is out of range", id))
	}
	for len(*table) <= i {
		*table = append(*table, 0)
	}
	if (*table)[i] != 0 {
		panic(fmt.Sprintf("sim: actor id %d is taken", id))
	}
	k.slots = append(k.slots, slot{
		id: id, name: name, actor: a, powered: true,
		rng: NewRand(k.seed, "connect/"+name),
	})
	(*table)[i] = int32(len(k.slots))
}

// SetUser says as whom a process connects. There is no authentication: servers
// believe it.
func (k *Kernel) SetUser(id ActorID, user string) { k.slots[k.find(id)].user = user }

// User is what SetUser said, "" if nothing.
func (k *Kernel) User(id ActorID) string { return k.slots[k.find(id)].user }

// find returns an actor's slot; -1 if there is none.
func (k *Kernel) find(id ActorID) int32 {
	table, i := k.nodes, int(id)
	if id.IsClient() {
		table, i = k.others, int(id-FirstClient)
	}
	if i < 0 || i >= len(table) {
		return -1
	}
	return table[i] - 1
}

func (k *Kernel) must(id ActorID) *slot {
	s := k.find(id)
	if s < 0 {
		panic(fmt.Sprintf("sim: no actor %d", id))
	}
	return &k.slots[s]
}

// Now is the current instant.
func (k *Kernel) Now() kafka.Instant { return k.now }

// Events counts the steps that actors have taken.
func (k *Kernel) Events() uint64 { return k.events }

// Last is the actor that took the latest step; 0 before the first.
func (k *Kernel) Last() ActorID { return k.last }

// LastNote is the id of the latest note.
func (k *Kernel) LastNote() trace.ID { return k.notes }

// Actor returns the process with the id, nil if there is none.
func (k *Kernel) Actor(id ActorID) Actor {
	if s := k.find(id); s >= 0 {
		return k.slots[s].actor
	}
	return nil
}

// Up reports whether the process runs (a frozen one does).
func (k *Kernel) Up(id ActorID) bool { return k.must(id).up }

// Frozen reports whether the process is stopped by SIGSTOP.
func (k *Kernel) Frozen(id ActorID) bool { return k.must(id).frozen }

// Exited reports whether the process is down because it ended by itself.
func (k *Kernel) Exited(id ActorID) bool { return k.must(id).exited }

// Powered reports whether the process's machine has power.
func (k *Kernel) Powered(id ActorID) bool { return k.must(id).powered }

// Next returns the instant of the next event.
func (k *Kernel) Next() (kafka.Instant, bool) { return k.queue.next() }

// Step lets the next event happen. It returns false if there is none. Some
// events are the kernel's own (a handshake, a deadline); Events does not count
// those.
func (k *Kernel) Step() bool {
	if k.queue.empty() {
		return false
	}
	h := k.queue.pop()
	k.progress(&k.queue.slab[h])
	if k.divert(h) {
		return true
	}
	e := k.queue.slab[h] // a copy: the slab may grow while it happens
	k.queue.release(h)
	k.happen(&e)
	return true
}

// standstillMax is how many events may happen at one instant. More means that
// processes keep each other busy without time passing: a bug.
const standstillMax = 1 << 20

// progress moves the clock to an event.
func (k *Kernel) progress(e *event) {
	k.still++
	if e.at != k.now {
		k.now, k.still = e.at, 0
	}
	if k.still > standstillMax {
		panic(fmt.Sprintf("sim: %d events at %v and no end; the last is of kind %d, timer %v", k.still, k.now, e.kind, e.timer))
	}
}

// divert keeps an event from happening now: a message that a cut swallows, an
// input of a frozen process.
func (k *Kernel) divert(h handle) bool {
	e := &k.queue.slab[h]
	switch e.kind {
	case evRequest, evResponse, evReset:
		if c := &k.conns[e.conn]; c.life == e.life && k.net.At(c.link(e.kind != evRequest)).Cut {
			k.lost = append(k.lost, h)
			return true
		}
	}
	if s := k.receiver(e); s >= 0 && k.slots[s].frozen {
		k.slots[s].backlog = append(k.slots[s].backlog, h)
		return true
	}
	return false
}

// receiver is the slot whose process the event is for; -1 for the kernel's own.
func (k *Kernel) receiver(e *event) int32 {
	switch e.kind {
	case evBoot, evTimer, evNoAnswer:
		return e.slot
	case evRequest, evNext:
		return k.conns[e.conn].server
	case evResponse, evReset:
		return k.conns[e.conn].client
	}
	return -1
}

func (k *Kernel) happen(e *event) {
	switch e.kind {
	case evBoot:
		if s := &k.slots[e.slot]; s.up && s.life == e.life {
			k.in = Input{Kind: InputBoot}
			k.step(e.slot, e.cause)
		}
	case evTimer:
		s := &k.slots[e.slot]
		s.forget(e.timer)
		k.in = Input{Kind: InputTimer, Timer: e.timer}
		k.step(e.slot, e.cause)
	case evNoAnswer:
		if s := &k.slots[e.slot]; s.up && s.life == e.life {
			c := &k.conns[e.conn]
			k.in = Input{Kind: InputDisconnected, From: k.slots[c.server].id, Channel: c.channel, Corr: e.corr, Reason: e.reason}
			k.step(e.slot, e.cause)
		}
	default:
		k.happenOnWire(e)
	}
}

// step gives a process the input in k.in and applies what it wants done.
func (k *Kernel) step(s int32, cause trace.ID) {
	k.events++
	sl := &k.slots[s]
	k.last = sl.id
	k.out.Reset(k.now, sl.id)
	sl.actor.Step(k.now, &k.in, &k.out)
	k.apply(s, cause)
}

// apply does what the last step asked for, in order. The step's first note has
// the event's cause as parent, later ones have the first; effects have the
// latest note before them as cause.
func (k *Kernel) apply(s int32, cause trace.ID) {
	headline := trace.ID(0)
	for i := range k.out.ops {
		o := &k.out.ops[i]
		switch o.kind {
		case opNote:
			parent := headline
			if parent == 0 {
				parent = cause
			}
			id := k.stamp(&k.out.notes[o.note], parent)
			if headline == 0 {
				headline = id
			}
			cause = id
		case opSetTimer:
			k.setTimer(s, o.timer, o.at, cause)
		case opClearTimer:
			k.clearTimer(s, o.timer)
		case opExit:
			k.stop(s, true)
			k.slots[s].exited = true
			if k.Hooks.Exited != nil {
				k.Hooks.Exited(k.slots[s].id)
			}
		default:
			k.applyOnWire(s, o, cause)
		}
	}
}

func (k *Kernel) stamp(n *trace.Note, parent trace.ID) trace.ID {
	k.notes++
	n.ID, n.Parent = k.notes, parent
	if k.Hooks.Note != nil {
		k.Hooks.Note(n)
	}
	return n.ID
}

// Note records something that the world itself did, and returns its id: the
// cause of the effects of what follows through StartFor, OrderFor and the like.
func (k *Kernel) Note(n trace.Note, parent trace.ID) trace.ID {
	n.At, n.Actor = k.now, -1
	return k.stamp(&n, parent)
}

func (k *Kernel) setTimer(s int32, t Timer, at kafka.Instant, cause trace.ID) {
	k.clearTimer(s, t)
	if at == kafka.Never {
		return
	}
	h := k.schedule(event{at: max(at, k.now), kind: evTimer, slot: s, timer: t, cause: cause})
	k.slots[s].timers = append(k.slots[s].timers, timerSet{t, h})
}

func (k *Kernel) clearTimer(s int32, t Timer) {
	sl := &k.slots[s]
	h := sl.forget(t)
	if h == noHandle {
		return
	}
	if i := slices.Index(sl.backlog, h); i >= 0 {
		sl.backlog = slices.Delete(sl.backlog, i, i+1)
	}
	k.queue.remove(h)
}

// timerSet is a timer that is set, and its event.
type timerSet struct {
	timer Timer
	event handle
}

// forget takes a timer off the list and returns its event; noHandle if it was
// not set.
func (s *slot) forget(t Timer) handle {
	for i := range s.timers {
		if s.timers[i].timer == t {
			h, last := s.timers[i].event, len(s.timers)-1
			s.timers[i] = s.timers[last]
			s.timers = s.timers[:last]
			return h
		}
	}
	return noHandle
}

func (k *Kernel) schedule(e event) handle {
	k.seq++
	e.seq = k.seq
	h := k.queue.alloc(&e)
	k.queue.push(h)
	return h
}

// AdvanceTo moves the clock to t, which must not be beyond the next event.
func (k *Kernel) AdvanceTo(t kafka.Instant) {
	if at, ok := k.queue.next(); ok && at < t {
		panic(fmt.Sprintf("sim: advance to %v over an event at %v", t, at))
	}
	k.now = max(k.now, t)
}

// Clone returns a copy of the whole world: it shares with the original only
// what never changes. Hooks are not copied.
func (k *Kernel) Clone() *Kernel {
	k.gen++
	c := *k
	c.Hooks, c.out, c.in = Hooks{}, Out{}, Input{}
	c.queue = k.queue.clone()
	c.lost = slices.Clone(k.lost)
	c.net = k.net.Clone()
	c.nodes, c.others = slices.Clone(k.nodes), slices.Clone(k.others)
	c.conns = slices.Clone(k.conns)
	for i := range c.conns {
		c.conns[i].cloneLists()
	}
	c.slots = slices.Clone(k.slots)
	for i := range c.slots {
		s := &c.slots[i]
		s.timers = slices.Clone(s.timers)
		s.own, s.serves, s.backlog = slices.Clone(s.own), slices.Clone(s.serves), slices.Clone(s.backlog)
		s.actor = s.actor.Clone()
	}
	return &c
}

// Digest writes the whole state, actors included.
func (k *Kernel) Digest(h *Hash) {
	h.Int(int64(k.now))
	h.Uint64(k.seq)
	h.Uint64(k.events)
	h.Uint64(uint64(k.notes))
	for _, e := range k.queue.sorted() {
		k.queue.slab[e].digest(h)
	}
	for _, e := range k.lost {
		k.queue.slab[e].digest(h)
	}
	k.net.Digest(h)
	for i := range k.conns {
		k.conns[i].digest(h)
	}
	for i := range k.slots {
		s := &k.slots[i]
		h.Int(int64(s.id))
		h.Bool(s.up)
		h.Bool(s.powered)
		h.Bool(s.frozen)
		h.Bool(s.exited)
		h.Uint64(uint64(s.life))
		s.rng.Digest(h)
		for _, e := range s.backlog {
			k.queue.slab[e].digest(h)
		}
		s.actor.Digest(h)
	}
}

func (e *event) digest(h *Hash) {
	h.Int(int64(e.at))
	h.Uint64(e.seq)
	h.Uint64(uint64(e.kind)<<8 | uint64(e.reason))
	h.Int(int64(e.sent))
	h.Uint64(uint64(e.cause))
	h.Int(int64(e.slot)<<32 | int64(e.conn))
	h.Int(int64(e.corr)<<32 | int64(e.life))
	h.Int(int64(e.timer.Owner)<<8 | int64(e.timer.Kind))
	h.Int(int64(e.timer.A)<<32 | int64(uint32(e.timer.B)))
	if e.req != nil {
		h.Bytes(e.req.AppendTo(nil))
	}
	if e.resp != nil {
		h.Bytes(e.resp.AppendTo(nil))
	}
}
