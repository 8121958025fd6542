package controller

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// env runs one controller, with brokers that only exist as requests. Whatever
// it decides is committed at once, unless the file says "hold".
type env struct {
	t      *testing.T
	c      *Controller
	now    kafka.Instant
	timers map[sim.Timer]kafka.Instant
	hold   bool
	corr   int32
	silent map[kafka.NodeID]bool // brokers that send no heartbeats by themselves
	dirs   []kafka.NodeID        // log directories of who registers; nil: one
	b      strings.Builder
}

func TestInteraction(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		e := &env{t: t, timers: map[sim.Timer]kafka.Instant{}, silent: map[kafka.NodeID]bool{}}
		datadriven.RunTest(t, path, e.run)
	})
}

var verbs = map[string]func(*env, *args){
	"new": (*env).doNew, "register": (*env).doRegister, "heartbeat": (*env).doHeartbeat, "silent": (*env).doSilent,
	"run": (*env).doRun, "create": (*env).doCreate, "delete": (*env).doDelete, "partitions": (*env).doPartitions,
	"alter": (*env).doAlter, "elect": (*env).doElect, "config": (*env).doConfig, "describe": (*env).doDescribe,
	"hold": (*env).doHold, "commit": (*env).doCommit, "producer-ids": (*env).doProducerIDs,
	"reassign": (*env).doReassign, "reassignments": (*env).doReassignments,
	"assign-dirs": (*env).doAssignDirs,
}

func (e *env) run(t *testing.T, d *datadriven.TestData) string {
	e.b.Reset()
	verb, ok := verbs[d.Cmd]
	if !ok {
		d.Fatalf(t, "unknown verb %s", d.Cmd)
	}
	a := &args{d: d, t: t, used: map[string]bool{}}
	verb(e, a)
	a.finish()
	if e.c != nil {
		before := sum(e.c)
		if clone := e.c.Clone(); sum(clone) != before {
			t.Fatal("a clone has another digest")
		}
	}
	return e.b.String()
}

func sum(c *Controller) uint64 {
	h := sim.NewHash()
	c.Digest(h)
	return h.Sum()
}

// args reads a directive's arguments; one that nobody asked for is an error.
type args struct {
	d    *datadriven.TestData
	t    *testing.T
	used map[string]bool
}

func (a *args) get(key, def string) string {
	a.used[key] = true
	for _, arg := range a.d.CmdArgs {
		if arg.Key == key {
			return strings.Join(arg.Vals, ",")
		}
	}
	return def
}

func (a *args) has(key string) bool {
	a.used[key] = true
	return slices.ContainsFunc(a.d.CmdArgs, func(c datadriven.CmdArg) bool { return c.Key == key })
}

func (a *args) num(key string, def int64) int64 {
	n, err := strconv.ParseInt(a.get(key, strconv.FormatInt(def, 10)), 10, 64)
	if err != nil {
		a.d.Fatalf(a.t, "%s: %v", key, err)
	}
	return n
}

func (a *args) time(key string) kafka.Instant {
	s := a.get(key, "")
	for _, u := range []struct {
		name string
		size kafka.Duration
	}{{"ms", kafka.Millisecond}, {"s", kafka.Second}, {"m", kafka.Minute}} {
		if n, err := strconv.ParseInt(strings.TrimSuffix(s, u.name), 10, 64); err == nil && strings.HasSuffix(s, u.name) {
			return kafka.Instant(n) * kafka.Instant(u.size)
		}
	}
	a.d.Fatalf(a.t, "%s: bad time %q", key, s)
	return 0
}

// partition reads "topic-0".
func (a *args) partition(key string) (string, int32) {
	s := a.get(key, "")
	i := strings.LastIndexByte(s, '-')
	n, err := strconv.Atoi(s[i+1:])
	if i < 0 || err != nil {
		a.d.Fatalf(a.t, "%s: bad partition %q", key, s)
	}
	return s[:i], int32(n)
}

// rest returns the arguments with a dot in their name, or a plain one that is a
// config too, as configs.
func (a *args) configs() (l []metadata.ConfigValue) {
	for _, arg := range a.d.CmdArgs {
		if strings.Contains(arg.Key, ".") || arg.Key == "preallocate" {
			a.used[arg.Key] = true
			l = append(l, metadata.ConfigValue{Name: arg.Key, Value: strings.Join(arg.Vals, ",")})
		}
	}
	return l
}

func (a *args) finish() {
	for _, arg := range a.d.CmdArgs {
		if !a.used[arg.Key] {
			a.d.Fatalf(a.t, "argument %s is not used", arg.Key)
		}
	}
}

func (e *env) say(format string, v ...any) { fmt.Fprintf(&e.b, format+"\n", v...) }

// step gives the controller one input.
func (e *env) step(f func(out *sim.Out)) {
	out := sim.NewOut(e.now, sim.ActorID(e.c.cfg.ID))
	f(out)
	e.apply(out)
	if !e.hold {
		e.commit()
	}
}

func (e *env) commit() {
	e.c.TakeRecords()
	out := sim.NewOut(e.now, sim.ActorID(e.c.cfg.ID))
	e.c.Committed(e.c.NextOffset(), out)
	e.apply(out)
}

// apply prints notes and responses and keeps timers.
func (e *env) apply(out *sim.Out) {
	for _, n := range out.Notes() {
		e.say("%v %s", e.now, n.Text())
	}
	for _, s := range out.Timers() {
		if s.At == kafka.Never {
			delete(e.timers, s.Timer)
		} else {
			e.timers[s.Timer] = s.At
		}
	}
	for _, m := range out.Messages() {
		e.response(m.Response)
	}
}

// request sends a request as a broker or client would.
func (e *env) request(req kmsg.Request) {
	e.corr++
	e.step(func(out *sim.Out) {
		e.c.Step(e.now, &sim.Input{Kind: sim.InputRequest, Channel: sim.ChanControl, Conn: 1, Corr: e.corr, Request: req}, out)
	})
}

// quiet are answers that every heartbeat gets.
func quiet(r *kmsg.BrokerHeartbeatResponse) bool {
	return r.ErrorCode == 0 && !r.IsFenced && !r.ShouldShutdown
}

func failed(code int16, msg *string) string {
	s := kafka.ErrorCode(code).String()
	if msg != nil {
		s += ": " + *msg
	}
	return s
}

func (e *env) response(resp kmsg.Response) {
	switch r := resp.(type) {
	case *kmsg.BrokerRegistrationResponse:
		e.say("-> %s broker epoch %d", kafka.ErrorCode(r.ErrorCode), r.BrokerEpoch)
	case *kmsg.BrokerHeartbeatResponse:
		if !quiet(r) {
			e.say("-> %s caught-up=%t fenced=%t shutdown=%t", kafka.ErrorCode(r.ErrorCode), r.IsCaughtUp, r.IsFenced, r.ShouldShutdown)
		}
	case *kmsg.AlterPartitionResponse:
		if r.ErrorCode != 0 {
			e.say("-> %s", kafka.ErrorCode(r.ErrorCode))
		}
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				e.say("-> %d %s leader %d epoch %d isr %s recovery %d partition epoch %d", p.Partition, kafka.ErrorCode(p.ErrorCode),
					p.LeaderID, p.LeaderEpoch, nodes(nodeIDs(p.ISR)), p.LeaderRecoveryState, p.PartitionEpoch)
			}
		}
	case *kmsg.CreateTopicsResponse:
		for _, t := range r.Topics {
			e.say("-> %s %s partitions=%d rf=%d", t.Topic, failed(t.ErrorCode, t.ErrorMessage), t.NumPartitions, t.ReplicationFactor)
		}
	case *kmsg.DeleteTopicsResponse:
		for _, t := range r.Topics {
			e.say("-> %s %s", *t.Topic, failed(t.ErrorCode, t.ErrorMessage))
		}
	case *kmsg.CreatePartitionsResponse:
		for _, t := range r.Topics {
			e.say("-> %s %s", t.Topic, failed(t.ErrorCode, t.ErrorMessage))
		}
	case *kmsg.IncrementalAlterConfigsResponse:
		for _, t := range r.Resources {
			e.say("-> %q %s", t.ResourceName, failed(t.ErrorCode, t.ErrorMessage))
		}
	case *kmsg.ElectLeadersResponse:
		e.say("-> %s", kafka.ErrorCode(r.ErrorCode))
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				e.say("-> %s-%d %s", t.Topic, p.Partition, failed(p.ErrorCode, p.ErrorMessage))
			}
		}
	case *kmsg.AlterPartitionAssignmentsResponse:
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				e.say("-> %s-%d %s", t.Topic, p.Partition, failed(p.ErrorCode, p.ErrorMessage))
			}
		}
	case *kmsg.ListPartitionReassignmentsResponse:
		e.say("-> %s, %d topics", kafka.ErrorCode(r.ErrorCode), len(r.Topics))
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				e.say("-> %s-%d replicas %s adding %s removing %s", t.Topic, p.Partition,
					nodes(nodeIDs(p.Replicas)), nodes(nodeIDs(p.AddingReplicas)), nodes(nodeIDs(p.RemovingReplicas)))
			}
		}
	case *kmsg.AssignReplicasToDirsResponse:
		e.say("-> %s", kafka.ErrorCode(r.ErrorCode))
		for _, d := range r.Directories {
			for _, t := range d.Topics {
				for _, p := range t.Partitions {
					e.say("-> %d %s", p.Partition, kafka.ErrorCode(p.ErrorCode))
				}
			}
		}
	case *kmsg.AllocateProducerIDsResponse:
		e.say("-> %s from %d, %d of them", kafka.ErrorCode(r.ErrorCode), r.ProducerIDStart, r.ProducerIDLen)
	default:
		e.t.Fatalf("response %T", resp)
	}
}

// runTo lets time pass: timers fire, and brokers that are not silent send their
// heartbeat every 2 s.
func (e *env) runTo(end kafka.Instant) {
	type due struct {
		at    kafka.Instant
		timer sim.Timer
	}
	next := e.now.Add(2 * kafka.Second)
	for {
		var l []due
		for t, at := range e.timers { // sorted below
			l = append(l, due{at, t})
		}
		slices.SortFunc(l, func(a, b due) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.timer.Kind, b.timer.Kind)) })
		if len(l) > 0 && l[0].at <= min(end, next) {
			e.now = l[0].at
			delete(e.timers, l[0].timer)
			e.step(func(out *sim.Out) { e.c.Step(e.now, &sim.Input{Kind: sim.InputTimer, Timer: l[0].timer}, out) })
			continue
		}
		if next > end {
			e.now = end
			return
		}
		e.now = next
		next = next.Add(2 * kafka.Second)
		for _, b := range slices.Clone(e.c.Head().Brokers) {
			if !b.Fenced && !e.silent[b.ID] {
				e.beat(b.ID, func(*kmsg.BrokerHeartbeatRequest) {})
			}
		}
	}
}

func (e *env) beat(id kafka.NodeID, change func(*kmsg.BrokerHeartbeatRequest)) {
	req := kmsg.NewPtrBrokerHeartbeatRequest()
	req.Version = 1
	req.BrokerID = int32(id)
	if b := e.c.Head().Broker(id); b != nil {
		req.BrokerEpoch = int64(b.Epoch)
	}
	req.CurrentMetadataOffset = int64(e.c.Stable().Offset)
	change(req)
	e.request(req)
}
