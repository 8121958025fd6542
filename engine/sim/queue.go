package sim

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// handle names a pending event: its place in the slab. noHandle is none.
type handle int32

const noHandle handle = -1

// eventKind says what the kernel does when an event's time has come.
type eventKind uint8

const (
	evBoot      eventKind = iota // slot: InputBoot
	evTimer                      // slot, timer
	evRequest                    // conn, life, corr, req: a request reaches the server
	evResponse                   // conn, life, corr, resp: a response reaches the client
	evNext                       // conn, life: the server takes the next request that waits on it
	evSyn                        // conn, life: the client's SYN (again) leaves
	evConnected                  // conn, life: the handshake is over
	evReset                      // conn, life: the client learns that the server closed
	evExpire                     // conn, life: look for requests past their deadline
	evNoAnswer                   // slot, conn, corr, reason: tell the client that a request gets no response
)

// event is something that will happen. Which fields count depends on kind.
type event struct {
	seq    uint64
	at     kafka.Instant
	sent   kafka.Instant // when a message was first sent
	cause  trace.ID
	kind   eventKind
	oneWay bool
	reason Reason
	slot   int32
	conn   int32
	life   uint32
	corr   int32
	timer  Timer
	req    kmsg.Request
	resp   kmsg.Response
	pos    int32  // index in the heap; inNear or nowhere
	gen    uint32 // Kernel.gen when the message was sent
}

// The places of an event that is not in the heap.
const (
	nowhere int32 = -1 // not queued
	inNear  int32 = -2
)

// queue is the pending events in order of (time, sequence), over a slab from which
// any event can be removed. The few that come next, in which nearly all that is
// added belongs, stand in a sorted list; all others, timers mostly, in a 4-ary heap.
//
// Invariant: what is in near is before all that is in heap.
type queue struct {
	near []key // the next one last
	heap []key
	slab []event
	free []handle
}

// nearMax is how long the list may become, nearMin how many it gets when it has
// run empty.
const (
	nearMax = 24
	nearMin = 6
)

type key struct {
	at  kafka.Instant
	seq uint64
	h   handle
}

func (a key) before(b key) bool {
	return a.at < b.at || a.at == b.at && a.seq < b.seq
}

// alloc stores an event without queueing it.
func (q *queue) alloc(e *event) handle {
	e.pos = nowhere
	if n := len(q.free); n > 0 {
		h := q.free[n-1]
		q.free = q.free[:n-1]
		q.slab[h] = *e
		return h
	}
	q.slab = append(q.slab, *e)
	return handle(len(q.slab) - 1)
}

// release forgets an event that is not in the heap.
func (q *queue) release(h handle) {
	e := &q.slab[h]
	e.seq, e.pos = 0, nowhere
	if e.req != nil {
		e.req = nil
	}
	if e.resp != nil {
		e.resp = nil
	}
	q.free = append(q.free, h)
}

// push queues a stored event by its at and seq.
func (q *queue) push(h handle) {
	e := &q.slab[h]
	k := key{e.at, e.seq, h}
	if len(q.near) == 0 || q.near[0].before(k) {
		q.pushHeap(k)
		return
	}
	e.pos = inNear
	q.near = append(q.near, k)
	i := len(q.near) - 1
	for ; i > 0 && q.near[i-1].before(k); i-- {
		q.near[i] = q.near[i-1]
	}
	q.near[i] = k
	if len(q.near) > nearMax {
		q.pushHeap(q.near[0])
		q.near = q.near[:copy(q.near, q.near[1:])]
	}
}

func (q *queue) pushHeap(k key) {
	q.heap = append(q.heap, k)
	q.up(len(q.heap) - 1)
}

// empty reports whether nothing is queued.
func (q *queue) empty() bool { return len(q.near) == 0 && len(q.heap) == 0 }

// fill sees to it that near has the next event, if there is one.
func (q *queue) fill() {
	if len(q.near) > 0 {
		return
	}
	for len(q.heap) > 0 && len(q.near) < nearMin {
		q.near = append(q.near, q.heap[0])
		q.removeAt(0)
		q.slab[q.near[len(q.near)-1].h].pos = inNear
	}
	slices.Reverse(q.near)
}

// pop takes the first event out; it stays in the slab until released.
func (q *queue) pop() handle {
	q.fill()
	n := len(q.near) - 1
	h := q.near[n].h
	q.near = q.near[:n]
	q.slab[h].pos = nowhere
	return h
}

// remove takes an event out and forgets it.
func (q *queue) remove(h handle) {
	switch p := q.slab[h].pos; {
	case p >= 0:
		q.removeAt(int(p))
	case p == inNear:
		i := slices.IndexFunc(q.near, func(k key) bool { return k.h == h })
		q.near = slices.Delete(q.near, i, i+1)
	}
	q.release(h)
}

// removeAt takes an event out of the heap.
func (q *queue) removeAt(i int) {
	n := len(q.heap) - 1
	q.slab[q.heap[i].h].pos = nowhere
	last := q.heap[n]
	q.heap = q.heap[:n]
	if i == n {
		return
	}
	q.heap[i] = last
	q.down(i)
	if i > 0 {
		q.up(int(q.slab[last.h].pos))
	}
}

func (q *queue) up(i int) {
	k := q.heap[i]
	for i > 0 {
		p := (i - 1) / 4
		if !k.before(q.heap[p]) {
			break
		}
		q.place(i, q.heap[p])
		i = p
	}
	q.place(i, k)
}

func (q *queue) down(i int) {
	heap := q.heap
	k := heap[i]
	for {
		child := 4*i + 1
		if child >= len(heap) {
			break
		}
		at, least := child, heap[child]
		for c, next := range heap[child+1 : min(child+4, len(heap))] {
			if next.before(least) {
				at, least = child+1+c, next
			}
		}
		if !least.before(k) {
			break
		}
		q.place(i, least)
		i = at
	}
	q.place(i, k)
}

func (q *queue) place(i int, k key) {
	q.heap[i] = k
	q.slab[k.h].pos = int32(i)
}

// next returns when the first event is due.
func (q *queue) next() (kafka.Instant, bool) {
	if q.empty() {
		return kafka.Never, false
	}
	q.fill()
	return q.near[len(q.near)-1].at, true
}

// sorted lists the queued events in the order in which they will happen.
func (q *queue) sorted() []handle {
	keys := slices.Concat(q.near, q.heap)
	slices.SortFunc(keys, func(a, b key) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	hs := make([]handle, len(keys))
	for i, k := range keys {
		hs[i] = k.h
	}
	return hs
}

func (q *queue) clone() queue {
	return queue{slices.Clone(q.near), slices.Clone(q.heap), slices.Clone(q.slab), slices.Clone(q.free)}
}
