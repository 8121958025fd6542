package sim

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim/net"
	"github.com/highwater-sim/highwater/engine/trace"
)

// Start starts a process that is down: it gets InputBoot at once, before any
// other event of this instant that is not due yet.
func (k *Kernel) Start(id ActorID, cause trace.ID) {
	i := k.find(id)
	s := k.must(id)
	if s.up {
		return
	}
	s.up, s.powered, s.frozen, s.exited = true, true, false, false
	s.life++
	k.schedule(event{at: k.now, kind: evBoot, slot: i, life: s.life, cause: cause})
	for _, c := range s.serves { // peers that send on old connections learn that those are gone
		if cn := &k.conns[c]; cn.state == connOpen && !cn.closing {
			k.serverCloses(c, cause)
		}
	}
}

// Kill ends a process at once. If the machine keeps power its kernel closes the
// sockets, so peers learn of it; if not, they hear nothing.
func (k *Kernel) Kill(id ActorID, powerLoss bool, cause trace.ID) {
	s := k.must(id)
	if s.up {
		k.stopFor(k.find(id), !powerLoss, cause)
	}
	if powerLoss {
		s.powered = false
		k.unsend(k.find(id))
	}
}

// unsend forgets what a machine without power would have sent again when a cut heals.
func (k *Kernel) unsend(i int32) {
	keep := k.lost[:0:0]
	for _, h := range k.lost {
		e := &k.queue.slab[h]
		sender := k.conns[e.conn].server
		if e.kind == evRequest {
			sender = k.conns[e.conn].client
		}
		if sender == i {
			k.queue.release(h)
		} else {
			keep = append(keep, h)
		}
	}
	k.lost = keep
}

func (k *Kernel) stop(i int32, tellPeers bool) { k.stopFor(i, tellPeers, k.notes) }

func (k *Kernel) stopFor(i int32, tellPeers bool, cause trace.ID) {
	s := &k.slots[i]
	s.up, s.frozen = false, false
	s.timers = s.timers[:0]
	for h := range k.queue.slab {
		if e := &k.queue.slab[h]; e.kind == evTimer && e.slot == i && e.seq != 0 {
			k.queue.remove(handle(h))
		}
	}
	for _, h := range s.backlog {
		if k.queue.slab[h].seq != 0 { // its timers went above
			k.queue.release(h)
		}
	}
	s.backlog = nil
	for _, c := range s.own {
		k.close(c)
	}
	for _, c := range s.serves {
		cn := &k.conns[c]
		cn.busy, cn.busyReq, cn.muted, cn.inbox = false, nil, unmuted, nil
		if tellPeers && cn.state == connOpen && !cn.closing {
			k.serverCloses(c, cause)
		}
	}
}

// Freeze stops a process as SIGSTOP does: its machine still acknowledges
// bytes, but the process sees nothing until Thaw.
func (k *Kernel) Freeze(id ActorID) {
	if s := k.must(id); s.up {
		s.frozen = true
	}
}

// Thaw lets a frozen process go on; all that has waited reaches it now, in order.
func (k *Kernel) Thaw(id ActorID) {
	s := k.must(id)
	if !s.frozen {
		return
	}
	s.frozen = false
	for _, h := range s.backlog {
		k.seq++
		e := &k.queue.slab[h]
		e.at, e.seq = k.now, k.seq
		k.queue.push(h)
	}
	s.backlog = nil
}

// Order gives a running process an order now.
func (k *Kernel) Order(id ActorID, order any, cause trace.ID) bool {
	i := k.find(id)
	if i < 0 || !k.slots[i].up || k.slots[i].frozen {
		return false
	}
	k.in = Input{Kind: InputCommand, Command: order}
	k.step(i, cause)
	return true
}

// Cut loses everything from one process to another until Heal.
func (k *Kernel) Cut(from, to ActorID) { k.net.Between(int32(from), int32(to)).Cut = true }

// Heal ends a cut; TCP sends what was lost again when its timer next fires.
func (k *Kernel) Heal(from, to ActorID) {
	k.net.Between(int32(from), int32(to)).Cut = false
	k.retransmit()
}

// IsCut reports whether the direction is cut.
func (k *Kernel) IsCut(from, to ActorID) bool {
	return slices.ContainsFunc(k.net.Changed(), func(l net.Link) bool {
		return l.Cut && l.From == int32(from) && l.To == int32(to)
	})
}

// SetLink changes a link's quality; negative values leave that part as it is.
func (k *Kernel) SetLink(from, to ActorID, q net.Quality) {
	l := k.net.Between(int32(from), int32(to))
	if q.Latency >= 0 {
		l.Latency = q.Latency
	}
	if q.Jitter >= 0 {
		l.Jitter = q.Jitter
	}
	if q.Bandwidth >= 0 {
		l.Bandwidth = q.Bandwidth
	}
}

// ChangedLinks lists the links that are cut or not of normal quality.
func (k *Kernel) ChangedLinks() []net.Link { return k.net.Changed() }

// Flight is a message on its way.
type Flight struct {
	ID       uint64
	From, To ActorID
	Sent     kafka.Instant
	Arrive   kafka.Instant // kafka.Never: lost in a cut, to be sent again
	Message  Sent
	Cause    trace.ID
}

// Flights appends the messages that are on their way, in order of sending.
func (k *Kernel) Flights(to []Flight) []Flight {
	start := len(to)
	for _, list := range [...][]key{k.queue.near, k.queue.heap} {
		for i := range list {
			to = k.flight(to, list[i].h, false)
		}
	}
	for _, h := range k.lost {
		to = k.flight(to, h, true)
	}
	slices.SortFunc(to[start:], func(a, b Flight) int {
		switch {
		case a.Sent != b.Sent:
			return compare(a.Sent, b.Sent)
		case a.ID < b.ID:
			return -1
		}
		return 1
	})
	return to
}

func compare(a, b kafka.Instant) int {
	if a < b {
		return -1
	}
	return 1
}

func (k *Kernel) flight(to []Flight, h handle, lost bool) []Flight {
	e := &k.queue.slab[h]
	if e.kind != evRequest && e.kind != evResponse || k.conns[e.conn].life != e.life {
		return to
	}
	c := &k.conns[e.conn]
	f := Flight{ID: e.seq, From: k.slots[c.client].id, To: k.slots[c.server].id, Sent: e.sent, Arrive: e.at, Cause: e.cause,
		Message: Sent{To: k.slots[c.server].id, Channel: c.channel, Corr: e.corr, OneWay: e.oneWay, Request: e.req, Response: e.resp}}
	if e.kind == evResponse {
		f.From, f.To = f.To, f.From
	}
	if lost {
		f.Arrive = kafka.Never
	}
	return append(to, f)
}
