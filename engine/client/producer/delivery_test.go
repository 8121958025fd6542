package producer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// unreliable is three brokers that keep logs, check sequences as Kafka does
// (ProducerAppendInfo.java), and fail in every way that the producer must
// survive, until they are healed.
type unreliable struct {
	rng    *rand.Rand
	healed bool
	lead   []int32 // leader per partition
	epoch  []int32
	logs   [][]int64 // identities by offset
	states []map[int64]*producerState
}

type producerState struct {
	epoch int16
	last  int32
	done  []appended // at most 5
}

type appended struct {
	first, last int32
	base        int64
}

func newUnreliable(seed uint64) *unreliable {
	u := &unreliable{rng: rand.New(rand.NewPCG(seed, 1))}
	for p := range int32(4) {
		u.lead, u.epoch = append(u.lead, p%3+1), append(u.epoch, 0)
		u.logs, u.states = append(u.logs, nil), append(u.states, map[int64]*producerState{})
	}
	return u
}

func (u *unreliable) append(p int32, b []byte) (code kafka.ErrorCode, base int64) {
	h, err := record.ParseHeader(b)
	if err != nil || record.Verify(b) != nil {
		return kafka.CorruptMessage, -1
	}
	base = int64(len(u.logs[p]))
	if h.HasProducer() {
		s := u.states[p][h.ProducerID]
		if s == nil {
			s = &producerState{epoch: h.ProducerEpoch, last: -1}
			u.states[p][h.ProducerID] = s
		}
		if h.ProducerEpoch < s.epoch {
			return kafka.InvalidProducerEpoch, -1
		}
		if h.ProducerEpoch > s.epoch {
			*s = producerState{epoch: h.ProducerEpoch, last: -1}
		}
		for _, d := range s.done {
			if d.first == h.BaseSequence && d.last == h.LastSequence() {
				return kafka.None, d.base
			}
		}
		if h.BaseSequence <= s.last {
			return kafka.DuplicateSequenceNumber, -1
		}
		if h.BaseSequence != s.last+1 {
			return kafka.OutOfOrderSequenceNumber, -1
		}
		s.last = h.LastSequence()
		s.done = append(s.done, appended{h.BaseSequence, s.last, base})
		if len(s.done) > 5 {
			s.done = s.done[1:]
		}
	}
	for r := range record.Records(b) {
		_, id, _ := client.Identity(&r)
		u.logs[p] = append(u.logs[p], id)
	}
	return kafka.None, base
}

// produce does what the leader does; broken says that the answer never comes.
func (u *unreliable) produce(node int32, q *kmsg.ProduceRequest) (resp *kmsg.ProduceResponse, broken bool) {
	resp = &kmsg.ProduceResponse{}
	if !u.healed && u.rng.IntN(40) == 0 {
		return resp, true // lost on the way there
	}
	for i := range q.Topics {
		t := kmsg.ProduceResponseTopic{TopicID: q.Topics[i].TopicID}
		for _, part := range q.Topics[i].Partitions {
			r := kmsg.NewProduceResponseTopicPartition()
			r.Partition, r.BaseOffset = part.Partition, -1
			fate := u.rng.IntN(30)
			switch {
			case u.lead[part.Partition] != node:
				r.ErrorCode = int16(kafka.NotLeaderOrFollower)
				if u.rng.IntN(2) == 0 {
					r.CurrentLeader.LeaderID, r.CurrentLeader.LeaderEpoch = u.lead[part.Partition], u.epoch[part.Partition]
				}
			case !u.healed && fate == 0:
				r.ErrorCode = int16(kafka.NotEnoughReplicas)
			case !u.healed && fate == 1:
				if c, _ := u.append(part.Partition, part.Records); c == kafka.None {
					c = kafka.NotEnoughReplicasAfterAppend
					r.ErrorCode = int16(c)
				} else {
					r.ErrorCode = int16(c)
				}
			default:
				c, base := u.append(part.Partition, part.Records)
				r.ErrorCode, r.BaseOffset = int16(c), base
			}
			t.Partitions = append(t.Partitions, r)
		}
		resp.Topics = append(resp.Topics, t)
	}
	return resp, !u.healed && u.rng.IntN(40) == 0 // or on the way back
}

func (u *unreliable) metadata(q *kmsg.MetadataRequest) kmsg.Response {
	r := &kmsg.MetadataResponse{}
	for n := range int32(3) {
		r.Brokers = append(r.Brokers, kmsg.MetadataResponseBroker{NodeID: n + 1})
	}
	for i := range q.Topics {
		t := kmsg.MetadataResponseTopic{Topic: q.Topics[i].Topic, TopicID: [16]byte{1}}
		for p := range u.lead {
			t.Partitions = append(t.Partitions, kmsg.MetadataResponseTopicPartition{Partition: int32(p), Leader: u.lead[p], LeaderEpoch: u.epoch[p]})
		}
		r.Topics = append(r.Topics, t)
	}
	return r
}

// trial drives a producer against them.
type trial struct {
	u      *unreliable
	p      *Producer
	now    kafka.Instant
	timers [2]kafka.Instant
	queue  []answer      // per connection in order
	open   [4][]sim.Sent // requests in flight, by broker
	last   [4]kafka.Instant
}

func (w *trial) step(in *sim.Input) {
	out := sim.NewOut(w.now, w.p.ID())
	w.p.Step(w.now, in, out)
	for _, t := range out.Timers() {
		w.timers[t.Timer.Kind] = t.At
	}
	for _, m := range out.Messages() {
		w.open[m.To] = append(w.open[m.To], m)
		var resp kmsg.Response = &kmsg.ApiVersionsResponse{}
		broken := false
		switch q := m.Request.(type) {
		case *kmsg.MetadataRequest:
			resp = w.u.metadata(q)
		case *kmsg.InitProducerIDRequest:
			resp = &kmsg.InitProducerIDResponse{ProducerID: 7}
		case *kmsg.ProduceRequest:
			resp, broken = w.u.produce(int32(m.To), q)
		}
		at := max(w.last[m.To], w.now.Add(kafka.Duration(1+w.u.rng.IntN(30))*kafka.Millisecond))
		w.last[m.To] = at
		in := sim.Input{Kind: sim.InputResponse, From: m.To, Corr: m.Corr, Response: resp}
		if broken {
			in = sim.Input{Kind: sim.InputDisconnected, From: m.To, Corr: m.Corr, Reason: sim.ReasonReset}
		}
		w.queue = append(w.queue, answer{at, in})
		slices.SortStableFunc(w.queue, func(a, b answer) int { return int(a.at - b.at) })
	}
}

func (w *trial) run(until kafka.Instant) {
	for {
		at, which := until, -1
		for i, t := range w.timers {
			if t < at {
				at, which = t, i
			}
		}
		if len(w.queue) > 0 && w.queue[0].at <= at {
			in := w.queue[0].in
			w.now = max(w.now, w.queue[0].at)
			w.queue = w.queue[1:]
			w.hear(in)
			continue
		}
		if which < 0 {
			w.now = until
			return
		}
		w.now = max(w.now, at)
		w.timers[which] = kafka.Never
		w.step(&sim.Input{Kind: sim.InputTimer, Timer: sim.Timer{Owner: sim.OwnerProducer, Kind: uint8(which)}})
	}
}

// hear delivers an answer; a broken connection takes all its requests along.
func (w *trial) hear(in sim.Input) {
	if in.Kind == sim.InputResponse {
		w.open[in.From] = slices.DeleteFunc(w.open[in.From], func(m sim.Sent) bool { return m.Corr == in.Corr })
		w.step(&in)
		return
	}
	lost := w.open[in.From]
	w.open[in.From] = nil
	w.queue = slices.DeleteFunc(w.queue, func(a answer) bool { return a.in.From == in.From })
	for _, m := range lost {
		in.Corr = m.Corr
		w.step(&in)
	}
}

// TestDelivery checks what the producer promises against brokers that fail: all
// records are delivered; an idempotent producer neither duplicates nor reorders;
// one without keeps the order with one request in flight; acks tell the truth;
// memory comes back.
func TestDelivery(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 2))
		inFlight, idempotent := 1+rng.IntN(5), rng.IntN(3) > 0
		cfg := Config{ID: sim.FirstClient, Name: "app", Bootstrap: []sim.ActorID{1, 2, 3}, Seed: seed, Topic: "t", Partition: -1,
			RatePer1000s: int64(100+rng.IntN(900)) * 1000, Keys: int64(rng.IntN(2) * 20), ValueBytes: 40, Configs: []client.Setting{
				{Name: "max.in.flight.requests.per.connection", Value: strconv.Itoa(inFlight)},
				{Name: "enable.idempotence", Value: strconv.FormatBool(idempotent)},
				{Name: "linger.ms", Value: strconv.Itoa(rng.IntN(3) * 5)},
				{Name: "batch.size", Value: strconv.Itoa(200 + rng.IntN(2000))},
				{Name: "buffer.memory", Value: strconv.Itoa(20000 + rng.IntN(1000000))},
			}}
		t.Run(fmt.Sprintf("seed%d_inflight%d_idempotent%v", seed, inFlight, idempotent), func(t *testing.T) {
			w := deliver(t, cfg, seed)
			checkDelivery(t, w, idempotent, inFlight)
			if seed%6 == 0 {
				h1, h2 := sim.NewHash(), sim.NewHash()
				w.p.Digest(h1)
				deliver(t, cfg, seed).p.Digest(h2)
				if h1.Sum() != h2.Sum() {
					t.Fatal("the same run twice gives two digests")
				}
			}
		})
	}
}

func deliver(t *testing.T, cfg Config, seed uint64) *trial {
	p, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	w := &trial{u: newUnreliable(seed), p: p, timers: [2]kafka.Instant{kafka.Never, kafka.Never}}
	w.step(&sim.Input{Kind: sim.InputBoot})
	for s := range 20 {
		w.run(kafka.Instant(s) * kafka.Instant(500*kafka.Millisecond))
		i := w.u.rng.IntN(len(w.u.lead))
		w.u.lead[i], w.u.epoch[i] = int32(1+w.u.rng.IntN(3)), w.u.epoch[i]+1
		if s%5 == 0 { // the copy goes on, the original must not matter
			w.p = w.p.Fork()
		}
	}
	w.u.healed = true
	w.p.rate = 0
	w.p.startWork(w.now)
	w.run(w.now.Add(20 * kafka.Second))
	return w
}

func checkDelivery(t *testing.T, w *trial, idempotent bool, inFlight int) {
	p := w.p
	if p.Acked().Len() != p.Sent() || p.Failed().Len() != 0 {
		t.Fatalf("sent %d, acked %d, failed %d, queued %d, in flight %d, %v", p.Sent(), p.Acked().Len(), p.Failed().Len(), p.Queued(), p.InFlight(), p.Errors().List())
	}
	if p.acc.live != 0 || p.BufferFree() != p.opt.memory || p.Queued() != 0 || p.InFlight() != 0 {
		t.Fatalf("live batches %d, memory free %d, queued %d, in flight %d", p.acc.live, p.BufferFree(), p.Queued(), p.InFlight())
	}
	p.EachAck(func(tp kafka.TopicPartition, id int64, at kafka.Offset) bool {
		if w.u.logs[tp.Partition][at] != id {
			t.Fatalf("%s offset %d was acked for record %d and holds %d", tp, at, id, w.u.logs[tp.Partition][at])
		}
		return true
	})
	total, seen := int64(0), map[int64]bool{}
	for part, log := range w.u.logs {
		highest := int64(-1)
		for at, id := range log {
			if idempotent && seen[id] {
				t.Fatalf("partition %d offset %d: record %d again", part, at, id)
			}
			if (idempotent || inFlight == 1) && id < highest && !seen[id] {
				t.Fatalf("partition %d offset %d: record %d after %d", part, at, id, highest)
			}
			if !seen[id] {
				total++
			}
			seen[id], highest = true, max(highest, id)
		}
	}
	if total != p.Sent() {
		t.Fatalf("%d of %d records are in the logs", total, p.Sent())
	}
}
