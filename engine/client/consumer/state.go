package consumer

import (
	"slices"
	"strconv"

	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/sim/order"
)

// Clone returns a deep copy that shares only what never changes: configs and
// fetched batches.
func (c *Consumer) Clone() sim.Actor { return c.Fork() }

// Fork is Clone with the type kept.
func (c *Consumer) Fork() *Consumer {
	d := *c
	d.net, d.meta = c.net.Clone(), c.meta.Clone()
	d.whole = slices.Clone(c.whole)
	d.topics = slices.Clone(c.topics)
	for i := range d.topics {
		d.topics[i] = slices.Clone(d.topics[i])
	}
	d.parts = slices.Clone(c.parts)
	for i := range d.parts {
		d.parts[i].highest = slices.Clone(d.parts[i].highest)
	}
	d.brokers = slices.Clone(c.brokers)
	for i := range d.brokers {
		b := &d.brokers[i]
		b.changes, b.forget = slices.Clone(b.changes), slices.Clone(b.forget)
	}
	d.buffer = slices.Clone(c.buffer)
	for i := range d.buffer {
		d.buffer[i].gone = slices.Clone(d.buffer[i].gone)
	}
	d.flights = slices.Clone(c.flights) // their lists are never changed
	d.app.orders, d.app.batch = slices.Clone(c.app.orders), slices.Clone(c.app.batch)
	d.ledger.from = slices.Clone(c.ledger.from)
	for i := range d.ledger.from {
		d.ledger.from[i].ids, d.ledger.from[i].done = c.ledger.from[i].ids.Clone(), c.ledger.from[i].done.Clone()
	}
	d.ledger.errors = c.ledger.errors.Clone()
	return &d
}

// Digest writes the whole state.
func (c *Consumer) Digest(h *sim.Hash) {
	for _, b := range []bool{c.running, c.closing, c.paused, c.app.halted, c.app.syncing, c.app.waiting, c.app.closed, c.coord.wanted, c.coord.finding, c.coord.asking, c.coord.auto} {
		h.Bool(b)
	}
	for _, v := range []int64{c.seen, int64(c.armed), int64(c.preferDue), int64(c.app.busyUntil), int64(c.app.began), int64(c.app.syncUntil), int64(c.app.autoAt),
		int64(c.coord.node), int64(c.coord.retryAt), int64(c.coord.tries), int64(c.coord.commits)} {
		h.Int(v)
	}
	c.net.Digest(h)
	c.meta.Digest(h)
	c.backoff.Digest(h)
	h.Int(int64(len(c.parts)))
	for i := range c.parts {
		c.parts[i].digest(h)
	}
	for i := range c.brokers {
		c.brokers[i].digest(h)
	}
	h.Int(int64(len(c.buffer)))
	for i := range c.buffer {
		f := &c.buffer[i]
		h.Int(int64(f.part))
		h.Int(int64(f.from))
		h.Bytes(f.bytes)
		h.Int(int64(len(f.aborted)))
		for _, id := range f.gone {
			h.Int(id)
		}
	}
	h.Int(int64(len(c.flights)))
	for i := range c.flights {
		f := &c.flights[i]
		h.Int(int64(f.kind))
		h.Int(int64(f.corr))
		h.Int(int64(f.node))
		for j, pi := range f.parts {
			h.Int(int64(pi))
			if j < len(f.at) {
				h.Int(int64(f.at[j]))
			}
		}
	}
	for _, r := range c.app.batch {
		h.Int(int64(r.who))
		h.Int(r.id)
	}
	c.digestOrders(h)
	c.ledger.digest(h)
}

func (c *Consumer) digestOrders(h *sim.Hash) {
	h.Int(int64(len(c.app.orders)))
	for _, o := range c.app.orders {
		if s, ok := o.(order.Seek); ok {
			h.String(s.TP.Topic)
			h.Int(int64(s.TP.Partition))
			h.String(s.To)
		}
	}
}

func (pt *part) digest(h *sim.Hash) {
	for _, v := range []int64{int64(pt.topic), int64(pt.index), int64(pt.state), int64(pt.position), int64(pt.epoch), int64(pt.leader.Node), int64(pt.leader.Epoch),
		int64(pt.reset.kind), int64(pt.reset.since), int64(pt.retryAt), int64(pt.committed), int64(pt.hw), int64(pt.lso), int64(pt.logStart),
		int64(pt.preferred), int64(pt.preferredUntil), int64(pt.target), int64(pt.session), int64(pt.sent), int64(pt.sentEpoch)} {
		h.Int(v)
	}
	h.Bytes(pt.sentID[:])
	h.Bool(pt.buffered)
	for _, v := range pt.highest {
		h.Int(v)
	}
}

func (b *broker) digest(h *sim.Hash) {
	h.Int(int64(b.id))
	h.Bool(b.pending)
	h.Int(int64(b.fetchable))
	h.Int(int64(b.buffered))
	h.Int(int64(b.session))
	h.Int(int64(b.epoch))
	h.Int(int64(len(b.changes)))
	for _, v := range b.changes {
		h.Int(int64(v))
	}
	h.Int(int64(len(b.forget)))
	for _, f := range b.forget {
		h.Int(int64(f.part))
		h.Bytes(f.id[:])
	}
}

func (l *ledger) digest(h *sim.Hash) {
	h.Int(l.delivered)
	h.Int(l.duplicates)
	h.Int(l.reordered)
	h.Int(l.foreign)
	h.Int(l.processed)
	h.Int(l.again)
	for i := range l.from {
		h.String(l.from[i].producer)
		l.from[i].ids.Digest(h)
		l.from[i].done.Digest(h)
	}
	l.errors.Digest(h)
}

// Assigned is a partition that the consumer reads.
type Assigned struct {
	TP        kafka.TopicPartition
	State     string       // as SubscriptionState.FetchStates prints it
	Position  kafka.Offset // next to be returned by poll; NoOffset: not known yet
	Epoch     kafka.LeaderEpoch
	Committed kafka.Offset // NoOffset: none that this process knows of
	HW        kafka.Offset // of the last fetch; NoOffset before it
	LSO       kafka.Offset
	LogStart  kafka.Offset
	End       kafka.Offset // HW, or LSO for read_committed
	Lag       int64        // End - Position, or -1 while either is not known
	ReadsFrom kafka.NodeID // the broker that it is fetched from: its leader, or a follower (KIP-392); NoNode: not known
}

// ID is the process's actor id.
func (c *Consumer) ID() sim.ActorID { return c.cfg.ID }

// Name is the client.id.
func (c *Consumer) Name() string { return c.cfg.Name }

// Group is the group.id, "" for none.
func (c *Consumer) Group() string { return c.cfg.Group }

// Settings lists the configs that were given, sorted by name.
func (c *Consumer) Settings() []client.Setting { return c.opt.all.All() }

// Running reports whether the process runs.
func (c *Consumer) Running() bool { return c.running }

// Closing reports whether close() was called and the last commit is awaited.
func (c *Consumer) Closing() bool { return c.running && c.closing }

// Paused reports whether the application does not call poll.
func (c *Consumer) Paused() bool { return c.paused }

// Halted reports whether poll() threw: the application stopped polling.
func (c *Consumer) Halted() bool { return c.app.halted }

// BusyUntil is until when the application works on what poll returned.
func (c *Consumer) BusyUntil() kafka.Instant { return c.app.busyUntil }

// Coordinator is the group's coordinator, as the consumer knows it.
func (c *Consumer) Coordinator() (sim.ActorID, bool) { return c.coord.node, c.coord.node != 0 }

// Throttled is how long brokers asked to be left alone (KIP-219).
func (c *Consumer) Throttled() kafka.Duration { return c.net.Throttled() }

// Buffered is how many partitions have fetched records that poll has not
// returned yet.
func (c *Consumer) Buffered() int { return len(c.buffer) }

// Delivered is how many records poll has returned.
func (c *Consumer) Delivered() int64 { return c.ledger.delivered }

// Duplicates is how many records poll returned again.
func (c *Consumer) Duplicates() int64 { return c.ledger.duplicates }

// Processed is how many records the application has finished with by now.
func (c *Consumer) Processed(now kafka.Instant) int64 {
	return c.ledger.processed + int64(c.finished(now))
}

// ProcessedAgain is how many it had finished with before, as far as what poll
// returned is done with.
func (c *Consumer) ProcessedAgain() int64 { return c.ledger.again }

// Reordered is how many records came after a later one of the same producer in
// the same partition.
func (c *Consumer) Reordered() int64 { return c.ledger.reordered }

// Errors counts the errors that the consumer met.
func (c *Consumer) Errors() *client.Errors { return &c.ledger.errors }

// Producers lists the producers whose records were delivered, in the order of
// their first record.
func (c *Consumer) Producers() []string {
	names := make([]string, len(c.ledger.from))
	for i := range names {
		names[i] = c.ledger.from[i].producer
	}
	return names
}

// DeliveredFrom is the set of a producer's records that were delivered; nil if
// there are none. Read only.
func (c *Consumer) DeliveredFrom(producer string) *client.IDs {
	for i := range c.ledger.from {
		if c.ledger.from[i].producer == producer {
			return &c.ledger.from[i].ids
		}
	}
	return nil
}

// Assignment appends the assigned partitions to dst, by topic and partition.
func (c *Consumer) Assignment(dst []Assigned) []Assigned {
	from := len(dst)
	for i := range c.parts {
		pt := &c.parts[i]
		a := Assigned{TP: c.tp(int32(i)), State: pt.state.String(), Position: pt.position, Epoch: pt.epoch, Committed: pt.committed,
			HW: pt.hw, LSO: pt.lso, LogStart: pt.logStart, End: pt.hw, Lag: -1, ReadsFrom: pt.leader.Node}
		if pt.preferred != kafka.NoNode {
			a.ReadsFrom = pt.preferred
		}
		if pt.state == awaitReset {
			a.Position = kafka.NoOffset
		}
		if c.opt.committed {
			a.End = pt.lso
		}
		if a.End >= 0 && a.Position >= 0 {
			a.Lag = int64(max(a.End-a.Position, 0))
		}
		dst = append(dst, a)
	}
	slices.SortFunc(dst[from:], func(a, b Assigned) int { return a.TP.Compare(b.TP) })
	return dst
}

// Partition returns one assigned partition.
func (c *Consumer) Partition(tp kafka.TopicPartition) (Assigned, bool) {
	for _, a := range c.Assignment(nil) {
		if a.TP == tp {
			return a, true
		}
	}
	return Assigned{}, false
}

func itoa(o kafka.Offset) string { return strconv.FormatInt(int64(o), 10) }
