package world_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/highwater-sim/highwater/engine/world"
)

// combined is a cluster of three brokers that are the controllers.
func combined(seed uint64) world.Spec {
	s := quorum(1, seed)
	s.Cluster.Controllers, s.Cluster.Combined = 0, 3
	return s
}

// A combined process is one broker and one controller, under either name, with one
// metadata log.
func TestCombined(t *testing.T) {
	w, err := world.New(combined(3))
	if err != nil {
		t.Fatal(err)
	}
	if got := voters(w); !slices.Equal(got, []kafka.NodeID{1, 2, 3}) {
		t.Fatalf("voters %v", got)
	}
	for i, c := range w.Controllers() {
		b := w.Brokers()[i]
		if c.ID() != b.ID() || c.MetadataLog() != b.MetadataLog() || c.Raft() != b.Raft() || c.Image().Offset != b.Image().Offset {
			t.Errorf("controller %d and broker %d are not one process", c.ID(), b.ID())
		}
		a, errA := w.ActorOf("controller-" + string(rune('1'+i)))
		z, errZ := w.ActorOf("broker-" + string(rune('1'+i)))
		if errA != nil || errZ != nil || a != z {
			t.Errorf("two names for one process: %v %v, %v %v", a, errA, z, errZ)
		}
	}
	if id := w.ClusterID(); len(id) != 22 || strings.HasPrefix(id, "-") || w.Brokers()[0].Spec().ClusterID != id {
		t.Errorf("cluster.id %q", id)
	}
	for _, c := range []world.Command{crash("controller-4"), {Verb: world.VerbCut, Nodes: []string{"broker-1"}, Peers: []string{"controller-1"}}} {
		if err := w.Check(c); err == nil {
			t.Errorf("%v can be done", c)
		}
	}
	if err := w.Do(crash("controller-active")); err != nil {
		t.Fatal(err)
	}
	down := 0
	for i, c := range w.Controllers() {
		if !c.Running() {
			down++
			if w.Brokers()[i].Broker() != nil {
				t.Error("the controller is down, the broker in its process is not")
			}
		}
	}
	if down != 1 {
		t.Errorf("%d controllers are down", down)
	}
}

// Told to end, a combined process ends its broker first, by a controlled shutdown that
// it may have to decide itself, and hands the quorum over then (KafkaRaftServer.shutdown).
func TestCombinedStops(t *testing.T) {
	w, err := world.New(combined(4))
	if err != nil {
		t.Fatal(err)
	}
	var active kafka.NodeID
	for _, c := range w.Controllers() {
		if c.Active() {
			active = c.ID()
		}
	}
	var seen []string
	w.OnNote(func(n *trace.Note) {
		if n.Node == active && (n.Kind == trace.BrokerFenced || n.Kind == trace.Shutdown || n.Kind == trace.QuorumResigned) {
			seen = append(seen, strings.TrimSpace(n.Text()))
		}
	})
	if err := w.Do(command(world.VerbStop, "controller-active")); err != nil {
		t.Fatal(err)
	}
	w.RunUntil(w.Now().Add(10 * kafka.Second))
	if len(seen) != 3 || !strings.Contains(seen[0], "fenced shut down") || !strings.Contains(seen[1], "shutdown") || !strings.Contains(seen[2], "resigns") {
		t.Errorf("%q", seen)
	}
	if w.Controllers()[active-1].Running() || len(voters(w)) != 3 {
		t.Error("it did not end, or nobody leads after it")
	}
	if err := w.Do(start("controller-down")); err != nil {
		t.Fatal(err)
	}
	w.RunUntil(w.Now().Add(10 * kafka.Second))
	if b := w.Image().Broker(active); b == nil || b.Fenced {
		t.Error("it did not come back")
	}
}

// The past of a combined cluster is as exact as that of any other.
func TestCombinedSeek(t *testing.T) {
	h := open(t, combined(5))
	straight := run(h, 30*kafka.Second)
	run(h, 6*kafka.Second)
	if again := run(h, 30*kafka.Second); again != straight {
		t.Errorf("digest %x, the first time %x", again, straight)
	}
}

// Disks are formatted under processes that are down only. With dynamic voters the
// controller is another one then.
func TestWipe(t *testing.T) {
	spec := dynamic(3, 6)
	spec.Topics, spec.Clients = nil, nil
	w, err := world.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	wipe := command(world.VerbWipe, "controller-103")
	if err := w.Do(wipe); err == nil || !strings.Contains(err.Error(), "it is running") {
		t.Errorf("%v", err)
	}
	c := w.Controllers()[2]
	was := c.Directory()
	for _, do := range []world.Command{crash("controller-103"), wipe, start("controller-103")} {
		if err := w.Do(do); err != nil {
			t.Fatal(err)
		}
	}
	w.RunUntil(w.Now().Add(8 * kafka.Second))
	if c.Directory() == was || c.Role() != "Observer" || c.LogEnd() == 0 {
		t.Errorf("directory.id %x, before %x; it is %s, its log ends at %d", c.Directory(), was, c.Role(), c.LogEnd())
	}
	for _, do := range []world.Command{voterCommand(world.VerbRemoveVoter, "controller-103"), voterCommand(world.VerbAddVoter, "controller-103")} {
		if err := w.Do(do); err != nil {
			t.Fatal(err)
		}
		w.RunUntil(w.Now().Add(3 * kafka.Second))
	}
	if c.Role() != "Follower" || !c.IsVoter(103) {
		t.Errorf("it is %s after it was made a voter again: %s", c.Role(), result(w))
	}
}
