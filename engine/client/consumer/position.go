package consumer

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// follow takes in new metadata: partitions of whole topics are assigned, and
// positions under another leader are validated
// (OffsetFetcherUtils.validatePositionsOnMetadataChange).
func (c *Consumer) follow() {
	if c.seen == c.meta.Version() {
		return
	}
	c.seen = c.meta.Version()
	for _, t := range c.whole {
		if topic := c.meta.Topic(int(t)); topic.Known {
			for i := range topic.Parts {
				c.assign(t, int32(i))
			}
		}
	}
	for i := range c.parts {
		c.underLeader(int32(i))
		c.online(int32(i))
		c.retarget(int32(i))
	}
}

// online goes back to the leader from a follower that the metadata does not list:
// it is fenced, or gone (AbstractFetch.selectReadReplica).
func (c *Consumer) online(pi int32) {
	pt := &c.parts[pi]
	if pt.preferred == kafka.NoNode {
		return
	}
	if _, listed := slices.BinarySearch(c.meta.Brokers(), sim.ActorID(pt.preferred)); !listed {
		c.unprefer(pi)
		c.meta.Request()
	}
}

// underLeader validates a position if the partition has another leader than
// when it was set (SubscriptionState.maybeValidatePosition).
func (c *Consumer) underLeader(pi int32) {
	pt := &c.parts[pi]
	l := c.meta.Leader(int(pt.topic), pt.index)
	if pt.position == kafka.NoOffset || pt.state == awaitReset || l.Node == kafka.NoNode || l == pt.leader {
		return
	}
	pt.leader, pt.preferred = l, kafka.NoNode
	c.validate(pi)
}

// validate decides whether a position must be checked with the leader: only if
// both its own epoch and the leader's are known.
func (c *Consumer) validate(pi int32) {
	pt := &c.parts[pi]
	if pt.epoch != kafka.NoEpoch && pt.leader.Epoch != kafka.NoEpoch {
		c.setState(pi, awaitValidation)
	} else {
		c.setState(pi, fetching)
	}
}

// seek sets a position that was not read from the log just now
// (SubscriptionState.seekUnvalidated). What is buffered is of no use any more.
func (c *Consumer) seek(pi int32, at kafka.Offset, epoch kafka.LeaderEpoch) {
	pt := &c.parts[pi]
	pt.position, pt.epoch = at, epoch
	pt.leader = c.meta.Leader(int(pt.topic), pt.index)
	c.drop(pi)
	c.validate(pi)
}

// askReset makes a partition look for its position by a strategy.
func (c *Consumer) askReset(pi int32, r reset) {
	c.parts[pi].reset = r
	c.drop(pi)
	c.setState(pi, awaitReset)
}

// resetByPolicy does what auto.offset.reset says; none is an exception.
func (c *Consumer) resetByPolicy(now kafka.Instant, pi int32, code kafka.ErrorCode, why string, out *sim.Out) {
	if c.opt.policy.kind == resetNone {
		c.threw(now, pi, code, why, out)
		return
	}
	c.askReset(pi, c.opt.policy)
}

// updatePositions gets positions where there are none
// (ClassicKafkaConsumer.updateFetchPositions).
func (c *Consumer) updatePositions(now kafka.Instant, out *sim.Out) {
	if c.places[awaitValidation] > 0 {
		c.ask(now, awaitValidation, out)
	}
	if c.places[initializing] > 0 && !c.fetchCommitted(now, out) {
		for i := range c.parts {
			if c.parts[i].state == initializing {
				c.resetByPolicy(now, int32(i), kafka.UnknownServerError, "Undefined offset with no reset policy for partitions: ["+c.tp(int32(i)).String()+"]", out)
				if c.app.halted {
					return
				}
			}
		}
	}
	if c.places[awaitReset] > 0 {
		c.ask(now, awaitReset, out)
	}
}

// ask sends ListOffsets or OffsetForLeaderEpoch for all partitions that wait
// for it, one request per leader.
func (c *Consumer) ask(now kafka.Instant, state fetchState, out *sim.Out) {
	for i := range c.parts {
		pt := &c.parts[i]
		if pt.state != state || now < pt.retryAt {
			continue
		}
		l := c.meta.Leader(int(pt.topic), pt.index)
		if l.Node == kafka.NoNode {
			c.meta.Request()
			continue
		}
		to := sim.ActorID(l.Node)
		if !c.net.Connect(now, to, sim.ChanClient, out) {
			continue
		}
		f := flight{kind: flightReset, node: to}
		if state == awaitValidation {
			f.kind = flightValidate
		}
		for j := i; j < len(c.parts); j++ {
			q := &c.parts[j]
			if q.state == state && now >= q.retryAt && c.meta.Leader(int(q.topic), q.index).Node == l.Node {
				q.retryAt = now.Add(c.opt.request)
				f.parts = append(f.parts, int32(j))
				f.at = append(f.at, q.position)
			}
		}
		if state == awaitValidation {
			f.corr = c.net.Send(to, sim.ChanClient, c.epochRequest(f.parts), out)
		} else {
			f.corr = c.net.Send(to, sim.ChanClient, c.listRequest(now, f.parts), out)
		}
		c.flights = append(c.flights, f)
	}
}

func (c *Consumer) epochRequest(parts []int32) kmsg.Request {
	r := kmsg.NewPtrOffsetForLeaderEpochRequest()
	r.Version, r.ReplicaID = 4, -1
	for _, pi := range parts {
		pt := &c.parts[pi]
		name := c.meta.Topic(int(pt.topic)).Name
		if n := len(r.Topics); n == 0 || r.Topics[n-1].Topic != name {
			r.Topics = append(r.Topics, kmsg.OffsetForLeaderEpochRequestTopic{Topic: name})
		}
		t := &r.Topics[len(r.Topics)-1]
		p := kmsg.NewOffsetForLeaderEpochRequestTopicPartition()
		p.Partition, p.CurrentLeaderEpoch, p.LeaderEpoch = pt.index, int32(pt.leader.Epoch), int32(pt.epoch)
		t.Partitions = append(t.Partitions, p)
	}
	return r
}

// The timestamps by which ListOffsets names the ends of the log.
const (
	timestampLatest   = -1
	timestampEarliest = -2
)

func (r reset) timestamp(now kafka.Instant) int64 {
	switch r.kind {
	case resetEarliest:
		return timestampEarliest
	case resetByDuration:
		return now.UnixMilli() - r.since.Millis()
	}
	return timestampLatest
}

func (r reset) String() string {
	return [...]string{"none", "earliest", "latest", "by_duration"}[r.kind]
}

func (c *Consumer) listRequest(now kafka.Instant, parts []int32) kmsg.Request {
	r := kmsg.NewPtrListOffsetsRequest()
	r.Version, r.ReplicaID, r.TimeoutMillis = 10, -1, int32(c.opt.request.Millis())
	if c.opt.committed {
		r.IsolationLevel = 1
	}
	for _, pi := range parts {
		pt := &c.parts[pi]
		name := c.meta.Topic(int(pt.topic)).Name
		if n := len(r.Topics); n == 0 || r.Topics[n-1].Topic != name {
			r.Topics = append(r.Topics, kmsg.ListOffsetsRequestTopic{Topic: name})
		}
		t := &r.Topics[len(r.Topics)-1]
		p := kmsg.NewListOffsetsRequestTopicPartition()
		p.Partition, p.Timestamp = pt.index, pt.reset.timestamp(now)
		p.CurrentLeaderEpoch = int32(c.meta.Leader(int(pt.topic), pt.index).Epoch)
		t.Partitions = append(t.Partitions, p)
	}
	return r
}

// again lets partitions wait before they ask once more, with new metadata.
func (c *Consumer) again(now kafka.Instant, parts []int32, state fetchState) {
	wait := c.opt.backoff.After(0, &c.backoff)
	for _, pi := range parts {
		if pt := &c.parts[pi]; pt.state == state {
			pt.retryAt = now.Add(wait)
		}
	}
	c.meta.Request()
}

// heardReset takes the answer to ListOffsets.
func (c *Consumer) heardReset(now kafka.Instant, f *flight, in *sim.Input, out *sim.Out) {
	resp, _ := in.Response.(*kmsg.ListOffsetsResponse)
	if in.Kind != sim.InputResponse || resp == nil {
		c.again(now, f.parts, awaitReset)
		return
	}
	for i := range resp.Topics {
		ti := c.meta.ByID([16]byte{}, resp.Topics[i].Topic)
		for j := range resp.Topics[i].Partitions {
			p := &resp.Topics[i].Partitions[j]
			pi := c.part(ti, p.Partition)
			if pi < 0 || c.parts[pi].state != awaitReset {
				continue // it was moved meanwhile
			}
			pt := &c.parts[pi]
			switch code := kafka.ErrorCode(p.ErrorCode); {
			case code != kafka.None:
				c.met(now, pi, code, "list offsets", out)
				c.again(now, []int32{pi}, awaitReset)
			case p.Offset < 0 && pt.reset.kind == resetByDuration:
				c.askReset(pi, reset{kind: resetLatest}) // nothing is that young
			case p.Offset < 0:
				c.again(now, []int32{pi}, awaitReset)
			default:
				c.noteReset(pi, kafka.Offset(p.Offset), pt.reset.String(), out)
				c.seek(pi, kafka.Offset(p.Offset), kafka.LeaderEpoch(p.LeaderEpoch))
			}
		}
	}
}

func (c *Consumer) noteReset(pi int32, to kafka.Offset, why string, out *sim.Out) {
	tp := c.tp(pi)
	out.Note(trace.Note{Kind: trace.PositionReset, Who: c.cfg.Name, Topic: tp.Topic, Part: tp.Partition,
		From: c.parts[pi].position, Offset: to, Say: "(" + why + ")"})
}

// heardValidate takes the answer to OffsetForLeaderEpoch.
func (c *Consumer) heardValidate(now kafka.Instant, f *flight, in *sim.Input, out *sim.Out) {
	resp, _ := in.Response.(*kmsg.OffsetForLeaderEpochResponse)
	if in.Kind != sim.InputResponse || resp == nil {
		c.again(now, f.parts, awaitValidation)
		return
	}
	for i := range resp.Topics {
		ti := c.meta.ByID([16]byte{}, resp.Topics[i].Topic)
		for j := range resp.Topics[i].Partitions {
			p := &resp.Topics[i].Partitions[j]
			pi := c.part(ti, p.Partition)
			if pi < 0 || c.parts[pi].state != awaitValidation || c.parts[pi].position != f.position(pi) {
				continue
			}
			if code := kafka.ErrorCode(p.ErrorCode); code != kafka.None {
				c.met(now, pi, code, "offset for leader epoch", out)
				c.again(now, []int32{pi}, awaitValidation)
				continue
			}
			c.validated(now, pi, kafka.LeaderEpoch(p.LeaderEpoch), kafka.Offset(p.EndOffset), out)
		}
	}
}

// position is what a partition's position was when the request was sent.
func (f *flight) position(pi int32) kafka.Offset {
	for i, p := range f.parts {
		if p == pi {
			return f.at[i]
		}
	}
	return kafka.NoOffset
}

// validated compares a position with where its epoch ends on the leader
// (SubscriptionState.maybeCompleteValidation, KIP-320). LogTruncationException is
// an OffsetOutOfRangeException, hence the code.
func (c *Consumer) validated(now kafka.Instant, pi int32, epoch kafka.LeaderEpoch, end kafka.Offset, out *sim.Out) {
	pt := &c.parts[pi]
	switch {
	case end == kafka.NoOffset || epoch == kafka.NoEpoch:
		c.resetByPolicy(now, pi, kafka.OffsetOutOfRange, "Truncated partition "+c.tp(pi).String()+" at an unknown offset", out)
	case end < pt.position && c.opt.policy.kind == resetNone:
		c.threw(now, pi, kafka.OffsetOutOfRange, "Truncated partition "+c.tp(pi).String()+" with FetchOffset "+itoa(pt.position)+
			" to DivergentOffset "+itoa(end), out)
	case end < pt.position:
		c.noteReset(pi, end, "truncation detected", out)
		pt.position, pt.epoch = end, epoch
		c.drop(pi)
		c.setState(pi, fetching)
	default:
		c.setState(pi, fetching)
	}
}

// leaderHint takes in a new leader from a fetch response (KIP-951).
func (c *Consumer) leaderHint(ti int, partition int32, l client.Leader) {
	c.meta.Hint(ti, partition, int32(l.Node), int32(l.Epoch))
}
