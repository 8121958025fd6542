package node_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/broker"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/node"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/sim/net"
	"github.com/highwater-sim/highwater/engine/trace"
)

const probeID = sim.FirstClient

// probe is a client that sends what it is told and writes down what comes back.
type probe struct {
	corr  int32
	names []string // by corr-1
	got   []string
}

// call is an order to the probe.
type call struct {
	name   string
	to     sim.ActorID
	req    kmsg.Request
	oneWay bool
}

func (p *probe) Step(now kafka.Instant, in *sim.Input, out *sim.Out) {
	switch in.Kind {
	case sim.InputCommand:
		c := in.Command.(call)
		if c.oneWay {
			out.SendOneWay(c.to, sim.ChanClient, c.req)
			return
		}
		p.corr++
		p.names = append(p.names, c.name)
		out.Send(c.to, sim.ChanClient, p.corr, c.req, 60*kafka.Second)
	case sim.InputResponse:
		p.got = append(p.got, fmt.Sprintf("%v %s <- %s", now, p.names[in.Corr-1], answer(in.Response)))
	case sim.InputDisconnected:
		name := "connection to " + fmt.Sprint(in.From)
		if in.Corr > 0 {
			name = p.names[in.Corr-1]
		}
		p.got = append(p.got, fmt.Sprintf("%v %s <- disconnected", now, name))
	}
}

func (p *probe) Clone() sim.Actor {
	c := *p
	c.names, c.got = slices.Clone(p.names), slices.Clone(p.got)
	return &c
}

func (p *probe) Digest(h *sim.Hash) { h.Int(int64(p.corr)) }

// answer prints the fields of a response that tests look at.
func answer(resp kmsg.Response) string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	switch r := resp.(type) {
	case *kmsg.ProduceResponse:
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				say("%d:%v base %d", p.Partition, kafka.ErrorCode(p.ErrorCode), p.BaseOffset)
				if p.CurrentLeader.LeaderEpoch >= 0 {
					say(" leader %d epoch %d", p.CurrentLeader.LeaderID, p.CurrentLeader.LeaderEpoch)
				}
			}
		}
	case *kmsg.FetchResponse:
		if r.ErrorCode != 0 {
			say("%v", kafka.ErrorCode(r.ErrorCode))
		}
		if r.SessionID != 0 {
			say("(session) ")
		}
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				say("%d:%v hw %d start %d", p.Partition, kafka.ErrorCode(p.ErrorCode), p.HighWatermark, p.LogStartOffset)
				for rest := p.RecordBatches; len(rest) > 0; {
					raw, err := record.Frame(rest)
					if err != nil {
						say(" %v", err)
						break
					}
					say(" [%d-%d e%d]", raw.BaseOffset(), raw.LastOffset(), raw.LeaderEpoch())
					rest = rest[len(raw):]
				}
				if p.DivergingEpoch.Epoch >= 0 {
					say(" diverging epoch %d end %d", p.DivergingEpoch.Epoch, p.DivergingEpoch.EndOffset)
				}
				if p.CurrentLeader.LeaderEpoch >= 0 {
					say(" leader %d epoch %d", p.CurrentLeader.LeaderID, p.CurrentLeader.LeaderEpoch)
				}
				say(";")
			}
		}
	case *kmsg.ListOffsetsResponse:
		p := r.Topics[0].Partitions[0]
		say("%v offset %d epoch %d", kafka.ErrorCode(p.ErrorCode), p.Offset, p.LeaderEpoch)
	case *kmsg.OffsetForLeaderEpochResponse:
		p := r.Topics[0].Partitions[0]
		say("%v epoch %d end %d", kafka.ErrorCode(p.ErrorCode), p.LeaderEpoch, p.EndOffset)
	case *kmsg.CreateTopicsResponse:
		for _, t := range r.Topics {
			say("%s %v", t.Topic, kafka.ErrorCode(t.ErrorCode))
			if t.ErrorMessage != nil {
				say(" %s", *t.ErrorMessage)
			}
		}
	case *kmsg.DeleteTopicsResponse:
		for _, t := range r.Topics {
			say("%s %v", *t.Topic, kafka.ErrorCode(t.ErrorCode))
		}
	case *kmsg.IncrementalAlterConfigsResponse:
		say("%v", kafka.ErrorCode(r.Resources[0].ErrorCode))
	case *kmsg.ElectLeadersResponse:
		say("%v", kafka.ErrorCode(r.ErrorCode))
	case *kmsg.FindCoordinatorResponse:
		c := r.Coordinators[0]
		say("%v node %d", kafka.ErrorCode(c.ErrorCode), c.NodeID)
	case *kmsg.OffsetCommitResponse:
		say("%v", kafka.ErrorCode(r.Topics[0].Partitions[0].ErrorCode))
	case *kmsg.OffsetFetchResponse:
		g := r.Groups[0]
		say("%v", kafka.ErrorCode(g.ErrorCode))
		for _, t := range g.Topics {
			for _, p := range t.Partitions {
				say(" %d: offset %d epoch %d", p.Partition, p.Offset, p.LeaderEpoch)
			}
		}
	case *kmsg.InitProducerIDResponse:
		say("%v producer %d epoch %d", kafka.ErrorCode(r.ErrorCode), r.ProducerID, r.ProducerEpoch)
	case *kmsg.MetadataResponse:
		for _, n := range r.Brokers {
			say("broker %d ", n.NodeID)
		}
		for _, t := range r.Topics {
			say("%s %v", *t.Topic, kafka.ErrorCode(t.ErrorCode))
			for _, p := range t.Partitions {
				say(" %d: leader %d epoch %d isr %v offline %v %v", p.Partition, p.Leader, p.LeaderEpoch, p.ISR, p.OfflineReplicas, kafka.ErrorCode(p.ErrorCode))
			}
		}
	default:
		say("%T", resp)
	}
	return b.String()
}

// cluster is a kernel with one controller, brokers and the probe.
type cluster struct {
	t       *testing.T
	k       *sim.Kernel
	brokers []*node.Broker
	ctl     *node.Controller
	probe   *probe
	notes   []trace.Note
	last    *metadata.Image // of the controller, while it ran
}

func newCluster(t *testing.T, brokers int, configs []metadata.ConfigValue) *cluster {
	c := &cluster{t: t, k: sim.New(1, kafka.Instant(-60*kafka.Second), net.Quality{Latency: kafka.Millisecond})}
	c.ctl = node.NewController(node.ControllerSpec{ID: 101, Voters: []kafka.NodeID{101}, Configs: configs, Seed: 1})
	c.k.Add(101, "controller-101", c.ctl)
	for i := range brokers {
		b := node.NewBroker(node.BrokerSpec{ID: kafka.NodeID(i + 1), Controllers: []kafka.NodeID{101}, Configs: configs, Seed: 1})
		c.brokers = append(c.brokers, b)
		c.k.Add(sim.ActorID(i+1), fmt.Sprintf("broker-%d", i+1), b)
	}
	c.probe = &probe{}
	c.k.Add(probeID, "probe", c.probe)
	c.k.Hooks.Note = func(n *trace.Note) { c.notes = append(c.notes, *n) }
	c.k.Start(101, 0)
	for i := range brokers {
		c.k.Start(sim.ActorID(i+1), 0)
	}
	c.k.Start(probeID, 0)
	return c
}

func (c *cluster) runUntil(at kafka.Instant) {
	for {
		next, ok := c.k.Next()
		if !ok || next > at {
			break
		}
		c.k.Step()
	}
	c.k.AdvanceTo(at)
}

// flush prints answers and notes since the last time, in order of time.
func (c *cluster) flush(kinds string) string {
	type line struct {
		at   kafka.Instant
		text string
	}
	var lines []line
	for i := range c.notes {
		n := &c.notes[i]
		if kinds == "all" || slices.Contains(strings.Split(kinds, ","), strings.ReplaceAll(n.Kind.String(), " ", "-")) {
			lines = append(lines, line{n.At, fmt.Sprintf("%v %s", n.At, n.Text())})
		}
	}
	c.notes = c.notes[:0]
	for _, g := range c.probe.got {
		at, _ := strconv.ParseFloat(strings.TrimSuffix(strings.Fields(g)[0], "s"), 64)
		lines = append(lines, line{kafka.Instant(at * 1e9), g})
	}
	c.probe.got = nil
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.at/1e6, b.at/1e6) })
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text + "\n")
	}
	if b.Len() == 0 {
		return "nothing\n"
	}
	return b.String()
}

// call orders the probe to send a request.
func (c *cluster) call(name string, to kafka.NodeID, req kmsg.Request) {
	c.k.Order(probeID, call{name: name, to: sim.ActorID(to), req: req}, 0)
}

// image is the controller's metadata, or the last that it had.
func (c *cluster) image() *metadata.Image {
	if img := c.ctl.Image(); img != nil {
		c.last = img
	}
	return c.last
}

// topicID looks a topic up where metadata is newest.
func (c *cluster) topicID(name string) kafka.TopicID {
	if t := c.image().Topic(name); t != nil {
		return t.ID
	}
	return kafka.TopicID{}
}

func (c *cluster) leader(tp kafka.TopicPartition) kafka.NodeID {
	return c.image().Partition(tp).Leader
}

// describe prints a topic's partitions as the controller has them, and every replica.
func (c *cluster) describe(topic string) string {
	var b strings.Builder
	t := c.image().Topic(topic)
	if t == nil {
		return "no such topic\n"
	}
	for i, p := range t.Partitions {
		tp := kafka.TopicPartition{Topic: topic, Partition: int32(i)}
		fmt.Fprintf(&b, "%v leader %d epoch %d isr %s", tp, p.Leader, p.LeaderEpoch, broker.FormatISR(p.ISR))
		if len(p.ELR) > 0 {
			fmt.Fprintf(&b, " elr %s", broker.FormatISR(p.ELR))
		}
		b.WriteByte('\n')
		for _, n := range p.Replicas {
			c.describeReplica(&b, n, tp)
		}
	}
	return b.String()
}

func (c *cluster) describeReplica(b *strings.Builder, n kafka.NodeID, tp kafka.TopicPartition) {
	nb := c.brokers[n-1]
	l := nb.Dir().Get(tp)
	if nb.Broker() == nil {
		fmt.Fprintf(b, "  %d down", n)
		if l != nil {
			fmt.Fprintf(b, ": log %d..%d", l.LogStart(), l.LEO())
		}
		b.WriteByte('\n')
		return
	}
	dir := ""
	if len(nb.Directories()) > 1 {
		dir = " in " + nb.LogDir(tp)
	}
	r, ok := nb.Broker().Replica(tp)
	switch {
	case !ok && l != nil:
		fmt.Fprintf(b, "  %d offline: log %d..%d%s\n", n, l.LogStart(), l.LEO(), dir)
		return
	case !ok:
		fmt.Fprintf(b, "  %d no replica\n", n)
		return
	}
	defer b.WriteByte('\n')
	defer b.WriteString(dir)
	role := "follows " + strconv.Itoa(int(r.Leader))
	if r.Leads {
		role = "leads"
	}
	fmt.Fprintf(b, "  %d %s epoch %d log %d..%d hw %d", n, role, r.Epoch, r.Log.LogStart(), r.Log.LEO(), r.HW)
	if r.Leads {
		fmt.Fprintf(b, " isr %s maximal %s", broker.FormatISR(r.ISR), broker.FormatISR(r.MaximalISR))
		for i := range r.Followers() {
			f := r.Follower(i, c.k.Now())
			fmt.Fprintf(b, "; %d at %d caught up %v", f.Node, f.LEO, f.CaughtUp)
		}
	}
}

// records prints a replica's log: base-last@epoch of every batch, with values.
func (c *cluster) records(n kafka.NodeID, tp kafka.TopicPartition) string {
	var b strings.Builder
	l := c.brokers[n-1].Dir().Get(tp)
	for batch := range l.Batches(l.LogStart()) {
		for r, err := range record.Records(batch.Raw) {
			if err != nil {
				return err.Error()
			}
			fmt.Fprintf(&b, "%d@%d %s ", r.Offset, batch.Header.LeaderEpoch, r.Value)
		}
	}
	if b.Len() == 0 {
		return "empty\n"
	}
	return strings.TrimSpace(b.String()) + "\n"
}

func TestCluster(t *testing.T) {
	datadriven.Walk(t, "testdata/broker", func(t *testing.T, path string) {
		e := &env{t: t}
		datadriven.RunTest(t, path, e.run)
	})
}

// TestClusterBytes runs the same files with every message encoded and decoded
// on its way: nothing that matters is hidden outside a message's bytes.
func TestClusterBytes(t *testing.T) {
	datadriven.Walk(t, "testdata/broker", func(t *testing.T, path string) {
		e := &env{t: t, bytes: true}
		datadriven.RunTest(t, path, e.run)
	})
}

// recode sends a message through its bytes.
func recode(m sim.Message) sim.Message {
	if m.Request != nil {
		r := kmsg.RequestForKey(m.Request.Key())
		r.SetVersion(m.Request.GetVersion())
		if err := r.ReadFrom(m.Request.AppendTo(nil)); err != nil {
			panic(err)
		}
		m.Request = r
	}
	if m.Response != nil {
		r := kmsg.ResponseForKey(m.Response.Key())
		r.SetVersion(m.Response.GetVersion())
		if err := r.ReadFrom(m.Response.AppendTo(nil)); err != nil {
			panic(err)
		}
		m.Response = r
	}
	return m
}
