package metadata

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/record"
)

// A snapshot of the image of a real log makes the same image, also by way of
// its bytes.
func TestSnapshotRoundTrip(t *testing.T) {
	img := Empty()
	var err error
	fixtureRecords(t, ".log", func(_ string, rec record.Record) {
		if r, _ := Decode(rec.Value); err == nil {
			img, _, err = Apply(img, Entry{rec.Offset, r})
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	var recs []Record
	for _, r := range Snapshot(img) {
		back, err := Decode(Encode(nil, r))
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, back)
	}
	got, err := Load(recs, img.Offset)
	if err != nil {
		t.Fatal(err)
	}
	if b := got.Brokers[0]; len(b.Features) == 0 || len(b.Features) != len(img.Brokers[0].Features) {
		t.Errorf("broker %d knows the features %v, and by the snapshot %v", b.ID, img.Brokers[0].Features, b.Features)
	}
	if len(got.Topics) < 60 || sum(got) != sum(img) {
		t.Errorf("%d topics, digest %x; want %d topics, digest %x", len(got.Topics), sum(got), len(img.Topics), sum(img))
	}
	if d := Replaced(Empty(), got); len(d.Partitions) < 150 || len(d.Topics) != len(got.Topics) {
		t.Errorf("delta of %d topics and %d partitions", len(d.Topics), len(d.Partitions))
	}
}
