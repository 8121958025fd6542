package broker

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
)

// Digest writes everything that the broker's behaviour depends on but the logs
// and the disk, which are the machine's.
func (b *Broker) Digest(h *sim.Hash) {
	h.Int(int64(b.cfg.ID))
	h.Bytes(b.cfg.Incarnation[:])
	h.Int(int64(b.cfg.PreviousEpoch))
	b.rand.Digest(h)
	b.img.Digest(h)
	h.Int(int64(len(b.parts)))
	for _, p := range b.parts {
		h.Bool(p != nil)
		if p != nil {
			p.digest(h)
		}
	}
	b.life.digest(h)
	b.control.digest(h)
	b.alter.digest(h)
	b.assign.digest(h)
	digestSlots(h, b.moves)
	h.Int(int64(len(b.prefer)))
	h.Int(b.pids.next)
	h.Int(b.pids.end)
	h.Bool(b.pids.asking)
	for _, d := range b.produces {
		h.Bool(d != nil)
		if d != nil {
			d.digest(h)
		}
	}
	h.Int(int64(b.produceDue))
	for _, s := range b.sessions {
		h.Bool(s != nil)
		if s != nil {
			s.digest(h)
		}
	}
	h.Int(int64(b.fetchDue))
	b.gives.digest(h)
	b.takes.digest(h)
	h.Int(int64(len(b.uses)))
	for i := range b.uses {
		h.String(b.uses[i].user)
		h.String(b.uses[i].client)
		b.uses[i].produce.digest(h)
		b.uses[i].consume.digest(h)
		b.uses[i].request.digest(h)
	}
	for _, f := range b.fetchers {
		f.digest(h)
	}
	h.Int(int64(b.nextCorr))
	h.Int(int64(len(b.writes)))
	for i := range b.writes {
		h.Int(int64(b.writes[i].done))
	}
	h.Int(int64(len(b.locals)))
	h.Int(int64(len(b.leaders)))
	for _, c := range b.creating {
		h.String(c)
	}
	h.Bool(b.loaded)
	h.Int(int64(b.opened))
	b.care.digest(h)
	digestSlots(h, b.freeProduce)
	digestSlots(h, b.freeSession)
}

func (c *logCare) digest(h *sim.Hash) {
	h.Int(int64(c.checkDue))
	h.Int(int64(c.purgeDue))
	h.Int(int64(c.offline))
	h.Int(c.cleaner.done)
	digestSlots(h, c.cleaner.bad)
	h.Int(int64(len(c.cleaner.threads)))
	for i := range c.cleaner.threads {
		c.cleaner.threads[i].digest(h)
	}
	h.Int(int64(len(c.deletes)))
	for _, d := range c.deletes {
		h.Int(int64(d.conn))
		h.Int(int64(d.corr))
		h.Int(int64(d.deadline))
	}
}

func (t *cleanerThread) digest(h *sim.Hash) {
	h.Int(int64(t.last))
	h.Int(int64(t.next))
	h.Int(t.owed)
	if p := t.pass; p != nil {
		h.Int(int64(t.part))
		h.Int(int64(t.due))
		h.Int(int64(p.Started))
		h.Int(int64(p.Cleanable.FirstDirty))
		h.Int(int64(p.Cleanable.FirstUncleanable))
		h.Int(int64(p.End))
		h.Int(int64(p.Stage)<<32 | int64(p.Group))
		h.Int(p.Stats.Kept)
	}
}

func digestSlots(h *sim.Hash, slots []int32) {
	h.Int(int64(len(slots)))
	for _, s := range slots {
		h.Int(int64(s))
	}
}

func digestNodes(h *sim.Hash, nodes []kafka.NodeID) {
	h.Int(int64(len(nodes)))
	for _, n := range nodes {
		h.Int(int64(n))
	}
}

func (p *partition) digest(h *sim.Hash) {
	h.String(p.tp.Topic)
	h.Int(int64(p.tp.Partition))
	h.Bytes(p.id[:])
	h.Int(int64(p.leader))
	h.Int(int64(p.leaderEpoch))
	h.Int(int64(p.partitionEpoch))
	h.Int(int64(p.hw))
	h.Int(int64(p.epochStart))
	h.Bool(p.told)
	h.Int(int64(p.move.phase))
	h.Bool(p.move.running)
	h.Int(int64(p.move.piece))
	digestNodes(h, p.isr)
	digestNodes(h, p.maximal)
	h.Int(p.pending.id)
	digestNodes(h, p.pending.isr)
	for i := range p.remotes {
		r := &p.remotes[i]
		h.Int(int64(r.node))
		h.Int(int64(r.leo))
		h.Int(int64(r.logStart))
		h.Int(int64(r.caughtUp))
		h.Int(int64(r.lastFetch))
		h.Int(int64(r.fetchLEO))
		h.Int(int64(r.epoch))
		h.Int(int64(r.session))
	}
	f := &p.fetch
	h.Bool(f.active)
	h.Bool(f.queued)
	h.Bool(f.inSession)
	h.Bool(f.failed)
	h.Int(int64(f.until))
	h.Int(int64(f.offset))
	h.Int(int64(f.epoch))
	for _, w := range p.watchers {
		h.Int(int64(w.session)<<32 | int64(w.pos))
	}
	for _, w := range p.waits {
		h.Int(int64(w.required))
		h.Int(int64(w.produce)<<32 | int64(w.item))
	}
	p.producers.digest(h)
}

func (l *lifecycle) digest(h *sim.Hash) {
	h.Int(int64(l.state))
	h.Int(int64(l.epoch))
	h.Bool(l.inFlight)
	h.Bool(l.immediate)
	h.Bool(l.ready)
	h.Bool(l.toldDown)
	h.Int(l.recover)
	h.Int(int64(l.toldDirs))
	h.Int(int64(l.tellDirs))
}

func (c *control) digest(h *sim.Hash) {
	h.Int(int64(c.leader))
	h.Bool(c.known)
	h.Int(int64(len(c.questions)))
	for i := range c.questions {
		q := &c.questions[i]
		h.Int(int64(q.kind))
		h.Int(int64(q.corr))
		h.Bool(q.sent)
		h.Int(int64(q.deadline))
		h.Uint64(uint64(q.conn))
		h.Int(int64(q.connCorr))
		h.Bytes(q.req.AppendTo(nil))
	}
}

func (a *alterPartition) digest(h *sim.Hash) {
	h.Int(a.lastID)
	for _, list := range [2][]proposal{a.queue, a.inFlight} {
		h.Int(int64(len(list)))
		for _, q := range list {
			h.Int(int64(q.part))
			h.Int(q.id)
		}
	}
}

func (d *delayedProduce) digest(h *sim.Hash) {
	h.Uint64(uint64(d.conn))
	h.Int(int64(d.corr))
	d.who.digest(h)
	h.Int(int64(d.deadline))
	h.Int(d.token)
	h.Int(int64(d.left))
	for i := range d.results {
		r := &d.results[i]
		h.Int(int64(r.part))
		h.Bool(r.waiting)
		h.Int(int64(r.code))
		h.Int(int64(r.base))
		h.Int(int64(r.last))
	}
}

func (c caller) digest(h *sim.Hash) {
	h.String(c.user)
	h.String(c.client)
}

func (s *session) digest(h *sim.Hash) {
	h.Int(int64(s.id))
	h.Int(int64(s.epoch))
	h.Int(int64(s.replica))
	h.Int(int64(s.repEpoch))
	h.Int(int64(s.created))
	h.Int(int64(s.lastFetch))
	h.Bool(s.evicted)
	h.Bool(s.full)
	h.Bool(s.parked)
	h.Uint64(uint64(s.conn))
	h.Int(int64(s.corr))
	h.Int(int64(s.deadline))
	h.String(s.rack)
	s.who.digest(h)
	h.Int(int64(s.minBytes)<<32 | int64(s.maxBytes))
	for i := range s.parts {
		p := &s.parts[i]
		h.Bool(p.gone)
		if p.gone {
			continue
		}
		h.Int(int64(p.part))
		h.Bool(p.atEnd)
		h.Bytes(p.id[:])
		h.Int(int64(p.num))
		h.Int(int64(p.offset))
		h.Int(int64(p.logStart))
		h.Int(int64(p.maxBytes))
		h.Int(int64(p.epoch)<<32 | int64(uint32(p.lastEpoch)))
		h.Int(int64(p.toldHW))
		h.Int(int64(p.toldStart))
	}
	h.Int(int64(s.homeless))
	digestSlots(h, s.queue)
	digestSlots(h, s.free)
}

func (f *fetcher) digest(h *sim.Hash) {
	h.Int(int64(f.leader))
	digestSlots(h, f.parts)
	digestSlots(h, f.changed)
	h.Int(int64(len(f.forget)))
	h.Int(int64(f.session))
	h.Int(int64(f.epoch))
	h.Int(int64(f.corr))
	h.Bool(f.writing)
	h.Bool(f.trouble)
	for _, q := range f.offsets {
		h.Int(int64(q.corr))
		h.Int(int64(q.part))
		h.Int(q.kind)
	}
}
