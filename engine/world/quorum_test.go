package world_test

import (
	"fmt"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/world"
)

// quorum is a cluster of three brokers and so many controllers that write
// snapshots of their metadata often.
func quorum(controllers int, seed uint64) world.Spec {
	return world.Spec{
		Seed: seed,
		Cluster: world.ClusterSpec{Brokers: 3, Controllers: controllers, Configs: []world.Config{
			{Name: "metadata.log.max.record.bytes.between.snapshots", Value: "2000"},
			{Name: "metadata.max.retention.bytes", Value: "9000"},
		}},
		Topics: []world.TopicSpec{{Name: "t", Partitions: 3}},
		Clients: []world.ClientSpec{{
			Kind: world.ClientProducer, Name: "p", Topic: "t", Partition: -1, RatePer1000s: 20_000, Keys: 8,
		}},
	}
}

func command(v world.Verb, names ...string) world.Command {
	return world.Command{Verb: v, Text: fmt.Sprint(v, names), Nodes: names, Latency: -1}
}

// Every number of controllers from 1 to 5 settles before instant 0, whatever the
// seed.
func TestQuorumSettles(t *testing.T) {
	for controllers := 1; controllers <= 5; controllers++ {
		for seed := range uint64(12) {
			w, err := world.New(quorum(controllers, seed))
			if err != nil {
				t.Errorf("%d controllers, seed %d: %v", controllers, seed, err)
				continue
			}
			active := 0
			for _, c := range w.Controllers() {
				if c.Active() {
					active++
				}
			}
			if active != 1 {
				t.Errorf("%d controllers, seed %d: %d are active", controllers, seed, active)
			}
		}
	}
	for _, n := range []int{-1, 6} {
		if _, err := world.New(quorum(n, 1)); err == nil {
			t.Errorf("%d controllers were taken", n)
		}
	}
}

// The past of a quorum comes back exactly: elections, snapshots, roles.
func TestSeekEqualsRunWithQuorum(t *testing.T) {
	w, err := world.New(quorum(3, 7))
	if err != nil {
		t.Fatal(err)
	}
	var inputs []world.Input
	for i, c := range []world.Command{
		command(world.VerbCrash, "controller-active"), command(world.VerbStart, "controller-down"), command(world.VerbStop, "controller-active"),
		command(world.VerbCrash, "broker-2"), command(world.VerbStart, "controller-down"), command(world.VerbPowerLoss, "controller-standby"),
		command(world.VerbStart, "broker-2"), command(world.VerbStart, "controller-down"),
	} {
		inputs = append(inputs, world.Input{At: at(kafka.Duration(2+4*i) * kafka.Second), Command: &c, Step: i})
	}
	h := world.NewHistory(w, quiet{}, inputs)
	want := map[int]uint64{}
	for _, s := range []int{1, 5, 9, 17, 30, 40} {
		want[s] = run(h, kafka.Duration(s)*kafka.Second)
	}
	for _, s := range []int{9, 40, 5, 1, 30, 17} {
		if got := run(h, kafka.Duration(s)*kafka.Second); got != want[s] {
			t.Errorf("at %d s: %x when sought, %x when run", s, got, want[s])
		}
	}
	if snaps := h.World().Controllers()[0].Snapshots(); len(snaps) == 0 {
		t.Error("no snapshot was written")
	}
}

// disorder draws faults of controllers and brokers.
type disorder struct {
	w    *world.World
	rng  sim.Rand
	made int // topics asked for
}

func (d *disorder) act() {
	names := []string{"controller-101", "controller-102", "controller-103", "broker-1", "broker-2", "broker-3"}
	a, b := names[d.rng.IntN(6)], names[d.rng.IntN(6)]
	var c world.Command
	switch d.rng.IntN(9) {
	case 0:
		c = command(world.VerbCrash, a)
	case 1:
		c = command(world.VerbPowerLoss, names[d.rng.IntN(3)])
	case 2, 3:
		c = command(world.VerbStart, a)
	case 4:
		c = command(world.VerbStop, a)
	case 5:
		c = command(world.VerbCut, a)
		if c.Peers = []string{b}; a == b {
			return
		}
	case 6:
		c = command(world.VerbHeal)
	case 7:
		c = command(world.VerbCrash, "controller-active")
	default:
		d.made++
		c = command(world.VerbTopic)
		c.Topic = world.TopicSpec{Name: fmt.Sprint("made-", d.made)}
	}
	_ = d.w.Do(c) // what cannot be done now is not done
}

// No change of the metadata that anybody was told of is lost, whatever becomes of
// the controllers; and in the end everybody has the same image.
func TestControllersFail(t *testing.T) {
	for seed := range uint64(30) {
		spec := quorum(3, seed)
		spec.Clients = nil
		spec.Cluster.Configs = append(spec.Cluster.Configs, world.Config{Name: "metadata.max.idle.interval.ms", Value: "0"})
		w, err := world.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		d := disorder{w: w, rng: sim.NewRand(seed, "disorder")}
		for range 60 {
			w.RunUntil(w.Now().Add(kafka.Duration(d.rng.IntN(1500)) * kafka.Millisecond))
			d.act()
		}
		_ = w.Do(command(world.VerbHeal))
		for range 3 { // a broker that is shutting down ends only when there is a controller
			for _, n := range w.Names() {
				if id, _ := w.ActorOf(n); !w.Kernel().Up(id) {
					_ = w.Do(command(world.VerbStart, n))
				}
			}
			w.RunUntil(w.Now().Add(30 * kafka.Second))
		}
		w.RunUntil(w.Now().Add(120 * kafka.Second))
		agree(t, w, seed)
	}
}

func agree(t *testing.T, w *world.World, seed uint64) {
	t.Helper()
	sum := func(img *metadata.Image) uint64 {
		h := sim.NewHash()
		img.Digest(h)
		return h.Sum()
	}
	img := w.Image()
	for _, c := range w.Controllers() {
		if got := c.Image(); got == nil || sum(got) != sum(img) {
			t.Errorf("seed %d: %v of %d has another image than the active controller", seed, c.Role(), c.ID())
		}
	}
	for _, b := range w.Brokers() {
		if got := b.Image(); got == nil || sum(got) != sum(img) {
			t.Errorf("seed %d: broker %d has another image than the active controller", seed, b.ID())
		}
		if r := img.Broker(b.ID()); r == nil || r.Fenced {
			t.Errorf("seed %d: broker %d is fenced", seed, b.ID())
		}
	}
	for _, r := range w.Admin().Results() {
		var name string
		if n, _ := fmt.Sscanf(r.What, "create topic %s", &name); n == 1 && r.Code == kafka.None && img.Topic(name) == nil {
			t.Errorf("seed %d: topic %s was answered for and is gone", seed, name)
		}
	}
}
