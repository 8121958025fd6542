package law

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/raft"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/highwater-sim/highwater/engine/trace"
)

// quorumOf returns a cluster with controllers 101 to 103, whose metadata logs have
// five batches of epoch 1, committed by 101.
func quorumOf(t *testing.T) (*fake, *Checker) {
	t.Helper()
	f, c := newFake(), &Checker{}
	f.members = map[kafka.NodeID]Member{}
	for n := kafka.NodeID(101); n <= 103; n++ {
		f.members[n] = Member{
			Mark: Mark{Up: true, Epoch: 1}, Voters: ids(101, 102, 103),
			Log: storage.New(0, storage.Config{SegmentBytes: 1 << 20, IndexIntervalBytes: 4096, SegmentIndexBytes: 1 << 20}, 0),
		}
		f.write(t, n, 1, "a", "b", "c", "d", "e")
	}
	mustHold(t, f.quorum(c, 101, func(m *Member) { m.Leads, m.Ready, m.HW = true, true, 5 }))
	mustHold(t, f.quorum(c, 102, func(m *Member) { m.HW = 5 }))
	return f, c
}

// write appends batches to a metadata log.
func (f *fake) write(t *testing.T, n kafka.NodeID, epoch kafka.LeaderEpoch, values ...string) {
	t.Helper()
	for _, v := range values {
		b := record.Build(record.BatchSpec{Records: []record.Record{{Value: []byte(v)}}})
		if _, _, err := f.members[n].Log.AppendAsLeader(0, b, epoch); err != nil {
			t.Fatal(err)
		}
	}
}

// quorum changes a member in an event of its.
func (f *fake) quorum(c *Checker, n kafka.NodeID, change func(*Member)) *Violation {
	m := f.members[n]
	change(&m)
	f.members[n] = m
	c.Acted(n, m.Mark)
	return c.Happened(f)
}

func TestQuorumEpoch(t *testing.T) {
	f, c := quorumOf(t)
	mustBreak(t, f.quorum(c, 102, func(m *Member) { m.Epoch = 0 }), "quorum epoch", "node 102", "from epoch 1 to 0")
}

func TestQuorumLeader(t *testing.T) {
	f, c := quorumOf(t)
	mustBreak(t, f.quorum(c, 102, func(m *Member) { m.Leads = true }), "quorum leader", "epoch 1", "101 and 102")

	f, c = quorumOf(t)
	f.members[103].Log.TruncateTo(3)
	lead := func(m *Member) { m.Leads, m.Epoch = true, 2 }
	mustBreak(t, f.quorum(c.Clone(), 103, lead), "quorum leader", "leader 103 of epoch 2", "ends at 3", "5 was committed")

	// A killed process leaves pages that the next one acknowledges.
	c.Noted(&trace.Note{Kind: trace.Crash, Node: 103})
	c.Noted(&trace.Note{Kind: trace.PowerLoss, Node: 103, N: 1})
	mustHold(t, f.quorum(c, 103, lead))
}

func TestQuorumHighWatermark(t *testing.T) {
	f, c := quorumOf(t)
	mustBreak(t, f.quorum(c, 101, func(m *Member) { m.HW = 4 }), "quorum high watermark", "at 4, after 5")

	f, c = quorumOf(t)
	f.write(t, 101, 1, "f")
	mustBreak(t, f.quorum(c, 101, func(m *Member) { m.HW = 6 }), "quorum majority", "high watermark 6", "1 of 3 voters")
}

func TestMetadataLog(t *testing.T) {
	f, c := quorumOf(t)
	f.members[103].Log.TruncateTo(4)
	f.write(t, 103, 1, "another")
	mustBreak(t, f.quorum(c, 103, func(m *Member) { m.HW = 5 }), "metadata log", "node 103", "offset 4")
}

func TestSnapshots(t *testing.T) {
	f, c := quorumOf(t)
	start := func(m *Member) { m.Start = 3 }
	mustBreak(t, f.quorum(c.Clone(), 102, start), "quorum snapshot", "node 102 begins at 3")
	f.members[102] = Member{Mark: f.members[102].Mark, Log: f.members[102].Log, Snapshots: []raft.Snapshot{{ID: raft.SnapshotID{End: 3, Epoch: 1}}}}
	mustHold(t, f.quorum(c, 102, start))

	loads := trace.Note{Kind: trace.SnapshotFetched, Node: 102, Peer: 103, Offset: 5}
	mustHold(t, step(c, f, &loads))
	loads.Node = 101
	mustBreak(t, step(c, f, &loads), "quorum snapshot", "leader 101", "from node 103")
}

// TestQuorumIdle: nothing is looked at while nothing moves.
func TestQuorumIdle(t *testing.T) {
	f, c := quorumOf(t)
	c.Acted(101, f.members[101].Mark)
	if c.Pending() {
		t.Error("something is to be looked at though nothing has moved")
	}
}

// A static voter whose disk was formatted votes for logs that lack what it had, and in
// epochs in which it has voted: what comes of it is not the engine's fault. With dynamic
// voters it does not vote.
func TestFormattedVoters(t *testing.T) {
	for _, c := range []struct {
		say   string
		holds bool
	}{{trace.SameVoter, true}, {trace.AnotherVoter, false}} {
		f, laws := quorumOf(t)
		laws.Noted(&trace.Note{Kind: trace.DiskFormatted, Node: 102, Say: c.say})
		f.members[103].Log.TruncateTo(3)
		v := f.quorum(laws, 103, func(m *Member) { m.Leads, m.Epoch = true, 2 })
		if (v == nil) != c.holds {
			t.Errorf("%s: %v", c.say, v)
		}
		f, laws = quorumOf(t)
		laws.Noted(&trace.Note{Kind: trace.DiskFormatted, Node: 103, Say: c.say})
		if v := f.quorum(laws, 102, func(m *Member) { m.Leads = true }); (v == nil) != c.holds {
			t.Errorf("%s: a second leader: %v", c.say, v)
		}
	}
}
