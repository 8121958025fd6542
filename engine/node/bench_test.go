package node_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/node"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/sim/net"
)

// load is a client without Kafka's client logic: it sends what the reference
// cluster's producer does, batches of a 5 ms linger, or reads everything in
// fetch sessions.
type load struct {
	id      kafka.TopicID
	leaders []sim.ActorID // by partition
	produce bool
	rand    sim.Rand
	corr    int32
	reading []reading
}

// reading is a fetch session with one broker.
type reading struct {
	broker  sim.ActorID
	session int32
	epoch   int32
	offsets []int64 // by partition
}

func (l *load) Step(now kafka.Instant, in *sim.Input, out *sim.Out) {
	switch {
	case in.Kind == sim.InputCommand:
		*l = *in.Command.(*load)
		if l.produce {
			l.batch(out)
			return
		}
		for i := range l.reading {
			l.fetch(&l.reading[i], nil, out)
		}
	case in.Kind == sim.InputTimer:
		l.batch(out)
	case in.Kind == sim.InputResponse && !l.produce:
		resp := in.Response.(*kmsg.FetchResponse)
		i := slices.IndexFunc(l.reading, func(r reading) bool { return r.broker == in.From })
		r := &l.reading[i]
		r.session = resp.SessionID
		r.epoch++
		l.fetch(r, resp, out)
	}
}

// batch sends the records of 5 ms, keyed at random, to their leaders.
func (l *load) batch(out *sim.Out) {
	out.After(sim.Timer{Owner: sim.OwnerProducer}, 5*kafka.Millisecond)
	count := make([]int, 12)
	for range 5 {
		count[l.rand.IntN(12)]++
	}
	for b := sim.ActorID(1); b <= 3; b++ {
		req := &kmsg.ProduceRequest{Version: 13, Acks: -1, TimeoutMillis: 30000}
		topic := kmsg.ProduceRequestTopic{TopicID: l.id}
		for p, n := range count {
			if n == 0 || l.leaders[p] != b {
				continue
			}
			s := record.BatchSpec{}
			for range n {
				s.Records = append(s.Records, record.Record{Timestamp: out.Now().UnixMilli(), Value: value})
			}
			topic.Partitions = append(topic.Partitions, kmsg.ProduceRequestTopicPartition{Partition: int32(p), Records: record.Build(s)})
		}
		if len(topic.Partitions) == 0 {
			continue
		}
		req.Topics = []kmsg.ProduceRequestTopic{topic}
		l.corr++
		out.Send(b, sim.ChanClient, l.corr, req, 30*kafka.Second)
	}
}

var value = make([]byte, 100)

// fetch sends the next request of a session; it names what the last response
// had data for.
func (l *load) fetch(r *reading, resp *kmsg.FetchResponse, out *sim.Out) {
	req := kmsg.NewPtrFetchRequest()
	req.Version, req.MaxWaitMillis, req.MinBytes, req.SessionID, req.SessionEpoch = 18, 500, 1, r.session, r.epoch
	topic := kmsg.FetchRequestTopic{TopicID: l.id}
	name := func(p int32) {
		fp := kmsg.NewFetchRequestTopicPartition()
		fp.Partition, fp.FetchOffset, fp.PartitionMaxBytes = p, r.offsets[p], 1<<20
		topic.Partitions = append(topic.Partitions, fp)
	}
	if resp == nil {
		for p := range int32(12) {
			if l.leaders[p] == r.broker {
				name(p)
			}
		}
	} else {
		for _, t := range resp.Topics {
			for _, p := range t.Partitions {
				for rest := p.RecordBatches; len(rest) > 0; {
					raw, _ := record.Frame(rest)
					r.offsets[p.Partition] = int64(raw.NextOffset())
					rest = rest[len(raw):]
				}
				if len(p.RecordBatches) > 0 {
					name(p.Partition)
				}
			}
		}
	}
	if len(topic.Partitions) > 0 {
		req.Topics = []kmsg.FetchRequestTopic{topic}
	}
	l.corr++
	out.Send(r.broker, sim.ChanClient, l.corr, req, 30*kafka.Second)
}

func (l *load) Clone() sim.Actor {
	c := *l
	c.reading = slices.Clone(l.reading)
	for i := range c.reading {
		c.reading[i].offsets = slices.Clone(c.reading[i].offsets)
	}
	return &c
}
func (l *load) Digest(h *sim.Hash) { h.Int(int64(l.corr)) }

// newLoad boots 3 brokers with that many partitions and 3 consumers and a
// producer on the first 12 of them.
func newLoad(b *testing.B, partitions int) *sim.Kernel {
	k := sim.New(1, kafka.Instant(-60*kafka.Second), net.Quality{Latency: kafka.Millisecond})
	ctl := node.NewController(node.ControllerSpec{ID: 101, Voters: []kafka.NodeID{101}, Seed: 1})
	k.Add(101, "controller-101", ctl)
	k.Start(101, 0)
	for i := range 3 {
		k.Add(sim.ActorID(i+1), fmt.Sprint("broker-", i+1), node.NewBroker(node.BrokerSpec{ID: kafka.NodeID(i + 1), Controllers: []kafka.NodeID{101}, Seed: 1}))
		k.Start(sim.ActorID(i+1), 0)
	}
	p := &probe{}
	k.Add(probeID, "probe", p)
	k.Start(probeID, 0)
	run(k, 0)
	k.Order(probeID, call{name: "create", to: 1, req: &kmsg.CreateTopicsRequest{Version: 7, TimeoutMillis: 30000, Topics: []kmsg.CreateTopicsRequestTopic{
		{Topic: "t", NumPartitions: int32(partitions), ReplicationFactor: 3}}}}, 0)
	run(k, kafka.Instant(2*kafka.Second))
	t := ctl.Image().Topic("t")
	if t == nil {
		b.Fatal(p.got)
	}
	for i := range 4 {
		l := &load{id: t.ID, produce: i == 0, rand: sim.NewRand(1, "load")}
		for _, part := range t.Partitions {
			l.leaders = append(l.leaders, sim.ActorID(part.Leader))
		}
		for n := range 3 {
			l.reading = append(l.reading, reading{broker: sim.ActorID(n + 1), offsets: make([]int64, partitions)})
		}
		k.Add(probeID+1+sim.ActorID(i), fmt.Sprint("load-", i), &load{})
		k.Start(probeID+1+sim.ActorID(i), 0)
		k.Order(probeID+1+sim.ActorID(i), l, 0)
	}
	run(k, kafka.Instant(5*kafka.Second))
	return k
}

func run(k *sim.Kernel, until kafka.Instant) {
	for {
		next, ok := k.Next()
		if !ok || next > until {
			k.AdvanceTo(until)
			return
		}
		k.Step()
	}
}

func benchmarkLoad(b *testing.B, partitions int) {
	k := newLoad(b, partitions)
	events, start := k.Events(), k.Now()
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		run(k, k.Now().Add(kafka.Second))
	}
	b.StopTimer()
	spent := b.Elapsed().Seconds()
	b.ReportMetric(float64(k.Now().Sub(start))/1e9/spent, "x-real-time")
	b.ReportMetric(spent*1e9/float64(k.Events()-events), "ns/event")
	b.ReportMetric(float64(k.Events()-events)/float64(b.N), "events/s")
}

// BenchmarkLoad12 prints what the brokers of the reference cluster cost, with
// clients that cost next to nothing. One op is one virtual second.
func BenchmarkLoad12(b *testing.B) { benchmarkLoad(b, 12) }

// BenchmarkLoad1000 has the same load beside many idle partitions: ns/event
// must stay within 1.5 times BenchmarkLoad12's.
func BenchmarkLoad1000(b *testing.B) { benchmarkLoad(b, 1000) }

// BenchmarkClone prints what a snapshot costs, with a virtual 100 ms of changes
// between two of them.
func BenchmarkClone(b *testing.B) {
	k := newLoad(b, 12)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		_ = k.Clone()
		b.StopTimer()
		run(k, k.Now().Add(100*kafka.Millisecond))
		b.StartTimer()
	}
}
