package controller

import (
	"slices"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// mockRandom gives the numbers that Kafka's tests of its placement are made
// with: java.util.Random.nextInt over a linear congruential generator.
type mockRandom struct{ state uint64 }

func (m *mockRandom) next(bits int) int64 {
	m.state = m.state*2862933555777941757 + 3037000493
	return int64(int32(m.state >> (64 - bits)))
}

func (m *mockRandom) IntN(n int64) int64 {
	r := m.next(31)
	if n&(n-1) == 0 {
		return n * r >> 31
	}
	for u := r; ; u = m.next(31) {
		if r = u % n; u-r+(n-1) < 1<<31 {
			return r
		}
	}
}

func place(t *testing.T, l *rackList, want ...kafka.NodeID) {
	t.Helper()
	got, f := l.place(len(want))
	if f != nil {
		t.Fatal(f.msg)
	}
	if !slices.Equal(got, want) {
		t.Errorf("placed %v, want %v", got, want)
	}
}

// The vectors are those of StripedReplicaPlacerTest.

func TestPlaceAvoidsFenced(t *testing.T) {
	l := newRackList([]usable{{3, "", false}, {1, "", true}, {0, "", false}, {4, "", false}, {2, "", false}}, &mockRandom{17})
	for _, n := range []int{0, -1} {
		if _, f := l.place(n); f == nil {
			t.Errorf("placed %d replicas", n)
		}
	}
	place(t, l, 3, 4, 0, 2)
	place(t, l, 4, 0, 2, 3)
	place(t, l, 0, 2, 3, 4)
	place(t, l, 2, 3, 4, 0)
	place(t, l, 0, 4, 3, 2)
}

func TestPlaceOnFencedIfNeeded(t *testing.T) {
	l := newRackList([]usable{{3, "", false}, {1, "", true}, {2, "", false}}, &mockRandom{17})
	place(t, l, 3, 2, 1)
	place(t, l, 2, 3, 1)
	place(t, l, 3, 2, 1)
	place(t, l, 2, 3, 1)
}

func TestPlaceOverRacks(t *testing.T) {
	l := newRackList([]usable{{11, "1", false}, {10, "1", false}, {30, "3", false}, {31, "3", false}, {21, "2", false}, {20, "2", true}}, &mockRandom{17})
	place(t, l, 11, 21, 31, 10)
	place(t, l, 21, 30, 10, 20)
	place(t, l, 31, 11, 21, 30)
}

func TestPlaceOverRacksWithoutLeaders(t *testing.T) {
	l := newRackList([]usable{
		{11, "1", false}, {10, "1", false}, {30, "3", true}, {31, "3", true}, {20, "2", true}, {21, "2", true}, {41, "4", false}, {40, "4", true},
	}, &mockRandom{17})
	place(t, l, 41, 11, 21, 30)
	place(t, l, 10, 20, 31, 41)
	place(t, l, 41, 21, 30, 11)
}

func TestPlaceErrors(t *testing.T) {
	l := newRackList([]usable{{11, "1", true}, {10, "1", true}}, &mockRandom{17})
	if _, f := l.place(3); f == nil || f.msg != "The target replication factor of 3 cannot be reached because only 2 broker(s) are registered." {
		t.Errorf("%+v", f)
	}
	if _, f := l.place(1); f == nil || f.msg != "All brokers are currently fenced." {
		t.Errorf("%+v", f)
	}
}

// One partition has its replicas in as many racks as there are, and leaders are
// spread evenly, whatever the draws (R20).
func TestPlaceIsBalanced(t *testing.T) {
	for seed := range uint64(50) {
		l := newRackList([]usable{{1, "a", false}, {2, "b", false}, {3, "c", false}, {4, "a", false}, {5, "b", false}, {6, "c", false}}, &mockRandom{seed})
		leads := map[kafka.NodeID]int{}
		for range 60 {
			p, f := l.place(3)
			if f != nil {
				t.Fatal(f.msg)
			}
			leads[p[0]]++
			racks := []kafka.NodeID{(p[0] - 1) % 3, (p[1] - 1) % 3, (p[2] - 1) % 3}
			if slices.Sort(racks); !slices.Equal(racks, []kafka.NodeID{0, 1, 2}) {
				t.Fatalf("seed %d: %v shares a rack", seed, p)
			}
		}
		for id := kafka.NodeID(1); id <= 6; id++ {
			if leads[id] != 10 {
				t.Errorf("seed %d: broker %d leads %d of 60", seed, id, leads[id])
			}
		}
	}
}
