package scenario

import (
	"fmt"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/law"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/highwater-sim/highwater/engine/world"
)

// EventsMax is how many events a run may take unless Options say otherwise.
const EventsMax = 20_000_000

// Options change how a scenario is run.
type Options struct {
	Seed   *uint64            // instead of the file's
	Note   func(*trace.Note)  // is shown every note; nil: nobody is
	End    func(*world.World) // is shown the world at the end; nil: nobody is
	Events uint64             // at most so many events; 0: EventsMax
}

// Result is what became of an expectation, or of a command that could not be
// done.
type Result struct {
	Line int // in the text
	Text string
	Held bool
	Why  string // the numbers
	At   kafka.Instant
}

// Report is what became of a run.
type Report struct {
	Results   []Result // in the order of the text
	Passed    int
	Failed    int
	Events    uint64
	Seed      uint64
	Violation *law.Violation // the broken law that stopped it
	Err       error          // why it could not run, or not to its end
}

// Run runs a file to its end, without history. A broken law or too many events
// end it early; the expectations that it then did not reach have failed.
func Run(f *File, o Options) Report {
	spec := f.Spec
	if o.Seed != nil {
		spec.Seed = *o.Seed
	}
	rep := Report{Seed: spec.Seed}
	w, err := world.New(spec)
	if err != nil {
		rep.Err = err
		return rep
	}
	r := runner{w: w, t: NewTracker(f), limit: o.Events}
	if r.limit == 0 {
		r.limit = EventsMax
	}
	w.OnNote(func(n *trace.Note) {
		if o.Note != nil {
			o.Note(n)
		}
		r.t.Noted(w, n)
	})
	for _, in := range f.Inputs() {
		if err = r.apply(in); err != nil {
			break
		}
	}
	rep.Violation, _ = err.(*law.Violation)
	rep.Err, rep.Events = err, w.Events()
	if o.End != nil {
		o.End(w)
	}
	r.t.report(&rep, w.Now())
	return rep
}

// runner drives a world by a script.
type runner struct {
	w     *world.World
	t     *Tracker
	limit uint64
}

// apply runs to an input's instant and lets it happen.
func (r *runner) apply(in world.Input) error {
	for {
		at, ok := r.w.Next()
		if !ok || at > in.At {
			break
		}
		r.w.StepEvent()
		if err := r.t.Happened(r.w); err != nil {
			return err
		}
		if r.w.Events() > r.limit {
			return fmt.Errorf("more than %d events by %s: the scenario is too busy", r.limit, r.w.Now())
		}
	}
	r.w.RunUntil(in.At) // sets the clock
	if in.Command != nil {
		_ = r.w.Do(*in.Command) // the tracker sees why it was not done
	}
	r.t.Reached(r.w, in.Step)
	return r.t.Happened(r.w)
}

// report lists the results. What was not decided by now has failed.
func (t *Tracker) report(rep *Report, now kafka.Instant) {
	for i := range t.file.Steps {
		s, st := &t.file.Steps[i], &t.steps[i]
		failed := st.State == Failed
		if s.Kind != KindExpect && !failed {
			continue
		}
		r := Result{Line: s.Line, Text: s.Text, Held: st.State == Held, Why: st.Why, At: st.At}
		if !r.Held && !failed {
			r.Why = "never decided: the run ended at " + now.String()
		}
		if r.Held {
			rep.Passed++
		} else {
			rep.Failed++
		}
		rep.Results = append(rep.Results, r)
	}
}
