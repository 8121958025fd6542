package consumer

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// coordinator is what the consumer knows of its group's coordinator
// (AbstractCoordinator.java, ConsumerCoordinator.java).
type coordinator struct {
	node    sim.ActorID // 0: not known
	wanted  bool        // somebody waits for it
	finding bool        // FindCoordinator is under way
	asking  bool        // OffsetFetch is under way
	retryAt kafka.Instant
	tries   int32
	commits int  // OffsetCommits under way
	auto    bool // an asynchronous commit waits for the coordinator
}

// lookup returns the coordinator if it can be talked to; if not, it makes the
// consumer look for it.
func (c *Consumer) lookup(now kafka.Instant, out *sim.Out) (sim.ActorID, bool) {
	if c.coord.node == 0 {
		c.coord.wanted = true
		return 0, false
	}
	if now < c.coord.retryAt {
		return 0, false
	}
	if c.net.Unavailable(now, c.coord.node, sim.ChanCoordinator) { // checkAndGetCoordinator
		c.lost(now, true)
		c.coord.wanted = true
		return 0, false
	}
	return c.coord.node, c.net.Connect(now, c.coord.node, sim.ChanCoordinator, out)
}

// findCoordinator asks any broker who the coordinator is.
func (c *Consumer) findCoordinator(now kafka.Instant, out *sim.Out) {
	k := &c.coord
	if !k.wanted || k.finding || k.node != 0 || now < k.retryAt {
		return
	}
	to, ok := c.net.LeastLoaded(now, c.meta.Brokers(), sim.ChanClient)
	if !ok {
		c.net.Want(c.meta.Brokers(), sim.ChanClient)
		return
	}
	if !c.net.Connect(now, to, sim.ChanClient, out) {
		return
	}
	r := kmsg.NewPtrFindCoordinatorRequest()
	r.Version = 4
	r.CoordinatorKeys = []string{c.cfg.Group}
	k.finding = true
	c.flights = append(c.flights, flight{kind: flightFind, node: to, corr: c.net.Send(to, sim.ChanClient, r, out)})
}

func (c *Consumer) heardFind(now kafka.Instant, in *sim.Input, out *sim.Out) {
	k := &c.coord
	k.finding = false
	code, node := kafka.NetworkException, int32(-1)
	if resp, _ := in.Response.(*kmsg.FindCoordinatorResponse); in.Kind == sim.InputResponse && resp != nil {
		code, node = kafka.ErrorCode(resp.ErrorCode), resp.NodeID
		if len(resp.Coordinators) > 0 {
			code, node = kafka.ErrorCode(resp.Coordinators[0].ErrorCode), resp.Coordinators[0].NodeID
		}
	}
	if code != kafka.None || node < 0 {
		if in.Kind == sim.InputResponse {
			c.met(now, -1, code, "find coordinator", out)
		}
		c.wait(now)
		return
	}
	k.node, k.wanted, k.tries, k.retryAt = sim.ActorID(node), false, 0, now
}

// wait lets the dealings with the coordinator rest for a back-off.
func (c *Consumer) wait(now kafka.Instant) {
	k := &c.coord
	k.retryAt = now.Add(c.opt.backoff.After(k.tries, &c.backoff))
	k.tries++
}

// lost forgets the coordinator (markCoordinatorUnknown).
func (c *Consumer) lost(now kafka.Instant, backOff bool) {
	c.coord.node = 0
	if backOff && now >= c.coord.retryAt {
		c.wait(now)
	}
}

// coordinatorError deals with an error of the coordinator and reports whether
// the request is to be tried again.
func (c *Consumer) coordinatorError(now kafka.Instant, code kafka.ErrorCode) (again bool) {
	switch code {
	case kafka.CoordinatorNotAvailable, kafka.NotCoordinator, kafka.NetworkException, kafka.RequestTimedOut:
		c.lost(now, true)
		return true
	case kafka.CoordinatorLoadInProgress, kafka.UnknownTopicOrPartition, unstableOffsetCommit:
		c.wait(now)
		return true
	}
	return false
}

const unstableOffsetCommit kafka.ErrorCode = 88

// fetchCommitted gets the committed offsets of the partitions without position.
// It returns false if there is nothing to wait for: no group, or all answered.
func (c *Consumer) fetchCommitted(now kafka.Instant, out *sim.Out) (pending bool) {
	if c.cfg.Group == "" {
		return false
	}
	if c.coord.asking {
		return true
	}
	to, ok := c.lookup(now, out)
	if !ok {
		return true
	}
	r := kmsg.NewPtrOffsetFetchRequest()
	r.Version, r.RequireStable = 9, true
	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group, g.MemberEpoch = c.cfg.Group, -1
	f := flight{kind: flightCommitted, node: to}
	for i := range c.parts {
		pt := &c.parts[i]
		if pt.state != initializing {
			continue
		}
		name := c.meta.Topic(int(pt.topic)).Name
		if n := len(g.Topics); n == 0 || g.Topics[n-1].Topic != name {
			g.Topics = append(g.Topics, kmsg.OffsetFetchRequestGroupTopic{Topic: name})
		}
		t := &g.Topics[len(g.Topics)-1]
		t.Partitions = append(t.Partitions, pt.index)
		f.parts = append(f.parts, int32(i))
	}
	r.Groups = append(r.Groups, g)
	f.corr = c.net.Send(to, sim.ChanCoordinator, r, out)
	c.coord.asking = true
	c.flights = append(c.flights, f)
	return true
}

func (c *Consumer) heardCommitted(now kafka.Instant, f *flight, in *sim.Input, out *sim.Out) {
	c.coord.asking = false
	resp, _ := in.Response.(*kmsg.OffsetFetchResponse)
	if in.Kind != sim.InputResponse || resp == nil || len(resp.Groups) == 0 {
		c.coordinatorError(now, kafka.NetworkException)
		return
	}
	if code := kafka.ErrorCode(resp.Groups[0].ErrorCode); code != kafka.None {
		if !c.coordinatorError(now, code) {
			c.threw(now, -1, code, "Error when fetching committed offsets", out)
		} else {
			c.met(now, -1, code, "fetch committed offsets", out)
		}
		return
	}
	c.coord.tries = 0
	for i := range resp.Groups[0].Topics {
		t := &resp.Groups[0].Topics[i]
		ti := c.meta.ByID(t.TopicID, t.Topic)
		for j := range t.Partitions {
			p := &t.Partitions[j]
			pi := c.part(ti, p.Partition)
			if pi < 0 || !slices.Contains(f.parts, pi) {
				continue
			}
			if code := kafka.ErrorCode(p.ErrorCode); code != kafka.None {
				c.met(now, pi, code, "fetch committed offset", out)
				c.coordinatorError(now, code)
				continue
			}
			c.parts[pi].committed = kafka.Offset(p.Offset)
			if c.parts[pi].state != initializing {
				continue // moved by the user meanwhile
			}
			if p.Offset >= 0 {
				c.seek(pi, kafka.Offset(p.Offset), kafka.LeaderEpoch(p.LeaderEpoch))
			} else {
				c.resetByPolicy(now, pi, kafka.UnknownServerError, "Undefined offset with no reset policy for partitions: ["+c.tp(pi).String()+"]", out)
			}
		}
	}
}

// autoCommit commits the positions if it is time; poll() does so before
// anything else (ConsumerCoordinator.maybeAutoCommitOffsetsAsync).
func (c *Consumer) autoCommit(now kafka.Instant, out *sim.Out) {
	if now >= c.app.autoAt {
		c.app.autoAt = now.Add(c.opt.autoCommit)
		c.coord.auto = true
	}
	if c.coord.auto && c.commit(now, flightCommit, out) {
		c.coord.auto = false
	}
}

// commit sends the positions of all partitions that have one (subscriptions.
// allConsumed) and reports whether it could; with nothing to commit it could.
func (c *Consumer) commit(now kafka.Instant, kind flightKind, out *sim.Out) bool {
	f := flight{kind: kind}
	r := kmsg.NewPtrOffsetCommitRequest()
	r.Version, r.Group, r.Generation = 9, c.cfg.Group, -1
	for i := range c.parts {
		pt := &c.parts[i]
		if pt.state != fetching { // no valid position, nor while it is being validated
			continue
		}
		name := c.meta.Topic(int(pt.topic)).Name
		if n := len(r.Topics); n == 0 || r.Topics[n-1].Topic != name {
			r.Topics = append(r.Topics, kmsg.OffsetCommitRequestTopic{Topic: name})
		}
		t := &r.Topics[len(r.Topics)-1]
		p := kmsg.NewOffsetCommitRequestTopicPartition()
		p.Partition, p.Offset, p.LeaderEpoch, p.Metadata = pt.index, int64(pt.position), int32(pt.epoch), &noMetadata
		t.Partitions = append(t.Partitions, p)
		f.parts = append(f.parts, int32(i))
		f.at = append(f.at, pt.position)
	}
	if len(f.parts) == 0 {
		c.committed(kind)
		return true
	}
	to, ok := c.lookup(now, out)
	if !ok {
		return false
	}
	f.node, f.corr = to, c.net.Send(to, sim.ChanCoordinator, r, out)
	c.coord.commits++
	c.flights = append(c.flights, f)
	return true
}

var noMetadata = ""

// committed ends a blocking commit.
func (c *Consumer) committed(kind flightKind) {
	if kind == flightCommitSync {
		c.app.syncing, c.app.syncUntil = false, kafka.Never
		c.app.closed = c.closing
	}
}

func (c *Consumer) heardCommit(now kafka.Instant, f *flight, in *sim.Input, out *sim.Out) {
	c.coord.commits--
	resp, _ := in.Response.(*kmsg.OffsetCommitResponse)
	if in.Kind != sim.InputResponse || resp == nil {
		c.commitFailed(now, f, kafka.NetworkException, out)
		return
	}
	worst := kafka.None
	for i := range resp.Topics {
		t := &resp.Topics[i]
		ti := c.meta.ByID(t.TopicID, t.Topic)
		for j := range t.Partitions {
			p := &t.Partitions[j]
			pi := c.part(ti, p.Partition)
			if code := kafka.ErrorCode(p.ErrorCode); code != kafka.None {
				worst = code
				continue
			}
			if pi >= 0 {
				c.parts[pi].committed = f.position(pi)
				tp := c.tp(pi)
				out.Note(trace.Note{Kind: trace.Committed, Who: c.cfg.Name, Topic: tp.Topic, Part: tp.Partition, Offset: f.position(pi), Say: c.cfg.Group})
			}
		}
	}
	if worst != kafka.None {
		c.commitFailed(now, f, worst, out)
		return
	}
	c.coord.tries = 0
	c.committed(f.kind)
}

// commitFailed tries again where that makes sense: a blocking commit at once
// after the back-off, an automatic one with the timer set to it.
func (c *Consumer) commitFailed(now kafka.Instant, f *flight, code kafka.ErrorCode, out *sim.Out) {
	c.met(now, -1, code, "commit", out)
	again := c.coordinatorError(now, code)
	switch {
	case f.kind == flightCommit && again:
		c.app.autoAt = min(c.app.autoAt, c.coord.retryAt)
	case f.kind == flightCommitSync && !again:
		c.committed(f.kind)
	}
}
