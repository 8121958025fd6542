package storage

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/highwater-sim/highwater/engine/kafka"
)

// TestGolden runs testdata: one verb a line of input, what the log says as
// output. Logs are named; a verb acts on the one given by on=.
//
//	new      on [segment.bytes] [segment.ms] [index.interval.bytes]
//	lead     on records [batches] [size] [ms] [epoch]    append as leader at timestamp ms
//	fetch    on from [max]                               one follower fetch, divergence included
//	epoch    on epoch                                    become leader of an epoch
//	truncate|start|delete  on to
//	roll|flush|checkpoint|kill|lose|recover|close|reopen  on
//	writeback on at                                      seconds
//	end      on epoch                                    end offset for a leader epoch
//	time     on ms                                       offset for a timestamp
//	read     on from [max] [upto]
//	show     on                                          segments, batches, indexes, epochs
//
// and those of retention in golden_clean_test.go.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		g := golden{}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			a := args{t: t, d: d}
			name := a.text("on")
			out := g.run(name, &a)
			a.done()
			if out == "" && g[name] != nil {
				return fmt.Sprintf("[%d, %d)\n", g[name].LogStart(), g[name].LEO())
			}
			return out
		})
	})
}

type golden map[string]*Log

func (g golden) run(name string, a *args) string {
	if a.d.Cmd == "new" {
		cfg := DefaultConfig()
		cfg.SegmentBytes = a.num("segment.bytes", cfg.SegmentBytes)
		cfg.SegmentMs = a.num("segment.ms", cfg.SegmentMs)
		cfg.IndexIntervalBytes = a.num("index.interval.bytes", cfg.IndexIntervalBytes)
		g[name] = New(0, cfg, 0)
		return ""
	}
	l := g[name]
	if l == nil {
		a.d.Fatalf(a.t, "no log %q", name)
	}
	switch a.d.Cmd {
	case "lead":
		return g.lead(l, a)
	case "fetch":
		return g.fetch(l, a)
	case "epoch":
		l.AssignEpoch(kafka.LeaderEpoch(a.must("epoch")), l.LEO())
		return epochLine(l)
	case "truncate":
		if !l.TruncateTo(kafka.Offset(a.must("to"))) {
			return fmt.Sprintf("nothing to cut; %s", epochLine(l))
		}
	case "start":
		if _, err := l.SetLogStart(kafka.Offset(a.must("to"))); err != nil {
			return err.Error() + "\n"
		}
	case "delete":
		return fmt.Sprintf("%d segments deleted, [%d, %d)\n", l.DeleteOldSegments(kafka.Offset(a.must("to"))), l.LogStart(), l.LEO())
	case "end":
		e, off := l.EndOffsetForEpoch(kafka.LeaderEpoch(a.must("epoch")), l.LEO())
		return fmt.Sprintf("epoch %d ends at %d\n", e, off)
	case "time":
		off, ms, ok, err := l.OffsetForTimestamp(a.must("ms"))
		if err != nil || !ok {
			return fmt.Sprintln("none", err)
		}
		return fmt.Sprintf("offset %d, timestamp %d\n", off, ms)
	case "read":
		b, err := l.Read(kafka.Offset(a.must("from")), int(a.num("max", 1<<20)), kafka.Offset(a.num("upto", int64(l.LEO()))))
		if err != nil {
			return err.Error() + "\n"
		}
		return batchList(b)
	case "show":
		return show(l)
	default:
		return durability(l, a)
	}
	return ""
}

func durability(l *Log, a *args) string {
	switch a.d.Cmd {
	case "roll":
		l.Roll(0)
	case "flush":
		l.Flush()
	case "checkpoint":
		l.Checkpoint()
	case "kill":
		l.Kill()
		return ""
	case "lose":
		return fmt.Sprintf("%d bytes lost, %d left\n", l.LosePageCache(), l.Size())
	case "close":
		l.Close()
	case "reopen":
		l.Reopen()
	case "writeback":
		l.Writeback(kafka.Instant(a.must("at") * int64(kafka.Second)))
	case "recover":
		r := l.Recover()
		return fmt.Sprintf("recovery point %d: %d bytes checked, %d and %d segments cut, [%d, %d), recovery point %d\ncause: %v\n",
			r.RecoveryPoint, r.Checked, r.Truncated, r.Segments, r.LogStart, r.LEO, l.RecoveryPoint(), r.Cause)
	default:
		return retention(l, a)
	}
	return fmt.Sprintf("[%d, %d) recovery point %d, %d bytes dirty\n", l.LogStart(), l.LEO(), l.RecoveryPoint(), l.Dirty())
}

func (g golden) lead(l *Log, a *args) string {
	var b []byte
	ms := a.num("ms", 0)
	n := int(a.must("records"))
	for range a.num("batches", 1) {
		b = append(b, batchOf(n, ms, int(a.num("size", 10)), "k")...)
		ms += int64(n)
	}
	epoch := a.num("epoch", int64(max(0, l.LatestEpoch())))
	first, last, err := l.AppendAsLeader(kafka.Instant(ms)*kafka.Instant(kafka.Millisecond), b, kafka.LeaderEpoch(epoch))
	if err != nil {
		return err.Error() + "\n"
	}
	return fmt.Sprintf("%d bytes at [%d, %d] in epoch %d\n", len(b), first, last, epoch)
}

// fetch is one fetch of a follower from a leader, by KIP-595's divergence check.
func (g golden) fetch(l *Log, a *args) string {
	leader := g[a.text("from")]
	last := l.LatestEpoch()
	if e, end := leader.EndOffsetForEpoch(last, leader.LEO()); last != kafka.NoEpoch && (e < last || end < l.LEO()) {
		ours, ourEnd := l.EndOffsetForEpoch(e, l.LEO())
		to := min(end, ourEnd)
		if ours < e {
			to = min(ourEnd, l.LEO())
		}
		was := l.LEO()
		l.TruncateTo(to)
		return fmt.Sprintf("diverging epoch %d ends at %d: truncated %d to %d; %s", e, end, was, l.LEO(), epochLine(l))
	}
	b, err := leader.Read(l.LEO(), int(a.num("max", 1<<20)), leader.LEO())
	if err != nil {
		return err.Error() + "\n"
	}
	first, end, err := l.AppendAsFollower(0, b)
	if err != nil {
		return err.Error() + "\n"
	}
	return fmt.Sprintf("%d bytes at [%d, %d]; %s", len(b), first, end, epochLine(l))
}

func epochLine(l *Log) string {
	var b strings.Builder
	b.WriteString("epochs")
	for _, e := range l.Epochs() {
		fmt.Fprintf(&b, " %d@%d", e.Epoch, e.StartOffset)
	}
	return b.String() + "\n"
}

func batchList(b []byte) string {
	l := New(0, DefaultConfig(), 0)
	if _, _, err := l.AppendAsFollower(0, b); err != nil {
		return err.Error() + "\n"
	}
	var out strings.Builder
	for x := range l.Batches(0) {
		fmt.Fprintf(&out, "[%d, %d] epoch %d, %d bytes\n", x.Header.BaseOffset, x.Header.LastOffset(), x.Header.LeaderEpoch, len(x.Raw))
	}
	return out.String() + fmt.Sprintf("%d bytes\n", len(b))
}

func show(l *Log) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%d, %d) recovery point %d, %d bytes, %d dirty; %s", l.LogStart(), l.LEO(), l.RecoveryPoint(), l.Size(), l.Dirty(), epochLine(l))
	for _, s := range l.Segments() {
		fmt.Fprintf(&b, "%020d.log %d bytes, to %d, largest timestamp %d\n", s.BaseOffset, s.Size, s.EndOffset, s.LargestTimestamp)
		for x := range l.Batches(s.BaseOffset) {
			if x.Segment == s.BaseOffset {
				fmt.Fprintf(&b, "  %5d: [%d, %d] epoch %d\n", x.Position, x.Header.BaseOffset, x.Header.LastOffset(), x.Header.LeaderEpoch)
			}
		}
		fmt.Fprintf(&b, "  index %v time %v\n", l.Index(s.BaseOffset), l.TimeIndex(s.BaseOffset))
	}
	return b.String()
}

// args reads a verb's arguments and complains of those nobody asked for.
type args struct {
	t    *testing.T
	d    *datadriven.TestData
	used []string
}

func (a *args) find(key string) (string, bool) {
	a.used = append(a.used, key)
	for _, arg := range a.d.CmdArgs {
		if arg.Key == key && len(arg.Vals) == 1 {
			return arg.Vals[0], true
		}
	}
	return "", false
}

func (a *args) text(key string) string {
	v, ok := a.find(key)
	if !ok {
		a.d.Fatalf(a.t, "%s needs %s=", a.d.Cmd, key)
	}
	return v
}

func (a *args) must(key string) int64 {
	n, err := strconv.ParseInt(a.text(key), 10, 64)
	if err != nil {
		a.d.Fatalf(a.t, "%s: %v", key, err)
	}
	return n
}

func (a *args) num(key string, otherwise int64) int64 {
	if _, ok := a.find(key); !ok {
		return otherwise
	}
	return a.must(key)
}

func (a *args) done() {
	for _, arg := range a.d.CmdArgs {
		if !slices.Contains(a.used, arg.Key) {
			a.d.Fatalf(a.t, "%s does not take %s", a.d.Cmd, arg.Key)
		}
	}
}
