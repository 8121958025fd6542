package engine

import (
	"errors"
	"fmt"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/scenario"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/engine/world"
)

// Options say how a scenario is opened.
type Options struct {
	ID    string  // chapter/name in the library; "" if it came from elsewhere
	Seed  *uint64 // instead of the scenario's own; nil keeps it
	Edits []Edit  // the user's orders, in order of At (from a share link)
}

// Edit is an order of the user's, with its instant.
type Edit struct {
	At   kafka.Instant
	Text string
	Why  string // why it could not be done; empty: it was, or its instant has not come
}

// Problem is something wrong in a text. Line and Col count from 1.
type Problem struct {
	Line, Col int
	Text      string
}

// Problems is why a scenario could not be opened. It is an error.
type Problems []Problem

// Error says the first problem, and how many more there are.
func (p Problems) Error() string {
	if len(p) == 0 {
		return "no problem"
	}
	s := p[0].Text
	if p[0].Line > 0 {
		s = fmt.Sprintf("line %d, column %d: %s", p[0].Line, p[0].Col, s)
	}
	if len(p) > 1 {
		s += fmt.Sprintf(" (and %d more)", len(p)-1)
	}
	return s
}

// Session is an open scenario at one moment of its time.
type Session struct {
	id     string
	file   *scenario.File
	seed   uint64
	hist   *world.History
	build  view.Builder
	looked view.Cluster // for Inspect
}

// Open parses a scenario and builds its world, at instant 0. The error is
// Problems if the text or an edit is at fault.
func Open(text string, o Options) (*Session, error) {
	file, err := scenario.Parse(text)
	if err != nil {
		return nil, problems(err)
	}
	s := &Session{id: o.ID, file: file, seed: file.Spec.Seed}
	spec := file.Spec
	if o.Seed != nil {
		s.seed, spec.Seed = *o.Seed, *o.Seed
	}
	w, err := world.New(spec)
	if err != nil {
		return nil, Problems{{Text: err.Error()}}
	}
	s.hist = world.NewHistory(w, &observer{tracker: scenario.NewTracker(file), meter: view.NewMeter(w)}, file.Inputs())
	var bad Problems
	for _, e := range o.Edits {
		c, err := scenario.ParseCommand(e.Text)
		if err == nil && e.At < 0 {
			err = errors.New("its instant is before the start")
		}
		if err != nil {
			bad = append(bad, Problem{Text: fmt.Sprintf("edit %q at %v: %v", e.Text, e.At, err)})
			continue
		}
		s.hist.AddEdit(e.At, c)
	}
	if len(bad) > 0 {
		return nil, bad
	}
	s.hist.RunUntil(0, 1<<30)
	return s, nil
}

func problems(err error) Problems {
	var ps scenario.Problems
	if !errors.As(err, &ps) {
		return Problems{{Text: err.Error()}}
	}
	out := make(Problems, len(ps))
	for i, p := range ps {
		out[i] = Problem{p.Line, p.Col, p.Text}
	}
	return out
}

// observer is all that watches the world and goes back in time with it.
type observer struct {
	tracker *scenario.Tracker
	meter   *view.Meter
}

func (o *observer) Noted(w *world.World, n *trace.Note) {
	o.tracker.Noted(w, n)
	o.meter.Noted(n)
}

func (o *observer) Happened(w *world.World) error {
	o.meter.Happened(w)
	return o.tracker.Happened(w)
}

func (o *observer) Reached(w *world.World, step int) { o.tracker.Reached(w, step) }

func (o *observer) Repeat() { o.tracker.Repeat() }

func (o *observer) Clone() world.Observer {
	return &observer{o.tracker.Clone().(*scenario.Tracker), o.meter.Clone()}
}

func (s *Session) observer() *observer { return s.hist.Observer().(*observer) }

// Info describes the scenario.
func (s *Session) Info() view.Info {
	return view.Info{ID: s.id, Title: s.file.Title, Chapter: s.file.Chapter, Prose: s.file.Prose, Seed: s.seed, End: s.file.End}
}

// Text is the scenario's text as it was opened.
func (s *Session) Text() string { return s.file.Text }

// Now is the present instant.
func (s *Session) Now() kafka.Instant { return s.hist.World().Now() }

// Event numbers the present moment: events and inputs so far.
func (s *Session) Event() uint64 { return s.hist.Position() }

// End is when the script ends; the world goes on after it.
func (s *Session) End() kafka.Instant { return s.file.End }

// Next is the instant of the next event or input; false if there is none.
func (s *Session) Next() (kafka.Instant, bool) { return s.hist.Next() }

// Horizon is the furthest instant computed so far.
func (s *Session) Horizon() kafka.Instant { return s.hist.Horizon() }

// RunUntil runs everything due by t, at most about maxEvents events. It reports
// whether t was reached: not if the budget ran out or a law broke.
func (s *Session) RunUntil(t kafka.Instant, maxEvents int) bool { return s.hist.RunUntil(t, maxEvents) }

// StepEvent lets one event happen, or one input. It reports whether there was
// one.
func (s *Session) StepEvent() bool { return s.hist.Step() }

// StepBack takes one event or input back. It reports whether there was one.
func (s *Session) StepBack() bool { return s.hist.StepBack() }

// Seek jumps to the nearest keyframe at or before t; RunUntil goes the rest.
func (s *Session) Seek(t kafka.Instant) { s.hist.Seek(max(t, 0)) }

// SeekEvent goes to the moment with that number, as Event gave it.
func (s *Session) SeekEvent(n uint64) bool { return s.hist.SeekPosition(n) }

// Do gives one line of the scenario language to the world, now. In the past it
// replaces what the user did later.
func (s *Session) Do(command string) error {
	c, err := scenario.ParseCommand(command)
	if err != nil {
		return problems(err)
	}
	return s.hist.Do(c)
}

// Edits lists the user's orders.
func (s *Session) Edits() []Edit {
	var out []Edit
	for _, in := range s.hist.Edits() {
		out = append(out, Edit{in.At, in.Command.Text, in.Why})
	}
	return out
}

// Undo takes the last order of the user back and returns to the present
// instant without it.
func (s *Session) Undo() error {
	now := s.Now()
	if !s.hist.Undo() {
		return errors.New("there is nothing to undo")
	}
	s.hist.RunUntil(now, 1<<30)
	return nil
}

// View fills in the read model of the present moment.
func (s *Session) View(o view.Options, into *view.Cluster) {
	s.build.Build(s.hist.World(), o, into)
	ob := s.observer()
	ob.meter.Fill(into)
	s.fillLedger(into)
	if err := s.hist.Broken(); err != nil {
		into.Violation = violation(err, s)
	}
}

// Digest sums up the world's state: equal for equal moments, however reached.
func (s *Session) Digest() uint64 { return s.hist.Digest() }
