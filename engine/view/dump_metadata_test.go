package view_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
)

const shortSnapshots = `title snapshots
cluster brokers=2 controllers=3 metadata.log.max.record.bytes.between.snapshots=1500
topic   a partitions=2 replication.factor=2
at 5s  crash broker-2
at 30s start broker-2
at 60s end
`

// The tool shows a controller's log as typed JSON with the fields of control records,
// and its snapshots; the files are the bytes that it was shown from.
func TestDumpMetadata(t *testing.T) {
	h := open(t, shortSnapshots)
	h.RunUntil(50*kafka.Instant(kafka.Second), 1<<40)
	w := h.World()
	for _, id := range []kafka.NodeID{101, 1} {
		files, snapshots := view.MetadataFilesOf(w, id), 0
		for _, f := range files {
			data, ok := view.MetadataFileBytes(w, id, f.Name)
			if !ok || int64(len(data)) != f.Size {
				t.Errorf("node %d: %s has %d bytes of %d", id, f.Name, len(data), f.Size)
			}
			if !strings.HasSuffix(f.Name, ".log") && !strings.HasSuffix(f.Name, ".checkpoint") {
				continue
			}
			file := view.ReadLogFile(f.Name, data)
			if file.Broken > 0 || !file.Metadata && file.Len() > 0 && file.Records > 1 {
				t.Errorf("node %d: %s: %+v", id, f.Name, file.Problems)
			}
			if strings.HasSuffix(f.Name, ".checkpoint") {
				snapshots++
			}
		}
		if snapshots == 0 {
			t.Fatalf("node %d has no snapshot among %+v", id, files)
		}
		log := strings.Join(view.DumpMetadata(w, id, false), "\n")
		for _, want := range []string{"Dumping 000000000000000000", "Log starting offset: ", ` payload: {"type":"`, "isControl: false"} {
			if !strings.Contains(log, want) {
				t.Errorf("node %d: the log's dump lacks %q:\n%s", id, want, log)
			}
		}
		snapshot := strings.Join(view.DumpMetadata(w, id, true), "\n")
		for _, want := range []string{"Snapshot end offset: ", ", epoch: 1", `SnapshotHeader {"version":0,"lastContainedLogTimestamp":`, `SnapshotFooter {"version":0}`, `{"type":"FEATURE_LEVEL_RECORD"`, `{"type":"TOPIC_RECORD","version":0,"data":{"name":"a","topicId":"`} {
			if !strings.Contains(snapshot, want) {
				t.Errorf("node %d: the snapshot's dump lacks %q:\n%s", id, want, snapshot)
			}
		}
	}
	quorum := view.Tool(w, &view.Cluster{}, view.Selection{Kind: "controller", Node: 101}, view.ToolQuorumState)
	if len(quorum) != 1 || !strings.Contains(quorum[0], `"currentVoters":[{"voterId":101},{"voterId":102},{"voterId":103}],"data_version":0}`) {
		t.Errorf("quorum-state %q", quorum)
	}
	if view.DumpMetadata(w, 7, false) != nil || view.MetadataFilesOf(w, 7) != nil {
		t.Error("there is no node 7")
	}
}

// A leader change has the fields of its schema.
func TestDumpLeaderChange(t *testing.T) {
	h := open(t, shortSnapshots)
	h.RunUntil(3*kafka.Instant(kafka.Second), 1<<40)
	log := strings.Join(view.DumpMetadata(h.World(), 101, false), "\n")
	data, _ := view.MetadataFileBytes(h.World(), 101, "00000000000000000000.log")
	all := strings.Join(view.DumpFile(view.ReadLogFile("00000000000000000000.log", data), 0, 1<<20), "\n")
	if !strings.Contains(all, `LeaderChange: {"version":0,"leaderId":10`) || !strings.Contains(all, `"voters":[{"voterId":101},{"voterId":102},{"voterId":103}],"grantingVoters":[{"voterId":10`) {
		t.Errorf("no leader change in\n%s", all)
	}
	// What the end of the log says, the file says too.
	lines := strings.Split(log, "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "| offset: ") || !strings.Contains(all, last) {
		t.Errorf("the file lacks %q", last)
	}
}

// The real metadata log and its snapshots are dumped without a record that is not
// understood, with every type by its name.
func TestDumpRealMetadata(t *testing.T) {
	dir := "../../../shared/fixtures/kafka-data/__cluster_metadata-0"
	for name, want := range map[string][]string{
		"00000000000000000000.log":                   {"Log starting offset: 0\n", `LeaderChange: {"version":0,"leaderId":1,"voters":[{"voterId":1}],"grantingVoters":[{"voterId":1}]}`, `payload: {"type":"REGISTER_BROKER_RECORD","version":`, `"securityProtocol":0}]`},
		"00000000000000007752-0000000001.checkpoint": {"Snapshot end offset: 7752, epoch: 1\n", `SnapshotHeader {"version":0,"lastContainedLogTimestamp":`, `SnapshotFooter {"version":0}`, `payload: {"type":"PARTITION_RECORD","version":`},
	} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Skip("no fixtures: ", err)
		}
		f := view.ReadLogFile(name, data)
		text := strings.Join(view.DumpFile(f, 0, f.Len()), "\n")
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %q in\n%.3000s", name, w, text)
			}
		}
		if strings.Contains(text, "skipping") || strings.Contains(text, "isvalid: false") || strings.Contains(text, "controlType: ") {
			t.Errorf("%s: something is not understood", name)
		}
		if n := strings.Count(text, "\nbaseOffset: "); n != f.Len() {
			t.Errorf("%s: %d batches of %d", name, n, f.Len())
		}
	}
}
