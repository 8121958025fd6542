package script

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Env is a client and the cluster that it thinks it talks to.
type Env struct {
	Actor sim.Actor
	Now   kafka.Instant
	// Latency is what an answer takes, there and back.
	Latency kafka.Duration

	self        sim.ActorID
	brokers     []int32
	down        []int32
	topics      []topic
	coordinator int32
	noProducers bool // InitProducerId waits for the file
	producerID  int64

	timers  []timer
	arrive  []arrival // inputs on their way, by instant
	held    []request // waiting for the file to answer
	text    strings.Builder
	quiet   bool
	exited  bool
	serial  int
	ignored []trace.Kind
}

type topic struct {
	name    string
	leaders []int32
	epochs  []int32
}

type timer struct {
	name sim.Timer
	at   kafka.Instant
}

type arrival struct {
	at     kafka.Instant
	serial int
	in     sim.Input
}

type request struct {
	to   sim.ActorID
	ch   sim.Channel
	corr int32
	req  kmsg.Request
}

// New returns an Env for a client of that id, with brokers 1 to 3 and no topic.
func New(self sim.ActorID) *Env {
	return &Env{self: self, brokers: []int32{1, 2, 3}, coordinator: 1, producerID: 1000, Latency: 2 * kafka.Millisecond}
}

// Boot starts the client.
func (e *Env) Boot() { e.step(sim.Input{Kind: sim.InputBoot}) }

// Kill is what the kernel does when a process is killed: its timers and
// requests are gone.
func (e *Env) Kill() { e.timers, e.arrive, e.held = nil, nil, nil }

// Order gives the client an order.
func (e *Env) Order(o any) { e.step(sim.Input{Kind: sim.InputCommand, Command: o}) }

// Run lets time pass: timers fire and answers arrive, up to and with until.
func (e *Env) Run(until kafka.Instant) {
	for events := 0; ; events++ {
		if events > 200_000 {
			panic("script: the client does not come to rest at " + e.Now.String())
		}
		t := slices.MinFunc(append(slices.Clone(e.timers), timer{at: kafka.Never}), func(a, b timer) int { return cmp.Compare(a.at, b.at) })
		a := kafka.Never
		if len(e.arrive) > 0 {
			a = e.arrive[0].at
		}
		if min(t.at, a) > until {
			break
		}
		if a <= t.at {
			in := e.arrive[0].in
			e.arrive = slices.Delete(e.arrive, 0, 1)
			e.Now = max(e.Now, a)
			e.step(in)
			continue
		}
		e.timers = slices.DeleteFunc(e.timers, func(x timer) bool { return x.name == t.name })
		e.Now = max(e.Now, t.at)
		e.step(sim.Input{Kind: sim.InputTimer, Timer: t.name})
	}
	e.Now = max(e.Now, until)
}

// step gives the client one input and takes what it wants done.
func (e *Env) step(in sim.Input) {
	if e.exited && in.Kind != sim.InputBoot {
		return
	}
	e.exited = false
	out := sim.NewOut(e.Now, e.self)
	e.Actor.Step(e.Now, &in, out)
	for _, n := range out.Notes() {
		if !e.quiet && !slices.Contains(e.ignored, n.Kind) {
			e.printf("%s", n.Text())
		}
	}
	for _, t := range out.Timers() {
		e.timers = slices.DeleteFunc(e.timers, func(x timer) bool { return x.name == t.Timer })
		if t.At != kafka.Never {
			e.timers = append(e.timers, timer{t.Timer, t.At})
		}
	}
	for _, m := range out.Messages() {
		e.sent(m)
	}
	if out.Exited() {
		e.exited = true
		e.timers, e.arrive, e.held = nil, nil, nil
		e.printf("exit")
	}
}

func (e *Env) printf(format string, args ...any) {
	fmt.Fprintf(&e.text, "%s  %s\n", instant(e.Now), fmt.Sprintf(format, args...))
}

func instant(t kafka.Instant) string {
	us := int64(t) / int64(kafka.Microsecond)
	return strconv.FormatInt(us/1000, 10) + "." + strconv.FormatInt(1000+us%1000, 10)[1:] + "ms"
}

// Take returns what was printed since the last time.
func (e *Env) Take() string {
	s := e.text.String()
	e.text.Reset()
	if s == "" {
		return "(nothing)\n"
	}
	return s
}

// sent answers a request, or holds it for the file.
func (e *Env) sent(m sim.Sent) {
	r := request{m.To, m.Channel, m.Corr, m.Request}
	if slices.Contains(e.down, int32(m.To)) {
		e.fail(r, sim.ReasonRefused)
		return
	}
	switch q := m.Request.(type) {
	case *kmsg.ApiVersionsRequest:
		e.reply(r, q.ResponseKind())
		return
	case *kmsg.MetadataRequest:
		e.reply(r, e.metadata(q))
		return
	case *kmsg.FindCoordinatorRequest:
		resp := q.ResponseKind().(*kmsg.FindCoordinatorResponse)
		resp.Coordinators = []kmsg.FindCoordinatorResponseCoordinator{{Key: q.CoordinatorKeys[0], NodeID: e.coordinator}}
		e.reply(r, resp)
		return
	case *kmsg.InitProducerIDRequest:
		if !e.noProducers {
			resp := q.ResponseKind().(*kmsg.InitProducerIDResponse)
			resp.ProducerID = e.producerID
			e.producerID++
			e.reply(r, resp)
			return
		}
	}
	if m.OneWay {
		e.printf("-> %s %s one way", trace.NodeName(m.To.Node()), describe(m.Request))
		return
	}
	e.printf("-> %s #%d %s", trace.NodeName(m.To.Node()), m.Corr, describe(m.Request))
	e.held = append(e.held, r)
}

func (e *Env) reply(r request, resp kmsg.Response) {
	resp.SetVersion(r.req.GetVersion())
	e.deliver(sim.Input{Kind: sim.InputResponse, From: r.to, Channel: r.ch, Corr: r.corr, Response: resp})
}

func (e *Env) fail(r request, why sim.Reason) {
	e.deliver(sim.Input{Kind: sim.InputDisconnected, From: r.to, Channel: r.ch, Corr: r.corr, Reason: why})
}

func (e *Env) deliver(in sim.Input) {
	e.serial++
	e.arrive = append(e.arrive, arrival{e.Now.Add(e.Latency), e.serial, in})
	slices.SortStableFunc(e.arrive, func(a, b arrival) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.serial, b.serial))
	})
}

func (e *Env) metadata(q *kmsg.MetadataRequest) kmsg.Response {
	resp := q.ResponseKind().(*kmsg.MetadataResponse)
	resp.ControllerID = e.brokers[0]
	for _, b := range e.brokers {
		if !slices.Contains(e.down, b) {
			resp.Brokers = append(resp.Brokers, kmsg.MetadataResponseBroker{NodeID: b, Host: "broker", Port: 9092})
		}
	}
	for i := range q.Topics {
		t := kmsg.NewMetadataResponseTopic()
		t.Topic, t.ErrorCode = q.Topics[i].Topic, int16(kafka.UnknownTopicOrPartition)
		if at := slices.IndexFunc(e.topics, func(x topic) bool { return x.name == *t.Topic }); at >= 0 {
			t.ErrorCode, t.TopicID = 0, topicID(*t.Topic)
			for p, l := range e.topics[at].leaders {
				part := kmsg.NewMetadataResponseTopicPartition()
				part.Partition, part.Leader, part.LeaderEpoch = int32(p), l, e.topics[at].epochs[p]
				if l < 0 {
					part.ErrorCode = int16(kafka.LeaderNotAvailable)
				}
				t.Partitions = append(t.Partitions, part)
			}
		}
		resp.Topics = append(resp.Topics, t)
	}
	return resp
}

// topicID makes an id out of a name, for a cluster of words.
func topicID(name string) (id [16]byte) {
	copy(id[:], name)
	return id
}

func topicName(id [16]byte) string { return strings.TrimRight(string(id[:]), "\x00") }
