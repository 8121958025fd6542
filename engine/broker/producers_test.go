package broker

import (
	"encoding/hex"
	"math"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/storage"
)

// An empty snapshot as a real broker wrote it, and a round trip over the wrap of
// sequences.
func TestSnapshotBytes(t *testing.T) {
	if got := hex.EncodeToString(encodeProducers(nil)); got != "000148674bc700000000" {
		t.Errorf("an empty snapshot is %s", got)
	}
	var s producers
	for _, h := range []record.Header{
		{ProducerID: 7, ProducerEpoch: 2, BaseSequence: 4, LastOffsetDelta: 1, BaseOffset: 10, MaxTimestamp: 99},
		{ProducerID: 9, BaseSequence: math.MaxInt32 - 1, LastOffsetDelta: 3, BaseOffset: 12, MaxTimestamp: 100},
	} {
		s.observe(&h)
	}
	b := encodeProducers(s)
	got := decodeProducers(b)
	if len(got) != 2 || got[0] != s[0] || got[1] != s[1] {
		t.Errorf("read %+v, wrote %+v", got, s)
	}
	if first := got[1].batches[0].firstSeq; first != math.MaxInt32-1 {
		t.Errorf("first sequence %d", first)
	}
	b[12]++
	if decodeProducers(b) != nil || decodeProducers(b[:5]) != nil {
		t.Error("a broken snapshot was read")
	}
}

// idempotent makes a batch of n records of producer 5.
func idempotent(at kafka.Instant, seq int32, n int) []byte {
	s := record.BatchSpec{Idempotent: true, ProducerID: 5, BaseSequence: seq}
	for range n {
		s.Records = append(s.Records, record.Record{Timestamp: at.UnixMilli(), Value: make([]byte, 100)})
	}
	return record.Build(s)
}

// R65: retention takes all of an idempotent producer's records, but not what is
// known of it; that survives a restart by its snapshot, and a day without a word
// ends it.
func TestProducerOutlivesItsRecords(t *testing.T) {
	const expiry = kafka.Day
	b := &Broker{set: settings{producerExpiry: expiry}}
	l := storage.New(0, storage.Config{SegmentBytes: 1000, SegmentMs: math.MaxInt64, IndexIntervalBytes: 4096, SegmentIndexBytes: 1 << 20,
		RetentionMs: 60_000, RetentionBytes: -1, Delete: true}, 0)
	var s producers
	add := func(at kafka.Instant, seq int32, n int) {
		t.Helper()
		raw := idempotent(at, seq, n)
		segments := l.SegmentCount()
		first, _, err := l.AppendAsLeader(at, raw, 0)
		if err != nil {
			t.Fatal(err)
		}
		if l.SegmentCount() != segments {
			l.SaveProducers(first, encodeProducers(s))
		}
		h := record.Raw(raw).Header()
		h.BaseOffset = first
		s.observe(&h)
	}
	for i := range int32(10) {
		add(0, i*4, 4)
	}
	if got := b.loadProducers(0, l); len(got) != 1 || got[0].batches[got[0].n-1] != s[0].batches[s[0].n-1] {
		t.Fatalf("loaded %+v, have %+v", got, s)
	}
	now := kafka.Instant(0).Add(2 * kafka.Minute)
	if gone := l.DeleteExpired(now, l.LEO()); len(gone) == 0 || l.LogStart() != 40 {
		t.Fatalf("retention left offsets %d..%d", l.LogStart(), l.LEO())
	}
	l.SaveProducers(l.LEO(), encodeProducers(s)) // the active segment was rolled
	got := b.loadProducers(now, l)
	if len(got) != 1 {
		t.Fatalf("after retention and a restart: %+v", got)
	}
	next := record.Raw(idempotent(now, 40, 1)).Header()
	if dup, code := got.check(&next); dup != nil || code != kafka.None {
		t.Errorf("the next sequence: %v, %v", dup, code)
	}
	again := record.Raw(idempotent(now, 36, 4)).Header()
	if dup, _ := got.check(&again); dup == nil || dup.last != 39 {
		t.Errorf("the last batch again: %+v, want a duplicate with last offset 39", dup)
	}
	gap := record.Raw(idempotent(now, 41, 1)).Header()
	if _, code := got.check(&gap); code != kafka.OutOfOrderSequenceNumber {
		t.Errorf("a gap: %v", code)
	}
	if late := b.loadProducers(now.Add(expiry), l); len(late) != 0 {
		t.Errorf("a day later: %+v", late)
	} else if _, code := late.check(&gap); code != kafka.None {
		t.Errorf("an unknown producer may begin with any sequence: %v", code)
	}
}

// The expiry that Kafka's task would have done by now, and not sooner.
func TestForgetExpired(t *testing.T) {
	for _, c := range []struct {
		after  kafka.Duration
		forgot bool
	}{
		{kafka.Day - kafka.Second, false},
		{kafka.Day + 4*kafka.Minute, false}, // the next look is a minute later
		{kafka.Day + 11*kafka.Minute, true},
	} {
		opened := kafka.Instant(0).Add(-5 * kafka.Minute)
		p := &partition{}
		h := record.Raw(idempotent(0, 0, 1)).Header()
		p.producers.observe(&h)
		b := &Broker{opened: opened, parts: []*partition{p}, set: settings{producerExpiry: kafka.Day}}
		now := kafka.Instant(0).Add(c.after)
		b.forgetExpired(now, 0, 5)
		if forgot := len(b.parts[0].producers) == 0; forgot != c.forgot {
			t.Errorf("after %v: forgotten %v, want %v", c.after, forgot, c.forgot)
		}
	}
}

// Where a follower begins a segment, its snapshot holds what came before.
func TestSnapshotAtRoll(t *testing.T) {
	dir := storage.NewDir()
	tp := kafka.TopicPartition{Topic: "t"}
	slot, err := dir.Create(0, tp, topicID, storage.Config{SegmentBytes: 500, SegmentMs: math.MaxInt64, IndexIntervalBytes: 4096, SegmentIndexBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	b := &Broker{dir: dir, set: settings{producerExpiry: kafka.Day}}
	p := &partition{slot: slot}
	l := dir.MutableAt(slot)
	for i := range 3 { // two of these batches fit into a segment
		raw := idempotent(0, int32(i)*2, 2)
		record.SetBaseOffsetAndEpoch(raw, kafka.Offset(i)*2, 0)
		segments := l.SegmentCount()
		if _, _, err := l.AppendAsFollower(0, raw); err != nil {
			t.Fatal(err)
		}
		b.observeAppended(p, raw, segments)
	}
	at, data, ok := l.SavedProducers()
	if !ok || at != activeBase(l) || l.SegmentCount() < 2 {
		t.Fatalf("snapshot at %d, %v; %d segments", at, ok, l.SegmentCount())
	}
	saved := decodeProducers(data)
	if len(saved) != 1 || saved[0].batches[0].last != at-1 {
		t.Errorf("the snapshot at %d ends with %+v", at, saved)
	}
	if got := b.loadProducers(0, l); len(got) != 1 || got[0].batches[got[0].n-1].last != 5 {
		t.Errorf("loaded %+v", got)
	}
	l.TruncateTo(1)
	if _, _, ok := l.SavedProducers(); ok {
		t.Error("the snapshot outlived its part of the log")
	}
}

// A partition knows the last five batches of a producer: a sixth one that is sent
// again is out of order, as it would be a gap (ProducerStateEntry).
func TestFiveBatchesAreKnown(t *testing.T) {
	var s producers
	for seq := range int32(6) {
		s.observe(&record.Header{ProducerID: 7, BaseSequence: seq, BaseOffset: kafka.Offset(seq)})
	}
	for seq, want := range []kafka.ErrorCode{kafka.OutOfOrderSequenceNumber, 0, 0, 0, 0, 0, 0, kafka.OutOfOrderSequenceNumber} {
		dup, code := s.check(&record.Header{ProducerID: 7, BaseSequence: int32(seq)})
		if code != want || (dup != nil) != (seq >= 1 && seq <= 5) || dup != nil && dup.last != kafka.Offset(seq) {
			t.Errorf("sequence %d: %+v %v", seq, dup, code)
		}
	}
}

// A producer expires when its last batch is as old as producer.id.expiration.ms
// (ProducerStateManager.isProducerExpired).
func TestExpiredExactly(t *testing.T) {
	var s producers
	s.observe(&record.Header{ProducerID: 7, MaxTimestamp: kafka.StartUnixMilli})
	for ms, want := range map[int64]bool{999: false, 1000: true} {
		if got := s[0].expired(kafka.InstantOfUnixMilli(kafka.StartUnixMilli+ms), kafka.Second); got != want {
			t.Errorf("after %d of 1,000 ms: %v", ms, got)
		}
	}
}
