package consumer

import (
	"fmt"
	"slices"

	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/sim/order"
	"github.com/highwater-sim/highwater/engine/trace"
)

// Consumer is one consuming client process. It is plain data; Step is its only
// way in.
type Consumer struct {
	cfg *Config  // never changes
	opt *options // never changes

	running bool
	closing bool
	paused  bool

	net     client.Net
	meta    client.Metadata
	seen    int64 // version of meta that positions follow
	backoff sim.Rand

	whole  []int32 // topics of which every partition is assigned
	topics [][]int32
	parts  []part
	places [stateCount]int // how many parts are in each state

	brokers []broker // fetch targets, in the order in which they appeared
	buffer  []fetched
	flights []flight
	coord   coordinator
	app     app
	armed   kafka.Instant

	preferDue kafka.Instant // when the first preferred read replica is forgotten; Never: there is none

	ledger ledger
}

// fetchState is SubscriptionState.FetchStates.
type fetchState uint8

const (
	initializing fetchState = iota // no position yet
	awaitReset
	awaitValidation
	fetching
	stateCount
)

// String is the state's name in Kafka's source.
func (s fetchState) String() string {
	return [...]string{"INITIALIZING", "AWAIT_RESET", "AWAIT_VALIDATION", "FETCHING"}[s]
}

// part is a partition's TopicPartitionState.
type part struct {
	topic int32 // index in the metadata
	index int32
	state fetchState

	position kafka.Offset // next to be returned by poll; NoOffset: not known
	epoch    kafka.LeaderEpoch
	leader   client.Leader // that the position was set or validated under
	reset    reset         // while AWAIT_RESET
	retryAt  kafka.Instant // reset and validation: not before this

	committed kafka.Offset
	hw        kafka.Offset // of the last fetch; NoOffset before it
	lso       kafka.Offset
	logStart  kafka.Offset

	preferred      kafka.NodeID // read replica (KIP-392); NoNode: the leader
	preferredUntil kafka.Instant

	buffered  bool         // has an entry in buffer
	target    int32        // broker to fetch from, index; -1: not fetchable now
	session   int32        // broker whose fetch session has it; -1: none
	sent      kafka.Offset // fetch offset in the session
	sentEpoch kafka.LeaderEpoch
	sentID    kafka.TopicID
	highest   []int64 // by producer: highest number delivered, -1 for none
}

// app is the application's thread.
type app struct {
	busyUntil kafka.Instant // works on what poll returned
	began     kafka.Instant // with it
	batch     []polled      // what it is; nothing unless the work takes time
	waiting   bool          // the work begins when the commit before it is done
	halted    bool          // poll threw
	orders    []any         // order.Seek and order.Commit, for when the thread is free
	syncing   bool          // blocked in commitSync()
	syncUntil kafka.Instant
	closed    bool // the last commit is under way
	autoAt    kafka.Instant
}

// polled is a record that poll returned, by identity; who is -1 if it has none.
type polled struct {
	who int32
	id  int64
}

// ledger is what the application saw. It outlives the process.
type ledger struct {
	delivered  int64
	duplicates int64
	processed  int64 // records that the application has finished with
	again      int64 // of them those that it had finished with before
	reordered  int64
	foreign    int64 // records without an identity
	from       []seen
	errors     client.Errors
}

// seen are the records of one producer.
type seen struct {
	producer string
	ids      client.IDs
	done     client.IDs // of them those that were processed
}

// New returns a consumer that has not been started. The error names the config
// and what would be valid.
func New(cfg Config) (*Consumer, error) {
	cfg.Bootstrap = slices.Clone(cfg.Bootstrap)
	slices.Sort(cfg.Bootstrap)
	cfg.Assign = slices.Clone(cfg.Assign)
	slices.SortFunc(cfg.Assign, kafka.TopicPartition.Compare)
	cfg.Assign = slices.Compact(cfg.Assign)
	opt, err := cfg.parse()
	if err != nil {
		return nil, err
	}
	c := &Consumer{cfg: &cfg, opt: opt}
	stream := func(what string) sim.Rand {
		return sim.NewRand(cfg.Seed, fmt.Sprintf("consumer/%s/%s", cfg.Name, what))
	}
	c.backoff = stream("backoff")
	c.net = client.NewNet(cfg.Name, opt.request, opt.reconnect, stream("net"))
	c.meta = client.NewMetadata(client.MetadataConfig{
		Name: cfg.Name, Bootstrap: cfg.Bootstrap, MaxAge: opt.metadataAge, Backoff: opt.backoff, AutoCreate: true,
	}, stream("metadata"))
	c.reset()
	return c, nil
}

// reset forgets what dies with the process.
func (c *Consumer) reset() {
	c.running, c.closing = false, false
	c.net, c.meta = c.net.Restarted(), c.meta.Restarted()
	c.seen = c.meta.Version()
	c.whole, c.topics, c.parts, c.brokers, c.buffer, c.flights = nil, nil, nil, nil, nil, nil
	c.places = [stateCount]int{}
	c.coord = coordinator{}
	c.app = app{busyUntil: -kafka.Never, syncUntil: kafka.Never, autoAt: kafka.Never}
	c.armed, c.preferDue = kafka.Never, kafka.Never
}

// Step takes one input.
func (c *Consumer) Step(now kafka.Instant, in *sim.Input, out *sim.Out) {
	if in.Kind == sim.InputBoot {
		c.boot(now)
	}
	if !c.running {
		return
	}
	switch in.Kind {
	case sim.InputResponse, sim.InputDisconnected:
		c.heard(now, in, out)
	case sim.InputTimer:
		c.armed = kafka.Never
	case sim.InputCommand:
		switch o := in.Command.(type) {
		case order.Pause:
			c.paused = o.On
		case order.Seek, order.Commit:
			c.app.orders = append(c.app.orders, o)
		case order.Shutdown:
			c.closing = true
		}
	}
	c.follow()
	c.runApp(now, out)
	if !c.running {
		return
	}
	c.meta.Poll(now, &c.net, out)
	c.findCoordinator(now, out)
	c.arm(now, out)
}

func (c *Consumer) boot(now kafka.Instant) {
	c.reset()
	c.running = true
	if c.opt.autoCommit > 0 {
		c.app.autoAt = now.Add(c.opt.autoCommit)
	}
	for _, tp := range c.cfg.Assign {
		t := int32(c.meta.Add(tp.Topic))
		if tp.Partition < 0 {
			c.whole = append(c.whole, t)
		} else {
			c.assign(t, tp.Partition)
		}
	}
}

// assign takes a partition on, at the place that the config names.
func (c *Consumer) assign(topic, index int32) {
	for int(topic) >= len(c.topics) {
		c.topics = append(c.topics, nil)
	}
	for int(index) >= len(c.topics[topic]) {
		c.topics[topic] = append(c.topics[topic], -1)
	}
	if c.topics[topic][index] >= 0 {
		return
	}
	pi := int32(len(c.parts))
	c.topics[topic][index] = pi
	c.parts = append(c.parts, part{
		topic: topic, index: index, position: kafka.NoOffset, epoch: kafka.NoEpoch, committed: kafka.NoOffset, hw: kafka.NoOffset,
		lso: kafka.NoOffset, logStart: kafka.NoOffset, preferred: kafka.NoNode, target: -1, session: -1, retryAt: -kafka.Never,
		leader: client.Leader{Node: kafka.NoNode, Epoch: kafka.NoEpoch},
	})
	c.places[initializing]++
	c.place(pi, c.opt.start, c.opt.startAt)
}

// place moves a partition to "earliest", "latest" or an offset, as seek() does;
// "" leaves it.
func (c *Consumer) place(pi int32, word string, at kafka.Offset) {
	switch word {
	case "earliest":
		c.askReset(pi, reset{kind: resetEarliest})
	case "latest":
		c.askReset(pi, reset{kind: resetLatest})
	case "offset":
		c.seek(pi, at, kafka.NoEpoch)
	}
}

// part returns the index of an assigned partition, or -1.
func (c *Consumer) part(topic int, index int32) int32 {
	if topic < 0 || topic >= len(c.topics) || index < 0 || int(index) >= len(c.topics[topic]) {
		return -1
	}
	return c.topics[topic][index]
}

func (c *Consumer) tp(pi int32) kafka.TopicPartition {
	pt := &c.parts[pi]
	return kafka.TopicPartition{Topic: c.meta.Topic(int(pt.topic)).Name, Partition: pt.index}
}

// setState moves a partition to another state and keeps count.
func (c *Consumer) setState(pi int32, s fetchState) {
	pt := &c.parts[pi]
	c.places[pt.state]--
	c.places[s]++
	pt.state = s
	if s != fetching {
		pt.retryAt = -kafka.Never
	}
	c.retarget(pi)
}

// arm sets the timer to the next instant at which something is due.
func (c *Consumer) arm(now kafka.Instant, out *sim.Out) {
	at := c.net.Wake(now)
	later := func(t kafka.Instant) {
		if t > now {
			at = min(at, t)
		}
	}
	later(c.meta.Wake())
	later(c.coord.retryAt)
	later(c.app.busyUntil)
	later(c.app.syncUntil)
	if now >= c.app.busyUntil && !c.app.syncing && !c.paused {
		later(c.app.autoAt)
	}
	if c.places[awaitReset]+c.places[awaitValidation] > 0 {
		for i := range c.parts {
			if s := c.parts[i].state; s == awaitReset || s == awaitValidation {
				later(c.parts[i].retryAt)
			}
		}
	}
	if at < c.armed {
		c.armed = at
		out.SetTimer(sim.Timer{Owner: sim.OwnerConsumer}, at)
	}
}

// threw ends the application's polling with an exception.
func (c *Consumer) threw(now kafka.Instant, pi int32, code kafka.ErrorCode, why string, out *sim.Out) {
	c.app.halted = true
	c.met(now, pi, code, why, out)
}

// met counts and notes an error.
func (c *Consumer) met(now kafka.Instant, pi int32, code kafka.ErrorCode, why string, out *sim.Out) {
	c.ledger.errors.Add(now, code)
	n := trace.Note{Kind: trace.ConsumerError, Who: c.cfg.Name, Err: code, Offset: kafka.NoOffset, Say: why}
	if pi >= 0 {
		tp := c.tp(pi)
		n.Topic, n.Part, n.Offset = tp.Topic, tp.Partition, c.parts[pi].position
	}
	out.Note(n)
}

// Crash kills the process: positions that were not committed are gone.
func (c *Consumer) Crash(now kafka.Instant, _ bool) (bytesLost int64) {
	c.processed(c.finished(now))
	c.reset()
	return 0
}
