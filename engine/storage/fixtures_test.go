package storage

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
)

// kafkaFiles are partition folders of a real Kafka 3.6 broker, beside the
// repository.
const kafkaFiles = "../../../shared/fixtures/kafka-data"

// TestRealIndexes feeds real logs through the append path, batch by batch, and
// wants the files that Kafka wrote: .log and .index byte for byte, .timeindex
// in its timestamps, whose offsets are those of Kafka 4.2, and
// leader-epoch-checkpoint.
func TestRealIndexes(t *testing.T) {
	if _, err := os.Stat(kafkaFiles); err != nil {
		t.Skipf("no real Kafka files at %s: %v", kafkaFiles, err)
	}
	dirs, err := filepath.Glob(filepath.Join(kafkaFiles, "*-*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("%s holds no partition: %v", kafkaFiles, err)
	}
	entries := 0
	for _, dir := range dirs {
		read := func(name string) []byte {
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		file := read("00000000000000000000.log")
		l := New(0, DefaultConfig(), 0)
		for f := range record.Scan(file) {
			if f.Err != nil {
				t.Fatalf("%s: %v", dir, f.Err)
			}
			if _, _, err := l.AppendAsFollower(0, f.Raw); err != nil {
				t.Fatalf("%s: %v", dir, err)
			}
		}
		l.Close() // Kafka had closed it
		check(t, l)
		if !bytes.Equal(l.LogBytes(0), file) {
			t.Errorf("%s: .log differs", dir)
		}
		if want := read("00000000000000000000.index"); !bytes.Equal(l.IndexBytes(0), want) {
			t.Errorf("%s: .index differs:\n%x\nwant\n%x", dir, l.IndexBytes(0), want)
		}
		entries += len(l.Index(0))
		compareTimes(t, dir, l, read("00000000000000000000.timeindex"))
		if want := read("leader-epoch-checkpoint"); !bytes.Equal(l.EpochCheckpointBytes(), want) {
			t.Errorf("%s: leader-epoch-checkpoint %q, want %q", dir, l.EpochCheckpointBytes(), want)
		}
	}
	t.Logf("%d partitions, %d offset index entries", len(dirs), entries)
	if entries < 300 {
		t.Errorf("only %d index entries compared", entries)
	}
}

// compareTimes wants the same timestamps; the offset is the last of the batch
// where 3.6 wrote that of the record.
func compareTimes(t *testing.T, dir string, l *Log, want []byte) {
	t.Helper()
	got := l.TimeIndexBytes(0)
	if len(got) != len(want) {
		t.Errorf("%s: .timeindex has %d entries, want %d", dir, len(got)/timeEntrySize, len(want)/timeEntrySize)
		return
	}
	for i := 0; i < len(got); i += timeEntrySize {
		if !bytes.Equal(got[i:i+8], want[i:i+8]) {
			t.Errorf("%s: .timeindex entry %d: timestamp %x, want %x", dir, i/timeEntrySize, got[i:i+8], want[i:i+8])
		}
		ours := kafka.Offset(binary.BigEndian.Uint32(got[i+8:]))
		theirs := kafka.Offset(binary.BigEndian.Uint32(want[i+8:]))
		b, ok := l.BatchAt(theirs)
		if !ok || b.Header.LastOffset() != ours {
			t.Errorf("%s: .timeindex entry %d: offset %d, 3.6 wrote %d of a batch that ends at %d", dir, i/timeEntrySize, ours, theirs, b.Header.LastOffset())
		}
	}
}

// TestRealRecovery: recovery of a real log rebuilds the same indexes from the
// bytes alone.
func TestRealRecovery(t *testing.T) {
	file, err := os.ReadFile(filepath.Join(kafkaFiles, "__cluster_metadata-0", "00000000000000000000.log"))
	if err != nil {
		t.Skipf("no real Kafka files at %s: %v", kafkaFiles, err)
	}
	l := New(0, DefaultConfig(), 0)
	if _, _, err := l.AppendAsFollower(0, file); err != nil {
		t.Fatal(err)
	}
	l.Close()
	index, times, hash, leo := l.IndexBytes(0), l.TimeIndexBytes(0), l.hash, l.LEO()
	l.active.index, l.active.times, l.epochs = nil, nil, nil
	l.Kill()
	rep := l.Recover()
	if rep.Truncated != 0 || rep.Cause != nil || rep.Checked != int64(len(file)) || rep.LEO != leo {
		t.Errorf("%+v", rep)
	}
	if !bytes.Equal(index, l.IndexBytes(0)) || !bytes.Equal(times, l.TimeIndexBytes(0)) || l.hash != hash {
		t.Error("indexes differ after recovery")
	}
	if len(l.Epochs()) != 1 || l.Epochs()[0] != (EpochEntry{1, 0}) {
		t.Errorf("epochs %v", l.Epochs())
	}
	check(t, l)
}
