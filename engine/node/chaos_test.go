package node_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
)

// chaos runs a cluster through random faults and checks at every turn that no
// committed record changes, and at the end, healed, that all replicas agree
// and every acknowledged record is there once. With power losses and unclean
// elections only agreement is demanded.
type chaos struct {
	power bool
	*cluster
	t         *testing.T
	rand      sim.Rand
	n         int
	sent      map[string]kafka.TopicPartition
	acked     map[string]kafka.TopicPartition
	committed map[kafka.TopicPartition][]string // values below some leader's high watermark
	log       []string
}

const chaosPartitions = 3

func TestChaos(t *testing.T) {
	seeds := 6
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { runChaos(t, uint64(seed), false) })
		t.Run(fmt.Sprint("power ", seed), func(t *testing.T) { runChaos(t, uint64(seed), true) })
	}
}

func runChaos(t *testing.T, seed uint64, power bool) {
	configs := []metadata.ConfigValue{{Name: "replica.lag.time.max.ms", Value: "4000"}}
	if power {
		configs = append(configs, metadata.ConfigValue{Name: "unclean.leader.election.enable", Value: "true"})
	}
	c := &chaos{
		power:   power,
		cluster: newCluster(t, 3, configs), t: t, rand: sim.NewRand(seed, "chaos"),
		sent: map[string]kafka.TopicPartition{}, acked: map[string]kafka.TopicPartition{},
		committed: map[kafka.TopicPartition][]string{},
	}
	c.runUntil(0)
	two := "2"
	c.call("create", 1, &kmsg.CreateTopicsRequest{Version: 7, TimeoutMillis: 30000, Topics: []kmsg.CreateTopicsRequestTopic{{
		Topic: "t", NumPartitions: chaosPartitions, ReplicationFactor: 3,
		Configs: []kmsg.CreateTopicsRequestTopicConfig{{Name: "min.insync.replicas", Value: &two}},
	}}})
	c.runUntil(kafka.Instant(2 * kafka.Second))
	for range 250 {
		c.act()
		c.runUntil(c.k.Now().Add(kafka.Duration(c.rand.IntN(int64(2 * kafka.Second)))))
		c.check()
	}
	c.settle()
}

// act does one thing: mostly a record, sometimes a fault or its end.
func (c *chaos) act() {
	b := sim.ActorID(1 + c.rand.IntN(3))
	peer := sim.ActorID(1 + (int64(b)+c.rand.IntN(2))%3)
	switch c.rand.IntN(48) {
	case 0:
		c.say("crash %d", b)
		power := c.power && c.rand.IntN(2) == 0
		c.brokers[b-1].Crash(c.k.Now(), power)
		c.k.Kill(b, power, 0)
	case 1, 2, 3:
		if !c.k.Up(b) {
			c.say("start %d", b)
			c.k.Start(b, 0)
		}
	case 4:
		c.say("cut %d %d", b, peer)
		c.k.Cut(b, peer)
		if c.rand.IntN(2) == 0 {
			c.k.Cut(peer, b)
		}
	case 5:
		c.say("cut %d from the controller", b)
		c.k.Cut(b, 101)
	case 6, 7, 8:
		c.say("heal %d", b)
		for _, o := range []sim.ActorID{1, 2, 3, 101} {
			if o != b {
				c.k.Heal(b, o)
				c.k.Heal(o, b)
			}
		}
	case 9:
		c.say("freeze %d", b)
		c.k.Freeze(b)
	case 10, 11:
		if c.k.Frozen(b) {
			c.say("thaw %d", b)
			c.k.Thaw(b)
		}
	default:
		c.send()
	}
}

func (c *chaos) say(format string, args ...any) {
	c.log = append(c.log, fmt.Sprintf("%v ", c.k.Now())+fmt.Sprintf(format, args...))
}

// send produces a record with acks=all to who leads by the controller, or to
// anybody.
func (c *chaos) send() {
	tp := kafka.TopicPartition{Topic: "t", Partition: int32(c.rand.IntN(chaosPartitions))}
	to := c.leader(tp)
	if to == kafka.NoNode || c.rand.IntN(8) == 0 {
		to = kafka.NodeID(1 + c.rand.IntN(3))
	}
	c.n++
	v := fmt.Sprintf("r%d", c.n)
	c.sent[v] = tp
	c.say("send %s to %d: %v", v, to, tp)
	req := &kmsg.ProduceRequest{Version: 13, Acks: -1, TimeoutMillis: 5000}
	req.Topics = []kmsg.ProduceRequestTopic{{TopicID: c.topicID("t"), Partitions: []kmsg.ProduceRequestTopicPartition{{
		Partition: tp.Partition,
		Records:   record.Build(record.BatchSpec{Records: []record.Record{{Timestamp: c.k.Now().UnixMilli(), Value: []byte(v)}}}),
	}}}}
	c.call(v, to, req)
}

// values lists a replica's records, in order.
func (c *chaos) values(n int, tp kafka.TopicPartition, upTo kafka.Offset) (out []string) {
	l := c.brokers[n].Dir().Get(tp)
	for b := range l.Batches(0) {
		for r, err := range record.Records(b.Raw) {
			if err != nil {
				c.fail("%v", err)
			}
			if r.Offset < upTo {
				out = append(out, string(r.Value))
			}
		}
	}
	return out
}

// check compares what is committed with what was.
func (c *chaos) check() {
	for _, g := range c.probe.got {
		if w := strings.Fields(g); len(w) > 3 && strings.Contains(w[3], ":NONE") {
			c.acked[w[1]] = c.sent[w[1]]
		}
	}
	c.probe.got = nil
	for p := range int32(chaosPartitions) {
		tp := kafka.TopicPartition{Topic: "t", Partition: p}
		for n := range c.brokers {
			m := c.brokers[n].Broker()
			if m == nil {
				continue
			}
			r, ok := m.Replica(tp)
			if !ok {
				continue
			}
			if r.HW > r.Log.LEO() || r.HW < r.Log.LogStart() {
				c.fail("%v on %d: high watermark %d outside %d..%d", tp, n+1, r.HW, r.Log.LogStart(), r.Log.LEO())
			}
			got := c.values(n, tp, r.HW)
			known := c.committed[tp]
			for i := range min(len(got), len(known)) {
				if got[i] != known[i] && !c.power {
					c.fail("%v on %d: offset %d was committed as %s and is now %s", tp, n+1, i, known[i], got[i])
				}
			}
			if len(got) > len(known) {
				c.committed[tp] = got
			}
		}
	}
}

// settle heals everything and demands agreement.
func (c *chaos) settle() {
	c.say("settle")
	for _, a := range []sim.ActorID{1, 2, 3, 101} {
		for _, b := range []sim.ActorID{1, 2, 3, 101} {
			if a != b {
				c.k.Heal(a, b)
			}
		}
		if c.k.Frozen(a) {
			c.k.Thaw(a)
		}
		if !c.k.Up(a) {
			c.k.Start(a, 0)
		}
	}
	c.notes = nil
	for range 3 { // who gives up, because it could not register in its first minute, starts again
		c.runUntil(c.k.Now().Add(10 * kafka.Second))
		for _, a := range []sim.ActorID{1, 2, 3, 101} {
			c.k.Start(a, 0)
		}
	}
	c.runUntil(c.k.Now().Add(400 * kafka.Second)) // the unclean check comes every 300 s
	for i := range c.notes {
		if n := &c.notes[i]; n.Kind.Weight() > 1 {
			c.log = append(c.log, n.At.String()+" "+n.Text())
		}
	}
	c.check()
	for p := range int32(chaosPartitions) {
		tp := kafka.TopicPartition{Topic: "t", Partition: p}
		reg := c.image().Partition(tp)
		if reg.Leader == kafka.NoNode || len(reg.ISR) != 3 {
			c.fail("%v has leader %d, ISR %v: %s", tp, reg.Leader, reg.ISR, c.describe("t"))
		}
		first := c.values(0, tp, 1<<40)
		for n := range 3 {
			if got := c.values(n, tp, 1<<40); strings.Join(got, " ") != strings.Join(first, " ") {
				c.fail("%v: broker 1 has %v, broker %d has %v", tp, first, n+1, got)
			}
			// A follower may stay behind: an answer that made it truncate counts
			// as having told it the high watermark, which it does not take then.
			r, ok := c.brokers[n].Broker().Replica(tp)
			if !ok || r.Leads && r.HW != r.Log.LEO() {
				c.fail("%v on %d: high watermark %d of %d\n%s", tp, n+1, r.HW, r.Log.LEO(), c.describe("t"))
			}
		}
		for v, to := range c.acked {
			if to == tp && !c.power && strings.Count(" "+strings.Join(first, " ")+" ", " "+v+" ") != 1 {
				c.fail("%s was acknowledged; %v holds %v", v, tp, first)
			}
		}
	}
	if len(c.acked) == 0 {
		c.fail("only %d of %d records were acknowledged", len(c.acked), c.n)
	}
}

func (c *chaos) fail(format string, args ...any) {
	c.t.Helper()
	from := max(0, len(c.log)-40)
	c.t.Fatalf("%v: %s\n%s", c.k.Now(), fmt.Sprintf(format, args...), strings.Join(c.log[from:], "\n"))
}
