package consumer

import (
	"slices"
	"strconv"

	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// broker is one from which the consumer fetches, with its fetch session
// (FetchSessionHandler.java, KIP-227).
type broker struct {
	id        sim.ActorID
	pending   bool        // a fetch is under way; there is one at a time
	fetchable int         // partitions to be fetched here now
	buffered  int         // partitions from here with records in the buffer
	session   int32       // id; 0: none
	epoch     int32       // of the next request; 0: a full one
	changes   []int32     // partitions that may differ from what the session has
	forget    []forgotten // partitions that went to another broker
}

// forgotten is a partition to be taken out of a session, under the topic id by
// which that knows it.
type forgotten struct {
	part int32
	id   kafka.TopicID
}

// fetched is what a fetch brought of one partition (CompletedFetch.java).
type fetched struct {
	part    int32
	from    int32  // broker, index
	checked bool   // the first batch's checksum is right
	bytes   []byte // whole batches; shared, never changed
	aborted []kmsg.FetchResponseTopicPartitionAbortedTransaction
	gone    []int64 // producers whose open transaction will be aborted
}

type flightKind uint8

const (
	flightFetch flightKind = iota
	flightReset
	flightValidate
	flightFind
	flightCommitted
	flightCommit
	flightCommitSync
)

// flight is a request that waits for its response.
type flight struct {
	kind  flightKind
	corr  int32
	node  sim.ActorID
	parts []int32        // that it is about, except for a fetch
	at    []kafka.Offset // their positions
}

// channel is the connection that a kind of request uses.
func (k flightKind) channel() sim.Channel {
	if k >= flightCommitted {
		return sim.ChanCoordinator
	}
	return sim.ChanClient
}

// heard takes a response, or the news that there will be none.
func (c *Consumer) heard(now kafka.Instant, in *sim.Input, out *sim.Out) {
	metadata := c.meta.Mine(in)
	mine, broken := c.net.Heard(now, in, out)
	if broken {
		c.meta.Request()
		if in.Channel == sim.ChanClient {
			c.unpreferAll(in.From)
		}
		if in.Channel == sim.ChanCoordinator && in.From == c.coord.node {
			c.lost(now, false)
		}
	}
	if metadata {
		c.meta.Heard(now, in, out)
		return
	}
	if mine {
		return
	}
	i := slices.IndexFunc(c.flights, func(f flight) bool {
		return f.corr == in.Corr && f.node == in.From && f.kind.channel() == in.Channel
	})
	if i < 0 {
		return
	}
	f := c.flights[i]
	c.flights = slices.Delete(c.flights, i, i+1)
	switch f.kind {
	case flightFetch:
		c.heardFetch(now, in, out)
	case flightReset:
		c.heardReset(now, &f, in, out)
	case flightValidate:
		c.heardValidate(now, &f, in, out)
	case flightFind:
		c.heardFind(now, in, out)
	case flightCommitted:
		c.heardCommitted(now, &f, in, out)
	case flightCommit, flightCommitSync:
		c.heardCommit(now, &f, in, out)
	}
}

func (c *Consumer) broker(id sim.ActorID) int32 {
	for i := range c.brokers {
		if c.brokers[i].id == id {
			return int32(i)
		}
	}
	c.brokers = append(c.brokers, broker{id: id})
	return int32(len(c.brokers) - 1)
}

// retarget works out from which broker a partition is to be fetched now, and
// tells the brokers' sessions of the change. A partition whose records are
// still buffered is not fetched (AbstractFetch.prepareFetchRequests).
func (c *Consumer) retarget(pi int32) {
	pt := &c.parts[pi]
	target := int32(-1)
	if pt.state == fetching && !pt.buffered && pt.leader.Node != kafka.NoNode {
		node := pt.leader.Node
		if pt.preferred != kafka.NoNode {
			node = pt.preferred
		}
		target = c.broker(sim.ActorID(node))
	}
	if target != pt.target {
		if pt.target >= 0 {
			c.brokers[pt.target].fetchable--
		}
		if target >= 0 {
			c.brokers[target].fetchable++
		}
		pt.target = target
	}
	if s := pt.session; s >= 0 {
		if target >= 0 && target != s {
			c.brokers[s].forget = append(c.brokers[s].forget, forgotten{pi, pt.sentID})
			pt.session = -1
		} else {
			c.brokers[s].changes = append(c.brokers[s].changes, pi)
		}
	}
	if target >= 0 && target != pt.session {
		c.brokers[target].changes = append(c.brokers[target].changes, pi)
	}
}

// drop throws away what is buffered of a partition.
func (c *Consumer) drop(pi int32) {
	pt := &c.parts[pi]
	if pt.buffered {
		pt.buffered = false
		at := slices.IndexFunc(c.buffer, func(f fetched) bool { return f.part == pi })
		c.brokers[c.buffer[at].from].buffered--
		c.buffer = slices.Delete(c.buffer, at, at+1)
	}
	c.retarget(pi)
}

// sendFetches sends a fetch to every broker that has partitions to fetch, no
// fetch under way, and none of its records in the buffer: a fetch without those
// partitions would only churn the session (KAFKA-17182).
func (c *Consumer) sendFetches(now kafka.Instant, out *sim.Out) {
	c.expirePreferred(now)
	for i := range c.brokers {
		b := &c.brokers[i]
		if b.fetchable == 0 || b.pending || b.buffered > 0 || !c.net.Connect(now, b.id, sim.ChanClient, out) {
			continue
		}
		r := out.NewFetchRequest()
		r.Default()
		r.Version = 17
		r.MaxWaitMillis, r.MinBytes, r.MaxBytes = c.opt.maxWait, c.opt.minBytes, c.opt.maxBytes
		r.Rack, r.ReplicaID, r.ReplicaState.ID = c.opt.rack, -1, -1
		if c.opt.committed {
			r.IsolationLevel = 1
		}
		r.SessionID, r.SessionEpoch = b.session, b.epoch
		if b.epoch == 0 {
			c.fetchAll(r, int32(i))
		} else {
			c.fetchChanges(r, int32(i))
		}
		b.changes, b.forget = b.changes[:0], b.forget[:0]
		b.pending = true
		c.flights = append(c.flights, flight{kind: flightFetch, node: b.id, corr: c.net.Send(b.id, sim.ChanClient, r, out)})
	}
}

// fetchAll makes a full request: every partition of the broker.
func (c *Consumer) fetchAll(r *kmsg.FetchRequest, b int32) {
	for i := range c.parts {
		pt := &c.parts[i]
		if pt.target == b {
			c.fetchPart(r, int32(i), b)
		} else if pt.session == b {
			pt.session = -1
		}
	}
}

// fetchChanges makes an incremental request: partitions that are new in the
// session or have moved on, and those to be forgotten. One whose topic was made
// again is both (KIP-516; FetchSessionHandler's replaced partitions).
func (c *Consumer) fetchChanges(r *kmsg.FetchRequest, b int32) {
	k := &c.brokers[b]
	slices.Sort(k.changes)
	for _, pi := range slices.Compact(k.changes) {
		pt := &c.parts[pi]
		again := pt.session == b && pt.sentID != c.meta.Topic(int(pt.topic)).ID
		switch {
		case pt.target == b && (again || pt.session != b || pt.sent != pt.position || pt.sentEpoch != pt.leader.Epoch):
			if again {
				c.forgetPart(r, forgotten{pi, pt.sentID})
			}
			c.fetchPart(r, pi, b)
		case pt.target != b && pt.session == b:
			pt.session = -1
			c.forgetPart(r, forgotten{pi, pt.sentID})
		}
	}
	slices.SortFunc(k.forget, func(f, g forgotten) int { return int(f.part - g.part) })
	for _, f := range slices.Compact(k.forget) {
		if c.parts[f.part].session != b || c.parts[f.part].sentID != f.id {
			c.forgetPart(r, f)
		}
	}
}

func (c *Consumer) fetchPart(r *kmsg.FetchRequest, pi, b int32) {
	pt := &c.parts[pi]
	topic := c.meta.Topic(int(pt.topic))
	if n := len(r.Topics); n == 0 || r.Topics[n-1].Topic != topic.Name {
		var room []kmsg.FetchRequestTopicPartition
		if n == 0 && cap(r.Topics) > 0 {
			room = r.Topics[:1][0].Partitions
		}
		r.Topics = append(r.Topics, kmsg.FetchRequestTopic{Topic: topic.Name, TopicID: topic.ID, Partitions: room})
	}
	t := &r.Topics[len(r.Topics)-1]
	p := kmsg.NewFetchRequestTopicPartition()
	p.Partition, p.CurrentLeaderEpoch = pt.index, int32(pt.leader.Epoch)
	p.FetchOffset, p.PartitionMaxBytes = int64(pt.position), c.opt.partBytes
	t.Partitions = append(t.Partitions, p)
	pt.session, pt.sent, pt.sentEpoch, pt.sentID = b, pt.position, pt.leader.Epoch, topic.ID
}

func (c *Consumer) forgetPart(r *kmsg.FetchRequest, f forgotten) {
	pt := &c.parts[f.part]
	if n := len(r.ForgottenTopics); n == 0 || r.ForgottenTopics[n-1].TopicID != f.id {
		r.ForgottenTopics = append(r.ForgottenTopics, kmsg.FetchRequestForgottenTopic{Topic: c.meta.Topic(int(pt.topic)).Name, TopicID: f.id})
	}
	t := &r.ForgottenTopics[len(r.ForgottenTopics)-1]
	t.Partitions = append(t.Partitions, pt.index)
}

// heardFetch takes the answer to a fetch.
func (c *Consumer) heardFetch(now kafka.Instant, in *sim.Input, out *sim.Out) {
	bi := c.broker(in.From)
	b := &c.brokers[bi]
	b.pending = false
	resp, _ := in.Response.(*kmsg.FetchResponse)
	switch {
	case in.Kind != sim.InputResponse || resp == nil:
		b.epoch = 0 // close the session, if it still exists, and begin a new one
		return
	case resp.ErrorCode != 0:
		c.met(now, -1, kafka.ErrorCode(resp.ErrorCode), "fetch from broker-"+strconv.Itoa(int(in.From.Node())), out)
		b.epoch = 0
		if kafka.ErrorCode(resp.ErrorCode) == kafka.FetchSessionIDNotFound {
			b.session = 0
		}
		return
	case resp.SessionID == 0:
		b.session, b.epoch = 0, 0
	default:
		b.session = resp.SessionID
		if b.epoch++; b.epoch <= 0 { // Java's int wraps to 1
			b.epoch = 1
		}
	}
	for i := range resp.Topics {
		ti := c.meta.ByID(resp.Topics[i].TopicID, resp.Topics[i].Topic)
		for j := range resp.Topics[i].Partitions {
			p := &resp.Topics[i].Partitions[j]
			if pi := c.part(ti, p.Partition); pi >= 0 && c.parts[pi].target == bi && c.parts[pi].sent == c.parts[pi].position {
				c.heardPart(now, pi, bi, p, out)
			}
		}
	}
}

// heardPart takes one partition of a fetch response that is not out of date
// (FetchCollector.initialize).
func (c *Consumer) heardPart(now kafka.Instant, pi, from int32, p *kmsg.FetchResponseTopicPartition, out *sim.Out) {
	pt := &c.parts[pi]
	code := kafka.ErrorCode(p.ErrorCode)
	switch code {
	case kafka.None:
		c.heardRecords(now, pi, from, p, out)
	case kafka.NotLeaderOrFollower, kafka.FencedLeaderEpoch, kafka.ReplicaNotAvailable, kafka.KafkaStorageError, kafka.OffsetNotAvailable,
		kafka.UnknownTopicOrPartition, kafka.UnknownTopicID, kafka.InconsistentTopicID:
		c.met(now, pi, code, "fetch", out)
		c.leaderHint(int(pt.topic), pt.index, client.Leader{Node: kafka.NodeID(p.CurrentLeader.LeaderID), Epoch: kafka.LeaderEpoch(p.CurrentLeader.LeaderEpoch)})
		c.unprefer(pi)
		c.meta.Request()
	case kafka.OffsetOutOfRange:
		if pt.preferred != kafka.NoNode {
			c.unprefer(pi) // a follower may be behind: ask the leader
			return
		}
		why := "Fetch position " + itoa(pt.position) + " is out of range for partition " + c.tp(pi).String()
		if c.opt.policy.kind != resetNone {
			c.met(now, pi, code, why, out)
		}
		c.resetByPolicy(now, pi, code, why, out)
	case kafka.UnknownLeaderEpoch, kafka.UnknownServerError: // the next fetch may do better
		c.met(now, pi, code, "fetch", out)
	default:
		c.threw(now, pi, code, "Unexpected error code while fetching", out)
	}
}

func (c *Consumer) heardRecords(now kafka.Instant, pi, from int32, p *kmsg.FetchResponseTopicPartition, out *sim.Out) {
	pt := &c.parts[pi]
	pt.hw, pt.lso, pt.logStart = kafka.Offset(p.HighWatermark), kafka.Offset(p.LastStableOffset), kafka.Offset(p.LogStartOffset)
	if n := kafka.NodeID(p.PreferredReadReplica); n >= 0 && n != pt.preferred {
		c.prefer(now, pi, n, out)
		return
	}
	if len(p.RecordBatches) == 0 {
		return
	}
	f := fetched{part: pi, from: from, bytes: p.RecordBatches}
	if c.opt.committed {
		f.aborted = slices.Clone(p.AbortedTransactions)
		slices.SortFunc(f.aborted, func(a, b kmsg.FetchResponseTopicPartitionAbortedTransaction) int {
			return int(min(max(a.FirstOffset-b.FirstOffset, -1), 1))
		})
	}
	c.buffer = append(c.buffer, f)
	pt.buffered = true
	c.brokers[from].buffered++
	c.retarget(pi)
}

// prefer has a partition read from a follower that its leader named, until
// metadata.max.age.ms has passed (SubscriptionState.updatePreferredReadReplica).
func (c *Consumer) prefer(now kafka.Instant, pi int32, n kafka.NodeID, out *sim.Out) {
	pt := &c.parts[pi]
	pt.preferred, pt.preferredUntil = n, now.Add(c.opt.metadataAge)
	c.preferDue = min(c.preferDue, pt.preferredUntil)
	tp := c.tp(pi)
	out.Note(trace.Note{Kind: trace.PreferredReplica, Who: c.cfg.Name, Topic: tp.Topic, Part: tp.Partition, Node: pt.leader.Node, Peer: n, Offset: pt.position})
	c.retarget(pi)
}

// expirePreferred goes back to the leaders that were not asked for
// metadata.max.age.ms who should be read from.
func (c *Consumer) expirePreferred(now kafka.Instant) {
	if now < c.preferDue {
		return
	}
	c.preferDue = kafka.Never
	for i := range c.parts {
		switch pt := &c.parts[i]; {
		case pt.preferred == kafka.NoNode:
		case now >= pt.preferredUntil:
			c.unprefer(int32(i))
		default:
			c.preferDue = min(c.preferDue, pt.preferredUntil)
		}
	}
}

// unpreferAll goes back to the leaders from a replica that cannot be reached
// (AbstractFetch.handleFetchFailure).
func (c *Consumer) unpreferAll(from sim.ActorID) {
	for pi := range c.parts {
		if sim.ActorID(c.parts[pi].preferred) == from {
			c.unprefer(int32(pi))
		}
	}
}

// unprefer goes back to the leader.
func (c *Consumer) unprefer(pi int32) {
	if pt := &c.parts[pi]; pt.preferred != kafka.NoNode {
		pt.preferred = kafka.NoNode
		c.retarget(pi)
	}
}

// hidden reports whether a batch belongs to an aborted transaction, which a
// read_committed consumer does not return.
func (c *Consumer) hidden(f *fetched, h *record.Header) bool {
	if !c.opt.committed || !h.HasProducer() {
		return false
	}
	for len(f.aborted) > 0 && kafka.Offset(f.aborted[0].FirstOffset) <= h.LastOffset() {
		f.gone = append(f.gone, f.aborted[0].ProducerID)
		f.aborted = f.aborted[1:]
	}
	return h.Attributes.Transactional() && slices.Contains(f.gone, h.ProducerID)
}

// settle ends an aborted transaction when its marker has been passed.
func (f *fetched) settle(h *record.Header) {
	if h.Attributes.Control() && len(f.gone) > 0 {
		f.gone = slices.DeleteFunc(f.gone, func(id int64) bool { return id == h.ProducerID })
	}
}
