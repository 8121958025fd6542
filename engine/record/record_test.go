package record_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine/record"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// capturedBatch was sent by a 0.11 broker (published with kafka-python's
// tests): one record "123", leader epoch 1.
const capturedBatch = "0000000000000000" + "0000003b" + "00000001" + "02" + "0318a270" + "0000" + "00000000" +
	"0000015dff7b063c" + "0000015dff7b063c" + "ffffffffffffffff" + "ffff" + "ffffffff" + "00000001" +
	"12" + "00" + "00" + "00" + "01" + "06" + "313233" + "00"

func TestCapturedBatch(t *testing.T) {
	raw, err := hex.DecodeString(capturedBatch)
	if err != nil {
		t.Fatal(err)
	}
	if err := record.Verify(raw); err != nil {
		t.Fatal(err)
	}
	got := record.Build(record.BatchSpec{
		LeaderEpoch: 1,
		Records:     []record.Record{{Timestamp: 1503229838908, Value: []byte("123")}},
	})
	if !bytes.Equal(got, raw) {
		t.Errorf("built %x\nwant  %x", got, raw)
	}
}

func rec(ts int64, key, value string, headers ...record.RecordHeader) record.Record {
	return record.Record{Timestamp: ts, Key: []byte(key), Value: []byte(value), Headers: headers}
}

// specs are batches of every shape.
func specs() map[string]record.BatchSpec {
	long := strings.Repeat("0123456789", 100)
	many := make([]record.Record, 300)
	for i := range many {
		many[i] = rec(1000+int64(i%7), fmt.Sprint("k", i), long[:i])
	}
	return map[string]record.BatchSpec{
		"one":       {Records: []record.Record{rec(5, "k", "v")}},
		"nulls":     {Records: []record.Record{{Timestamp: 5}, {Timestamp: 5, Key: []byte{}, Value: []byte{}}, {Timestamp: 5, Key: []byte("tombstone")}}},
		"headers":   {Records: []record.Record{rec(1, "k", "v", record.RecordHeader{Key: "a", Value: []byte("1")}, record.RecordHeader{Key: "", Value: nil}, record.RecordHeader{Key: "a", Value: []byte{}})}},
		"many":      {BaseOffset: 1 << 40, LeaderEpoch: 7, Records: many},
		"backwards": {Records: []record.Record{rec(100, "a", "1"), rec(-50, "b", "2"), rec(1<<41, "c", "3")}},
		"producer":  {Idempotent: true, ProducerID: 1 << 33, ProducerEpoch: 3, BaseSequence: 1<<31 - 1, Records: many[:4]},
		"txn":       {Idempotent: true, Transactional: true, ProducerID: 0, Records: many[:2]},
		"appended":  {LogAppendTime: true, Records: many[:3]},
		"control":   {Control: true, Records: []record.Record{{Key: record.ControlKey(record.ControlLeaderChange), Value: []byte("x")}}},
	}
}

// TestAgainstKmsg reads what we build with an independent reader, franz-go's.
func TestAgainstKmsg(t *testing.T) {
	for name, s := range specs() {
		raw := record.Build(s)
		if len(raw) != cap(raw) {
			t.Errorf("%s: %d bytes in %d: size was not foreseen exactly", name, len(raw), cap(raw))
		}
		if err := record.Verify(raw); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var kb kmsg.RecordBatch
		if err := kb.ReadFrom(raw); err != nil {
			t.Fatalf("%s: kmsg: %v", name, err)
		}
		h, err := record.ParseHeader(raw)
		if err != nil {
			t.Fatal(err)
		}
		ours := []any{h.BaseOffset, h.Length, h.LeaderEpoch, h.CRC, h.Attributes, h.LastOffsetDelta, h.BaseTimestamp, h.MaxTimestamp, h.ProducerID, h.ProducerEpoch, h.BaseSequence, h.Count}
		theirs := []any{kb.FirstOffset, kb.Length, kb.PartitionLeaderEpoch, uint32(kb.CRC), kb.Attributes, kb.LastOffsetDelta, kb.FirstTimestamp, kb.MaxTimestamp, kb.ProducerID, kb.ProducerEpoch, kb.FirstSequence, kb.NumRecords}
		if fmt.Sprint(ours) != fmt.Sprint(theirs) {
			t.Errorf("%s: header\n%v\nkmsg\n%v", name, ours, theirs)
		}
		rest := kb.Records
		n := 0
		for r, err := range record.Records(raw) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var kr kmsg.Record
			if err := kr.ReadFrom(rest); err != nil {
				t.Fatalf("%s record %d: kmsg: %v", name, n, err)
			}
			size := record.RecordSize(r.OffsetDelta, r.TimestampDelta, r.Key, r.Value, r.Headers)
			rest = rest[size:]
			if kr.OffsetDelta != r.OffsetDelta || kr.TimestampDelta64 != r.TimestampDelta ||
				!same(kr.Key, r.Key) || !same(kr.Value, r.Value) || len(kr.Headers) != len(r.Headers) {
				t.Errorf("%s record %d: %+v, kmsg %+v", name, n, r, kr)
			}
			for i := range r.Headers {
				if kr.Headers[i].Key != r.Headers[i].Key || !same(kr.Headers[i].Value, r.Headers[i].Value) {
					t.Errorf("%s record %d header %d: %+v, kmsg %+v", name, n, i, r.Headers[i], kr.Headers[i])
				}
			}
			if m := record.RecordSizeMax(r.Key, r.Value, r.Headers); size > m {
				t.Errorf("%s record %d: size %d above bound %d", name, n, size, m)
			}
			want := s.Records[n]
			if !same(want.Key, r.Key) || !same(want.Value, r.Value) || int64(r.Offset-s.BaseOffset) != int64(n) {
				t.Errorf("%s record %d: got %+v, put in %+v", name, n, r, want)
			}
			if s.LogAppendTime {
				want.Timestamp = h.MaxTimestamp
			}
			if r.Timestamp != want.Timestamp {
				t.Errorf("%s record %d: timestamp %d, want %d", name, n, r.Timestamp, want.Timestamp)
			}
			n++
		}
		if n != len(s.Records) || len(rest) != 0 {
			t.Errorf("%s: %d of %d records, %d bytes left", name, n, len(s.Records), len(rest))
		}
	}
}

// same tells null from empty, as Kafka does. kmsg does not for values it read.
func same(a, b []byte) bool { return bytes.Equal(a, b) && (a == nil) == (b == nil) }

func TestEncodeIsInverse(t *testing.T) {
	for name, s := range specs() {
		for c := record.CodecNone; c <= record.CodecZstd; c++ {
			s.Codec = c
			raw := record.Build(s)
			b, err := record.Decode(raw)
			if err != nil {
				t.Fatalf("%s %s: %v", name, c, err)
			}
			if len(b.Records) != len(s.Records) {
				t.Errorf("%s %s: %d records of %d", name, c, len(b.Records), len(s.Records))
			}
			if (b.Packed == nil) != (c == record.CodecNone) {
				t.Errorf("%s %s: packed section kept: %v", name, c, b.Packed != nil)
			}
			if got := b.Encode([]byte("prefix")); !bytes.Equal(got[6:], raw) {
				t.Errorf("%s %s: encodes differently", name, c)
			}
		}
	}
}

// TestEveryByteCounts flips each byte behind the leader epoch and wants an
// error that names a place; a change to offset and epoch is none of Verify's.
func TestEveryByteCounts(t *testing.T) {
	raw := record.Build(specs()["headers"])
	for i := range raw {
		bad := bytes.Clone(raw)
		bad[i] ^= 0x40
		err := record.Verify(bad)
		outside := i < 8 || i >= 12 && i < 16
		if outside != (err == nil) {
			t.Errorf("byte %d flipped: %v", i, err)
		}
		var e *record.Error
		if err != nil && (!errors.As(err, &e) || e.Pos < 8 || e.Pos > int64(len(raw))) {
			t.Errorf("byte %d flipped: error without a place: %v", i, err)
		}
	}
	for n := range raw {
		if _, err := record.Frame(raw[:n]); err == nil {
			t.Errorf("cut to %d of %d bytes: no error", n, len(raw))
		}
	}
}

func TestErrorsNamePlaceAndCause(t *testing.T) {
	good := record.Build(specs()["one"])
	edit := func(f func(b []byte) []byte) []byte { return f(bytes.Clone(good)) }
	for _, c := range []struct {
		name string
		b    []byte
		want string
	}{
		{"empty", nil, "record: at byte 0: batch header is cut off: expected 61, found 0"},
		{"magic", edit(func(b []byte) []byte { b[16] = 1; return b }), "record: at byte 16: magic: expected 2, found 1"},
		{"short", edit(func(b []byte) []byte { b[11] = 3; return b }), "record: at byte 8: length is below that of an empty batch: expected 49, found 3"},
		{"cut", good[:len(good)-2], "record: at byte 8: batch is cut off: bytes from the length field on: expected 58, found 56"},
		{"behind", append(bytes.Clone(good), 1, 2), "record: at byte 70: bytes after the batch: expected 0, found 2"},
		{"delta", edit(func(b []byte) []byte { b[23] = 0x80; return b }), "record: at byte 23: last offset delta is negative: expected 0, found -2147483648"},
		{"count", edit(func(b []byte) []byte { b[60] = 2; return b }), "record: at byte 57: record count is outside the offsets: expected 1, found 2"},
	} {
		err := record.Verify(c.b)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
}

// TestRecordCount: a count that does not fit the records is found although the
// CRC is right.
func TestRecordCount(t *testing.T) {
	b, err := record.Decode(record.Build(specs()["many"]))
	if err != nil {
		t.Fatal(err)
	}
	h := b.Header
	h.LastOffsetDelta = 1000
	b.Header = h
	raw := b.Encode(nil)
	if err := record.Verify(raw); err != nil {
		t.Fatalf("compacted batch: %v", err)
	}
	for _, cut := range []int{1, 299} {
		few := record.Batch{Header: h, Records: b.Records[:cut]}
		raw := few.Encode(nil)
		raw[60]++ // one record more than there is
		record.SetLogAppendTime(raw, 0)
		if err := record.Verify(raw); err == nil {
			t.Errorf("%d records, count %d: no error", cut, cut+1)
		}
		for _, err := range record.Records(raw) {
			if err != nil {
				cut = -1
			}
		}
		if cut != -1 {
			t.Errorf("%d records, one announced too many: iteration saw no error", cut)
		}
	}
}

// TestSequence has the vectors of DefaultRecordBatchTest.
func TestSequence(t *testing.T) {
	const biggest = 1<<31 - 1
	for _, c := range []struct{ seq, n, want int32 }{
		{0, 0, 0}, {5, 5, 10}, {biggest, 1, 0}, {biggest - 5, 10, 4}, {biggest, 0, biggest}, {0, biggest, biggest},
	} {
		if got := record.AddSequence(c.seq, c.n); got != c.want {
			t.Errorf("AddSequence(%d, %d) = %d, want %d", c.seq, c.n, got, c.want)
		}
	}
	h, _ := record.ParseHeader(record.Build(specs()["producer"]))
	if h.LastSequence() != 2 {
		t.Errorf("last sequence after the wrap is %d, want 2", h.LastSequence())
	}
	h, _ = record.ParseHeader(record.Build(specs()["one"]))
	if h.LastSequence() != record.NoSequence || h.HasProducer() {
		t.Errorf("batch without a producer: %+v", h)
	}
}

func TestBrokerFields(t *testing.T) {
	raw := record.Build(specs()["many"])
	record.SetBaseOffsetAndEpoch(raw, 777, 9)
	if err := record.Verify(raw); err != nil {
		t.Fatalf("offset and epoch are outside the CRC: %v", err)
	}
	h, _ := record.ParseHeader(raw)
	if h.BaseOffset != 777 || h.LeaderEpoch != 9 || h.LastOffset() != 777+299 || h.NextOffset() != 777+300 || h.Size() != len(raw) {
		t.Errorf("%+v", h)
	}
	record.SetLogAppendTime(raw, 123456)
	if err := record.Verify(raw); err != nil {
		t.Fatal(err)
	}
	for r, err := range record.Records(raw) {
		if err != nil || r.Timestamp != 123456 {
			t.Fatalf("%v %v", r.Timestamp, err)
		}
	}
}

func TestControl(t *testing.T) {
	for _, m := range []record.Marker{{Commit: true, CoordinatorEpoch: 5}, {Commit: false, CoordinatorEpoch: 1 << 20}} {
		raw := record.BuildMarker(m, 4711, 2, 99)
		b, err := record.Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		h := b.Header
		if !h.Attributes.Control() || !h.Attributes.Transactional() || h.ProducerID != 4711 || h.ProducerEpoch != 2 || h.BaseSequence != record.NoSequence {
			t.Errorf("%+v", h)
		}
		if got, err := record.ParseMarker(&b.Records[0]); err != nil || got != m {
			t.Errorf("marker %+v read as %+v, %v", m, got, err)
		}
	}
	lc, _ := record.Decode(record.BuildControl(record.ControlLeaderChange, []byte{1}, 0))
	if _, err := record.ParseMarker(&lc.Records[0]); err == nil {
		t.Error("a leader change passes as a transaction marker")
	}
	if typ, err := record.ParseControlKey(lc.Records[0].Key); err != nil || typ.String() != "LEADER_CHANGE" {
		t.Errorf("%v %v", typ, err)
	}
	for _, key := range [][]byte{nil, {0, 0, 0}, {0x80, 0, 0, 1}} {
		if _, err := record.ParseControlKey(key); err == nil {
			t.Errorf("key %x: no error", key)
		}
	}
}

// TestScan: what is wrong in a file is said where it is, and a broken inside
// does not hide what follows.
func TestScan(t *testing.T) {
	one := record.Build(specs()["one"])
	n := len(one)
	file := bytes.Repeat(one, 4)
	file[n+n-1] ^= 1                // a byte of the second batch's record
	file[3*n+16] = 0                // the fourth's magic
	file = append(file, one[:9]...) // never reached
	var got []string
	for f := range record.Scan(file) {
		got = append(got, fmt.Sprint(f.Pos, " ", f.Err))
	}
	if len(got) != 4 || got[0] != "0 <nil>" || got[2] != fmt.Sprint(2*n, " <nil>") ||
		!strings.Contains(got[1], fmt.Sprintf("at byte %d: CRC-32C", n+17)) ||
		!strings.Contains(got[3], fmt.Sprintf("at byte %d: magic: expected 2, found 0", 3*n+16)) {
		t.Errorf("%q", got)
	}
	for f := range record.Scan(one[:20]) {
		if f.Err == nil || f.Raw != nil {
			t.Errorf("%+v", f)
		}
	}
}

func TestBuilder(t *testing.T) {
	var b record.Builder
	for range 3 { // reused
		b.Reset(record.BatchSpec{Idempotent: true, ProducerID: 1, BaseSequence: 10})
		want := b.SizeWith(70, []byte("k"), []byte("v"), nil)
		b.Add(70, []byte("k"), []byte("v"), nil)
		if b.Size() != want {
			t.Errorf("size %d, foreseen %d", b.Size(), want)
		}
		want = b.SizeWith(1<<40, []byte("k"), nil, []record.RecordHeader{{Key: "h"}})
		b.Add(1<<40, []byte("k"), nil, []record.RecordHeader{{Key: "h"}})
		if b.Size() != want || b.Count() != 2 {
			t.Errorf("size %d, foreseen %d; count %d", b.Size(), want, b.Count())
		}
		raw := b.Bytes()
		if len(raw) != want {
			t.Errorf("%d bytes, size was %d", len(raw), want)
		}
		if err := record.Verify(raw); err != nil {
			t.Error(err)
		}
	}
	taken := b.Take()
	keep := bytes.Clone(taken)
	b.Reset(record.BatchSpec{})
	b.Add(0, []byte("other"), []byte("other"), nil)
	b.Bytes()
	if !bytes.Equal(taken, keep) {
		t.Error("Take's memory was written to again")
	}
}

func TestDeleteHorizon(t *testing.T) {
	b, err := record.Decode(record.Build(specs()["backwards"]))
	if err != nil {
		t.Fatal(err)
	}
	const horizon = 5000
	for i := range b.Records {
		b.Records[i].TimestampDelta = b.Records[i].Timestamp - horizon
	}
	b.Header.BaseTimestamp = horizon
	b.Header.Attributes |= record.DeleteHorizonFlag
	raw := b.Encode(nil)
	h, err := record.ParseHeader(raw)
	if ms, ok := h.DeleteHorizon(); err != nil || !ok || ms != horizon {
		t.Errorf("horizon %d %v, %v", ms, ok, err)
	}
	i := 0
	for r, err := range record.Records(raw) {
		if err != nil || r.Timestamp != b.Records[i].Timestamp {
			t.Errorf("record %d at %d, want %d; %v", i, r.Timestamp, b.Records[i].Timestamp, err)
		}
		i++
	}
}

// TestSetProducer: numbering a batch afterwards is the same as building it so.
func TestSetProducer(t *testing.T) {
	s := specs()["many"]
	late := record.Build(s)
	var b record.Builder
	b.Reset(s)
	for _, r := range s.Records {
		b.Add(r.Timestamp, r.Key, r.Value, r.Headers)
	}
	c := b.Clone()
	b.SetProducer(9, 2, 70)
	record.SetProducer(late, 9, 2, 70)
	s.Idempotent, s.ProducerID, s.ProducerEpoch, s.BaseSequence = true, 9, 2, 70
	want := record.Build(s)
	if !bytes.Equal(late, want) || !bytes.Equal(b.Bytes(), want) {
		t.Error("batches differ")
	}
	if h, err := record.ParseHeader(c.Bytes()); err != nil || h.HasProducer() {
		t.Errorf("the builder's copy saw it: %+v, %v", h, err)
	}
}
