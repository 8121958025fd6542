package raft

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
)

// fixtureDir holds the metadata log and two snapshots of a Kafka 3.6 controller.
const fixtureDir = "../../../shared/fixtures/kafka-data/__cluster_metadata-0"

// Snapshots of a real controller are read, and written again with the same
// header, records and footer; Kafka cuts them into other batches.
func TestRealCheckpoints(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(fixtureDir, "*.checkpoint"))
	if len(files) == 0 {
		t.Skip("no checkpoints in " + fixtureDir)
	}
	values := func(data []byte) (vs [][]byte) {
		for found := range record.Scan(data) {
			if found.Err != nil {
				t.Fatal(found.Err)
			}
			for rec, err := range record.Records(found.Raw) {
				if err != nil {
					t.Fatal(err)
				}
				vs = append(vs, slices.Clone(rec.Key), slices.Clone(rec.Value))
			}
		}
		return vs
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := parseCheckpoint(data)
		if err != nil || len(c.records) < 100 || c.lastTime < 1_700_000_000_000 || c.dynamic {
			t.Fatalf("%s: %d records, last at %d: %v", name, len(c.records), c.lastTime, err)
		}
		id := SnapshotID{End: 14926, Epoch: 1}
		if id.File() != "00000000000000014926-0000000001.checkpoint" {
			t.Errorf("file name %s", id.File())
		}
		var r Replica
		again := r.checkpoint(id, c.lastTime, c.lastTime, c.records)
		if !slices.EqualFunc(values(data), values(again), bytes.Equal) {
			t.Errorf("%s: other records when written again", name)
		}
		if _, err := parseCheckpoint(again[:len(again)-1]); err == nil {
			t.Error("a snapshot cut short was taken")
		}
	}
}

// A snapshot of dynamic voters holds them, in VotersRecord's bytes.
func TestVotersRecord(t *testing.T) {
	vs := []Voter{NewVoter(101, [16]byte{1, 15: 9}, "controller-101"), NewVoter(102, [16]byte{2}, "c")}
	b := encodeVoters(vs)
	got, err := decodeVoters(b)
	if err != nil || !slices.Equal(got, vs) {
		t.Errorf("%v %v", got, err)
	}
	for i := range b {
		if _, err := decodeVoters(b[:i]); err == nil {
			t.Errorf("%d of %d bytes were taken", i, len(b))
		}
	}
	// version, 2 voters, id, directory, 1 endpoint, "CONTROLLER", "controller-101", port
	want := append([]byte{0, 0, 3, 0, 0, 0, 101, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 2, 11}, "CONTROLLER\x0fcontroller-101\x23\x85"...)
	if !bytes.HasPrefix(b, want) {
		t.Errorf("got %x\nwant %x...", b, want)
	}
	s, _ := func() (Snapshot, bool) { b := Bootstrap(vs); return b.Latest() }()
	if c, err := parseCheckpoint(s.Data); err != nil || !c.dynamic || !slices.Equal(c.voters, vs) || s.ID != (SnapshotID{}) {
		t.Errorf("bootstrap %+v %v", c, err)
	}
}

// Snapshots keep their order, the newest last, and one per end offset.
func TestSnapshotsOrder(t *testing.T) {
	var s Snapshots
	for _, end := range []kafka.Offset{10, 20, 30, 20} {
		s.add(Snapshot{ID: SnapshotID{End: end}})
	}
	if l, _ := s.Latest(); l.ID.End != 20 || len(s.List()) != 2 {
		t.Errorf("%+v", s.List())
	}
	s.dropBefore(SnapshotID{End: 20})
	if len(s.List()) != 1 {
		t.Errorf("%+v", s.List())
	}
}

// The control records of a real log are the ones that a replica with the same node.id
// writes: a sole voter, which elected itself.
func TestRealLeaderChange(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(fixtureDir, "00000000000000000000.log"))
	if err != nil {
		t.Skip(err)
	}
	n := 0
	for found := range record.Scan(data) {
		if found.Err != nil {
			t.Fatal(found.Err)
		}
		if !found.Raw.Attributes().Control() {
			continue
		}
		for rec, err := range record.Records(found.Raw) {
			if err != nil {
				t.Fatal(err)
			}
			r := Replica{cfg: Config{ID: 1}, voters: staticVoters([]kafka.NodeID{1})}
			r.openBallot()
			msg := r.leaderChange()
			if typ, err := record.ParseControlKey(rec.Key); err != nil || typ != record.ControlLeaderChange || !bytes.Equal(rec.Value, msg.AppendTo(nil)) {
				t.Errorf("offset %d: %v %v\n got %x\nwant %x", rec.Offset, typ, err, msg.AppendTo(nil), rec.Value)
			}
			n++
		}
	}
	if n == 0 {
		t.Error("the log has no control records")
	}
}

// With dynamic voters it tells their directories, of those who granted as well.
func TestLeaderChangeOfDynamicVoters(t *testing.T) {
	vs := []Voter{NewVoter(101, [16]byte{1}, "a"), NewVoter(102, [16]byte{2}, "b"), NewVoter(103, [16]byte{3}, "c")}
	r := Replica{cfg: Config{ID: 102, Directory: [16]byte{2}}, voters: vs, sets: []voterSet{{offset: -1, voters: vs}}}
	r.openBallot()
	r.ballot[2].state = granted
	msg := r.leaderChange()
	if msg.Version != 1 || msg.LeaderID != 102 || len(msg.Voters) != 3 || msg.Voters[0].VoterDirectoryID != [16]byte{1} ||
		len(msg.GrantingVoters) != 2 || msg.GrantingVoters[1].VoterID != 103 || msg.GrantingVoters[1].VoterDirectoryID != [16]byte{3} {
		t.Errorf("%+v", msg)
	}
}
