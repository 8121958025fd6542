package producer

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
)

// TestDue compares the schedule with exact arithmetic: record n is due at
// n/rate, rounded up to the nanosecond.
func TestDue(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 100_000 {
		rate := 1 + rng.Int64N(RateMax)
		if rng.IntN(2) == 0 {
			rate = 1 + rng.Int64N(5000)
		}
		n := rng.Int64N(1 << rng.IntN(33))
		x := new(big.Int).Mul(big.NewInt(n), big.NewInt(1_000_000_000_000))
		want, rest := new(big.Int).DivMod(x, big.NewInt(rate), new(big.Int))
		if rest.Sign() > 0 {
			want.Add(want, big.NewInt(1))
		}
		if got := due(5, n, rate); want.IsInt64() && want.Int64() < 1<<61 && got != 5+kafka.Instant(want.Int64()) {
			t.Fatalf("due(5, %d, %d) = %d, want 5 + %s", n, rate, got, want)
		}
	}
}

// TestRate: after any time, exactly as many records were sent as the rate says.
func TestRate(t *testing.T) {
	p, err := New(Config{ID: sim.FirstClient, Name: "app", Bootstrap: []sim.ActorID{1}, Topic: "t", Partition: -1, RatePer1000s: 333_333})
	if err != nil {
		t.Fatal(err)
	}
	w := newWire(p)
	w.step(&sim.Input{Kind: sim.InputBoot})
	for _, ms := range []int64{100, 999, 1000, 5000, 9999, 30000} {
		w.run(kafka.Instant(ms) * kafka.Instant(kafka.Millisecond))
		if want := ms * 333_333 / 1_000_000; p.Sent() != want {
			t.Errorf("after %d ms %d records were sent, want %d", ms, p.Sent(), want)
		}
	}
}

// TestAdaptive: with queues of 0, 3 and 1 batches a partition is drawn with
// weights 4, 1 and 3 (KIP-794, BuiltInPartitionerTest).
func TestAdaptive(t *testing.T) {
	p, err := New(Config{ID: sim.FirstClient, Name: "app", Bootstrap: []sim.ActorID{1}, Topic: "t", Configs: []client.Setting{{Name: "acks", Value: "1"}}})
	if err != nil {
		t.Fatal(err)
	}
	p.meta.Add("t")
	p.acc.grow(0, 3, p)
	for i, queued := range []int{0, 3, 1} {
		p.acc.lead(int32(i), client.Leader{Node: 1, Epoch: 0})
		p.acc.parts[i].queue = make([]int32, queued)
	}
	p.acc.topics[0].touched = 3
	var drawn [3]int
	for range 80_000 {
		drawn[p.drawPartition(0)]++
	}
	for i, weight := range []int{4, 1, 3} {
		if want := weight * 10_000; drawn[i] < want*9/10 || drawn[i] > want*11/10 {
			t.Errorf("partition %d was drawn %d times, want about %d", i, drawn[i], want)
		}
	}
	p.acc.lead(0, client.Leader{Node: kafka.NoNode, Epoch: 1})
	for range 1000 {
		if p.drawPartition(0) == 0 {
			t.Fatal("a partition without leader was drawn")
		}
	}

	// A broker that took nothing for longer than partitioner.availability.timeout.ms,
	// while there was something for it, gets no more; exactly as long will do. 0 is off.
	p.acc.lead(2, client.Leader{Node: 2, Epoch: 1})
	slow := &p.acc.nodes[p.acc.parts[2].node]
	slow.drainsAt = 5000
	for _, c := range []struct {
		timeout kafka.Duration
		tried   kafka.Instant
		want    bool
	}{{100, 5100, true}, {100, 5101, false}, {0, 5101, true}} {
		p.opt.unavailable, slow.triedAt = c.timeout, c.tried
		got := false
		for range 1000 {
			got = got || p.drawPartition(0) == 2
		}
		if got != c.want {
			t.Errorf("timeout %d, nothing taken for %d: drawn %v", c.timeout, c.tried.Sub(slow.drainsAt), got)
		}
	}
}

// TestKeys are the vectors of cases R67 and R68.
func TestKeys(t *testing.T) {
	for _, c := range []struct {
		key        string
		partitions int32
		want       int32
	}{
		{"354afe16-939a-4ea8-8e17-8bb0840b6886", 10, 4}, {"f562ac3b-2224-4e25-a0ab-56094e10c239", 10, 5}, {"TT0124", 15, 10},
		{"fd7af248-ce5c-46a5-93d7-1c0c9005b99d", 32, 26}, {"100:48069", 12, 9}, {"wu", 10, 0},
		{"", 12, 9}, {"", 3, 0}, {"", 4, 1}, // an empty key is hashed
	} {
		if got := kafka.PartitionForKey([]byte(c.key), c.partitions); got != c.want {
			t.Errorf("%q of %d: partition %d, want %d", c.key, c.partitions, got, c.want)
		}
	}
}
