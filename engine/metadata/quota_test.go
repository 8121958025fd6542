package metadata

import (
	"math"
	"slices"
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

// What is kept in millionths: the double next to it, and back to the same; any
// double to the nearest millionth, and never to 0.
func TestQuotaMicros(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 1<<52).Draw(t, "millionths")
		if b := microBits(n); math.Float64frombits(b) != float64(n)/1e6 {
			t.Fatalf("%d: bits of %v, want %v", n, math.Float64frombits(b), float64(n)/1e6)
		}
		if n < 1<<50 && quotaMicros(microBits(n)) != n {
			t.Fatalf("%d comes back as %d", n, quotaMicros(microBits(n)))
		}
		f := rapid.Float64Range(1e-12, 1e9).Draw(t, "double")
		if got, want := quotaMicros(math.Float64bits(f)), max(1, math.Round(f*1e6)); math.Abs(float64(got)-want) > 1 {
			t.Fatalf("%v read as %d, want %v", f, got, want)
		}
	})
	for _, f := range []float64{0, -5} {
		if got := quotaMicros(math.Float64bits(f)); got != 0 {
			t.Errorf("%v read as %d", f, got)
		}
	}
	if got := quotaMicros(math.Float64bits(1e300)); got != 1<<52 {
		t.Errorf("1e300 read as %d", got)
	}
}

// The records of an image's quotas make them again, and survive the wire.
func TestQuotaRecords(t *testing.T) {
	app, all, none := PartOf("app"), PartOf(""), QuotaPart{}
	img := Empty()
	for i, r := range []*ClientQuotaRecord{
		NewClientQuota(none, app, ProduceRate, 1000), NewClientQuota(none, all, ConsumeRate, 500),
		NewClientQuota(none, app, ConsumeRate, 7), NewClientQuota(none, app, ConsumeRate, 0),
		NewClientQuota(PartOf("alice"), app, RequestShare, 12_500_000), NewClientQuota(all, none, MutationRate, 500_000),
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
	for _, c := range []struct {
		kind         QuotaKind
		user, client string
		want         QuotaLimit
	}{
		{ProduceRate, "bob", "app", QuotaLimit{1000, "", "app"}}, {ConsumeRate, "bob", "app", QuotaLimit{500, "", "app"}},
		{ProduceRate, "bob", "other", QuotaLimit{}}, {ConsumeRate, "bob", "other", QuotaLimit{500, "", "other"}},
		{RequestShare, "alice", "app", QuotaLimit{12_500_000, "alice", "app"}}, {RequestShare, "bob", "app", QuotaLimit{}},
		{MutationRate, "bob", "app", QuotaLimit{500_000, "bob", ""}},
	} {
		if got := img.Quota(c.kind, c.user, c.client); got != c.want {
			t.Errorf("%s of user %s, client %s: %+v, want %+v", c.kind.Key(), c.user, c.client, got, c.want)
		}
	}
	again := Empty()
	for i, r := range Snapshot(img) {
		next, _, err := Apply(again, Entry{Offset: again.Offset + 1, Record: r})
		if err != nil {
			t.Fatalf("snapshot record %d: %v", i, err)
		}
		again = next
	}
	if len(again.Quotas) != 4 || !slices.Equal(again.Quotas, img.Quotas) {
		t.Errorf("snapshot makes %+v, want %+v", again.Quotas, img.Quotas)
	}
}

// All eight levels are there, and are taken away one by one from the strongest on:
// who is left decides, and says who is measured together.
func TestQuotaPrecedence(t *testing.T) {
	u, c, all, none := PartOf("u"), PartOf("c"), PartOf(""), QuotaPart{}
	levels := []struct {
		user, client QuotaPart
		want         QuotaLimit
	}{
		{u, c, QuotaLimit{1, "u", "c"}}, {u, all, QuotaLimit{2, "u", "c"}}, {u, none, QuotaLimit{3, "u", ""}},
		{all, c, QuotaLimit{4, "u", "c"}}, {all, all, QuotaLimit{5, "u", "c"}}, {all, none, QuotaLimit{6, "u", ""}},
		{none, c, QuotaLimit{7, "", "c"}}, {none, all, QuotaLimit{8, "", "c"}},
	}
	img := Empty()
	set := func(i int, limit int64) {
		var err error
		img, _, err = Apply(img, Entry{Offset: img.Offset + 1, Record: NewClientQuota(levels[i].user, levels[i].client, ProduceRate, limit)})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, i := range []int{5, 2, 7, 0, 3, 6, 1, 4} {
		set(i, int64(i+1))
	}
	for i := range levels {
		if got := img.Quota(ProduceRate, "u", "c"); got != levels[i].want {
			t.Errorf("level %d: %+v, want %+v", i+1, got, levels[i].want)
		}
		set(i, 0)
	}
	if got := img.Quota(ProduceRate, "u", "c"); got != (QuotaLimit{}) || len(img.Quotas) != 0 {
		t.Errorf("without quotas: %+v of %+v", got, img.Quotas)
	}
}
