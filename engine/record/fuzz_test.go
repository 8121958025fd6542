package record_test

import (
	"bytes"
	"testing"

	"github.com/highwater-sim/highwater/engine/record"
)

// FuzzDecode: no bytes make the reader panic or read beyond them; what decodes
// encodes to a batch that decodes to the same.
func FuzzDecode(f *testing.F) {
	for _, s := range specs() {
		f.Add(record.Build(s))
		s.Codec = record.CodecGzip
		f.Add(record.Build(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for found := range record.Scan(data) {
			if found.Raw != nil && int(found.Pos)+len(found.Raw) > len(data) {
				t.Fatalf("batch at %d reaches beyond the file", found.Pos)
			}
		}
		b, err := record.Decode(data)
		if err != nil {
			return
		}
		again := b.Encode(nil)
		if err := record.Verify(again); err != nil {
			t.Fatalf("encoded batch: %v", err)
		}
		c, err := record.Decode(again)
		if err != nil {
			t.Fatalf("encoded batch: %v", err)
		}
		if len(c.Records) != len(b.Records) || !bytes.Equal(c.Encode(nil), again) {
			t.Fatal("encoding is not stable")
		}
	})
}

// FuzzRecords: any record goes in and comes out.
func FuzzRecords(f *testing.F) {
	f.Add(int64(1), int64(2), []byte("key"), []byte("value"), "header", []byte("hv"), true, uint8(0))
	f.Add(int64(-1<<63), int64(1<<62), []byte{}, []byte{}, "", []byte{}, false, uint8(3))
	f.Fuzz(func(t *testing.T, t0, t1 int64, key, value []byte, hk string, hv []byte, nulls bool, codec uint8) {
		in := []record.Record{
			{Timestamp: t0, Key: key, Value: value, Headers: []record.RecordHeader{{Key: hk, Value: hv}}},
			{Timestamp: t1, Key: value, Value: key},
		}
		if nulls {
			in[0].Key, in[1].Value, in[0].Headers[0].Value = nil, nil, nil
		}
		raw := record.Build(record.BatchSpec{Codec: record.Codec(codec % 5), Records: in})
		if err := record.Verify(raw); err != nil {
			t.Fatal(err)
		}
		i := 0
		for r, err := range record.Records(raw) {
			if err != nil {
				t.Fatal(err)
			}
			w := in[i]
			if r.Timestamp != w.Timestamp || !same(r.Key, w.Key) || !same(r.Value, w.Value) || len(r.Headers) != len(w.Headers) {
				t.Fatalf("record %d: %+v, put in %+v", i, r, w)
			}
			for j, h := range r.Headers {
				if h.Key != w.Headers[j].Key || !same(h.Value, w.Headers[j].Value) {
					t.Fatalf("header %+v, put in %+v", h, w.Headers[j])
				}
			}
			i++
		}
		if i != 2 {
			t.Fatalf("%d records", i)
		}
	})
}
