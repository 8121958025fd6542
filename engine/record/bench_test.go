package record_test

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/record"
)

func BenchmarkBuildOne(b *testing.B) {
	s := record.BatchSpec{Idempotent: true, Records: []record.Record{{Timestamp: 1767225600000, Key: make([]byte, 8), Value: make([]byte, 100)}}}
	b.ReportAllocs()
	for b.Loop() {
		record.Build(s)
	}
}

func BenchmarkBuilderRecord(b *testing.B) {
	var bl record.Builder
	key, value := make([]byte, 8), make([]byte, 100)
	bl.Reset(record.BatchSpec{})
	b.ReportAllocs()
	for b.Loop() {
		if bl.Count() == 100 {
			bl.Bytes()
			bl.Reset(record.BatchSpec{})
		}
		bl.Add(1767225600000, key, value, nil)
	}
}

func BenchmarkIterate100(b *testing.B) {
	raw := record.Build(specs()["many"])
	b.ReportAllocs()
	for b.Loop() {
		for r, err := range record.Records(raw) {
			if err != nil || r.Offset < 0 {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	raw := record.Build(specs()["one"])
	b.ReportAllocs()
	for b.Loop() {
		if err := record.Verify(raw); err != nil {
			b.Fatal(err)
		}
	}
}
