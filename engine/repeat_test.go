package engine

import (
	"reflect"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/scenarios"
)

// An order in the past, at an instant to which one went back, leads to the same
// world as where nobody ever went further.
func TestAnOrderAfterGoingBackDoesTheSame(t *testing.T) {
	for _, at := range []kafka.Instant{0, kafka.Instant(kafka.Second), kafka.Instant(2*kafka.Second + 7)} {
		text := scenarios.Text("durability/acks-1")
		straight, back := mustOpen(t, text), mustOpen(t, text)
		runUntil(straight, at)
		runUntil(back, kafka.Instant(3*kafka.Second))
		back.Seek(at)
		runUntil(back, at)
		for _, s := range []*Session{straight, back} {
			if err := s.Do("crash broker-1"); err != nil {
				t.Fatal(err)
			}
		}
		if straight.Digest() != back.Digest() || straight.Event() != back.Event() {
			t.Errorf("%v: two worlds", at)
		}
	}
}

// An order of a link that cannot be done when its instant comes says why.
func TestAnOrderThatCannotBeDoneSaysWhy(t *testing.T) {
	s, err := Open(scenarios.Text("durability/acks-1"), Options{Edits: []Edit{
		{At: kafka.Instant(kafka.Second), Text: "start broker-1"},
		{At: kafka.Instant(2 * kafka.Second), Text: "crash broker-1"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	runUntil(s, kafka.Instant(3*kafka.Second))
	if e := s.Edits(); e[0].Why == "" || e[1].Why != "" {
		t.Errorf("%+v", e)
	}
}

// An edit in the past finds an observer that has looked at everything, though the
// way back there only repeated what it had seen: laws, ledger, steps and meters are
// the same as where nobody ever went further.
func TestAnEditAfterGoingBackIsWatchedInFull(t *testing.T) {
	for _, id := range []string{"durability/unclean", "retention/compaction", "control/voters"} {
		text := scenarios.Text(id)
		straight, back := mustOpen(t, text), mustOpen(t, text)
		at, end := kafka.Instant(9*kafka.Second+300*kafka.Millisecond+1), back.End()
		runUntil(straight, at)
		runUntil(back, end)
		back.Seek(at)
		runUntil(back, at)
		if back.Now() != straight.Now() {
			t.Fatalf("%s: at %v and %v", id, back.Now(), straight.Now())
		}
		for range 3 { // near is used
			back.StepBack()
		}
		runUntil(back, at)
		for _, s := range []*Session{straight, back} {
			if err := s.Do("crash broker-2"); err != nil {
				t.Fatal(id, err)
			}
			runUntil(s, at.Add(4*kafka.Second))
		}
		if straight.Digest() != back.Digest() {
			t.Fatalf("%s: two worlds", id)
		}
		if a, b := straight.observer(), back.observer(); !reflect.DeepEqual(a.Clone(), b.Clone()) {
			t.Errorf("%s: observers differ after an edit in the past", id)
		}
	}
}

func mustOpen(t *testing.T, text string) *Session {
	t.Helper()
	s, err := Open(text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func runUntil(s *Session, t kafka.Instant) {
	for !s.RunUntil(t, 1<<20) {
		if s.hist.Broken() != nil {
			return
		}
	}
}
