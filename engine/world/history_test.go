package world_test

import (
	"reflect"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/highwater-sim/highwater/engine/world"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// quiet is an observer that wants nothing.
type quiet struct{}

func (quiet) Noted(*world.World, *trace.Note) {}
func (quiet) Happened(*world.World) error     { return nil }
func (quiet) Repeat()                         {}
func (quiet) Reached(*world.World, int)       {}
func (quiet) Clone() world.Observer           { return quiet{} }

func at(s kafka.Duration) kafka.Instant { return kafka.Instant(s) }

func crash(name string) world.Command {
	return world.Command{Verb: world.VerbCrash, Text: "crash " + name, Nodes: []string{name}}
}

func start(name string) world.Command {
	return world.Command{Verb: world.VerbStart, Text: "start " + name, Nodes: []string{name}}
}

// script is a run with trouble: a cut, a crash, a loss of power, and back.
func script() []world.Input {
	cut := world.Command{Verb: world.VerbCut, Text: "cut", Nodes: []string{"broker-1"}, Peers: []string{"broker-2"}}
	heal := world.Command{Verb: world.VerbHeal, Text: "heal all"}
	power := world.Command{Verb: world.VerbPowerLoss, Text: "powerloss broker-2", Nodes: []string{"broker-2"}}
	slow := world.Command{Verb: world.VerbDisk, Text: "disk", Nodes: []string{"broker-1"}, Latency: 20 * kafka.Millisecond}
	back, back2 := start("broker-3"), start("broker-2")
	die := crash("broker-3")
	return []world.Input{
		{At: at(2 * kafka.Second), Command: &cut, Step: 0}, {At: at(4 * kafka.Second), Command: &heal, Step: 1},
		{At: at(5 * kafka.Second), Command: &die, Step: 2}, {At: at(7 * kafka.Second), Command: &back, Step: 3},
		{At: at(16 * kafka.Second), Command: &power, Step: 4}, {At: at(18 * kafka.Second), Command: &back2, Step: 5},
		{At: at(19 * kafka.Second), Command: &slow, Step: 6},
	}
}

func open(t testing.TB, spec world.Spec) *world.History {
	t.Helper()
	w, err := world.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return world.NewHistory(w, quiet{}, script())
}

func run(h *world.History, t kafka.Duration) uint64 {
	h.Seek(at(t))
	h.RunUntil(at(t), 1<<40)
	return h.Digest()
}

func small() world.Spec {
	s := world.Reference(3)
	s.Clients[0].RatePer1000s = 200_000
	return s
}

func TestSameSeedSameDigest(t *testing.T) {
	if a, b := run(open(t, small()), 25*kafka.Second), run(open(t, small()), 25*kafka.Second); a != b {
		t.Errorf("two runs end in %x and %x", a, b)
	}
	other := small()
	other.Seed++
	if run(open(t, small()), 5*kafka.Second) == run(open(t, other), 5*kafka.Second) {
		t.Error("another seed gives the same digest: the digest sees nothing")
	}
}

func TestSeekEqualsRun(t *testing.T) {
	h := open(t, small())
	want := map[kafka.Duration]uint64{}
	stops := []kafka.Duration{kafka.Second, 3 * kafka.Second, 5 * kafka.Second, 6500 * kafka.Millisecond, 17 * kafka.Second, 24 * kafka.Second}
	for _, s := range stops {
		want[s] = run(h, s)
	}
	for _, s := range []kafka.Duration{6500 * kafka.Millisecond, kafka.Second, 24 * kafka.Second, 5 * kafka.Second, 17 * kafka.Second, 3 * kafka.Second} {
		if got := run(h, s); got != want[s] {
			t.Errorf("at %v: %x when sought, %x when run", s, got, want[s])
		}
	}
}

func TestStepBackIsExact(t *testing.T) {
	h := open(t, small())
	run(h, 4999*kafka.Millisecond)
	h.Step() // the clock stands at an event from here on
	var digests []uint64
	for range 200 { // over the crash at 5 s
		digests = append(digests, h.Digest())
		if !h.Step() {
			t.Fatal("nothing more happens")
		}
	}
	if h.World().Now() < at(5*kafka.Second) {
		t.Fatalf("200 events end at %v, before the crash", h.World().Now())
	}
	for i := len(digests) - 1; i >= 0; i-- {
		if !h.StepBack() {
			t.Fatal("no step back")
		}
		if got := h.Digest(); got != digests[i] {
			t.Fatalf("%d steps in: %x after stepping back, %x before", i, got, digests[i])
		}
	}
}

func TestEditForksAndUndoJoins(t *testing.T) {
	h := open(t, small())
	plain := run(h, 12*kafka.Second)
	run(h, 3*kafka.Second)
	if err := h.Do(crash("broker-1")); err != nil {
		t.Fatal(err)
	}
	if run(h, 12*kafka.Second) == plain {
		t.Error("the crash changed nothing")
	}
	forked := h.Digest()
	run(h, 2*kafka.Second)
	if run(h, 12*kafka.Second) != forked {
		t.Error("the edit was lost on the way back and forth")
	}
	if err := h.Do(crash("broker-1")); err == nil {
		t.Error("a broker that is down was crashed again")
	}
	if !h.Undo() {
		t.Fatal("nothing to undo")
	}
	if run(h, 12*kafka.Second) != plain {
		t.Error("undo does not give the original run")
	}
}

// Every message is encoded and decoded: nothing may hide outside its bytes.
func TestMessagesAreTheirBytes(t *testing.T) {
	w, err := world.New(small())
	if err != nil {
		t.Fatal(err)
	}
	plain := w.Clone()
	w.SetRecode(recode(t))
	w.RunUntil(at(3 * kafka.Second))
	plain.RunUntil(at(3 * kafka.Second))
	if a, b := digest(w), digest(plain); a != b {
		t.Errorf("digest %x with every message encoded and decoded, %x without", a, b)
	}
}

// Nobody lives on a message that has been dealt with: its memory is used again.
func TestMessagesEnd(t *testing.T) {
	w, err := world.New(small())
	if err != nil {
		t.Fatal(err)
	}
	plain := w.Clone()
	spoilt := 0
	w.SetDone(func(m sim.Message) {
		spoilt++
		spoil(reflect.ValueOf(m.Request))
		spoil(reflect.ValueOf(m.Response))
	})
	w.RunUntil(at(3 * kafka.Second))
	plain.RunUntil(at(3 * kafka.Second))
	if a, b := digest(w), digest(plain); a != b || spoilt < 100 {
		t.Errorf("digest %x with %d messages spoilt, %x without", a, spoilt, b)
	}
}

// spoil overwrites all numbers of a message, and takes its bytes away.
func spoil(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			spoil(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				spoil(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetZero()
			return
		}
		for i := range v.Len() {
			spoil(v.Index(i))
		}
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(77)
	}
}

func recode(t *testing.T) func(sim.Message) sim.Message {
	return func(m sim.Message) sim.Message {
		if m.Request != nil {
			r := kmsg.RequestForKey(m.Request.Key())
			r.SetVersion(m.Request.GetVersion())
			if err := r.ReadFrom(m.Request.AppendTo(nil)); err != nil {
				t.Fatalf("%T: %v", m.Request, err)
			}
			m.Request = r
			return m
		}
		r := kmsg.ResponseForKey(m.Response.Key())
		r.SetVersion(m.Response.GetVersion())
		if err := r.ReadFrom(m.Response.AppendTo(nil)); err != nil {
			t.Fatalf("%T: %v", m.Response, err)
		}
		m.Response = r
		return m
	}
}

func digest(w *world.World) uint64 {
	h := sim.NewHash()
	w.Digest(h)
	return h.Sum()
}
