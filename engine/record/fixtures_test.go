package record_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/highwater-sim/highwater/engine/record"
	_ "github.com/highwater-sim/highwater/engine/record/compress"
)

// kafkaFiles are partition folders of a real Kafka 3.6 broker, beside the
// repository.
const kafkaFiles = "../../../shared/fixtures/kafka-data"

// eachRealFile calls do with every file of real data that has one of the extensions.
func eachRealFile(t *testing.T, do func(path string, data []byte), exts ...string) {
	t.Helper()
	if _, err := os.Stat(kafkaFiles); err != nil {
		t.Skipf("no real Kafka files at %s: %v", kafkaFiles, err)
	}
	n := 0
	err := filepath.WalkDir(kafkaFiles, func(path string, d fs.DirEntry, err error) error {
		for _, ext := range exts {
			if err == nil && filepath.Ext(path) == ext {
				data, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				n++
				do(path, data)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		t.Fatalf("%s holds no file of %v", kafkaFiles, exts)
	}
}

// TestRealFiles: every batch that Kafka wrote passes Verify, decodes, and
// encodes to the same bytes; offsets never step back.
func TestRealFiles(t *testing.T) {
	files, batches, records, control := 0, 0, 0, 0
	eachRealFile(t, func(path string, data []byte) {
		files++
		next, end := int64(-1), int64(0)
		for f := range record.Scan(data) {
			if f.Err != nil {
				t.Fatalf("%s: %v", path, f.Err)
			}
			b, err := record.Decode(f.Raw)
			if err != nil {
				t.Fatalf("%s at %d: %v", path, f.Pos, err)
			}
			if int(b.Header.Count) != len(b.Records) {
				t.Fatalf("%s at %d: count %d, records %d", path, f.Pos, b.Header.Count, len(b.Records))
			}
			if got := b.Encode(nil); !bytes.Equal(got, f.Raw) {
				t.Fatalf("%s at %d: encodes to\n%x\nwas\n%x", path, f.Pos, got, []byte(f.Raw))
			}
			if int64(f.Header.BaseOffset) <= next-1 {
				t.Fatalf("%s at %d: base offset %d after next offset %d", path, f.Pos, f.Header.BaseOffset, next)
			}
			if b.Header.Attributes.Control() {
				control++
				if _, err := record.ParseControlKey(b.Records[0].Key); err != nil {
					t.Fatalf("%s at %d: %v", path, f.Pos, err)
				}
			}
			next, end = int64(f.Header.NextOffset()), f.Pos+int64(len(f.Raw))
			batches++
			records += len(b.Records)
		}
		if end != int64(len(data)) {
			t.Fatalf("%s: scan ended at %d of %d", path, end, len(data))
		}
	}, ".log", ".checkpoint")
	t.Logf("%d files, %d batches (%d control), %d records", files, batches, control, records)
	if control == 0 {
		t.Error("no control batch seen: the metadata log has some")
	}
}

// TestRealRebuild: the records of every real batch, put through a Builder,
// give the very bytes that the Java client or the broker built.
func TestRealRebuild(t *testing.T) {
	same, other := 0, 0
	eachRealFile(t, func(path string, data []byte) {
		for f := range record.Scan(data) {
			b, err := record.Decode(f.Raw)
			if err != nil {
				t.Fatal(err)
			}
			h := b.Header
			compacted := int(h.LastOffsetDelta) != len(b.Records)-1
			if len(b.Records) == 0 || compacted || h.Attributes.Codec() != record.CodecNone {
				other++
				continue
			}
			got := record.Build(record.BatchSpec{
				BaseOffset: h.BaseOffset, LeaderEpoch: h.LeaderEpoch,
				LogAppendTime: h.Attributes.LogAppendTime(), Transactional: h.Attributes.Transactional(), Control: h.Attributes.Control(),
				// The group coordinator's batches have no producer, but base sequence 0.
				Idempotent: h.HasProducer() || h.BaseSequence != record.NoSequence, ProducerID: h.ProducerID, ProducerEpoch: h.ProducerEpoch, BaseSequence: h.BaseSequence,
				Records: b.Records,
			})
			if !bytes.Equal(got, f.Raw) {
				t.Fatalf("%s at %d: built\n%x\nwas\n%x", path, f.Pos, got, []byte(f.Raw))
			}
			same++
		}
	}, ".log", ".checkpoint")
	t.Logf("%d batches built again, %d not of the kind a producer sends", same, other)
	if same < 1000 {
		t.Errorf("only %d batches compared", same)
	}
}
