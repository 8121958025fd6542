package producer

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
)

// accumulator holds the batches that are not acked yet, by partition
// (RecordAccumulator.java).
type accumulator struct {
	topics     []topic // by index in the metadata
	parts      []part
	nodes      []node // sorted by id; the first stands for "no leader"
	batches    []batch
	spare      []int32 // free slots of batches
	serial     int64   // batches made so far
	live       int     // slots in use
	free       int64   // bytes of buffer.memory not in use
	queued     int     // records in queues
	flying     int     // records in flight
	oldAcks    []partAcks
	arena      []byte    // free space for sealed batches; no part of the state
	lists      [][]int32 // used lists for flights; no part of the state
	unresolved []int32   // partitions with an unresolved sequence, ascending
}

// partAcks are acked records of an earlier life of the process.
type partAcks struct {
	tp   kafka.TopicPartition
	acks client.Acks
}

type topic struct {
	parts    []int32 // by partition: index into accumulator.parts
	touched  int32   // partitions that ever had a batch
	sticky   int32   // where unkeyed records go; -1: to be drawn
	produced int     // bytes that went there
}

// part is one partition's queue, and its entry in the TxnPartitionMap.
type part struct {
	topic   int32
	index   int32
	node    int32 // of its leader, index into accumulator.nodes; 0: none
	epoch   kafka.LeaderEpoch
	queue   []int32 // batches waiting to be sent, oldest first
	listed  bool    // stands in its node's list
	muted   bool    // max.in.flight 1: one of its batches is under way
	touched bool

	id         int64 // producer id and epoch of the sequences below
	pepoch     int16
	next       int32   // next sequence
	lastAcked  int32   // last acked sequence; -1: none
	sequenced  []int32 // batches with a sequence that are not resolved, by sequence, queued ones too
	unresolved int32   // sequence after those whose fate is not known; -1: all is known

	acks client.Acks
}

type node struct {
	id       sim.ActorID
	listed   []int32 // its partitions with a queue, ascending
	from     int32   // the partition at which the next drain begins
	triedAt  kafka.Instant
	drainsAt kafka.Instant
}

type batchState uint8

const (
	batchFree    batchState = iota
	batchOpen               // takes records
	batchClosed             // takes no more; waits to be sent, or to be sent again
	batchFlying             // waits for its response
	batchExpired            // failed, but its response may still come
)

// batch is a ProducerBatch.
type batch struct {
	serial  int64
	state   batchState
	split   bool // made by splitting a larger one
	retry   bool // was sent before (inRetry)
	reset   bool // its sequence was given anew (sequenceHasBeenReset)
	stale   bool // bytes carry other sequences than the fields below
	part    int32
	ids     []int64
	open    record.Builder
	bytes   []byte // sealed; never changed once sent
	limit   int    // size at which it is full
	memory  int64  // taken from buffer.memory
	largest int32  // upper bound of its largest record's size in a batch of its own

	created   kafka.Instant
	attempted kafka.Instant // last attempt, or created
	backoff   kafka.Instant // not to be sent before this
	attempts  int32
	epoch     kafka.LeaderEpoch // leader epoch last seen
	epochAt   int32             // attempts when that changed; -1: it did not

	id       int64 // producer id, epoch and base sequence; noSequence: not given yet
	pepoch   int16
	sequence int32
}

type expiring struct {
	at     kafka.Instant
	slot   int32
	serial int64
}

func newAccumulator(o *options) accumulator {
	return accumulator{free: o.memory, nodes: []node{{id: -1}}}
}

// grow makes room for the partitions of a topic.
func (a *accumulator) grow(t, partitions int, p *Producer) {
	for len(a.topics) <= t {
		a.topics = append(a.topics, topic{sticky: -1})
	}
	tp := &a.topics[t]
	for i := len(tp.parts); i < partitions; i++ {
		tp.parts = append(tp.parts, int32(len(a.parts)))
		a.parts = append(a.parts, part{topic: int32(t), index: int32(i), id: noProducerID, pepoch: noProducerEpoch,
			lastAcked: record.NoSequence, unresolved: record.NoSequence, epoch: kafka.NoEpoch})
		l := p.meta.Leader(t, int32(i))
		a.lead(int32(len(a.parts)-1), l)
	}
}

// lead makes a partition follow its leader.
func (a *accumulator) lead(pi int32, l client.Leader) {
	pt := &a.parts[pi]
	n := int32(0)
	if l.Node != kafka.NoNode {
		n = a.node(sim.ActorID(l.Node))
	}
	pt.epoch = l.Epoch
	if n == pt.node {
		return
	}
	if pt.listed {
		a.unlist(pi)
		pt.node = n
		a.list(pi)
		return
	}
	pt.node = n
}

// node returns the index of a broker, made if need be. New ones come last, so
// that indexes stay; the order of nodes is the order in which leaders appeared.
func (a *accumulator) node(id sim.ActorID) int32 {
	for i := range a.nodes {
		if a.nodes[i].id == id {
			return int32(i)
		}
	}
	a.nodes = append(a.nodes, node{id: id})
	return int32(len(a.nodes) - 1)
}

// list puts a partition with a queue into its node's list.
func (a *accumulator) list(pi int32) {
	pt := &a.parts[pi]
	if pt.listed {
		return
	}
	pt.listed = true
	n := &a.nodes[pt.node]
	at, _ := slices.BinarySearch(n.listed, pi)
	n.listed = slices.Insert(n.listed, at, pi)
}

func (a *accumulator) unlist(pi int32) {
	pt := &a.parts[pi]
	if !pt.listed {
		return
	}
	pt.listed = false
	n := &a.nodes[pt.node]
	if at, ok := slices.BinarySearch(n.listed, pi); ok {
		n.listed = slices.Delete(n.listed, at, at+1)
	}
}

// newBatch takes a slot for a batch of a partition.
func (p *Producer) newBatch(pi int32, created kafka.Instant) int32 {
	a := &p.acc
	var slot int32
	if n := len(a.spare); n > 0 {
		slot = a.spare[n-1]
		a.spare = a.spare[:n-1]
	} else {
		slot = int32(len(a.batches))
		a.batches = append(a.batches, batch{})
	}
	a.serial++
	a.live++
	b := &a.batches[slot]
	*b = batch{
		serial: a.serial, state: batchOpen, part: pi, ids: b.ids[:0], open: b.open, created: created, attempted: created,
		backoff: -kafka.Never, epoch: kafka.NoEpoch, epochAt: -1, id: noProducerID, pepoch: noProducerEpoch, sequence: record.NoSequence,
	}
	e := expiring{created.Add(p.opt.delivery), slot, a.serial}
	at := len(p.expiry)
	for at > 0 && p.expiry[at-1].at > e.at {
		at--
	}
	p.expiry = slices.Insert(p.expiry, at, e)
	return slot
}

// release gives a slot back.
func (a *accumulator) release(slot int32) {
	b := &a.batches[slot]
	b.state, b.bytes, b.serial = batchFree, nil, 0
	a.live--
	a.spare = append(a.spare, slot)
}

// deallocate gives a batch's memory back; a blocked send() may go on.
func (p *Producer) deallocate(b *batch) {
	p.acc.free += b.memory
	if b.memory > 0 && p.app.busy {
		p.dirty = true
	}
	b.memory = 0
}

func (b *batch) size() int {
	if b.bytes == nil {
		return b.open.Size()
	}
	return len(b.bytes)
}

// full is ProducerBatch.isFull.
func (b *batch) full() bool {
	return b.state != batchOpen || b.open.Count() > 0 && b.limit <= b.open.Size()
}

func (a *accumulator) allFull(pi int32) bool {
	q := a.parts[pi].queue
	return len(q) == 0 || a.batches[q[len(q)-1]].full()
}

// append puts the application's record into a batch (RecordAccumulator.append).
// partition -1 leaves the choice to the sticky partitioner. It returns false if
// there is no memory for a new batch.
func (p *Producer) append(now kafka.Instant, partition int32, sizeMax int, headers []record.RecordHeader) bool {
	r := &p.app.rec
	t := &p.acc.topics[r.topic]
	timestamp := r.timestamp
	if timestamp < 0 {
		timestamp = now.UnixMilli()
	}
	for {
		chosen := partition
		if partition < 0 {
			chosen = p.stickyPartition(int(r.topic))
		}
		pi := t.parts[chosen]
		b := p.tail(pi)
		before, fresh := 0, b == nil
		if b != nil {
			if before = b.size(); b.open.SizeWith(timestamp, r.keyBytes(), r.valueBytes(), headers) > b.limit {
				b.state = batchClosed
				continue // it is full now, which may send an unkeyed record elsewhere
			}
		} else if b = p.extend(now, pi, sizeMax); b == nil {
			return false
		}
		b.open.Add(timestamp, r.keyBytes(), r.valueBytes(), headers)
		b.ids = append(b.ids, r.id)
		b.largest = max(b.largest, int32(sizeMax))
		p.acc.queued++
		if partition < 0 {
			p.stuck(int(r.topic), b.open.Size()-before)
		}
		p.appended(now, pi, b, fresh)
		return true
	}
}

// tail returns the partition's last batch if it takes records.
func (p *Producer) tail(pi int32) *batch {
	q := p.acc.parts[pi].queue
	if len(q) == 0 {
		return nil
	}
	if b := &p.acc.batches[q[len(q)-1]]; b.state == batchOpen {
		return b
	}
	return nil
}

// extend adds an empty batch to a partition's queue; nil if memory is short.
func (p *Producer) extend(now kafka.Instant, pi int32, sizeMax int) *batch {
	a := &p.acc
	limit := max(p.opt.batchSize, sizeMax)
	if a.free < int64(limit) {
		return nil
	}
	a.free -= int64(limit)
	slot := p.newBatch(pi, now)
	b, pt := &a.batches[slot], &a.parts[pi]
	b.limit, b.memory = limit, int64(limit)
	b.open.Reset(record.BatchSpec{Codec: p.opt.codec})
	pt.queue = append(pt.queue, slot)
	a.list(pi)
	if !pt.touched {
		pt.touched = true
		a.topics[pt.topic].touched++
	}
	return b
}

// appended decides whether the sender must look, as KafkaProducer.doSend wakes
// it up: a batch is full, or is new.
func (p *Producer) appended(now kafka.Instant, pi int32, b *batch, fresh bool) {
	pt := &p.acc.parts[pi]
	switch {
	case len(pt.queue) > 1 || b.full():
		p.dirty = true
	case fresh && (p.opt.linger == 0 || pt.node == 0):
		p.dirty = true
	case fresh:
		p.nextReady = min(p.nextReady, now.Add(p.opt.linger))
	}
}

// encode turns a batch into the bytes to be sent. Bytes that were sent before
// are never changed: a batch that was numbered anew gets a copy.
func (a *accumulator) encode(b *batch) {
	switch {
	case b.bytes == nil:
		b.open.SetProducer(b.id, b.pepoch, b.sequence)
		b.bytes = a.keep(b.open.Bytes())
		b.state = batchClosed
	case b.stale:
		b.bytes = slices.Clone(b.bytes)
		record.SetProducer(b.bytes, b.id, b.pepoch, b.sequence)
	}
	b.stale = false
}

// arenaBytes is the size of the chunks into which sealed batches are copied, so
// that builders keep their memory and small batches share an allocation.
const arenaBytes = 8 << 10

// keep copies a sealed batch to where it stays.
func (a *accumulator) keep(b []byte) []byte {
	if len(b) > arenaBytes/4 {
		return slices.Clone(b)
	}
	if cap(a.arena)-len(a.arena) < len(b) {
		a.arena = make([]byte, 0, arenaBytes)
	}
	from := len(a.arena)
	a.arena = append(a.arena, b...)
	return a.arena[from:len(a.arena):len(a.arena)]
}
