package producer

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// wire answers a producer's requests after a fixed time, with no more work than
// that, so that a benchmark measures the producer.
type wire struct {
	p      *Producer
	now    kafka.Instant
	out    *sim.Out
	timers [2]kafka.Instant
	queue  []answer
	base   int64
	steps  int
}

type answer struct {
	at kafka.Instant
	in sim.Input
}

func newWire(p *Producer) *wire {
	return &wire{p: p, out: sim.NewOut(0, p.ID()), timers: [2]kafka.Instant{kafka.Never, kafka.Never}}
}

func (w *wire) step(in *sim.Input) {
	w.steps++
	w.out.Reset(w.now, w.p.ID())
	w.p.Step(w.now, in, w.out)
	for _, t := range w.out.Timers() {
		w.timers[t.Timer.Kind] = t.At
	}
	for _, m := range w.out.Messages() {
		w.queue = append(w.queue, answer{w.now.Add(3 * kafka.Millisecond),
			sim.Input{Kind: sim.InputResponse, From: m.To, Channel: m.Channel, Corr: m.Corr, Response: w.answer(m.Request)}})
	}
}

func (w *wire) answer(req kmsg.Request) kmsg.Response {
	switch q := req.(type) {
	case *kmsg.MetadataRequest:
		r := &kmsg.MetadataResponse{}
		for n := range int32(3) {
			r.Brokers = append(r.Brokers, kmsg.MetadataResponseBroker{NodeID: n + 1})
		}
		for i := range q.Topics {
			t := kmsg.MetadataResponseTopic{Topic: q.Topics[i].Topic, TopicID: [16]byte{1}}
			for p := range int32(12) {
				t.Partitions = append(t.Partitions, kmsg.MetadataResponseTopicPartition{Partition: p, Leader: p%3 + 1})
			}
			r.Topics = append(r.Topics, t)
		}
		return r
	case *kmsg.InitProducerIDRequest:
		return &kmsg.InitProducerIDResponse{ProducerID: 7}
	case *kmsg.ProduceRequest:
		r := &kmsg.ProduceResponse{}
		for i := range q.Topics {
			t := kmsg.ProduceResponseTopic{TopicID: q.Topics[i].TopicID}
			for _, p := range q.Topics[i].Partitions {
				w.base += 10
				t.Partitions = append(t.Partitions, kmsg.ProduceResponseTopicPartition{Partition: p.Partition, BaseOffset: w.base})
			}
			r.Topics = append(r.Topics, t)
		}
		return r
	}
	return &kmsg.ApiVersionsResponse{}
}

func (w *wire) run(until kafka.Instant) {
	for {
		at, which := until.Add(1), -1
		for i, t := range w.timers {
			if t < at {
				at, which = t, i
			}
		}
		if len(w.queue) > 0 && w.queue[0].at <= at {
			w.now = max(w.now, w.queue[0].at)
			in := w.queue[0].in
			w.queue = w.queue[1:]
			w.step(&in)
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

// BenchmarkSecond is one virtual second of 1,000 records over 12 partitions and
// 3 brokers with acks=all, answers included.
func BenchmarkSecond(b *testing.B) {
	p, err := New(Config{ID: sim.FirstClient, Name: "app", Bootstrap: []sim.ActorID{1, 2, 3}, Seed: 1, Topic: "load", Partition: -1,
		RatePer1000s: 1_000_000, Keys: 100, ValueBytes: 100, Configs: []client.Setting{{Name: "acks", Value: "all"}}})
	if err != nil {
		b.Fatal(err)
	}
	w := newWire(p)
	w.step(&sim.Input{Kind: sim.InputBoot})
	w.run(kafka.Instant(kafka.Second))
	w.steps = 0
	b.ReportAllocs()
	for b.Loop() {
		w.run(w.now.Add(kafka.Second))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(w.steps), "ns/step")
	if p.Acked().Len() < p.Sent()-100 {
		b.Fatalf("only %d of %d acked", p.Acked().Len(), p.Sent())
	}
}

// BenchmarkClone is what a keyframe of the same producer costs.
func BenchmarkClone(b *testing.B) {
	p, _ := New(Config{ID: sim.FirstClient, Name: "app", Bootstrap: []sim.ActorID{1, 2, 3}, Seed: 1, Topic: "load", Partition: -1,
		RatePer1000s: 1_000_000, Keys: 100, ValueBytes: 100})
	w := newWire(p)
	w.step(&sim.Input{Kind: sim.InputBoot})
	w.run(kafka.Instant(600 * kafka.Second))
	b.ReportAllocs()
	for b.Loop() {
		_ = p.Clone()
	}
}
