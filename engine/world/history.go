package world

import (
	"slices"
	"sort"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
)

// Observer looks at a world as it runs: expectations, laws, meters. It never
// changes the world, and it goes back in time with it.
type Observer interface {
	// Noted is called with each note as it is made.
	Noted(w *World, n *trace.Note)
	// Happened is called after every event of an actor. An error stops the run:
	// a law is broken.
	Happened(w *World) error
	// Reached is called when input i of the script has been applied (its command
	// done, if it had one).
	Reached(w *World, step int)
	// Repeat says that what follows was looked at before: the world was set back and
	// runs again, exactly as it did. Laws held then, so they need no look. An
	// observer that was told so is not asked about what is new.
	Repeat()
	// Clone returns a copy that shares nothing that changes.
	Clone() Observer
}

// Input is something that reaches the world at an instant from outside: a step
// of the script or an edit of the user.
type Input struct {
	At      kafka.Instant
	Command *Command // nil: nothing to do (prose, a question, an expectation)
	Step    int      // index of the script's step; -1 for an edit
	Why     string   // why the command could not be done when its instant came; empty: it was, or has not come
}

// framesEvery is how many events lie between two keyframes: what going to any
// instant costs at most.
const framesEvery = 11_200

// History is a world with its past: the inputs in order, and keyframes from
// which any earlier moment is reached again, exactly.
//
// Invariant: inputs are in order of At; those before cursor are applied.
// A moment is named by its position: events of actors plus inputs applied.
type History struct {
	live     *World
	observer Observer
	inputs   []Input
	cursor   int
	frames   []frame // in order of position; the first is the beginning
	log      trace.Log
	horizon  kafka.Instant // the furthest instant computed on this line of events
	broken   error

	// What was computed on this line of events is looked at once. While the present
	// moment is before the furthest one, the observer repeats, and front is the one
	// that has seen all, for when that moment comes again.
	seen  uint64 // the furthest position
	front *front // nil: the present moment is the furthest
	near  *frame // shortly before the present moment, for going back step by step; nil: none
}

// front is what was known at the furthest moment.
type front struct {
	observer Observer
	broken   error
}

type frame struct {
	world    *World
	observer Observer
	cursor   int
}

func (f *frame) position() uint64 { return f.world.Events() + uint64(f.cursor) }

// NewHistory takes a world at its beginning and the script's inputs in order.
func NewHistory(w *World, o Observer, script []Input) *History {
	h := &History{live: w, observer: o, inputs: slices.Clone(script), horizon: w.Now()}
	h.listen()
	h.keep()
	return h
}

// listen hooks the live world's notes.
func (h *History) listen() {
	h.live.OnNote(func(n *trace.Note) {
		h.log.Add(n)
		h.observer.Noted(h.live, n)
	})
}

func (h *History) keep() {
	h.frames = append(h.frames, frame{h.live.Clone(), h.observer.Clone(), h.cursor})
}

// World is the live world at the present moment, for reading.
func (h *History) World() *World { return h.live }

// Observer is the live observer.
func (h *History) Observer() Observer { return h.observer }

// Log is the notes so far, and those of a future that was computed already.
func (h *History) Log() *trace.Log { return &h.log }

// Position numbers the present moment: events plus inputs.
func (h *History) Position() uint64 { return h.live.Events() + uint64(h.cursor) }

// Horizon is the furthest instant computed so far on this line of events.
func (h *History) Horizon() kafka.Instant { return h.horizon }

// Broken is the law that was broken at the present moment, nil if none.
func (h *History) Broken() error { return h.broken }

// Inputs lists what reached or will reach the world from outside.
func (h *History) Inputs() []Input { return h.inputs }

// Next returns the instant of the next event or input.
func (h *History) Next() (kafka.Instant, bool) {
	at, ok := h.live.Next()
	if h.cursor < len(h.inputs) && (!ok || h.inputs[h.cursor].At < at) {
		return max(h.inputs[h.cursor].At, h.live.Now()), true
	}
	return at, ok
}

// advance does the next event or input if it is due by t.
func (h *History) advance(t kafka.Instant) bool {
	at, ok := h.live.Next()
	if h.cursor < len(h.inputs) {
		if in := &h.inputs[h.cursor]; in.At <= t && (!ok || in.At < at) {
			h.apply(in)
			return true
		}
	}
	if !ok || at > t {
		return false
	}
	before := h.live.Events()
	h.live.k.Step()
	if h.live.Events() != before {
		h.happened()
	}
	return true
}

func (h *History) happened() {
	switch p := h.Position(); {
	case p < h.seen:
		_ = h.observer.Happened(h.live) // it repeats
		return
	case h.front != nil:
		h.observer, h.broken, h.front = h.front.observer, h.front.broken, nil
		return
	default:
		h.seen = p
	}
	if err := h.observer.Happened(h.live); err != nil {
		h.broken = err
	}
	if last := &h.frames[len(h.frames)-1]; h.live.Events() >= last.world.Events()+framesEvery {
		h.keep()
	}
}

func (h *History) apply(in *Input) {
	h.cursor++
	h.live.k.AdvanceTo(in.At)
	if in.Command != nil {
		// It was checked against the names that are declared; what is impossible at
		// this instant (starting what runs) is noted by Do.
		in.Why = ""
		if err := h.live.Do(*in.Command); err != nil {
			in.Why = err.Error()
		}
	}
	if in.Step >= 0 {
		h.observer.Reached(h.live, in.Step)
	}
	h.happened()
}

// RunUntil runs forward until everything due by t has happened, or until about
// maxEvents events have. It reports whether t was reached; it is not when the
// budget ran out or a law broke.
func (h *History) RunUntil(t kafka.Instant, maxEvents int) bool {
	for h.broken == nil {
		if maxEvents <= 0 {
			return false
		}
		maxEvents--
		if !h.advance(t) {
			h.live.k.AdvanceTo(t)
			h.horizon = max(h.horizon, t)
			return true
		}
	}
	h.horizon = max(h.horizon, h.live.Now())
	return false
}

// Step does exactly one event of an actor, or one input. It reports whether
// there was one.
func (h *History) Step() bool { return h.runTo(h.Position() + 1) }

// runTo runs forward to a position.
func (h *History) runTo(position uint64) bool {
	for h.Position() < position {
		if h.broken != nil || !h.advance(kafka.Never-1) {
			return false
		}
	}
	h.horizon = max(h.horizon, h.live.Now())
	return true
}

// StepBack goes back by exactly one event or input. It reports whether there
// was one.
func (h *History) StepBack() bool {
	p := h.Position()
	return p > h.frames[0].position() && h.SeekPosition(p-1)
}

// nearBy is how many events before the present moment near is kept, after a way of
// at least nearFrom.
const (
	nearBy   = 250
	nearFrom = 1000
)

// SeekPosition goes to the moment with that position, before or after the
// present one.
func (h *History) SeekPosition(p uint64) bool {
	if p < h.Position() {
		h.restore(h.frameBefore(p))
	}
	if h.front != nil && p > h.Position()+nearFrom && p < h.seen {
		h.runTo(p - nearBy)
		h.near = &frame{h.live.Clone(), h.observer.Clone(), h.cursor}
	}
	return h.runTo(p)
}

// frameBefore is the latest keyframe at or before a position.
func (h *History) frameBefore(p uint64) *frame {
	f := h.lastFrame(p)
	if n := h.near; n != nil && n.position() <= p && n.position() > f.position() {
		return n
	}
	return f
}

// lastFrame is frameBefore without near.
func (h *History) lastFrame(p uint64) *frame {
	i := sort.Search(len(h.frames), func(i int) bool { return h.frames[i].position() > p })
	return &h.frames[max(i-1, 0)]
}

// Seek jumps to the latest keyframe at or before t if that is nearer than the
// present moment; RunUntil(t, ...) then does the rest.
func (h *History) Seek(t kafka.Instant) {
	i := sort.Search(len(h.frames), func(i int) bool { return h.frames[i].world.Now() > t }) - 1
	i = max(i, 0)
	if now := h.live.Now(); t < now || h.frames[i].position() > h.Position() {
		h.restore(&h.frames[i])
	}
}

// restore goes to a keyframe of this line of events.
func (h *History) restore(f *frame) {
	if h.front == nil {
		h.front = &front{h.observer, h.broken}
	}
	h.load(f)
	if h.Position() < h.seen {
		h.observer.Repeat()
		return
	}
	h.observer, h.broken, h.front = h.front.observer, h.front.broken, nil
}

func (h *History) load(f *frame) {
	h.live, h.observer, h.cursor, h.broken = f.world.Clone(), f.observer.Clone(), f.cursor, nil
	h.log.Rewind(h.live.LastNote())
	h.listen()
}

// settle makes the present moment the furthest one: what lies ahead will be
// another future. The observer looks at all that it has only repeated. All that was
// due by now has happened.
func (h *History) settle() {
	p, now := h.Position(), h.live.Now()
	if h.front != nil {
		h.load(h.lastFrame(p))
		h.RunUntil(now, 1<<30) // not to the position alone: the kernel has events of its own
	}
	h.seen, h.front, h.near = p, nil, nil
}

// Do gives the world a command now, after everything else of this instant. What
// lay ahead is computed anew, and edits that lay ahead are dropped. A command
// that cannot be done changes nothing.
func (h *History) Do(c Command) error {
	h.RunUntil(h.live.Now(), 1<<30)
	if err := h.live.Check(c); err != nil {
		return err
	}
	h.cutFuture()
	h.inputs = slices.Insert(h.inputs, h.cursor, Input{At: h.live.Now(), Command: &c, Step: -1})
	h.apply(&h.inputs[h.cursor])
	return nil
}

// cutFuture forgets what was computed beyond the present moment.
func (h *History) cutFuture() {
	h.settle()
	p := h.Position()
	h.frames = slices.DeleteFunc(h.frames, func(f frame) bool { return f.position() > p })
	h.inputs = append(h.inputs[:h.cursor], slices.DeleteFunc(h.inputs[h.cursor:], func(in Input) bool { return in.Step < 0 })...)
	h.log.Truncate(h.live.LastNote())
	h.horizon = h.live.Now()
}

// Edits lists the user's commands in order.
func (h *History) Edits() []Input {
	var out []Input
	for _, in := range h.inputs {
		if in.Step < 0 {
			out = append(out, in)
		}
	}
	return out
}

// AddEdit puts a command into the future (from a share link), in order.
func (h *History) AddEdit(at kafka.Instant, c Command) {
	i := len(h.inputs)
	for i > h.cursor && h.inputs[i-1].At > at {
		i--
	}
	h.inputs = slices.Insert(h.inputs, i, Input{At: at, Command: &c, Step: -1})
}

// Undo takes the last edit back and returns to just before it. The caller runs
// forward to where the user was. It reports whether there was an edit.
func (h *History) Undo() bool {
	i := len(h.inputs) - 1
	for i >= 0 && h.inputs[i].Step >= 0 {
		i--
	}
	if i < 0 {
		return false
	}
	h.inputs = slices.Delete(h.inputs, i, i+1)
	f := len(h.frames) - 1
	for f > 0 && h.frames[f].cursor > i {
		f--
	}
	h.frames = h.frames[:f+1]
	h.load(&h.frames[f])
	h.seen, h.front, h.near = h.Position(), nil, nil
	h.log.Truncate(h.live.LastNote())
	h.horizon = h.live.Now()
	return true
}

// Digest sums up the live world's state.
func (h *History) Digest() uint64 {
	d := sim.NewHash()
	h.live.Digest(d)
	return d.Sum()
}
