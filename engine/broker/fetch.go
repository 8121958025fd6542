package broker

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/storage"
)

// Fetch (API key 1), versions 4 to 18; followers use 18. By topic name, from 13
// on by topic id; follower identity in ReplicaState (KIP-903) from 15 on.
//
// Left out: aborted transactions.

// readResult is what reading one partition gave (LogReadResult).
type readResult struct {
	pos      int32
	err      kafka.ErrorCode
	hw       kafka.Offset // -1 on error
	logStart kafka.Offset // -1 on error
	records  []byte
	divEpoch kafka.LeaderEpoch // -1: the logs do not diverge
	divEnd   kafka.Offset
	prefer   kafka.NodeID // replica to read from instead (KIP-392); NoNode: this one
	told     bool         // goes into the response
	keep     bool         // look at it again even if it is silent now
	passed   bool         // there is no more to wait for: see endsWait
	readable int          // bytes that count for min.bytes
}

// handleFetch begins or continues a session, reads, and answers or parks.
func (b *Broker) handleFetch(now kafka.Instant, in *sim.Input, req *kmsg.FetchRequest, out *sim.Out) {
	s, code := b.sessionFor(now, req)
	if code != kafka.None {
		out.Reply(in.Conn, in.Corr, &kmsg.FetchResponse{Version: req.Version, ErrorCode: int16(code)})
		return
	}
	s.replica, s.repEpoch = kafka.NodeID(req.ReplicaID), -1
	if req.Version >= 15 {
		s.replica, s.repEpoch = kafka.NodeID(req.ReplicaState.ID), kafka.BrokerEpoch(req.ReplicaState.Epoch)
	}
	s.stale = false
	if s.replica >= 0 && s.repEpoch != -1 { // KRaftMetadataCache.getAliveBrokerEpoch
		reg := b.registrationOf(s.replica)
		s.stale = reg != nil && !reg.Fenced && reg.Epoch > s.repEpoch
	}
	s.lastFetch = now
	b.update(s, req)
	if req.SessionEpoch > 0 && len(s.parts) == len(s.free) {
		s.id = 0 // all of it is forgotten: the session ends (FetchManager.newContext)
	}
	s.parked = false // an older request of this session has lost its client
	s.conn, s.corr, s.version = in.Conn, in.Corr, req.Version
	s.maxBytes = min(req.MaxBytes, b.set.serveMaxBytes)
	s.isolation, s.rack, s.who = req.IsolationLevel, req.Rack, callerOf(in)
	if limit := b.consumeLimit(s); limit > 0 {
		s.maxBytes = int32(min(int64(s.maxBytes), limit*(quotaSamples-1)))
	}
	s.minBytes = min(req.MinBytes, s.maxBytes) // KafkaApis.handleFetchRequest
	s.deadline = now.Add(kafka.Duration(max(0, req.MaxWaitMillis)) * kafka.Millisecond)
	b.tryFetch(now, s, true, out)
}

// sessionFor applies KIP-227's rules of session id and epoch.
func (b *Broker) sessionFor(now kafka.Instant, req *kmsg.FetchRequest) (*session, kafka.ErrorCode) {
	if req.SessionEpoch <= 0 {
		if old := b.lookupSession(req.SessionID); old != nil {
			b.closeSession(old)
		}
		return b.openSession(now, req), kafka.None
	}
	s := b.lookupSession(req.SessionID)
	switch {
	case s == nil:
		return nil, kafka.FetchSessionIDNotFound
	case s.epoch != req.SessionEpoch:
		return nil, kafka.InvalidFetchSessionEpoch
	}
	if s.epoch++; s.epoch < 0 {
		s.epoch = 1
	}
	return s, kafka.None
}

// tryFetch looks at the queued partitions of a session's request. It answers if
// there is enough to say, else the request stays or gets parked. arrived: the
// request has just come, so a follower's position is news.
func (b *Broker) tryFetch(now kafka.Instant, s *session, arrived bool, out *sim.Out) {
	queue := s.queue
	s.queue = s.spare[:0]
	results := b.scratch[:0]
	budget, bytes, readable, urgent := int(s.maxBytes), 0, 0, false
	for _, pos := range queue {
		s.parts[pos].queued = false
		r := b.readPart(now, s, pos, budget-bytes, bytes == 0, arrived, out)
		bytes, readable = bytes+len(r.records), readable+r.readable
		urgent = urgent || r.passed || r.err != kafka.None || r.divEpoch >= 0 || r.prefer != kafka.NoNode
		r.told = b.hasNews(s, &r)
		results = append(results, r)
	}
	b.scratch = results
	answer := urgent || now >= s.deadline || readable >= int(s.minBytes) || len(s.parts) == len(s.free)
	s.spare = queue[:0]
	for i := range results {
		if r := &results[i]; r.keep || r.told && !answer || s.full && !answer {
			s.mark(r.pos)
		}
	}
	if answer {
		if s.replica >= 0 && b.set.leaderRate != noLimit {
			b.gave(now, s, results)
		}
		b.answerFetch(s, results, out)
		return
	}
	if !s.parked {
		s.parked = true
		if s.deadline < b.fetchDue {
			b.fetchDue = s.deadline
			out.SetTimer(timer(timerFetch, 0), s.deadline)
		}
	}
}

// hasNews reports whether a result goes into the response of an incremental
// fetch (CachedPartition.maybeUpdateResponseData). As in Kafka, an answer that
// makes a follower truncate counts as having told the high watermark, though
// the follower does not take it then: it may learn it only with the next change.
func (b *Broker) hasNews(s *session, r *readResult) bool {
	sp := &s.parts[r.pos]
	return s.full || len(r.records) > 0 || r.err != kafka.None || r.divEpoch >= 0 || r.prefer != kafka.NoNode ||
		r.hw != sp.toldHW || r.logStart != sp.toldStart
}

// answerFetch sends the response. Partitions that gave data go to the end of
// the queue, so that others come first next time (KIP-74).
func (b *Broker) answerFetch(s *session, results []readResult, out *sim.Out) {
	s.parked = false
	resp := b.fetchResponse(s, results, out)
	if b.fetchQuota(s, results, resp, out) {
		return
	}
	s.full = false
	for i := range results {
		r := &results[i]
		if !r.told {
			continue
		}
		sp := &s.parts[r.pos]
		sp.toldHW, sp.toldStart = r.hw, r.logStart
		if len(r.records) > 0 || r.err != kafka.None || r.divEpoch >= 0 || r.prefer != kafka.NoNode {
			s.mark(r.pos)
		}
	}
	out.Reply(s.conn, s.corr, resp)
	if s.id == 0 || s.evicted {
		b.closeSession(s)
	}
}

// expireFetches answers what has been parked for its whole max.wait.
func (b *Broker) expireFetches(now kafka.Instant, out *sim.Out) {
	b.fetchDue = kafka.Never
	for slot, s := range b.sessions {
		if s == nil || !s.parked {
			continue
		}
		if s.deadline <= now {
			b.tryFetch(now, b.mutSession(int32(slot)), false, out)
			continue
		}
		b.fetchDue = min(b.fetchDue, s.deadline)
	}
	if b.fetchDue != kafka.Never {
		out.SetTimer(timer(timerFetch, 0), b.fetchDue)
	}
}

// readPart reads one partition for a session (ReplicaManager.readFromLog,
// Partition.fetchRecords).
func (b *Broker) readPart(now kafka.Instant, s *session, pos int32, budget int, first, arrived bool, out *sim.Out) readResult {
	r := readResult{pos: pos, hw: -1, logStart: -1, divEpoch: -1, prefer: kafka.NoNode}
	sp := &s.parts[pos]
	if sp.part < 0 {
		b.watch(s, pos)
	}
	if sp.part < 0 {
		r.err = b.missing(sp)
		return r
	}
	p := b.parts[sp.part]
	follower := s.replica >= 0
	if r.err = b.checkEpoch(p, sp.epoch, follower || s.version < 11); r.err != kafka.None { // KIP-392 came with 11
		return r
	}
	l := b.log(p)
	var rem *remote
	if follower {
		if rem = p.remote(s.replica); rem == nil {
			r.err = kafka.UnknownLeaderEpoch
			return r
		}
		if s.stale {
			r.err = kafka.NotLeaderOrFollower // a dead incarnation's fetch (KIP-903)
			return r
		}
	}
	r.hw, r.logStart = p.hw, l.LogStart()
	if b.set.rackAware && !follower {
		if r.prefer = b.preferredReplica(now, p, s.rack, sp.offset); r.prefer != kafka.NoNode {
			return r // the read is left to it
		}
	}
	if sp.lastEpoch >= 0 && b.diverges(l, sp, &r) || r.err != kafka.None {
		return r
	}
	upTo := p.hw // also the last stable offset: there are no transactions
	if follower {
		upTo = l.LEO()
	}
	switch {
	case sp.offset < l.LogStart() || sp.offset > l.LEO():
		r.err, r.hw, r.logStart = kafka.OffsetOutOfRange, -1, -1
	case follower && b.leaderThrottles(now, p, slices.Contains(p.isr, s.replica)): // no data
	default:
		b.readLog(l, sp, upTo, budget, first, &r)
		r.readable = len(r.records)
		if s.minBytes > 1 || sp.offset > upTo {
			r.endsWait(l, sp, upTo, budget, arrived)
		}
	}
	if r.err == kafka.None && follower && arrived {
		b.followerFetched(now, b.mut(sp.part), s, sp, out)
	}
	if follower {
		r.keep = !slices.Contains(b.parts[sp.part].isr, s.replica)
	}
	return r
}

// readLog reads data into the result, within the limits of partition and response.
func (b *Broker) readLog(l *storage.Log, sp *sessionPart, upTo kafka.Offset, budget int, first bool, r *readResult) {
	var err error
	switch limit := min(int(sp.maxBytes), budget); {
	case sp.offset >= upTo:
		return
	case first:
		r.records, err = l.Read(sp.offset, limit, upTo)
	default:
		r.records, err = l.ReadStrict(sp.offset, limit, upTo)
		r.keep = len(r.records) == 0 // nothing fitted
	}
	if err != nil {
		r.err, r.hw, r.logStart = storage.CodeOf(err), -1, -1
	}
}

// endsWait reports what ends the wait for min.bytes early (DelayedFetch.tryComplete,
// case F): a position above what may be read, as when a new leader's high watermark
// is behind, or data in a segment before the one that the reading would end in. It
// counts what is there and did not fit as read, as Kafka's reads end amid a batch
// where the limit is.
func (r *readResult) endsWait(l *storage.Log, sp *sessionPart, upTo kafka.Offset, budget int, arrived bool) {
	if sp.offset >= upTo {
		sp.atEnd, r.passed = true, sp.offset > upTo
		return
	}
	if arrived {
		sp.atEnd = false
	}
	from := sp.offset
	if sp.atEnd { // waiting at what was the end, in the segment that was the last
		from--
	}
	r.passed = l.SegmentBase(from) < l.SegmentBase(upTo-1)
	next := sp.offset
	for rest := record.Raw(r.records); len(rest) > 0; {
		batch, err := record.Frame(rest)
		if err != nil {
			return
		}
		next, rest = batch.NextOffset(), rest[len(batch):]
	}
	if len(r.records) > 0 && next < upTo {
		r.readable = max(r.readable, min(int(sp.maxBytes), budget))
	}
}

// diverges compares the epoch that the fetcher has last with this log
// (KIP-595: truncation on fetch).
func (b *Broker) diverges(l *storage.Log, sp *sessionPart, r *readResult) bool {
	if sp.offset < l.LogStart() {
		r.err, r.hw, r.logStart = kafka.OffsetOutOfRange, -1, -1
		return false
	}
	epoch, end := l.EndOffsetForEpoch(sp.lastEpoch, l.LEO())
	if epoch < 0 || end < 0 {
		r.err, r.hw, r.logStart = kafka.OffsetOutOfRange, -1, -1
		return false
	}
	if epoch < sp.lastEpoch || end < sp.offset {
		r.divEpoch, r.divEnd = epoch, end
		return true
	}
	return false
}

// missing is the error for a partition without a replica here.
func (b *Broker) missing(sp *sessionPart) kafka.ErrorCode {
	t := b.topicNamed(sp.id, sp.name)
	switch {
	case t == nil && sp.id != (kafka.TopicID{}):
		return kafka.UnknownTopicID
	case t == nil || sp.num < 0 || int(sp.num) >= len(t.parts):
		return kafka.UnknownTopicOrPartition
	}
	return absent(t.parts[sp.num])
}

// checkEpoch is Partition.checkCurrentLeaderEpoch, then whether this broker
// leads if that is asked.
func (b *Broker) checkEpoch(p *partition, epoch kafka.LeaderEpoch, leaderOnly bool) kafka.ErrorCode {
	switch {
	case epoch >= 0 && epoch < p.leaderEpoch:
		return kafka.FencedLeaderEpoch
	case epoch > p.leaderEpoch:
		return kafka.UnknownLeaderEpoch
	case leaderOnly && !b.leads(p):
		return kafka.NotLeaderOrFollower
	}
	return kafka.None
}

// followerFetched takes a follower's position (Replica.updateFetchStateOrThrow,
// Partition.updateFollowerFetchState).
func (b *Broker) followerFetched(now kafka.Instant, p *partition, s *session, sp *sessionPart, out *sim.Out) {
	r := p.remote(s.replica)
	leo := b.log(p).LEO()
	before := r.leo
	switch {
	case sp.offset >= leo:
		r.caughtUp = max(r.caughtUp, now)
	case sp.offset >= r.fetchLEO:
		r.caughtUp = max(r.caughtUp, r.lastFetch)
	}
	r.leo, r.logStart = sp.offset, sp.logStart
	r.fetchLEO, r.lastFetch = max(leo, r.fetchLEO), now
	r.epoch, r.session = s.repEpoch, s.slot
	b.completeDeletes(now, out)
	b.maybeExpand(now, p, r, out)
	if before != r.leo {
		b.maybeAdvanceHW(now, p, out)
	}
}

// fetchResponse puts the results that are told into Kafka's form, grouped by
// topic where neighbours share one.
func (b *Broker) fetchResponse(s *session, results []readResult, out *sim.Out) *kmsg.FetchResponse {
	resp := out.NewFetchResponse()
	resp.Version, resp.SessionID = s.version, s.id
	last := int32(-1)
	for i := range results {
		r := &results[i]
		if !r.told {
			continue
		}
		sp := &s.parts[r.pos]
		if last < 0 || !sameTopic(&s.parts[last], sp) {
			addTopic(resp, sp)
		}
		t := &resp.Topics[len(resp.Topics)-1]
		t.Partitions = append(t.Partitions, kmsg.FetchResponseTopicPartition{})
		b.fillPart(resp, &t.Partitions[len(t.Partitions)-1], s, sp, r)
		last = r.pos
	}
	return resp
}

// addTopic begins a partition's topic.
func addTopic(resp *kmsg.FetchResponse, sp *sessionPart) {
	var room []kmsg.FetchResponseTopicPartition
	if len(resp.Topics) == 0 && cap(resp.Topics) > 0 {
		room = resp.Topics[:1][0].Partitions
	}
	resp.Topics = append(resp.Topics, kmsg.FetchResponseTopic{Topic: sp.name, TopicID: sp.id, Partitions: room})
}

func sameTopic(a, b *sessionPart) bool { return a.id == b.id && a.name == b.name }

// fillPart fills in one partition, with the leader's address where that is the
// error (KIP-951).
func (b *Broker) fillPart(resp *kmsg.FetchResponse, part *kmsg.FetchResponseTopicPartition, s *session, sp *sessionPart, r *readResult) {
	part.Partition, part.ErrorCode = sp.num, int16(r.err)
	part.HighWatermark, part.LastStableOffset, part.LogStartOffset = int64(r.hw), int64(r.hw), int64(r.logStart)
	part.DivergingEpoch.Epoch, part.DivergingEpoch.EndOffset = int32(r.divEpoch), -1
	if r.divEpoch >= 0 {
		part.DivergingEpoch.EndOffset = int64(r.divEnd)
	}
	part.CurrentLeader.LeaderID, part.CurrentLeader.LeaderEpoch = -1, -1
	part.SnapshotID.Epoch, part.SnapshotID.EndOffset = -1, -1
	part.PreferredReadReplica = int32(r.prefer)
	part.RecordBatches = r.records
	if s.version >= 16 && (r.err == kafka.NotLeaderOrFollower || r.err == kafka.FencedLeaderEpoch) {
		b.hintFetch(resp, part, b.topicName(sp.name, sp.id))
	}
}

func (b *Broker) hintFetch(resp *kmsg.FetchResponse, part *kmsg.FetchResponseTopicPartition, topic string) {
	reg := b.img.Partition(kafka.TopicPartition{Topic: topic, Partition: part.Partition})
	if reg == nil {
		return
	}
	part.CurrentLeader.LeaderID, part.CurrentLeader.LeaderEpoch = int32(reg.Leader), int32(reg.LeaderEpoch)
	n := b.img.Broker(reg.Leader)
	if n == nil || slices.ContainsFunc(resp.Brokers, func(r kmsg.FetchResponseBroker) bool { return r.NodeID == int32(n.ID) }) {
		return
	}
	resp.Brokers = append(resp.Brokers, kmsg.FetchResponseBroker{NodeID: int32(n.ID), Host: n.Host, Port: n.Port, Rack: rackOf(n.Rack)})
}
