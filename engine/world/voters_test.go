package world_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/node"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/world"
)

// dynamic is a cluster whose voters are those of the metadata log.
func dynamic(controllers int, seed uint64) world.Spec {
	s := quorum(controllers, seed)
	s.Cluster.KRaftVersion = 1
	return s
}

func voterCommand(v world.Verb, name string) world.Command {
	return world.Command{Verb: v, Text: fmt.Sprint(v, " ", name), Name: name}
}

func voters(w *world.World) []kafka.NodeID {
	for _, c := range w.Controllers() {
		if c.Active() {
			return c.Voters()
		}
	}
	return nil
}

// result is how the last order to the admin client ended.
func result(w *world.World) string {
	all := w.Admin().Results()
	if len(all) == 0 {
		return "nothing"
	}
	r := all[len(all)-1]
	return strings.TrimSpace(r.What + " " + r.Code.String() + " " + r.Message)
}

// What kafka-metadata-quorum does and refuses, order by order.
func TestVoters(t *testing.T) {
	spec := dynamic(3, 5)
	spec.Topics, spec.Clients = nil, nil
	w, err := world.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []struct {
		do     world.Command
		after  kafka.Duration
		result string
		voters []kafka.NodeID
	}{
		{voterCommand(world.VerbAddVoter, "controller-101"), 1, "add controller 101 DUPLICATE_VOTER node 101 is a voter already", []kafka.NodeID{101, 102, 103}},
		{voterCommand(world.VerbAddController, "controller-104"), 3, "add controller 101 DUPLICATE_VOTER node 101 is a voter already", []kafka.NodeID{101, 102, 103}},
		{voterCommand(world.VerbRemoveVoter, "controller-104"), 1, "remove controller 104 VOTER_NOT_FOUND node 104 with that directory is no voter", []kafka.NodeID{101, 102, 103}},
		{voterCommand(world.VerbAddVoter, "controller-104"), 1, "add controller 104 NONE", []kafka.NodeID{101, 102, 103, 104}},
		{voterCommand(world.VerbAddController, "controller-105"), 3, "add controller 104 NONE", []kafka.NodeID{101, 102, 103, 104}},
		{command(world.VerbCrash, "controller-105"), 1, "add controller 104 NONE", []kafka.NodeID{101, 102, 103, 104}},
		{voterCommand(world.VerbAddVoter, "controller-105"), 1, "add controller 105 REQUEST_TIMED_OUT node 105 does not answer", []kafka.NodeID{101, 102, 103, 104}},
		{command(world.VerbPowerLoss, "controller-104"), 1, "add controller 105 REQUEST_TIMED_OUT node 105 does not answer", []kafka.NodeID{101, 102, 103, 104}},
		{voterCommand(world.VerbRemoveVoter, "controller-104"), 1, "remove controller 104 NONE", []kafka.NodeID{101, 102, 103}},
		{voterCommand(world.VerbRemoveVoter, "controller-active"), 8, "", nil}, // which one: see below
	} {
		if err := w.Do(s.do); err != nil {
			t.Fatal(err)
		}
		w.RunUntil(w.Now().Add(s.after * kafka.Second))
		if s.voters == nil {
			break
		}
		if got := result(w); got != s.result || !slices.Equal(voters(w), s.voters) {
			t.Errorf("%s %s: %q, voters %v; want %q, voters %v", s.do.Name, s.do.Nodes, got, voters(w), s.result, s.voters)
		}
	}
	if got := voters(w); len(got) != 2 {
		t.Errorf("voters %v after the leader was removed", got)
	}
	for _, c := range w.Controllers() {
		if is := slices.Contains(voters(w), c.ID()); c.Running() && is == (c.Role() == "Observer") {
			t.Errorf("controller %d is %s, voter: %v", c.ID(), c.Role(), is)
		}
	}
}

// With kraft.version 0 the voters are what controller.quorum.voters says.
func TestStaticVoters(t *testing.T) {
	spec := quorum(3, 5)
	spec.Topics, spec.Clients = nil, nil
	w, err := world.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Do(voterCommand(world.VerbAddController, "controller-104")); err == nil {
		t.Error("a controller joined that controller.quorum.voters does not name")
	}
	if err := w.Do(voterCommand(world.VerbRemoveVoter, "controller-103")); err != nil {
		t.Fatal(err)
	}
	w.RunUntil(w.Now().Add(kafka.Second))
	if got := result(w); !strings.HasPrefix(got, "remove controller 103 UNSUPPORTED_VERSION") {
		t.Error(got)
	}
	spec.Cluster.KRaftVersion = 2
	if _, err := world.New(spec); err == nil {
		t.Error("kraft.version 2 was taken")
	}
}

// The past of a quorum whose voters change comes back exactly.
func TestSeekEqualsRunWithVoters(t *testing.T) {
	w, err := world.New(dynamic(3, 7))
	if err != nil {
		t.Fatal(err)
	}
	w.SetRecode(recode(t))
	var inputs []world.Input
	for i, c := range []world.Command{
		voterCommand(world.VerbAddController, "controller-104"), voterCommand(world.VerbAddVoter, "controller-104"),
		command(world.VerbCrash, "controller-active"), voterCommand(world.VerbRemoveVoter, "controller-down"),
		command(world.VerbStart, "controller-down"), voterCommand(world.VerbRemoveVoter, "controller-active"),
	} {
		inputs = append(inputs, world.Input{At: at(kafka.Duration(2+4*i) * kafka.Second), Command: &c, Step: i})
	}
	h := world.NewHistory(w, quiet{}, inputs)
	want := map[int]uint64{}
	for _, s := range []int{3, 7, 12, 17, 32} {
		want[s] = run(h, kafka.Duration(s)*kafka.Second)
	}
	if got := voters(h.World()); len(got) != 2 {
		t.Errorf("voters %v", got)
	}
	for _, s := range []int{12, 32, 7, 3, 17} {
		if got := run(h, kafka.Duration(s)*kafka.Second); got != want[s] {
			t.Errorf("at %d s: %x when sought, %x when run", s, got, want[s])
		}
	}
}

// However voters come, go and fail, nothing that was answered for is lost, and in
// the end everybody has the same image: voters and observers.
func TestVotersFail(t *testing.T) {
	changed := 0
	for seed := range uint64(30) {
		spec := dynamic(3, seed)
		spec.Clients = nil
		spec.Cluster.Configs = append(spec.Cluster.Configs, world.Config{Name: "metadata.max.idle.interval.ms", Value: "0"})
		w, err := world.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		d := disorder{w: w, rng: sim.NewRand(seed, "disorder")}
		for range 80 {
			w.RunUntil(w.Now().Add(kafka.Duration(d.rng.IntN(1500)) * kafka.Millisecond))
			if d.rng.IntN(3) > 0 {
				d.act()
				continue
			}
			name := w.NameOf(sim.ActorID(world.FirstController + d.rng.IntN(5)))
			verb := []world.Verb{world.VerbAddController, world.VerbAddVoter, world.VerbRemoveVoter, world.VerbStart}[d.rng.IntN(4)]
			c := voterCommand(verb, name)
			c.Nodes, c.Latency = []string{name}, -1
			_ = w.Do(c)
		}
		_ = w.Do(command(world.VerbHeal))
		for range 3 {
			for _, n := range w.Names() {
				if id, _ := w.ActorOf(n); !w.Kernel().Up(id) {
					_ = w.Do(command(world.VerbStart, n))
				}
			}
			w.RunUntil(w.Now().Add(30 * kafka.Second))
		}
		w.RunUntil(w.Now().Add(120 * kafka.Second))
		agree(t, w, seed)
		sameVoters(t, w, seed)
		for _, r := range w.Admin().Results() {
			if strings.Contains(r.What, "controller") && r.Code == kafka.None {
				changed++
			}
		}
	}
	if changed < 60 {
		t.Errorf("the voters changed %d times", changed)
	}
}

func sameVoters(t *testing.T, w *world.World, seed uint64) {
	t.Helper()
	var lead *node.Controller
	for _, c := range w.Controllers() {
		if c.Active() {
			lead = c
		}
	}
	if lead == nil {
		t.Fatalf("seed %d: nobody leads", seed)
	}
	for _, c := range w.Controllers() {
		if !slices.Equal(c.Voters(), lead.Voters()) {
			t.Errorf("seed %d: controller %d knows the voters %v, the leader %v", seed, c.ID(), c.Voters(), lead.Voters())
		}
	}
}
