package broker

import (
	"math"
	"slices"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
)

// What a leader checks of a client's batch, with every bound
// (ProduceRequest.validateRecords, UnifiedLog.analyzeAndValidateRecords,
// LogValidator.java).
func TestValidate(t *testing.T) {
	const ms = kafka.StartUnixMilli + 1_000_000
	now := kafka.InstantOfUnixMilli(ms)
	rec := func(at int64) record.Record {
		return record.Record{Timestamp: at, Key: []byte("k"), Value: make([]byte, 20)}
	}
	one := func(at int64) []byte { return record.Build(record.BatchSpec{Records: []record.Record{rec(at)}}) }
	size := int64(len(one(ms)))
	noKey := record.Build(record.BatchSpec{Records: []record.Record{rec(ms), {Timestamp: ms, Value: []byte("v")}}})
	shifted := one(ms)
	record.SetBaseOffsetAndEpoch(shifted, 1, -1)
	torn := one(ms)
	torn[len(torn)-1] ^= 1
	set := topicSettings{maxMessage: size, before: 5000, after: 3000, keepCodec: true}
	for _, c := range []struct {
		what  string
		batch []byte
		edit  func(*topicSettings)
		want  kafka.ErrorCode
		bad   int // of how many records the response speaks
	}{
		{"max.message.bytes exactly", one(ms), nil, kafka.None, 0},
		{"a byte more", one(ms), func(s *topicSettings) { s.maxMessage-- }, kafka.MessageTooLarge, 0},
		{"too large and torn", torn, func(s *topicSettings) { s.maxMessage-- }, kafka.MessageTooLarge, 0},
		{"torn", torn, nil, kafka.CorruptMessage, 0},
		{"two batches", append(one(ms), one(ms)...), nil, kafka.InvalidRecord, 0},
		{"a base offset of its own", shifted, nil, kafka.InvalidRecord, 0},
		{"control records", record.BuildMarker(record.Marker{}, 1, 0, ms), nil, kafka.InvalidRecord, 0},
		{"a producer without sequence", record.Build(record.BatchSpec{Idempotent: true, ProducerID: 1, BaseSequence: -1, Records: []record.Record{rec(ms)}}), nil, kafka.InvalidRecord, 0},
		{"as late as may be", one(ms + 3000), nil, kafka.None, 0},
		{"later", one(ms + 3001), nil, kafka.InvalidTimestamp, 1},
		{"as early as may be", one(ms - 5000), nil, kafka.None, 0},
		{"earlier", one(ms - 5001), nil, kafka.InvalidTimestamp, 1},
		{"no timestamp", one(record.NoTimestamp), nil, kafka.None, 0},
		{"later, but the broker's clock counts", one(ms + 3001), func(s *topicSettings) { s.log.LogAppendTime = true }, kafka.None, 0},
		{"no limits", one(1), func(s *topicSettings) { s.before, s.after = math.MaxInt64, math.MaxInt64 }, kafka.None, 0},
		{"no key", noKey, func(s *topicSettings) { s.maxMessage = 1000 }, kafka.None, 0},
		{"no key on a compacted topic", noKey, func(s *topicSettings) { s.maxMessage, s.log.Compact = 1000, true }, kafka.InvalidRecord, 1},
	} {
		s := set
		if c.edit != nil {
			c.edit(&s)
		}
		_, bad, code := validate(now, kafka.TopicPartition{Topic: "t"}, &s, c.batch)
		if code != c.want || len(bad) != c.bad {
			t.Errorf("%s: %v about %d records, want %v about %d", c.what, code, len(bad), c.want, c.bad)
		}
	}
}

// A duplicate is answered with the offsets and the timestamp of the batch in the log,
// whatever message.timestamp.type is; that timestamp is the broker's if it gave it
// (UnifiedLog.append, BatchMetadata.timestamp).
func TestDuplicateTellsItsTimestamp(t *testing.T) {
	for _, c := range []struct {
		configs       string
		first, second kafka.Duration // after the batch's own timestamp; -1: none is told
	}{{"", -1, 0}, {"\nconfig message.timestamp.type=LogAppendTime", kafka.Second, kafka.Second}} {
		h := &bench{t: t, d: &datadriven.TestData{}, used: map[string]bool{}}
		h.boot()
		h.d.Input = "partition 0 replicas=1 isr=1 leader=1" + c.configs
		h.apply()
		made := h.now
		raw := idempotent(made, 0, 2)
		for n, want := range []kafka.Duration{c.first, c.second} {
			h.now = made.Add(kafka.Duration(n+1) * kafka.Second)
			r := h.b.appendLeader(h.now, 0, 1, slices.Clone(raw), sim.NewOut(h.now, 1))
			told := int64(-1)
			if want >= 0 {
				told = made.Add(want).UnixMilli()
			}
			if r.code != kafka.None || r.base != 0 || r.last != 1 || r.appendTime != told {
				t.Errorf("%q, send %d: %+v, want append time %d", c.configs, n+1, r, told)
			}
		}
	}
}

// DeleteRecords is refused where only compaction may remove records; a topic without
// any cleanup.policy keeps all until somebody asks (Partition.deleteRecordsOnLeader).
func TestDeleteRecordsPolicy(t *testing.T) {
	for policy, want := range map[string]kafka.ErrorCode{
		"delete": kafka.None, "compact,delete": kafka.None, "compact": kafka.PolicyViolation, "": kafka.None,
	} {
		h := &bench{t: t, d: &datadriven.TestData{}, used: map[string]bool{}}
		h.boot()
		h.d.Input = "partition 0 replicas=1 isr=1 leader=1\nconfig cleanup.policy=" + policy
		h.apply()
		h.b.appendLeader(h.now, 0, 1, idempotent(h.now, 0, 2), sim.NewOut(h.now, 1))
		out := sim.NewOut(h.now, 1)
		if p := h.b.parts[0]; policy == "compact" {
			p.hw = 2 // its records have no key, so there are none
		}
		if r := h.b.deleteRecords(h.now, "t", 0, -1, out); r.code != want {
			t.Errorf("cleanup.policy=%q: %v, want %v", policy, r.code, want)
		}
		if r := h.b.deleteRecords(h.now, "t", 0, h.b.parts[0].hw+1, out); policy == "delete" && r.code != kafka.OffsetOutOfRange {
			t.Errorf("above the high watermark: %v", r.code)
		}
	}
}

// The keys that the offset map of a cleaner thread takes: 24 bytes each, of the
// thread's part of the buffer, filled to the load factor (SkimpyOffsetMap,
// Cleaner.buildOffsetMap).
func TestKeysMax(t *testing.T) {
	for _, c := range []struct {
		threads int
		buffer  int64
		want    int
	}{{1, 128 << 20, 5_033_164}, {2, 128 << 20, 2_516_581}, {1, 480, 18}, {1, 8 << 30, 80_530_636}} {
		s := cleanerSettings{threads: c.threads, buffer: c.buffer, load: 900_000}
		if got := s.keysMax(); got != c.want {
			t.Errorf("%d threads share %d bytes: %d keys, want %d", c.threads, c.buffer, got, c.want)
		}
	}
}

// DeleteRecords waits for the replicas that live; a fenced one follows when it is back
// (Partition.lowWatermarkIfLeader).
func TestLowWatermarkOfTheLiving(t *testing.T) {
	h := &bench{t: t, d: &datadriven.TestData{}, used: map[string]bool{}}
	h.boot()
	h.d.Input = "partition 0 replicas=1,2,3 isr=1,2,3 leader=1"
	h.apply()
	b, p := h.b, h.b.parts[0]
	b.appendLeader(h.now, 0, 1, idempotent(h.now, 0, 5), sim.NewOut(h.now, 1))
	if _, err := b.mutLog(p).SetLogStart(4); err != nil {
		t.Fatal(err)
	}
	for i := range p.remotes {
		p.remotes[i].logStart = kafka.Offset(i + 2) // 2 and 3
	}
	for _, c := range []struct {
		events string
		want   kafka.Offset
	}{{"unfence 2\nunfence 3", 2}, {"fence 2", 3}, {"fence 3", 4}} {
		h.d.Input = c.events
		h.apply()
		if got := b.lowWatermark(b.parts[0]); got != c.want {
			t.Errorf("%s: low watermark %d, want %d", c.events, got, c.want)
		}
	}
}
