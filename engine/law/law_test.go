package law

import (
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/highwater-sim/highwater/engine/trace"
)

var tp = kafka.TopicPartition{Topic: "t"}

// fake is a cluster of three replicas of t-0 that a test sets as it likes.
type fake struct {
	img      *metadata.Image
	replicas [4]*Replica // by broker
	minISR   int
	acked    client.IDs
	down     [4]bool
	unclean  bool
	members  map[kafka.NodeID]Member
}

func newFake() *fake {
	f := &fake{minISR: 2, img: &metadata.Image{Features: []metadata.Feature{{Name: metadata.FeatureELR, Level: 1}}, Topics: []*metadata.Topic{{Name: "t", Partitions: []*metadata.Partition{{
		Replicas: []kafka.NodeID{1, 2, 3}, ISR: []kafka.NodeID{1, 2, 3}, Leader: 1,
	}}}}}}
	for b := 1; b <= 3; b++ {
		f.replicas[b] = &Replica{Log: storage.New(0, storage.Config{SegmentBytes: 1 << 20, IndexIntervalBytes: 4096, SegmentIndexBytes: 1 << 20}, 0), Up: true}
	}
	f.lead(1, 0)
	return f
}

func (f *fake) lead(b kafka.NodeID, epoch kafka.LeaderEpoch) trace.Note {
	for i := 1; i <= 3; i++ {
		f.replicas[i].Leads = kafka.NodeID(i) == b
		f.replicas[i].Epoch = epoch
		f.replicas[i].Maximal = []kafka.NodeID{1, 2, 3}
	}
	p := *f.img.Topics[0].Partitions[0]
	p.Leader, p.LeaderEpoch = b, epoch
	f.img.Topics[0].Partitions[0] = &p
	return trace.Note{Kind: trace.BecameLeader, Topic: "t", Node: b, Epoch: epoch}
}

// put appends records app#from..app#from+n-1 as one batch to brokers' logs.
func (f *fake) put(t *testing.T, epoch kafka.LeaderEpoch, from, n int64, brokers ...int) {
	t.Helper()
	for _, b := range brokers {
		var bld record.Builder
		bld.Reset(record.BatchSpec{ProducerID: record.NoProducerID, ProducerEpoch: -1, BaseSequence: -1})
		for i := range n {
			bld.Add(kafka.StartUnixMilli, nil, client.AppendIdentity(nil, "app", from+i, 20), nil)
		}
		if _, _, err := f.replicas[b].Log.AppendAsLeader(0, bld.Take(), epoch); err != nil {
			t.Fatal(err)
		}
	}
}

func (f *fake) Now() kafka.Instant              { return kafka.Instant(kafka.Second) }
func (f *fake) Image() *metadata.Image          { return f.img }
func (f *fake) MinISR(kafka.TopicPartition) int { return f.minISR }
func (f *fake) UncleanAllowed(string) bool      { return f.unclean }
func (f *fake) Member(n kafka.NodeID) (Member, bool) {
	m, ok := f.members[n]
	return m, ok
}
func (f *fake) Producers() []Producer { return []Producer{f.app()} }
func (f *fake) app() Producer         { return Producer{Name: "app", AcksAll: true, Acked: &f.acked} }
func (f *fake) Replica(b kafka.NodeID, p kafka.TopicPartition) (Replica, bool) {
	if b < 1 || b > 3 || p != tp {
		return Replica{}, false
	}
	r := *f.replicas[b]
	r.Up = !f.down[b]
	return r, true
}

func (f *fake) ReplicaOf(b kafka.NodeID, p kafka.TopicPartition, id kafka.TopicID, r *Replica) bool {
	s, ok := f.Replica(b, p)
	*r = s
	return ok && s.TopicID == id
}

func hw(b kafka.NodeID, to kafka.Offset) *trace.Note {
	return &trace.Note{Kind: trace.HighWatermark, Topic: "t", Node: b, Offset: to, N: 1}
}

// step shows notes to a checker as one event does.
func step(c *Checker, f *fake, notes ...*trace.Note) *Violation {
	for _, n := range notes {
		c.Noted(n)
	}
	return c.Happened(f)
}

// mustHold fails the test on a violation.
func mustHold(t *testing.T, v *Violation) {
	t.Helper()
	if v != nil {
		t.Fatalf("violation: %v", v)
	}
}

// mustBreak fails the test unless a law is broken with all the words in its text.
func mustBreak(t *testing.T, v *Violation, law string, words ...string) {
	t.Helper()
	if v == nil || v.Law != law {
		t.Fatalf("want %q broken, got %v", law, v)
	}
	for _, w := range words {
		if !strings.Contains(v.Text, w) {
			t.Errorf("%q does not say %q", v.Text, w)
		}
	}
	if v.At != kafka.Instant(kafka.Second) {
		t.Errorf("at %s", v.At)
	}
}

func TestHighWatermark(t *testing.T) {
	f, c := newFake(), &Checker{}
	f.put(t, 0, 0, 5, 1, 2)
	f.put(t, 0, 0, 5, 3)
	f.replicas[1].HW = 5
	mustHold(t, step(c, f, hw(1, 5)))
	f.put(t, 0, 5, 2, 1, 2)
	f.replicas[1].HW = 7
	mustBreak(t, step(c, f, hw(1, 7)), "high watermark", "t-0", "high watermark 7", "log end offset 5", "broker 3")
}

func TestHighWatermarkAbovePoweredOff(t *testing.T) {
	f, c := newFake(), &Checker{}
	f.put(t, 0, 0, 5, 1, 2)
	f.replicas[1].HW = 5
	mustHold(t, step(c, f, &trace.Note{Kind: trace.BecameLeader, Topic: "t", Node: 1}, &trace.Note{Kind: trace.PowerLoss, Node: 3, N: 1}, hw(1, 5)))
}

func TestMonotone(t *testing.T) {
	f, c := newFake(), &Checker{}
	f.put(t, 0, 0, 5, 1, 2, 3)
	f.replicas[1].HW = 5
	mustHold(t, step(c, f, hw(1, 5)))
	f.replicas[1].HW = 4
	mustBreak(t, step(c.Clone(), f, hw(1, 4)), "monotone", "went back from 5 to 4", "epoch 0")

	// After a restart of the process it begins at its checkpoint.
	mustHold(t, step(c, f, &trace.Note{Kind: trace.Boot, Node: 1}, hw(1, 4)))
}

func TestOneLeader(t *testing.T) {
	f, c := newFake(), &Checker{}
	mustHold(t, step(c, f, &trace.Note{Kind: trace.BecameLeader, Topic: "t", Node: 1, Epoch: 0}))
	n := f.lead(2, 1)
	mustHold(t, step(c, f, &n))
	n = f.lead(3, 1)
	mustBreak(t, step(c, f, &n), "one leader", "epoch 1", "broker 2", "broker 3")
}

func TestCommittedPrefix(t *testing.T) {
	f, c := newFake(), &Checker{}
	f.put(t, 0, 0, 3, 1, 2)
	f.put(t, 0, 7, 3, 3) // other records at the same offsets
	f.replicas[1].HW = 3
	mustBreak(t, step(c, f, hw(1, 3)), "committed prefix", "high watermark 3", "broker 3", "offset 0")
}

// committed returns a cluster in which five records are committed and seen to be.
func committed(t *testing.T) (*fake, *Checker) {
	f, c := newFake(), &Checker{}
	f.put(t, 0, 0, 5, 1, 2, 3)
	f.replicas[1].HW = 5
	mustHold(t, step(c, f, hw(1, 5)))
	return f, c
}

func TestElectionKeepsCommitted(t *testing.T) {
	f, c := committed(t)
	f.replicas[2].Log.TruncateTo(0)
	n := f.lead(2, 1)
	mustBreak(t, step(c, f, &n), "committed prefix", "leader 2", "log end offset 0", "5 records", "0 of its replicas", "min.insync.replicas is 2")
}

// TestOldLeaderCommits: who does not know of its successor may still commit what
// the successor has, and the successor must keep it.
func TestOldLeaderCommits(t *testing.T) {
	f, c := committed(t)
	f.put(t, 0, 5, 3, 1, 2, 3)
	n := f.lead(2, 1)
	f.replicas[1].Leads, f.replicas[1].Epoch = true, 0
	f.replicas[1].HW = 8
	mustHold(t, step(c, f, &n, hw(1, 8)))
	c.Acked(&trace.Note{Kind: trace.ProduceAcked, Topic: "t", Who: "app", Offset: 5, N: 3})
	mustHold(t, c.Happened(f))
	f.replicas[2].Log.TruncateTo(5)
	mustBreak(t, step(c, f, &trace.Note{Kind: trace.Truncated, Topic: "t", Node: 2, Offset: 5, From: 8}), "high watermark", "high watermark 8", "log end offset 5")
}

func TestLossesThatKafkaAllows(t *testing.T) {
	for name, notes := range map[string][]*trace.Note{
		"unclean election": {{Kind: trace.LeaderElected, Topic: "t", Node: 2, Epoch: 1, Say: "unclean"}},
		"two power losses": {{Kind: trace.PowerLoss, Node: 2, N: 1}, {Kind: trace.PowerLoss, Node: 3, N: 1}},
	} {
		f, c := committed(t)
		f.unclean = true
		f.replicas[2].Log.TruncateTo(0)
		n := f.lead(2, 1)
		mustHold(t, step(c, f, append(notes, &n)...))
		if c.parts[0].committed != 0 {
			t.Errorf("%s: %d still count as committed", name, c.parts[0].committed)
		}
	}
	f, c := committed(t)
	f.replicas[2].Log.TruncateTo(0)
	n := f.lead(2, 1)
	mustBreak(t, step(c, f, &trace.Note{Kind: trace.PowerLoss, Node: 2, N: 1}, &n), "committed prefix", "1 of its replicas lost power")

	f, c = committed(t) // without ELR the last of the ISR leads with what is on its disk
	f.img.Features = nil
	f.replicas[2].Log.TruncateTo(0)
	n = f.lead(2, 1)
	mustHold(t, step(c, f, &trace.Note{Kind: trace.PowerLoss, Node: 2, N: 1}, &n))
}

func TestLogMatching(t *testing.T) {
	f, c := newFake(), &Checker{}
	f.put(t, 4, 0, 3, 1)
	f.put(t, 4, 0, 3, 2)
	grown := trace.Note{Kind: trace.Replicated, Topic: "t", Node: 2, From: 0, Offset: 2}
	mustHold(t, step(c, f, &grown))
	f.put(t, 4, 3, 1, 1)
	f.put(t, 4, 9, 1, 2)
	grown.From, grown.Offset = 3, 3
	mustBreak(t, step(c, f, &grown), "log matching", "offset 3", "epoch 4", "brokers 2 and 1")

	// Another epoch is another history.
	f, c = newFake(), &Checker{}
	f.put(t, 4, 0, 1, 1)
	f.put(t, 5, 9, 1, 2)
	mustHold(t, step(c, f, &trace.Note{Kind: trace.Replicated, Topic: "t", Node: 2}))
}

func TestAcks(t *testing.T) {
	f, c := committed(t)
	c.Acked(&trace.Note{Kind: trace.ProduceAcked, Topic: "t", Who: "app", Offset: 3, N: 2})
	mustHold(t, c.Happened(f))
	c.Acked(&trace.Note{Kind: trace.ProduceAcked, Topic: "t", Who: "app", Offset: 4, N: 2})
	mustBreak(t, c.Happened(f), "acks", "app has acks=all", "up to 5", "only 5 are committed")
}

// TestCloneIsApart makes sure that going back in time forgets.
func TestCloneIsApart(t *testing.T) {
	f, c := committed(t)
	past := c.Clone()
	f.put(t, 0, 5, 5, 1, 2, 3)
	f.replicas[1].HW = 10
	mustHold(t, step(c, f, hw(1, 10)))
	if got := past.parts[0].committed; got != 5 {
		t.Errorf("the copy has %d committed, want 5", got)
	}
	if got := past.parts[0].member(2).verified; got != 5 {
		t.Errorf("the copy verified broker 2 up to %d, want 5", got)
	}
}

func TestLedger(t *testing.T) {
	f, l := newFake(), &Ledger{}
	f.put(t, 0, 0, 3, 1, 2)
	f.put(t, 0, 3, 4, 1) // three to six: at the leader only
	for i := range int64(7) {
		f.acked.Add(i)
	}
	check := func(when string, want Entry, notes ...trace.Note) {
		t.Helper()
		for i := range notes {
			l.Noted(&notes[i])
		}
		l.Update(f)
		if got := l.Of(f.app()); got != want {
			t.Errorf("%s: %+v, want %+v", when, got, want)
		}
	}
	check("all on the leader", Entry{Stored: 7})
	f.replicas[1].Log.Kill()
	f.down[1] = true
	check("the leader crashed: it may come back", Entry{Stored: 7}, trace.Note{Kind: trace.Crash, Node: 1})
	past := l.Clone()
	check("another leads", Entry{Stored: 3, Lost: 4}, f.lead(2, 1))
	f.put(t, 1, 6, 1, 2)
	grown := trace.Note{Kind: trace.Append, Topic: "t", Node: 2}
	check("six came again", Entry{Stored: 4, Lost: 3}, grown)
	f.put(t, 1, 6, 1, 2)
	check("and again", Entry{Stored: 4, Lost: 3, Duplicated: 1}, grown)
	f.replicas[2].Log.TruncateTo(4)
	check("the copy was cut off", Entry{Stored: 4, Lost: 3}, trace.Note{Kind: trace.Truncated, Topic: "t", Node: 2})
	f.img.Topics = nil
	check("the topic was deleted", Entry{Lost: 7})
	if got := past.Of(f.app()); got != (Entry{Stored: 7}) {
		t.Errorf("the past has changed: %+v", got)
	}
}

// TestLedgerRetention: what was deleted on purpose is not lost.
func TestLedgerRetention(t *testing.T) {
	f, l := newFake(), &Ledger{}
	f.put(t, 0, 0, 2, 1)
	f.put(t, 0, 2, 2, 1)
	for i := range int64(6) {
		f.acked.Add(i)
	}
	if _, err := f.replicas[1].Log.SetLogStart(2); err != nil {
		t.Fatal(err)
	}
	p := f.app()
	p.EachAck = func(yield func(kafka.TopicPartition, int64, kafka.Offset) bool) {
		for i := range int64(6) {
			yield(tp, i, kafka.Offset(i))
		}
	}
	l.Update(f)
	if got, want := l.Of(p), (Entry{Stored: 2, Lost: 2}); got != want {
		t.Errorf("%+v, want %+v: 0 and 1 were deleted, 4 and 5 are lost", got, want)
	}
}

// TestLedgerPower judges by what will be there after recovery.
func TestLedgerPower(t *testing.T) {
	f, l := newFake(), &Ledger{}
	f.put(t, 0, 0, 3, 1, 2, 3)
	f.replicas[2].Log.Flush()
	f.put(t, 0, 3, 2, 1, 2, 3)
	for i := range int64(5) {
		f.acked.Add(i)
	}
	for b := 1; b <= 3; b++ {
		f.replicas[b].Log.LosePageCache()
		f.down[b] = true
		l.Noted(&trace.Note{Kind: trace.PowerLoss, Node: kafka.NodeID(b)})
	}
	l.Update(f)
	if got, want := l.Of(f.app()), (Entry{Stored: 3, Lost: 2}); got != want {
		t.Errorf("%+v, want %+v: broker 2 has three on its disk", got, want)
	}
}

// BenchmarkChecker is the cost of the laws for one batch that two followers
// take and that is committed.
func BenchmarkChecker(b *testing.B) {
	f, c := newFake(), &Checker{}
	batch := record.Build(record.BatchSpec{Records: []record.Record{{Value: []byte("app#0")}}})
	for i := 0; b.Loop(); i++ {
		for n := 1; n <= 3; n++ {
			if _, _, err := f.replicas[n].Log.AppendAsLeader(0, batch, 0); err != nil {
				b.Fatal(err)
			}
		}
		off := kafka.Offset(i)
		for n := kafka.NodeID(2); n <= 3; n++ {
			c.Noted(&trace.Note{Kind: trace.Replicated, Topic: "t", Node: n, From: off, Offset: off})
			if v := c.Happened(f); v != nil {
				b.Fatal(v)
			}
		}
		f.replicas[1].HW = off + 1
		if v := step(c, f, hw(1, off+1)); v != nil {
			b.Fatal(v)
		}
	}
}
