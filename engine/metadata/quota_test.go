package metadata

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// A quota's bits are those of the double with its value, both ways.
func TestQuotaBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Int64Range(1, 1<<52).Draw(t, "rate")
		if b := QuotaBits(rate); math.Float64frombits(b) != float64(rate) || QuotaRate(b) != rate {
			t.Fatalf("%d: bits of %v, read as %d", rate, math.Float64frombits(b), QuotaRate(b))
		}
		f := rapid.Float64Range(0, 1<<52).Draw(t, "double")
		if got := QuotaRate(math.Float64bits(f)); got != int64(f) {
			t.Fatalf("%v read as %d", f, got)
		}
	})
	for _, c := range []struct {
		f    float64
		want int64
	}{{0, 0}, {-5, 0}, {0.9, 0}, {1e300, 1 << 52}} {
		if got := QuotaRate(math.Float64bits(c.f)); got != c.want {
			t.Errorf("%v read as %d, want %d", c.f, got, c.want)
		}
	}
}

// The records of an image's quotas make them again, and survive the wire.
func TestQuotaRecords(t *testing.T) {
	app := "app"
	img := Empty()
	for i, r := range []*ClientQuotaRecord{
		NewClientQuota(&app, QuotaProduce, 1000), NewClientQuota(nil, QuotaConsume, 500),
		NewClientQuota(&app, QuotaConsume, 7), NewClientQuota(&app, QuotaConsume, 0),
	} {
		back, err := Decode(Encode(nil, r))
		if err != nil {
			t.Fatal(err)
		}
		next, d, err := Apply(img, Entry{Offset: img.Offset + 1, Record: back})
		if err != nil || !d.Quotas {
			t.Fatalf("record %d: %v, delta %+v", i, err, d)
		}
		img = next
	}
	if q := img.Quota("app"); q.Produce != 1000 || q.Consume != 500 {
		t.Errorf("app: %+v", q)
	}
	if q := img.Quota("other"); q.Produce != 0 || q.Consume != 500 {
		t.Errorf("other: %+v", q)
	}
	again := Empty()
	for i, r := range Snapshot(img) {
		next, _, err := Apply(again, Entry{Offset: again.Offset + 1, Record: r})
		if err != nil {
			t.Fatalf("snapshot record %d: %v", i, err)
		}
		again = next
	}
	if len(again.Quotas) != len(img.Quotas) || again.Quota("app") != img.Quota("app") {
		t.Errorf("snapshot makes %+v, want %+v", again.Quotas, img.Quotas)
	}
}
