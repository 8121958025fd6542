package storage

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"pgregory.net/rapid"
)

// model is a log as simple as it can be: a list of batches.
type model struct {
	batches    []modelBatch
	leo, start kafka.Offset
	startSave  kafka.Offset
	durable    kafka.Offset // every batch that ends at or before it survives anything
	floor      kafka.Offset // below it epochs may be forgotten: the log once started here
	epoch      kafka.LeaderEpoch
	now        kafka.Instant
}

type modelBatch struct {
	base, last kafka.Offset
	epoch      kafka.LeaderEpoch
	raw        []byte // a copy
}

func (m *model) add(l *Log, first, last kafka.Offset, t *rapid.T) {
	for b := range l.Batches(first) {
		if b.Header.BaseOffset < first || b.Header.LastOffset() > last {
			t.Fatalf("append of [%d, %d] shows [%d, %d]", first, last, b.Header.BaseOffset, b.Header.LastOffset())
		}
		m.batches = append(m.batches, modelBatch{b.Header.BaseOffset, b.Header.LastOffset(), b.Header.LeaderEpoch, bytes.Clone(b.Raw)})
	}
	m.leo = last + 1
	m.rolled(l)
}

// rolled: what stands in closed segments is durable.
func (m *model) rolled(l *Log) {
	if base := l.active.base; len(l.closed) > 0 {
		m.durable = max(m.durable, base)
	}
}

func (m *model) truncate(t *rapid.T, l *Log) {
	off := kafka.Offset(rapid.Int64Range(max(int64(m.start), int64(m.leo)-30), int64(m.leo)).Draw(t, "to"))
	if cut := l.TruncateTo(off); cut != (off < m.leo) {
		t.Fatalf("TruncateTo(%d) of %d: %v", off, m.leo, cut)
	}
	m.batches = slices.DeleteFunc(m.batches, func(b modelBatch) bool { return b.last >= off })
	m.leo = min(m.leo, off)
	m.start = min(m.start, off)
	m.durable = min(m.durable, off)
	m.floor = min(m.floor, m.leo)
}

func (m *model) setStart(t *rapid.T, l *Log) {
	off := kafka.Offset(rapid.Int64Range(int64(m.start), int64(m.leo)).Draw(t, "to"))
	if _, err := l.SetLogStart(off); err != nil {
		t.Fatal(err)
	}
	m.start = max(m.start, off)
	m.floor = max(m.floor, off)
	l.DeleteOldSegments(m.start)
}

func (m *model) clone() *model {
	c := *m
	c.batches = slices.Clone(m.batches)
	return &c
}

// read is the answer that Read must give, by its documentation.
func (m *model) read(l *Log, from kafka.Offset, maxBytes int, upTo kafka.Offset) []byte {
	segmentEnd := kafka.Offset(-1)
	var out []byte
	for _, b := range m.batches {
		if b.last < from {
			continue
		}
		if segmentEnd < 0 {
			for _, s := range l.Segments() {
				if s.BaseOffset <= b.base {
					segmentEnd = s.EndOffset
				}
			}
		}
		if from >= upTo || b.base >= upTo || b.base >= segmentEnd || len(out) > 0 && len(out)+len(b.raw) > maxBytes {
			break
		}
		out = append(out, b.raw...)
	}
	return out
}

func (m *model) compare(t *rapid.T, l *Log) {
	check(t, l)
	if l.LEO() != m.leo || l.LogStart() != m.start {
		t.Fatalf("log [%d, %d), model [%d, %d)", l.LogStart(), l.LEO(), m.start, m.leo)
	}
	first := l.Segments()[0].BaseOffset
	i := 0
	for i < len(m.batches) && m.batches[i].last < first {
		i++ // deleted with its segment
	}
	m.batches = m.batches[i:]
	i = 0
	for b := range l.Batches(first) {
		if i == len(m.batches) || !bytes.Equal(b.Raw, m.batches[i].raw) {
			t.Fatalf("batch %d at %d is not the model's", i, b.Header.BaseOffset)
		}
		if e := l.EpochForOffset(b.Header.BaseOffset); b.Header.BaseOffset >= m.floor && e != m.batches[i].epoch {
			t.Fatalf("epoch at %d is %d, batch says %d; %v", b.Header.BaseOffset, e, m.batches[i].epoch, l.Epochs())
		}
		i++
	}
	if i != len(m.batches) {
		t.Fatalf("log has %d batches, model %d", i, len(m.batches))
	}
}

func (m *model) compareRead(t *rapid.T, l *Log) {
	from := kafka.Offset(rapid.Int64Range(int64(m.start), int64(m.leo)).Draw(t, "from"))
	if rapid.Bool().Draw(t, "tail") {
		from = max(m.start, m.leo-kafka.Offset(rapid.IntRange(0, 20).Draw(t, "back")))
	}
	upTo := kafka.Offset(rapid.Int64Range(int64(from), int64(m.leo)+1).Draw(t, "upTo"))
	maxBytes := rapid.SampledFrom([]int{0, 1, 500, 5000, 1 << 20}).Draw(t, "maxBytes")
	got, err := l.Read(from, maxBytes, upTo)
	if want := m.read(l, from, maxBytes, upTo); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("Read(%d, %d, %d): %d bytes, want %d; %v", from, maxBytes, upTo, len(got), len(want), err)
	}
	strict, err := l.ReadStrict(from, maxBytes, upTo)
	if err != nil || len(got) <= maxBytes && !bytes.Equal(strict, got) || len(strict) > maxBytes {
		t.Fatalf("ReadStrict(%d, %d, %d): %d bytes; %v", from, maxBytes, upTo, len(strict), err)
	}
}

// crash lets the log lose what is not durable, and checks what is left.
func (m *model) crash(t *rapid.T, l *Log, machine bool) {
	if machine {
		l.LosePageCache()
	} else {
		l.Kill()
	}
	if _, err := l.Read(l.LEO(), 1, l.LEO()); CodeOf(err) != kafka.KafkaStorageError {
		t.Fatalf("read before recovery: %v", err)
	}
	rep := l.Recover()
	if rep.LEO != l.LEO() || rep.LogStart != l.LogStart() {
		t.Fatalf("%+v, log [%d, %d)", rep, l.LogStart(), l.LEO())
	}
	kept := 0
	for range l.Batches(l.Segments()[0].BaseOffset) {
		kept++
	}
	lost := m.batches[kept:]
	// A log that ends before its checkpointed start begins anew there.
	anew := kept == 0 && l.LEO() == m.startSave
	switch {
	case anew:
	case !machine && (len(lost) > 0 || rep.Truncated > 0):
		t.Fatalf("a killed process lost %d batches, %+v", len(lost), rep)
	case len(lost) > 0 && lost[0].last < m.durable:
		t.Fatalf("batch [%d, %d] is gone, all below %d was durable", lost[0].base, lost[0].last, m.durable)
	}
	m.batches = m.batches[:kept]
	m.leo = l.LEO()
	if n := len(m.batches); n > 0 && m.leo != m.batches[n-1].last+1 && m.leo != l.active.base {
		t.Fatalf("log end offset %d after recovery, last batch ends at %d", m.leo, m.batches[n-1].last)
	}
	m.start = max(m.startSave, l.Segments()[0].BaseOffset)
	m.durable = min(m.durable, m.leo)
	m.floor = min(m.floor, m.leo)
}

func drawBatches(t *rapid.T, base kafka.Offset, epoch kafka.LeaderEpoch, gaps bool) []byte {
	var out []byte
	for i := range rapid.IntRange(1, 4).Draw(t, "batches") {
		n := rapid.IntRange(1, 5).Draw(t, "records")
		b := batchOf(n, rapid.Int64Range(-1, 5000).Draw(t, "ms"), rapid.SampledFrom([]int{0, 10, 350}).Draw(t, "size"), fmt.Sprint("k", i))
		if gaps {
			base += kafka.Offset(rapid.SampledFrom([]int{0, 0, 1, 7}).Draw(t, "gap"))
		}
		record.SetBaseOffsetAndEpoch(b, base, epoch)
		base += kafka.Offset(n)
		out = append(out, b...)
	}
	return out
}

func drawConfig(t *rapid.T) Config {
	c := DefaultConfig()
	c.SegmentBytes = rapid.SampledFrom([]int64{8 << 10, 20 << 10, 1 << 30}).Draw(t, "segment.bytes")
	c.IndexIntervalBytes = rapid.SampledFrom([]int64{0, 300, 4096}).Draw(t, "index.interval.bytes")
	c.SegmentMs = rapid.SampledFrom([]int64{100, 4000, 1 << 40}).Draw(t, "segment.ms")
	return c
}

// TestModel runs random histories of a log beside the model: appends of both
// kinds, truncations, deletions, copies, flushes and crashes.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{epoch: 1}
		l := New(0, drawConfig(t), 0)
		var copies []*Log
		var copyModels []*model
		tick := func() {
			m.now = m.now.Add(kafka.Duration(rapid.IntRange(1, 9000).Draw(t, "ms passed")) * kafka.Millisecond)
		}
		t.Repeat(map[string]func(*rapid.T){
			"lead": func(t *rapid.T) {
				tick()
				first, last, err := l.AppendAsLeader(m.now, drawBatches(t, 0, 0, false), m.epoch)
				if err != nil || first != m.leo {
					t.Fatalf("first %d, want %d; %v", first, m.leo, err)
				}
				m.add(l, first, last, t)
			},
			"follow": func(t *rapid.T) {
				tick()
				first, last, err := l.AppendAsFollower(m.now, drawBatches(t, m.leo, m.epoch, true))
				if err != nil {
					t.Fatal(err)
				}
				m.add(l, first, last, t)
			},
			"epoch": func(t *rapid.T) {
				m.epoch++
				l.AssignEpoch(m.epoch, m.leo)
			},
			"truncate":   func(t *rapid.T) { m.truncate(t, l) },
			"start":      func(t *rapid.T) { m.setStart(t, l) },
			"roll":       func(t *rapid.T) { l.Roll(m.now); m.rolled(l) },
			"flush":      func(t *rapid.T) { l.Flush(); m.durable = m.leo },
			"checkpoint": func(t *rapid.T) { l.Checkpoint(); m.startSave = m.start },
			"writeback": func(t *rapid.T) {
				for range rapid.IntRange(1, 9).Draw(t, "times") {
					m.now = m.now.Add(WritebackInterval)
					l.Writeback(m.now)
				}
			},
			"crash": func(t *rapid.T) { m.crash(t, l, rapid.Bool().Draw(t, "machine")) },
			"clone": func(t *rapid.T) {
				copies, copyModels = append(copies, l), append(copyModels, m.clone())
				l = l.Clone()
			},
			"switch": func(t *rapid.T) {
				if len(copies) == 0 {
					t.Skip("no copies")
				}
				i := rapid.IntRange(0, len(copies)-1).Draw(t, "copy")
				copies[i], l = l, copies[i]
				copyModels[i], m = m, copyModels[i]
			},
			"read": func(t *rapid.T) { m.compareRead(t, l) },
			"": func(t *rapid.T) {
				m.compare(t, l)
				for i := range copies {
					copyModels[i].compare(t, copies[i])
				}
			},
		})
	})
}

// TestChunksAreInvisible does the same to two logs, one of which is copied, and
// so starts a new chunk, before every step. Nothing may tell them apart.
func TestChunksAreInvisible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		cfg.LogAppendTime = rapid.Bool().Draw(t, "LogAppendTime")
		a, b := New(0, cfg, 0), New(0, cfg, 0)
		fa, fb := New(0, cfg, 0), New(0, cfg, 0)
		var now kafka.Instant
		both := func(do func(l, f *Log)) {
			b, fb = b.Clone(), fb.Clone()
			do(a, fa)
			do(b, fb)
		}
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				batches := drawBatches(t, 0, 0, false)
				now = now.Add(kafka.Second)
				both(func(l, f *Log) {
					if _, _, err := l.AppendAsLeader(now, batches, 3); err != nil {
						t.Fatal(err)
					}
				})
			},
			"replicate": func(t *rapid.T) {
				n := rapid.SampledFrom([]int{1, 4000, 1 << 20}).Draw(t, "maxBytes")
				both(func(l, f *Log) {
					data, err := l.Read(f.LEO(), n, l.LEO())
					if err != nil {
						t.Fatal(err)
					}
					if _, _, err := f.AppendAsFollower(now, data); err != nil {
						t.Fatal(err)
					}
				})
			},
			"truncate": func(t *rapid.T) {
				off := kafka.Offset(rapid.Int64Range(0, int64(a.LEO())).Draw(t, "to"))
				both(func(l, f *Log) { l.TruncateTo(off); f.TruncateTo(off) })
			},
			"crash": func(t *rapid.T) {
				both(func(l, f *Log) {
					l.LosePageCache()
					l.Recover()
					f.TruncateTo(l.LEO())
				})
			},
			"flush": func(t *rapid.T) { both(func(l, f *Log) { l.Flush() }) },
			"writeback": func(t *rapid.T) {
				now = now.Add(DirtyExpire)
				both(func(l, f *Log) { l.Writeback(now); f.Writeback(now) })
			},
			"": func(t *rapid.T) {
				if digest(a) != digest(b) || digest(fa) != digest(fb) {
					t.Fatal("digests differ")
				}
				check(t, a)
				check(t, fb)
			},
		})
	})
}
