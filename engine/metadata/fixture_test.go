package metadata

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine/record"
)

// fixtureDir holds the metadata log and two snapshots of a Kafka 3.6 controller.
const fixtureDir = "../../../shared/fixtures/kafka-data/__cluster_metadata-0"

// fixtureRecords calls f with the value of every metadata record in the files
// with an extension.
func fixtureRecords(t *testing.T, ext string, f func(file string, rec record.Record)) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(fixtureDir, "*"+ext))
	if len(files) == 0 {
		t.Skipf("no %s files in %s", ext, fixtureDir)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for found := range record.Scan(data) {
			if found.Err != nil {
				t.Fatalf("%s: %v", name, found.Err)
			}
			if found.Raw.Attributes().Control() {
				continue
			}
			for rec, err := range record.Records(found.Raw) {
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				f(filepath.Base(name), rec)
			}
		}
	}
}

// Every record of a real log and of real snapshots is one that we know, and is
// written again byte for byte.
func TestRealRecordsRoundTrip(t *testing.T) {
	seen := map[Type]int{}
	for _, ext := range []string{".log", ".checkpoint"} {
		fixtureRecords(t, ext, func(file string, rec record.Record) {
			r, err := Decode(rec.Value)
			if err != nil {
				t.Fatalf("%s at offset %d: %v", file, rec.Offset, err)
			}
			if got := Encode(nil, r); !bytes.Equal(got, rec.Value) {
				t.Fatalf("%s at offset %d: type %d:\n got %x\nwant %x", file, rec.Offset, r.Type(), got, rec.Value)
			}
			seen[r.Type()]++
		})
	}
	want := map[Type]int{
		TypeRegisterBroker: 3, TypeFeatureLevel: 3, TypeProducerIDs: 3, TypeBrokerRegistrationChange: 3, TypeTopic: 181,
		TypeNoOp: 16277, TypeZkMigration: 3, TypeBeginTransaction: 1, TypeEndTransaction: 1, TypePartition: 445, TypeConfig: 1125,
		TypePartitionChange: 151,
	}
	for typ, n := range want {
		if seen[typ] != n {
			t.Errorf("records of type %d: %d, want %d", typ, seen[typ], n)
		}
	}
}

// Replaying the log up to a snapshot's end gives what the snapshot says.
func TestLogReplaysToSnapshot(t *testing.T) {
	const end = 14926 // exclusive, from the snapshot's name
	log, snap := Empty(), Empty()
	var err error
	fixtureRecords(t, ".log", func(_ string, rec record.Record) {
		if rec.Offset >= end || err != nil {
			return
		}
		r, _ := Decode(rec.Value)
		log, _, err = Apply(log, Entry{rec.Offset, r})
	})
	if err != nil {
		t.Fatal(err)
	}
	var entries []Entry
	fixtureRecords(t, ".checkpoint", func(file string, rec record.Record) {
		if strings.Contains(file, "14926") {
			r, _ := Decode(rec.Value)
			entries = append(entries, Entry{rec.Offset, r})
		}
	})
	if snap, _, err = Apply(snap, entries...); err != nil {
		t.Fatal(err)
	}
	if len(log.Topics) == 0 || len(log.Brokers) != 1 || len(log.Configs) == 0 {
		t.Fatalf("an empty image: %d topics, %d brokers, %d configs", len(log.Topics), len(log.Brokers), len(log.Configs))
	}
	snap.Offset = log.Offset
	if got, want := sum(log), sum(snap); got != want {
		t.Errorf("digest of the replayed log %x, of the snapshot %x", got, want)
	}
}
