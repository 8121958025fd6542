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

// Produce (API key 0), versions 3 to 13: by topic name, from 13 on by topic id.
//
// Left out: transactions (a batch that is transactional is refused).

// delayedProduce is a request in the produce purgatory (DelayedProduce.scala):
// acks=all, and at least one batch waits for the high watermark. The group
// coordinator's own appends wait here too.
type delayedProduce struct {
	gen      uint64
	req      *kmsg.ProduceRequest // nil for a local append
	conn     sim.ConnID
	corr     int32
	who      caller
	deadline kafka.Instant
	token    int64 // of a local append
	left     int   // batches that still wait
	results  []produceResult
}

// produceResult is what became of the batch for one partition.
type produceResult struct {
	part       int32 // -1: not here
	waiting    bool
	code       kafka.ErrorCode
	base       kafka.Offset // of the first record; -1 on error
	last       kafka.Offset
	appendTime int64        // log append time in ms, -1 for CreateTime
	logStart   kafka.Offset // -1 on error
	bad        []recordError
}

func failed(part int32, code kafka.ErrorCode) produceResult {
	return produceResult{part: part, code: code, base: -1, last: -1, appendTime: -1, logStart: -1}
}

// write is work that waits for a slow disk.
type write struct {
	done  kafka.Instant
	fetch *fetchedWrite // a follower's append
	in    sim.Input     // else a Produce
	local *localWrite   // else a local append
}

type localWrite struct {
	tp      kafka.TopicPartition
	records []byte
	token   int64
}

// afterDisk does the work now if the disk takes n bytes at once, or queues it.
func (b *Broker) afterDisk(now kafka.Instant, n int, w write, out *sim.Out) {
	if done := b.disk.Write(now, n); done > now || len(b.writes) > 0 {
		b.enqueue(done, w, out)
		return
	}
	b.doWrite(now, &w, out)
}

// enqueue has work done when the disk is done, behind what is queued.
func (b *Broker) enqueue(done kafka.Instant, w write, out *sim.Out) {
	w.done = done
	b.writes = append(b.writes, w)
	if len(b.writes) == 1 {
		out.SetTimer(timer(timerDisk, 0), done)
	}
}

// writesDone does what the disk has finished, in order.
func (b *Broker) writesDone(now kafka.Instant, out *sim.Out) {
	for len(b.writes) > 0 && b.writes[0].done <= now {
		w := b.writes[0]
		b.writes = slices.Delete(b.writes, 0, 1)
		b.doWrite(now, &w, out)
	}
	if len(b.writes) > 0 {
		out.SetTimer(timer(timerDisk, 0), b.writes[0].done)
	}
}

func (b *Broker) doWrite(now kafka.Instant, w *write, out *sim.Out) {
	switch {
	case w.fetch != nil:
		b.applyFetched(now, w.fetch.leader, w.fetch.resp, out)
	case w.local != nil:
		b.appendLocal(now, w.local, out)
	default:
		b.produce(now, &w.in, w.in.Request.(*kmsg.ProduceRequest), out)
	}
}

func (b *Broker) handleProduce(now kafka.Instant, in *sim.Input, req *kmsg.ProduceRequest, out *sim.Out) {
	n := 0
	for t := range req.Topics {
		for p := range req.Topics[t].Partitions {
			n += len(req.Topics[t].Partitions[p].Records)
		}
	}
	if done := b.disk.Write(now, n); done > now || len(b.writes) > 0 {
		b.enqueue(done, write{in: *in}, out)
		return
	}
	b.produce(now, in, req, out)
}

// produce appends and answers, or waits (ReplicaManager.appendRecords).
func (b *Broker) produce(now kafka.Instant, in *sim.Input, req *kmsg.ProduceRequest, out *sim.Out) {
	results := b.produced[:0]
	waiting := 0
	for t := range req.Topics {
		rt := &req.Topics[t]
		topic := b.topicNamed(rt.TopicID, rt.Topic)
		for p := range rt.Partitions {
			r := b.produceOne(now, req, topic, &rt.Partitions[p], out)
			if r.code == kafka.None && req.Acks == -1 && b.parts[r.part].hw <= r.last {
				r.waiting = true
				waiting++
			}
			results = append(results, r)
		}
	}
	b.produced = results
	if req.Acks == 0 {
		if slices.ContainsFunc(results, func(r produceResult) bool { return r.code != kafka.None }) {
			out.CloseConn(in.Conn)
		} else if wait := b.produceQuota(now, callerOf(in), req); wait > 0 {
			out.Mute(in.Conn, now.Add(wait))
		}
		return
	}
	if waiting == 0 {
		b.replyProduce(in.Conn, in.Corr, callerOf(in), req, b.produceResponse(req, results, out), out)
		return
	}
	d := b.newDelayed()
	*d = delayedProduce{
		gen: b.gen, req: req, conn: in.Conn, corr: in.Corr, who: callerOf(in), left: waiting, results: append(d.results[:0], results...),
		deadline: now.Add(kafka.Duration(req.TimeoutMillis) * kafka.Millisecond),
	}
	b.park(now, d, out)
}

// newDelayed takes memory for a request that has to wait, one that is over if it
// is this broker's own.
func (b *Broker) newDelayed() *delayedProduce {
	n := len(b.spareProduce) - 1
	if n < 0 {
		return &delayedProduce{}
	}
	d := b.spareProduce[n]
	b.spareProduce = b.spareProduce[:n]
	return d
}

// park puts a request into the purgatory.
func (b *Broker) park(now kafka.Instant, d *delayedProduce, out *sim.Out) {
	var slot int32
	if n := len(b.freeProduce); n > 0 {
		slot, b.freeProduce = b.freeProduce[n-1], b.freeProduce[:n-1]
		b.produces[slot] = d
	} else {
		slot = int32(len(b.produces))
		b.produces = append(b.produces, d)
	}
	for i := range d.results {
		r := &d.results[i]
		if !r.waiting {
			continue
		}
		p := b.mut(r.part)
		at := len(p.waits)
		for at > 0 && p.waits[at-1].required > r.last+1 { // a duplicate waits for less
			at--
		}
		p.waits = slices.Insert(p.waits, at, wait{r.last + 1, slot, int32(i)})
	}
	if d.deadline < b.produceDue {
		b.produceDue = d.deadline
		out.SetTimer(timer(timerProduce, 0), d.deadline)
	}
}

// produceOne finds the partition and appends to it.
func (b *Broker) produceOne(now kafka.Instant, req *kmsg.ProduceRequest, topic *localTopic, rp *kmsg.ProduceRequestTopicPartition, out *sim.Out) produceResult {
	i := topic.part(rp.Partition)
	switch {
	case req.Acks < -1 || req.Acks > 1:
		return failed(-1, kafka.InvalidRequiredAcks)
	case topic == nil && req.Version >= 13:
		return failed(-1, kafka.UnknownTopicID)
	case topic == nil || rp.Partition < 0 || int(rp.Partition) >= len(topic.parts):
		return failed(-1, kafka.UnknownTopicOrPartition)
	case i < 0:
		return failed(-1, absent(i))
	case kafka.IsInternal(topic.name):
		return failed(i, kafka.InvalidTopic)
	}
	return b.appendLeader(now, i, req.Acks, rp.Records, out)
}

// appendLeader is Partition.appendRecordsToLeader with UnifiedLog's checks, in
// their order: leadership, min ISR, the batch itself, its producer.
func (b *Broker) appendLeader(now kafka.Instant, i int32, acks int16, records []byte, out *sim.Out) produceResult {
	p := b.parts[i]
	if !b.leads(p) {
		return failed(i, kafka.NotLeaderOrFollower)
	}
	if acks == -1 && p.underMinISR() {
		return failed(i, kafka.NotEnoughReplicas)
	}
	h, bad, code := validate(now, p.tp, p.set, records)
	if code != kafka.None {
		r := failed(i, code)
		r.bad = bad
		return r
	}
	appendTime := record.NoTimestamp
	if p.set.log.LogAppendTime {
		appendTime = now.UnixMilli()
	}
	if h.HasProducer() {
		b.forgetExpired(now, i, h.ProducerID)
		dup, code := b.parts[i].producers.check(&h)
		if code != kafka.None {
			return failed(i, code)
		}
		if dup != nil {
			return produceResult{part: i, base: dup.last - kafka.Offset(dup.delta), last: dup.last, appendTime: dup.timestamp, logStart: b.log(p).LogStart()}
		}
	}
	if records, code = recompress(p.set, records); code != kafka.None {
		return failed(i, code)
	}
	if b.noRoom(b.dir.In(p.slot), len(records)) {
		return failed(i, kafka.KafkaStorageError)
	}
	p = b.mut(i)
	l := b.mutLog(p)
	leo, segments := l.LEO(), l.SegmentCount()
	b.settleRemotes(p, leo)
	first, last, err := l.AppendAsLeader(now, records, p.leaderEpoch)
	if err != nil {
		return failed(i, storage.CodeOf(err))
	}
	if l.SegmentCount() != segments {
		b.saveProducers(p, first)
	}
	if h.HasProducer() {
		h.BaseOffset = first
		if appendTime != record.NoTimestamp {
			h.MaxTimestamp = appendTime
		}
		p.producers.observe(&h)
	}
	b.noteRolled(p, l, segments, out)
	b.stirCleaner(p, out)
	out.Note(trace.Note{
		Kind: trace.Append, Topic: p.tp.Topic, Part: p.tp.Partition, Node: b.cfg.ID,
		Offset: last, From: first, Epoch: p.leaderEpoch, N: int64(h.Count),
	})
	b.grown(now, p, out)
	return produceResult{part: i, base: first, last: last, appendTime: appendTime, logStart: l.LogStart()}
}

// noteRolled tells of a new segment.
func (b *Broker) noteRolled(p *partition, l *storage.Log, before int, out *sim.Out) {
	if l.SegmentCount() != before {
		b.noteNewSegment(p, l, out)
	}
}

func (b *Broker) noteNewSegment(p *partition, l *storage.Log, out *sim.Out) {
	s := l.Segments()
	out.Note(trace.Note{
		Kind: trace.SegmentRolled, Topic: p.tp.Topic, Part: p.tp.Partition, Node: b.cfg.ID, Offset: s[len(s)-1].BaseOffset,
	})
}

// mutProduce returns a waiting request to change.
func (b *Broker) mutProduce(slot int32) *delayedProduce {
	d := b.produces[slot]
	if d.gen != b.gen {
		c := *d
		c.gen = b.gen
		c.results = slices.Clone(d.results)
		d = &c
		b.produces[slot] = d
	}
	return d
}

// completeWaits ends the waits that the high watermark has reached.
func (b *Broker) completeWaits(p *partition, out *sim.Out) {
	n := 0
	for n < len(p.waits) && p.waits[n].required <= p.hw {
		n++
	}
	if n == 0 {
		return
	}
	code := kafka.None
	if len(p.maximal) < p.set.minISR {
		code = kafka.NotEnoughReplicasAfterAppend
	}
	b.endWaits(p, n, code, out)
}

// failWaits ends all waits of a partition that is no longer led here.
func (b *Broker) failWaits(p *partition, code kafka.ErrorCode, out *sim.Out) {
	b.endWaits(p, len(p.waits), code, out)
}

// endWaits ends the first n waits of a partition.
func (b *Broker) endWaits(p *partition, n int, code kafka.ErrorCode, out *sim.Out) {
	var few [8]wait
	done := append(few[:0], p.waits[:n]...)
	p.waits = p.waits[:copy(p.waits, p.waits[n:])]
	for _, w := range done {
		d := b.mutProduce(w.produce)
		r := &d.results[w.item]
		r.waiting, r.code = false, code
		if d.left--; d.left == 0 {
			b.finishProduce(w.produce, d, out)
		}
	}
}

// finishProduce answers a request and frees its slot.
func (b *Broker) finishProduce(slot int32, d *delayedProduce, out *sim.Out) {
	b.produces[slot] = nil
	b.freeProduce = append(b.freeProduce, slot)
	if d.req == nil {
		r := &d.results[0]
		b.locals = append(b.locals, LocalAppend{Token: d.token, First: r.base, Last: r.last, Err: r.code})
		return
	}
	b.replyProduce(d.conn, d.corr, d.who, d.req, b.produceResponse(d.req, d.results, out), out)
	if d.gen == b.gen {
		d.req = nil
		b.spareProduce = append(b.spareProduce, d)
	}
}

// expireProduces ends what has waited too long with REQUEST_TIMED_OUT. The
// batches stay in the log.
func (b *Broker) expireProduces(now kafka.Instant, out *sim.Out) {
	b.produceDue = kafka.Never
	for slot, d := range b.produces {
		if d == nil {
			continue
		}
		if d.deadline > now {
			b.produceDue = min(b.produceDue, d.deadline)
			continue
		}
		d = b.mutProduce(int32(slot))
		for i := range d.results {
			r := &d.results[i]
			if !r.waiting {
				continue
			}
			if b.parts[r.part] != nil { // else its log directory has failed
				p := b.mut(r.part)
				p.waits = slices.DeleteFunc(p.waits, func(w wait) bool { return w.produce == int32(slot) })
			}
			r.waiting, r.code = false, kafka.RequestTimedOut
		}
		b.finishProduce(int32(slot), d, out)
	}
	if b.produceDue != kafka.Never {
		out.SetTimer(timer(timerProduce, 0), b.produceDue)
	}
}

// produceResponse puts results into Kafka's form. A client whose leader moved
// learns the new one at once (KIP-951).
func (b *Broker) produceResponse(req *kmsg.ProduceRequest, results []produceResult, out *sim.Out) *kmsg.ProduceResponse {
	resp := out.NewProduceResponse()
	resp.Version = req.Version
	k := 0
	for t := range req.Topics {
		rt := &req.Topics[t]
		var parts []kmsg.ProduceResponseTopicPartition
		if t == 0 && cap(resp.Topics) > 0 {
			parts = resp.Topics[:1][0].Partitions
		}
		for p := range rt.Partitions {
			r := &results[k]
			k++
			part := kmsg.ProduceResponseTopicPartition{
				Partition: rt.Partitions[p].Partition, ErrorCode: int16(r.code),
				BaseOffset: int64(r.base), LogAppendTime: r.appendTime, LogStartOffset: int64(r.logStart),
			}
			part.CurrentLeader.LeaderID, part.CurrentLeader.LeaderEpoch = -1, -1
			if r.code == kafka.NotLeaderOrFollower && req.Version >= 10 {
				b.hintProduce(resp, &part, b.topicName(rt.Topic, rt.TopicID))
			}
			tellRecords(&part, r)
			parts = append(parts, part)
		}
		resp.Topics = append(resp.Topics, kmsg.ProduceResponseTopic{Topic: rt.Topic, TopicID: rt.TopicID, Partitions: parts})
	}
	return resp
}

// topicName resolves a topic that a request names one way or the other.
func (b *Broker) topicName(name string, id kafka.TopicID) string {
	if id == (kafka.TopicID{}) {
		return name
	}
	if t := b.topicByID(id); t != nil {
		return t.name
	}
	return ""
}

// hintProduce adds the current leader to a partition's error.
func (b *Broker) hintProduce(resp *kmsg.ProduceResponse, part *kmsg.ProduceResponseTopicPartition, topic string) {
	reg := b.img.Partition(kafka.TopicPartition{Topic: topic, Partition: part.Partition})
	if reg == nil {
		return
	}
	part.CurrentLeader.LeaderID, part.CurrentLeader.LeaderEpoch = int32(reg.Leader), int32(reg.LeaderEpoch)
	n := b.img.Broker(reg.Leader)
	if n == nil || slices.ContainsFunc(resp.Brokers, func(r kmsg.ProduceResponseBroker) bool { return r.NodeID == int32(n.ID) }) {
		return
	}
	resp.Brokers = append(resp.Brokers, kmsg.ProduceResponseBroker{NodeID: int32(n.ID), Host: n.Host, Port: n.Port, Rack: rackOf(n.Rack)})
}

func rackOf(rack string) *string {
	if rack == "" {
		return nil
	}
	return &rack
}
