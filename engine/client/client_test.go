package client

import (
	"maps"
	"slices"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
	"pgregory.net/rapid"
)

// TestIDs compares the set with a map, clones included.
func TestIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s, other IDs
		model, otherModel := map[int64]bool{}, map[int64]bool{}
		id := rapid.OneOf(rapid.Int64Range(0, 200), rapid.Int64Range(4000, 4200), rapid.Just(int64(1)<<60), rapid.Int64Range(-3, -1))
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			n := id.Draw(t, "id")
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				other, otherModel = s.Clone(), maps.Clone(model)
			case 1:
				if n >= 0 && other.Add(n) == otherModel[n] {
					t.Fatalf("clone: Add(%d) and the model disagree", n)
				}
				if n >= 0 {
					otherModel[n] = true
				}
			default:
				if fresh := s.Add(n); fresh != (n >= 0 && !model[n]) {
					t.Fatalf("Add(%d) = %v", n, fresh)
				}
				if n >= 0 {
					model[n] = true
				}
			}
		}
		checkIDs(t, &s, model)
		checkIDs(t, &other, otherModel)
		both := int64(0)
		for n := range model {
			if !otherModel[n] {
				both++
			}
		}
		if got := s.CountNotIn(&other); got != both {
			t.Fatalf("CountNotIn = %d, want %d", got, both)
		}
	})
}

func checkIDs(t *rapid.T, s *IDs, model map[int64]bool) {
	var got []int64
	s.Each(func(n int64) bool { got = append(got, n); return true })
	if want := slices.Sorted(maps.Keys(model)); !slices.Equal(got, want) || s.Len() != int64(len(want)) {
		t.Fatalf("has %v (Len %d), want %v", got, s.Len(), want)
	}
	var fromRuns []int64
	for _, r := range s.Runs() {
		for n := r.First; n <= r.Last; n++ {
			fromRuns = append(fromRuns, n)
		}
	}
	if !slices.Equal(fromRuns, got) {
		t.Fatalf("runs %v are not %v", s.Runs(), got)
	}
	for n := range model {
		if !s.Has(n) {
			t.Fatalf("Has(%d) is false", n)
		}
	}
}

func TestAcks(t *testing.T) {
	var a Acks
	for i := range int64(5000) {
		a.Add(i*7%5000, kafka.Offset(i*3))
	}
	b := a.Clone()
	a.Add(1, 2)
	b.Add(3, 4)
	for _, x := range []struct {
		acks *Acks
		id   int64
		at   kafka.Offset
	}{{&a, 1, 2}, {&b, 3, 4}} {
		n := int64(0)
		x.acks.Each(func(id int64, at kafka.Offset) bool {
			wantID, wantAt := n*7%5000, kafka.Offset(n*3)
			if n == 5000 {
				wantID, wantAt = x.id, x.at
			}
			if id != wantID || at != wantAt {
				t.Fatalf("entry %d is %d@%d, want %d@%d", n, id, at, wantID, wantAt)
			}
			n++
			return true
		})
		if n != 5001 || x.acks.Len() != n {
			t.Fatalf("%d entries, Len %d", n, x.acks.Len())
		}
	}
}

// TestBackoff: 100, 200, 400, 800, 1000, 1000 ms with 20 % jitter, at most 1000
// (ExponentialBackoffTest).
func TestBackoff(t *testing.T) {
	rng := sim.NewRand(1, "test")
	b := Backoff{Initial: 100 * kafka.Millisecond, Max: kafka.Second}
	for attempts, ms := range []kafka.Duration{100, 200, 400, 800, 1000, 1000, 1000} {
		low, high := ms*4/5*kafka.Millisecond, min(ms*6/5*kafka.Millisecond, kafka.Second)
		var least, most kafka.Duration = 1 << 62, 0
		for range 1000 {
			d := b.After(int32(attempts), &rng)
			least, most = min(least, d), max(most, d)
		}
		if least < low || most > high || most-least < (high-low)/2 {
			t.Errorf("attempt %d: %s..%s, want within %s..%s", attempts, least, most, low, high)
		}
	}
	if d := (Backoff{Initial: 300, Max: 200}).After(9, &rng); d != 300 {
		t.Errorf("without room to grow: %d", d)
	}
}

func TestIdentity(t *testing.T) {
	for _, c := range []struct {
		value string
		name  string
		n     int64
		ok    bool
	}{
		{"app#0", "app", 0, true}, {"app#12....", "app", 12, true}, {"a#b#3", "", 0, false}, {"app#", "", 0, false}, {"#1", "", 0, false},
		{"app#1x", "", 0, false}, {"app#.", "", 0, false}, {"hello", "", 0, false}, {"", "", 0, false}, {"app#1234567890123456789", "", 0, false},
	} {
		name, n, ok := ParseIdentity([]byte(c.value))
		if ok != c.ok || ok && (string(name) != c.name || n != c.n) {
			t.Errorf("%q: %s %d %v", c.value, name, n, ok)
		}
	}
	r := record.Record{Value: []byte("app#1"), Headers: []record.RecordHeader{{Key: IdentityHeader, Value: []byte("other#2")}}}
	if name, n, ok := Identity(&r); !ok || string(name) != "other" || n != 2 {
		t.Errorf("the header does not win: %s#%d %v", name, n, ok)
	}
}

// FuzzIdentity: what is written is read back; what is read back was written so.
func FuzzIdentity(f *testing.F) {
	f.Add([]byte("app#7..."))
	f.Fuzz(func(t *testing.T, b []byte) {
		name, n, ok := ParseIdentity(b)
		if !ok {
			return
		}
		again, m, ok := ParseIdentity(AppendIdentity(nil, string(name), n, len(b)))
		if !ok || string(again) != string(name) || m != n {
			t.Fatalf("%q reads as %q#%d, then %q#%d %v", b, name, n, again, m, ok)
		}
	})
}

// What metadata a client believes: newer leader epochs only, unless the topic is
// another one (KIP-320, Metadata.updateLatestMetadata); and how long it waits after
// responses that say nothing new (KIP-580, Metadata.timeToAllowUpdate).
func TestMetadataEpochs(t *testing.T) {
	m := NewMetadata(MetadataConfig{Name: "c", MaxAge: 5 * kafka.Minute, Backoff: Backoff{Initial: 100 * kafka.Millisecond, Max: kafka.Second}}, sim.NewRand(1, "m"))
	ti := m.Add("t")
	now := kafka.Instant(0)
	hear := func(id byte, leader, epoch int32) (wait kafka.Duration) {
		name := "t"
		p := kmsg.MetadataResponseTopicPartition{Leader: leader, LeaderEpoch: epoch}
		resp := &kmsg.MetadataResponse{Version: 13,
			Brokers: []kmsg.MetadataResponseBroker{{NodeID: 1}, {NodeID: 2}, {NodeID: 3}},
			Topics:  []kmsg.MetadataResponseTopic{{Topic: &name, TopicID: [16]byte{id}, Partitions: []kmsg.MetadataResponseTopicPartition{p}}}}
		m.asked = 1
		m.Heard(now, &sim.Input{Kind: sim.InputResponse, Response: resp}, sim.NewOut(now, 100))
		m.Request()
		return m.Wake().Sub(now)
	}
	want := func(node kafka.NodeID, epoch kafka.LeaderEpoch) {
		t.Helper()
		if got := m.Leader(ti, 0); got != (Leader{node, epoch}) {
			t.Errorf("leader %+v, want %d in epoch %d", got, node, epoch)
		}
	}
	hear(1, 1, 5)
	want(1, 5)
	hear(1, 2, 4) // from a broker that is behind
	want(1, 5)
	hear(1, 3, 5)
	want(3, 5)
	if m.Hint(ti, 0, 2, 5) || m.Hint(ti, 0, 2, 4) || !m.Hint(ti, 0, 2, 6) {
		t.Error("a hint counts if its epoch is above the known one")
	}
	want(2, 6)
	hear(2, 1, 0) // the topic was made again
	want(1, 0)
	for i, least := range []int64{80, 160, 320, 640, 800, 800} {
		if wait := hear(2, 1, 0).Millis(); wait < least || wait > 1000 || i > 0 && wait > least*3/2 {
			t.Errorf("after %d responses with nothing new it waits %d ms, want about %d", i+1, wait, least*5/4)
		}
	}
	if wait := hear(2, 2, 1).Millis(); wait > 120 {
		t.Errorf("after news it waits %d ms", wait)
	}
}
