package storage

import (
	"fmt"
	"slices"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"pgregory.net/rapid"
)

func tp(topic string, p int32) kafka.TopicPartition {
	return kafka.TopicPartition{Topic: topic, Partition: p}
}

func mustCreate(t testing.TB, d *Dir, p kafka.TopicPartition) int {
	t.Helper()
	slot, err := d.Create(0, p, kafka.TopicID{1}, DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	return slot
}

func TestDirSlots(t *testing.T) {
	d := NewDir()
	b0, a1, a0 := mustCreate(t, d, tp("b", 0)), mustCreate(t, d, tp("a", 1)), mustCreate(t, d, tp("a", 0))
	if _, err := d.Create(0, tp("a", 1), kafka.TopicID{}, DefaultConfig()); err == nil {
		t.Error("created twice")
	}
	var order []int
	for _, e := range d.Entries() {
		order = append(order, e.Slot)
	}
	if !slices.Equal(order, []int{a0, a1, b0}) {
		t.Errorf("order %v", order)
	}
	before := d.Clone()
	if !d.Delete(tp("a", 1)) || d.Delete(tp("a", 1)) || d.Get(tp("a", 1)) != nil || d.Len() != 2 {
		t.Error("delete")
	}
	if s := mustCreate(t, d, tp("c", 0)); s != a1 {
		t.Errorf("free slot %d not used, got %d", a1, s)
	}
	if s, ok := before.Slot(tp("a", 1)); !ok || s != a1 || before.Len() != 3 {
		t.Error("the copy saw the deletion")
	}
	if s, ok := d.Slot(tp("b", 0)); !ok || s != b0 {
		t.Error("a slot moved")
	}
}

// TestDirHistory: a directory with keyframes. Any copy, at any time, digests to
// what the directory was when it was taken, however it and the others went on.
func TestDirHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := NewDir()
		for i := range int32(4) {
			if _, err := d.Create(0, tp("t", i), kafka.TopicID{}, drawConfig(t)); err != nil {
				t.Fatal(err)
			}
		}
		var now kafka.Instant
		var frames []*Dir
		var sums []uint64
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				slot := rapid.IntRange(0, 3).Draw(t, "slot")
				now = now.Add(kafka.Second)
				if _, _, err := d.MutableAt(slot).AppendAsLeader(now, drawBatches(t, 0, 0, false), 0); err != nil {
					t.Fatal(err)
				}
			},
			"truncate": func(t *rapid.T) {
				l := d.MutableAt(rapid.IntRange(0, 3).Draw(t, "slot"))
				l.TruncateTo(kafka.Offset(rapid.Int64Range(0, int64(l.LEO())).Draw(t, "to")))
			},
			"checkpoint": func(t *rapid.T) {
				slot := rapid.IntRange(0, 3).Draw(t, "slot")
				d.SetHWCheckpoint(slot, d.At(slot).LEO())
				d.Checkpoint()
			},
			"writeback": func(t *rapid.T) { now = now.Add(DirtyExpire); d.Writeback(now) },
			"crash": func(t *rapid.T) {
				if rapid.Bool().Draw(t, "machine") {
					d.LosePageCache()
				} else {
					d.Kill()
				}
				d.Start()
			},
			"restart": func(t *rapid.T) {
				d.Shutdown(5)
				if lost := d.LosePageCache(); lost != 0 {
					t.Fatalf("%d bytes lost after a clean shutdown", lost)
				}
				if rep := d.Start(); !rep.Clean || rep.PreviousBrokerEpoch != 5 || len(rep.Recovered) != 0 {
					t.Fatalf("%+v", rep)
				}
			},
			"keyframe": func(t *rapid.T) { frames, sums = append(frames, d.Clone()), append(sums, dirDigest(d)) },
			"seek": func(t *rapid.T) {
				if len(frames) == 0 {
					t.Skip("no keyframes")
				}
				i := rapid.IntRange(0, len(frames)-1).Draw(t, "frame")
				d = frames[i].Clone()
				if dirDigest(d) != sums[i] {
					t.Fatal("a copy of a keyframe differs from it")
				}
			},
			"": func(t *rapid.T) {
				for i, f := range frames {
					if dirDigest(f) != sums[i] {
						t.Fatalf("keyframe %d changed", i)
					}
					for _, e := range f.Entries() {
						check(t, f.At(e.Slot))
					}
				}
			},
		})
	})
}

// TestCloneCostsWhatChanged: copies share the logs that did not change.
func TestCloneCostsWhatChanged(t *testing.T) {
	d := NewDir()
	for i := range int32(1000) {
		mustCreate(t, d, tp("t", i))
	}
	a := d.Clone()
	mustLead(t, d.MutableAt(7), batchOf(1, 0, 10, "k"), 0)
	b := d.Clone()
	for i := range 1000 {
		if shared := a.At(i) == b.At(i); shared == (i == 7) {
			t.Errorf("log %d shared: %v", i, shared)
		}
	}
	if a.At(7).LEO() != 0 || b.At(7).LEO() != 1 {
		t.Error("copies mixed up")
	}
	if n := testing.AllocsPerRun(10, func() {
		d.MutableAt(3).AssignEpoch(0, 0)
		d.Clone()
	}); n > 4 {
		t.Errorf("%v allocations for a copy with one change", n)
	}
}

func TestStartAfterCrash(t *testing.T) {
	d := NewDir()
	slot := mustCreate(t, d, tp("t", 0))
	mustCreate(t, d, tp("u", 0))
	if rep := d.Start(); rep.Clean || rep.PreviousBrokerEpoch != -1 || len(rep.Recovered) != 2 {
		t.Errorf("first start: %+v", rep)
	}
	mustLead(t, d.MutableAt(slot), batchOf(4, 0, 100, "k"), 3)
	d.SetHWCheckpoint(slot, 4)
	d.Kill()
	rep := d.Start()
	if rep.Clean || len(rep.Recovered) != 2 || rep.Recovered[0].Partition != tp("t", 0) || rep.Recovered[0].LEO != 4 {
		t.Errorf("%+v", rep)
	}
	if dirty := d.Dirty(); dirty == 0 || dirty != d.At(slot).Size() {
		t.Errorf("%d bytes dirty", dirty)
	}
	if lost := d.LosePageCache(); lost == 0 {
		t.Error("nothing lost")
	}
	d.Start()
	if leo := d.At(slot).LEO(); leo != 0 {
		t.Errorf("log end offset %d", leo)
	}
	if hw := d.HWCheckpoint(slot); hw != 4 {
		t.Errorf("high watermark checkpoint %d: it was on the disk", hw)
	}
	d.Shutdown(77)
	if rep := d.Start(); !rep.Clean || rep.PreviousBrokerEpoch != 77 {
		t.Errorf("%+v", rep)
	}
	d.Kill()
	if rep := d.Start(); rep.Clean || rep.PreviousBrokerEpoch != -1 {
		t.Errorf("the clean shutdown file served twice: %+v", rep)
	}
}

func BenchmarkDirClone1000(b *testing.B) {
	d := NewDir()
	for i := range int32(1000) {
		mustCreate(b, d, tp(fmt.Sprint("topic-", i/10), i%10))
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		d.MutableAt(i%1000).AssignEpoch(0, 0)
		d.Clone()
		i++
	}
}

func BenchmarkDirDigest1000(b *testing.B) {
	d := NewDir()
	for i := range int32(1000) {
		mustCreate(b, d, tp(fmt.Sprint("topic-", i/10), i%10))
	}
	b.ReportAllocs()
	for b.Loop() {
		d.Digest(sim.NewHash())
	}
}

// TestDirectories: the logs of a directory that failed are neither written back
// nor closed, and its repair spoils the proof of a clean shutdown.
func TestDirectories(t *testing.T) {
	id := kafka.TopicID{1}
	make2 := func() *Dir {
		d := NewDirs(2, 0)
		for i := range int32(4) {
			slot, err := d.CreateIn(int(i%2), 0, tp("t", i), id, DefaultConfig())
			if err != nil {
				t.Fatal(err)
			}
			b := record.Build(record.BatchSpec{Records: []record.Record{{Value: []byte("v")}}})
			if _, _, err := d.MutableAt(slot).AppendAsLeader(0, b, 0); err != nil {
				t.Fatal(err)
			}
		}
		return d
	}
	d := make2()
	if d.SizeIn(0) == 0 || d.SizeIn(0)+d.SizeIn(1) != d.Size() {
		t.Fatalf("sizes %d, %d of %d", d.SizeIn(0), d.SizeIn(1), d.Size())
	}
	d.Fail(1)
	before := d.Clone()
	d.Shutdown(7)
	if rep := d.Clone().Start(); !rep.Clean || rep.PreviousBrokerEpoch != 7 || len(rep.Recovered) != 0 {
		t.Errorf("start without the directory: %+v", rep)
	}
	if lost := d.Clone().LosePageCache(); lost != d.SizeIn(1) {
		t.Errorf("power loss after the shutdown lost %d bytes, want the %d of the failed directory", lost, d.SizeIn(1))
	}
	d.Repair(1)
	rep := d.Start()
	if rep.Clean || rep.PreviousBrokerEpoch != -1 || len(rep.Recovered) != 2 || rep.Recovered[0].Partition != tp("t", 1) || rep.Recovered[0].In != 1 {
		t.Errorf("start with the directory repaired: %+v", rep)
	}
	if l := d.Get(tp("t", 1)); l.LEO() != 1 {
		t.Errorf("log end offset %d", l.LEO())
	}
	// The process gives up a directory whose disk is only full.
	before.Repair(1)
	before.ShutdownWithout(7, 1<<1)
	if rep := before.Start(); rep.Clean || len(rep.Recovered) != 2 {
		t.Errorf("start after a shutdown without a directory: %+v", rep)
	}
}
