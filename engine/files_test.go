package engine_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/view"
)

const kafkaFiles = "../../shared/fixtures/kafka-data"

const filed = `title files
seed     7
cluster  brokers=3
topic    payments partitions=1 replication.factor=3 segment.bytes=2000
producer app topic=payments rate=50/s keys=8 linger.ms=20
consumer c1 assign=payments group=billing
`

// A replica's files are those that Kafka would have: they read back, follow each
// other, and the index points at batches.
func TestSegmentFilesRoundTrip(t *testing.T) {
	s, err := engine.Open(filed, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.RunUntil(4*kafka.Instant(kafka.Second), 1<<30)
	tp := kafka.TopicPartition{Topic: "payments"}
	sel := view.Selection{Kind: "replica", TP: tp, Node: 2}
	d := s.Inspect(sel)
	logs, entries := 0, 0
	for _, f := range d.Files {
		data, err := s.SegmentFile(tp, 2, f.Name)
		if err != nil || int64(len(data)) != f.Size {
			t.Fatalf("%s: %d bytes of %d, %v", f.Name, len(data), f.Size, err)
		}
		if digits, ok := strings.CutSuffix(f.Name, ".log"); ok {
			logs++
			base, _ := strconv.ParseInt(digits, 10, 64)
			index, _ := s.SegmentFile(tp, 2, digits+".index")
			entries += len(index) / 8
			checkSegment(t, f.Name, data, index, kafka.Offset(base))
		}
	}
	if logs < 3 || len(d.Files) != 3*logs+1 {
		t.Errorf("%d segments, files %+v", logs, d.Files)
	}
	for _, name := range []string{"00000000000000000001.log", "x.log", "00000000000000000000.txnindex", ""} {
		if _, err := s.SegmentFile(tp, 2, name); err == nil {
			t.Errorf("there is a file %q", name)
		}
	}
}

func checkSegment(t *testing.T, name string, data, index []byte, base kafka.Offset) {
	t.Helper()
	f := engine.ReadLogFile(name, data)
	if f.Broken > 0 || f.Metadata || f.Len() == 0 {
		t.Fatalf("%s: %+v, %d batches, metadata %v", name, f.Problems, f.Len(), f.Metadata)
	}
	var again []byte
	at := map[int64]kafka.Offset{}
	for found := range record.Scan(data) {
		b, err := record.Decode(found.Raw)
		if err != nil || found.Err != nil {
			t.Fatal(name, err, found.Err)
		}
		again = b.Encode(again)
		at[found.Pos] = found.Header.LastOffset()
	}
	if !bytes.Equal(again, data) {
		t.Errorf("%s is not what its batches encode to", name)
	}
	if got := f.Batch(0).Header.BaseOffset; got != base {
		t.Errorf("%s begins at %d", name, got)
	}
	for i := 0; i+8 <= len(index); i += 8 {
		rel, pos := binary.BigEndian.Uint32(index[i:]), binary.BigEndian.Uint32(index[i+4:])
		if last, ok := at[int64(pos)]; !ok || last != base+kafka.Offset(rel) {
			t.Errorf("%s: index entry %d at %d: batch %d %v", name, rel, pos, last, ok)
		}
	}
}

// Real files of Kafka read without a problem; metadata records have their names.
func TestRealFiles(t *testing.T) {
	names, _ := filepath.Glob(filepath.Join(kafkaFiles, "*", "*"))
	types := map[string]int{}
	for _, name := range names {
		if !strings.HasSuffix(name, ".log") && !strings.HasSuffix(name, ".checkpoint") {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f := engine.ReadLogFile(filepath.Base(name), data)
		if f.Broken > 0 {
			t.Errorf("%s: %+v", name, f.Problems)
		}
		if want := strings.Contains(name, "__cluster_metadata"); f.Metadata != want {
			t.Errorf("%s: metadata %v", name, f.Metadata)
		}
		for i := range f.Len() {
			records, left, problem := f.Entries(i, 1<<30)
			if problem != "" || left != 0 || len(records) != int(f.Batch(i).Header.Count) {
				t.Errorf("%s, batch %d: %d records, %d left, %s", name, i, len(records), left, problem)
			}
			for _, r := range records {
				types[r.Type]++
			}
		}
	}
	if len(names) == 0 {
		t.Skipf("no files in %s", kafkaFiles)
	}
	want := map[string]int{"TOPIC_RECORD": 181, "PARTITION_RECORD": 445, "CONFIG_RECORD": 1125, "PARTITION_CHANGE_RECORD": 151, "NO_OP_RECORD": 16277,
		"FEATURE_LEVEL_RECORD": 3, "PRODUCER_IDS_RECORD": 3, "ZK_MIGRATION_STATE_RECORD": 3, "SNAPSHOT_HEADER": 2, "SNAPSHOT_FOOTER": 2}
	for name, n := range want {
		if types[name] != n {
			t.Errorf("%s: %d, want %d", name, types[name], n)
		}
	}
}

// What is broken is told with its place, and what is whole is still shown.
func TestBrokenFiles(t *testing.T) {
	batch := func(base kafka.Offset) []byte {
		b := record.Build(record.BatchSpec{Records: []record.Record{{Key: []byte("k"), Value: []byte("value"), Timestamp: 5}}})
		record.SetBaseOffsetAndEpoch(b, base, 1)
		return b
	}
	one, two := batch(0), batch(1)
	flipped := append([]byte(nil), two...)
	flipped[len(flipped)-3] ^= 1
	join := func(bs ...[]byte) []byte { return bytes.Join(bs, nil) }
	n := int64(len(one))
	for _, x := range []struct {
		name, file string
		data       []byte
		batches    int
		pos        int64
		text       string
	}{
		{"flipped", "a.log", join(one, flipped, batch(2)), 3, n + 17, "CRC-32C"},
		{"torn", "a.log", join(one, two[:len(two)-4]), 1, n + 8, "cut off"},
		{"zeros", "a.log", join(one, make([]byte, 100)), 1, n, "zero"},
		{"back", "a.log", join(two, one), 2, n, "never go back"},
		{"below its name", "00000000000000000005.log", one, 1, 0, "never go back"},
		{"text", "notes.log", []byte(strings.Repeat("hello ", 40)), 0, 16, "magic"},
		{"empty", "a.log", nil, 0, 0, "empty"},
		{"index", "00000000000000000000.index", make([]byte, 8), 0, 0, "index"},
	} {
		f := engine.ReadLogFile(x.file, x.data)
		if f.Broken != 1 || f.Len() != x.batches || f.Problems[0].Pos != x.pos || !strings.Contains(f.Problems[0].Text, x.text) {
			t.Errorf("%s: %d batches, %+v", x.name, f.Len(), f.Problems)
		}
	}
	if f := engine.ReadLogFile("a.log", make([]byte, view.LogFileMax+1)); f.Broken != 1 || f.Len() != 0 {
		t.Errorf("a file that is too large: %+v", f.Problems)
	}
}

// A batch of any codec is read; what does not unpack, though the CRC is right, is
// told with codec, kind and place, and the other batches are read.
func TestPackedFiles(t *testing.T) {
	value := []byte(strings.Repeat("the high watermark of payments-0; ", 60))
	for codec := record.CodecGzip; codec <= record.CodecZstd; codec++ {
		whole := record.Build(record.BatchSpec{Codec: codec, Records: []record.Record{{Value: value, Timestamp: 5}}})
		broken := bytes.Clone(whole)
		copy(broken[record.HeaderSize:], "no frame")
		binary.BigEndian.PutUint32(broken[17:], crc32.Checksum(broken[21:], crc32.MakeTable(crc32.Castagnoli)))
		record.SetBaseOffsetAndEpoch(broken, 1, 0)
		f := engine.ReadLogFile("a.log", slices.Concat(whole, broken))
		if f.Broken > 0 || f.Len() != 2 {
			t.Fatalf("%s: %d batches, %+v", codec, f.Len(), f.Problems)
		}
		if list, left, problem := f.Entries(0, 10); len(list) != 1 || left != 0 || problem != "" || !strings.Contains(list[0].Value, "watermark") {
			t.Errorf("%s: %d and %d records, %s", codec, len(list), left, problem)
		}
		if list, _, problem := f.Entries(1, 10); len(list) != 0 || !strings.HasPrefix(problem, "the records do not unpack with "+codec.String()+": ") || !strings.Contains(problem, " of the batch: ") {
			t.Errorf("%s: %d records, %q", codec, len(list), problem)
		} else {
			t.Log(problem)
		}
	}
}

func FuzzReadLogFile(f *testing.F) {
	b := record.Build(record.BatchSpec{Records: []record.Record{{Value: []byte{1, 2, 0, 2, 'a'}}, {Key: []byte("k")}}})
	f.Add("00000000000000000000.log", b)
	f.Add("x.checkpoint", append(record.BuildControl(record.ControlSnapshotHeader, make([]byte, 12), 3), b...))
	f.Add("a.log", record.BuildControl(record.ControlKRaftVersion, nil, 3))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		file := engine.ReadLogFile(name, data)
		end := int64(0)
		for i := range file.Len() {
			x := file.Batch(i)
			if x.Pos != end {
				t.Fatalf("batch %d at %d, not %d", i, x.Pos, end)
			}
			end += int64(x.Header.Size())
			if records, _, _ := file.Entries(i, 10); len(records) > 10 {
				t.Fatalf("%d records", len(records))
			}
		}
		for _, p := range file.Problems {
			if p.Pos < 0 || p.Pos > int64(len(data)) {
				t.Fatalf("a problem outside the file: %+v", p)
			}
		}
		if end < int64(len(data)) && file.Broken == 0 {
			t.Fatalf("%d of %d bytes read, and no problem", end, len(data))
		}
	})
}

// The tools print what people know from them.
func TestTools(t *testing.T) {
	s, err := engine.Open(filed, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.RunUntil(7*kafka.Instant(kafka.Second), 1<<30)
	tp := kafka.TopicPartition{Topic: "payments"}
	replica := view.Selection{Kind: "replica", TP: tp, Node: 1}
	for _, x := range []struct {
		sel  view.Selection
		tool string
		want []string
	}{
		{view.Selection{}, view.ToolTopics, []string{"Topic: payments\tTopicId: ", "\tTopic: payments\tPartition: 0\tLeader: "}},
		{view.Selection{}, view.ToolQuorumStatus, []string{"LeaderId:"}},
		{view.Selection{}, view.ToolReassign, []string{"No partition reassignments found."}},
		{view.Selection{}, view.ToolGroups, []string{"Consumer group 'billing' has no active members.",
			"GROUP           TOPIC           PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG             CONSUMER-ID     HOST            CLIENT-ID",
			"billing         payments        0          "}},
		{replica, view.ToolDumpLog, []string{"Dumping 000000000000000", "Log starting offset: ", "baseOffset: ", " deleteHorizonMs: OptionalLong.empty position: ", "| offset: ", " headerKeys: [", " key: ", " payload: "}},
		{replica, view.ToolDumpIndex, []string{".timeindex", "offset: ", "timestamp: "}},
		{replica, view.ToolEpochs, []string{"0\n1\n0 0"}},
		{view.Selection{Kind: "record", TP: tp, Node: 1, Offset: 3}, view.ToolDumpLog, []string{"baseOffset: ", "| offset: 3 "}},
	} {
		text := strings.Join(s.Tool(x.sel, x.tool), "\n")
		for _, w := range x.want {
			if !strings.Contains(text, w) {
				t.Errorf("%s has no %q:\n%s", x.tool, w, text)
			}
		}
	}
	for _, kind := range []string{"", "controller", "broker", "topic", "partition", "replica", "record", "consumer"} {
		for _, name := range view.Tools(view.Selection{Kind: kind}) {
			s.Tool(view.Selection{Kind: kind}, name) // nothing there: no panic
		}
	}
}

// A record can be deleted, and a bit of it flipped, by the commands that the
// inspector offers; the frozen high watermark names what would move it.
func TestRecordActions(t *testing.T) {
	text := strings.Replace(filed, "segment.bytes=2000", "min.insync.replicas=2", 1)
	sel := view.Selection{Kind: "record", TP: kafka.TopicPartition{Topic: "payments"}, Node: 1, Offset: 3}
	for _, want := range []string{"delete-records payments-0 4", "corrupt broker-1 payments-0 3"} {
		s, err := engine.Open(text, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s.RunUntil(2*kafka.Instant(kafka.Second), 1<<30)
		d := s.Inspect(sel)
		offered := false
		for _, a := range d.Actions {
			offered = offered || a.Command == want
		}
		if err := s.Do(want); err != nil || !offered {
			t.Errorf("%q: offered %v, %v", want, offered, err)
		}
		s.RunUntil(3*kafka.Instant(kafka.Second), 1<<30)
		if gone := s.Inspect(sel); strings.HasPrefix(want, "delete") && (gone.WhyTitle != "Why is record 3 gone?" || len(gone.Why) < 2) {
			t.Errorf("after %s: %q %+v", want, gone.WhyTitle, gone.Why)
		}
	}
	s, err := engine.Open(text+"at 2s crash broker-2,broker-3\n", engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.RunUntil(40*kafka.Instant(kafka.Second), 1<<30)
	var said []string
	for _, w := range s.Inspect(view.Selection{Kind: "replica", TP: sel.TP, Node: 1}).Why {
		said = append(said, w.Text)
	}
	all := strings.Join(said, "\n")
	for _, want := range []string{"frozen: ISR {1} has 1 of min.insync.replicas 2", "start broker-2", "config topic payments min.insync.replicas=1"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in:\n%s", want, all)
		}
	}
}
