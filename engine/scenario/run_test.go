package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/world"
)

// TestRun keeps what becomes of expectations: which hold, which fail, and the
// numbers that are told.
func TestRun(t *testing.T) {
	datadriven.Walk(t, "testdata/run", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "run" {
				d.Fatalf(t, "unknown directive %s", d.Cmd)
			}
			f, err := Parse(d.Input)
			if err != nil {
				return err.Error() + "\n"
			}
			return printReport(Run(f, Options{}))
		})
	})
}

func printReport(rep Report) string {
	var b strings.Builder
	for _, r := range rep.Results {
		if r.Held { // its numbers may change with the engine's timing
			fmt.Fprintf(&b, "held line %d: %s\n", r.Line, r.Text)
			continue
		}
		fmt.Fprintf(&b, "FAILED line %d: %s: %s\n", r.Line, r.Text, r.Why)
	}
	if rep.Err != nil {
		fmt.Fprintf(&b, "%v\n", rep.Err)
	}
	fmt.Fprintf(&b, "%d passed, %d failed\n", rep.Passed, rep.Failed)
	return b.String()
}

// TestCutShort makes sure that what a run does not reach has failed.
func TestCutShort(t *testing.T) {
	f, err := Parse("title x\ntopic t\nproducer app topic=t rate=100/s\nat 0.1s expect up(1)\n expect always up(1) for 20s\nat 60s expect up(1)\n")
	if err != nil {
		t.Fatal(err)
	}
	rep := Run(f, Options{Events: 1000})
	if rep.Passed != 1 || rep.Failed != 2 || rep.Err == nil || !strings.Contains(rep.Err.Error(), "more than 1000 events") {
		t.Errorf("%d passed, %d failed, %v", rep.Passed, rep.Failed, rep.Err)
	}
	for _, r := range rep.Results[1:] {
		if r.Held || !strings.Contains(r.Why, "never decided: the run ended at 0.") {
			t.Errorf("line %d: held %t: %s", r.Line, r.Held, r.Why)
		}
	}
}

// lossy is a run in which much is decided at different times.
const lossy = `title lossy
seed 5
topic t replica-assignment=1:2:3 min.insync.replicas=2
producer app topic=t acks=1 linger.ms=0 rate=20/s
producer safe topic=t acks=all rate=20/s
consumer c assign=t from=earliest
at 2s expect within 10s elections(t-0) == 1
      expect always lost(app) == 0 until 4s
      expect never leader(t-0) == 2 from 3s until 40s
      expect eventually lost(app) > 0
at 4s cut broker-1 broker-2,broker-3
at 6s crash broker-1
at 20s expect lost(app) in 30..45
at 30s heal all
      start broker-1
at 60s expect isr(t-0) == {1, 2, 3}
      expect lost(safe) == 0
`

// TestSeekingForgets goes back and forth in time: at every instant the states
// of the steps, and what the ledger says, are those of the first time.
func TestSeekingForgets(t *testing.T) {
	f, err := Parse(lossy)
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(f.Spec)
	if err != nil {
		t.Fatal(err)
	}
	h := world.NewHistory(w, NewTracker(f), f.Inputs())
	look := func(at kafka.Instant) string {
		h.Seek(at)
		if !h.RunUntil(at, 1<<30) {
			t.Fatalf("%s: %v", at, h.Broken())
		}
		tr := h.Observer().(*Tracker)
		d := sim.NewHash()
		h.World().Digest(d)
		s := strconv.FormatUint(d.Sum(), 16)
		for _, name := range []string{"app", "safe"} {
			e, ok := tr.Ledger(h.World(), name)
			s += fmt.Sprintf(" %s %v %+v", name, ok, e)
		}
		for i, st := range tr.Steps() {
			s += fmt.Sprintf("\n%d %s %s", f.Steps[i].Line, st.State, st.Why)
		}
		return s
	}
	var first []string
	for at := kafka.Instant(0); at <= f.End; at += kafka.Instant(3 * kafka.Second) {
		first = append(first, look(at))
	}
	if last := first[len(first)-1]; strings.Contains(last, "todo") || strings.Contains(last, "open") {
		t.Errorf("undecided at the end:\n%s", last)
	}
	order := sim.NewRand(1, "order")
	for range 2 * len(first) {
		i := int(order.IntN(int64(len(first))))
		if got := look(kafka.Instant(i) * kafka.Instant(3*kafka.Second)); got != first[i] {
			t.Fatalf("at %ds the second time:\n%s\nthe first time:\n%s", 3*i, got, first[i])
		}
	}
}

// TestSameSeedSameRun runs twice.
func TestSameSeedSameRun(t *testing.T) {
	f, err := Parse(lossy)
	if err != nil {
		t.Fatal(err)
	}
	run := func() (sum uint64, rep string) {
		r := Run(f, Options{End: func(w *world.World) {
			d := sim.NewHash()
			w.Digest(d)
			sum = d.Sum()
		}})
		return sum, printReport(r)
	}
	a, ra := run()
	b, rb := run()
	if a != b || ra != rb {
		t.Errorf("two runs differ: %x %x\n%s\n%s", a, b, ra, rb)
	}
	if !strings.HasSuffix(ra, "5 passed, 2 failed\n") {
		t.Errorf("other results than those that must be:\n%s", ra)
	}
}

// TestTable makes sure that every function can be evaluated and is explained.
func TestTable(t *testing.T) {
	names := functionNames()
	slices.Sort(names)
	if n := len(slices.Compact(names)); n != len(functions) {
		t.Errorf("%d names for %d functions", n, len(functions))
	}
	for _, f := range functions {
		if (f.eval == nil) == (f.match == nil) || f.watches() != (f.match != nil) || f.Doc == "" {
			t.Errorf("%s: eval %t, match %t, keep %d, doc %q", f.Name, f.eval != nil, f.match != nil, f.keep, f.Doc)
		}
	}
	if len(verbs) != len(verbWords) {
		t.Errorf("%d verbs, %d in the list", len(verbs), len(verbWords))
	}
	for _, w := range verbWords {
		if v := verbs[w]; v.read == nil || v.doc == "" || !strings.HasPrefix(v.usage, w) {
			t.Errorf("verb %s: %+v", w, v)
		}
	}
}
