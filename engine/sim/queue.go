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
	pos    int32  // index in the heap, -1 when not in it
	gen    uint32 // Kernel.gen when the message was sent
}

// queue is the pending events in order of (time, sequence): a 4-ary heap of
// small keys over a slab of events, from which any event can be removed.
type queue struct {
	heap []key
	slab []event
	free []handle
}

type key struct {
	at  kafka.Instant
	seq uint64
	h   handle
}

func (a key) before(b key) bool {
	return a.at < b.at || a.at == b.at && a.seq < b.seq
}

// alloc stores an event without queueing it.
func (q *queue) alloc(e event) handle {
	e.pos = -1
	if n := len(q.free); n > 0 {
		h := q.free[n-1]
		q.free = q.free[:n-1]
		q.slab[h] = e
		return h
	}
	q.slab = append(q.slab, e)
	return handle(len(q.slab) - 1)
}

// release forgets an event that is not in the heap.
func (q *queue) release(h handle) {
	q.slab[h] = event{pos: -1}
	q.free = append(q.free, h)
}

// push queues a stored event by its at and seq.
func (q *queue) push(h handle) {
	e := &q.slab[h]
	q.heap = append(q.heap, key{e.at, e.seq, h})
	q.up(len(q.heap) - 1)
}

// pop takes the first event out of the heap; it stays in the slab until released.
func (q *queue) pop() handle {
	h := q.heap[0].h
	q.removeAt(0)
	return h
}

// remove takes an event out of the heap and forgets it.
func (q *queue) remove(h handle) {
	if p := q.slab[h].pos; p >= 0 {
		q.removeAt(int(p))
	}
	q.release(h)
}

func (q *queue) removeAt(i int) {
	n := len(q.heap) - 1
	q.slab[q.heap[i].h].pos = -1
	last := q.heap[n]
	q.heap = q.heap[:n]
	if i == n {
		return
	}
	q.heap[i] = last
	q.slab[last.h].pos = int32(i)
	q.down(i)
	q.up(int(q.slab[last.h].pos))
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
	k := q.heap[i]
	for {
		least, from := -1, 4*i+1
		for c := from; c < min(from+4, len(q.heap)); c++ {
			if least < 0 || q.heap[c].before(q.heap[least]) {
				least = c
			}
		}
		if least < 0 || !q.heap[least].before(k) {
			break
		}
		q.place(i, q.heap[least])
		i = least
	}
	q.place(i, k)
}

func (q *queue) place(i int, k key) {
	q.heap[i] = k
	q.slab[k.h].pos = int32(i)
}

// next returns when the first event is due.
func (q *queue) next() (kafka.Instant, bool) {
	if len(q.heap) == 0 {
		return kafka.Never, false
	}
	return q.heap[0].at, true
}

// sorted lists the queued events in the order in which they will happen.
func (q *queue) sorted() []handle {
	keys := slices.Clone(q.heap)
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
	return queue{slices.Clone(q.heap), slices.Clone(q.slab), slices.Clone(q.free)}
}
