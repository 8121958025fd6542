package scenario

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/law"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/highwater-sim/highwater/engine/world"
)

// State is how far a step is.
type State uint8

// The states of a step.
const (
	Todo   State = iota // its instant has not come
	Open                // an expectation whose span is running
	Done                // done; said; asked
	Held                // an expectation that held
	Failed              // an expectation that did not, or a command that could not be done
)

// String is the word that view.Step uses.
func (s State) String() string { return [...]string{"todo", "open", "done", "ok", "failed"}[s] }

// StepState is a step's state, and why an expectation held or failed: the
// numbers.
type StepState struct {
	State State
	Why   string
	At    kafka.Instant // when it was decided
}

// Tracker follows a scenario through a world: what is done, what is expected,
// which law holds, what became of records. It is a world.Observer: plain data
// that goes back in time with the world.
type Tracker struct {
	file    *File
	steps   []StepState
	open    []int // indexes of expectations whose span is running, ascending
	watched []watched
	order   string // the latest command as the world noted it
	acksAll []string
	laws    law.Checker
	ledger  law.Ledger
	repeats bool // what happens was looked at before: no laws
}

// NewTracker returns the tracker of a file at its beginning.
func NewTracker(f *File) *Tracker {
	t := &Tracker{file: f, steps: make([]StepState, len(f.Steps)), watched: make([]watched, len(f.watches))}
	for i := range t.watched {
		t.watched[i].at = kafka.Never
	}
	return t
}

// Clone returns a copy that shares nothing which changes.
func (t *Tracker) Clone() world.Observer {
	c := *t
	c.steps = slices.Clone(t.steps)
	c.open = slices.Clone(t.open)
	c.watched = slices.Clone(t.watched)
	c.acksAll = slices.Clone(t.acksAll)
	c.laws = *t.laws.Clone()
	c.ledger = *t.ledger.Clone()
	return &c
}

// Repeat implements world.Observer: from here on laws are not looked at.
func (t *Tracker) Repeat() { t.repeats = true }

// Steps lists the state of each step. It must not be changed.
func (t *Tracker) Steps() []StepState { return t.steps }

// Ledger returns what became of a producer's records, as of now.
func (t *Tracker) Ledger(w *world.World, producer string) (law.Entry, bool) {
	c := newCluster(w)
	p, ok := c.Producer(producer)
	if !ok {
		return law.Entry{}, false
	}
	t.ledger.Update(c)
	return t.ledger.Of(p.Producer), true
}

// Inputs is what the script gives the world, in order: its steps, and the
// instants at which a span begins or ends. The index of a step is its place in
// File.Steps; those of spans come after them.
func (f *File) Inputs() []world.Input {
	var ins []world.Input
	for i := range f.Steps {
		s := &f.Steps[i]
		in := world.Input{At: s.At, Step: i}
		if s.Kind == KindCommand {
			in.Command = &s.Command
		}
		ins = append(ins, in)
		if x := s.Expect; x != nil && x.Form != FormNow {
			mark := len(f.Steps) + 2*i
			if x.From > s.At {
				ins = append(ins, world.Input{At: x.From, Step: mark})
			}
			ins = append(ins, world.Input{At: x.To, Step: mark + 1})
		}
	}
	slices.SortStableFunc(ins, func(a, b world.Input) int {
		if a.At != b.At {
			return compareInstants(a.At, b.At)
		}
		return boolInt(a.Step >= len(f.Steps)) - boolInt(b.Step >= len(f.Steps))
	})
	return ins
}

func compareInstants(a, b kafka.Instant) int {
	if a < b {
		return -1
	}
	return 1
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Noted takes a note: watches and laws look at it.
func (t *Tracker) Noted(w *world.World, n *trace.Note) {
	if n.Kind == trace.Command {
		t.order = n.Say
	}
	for i := range t.watched {
		if x := &t.file.watches[i]; x.fn.match(n, x.args) {
			t.watched[i].see(x.fn.keep, n)
		}
	}
	t.ledger.Noted(n)
	if t.repeats {
		return
	}
	t.laws.Noted(n)
	if n.Kind == trace.ProduceAcked && t.hasAcksAll(w, n.Who) {
		t.laws.Acked(n)
	}
}

// hasAcksAll remembers which producers have acks=all.
func (t *Tracker) hasAcksAll(w *world.World, name string) bool {
	if slices.Contains(t.acksAll, name) {
		return true
	}
	if p, ok := newCluster(w).Producer(name); ok && p.AcksAll {
		t.acksAll = append(t.acksAll, name)
		return true
	}
	return false
}

// Happened looks at laws and running spans after an event. The error is a
// *law.Violation.
func (t *Tracker) Happened(w *world.World) error {
	if !t.repeats {
		acted(w, &t.laws)
	}
	if len(t.open) == 0 && (t.repeats || !t.laws.Pending()) {
		return nil
	}
	c := newCluster(w)
	if !t.repeats {
		if v := t.laws.Happened(c); v != nil {
			return v
		}
	}
	if len(t.open) > 0 {
		e := t.env(c)
		for _, i := range t.open {
			t.look(e, i)
		}
		t.prune()
	}
	return nil
}

func (t *Tracker) env(c cluster) *env {
	return &env{cluster: c, watched: t.watched, ledger: &t.ledger}
}

// Reached takes an input of the script that has just been applied.
func (t *Tracker) Reached(w *world.World, step int) {
	n := len(t.file.Steps)
	if step >= n {
		t.mark(w, (step-n)/2, (step-n)%2 == 1)
		return
	}
	s := &t.file.Steps[step]
	switch {
	case s.Kind == KindCommand && t.order != s.Command.Text:
		t.decide(w.Now(), step, Failed, t.order)
	case s.Kind != KindExpect:
		t.decide(w.Now(), step, Done, "")
	case s.Expect.From > s.At:
		t.steps[step].State = Open // its span begins later
	default:
		t.begin(w, step)
	}
}

// begin starts an expectation: the present moment is the first to look at.
func (t *Tracker) begin(w *world.World, i int) {
	e := t.env(newCluster(w))
	x := t.file.Steps[i].Expect
	if x.Form == FormNow {
		ok, why := e.holds(&x.Cond)
		t.decide(w.Now(), i, verdict(ok), why)
		return
	}
	t.steps[i].State = Open
	t.open = append(t.open, i)
	slices.Sort(t.open)
	t.look(e, i)
	t.prune()
}

// mark begins or ends a span.
func (t *Tracker) mark(w *world.World, i int, end bool) {
	if t.steps[i].State != Open {
		return
	}
	if !end {
		t.begin(w, i)
		return
	}
	t.look(t.env(newCluster(w)), i)
	if t.steps[i].State == Open {
		x := t.file.Steps[i].Expect
		ok := x.Form == FormAlways || x.Form == FormNever
		t.decide(w.Now(), i, verdict(ok), t.steps[i].Why)
	}
	t.prune()
}

// look evaluates a running expectation and decides it if this moment does.
func (t *Tracker) look(e *env, i int) {
	x := t.file.Steps[i].Expect
	ok, why := e.holds(&x.Cond)
	t.steps[i].Why = why
	switch {
	case ok && (x.Form == FormWithin || x.Form == FormEventually):
		t.decide(e.Now(), i, Held, why)
	case ok == (x.Form == FormNever) && (x.Form == FormAlways || x.Form == FormNever):
		t.decide(e.Now(), i, Failed, why)
	}
}

func verdict(ok bool) State {
	if ok {
		return Held
	}
	return Failed
}

func (t *Tracker) decide(at kafka.Instant, i int, s State, why string) {
	t.steps[i] = StepState{State: s, Why: why, At: at}
}

// prune forgets spans that are decided.
func (t *Tracker) prune() {
	t.open = slices.DeleteFunc(t.open, func(i int) bool { return t.steps[i].State != Open })
}
