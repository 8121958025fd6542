package broker

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/highwater-sim/highwater/engine/trace"
)

// fetcher follows one leader broker for all partitions that it leads and this
// broker replicates (AbstractFetcherThread, ReplicaFetcherThread,
// RemoteLeaderEndPoint): one request at a time, in one fetch session.
type fetcher struct {
	gen    uint64
	leader kafka.NodeID
	parts  []int32 // all that it follows
	// changed are those to name in the next request: new, or fetched further.
	changed []int32
	forget  []forgotten // of the session, to take out of it
	session int32       // id; 0: none
	epoch   int32       // of the next request in the session; 0: begin one
	corr    int32       // of the request in flight; 0: none
	writing bool        // a response waits for the disk
	offsets []offsetQuestion
	trouble bool // some partition may be delayed or failed
}

// forgotten is a partition that a session need not have any more.
type forgotten struct {
	num       int32
	id        kafka.TopicID
	partition int32
}

// followState is what a follower's fetcher knows of a partition
// (PartitionFetchState).
type followState struct {
	active    bool              // some fetcher has it
	queued    bool              // in the fetcher's changed
	inSession bool              // the leader's session has it
	failed    bool              // fenced: waits for new metadata
	until     kafka.Instant     // back-off after an error; 0: none
	offset    kafka.Offset      // fetch offset of the request that named it last
	epoch     kafka.LeaderEpoch // current leader epoch of that request
}

// fetchedWrite is a response whose data waits for a slow disk.
type fetchedWrite struct {
	leader kafka.NodeID
	resp   *kmsg.FetchResponse
}

func (f *fetcher) copyFor(gen uint64) *fetcher {
	c := *f
	c.gen = gen
	c.parts, c.changed = slices.Clone(f.parts), slices.Clone(f.changed)
	c.forget, c.offsets = slices.Clone(f.forget), slices.Clone(f.offsets)
	return &c
}

// fetcher returns the fetcher for a leader to change, or nil.
func (b *Broker) fetcher(leader kafka.NodeID) *fetcher {
	i, ok := b.findFetcher(leader)
	if !ok {
		return nil
	}
	return b.mutFetcher(i)
}

func (b *Broker) findFetcher(leader kafka.NodeID) (int, bool) {
	for i, f := range b.fetchers {
		if f.leader >= leader {
			return i, f.leader == leader
		}
	}
	return len(b.fetchers), false
}

func (b *Broker) mutFetcher(i int) *fetcher {
	f := b.fetchers[i]
	if f.gen != b.gen {
		f = f.copyFor(b.gen)
		b.fetchers[i] = f
	}
	return f
}

// follow puts a partition under the fetcher of its leader.
func (b *Broker) follow(p *partition) {
	i, ok := b.findFetcher(p.leader)
	if !ok {
		b.fetchers = slices.Insert(b.fetchers, i, &fetcher{gen: b.gen, leader: p.leader})
	}
	f := b.mutFetcher(i)
	f.parts = append(f.parts, p.num)
	p.fetch = followState{active: true}
	f.name(p)
}

// unfollow takes a partition from the fetcher of a leader.
func (b *Broker) unfollow(p *partition, leader kafka.NodeID) {
	if !p.fetch.active {
		return
	}
	f := b.fetcher(leader)
	f.drop(p)
	f.parts = slices.DeleteFunc(f.parts, func(i int32) bool { return i == p.num })
	p.fetch = followState{}
}

// name queues a partition for the next request.
func (f *fetcher) name(p *partition) {
	if !p.fetch.queued {
		p.fetch.queued = true
		f.changed = append(f.changed, p.num)
	}
}

// drop takes a partition out of the requests.
func (f *fetcher) drop(p *partition) {
	if p.fetch.queued {
		f.changed = slices.DeleteFunc(f.changed, func(i int32) bool { return i == p.num })
	}
	if p.fetch.inSession {
		f.forget = append(f.forget, forgotten{p.num, p.id, p.tp.Partition})
	}
	p.fetch.queued, p.fetch.inSession = false, false
}

// runFetchers sends what can be sent, and ends fetchers that have nothing left.
func (b *Broker) runFetchers(now kafka.Instant, out *sim.Out) {
	for i := 0; i < len(b.fetchers); {
		f := b.fetchers[i]
		if len(f.parts) == 0 {
			out.Disconnect(sim.ActorID(f.leader), sim.ChanFetcher)
			out.ClearTimer(timer(timerFetcher, int32(f.leader)))
			b.fetchers = slices.Delete(b.fetchers, i, i+1)
			continue
		}
		b.sendFetch(now, b.mutFetcher(i), out)
		i++
	}
}

// sendFetch sends the next request unless one is in flight
// (AbstractFetcherThread.doWork).
func (b *Broker) sendFetch(now kafka.Instant, f *fetcher, out *sim.Out) {
	if f.corr != 0 || f.writing || len(f.offsets) > 0 || b.life.epoch < 0 {
		return
	}
	if f.epoch == 0 {
		b.restartSession(f)
	}
	if f.trouble && !b.anyReady(f) {
		return // all are delayed or failed: a back-off or new metadata goes on
	}
	req := b.fetchRequest(f, out)
	f.changed, f.forget = f.changed[:0], f.forget[:0]
	f.corr = b.corr()
	out.Send(sim.ActorID(f.leader), sim.ChanFetcher, f.corr, req, fetcherTimeout)
}

// anyReady reports whether some partition may be fetched.
func (b *Broker) anyReady(f *fetcher) bool {
	f.trouble = false
	ready := false
	for _, i := range f.parts {
		if fs := &b.parts[i].fetch; fs.until != 0 || fs.failed {
			f.trouble = true
		} else {
			ready = true
		}
	}
	return ready
}

// restartSession queues every partition that may be fetched, for the full
// request that begins a session.
func (b *Broker) restartSession(f *fetcher) {
	f.session, f.forget = 0, f.forget[:0]
	for _, i := range f.parts {
		p := b.mut(i)
		p.fetch.inSession = false
		if p.fetch.until == 0 && !p.fetch.failed {
			f.name(p)
		}
	}
}

// fetchRequest names the changed partitions.
func (b *Broker) fetchRequest(f *fetcher, out *sim.Out) *kmsg.FetchRequest {
	req := out.NewFetchRequest()
	req.Version, req.ReplicaID = 18, -1
	req.ReplicaState.ID, req.ReplicaState.Epoch = int32(b.cfg.ID), int64(b.life.epoch)
	req.MaxWaitMillis, req.MinBytes = int32(b.set.fetchWaitMax.Millis()), b.set.fetchMinBytes
	req.MaxBytes = b.set.fetchResponseMax
	req.SessionID, req.SessionEpoch = f.session, f.epoch
	for _, i := range f.changed {
		p := b.mut(i)
		l := b.log(p)
		p.fetch.queued, p.fetch.inSession = false, true
		p.fetch.offset, p.fetch.epoch = l.LEO(), p.leaderEpoch
		if n := len(req.Topics); n == 0 || req.Topics[n-1].TopicID != p.id {
			var room []kmsg.FetchRequestTopicPartition
			if n == 0 && cap(req.Topics) > 0 {
				room = req.Topics[:1][0].Partitions
			}
			req.Topics = append(req.Topics, kmsg.FetchRequestTopic{TopicID: p.id, Partitions: room})
		}
		t := &req.Topics[len(req.Topics)-1]
		t.Partitions = append(t.Partitions, kmsg.FetchRequestTopicPartition{
			Partition: p.tp.Partition, CurrentLeaderEpoch: int32(p.leaderEpoch),
			FetchOffset: int64(l.LEO()), LastFetchedEpoch: int32(l.LatestEpoch()),
			LogStartOffset: int64(l.LogStart()), PartitionMaxBytes: b.set.fetchMaxBytes,
			HighWatermark: -1,
		})
	}
	for _, g := range f.forget {
		if p := b.parts[g.num]; p != nil && p.id == g.id && p.fetch.inSession && p.leader == f.leader {
			continue // named again in this very request
		}
		if n := len(req.ForgottenTopics); n == 0 || req.ForgottenTopics[n-1].TopicID != g.id {
			req.ForgottenTopics = append(req.ForgottenTopics, kmsg.FetchRequestForgottenTopic{TopicID: g.id})
		}
		t := &req.ForgottenTopics[len(req.ForgottenTopics)-1]
		t.Partitions = append(t.Partitions, g.partition)
	}
	return req
}

// fetcherResponse takes the answer of a leader.
func (b *Broker) fetcherResponse(now kafka.Instant, in *sim.Input, out *sim.Out) {
	f := b.fetcher(in.From.Node())
	if f == nil {
		return
	}
	if resp, ok := in.Response.(*kmsg.ListOffsetsResponse); ok {
		b.offsetsAnswered(now, f, in.Corr, resp, out)
		return
	}
	resp, ok := in.Response.(*kmsg.FetchResponse)
	if !ok || in.Corr != f.corr {
		return
	}
	f.corr = 0
	if resp.ErrorCode != 0 { // the session is lost: a full request, at once
		f.epoch = 0
		b.sendFetch(now, f, out)
		return
	}
	f.session = resp.SessionID
	if f.epoch++; f.session == 0 {
		f.epoch = 0
	}
	n := 0
	for t := range resp.Topics {
		for p := range resp.Topics[t].Partitions {
			n += len(resp.Topics[t].Partitions[p].RecordBatches)
		}
	}
	done := now
	if n > 0 {
		done = b.disk.Write(now, n)
	}
	if done > now || len(b.writes) > 0 {
		f.writing = true
		out.Keep()
		b.enqueue(done, write{fetch: &fetchedWrite{f.leader, resp}}, out)
		return
	}
	b.applyFetched(now, f.leader, resp, out)
}

// applyFetched works through a response and sends the next request
// (AbstractFetcherThread.processFetchRequest).
func (b *Broker) applyFetched(now kafka.Instant, leader kafka.NodeID, resp *kmsg.FetchResponse, out *sim.Out) {
	f := b.fetcher(leader)
	if f == nil {
		return
	}
	f.writing = false
	for t := range resp.Topics {
		rt := &resp.Topics[t]
		topic := b.topicByID(rt.TopicID)
		for i := range rt.Partitions {
			rp := &rt.Partitions[i]
			n := topic.part(rp.Partition)
			if n < 0 {
				continue
			}
			p := b.parts[n]
			fs := &p.fetch
			if p.leader != f.leader || !fs.active || fs.queued || fs.until != 0 || fs.failed ||
				fs.epoch != p.leaderEpoch || fs.offset != b.log(p).LEO() {
				continue // the answer to a request of another time
			}
			b.fetchedOne(now, f, b.mut(n), rp, out)
		}
	}
	b.sendFetch(now, f, out)
}

// fetchedOne takes one partition's part of a response.
func (b *Broker) fetchedOne(now kafka.Instant, f *fetcher, p *partition, rp *kmsg.FetchResponseTopicPartition, out *sim.Out) {
	switch code := kafka.ErrorCode(rp.ErrorCode); code {
	case kafka.None:
		if rp.DivergingEpoch.Epoch >= 0 {
			b.truncateDiverging(f, p, kafka.LeaderEpoch(rp.DivergingEpoch.Epoch), kafka.Offset(rp.DivergingEpoch.EndOffset), out)
			return
		}
		if err := b.appendFetched(now, f, p, rp, out); err != nil {
			b.fetchFailed(now, f, p, fetchErrorOf(err), out)
		}
	case kafka.OffsetOutOfRange:
		b.noteFetchError(p, code, out)
		b.askOffsets(f, p, latestOffset, out)
	case kafka.FencedLeaderEpoch:
		b.noteFetchError(p, code, out)
		f.drop(p)
		p.fetch.failed, f.trouble = true, true // new metadata is on its way
	default:
		b.fetchFailed(now, f, p, code, out)
	}
}

// appendFetched appends what the leader sent and takes its high watermark
// (ReplicaFetcherThread.processPartitionData). That may be lower than this
// follower's own: a new leader that had not heard of it yet. The follower goes
// back with it (UnifiedLog.maybeUpdateHighWatermark warns of a non-monotonic
// update and makes it).
func (b *Broker) appendFetched(now kafka.Instant, f *fetcher, p *partition, rp *kmsg.FetchResponseTopicPartition, out *sim.Out) error {
	if len(rp.RecordBatches) > 0 {
		if err := record.VerifyAll(rp.RecordBatches); err != nil {
			return err
		}
		if b.noRoom(b.dir.In(p.slot), len(rp.RecordBatches)) {
			return nil
		}
		l := b.mutLog(p)
		segments := l.SegmentCount()
		startEarlier(l, rp.RecordBatches)
		first, last, err := l.AppendAsFollower(now, rp.RecordBatches)
		if err != nil {
			return err
		}
		b.observeAppended(p, rp.RecordBatches, segments)
		b.noteRolled(p, l, segments, out)
		b.stirCleaner(p, out)
		out.Note(trace.Note{
			Kind: trace.Replicated, Topic: p.tp.Topic, Part: p.tp.Partition, Node: b.cfg.ID, Peer: f.leader,
			Offset: last, From: first, Epoch: p.leaderEpoch,
		})
		if until := b.took(now, p, len(rp.RecordBatches), kafka.Offset(rp.HighWatermark) > last+1); until != 0 {
			f.drop(p)
			f.trouble, p.fetch.until = true, until
			b.wakeFetcherAt(f, until, out)
		} else {
			f.name(p)
		}
	}
	leo := b.log(p).LEO()
	if hw := max(min(kafka.Offset(rp.HighWatermark), leo), b.log(p).LogStart()); hw != p.hw {
		b.setHW(p, hw, out)
	}
	if start := kafka.Offset(rp.LogStartOffset); start > b.log(p).LogStart() && start <= p.hw {
		from := b.log(p).LogStart()
		if moved, _ := b.mutLog(p).SetLogStart(start); moved {
			b.logStartMoved(now, p, from, out)
		}
	}
	return nil
}

// startEarlier lets an empty log begin at the base offset of the first batch if
// that is below where it would: DeleteRecords moves the log start into a batch, and
// a batch is fetched whole (Partition.appendRecordsToFollowerOrFutureReplica, on
// UnexpectedAppendOffsetException). The leader's log start comes with the response.
func startEarlier(l *storage.Log, batches record.Raw) {
	leo := l.LEO()
	if r, err := record.Frame(batches); err == nil && leo == l.LogStart() && r.BaseOffset() < leo && r.LastOffset() >= leo {
		l.TruncateFullyAndStartAt(r.BaseOffset())
	}
}

// fetchErrorOf is the error by which a fetched partition waits: damaged batches
// are CORRUPT_MESSAGE, and fetched again after the back-off, in case that was the
// network (AbstractFetcherThread.processFetchRequest).
func fetchErrorOf(err error) kafka.ErrorCode {
	if _, damaged := err.(*record.Error); damaged {
		return kafka.CorruptMessage
	}
	return storage.CodeOf(err)
}

// fetchFailed puts a partition aside for replica.fetch.backoff.ms.
func (b *Broker) fetchFailed(now kafka.Instant, f *fetcher, p *partition, code kafka.ErrorCode, out *sim.Out) {
	b.noteFetchError(p, code, out)
	b.delay(now, f, p, out)
}

func (b *Broker) noteFetchError(p *partition, code kafka.ErrorCode, out *sim.Out) {
	out.Note(trace.Note{Kind: trace.FetchError, Topic: p.tp.Topic, Part: p.tp.Partition, Node: b.cfg.ID, Peer: p.leader, Err: code})
}

func (b *Broker) delay(now kafka.Instant, f *fetcher, p *partition, out *sim.Out) {
	f.drop(p)
	f.trouble = true
	p.fetch.until = now.Add(b.set.fetchBackoff)
	b.wakeFetcherAt(f, p.fetch.until, out)
}

// wakeFetcherAt arms the fetcher's timer. Back-offs are all equally long, so the
// earliest one was armed first and later ones are armed when it fires.
func (b *Broker) wakeFetcherAt(f *fetcher, at kafka.Instant, out *sim.Out) {
	for _, i := range f.parts {
		if u := b.parts[i].fetch.until; u != 0 && u < at {
			at = u
		}
	}
	out.SetTimer(timer(timerFetcher, int32(f.leader)), at)
}

// fetcherWakes ends the back-offs that are over.
func (b *Broker) fetcherWakes(now kafka.Instant, leader kafka.NodeID, out *sim.Out) {
	f := b.fetcher(leader)
	if f == nil {
		return
	}
	next := kafka.Never
	for _, i := range f.parts {
		switch u := b.parts[i].fetch.until; {
		case u == 0:
		case u <= now:
			p := b.mut(i)
			p.fetch.until = 0
			f.name(p)
		default:
			next = min(next, u)
		}
	}
	if next != kafka.Never {
		out.SetTimer(timer(timerFetcher, int32(leader)), next)
	}
	b.sendFetch(now, f, out)
}

// fetcherDisconnected: the request failed as a whole, so all its partitions
// wait (AbstractFetcherThread.handlePartitionsWithErrors).
func (b *Broker) fetcherDisconnected(now kafka.Instant, in *sim.Input, out *sim.Out) {
	f := b.fetcher(in.From.Node())
	if f == nil {
		return
	}
	if k := slices.IndexFunc(f.offsets, func(q offsetQuestion) bool { return q.corr == in.Corr }); k >= 0 {
		p := b.parts[f.offsets[k].part]
		f.offsets = slices.Delete(f.offsets, k, k+1)
		if p != nil && p.fetch.active && p.leader == f.leader {
			b.fetchFailed(now, f, b.mut(p.num), kafka.NetworkException, out)
		}
		return
	}
	if in.Corr != f.corr {
		return
	}
	f.corr, f.epoch, f.session = 0, 0, 0
	out.Note(trace.Note{Kind: trace.FetchError, Part: -1, Node: b.cfg.ID, Peer: f.leader, Err: kafka.NetworkException})
	for _, i := range f.parts {
		if p := b.mut(i); !p.fetch.failed {
			f.drop(p)
			p.fetch.until = now.Add(b.set.fetchBackoff)
		}
	}
	f.forget, f.trouble = f.forget[:0], true
	out.SetTimer(timer(timerFetcher, int32(f.leader)), now.Add(b.set.fetchBackoff))
}
