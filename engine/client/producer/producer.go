package producer

import (
	"fmt"

	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/sim/order"
)

// Producer is one producing client process. It is plain data; Step is its only
// way in.
type Producer struct {
	cfg *Config  // never changes
	opt *options // never changes

	running bool
	closing bool // close() was called: send what there is, then end
	paused  bool
	rate    int64 // records per 1000 s

	net     client.Net
	meta    client.Metadata
	seen    int64 // version of meta that parts follow
	spread  sim.Rand
	keys    sim.Rand
	backoff sim.Rand

	acc     accumulator
	idem    idempotence
	flights []flight // requests waiting for their response, by corr
	expiry  []expiring
	work    workload
	app     app

	dirty     bool          // the sender must look again in this step
	nextReady kafka.Instant // when the next lingering or backing-off batch is ready
	armed     kafka.Instant // what the wake timer is set to

	ledger ledger
}

// ledger is what became of the records. It outlives the process.
type ledger struct {
	next    int64 // number of the next record: those below were handed to send()
	worked  int64 // of them, records of the workload
	acked   client.IDs
	failed  client.IDs
	retries int64 // record-retry-total
	errors  client.Errors
	given   client.Errors // by which errors records failed, counted in records
}

// The timers.
const (
	timerWake   uint8 = iota // the sender: linger, back-off, expiry, metadata, blocked send()
	timerRecord              // the workload's next record
)

// New returns a producer that has not been started. The error names the config
// and what would be valid.
func New(cfg Config) (*Producer, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	cfg.Bootstrap = sortedIDs(cfg.Bootstrap)
	if cfg.Partition < 0 {
		cfg.Partition = -1
	}
	opt, err := cfg.parse()
	if err != nil {
		return nil, err
	}
	p := &Producer{cfg: &cfg, opt: opt, rate: cfg.RatePer1000s}
	stream := func(what string) sim.Rand {
		return sim.NewRand(cfg.Seed, fmt.Sprintf("producer/%s/%s", cfg.Name, what))
	}
	p.spread, p.keys, p.backoff = stream("partitioner"), stream("keys"), stream("backoff")
	p.net = client.NewNet(cfg.Name, opt.request, opt.reconnect, stream("net"))
	p.meta = p.newMetadata(stream("metadata"))
	p.reset()
	return p, nil
}

func (p *Producer) newMetadata(rng sim.Rand) client.Metadata {
	return client.NewMetadata(client.MetadataConfig{
		Name: p.cfg.Name, Bootstrap: p.cfg.Bootstrap, MaxAge: p.opt.metadataAge, Backoff: p.opt.backoff, AutoCreate: true,
	}, rng)
}

// reset forgets what dies with the process. Streams of randomness go on.
func (p *Producer) reset() {
	p.running, p.closing = false, false
	acks := p.pastAcks()
	p.net = p.net.Restarted()
	p.meta = p.meta.Restarted()
	p.seen = p.meta.Version()
	p.acc = newAccumulator(p.opt)
	p.acc.oldAcks = acks
	p.idem = idempotence{id: noProducerID, epoch: noProducerEpoch}
	p.flights, p.expiry = nil, nil
	p.work = workload{next: kafka.Never}
	p.app = app{}
	p.nextReady, p.armed = kafka.Never, kafka.Never
}

// Step takes one input.
func (p *Producer) Step(now kafka.Instant, in *sim.Input, out *sim.Out) {
	if in.Kind == sim.InputBoot {
		p.reset()
		p.running, p.dirty = true, true
		p.startWork(now)
	}
	if !p.running {
		return
	}
	switch in.Kind {
	case sim.InputResponse, sim.InputDisconnected:
		p.heard(now, in, out)
	case sim.InputTimer:
		switch in.Timer.Kind {
		case timerWake:
			p.armed = kafka.Never
			p.dirty = true
		case timerRecord:
			p.work.armed = kafka.Never
		}
	case sim.InputCommand:
		p.ordered(now, in.Command)
	}
	p.runApp(now, out)
	for p.dirty {
		p.dirty = false
		p.runSender(now, out)
		if p.dirty { // memory came free for a blocked send()
			p.runApp(now, out)
		}
	}
	if p.closing && p.idle() {
		p.running = false
		out.Exit()
		return
	}
	p.arm(now, out)
}

func (p *Producer) ordered(now kafka.Instant, command any) {
	switch c := command.(type) {
	case order.Pause:
		if p.paused != c.On {
			p.paused = c.On
			p.startWork(now)
		}
	case order.Rate:
		p.rate = min(max(c.Per1000s, 0), RateMax)
		p.startWork(now)
	case order.Shutdown:
		p.closing, p.dirty = true, true
		p.work.next = kafka.Never
		p.app.orders = nil
	case Produce:
		if p.closing || c.N < 1 {
			return
		}
		if c.Topic == "" {
			c.Topic = p.cfg.Topic
		}
		if c.Topic != "" {
			p.app.orders = append(p.app.orders, c)
		}
	}
}

// idle reports whether nothing is left to send or to wait for.
func (p *Producer) idle() bool {
	return !p.app.busy && len(p.app.orders) == 0 && p.acc.live == 0
}

// arm sets the timers to the next instants at which something is due.
func (p *Producer) arm(now kafka.Instant, out *sim.Out) {
	at := min(p.nextReady, p.net.Wake(now))
	if w := p.meta.Wake(); w > now {
		at = min(at, w)
	}
	if len(p.expiry) > 0 {
		at = min(at, p.expiry[0].at)
	}
	if p.app.busy {
		at = min(at, p.app.until)
	}
	if p.idem.retryAt > now {
		at = min(at, p.idem.retryAt)
	}
	if at < p.armed {
		p.armed = at
		out.SetTimer(sim.Timer{Owner: sim.OwnerProducer, Kind: timerWake}, at)
	}
	next := p.work.next
	if p.app.busy {
		next = kafka.Never // the application's thread is blocked in send()
	}
	switch {
	case next == p.work.armed:
	case next == kafka.Never:
		out.ClearTimer(sim.Timer{Owner: sim.OwnerProducer, Kind: timerRecord})
	default:
		out.SetTimer(sim.Timer{Owner: sim.OwnerProducer, Kind: timerRecord}, next)
	}
	p.work.armed = next
}

// Crash kills the process: what was buffered or in flight is neither acked nor
// failed. A client loses no bytes of disk.
func (p *Producer) Crash(kafka.Instant, bool) (bytesLost int64) {
	p.reset()
	return 0
}
