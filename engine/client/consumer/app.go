package consumer

import (
	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/sim/order"
	"github.com/highwater-sim/highwater/engine/trace"
)

// closeTimeout bounds the last commit of close() (ConsumerConfig: 30 s).
const closeTimeout = 30 * kafka.Second

const invalidGroupID kafka.ErrorCode = 24

// runApp lets the application's thread run until it works on records, is blocked
// or polls without getting any.
func (c *Consumer) runApp(now kafka.Instant, out *sim.Out) {
	for c.running && now >= c.app.busyUntil {
		if c.app.syncing && !c.sync(now, out) {
			return
		}
		if c.app.waiting {
			c.app.waiting = false
			c.work(now, len(c.app.batch))
			continue
		}
		c.processed(len(c.app.batch))
		if c.obey(now, out) {
			continue
		}
		if c.closing {
			c.close(now, out)
			return
		}
		if c.paused || c.app.halted {
			return
		}
		if c.poll(now, out) == 0 {
			return
		}
	}
}

// sync goes on with commitSync() and reports whether it returned.
func (c *Consumer) sync(now kafka.Instant, out *sim.Out) (returned bool) {
	if now >= c.app.syncUntil {
		c.met(now, -1, kafka.RequestTimedOut, "Timeout expired before successfully committing offsets", out)
		c.committed(flightCommitSync)
		return true
	}
	for i := range c.flights {
		if c.flights[i].kind == flightCommitSync {
			return false
		}
	}
	c.commit(now, flightCommitSync, out)
	return !c.app.syncing
}

// obey carries out the oldest order for the application's thread, if there is
// one.
func (c *Consumer) obey(now kafka.Instant, out *sim.Out) bool {
	if len(c.app.orders) == 0 {
		return false
	}
	o := c.app.orders[0]
	c.app.orders = append(c.app.orders[:0:0], c.app.orders[1:]...)
	switch o := o.(type) {
	case order.Seek:
		c.app.halted = false
		word, at, err := parsePlace(o.To)
		if err != nil {
			break
		}
		for i := range c.parts {
			if tp := c.tp(int32(i)); tp == o.TP || o.TP.Partition < 0 && tp.Topic == o.TP.Topic {
				c.place(int32(i), word, at)
			}
		}
	case order.Commit:
		if c.cfg.Group == "" {
			c.met(now, -1, invalidGroupID, "To use the group management or offset commit APIs, you must provide a valid group.id", out)
			break
		}
		c.app.syncing, c.app.syncUntil = true, now.Add(c.opt.api)
	}
	return true
}

// close is KafkaConsumer.close(): commit once more if commits are automatic,
// then end.
func (c *Consumer) close(now kafka.Instant, out *sim.Out) {
	if c.opt.autoCommit > 0 && !c.app.closed {
		c.app.syncing, c.app.syncUntil = true, now.Add(closeTimeout)
		if !c.sync(now, out) {
			return
		}
	}
	c.running = false
	out.Exit()
}

// poll is one call of poll() that returns at once; it returns how many records
// it gave to the application, which then works on them.
func (c *Consumer) poll(now kafka.Instant, out *sim.Out) int {
	if c.opt.autoCommit > 0 {
		c.autoCommit(now, out)
	}
	c.updatePositions(now, out)
	if c.app.halted {
		return 0
	}
	n := c.collect(now, out)
	c.sendFetches(now, out)
	switch {
	case n > 0 && c.cfg.CommitFirst:
		c.app.waiting = true
		c.app.syncing, c.app.syncUntil = true, now.Add(c.opt.api)
	case n > 0:
		c.work(now, n)
	}
	return n
}

// work begins with n records that poll returned.
func (c *Consumer) work(now kafka.Instant, n int) {
	c.app.began, c.app.busyUntil = now, now.Add(min(c.cfg.Work, kafka.Day)*kafka.Duration(n))
}

// finished is how many records of what poll returned the work is done for.
func (c *Consumer) finished(now kafka.Instant) int {
	if c.app.waiting || len(c.app.batch) == 0 {
		return 0
	}
	return int(min(now.Sub(c.app.began)/max(c.cfg.Work, 1), kafka.Duration(len(c.app.batch))))
}

// processed says that the application has finished with the first n records of
// what poll returned, and that it goes on with no others of them.
func (c *Consumer) processed(n int) {
	l := &c.ledger
	for _, r := range c.app.batch[:n] {
		l.finish(int(r.who), r.id)
	}
	c.app.batch = c.app.batch[:0]
}

func (l *ledger) finish(who int, id int64) {
	l.processed++
	if who >= 0 && !l.from[who].done.Add(id) {
		l.again++
	}
}

// collect takes up to max.poll.records out of the buffer
// (FetchCollector.collectFetch).
func (c *Consumer) collect(now kafka.Instant, out *sim.Out) int {
	n := 0
	for n < c.opt.maxPoll && len(c.buffer) > 0 && !c.app.halted {
		f := &c.buffer[0]
		pi := f.part
		if c.parts[pi].state != fetching { // its position is in doubt: fetch again
			c.drop(pi)
			continue
		}
		first := c.parts[pi].position
		got, done, bad := c.take(f, c.opt.maxPoll-n)
		if got > 0 {
			tp := c.tp(pi)
			out.Note(trace.Note{Kind: trace.Delivered, Who: c.cfg.Name, Topic: tp.Topic, Part: tp.Partition,
				From: first, Offset: c.parts[pi].position - 1, N: int64(got)})
		}
		n += got
		if bad != nil {
			c.threw(now, pi, kafka.CorruptMessage, bad.Error(), out)
		}
		if done {
			c.drop(pi)
		}
	}
	return n
}

// take delivers records of one partition's fetched batches, up to max, and
// moves the position. done says that nothing is left.
func (c *Consumer) take(f *fetched, max int) (got int, done bool, bad error) {
	pt := &c.parts[f.part]
	for len(f.bytes) > 0 {
		raw, err := record.Frame(f.bytes)
		if err == nil && c.opt.checkCRC && !f.checked {
			err = record.VerifyCRC(raw)
		}
		if err != nil {
			return got, false, err
		}
		f.checked = true
		h := raw.Header()
		if raw.NextOffset() > pt.position && !c.hidden(f, &h) && !h.Attributes.Control() {
			n, whole, err := c.takeBatch(pt, raw, max-got)
			got += n
			if err != nil || !whole {
				return got, false, err
			}
		}
		if next := raw.NextOffset(); next > pt.position {
			pt.position = next // over a gap that compaction left, or a batch that is not for us
		}
		pt.epoch = raw.LeaderEpoch()
		f.settle(&h)
		f.bytes, f.checked = f.bytes[raw.Size():], false
		if got == max && len(f.bytes) > 0 {
			return got, false, nil
		}
	}
	return got, true, nil
}

// takeBatch delivers the records of a batch from the position on, up to max;
// whole says that none is left.
func (c *Consumer) takeBatch(pt *part, raw record.Raw, max int) (n int, whole bool, err error) {
	it, err := record.NewIterator(raw)
	if err != nil {
		return 0, false, err
	}
	var r record.Record
	for it.Next(&r) {
		if r.Offset < pt.position {
			continue
		}
		if n == max {
			return n, false, nil
		}
		who, id := c.ledger.saw(pt, &r)
		if c.cfg.Work > 0 || c.cfg.CommitFirst {
			c.app.batch = append(c.app.batch, polled{int32(who), id})
		} else {
			c.ledger.finish(who, id)
		}
		n++
		pt.position, pt.epoch = r.Offset+1, raw.LeaderEpoch()
	}
	return n, it.Err() == nil, it.Err()
}

// saw enters a record into the ledger: it is a duplicate if its identity was
// delivered before, reordered if a later one of the same producer was delivered
// before it from the same partition.
func (l *ledger) saw(pt *part, r *record.Record) (who int, id int64) {
	l.delivered++
	name, id, ok := client.Identity(r)
	if !ok {
		l.foreign++
		return -1, 0
	}
	who = -1
	for i := range l.from {
		if l.from[i].producer == string(name) {
			who = i
			break
		}
	}
	if who < 0 {
		who = len(l.from)
		l.from = append(l.from, seen{producer: string(name)})
	}
	fresh := l.from[who].ids.Add(id)
	if !fresh {
		l.duplicates++
	}
	for len(pt.highest) <= who {
		pt.highest = append(pt.highest, -1)
	}
	if fresh && id < pt.highest[who] {
		l.reordered++
	}
	pt.highest[who] = max(pt.highest[who], id)
	return who, id
}
