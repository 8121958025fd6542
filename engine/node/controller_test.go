package node_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/node"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// createRequest asks for one topic on brokers 1, 2 and 3, led by 1.
func createRequest(name string) *kmsg.CreateTopicsRequest {
	t := kmsg.NewCreateTopicsRequestTopic()
	t.Topic, t.NumPartitions, t.ReplicationFactor = name, -1, -1
	t.ReplicaAssignment = []kmsg.CreateTopicsRequestTopicReplicaAssignment{{Replicas: []int32{1, 2, 3}}}
	req := kmsg.NewPtrCreateTopicsRequest()
	req.Version = 7
	req.Topics = append(req.Topics, t)
	return req
}

// upAndRunning is a cluster at instant 0 with three brokers and topic t.
func upAndRunning(t *testing.T, configs ...metadata.ConfigValue) *cluster {
	c := newCluster(t, 3, configs)
	c.runUntil(-10 * kafka.Instant(kafka.Second))
	c.call("create", 1, createRequest("t"))
	c.runUntil(0)
	if p := c.ctl.Image().Partition(kafka.TopicPartition{Topic: "t"}); p == nil || p.Leader != 1 || len(p.ISR) != 3 {
		t.Fatalf("partition %+v", p)
	}
	c.notes, c.probe.got = nil, nil
	return c
}

func (c *cluster) killController(powerLoss bool) int64 {
	lost := c.ctl.Crash(c.k.Now(), powerLoss)
	c.k.Kill(101, powerLoss, 0)
	return lost
}

func (c *cluster) count(kind trace.Kind) int {
	n := 0
	for i := range c.notes {
		if c.notes[i].Kind == kind {
			n++
		}
	}
	return n
}

func seconds(n int64) kafka.Instant { return kafka.Instant(n) * kafka.Instant(kafka.Second) }

func imageSum(img *metadata.Image) uint64 {
	h := sim.NewHash()
	img.Digest(h)
	return h.Sum()
}

// Whatever happens to the only controller, it comes back with all that was
// committed, in a new epoch, and fences nobody who is alive.
func TestControllerComesBack(t *testing.T) {
	for name, down := range map[string]func(*cluster){
		"crash":      func(c *cluster) { c.killController(false) },
		"power loss": func(c *cluster) { c.killController(true) },
		"clean":      func(c *cluster) { c.k.Order(101, node.Shutdown{}, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			c := upAndRunning(t)
			before := c.ctl.Image()
			down(c)
			if c.ctl.Running() || c.ctl.Active() || c.ctl.Image() != nil || c.ctl.Role() != "" {
				t.Fatal("it still runs")
			}
			c.runUntil(seconds(20)) // longer than a session: nobody is there to see it end
			c.k.Start(101, 0)
			c.runUntil(seconds(60))
			if !c.ctl.Active() || c.ctl.QuorumEpoch() != 2 || c.ctl.Role() != "Leader" {
				t.Fatalf("role %s epoch %d", c.ctl.Role(), c.ctl.QuorumEpoch())
			}
			if n := c.count(trace.BrokerFenced) + c.count(trace.LeaderElected) + c.count(trace.ISRChanged); n > 0 {
				t.Errorf("%d brokers fenced, leaders or ISRs changed:\n%s", n, c.flush("all"))
			}
			after := c.ctl.Image()
			if !slices.EqualFunc(before.Brokers, after.Brokers, func(a, b metadata.Broker) bool { return a.ID == b.ID && a.Epoch == b.Epoch && a.Fenced == b.Fenced }) {
				t.Errorf("brokers before %+v, after %+v", before.Brokers, after.Brokers)
			}
			p := after.Partition(kafka.TopicPartition{Topic: "t"})
			if p == nil || p.LeaderEpoch != 0 || p.PartitionEpoch != 0 {
				t.Errorf("partition %+v", p)
			}
			for _, b := range c.brokers {
				if at := c.ctl.LastHeartbeat(b.ID()); at < seconds(57) {
					t.Errorf("broker %d was last heard of at %v", b.ID(), at)
				}
			}
		})
	}
}

// While no controller is there, leaders go on and nobody is fenced; when it is
// back, a broker that died meanwhile gets a session before it is (R23).
func TestBrokerDiesWithoutController(t *testing.T) {
	c := upAndRunning(t)
	c.killController(false)
	c.brokers[0].Crash(c.k.Now(), false)
	c.k.Kill(1, false, 0)
	c.runUntil(seconds(30))
	c.k.Start(101, 0)
	c.runUntil(seconds(60))
	out := c.flush("fenced,leader,ISR")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	// 9 s after the controller is active again, and at most 9/8 s more.
	if len(lines) != 3 || !strings.HasSuffix(lines[0], "broker-1 fenced session timed out") || lines[0] < "39.0" || lines[0] > "40.3" {
		t.Errorf("got\n%s", out)
	}
	if p := c.ctl.Image().Partition(kafka.TopicPartition{Topic: "t"}); p.Leader != 2 || !slices.Equal(p.ISR, []kafka.NodeID{2, 3}) {
		t.Errorf("partition %+v", p)
	}
}

// A topic that was answered for is there after a power loss; one whose batch was
// not flushed is not, and its creator got no answer.
func TestControllerPowerLossKeepsWhatWasAnswered(t *testing.T) {
	c := upAndRunning(t)
	c.call("answered", 1, createRequest("a"))
	c.runUntil(seconds(1))
	if got := c.flush("none"); !strings.Contains(got, "answered <- a NONE") {
		t.Fatal(got)
	}
	c.k.Order(101, node.SlowDisk{Latency: 10 * kafka.Second}, 0)
	c.call("unanswered", 1, createRequest("b"))
	c.runUntil(seconds(2))
	if lost := c.killController(true); lost == 0 {
		t.Error("nothing was lost")
	}
	c.k.Order(101, node.SlowDisk{}, 0)
	c.ctl.OrderMachine(c.k.Now(), node.SlowDisk{})
	if got := c.flush("none"); strings.Contains(got, "NONE") {
		t.Error(got)
	}
	c.k.Start(101, 0)
	c.runUntil(seconds(4))
	if c.ctl.Image().Topic("a") == nil {
		t.Error("a topic that was answered for is gone")
	}
}

// Replaying the same log gives the same image everywhere.
func TestImagesAgree(t *testing.T) {
	c := upAndRunning(t, metadata.ConfigValue{Name: "metadata.max.idle.interval.ms", Value: "0"})
	c.brokers[2].Crash(c.k.Now(), true)
	c.k.Kill(3, true, 0)
	c.runUntil(seconds(20))
	c.k.Start(3, 0)
	c.runUntil(seconds(40))
	want := imageSum(c.ctl.Image())
	for _, b := range c.brokers {
		if img := b.Image(); imageSum(img) != want {
			t.Errorf("broker %d at offset %d, controller at %d", b.ID(), img.Offset, c.ctl.Image().Offset)
		}
	}
	if p := c.ctl.Image().Partition(kafka.TopicPartition{Topic: "t"}); len(p.ISR) != 3 || c.ctl.Image().Brokers[2].Epoch < 20 {
		t.Errorf("partition %+v", p)
	}
}

// A clone of a process goes on as the original does.
func TestControllerClone(t *testing.T) {
	c := upAndRunning(t)
	for i := range 50 {
		c.call("create", 1, createRequest(strings.Repeat("x", i+1)))
		k := c.k.Clone()
		for range 40 {
			c.k.Step()
			k.Step()
		}
		if digest(k) != digest(c.k) {
			t.Fatalf("round %d: the clone went another way", i)
		}
	}
}
