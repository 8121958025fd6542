package consumer

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
	"github.com/highwater-sim/highwater/engine/sim/order"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const testParts = 6

// server is three brokers with growing logs and fetch sessions as KIP-227
// describes them: an incremental request changes the session's partitions, an
// incremental response has only those with something to say.
type server struct {
	t        *testing.T
	rng      *rand.Rand
	healed   bool
	lead     []int32
	epoch    []int32
	logs     [][]byte // batches of one record
	starts   [][]int  // position of each record's batch
	sessions [4]*fetchSession
	ids      int32
}

type fetchSession struct {
	id, epoch int32
	at        map[int32]int64 // fetch offset by partition
}

func (s *server) grow(p int) {
	n := len(s.starts[p])
	b := record.Build(record.BatchSpec{BaseOffset: kafka.Offset(n), LeaderEpoch: kafka.LeaderEpoch(s.epoch[p]),
		Records: []record.Record{{Timestamp: kafka.StartUnixMilli, Value: client.AppendIdentity(nil, "p"+strconv.Itoa(p), int64(n), 30)}}})
	s.starts[p] = append(s.starts[p], len(s.logs[p]))
	s.logs[p] = append(s.logs[p], b...)
}

// open brings the node's session up to the request and returns it, or says why not.
func (s *server) open(node sim.ActorID, q *kmsg.FetchRequest) (*fetchSession, kafka.ErrorCode) {
	f := s.sessions[node]
	if q.SessionEpoch == 0 {
		s.ids++
		f = &fetchSession{id: s.ids, at: map[int32]int64{}}
		s.sessions[node] = f
	} else {
		if f == nil || f.id != q.SessionID || !s.healed && s.rng.IntN(50) == 0 {
			s.sessions[node] = nil
			return nil, kafka.FetchSessionIDNotFound
		}
		if q.SessionEpoch != f.epoch {
			return nil, kafka.InvalidFetchSessionEpoch
		}
	}
	for i := range q.Topics {
		for _, p := range q.Topics[i].Partitions {
			f.at[p.Partition] = p.FetchOffset
		}
	}
	for i := range q.ForgottenTopics {
		for _, p := range q.ForgottenTopics[i].Partitions {
			if _, ok := f.at[p]; !ok {
				s.t.Errorf("broker-%d is told to forget partition %d, which its session does not have", node, p)
			}
			delete(f.at, p)
		}
	}
	f.epoch = q.SessionEpoch + 1
	return f, kafka.None
}

func (s *server) fetch(node sim.ActorID, q *kmsg.FetchRequest) (resp *kmsg.FetchResponse, any bool) {
	resp = &kmsg.FetchResponse{}
	f, code := s.open(node, q)
	if code != kafka.None {
		resp.ErrorCode = int16(code)
		return resp, true
	}
	resp.SessionID = f.id
	t := kmsg.FetchResponseTopic{TopicID: [16]byte{1}}
	for p := range int32(testParts) {
		at, ok := f.at[p]
		if !ok {
			continue
		}
		r := kmsg.NewFetchResponseTopicPartition()
		r.Partition = p
		end := int64(len(s.starts[p]))
		switch {
		case s.lead[p] != int32(node):
			r.ErrorCode = int16(kafka.NotLeaderOrFollower)
			if s.rng.IntN(2) == 0 {
				r.CurrentLeader.LeaderID, r.CurrentLeader.LeaderEpoch = s.lead[p], s.epoch[p]
			}
		case at < end:
			r.HighWatermark = end
			r.RecordBatches = s.logs[p][s.starts[p][at]:]
			if s.rng.IntN(3) == 0 && at+3 < end {
				r.RecordBatches = s.logs[p][s.starts[p][at]:s.starts[p][at+3]]
			}
		default:
			continue
		}
		t.Partitions = append(t.Partitions, r)
	}
	resp.Topics = append(resp.Topics, t)
	return resp, len(t.Partitions) > 0
}

// trial drives a consumer against them.
type trial struct {
	s     *server
	c     *Consumer
	now   kafka.Instant
	timer kafka.Instant
	queue []arrival
	open  [4][]sim.Sent
}

type arrival struct {
	at kafka.Instant
	in sim.Input
}

func (w *trial) step(in *sim.Input) {
	out := sim.NewOut(w.now, w.c.ID())
	w.c.Step(w.now, in, out)
	for _, t := range out.Timers() {
		w.timer = t.At
	}
	for _, m := range out.Messages() {
		w.open[m.To] = append(w.open[m.To], m)
		in := sim.Input{Kind: sim.InputResponse, From: m.To, Corr: m.Corr, Response: &kmsg.ApiVersionsResponse{}}
		wait := kafka.Duration(1+w.s.rng.IntN(5)) * kafka.Millisecond
		switch q := m.Request.(type) {
		case *kmsg.MetadataRequest:
			in.Response = w.s.metadata()
		case *kmsg.OffsetForLeaderEpochRequest:
			in.Response = w.s.endOf(q)
		case *kmsg.FetchRequest:
			resp, some := w.s.fetch(m.To, q)
			if !some {
				wait = 500 * kafka.Millisecond
			}
			in.Response = resp
		}
		if !w.s.healed && w.s.rng.IntN(60) == 0 {
			in = sim.Input{Kind: sim.InputDisconnected, From: m.To, Corr: m.Corr, Reason: sim.ReasonReset}
		}
		w.queue = append(w.queue, arrival{at: w.now.Add(wait), in: in})
		slices.SortStableFunc(w.queue, func(a, b arrival) int { return int(a.at - b.at) })
	}
}

func (s *server) metadata() kmsg.Response {
	r := &kmsg.MetadataResponse{}
	for n := range int32(3) {
		r.Brokers = append(r.Brokers, kmsg.MetadataResponseBroker{NodeID: n + 1})
	}
	name := "t"
	t := kmsg.MetadataResponseTopic{Topic: &name, TopicID: [16]byte{1}}
	for p := range s.lead {
		t.Partitions = append(t.Partitions, kmsg.MetadataResponseTopicPartition{Partition: int32(p), Leader: s.lead[p], LeaderEpoch: s.epoch[p]})
	}
	r.Topics = append(r.Topics, t)
	return r
}

func (s *server) endOf(q *kmsg.OffsetForLeaderEpochRequest) kmsg.Response {
	r := &kmsg.OffsetForLeaderEpochResponse{Topics: []kmsg.OffsetForLeaderEpochResponseTopic{{Topic: "t"}}}
	for _, p := range q.Topics[0].Partitions {
		a := kmsg.NewOffsetForLeaderEpochResponseTopicPartition()
		a.Partition, a.LeaderEpoch, a.EndOffset = p.Partition, p.LeaderEpoch, int64(len(s.starts[p.Partition]))
		r.Topics[0].Partitions = append(r.Topics[0].Partitions, a)
	}
	return r
}

func (w *trial) run(until kafka.Instant) {
	for {
		at := min(w.timer, until)
		if len(w.queue) > 0 && w.queue[0].at <= at {
			a := w.queue[0]
			w.queue = w.queue[1:]
			w.now = max(w.now, a.at)
			w.hear(a.in)
			continue
		}
		if w.timer > until {
			w.now = until
			return
		}
		w.now = max(w.now, w.timer)
		w.timer = kafka.Never
		w.step(&sim.Input{Kind: sim.InputTimer, Timer: sim.Timer{Owner: sim.OwnerConsumer}})
	}
}

func (w *trial) hear(in sim.Input) {
	if in.Kind == sim.InputResponse {
		w.open[in.From] = slices.DeleteFunc(w.open[in.From], func(m sim.Sent) bool { return m.Corr == in.Corr })
		w.step(&in)
		return
	}
	lost := w.open[in.From]
	w.open[in.From], w.s.sessions[in.From] = nil, nil
	w.queue = slices.DeleteFunc(w.queue, func(a arrival) bool { return a.in.From == in.From })
	for _, m := range lost {
		in.Corr = m.Corr
		w.step(&in)
	}
}

// TestSessions checks that a consumer reads every record exactly once and in
// order, whatever happens to its fetch sessions, connections and leaders, and
// that it never asks a session for what that does not have.
func TestSessions(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprintf("seed%d", seed), func(t *testing.T) {
			w := read(t, seed)
			total := int64(0)
			for p := range w.s.starts {
				n := int64(len(w.s.starts[p]))
				total += n
				if got := w.c.DeliveredFrom("p" + strconv.Itoa(p)); n > 0 && (got == nil || got.Len() != n) {
					a, _ := w.c.Partition(kafka.TopicPartition{Topic: "t", Partition: int32(p)})
					t.Errorf("partition %d: delivered %v of %d records; %+v", p, got, n, a)
				}
			}
			if w.c.Delivered() != total || w.c.Duplicates() != 0 || w.c.Reordered() != 0 {
				t.Errorf("delivered %d of %d, duplicates %d, reordered %d", w.c.Delivered(), total, w.c.Duplicates(), w.c.Reordered())
			}
			if seed%8 == 0 {
				h1, h2 := sim.NewHash(), sim.NewHash()
				w.c.Digest(h1)
				read(t, seed).c.Digest(h2)
				if h1.Sum() != h2.Sum() {
					t.Error("the same run twice gives two digests")
				}
			}
		})
	}
}

func read(t *testing.T, seed uint64) *trial {
	rng := rand.New(rand.NewPCG(seed, 3))
	s := &server{t: t, rng: rng, logs: make([][]byte, testParts), starts: make([][]int, testParts)}
	for p := range int32(testParts) {
		s.lead, s.epoch = append(s.lead, p%3+1), append(s.epoch, 0)
	}
	c, err := New(Config{ID: sim.FirstClient, Name: "c1", Bootstrap: []sim.ActorID{1, 2, 3}, Seed: seed, From: "0",
		Assign: []kafka.TopicPartition{{Topic: "t", Partition: -1}}, Work: kafka.Duration(rng.IntN(3)) * kafka.Millisecond,
		Configs: []client.Setting{{Name: "max.poll.records", Value: strconv.Itoa(1 + rng.IntN(20))}}})
	if err != nil {
		t.Fatal(err)
	}
	w := &trial{s: s, c: c, timer: kafka.Never}
	w.step(&sim.Input{Kind: sim.InputBoot})
	for i := range 400 {
		w.run(w.now.Add(kafka.Duration(rng.IntN(40)) * kafka.Millisecond))
		for range rng.IntN(8) {
			s.grow(rng.IntN(testParts))
		}
		if i%10 == 0 {
			p := rng.IntN(testParts)
			s.lead[p], s.epoch[p] = int32(1+rng.IntN(3)), s.epoch[p]+1
		}
		if i%50 == 0 { // the copy goes on, the original must not matter
			w.c = w.c.Fork()
		}
		if i == 200 || i == 230 {
			w.step(&sim.Input{Kind: sim.InputCommand, Command: order.Pause{On: i == 200}})
		}
	}
	s.healed = true
	w.run(w.now.Add(60 * kafka.Second))
	return w
}
