package model

import (
	"slices"
	"strconv"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
)

// Limits of the frame loop, in real time.
const (
	// DeltaMax is the most of real time that one frame may stand for: a tab
	// that was away does not catch up.
	DeltaMax = 100 * kafka.Millisecond
	// slowFor is how long SlowEvents plays slower after an event.
	slowFor = 1500 * kafka.Millisecond
	// NoticeFor is how long a notice stands.
	NoticeFor = 5 * kafka.Second
	// behindFrames in a row make the page say that the engine is behind.
	behindFrames = 20
)

// Update applies a message. It returns the next model and the effects to carry
// out, in order.
func Update(m Model, msg Msg) (Model, []Cmd) {
	switch msg := msg.(type) {
	case Frame:
		return m.frame(msg)
	case Moved:
		return m.moved(msg)
	case Opened:
		return m.opened(msg)
	case OpenFailed:
		m.Opening = false
		m.Banner = Banner{Title: msg.What, Lines: lines(msg.Problems), Grave: true}
	case Refused:
		return m.refused(msg)
	case SourceRead:
		m.Source, m.SourceProblems = lineFeeds(msg.Text), nil
	case FactsMsg:
		m.Facts = msg.Facts
	case Notable:
		if m.Playing && m.SlowEvents && m.SlowLeft <= 0 {
			m.SlowLeft, m.SlowTo = slowFor, speedNotable
		}
	case Done:
		return m.done(msg)
	case Undone:
		return m.say("Taken back: " + msg.Edit.Text), nil
	case Forked:
		return m.forked(msg.Had), nil
	case Linked:
		m.URL, m.Chars, m.LinkErr = msg.URL, msg.Chars, msg.Err
	case Key:
		return m.key(msg)
	case Act:
		return m.act(msg)
	case Point:
		return m.selected(msg.Selection)
	case Hover:
		m.Hover = msg.Selection
	case Pan:
		m.Camera.X -= msg.DX
		m.Camera.Y -= msg.DY
	case Framed:
		m.Camera = msg.Camera
	case Shown:
		if m.Hidden = !msg.Visible; m.Hidden && m.Playing {
			return m, []Cmd{Link{}} // it may be the last that is heard of the page
		}
	case Sized:
		m.Width, m.StageW, m.StageH = msg.Page, msg.Width, msg.Height
	case Prefs:
		m.Theme, m.Keys, m.ReducedMotion, m.SlowEvents, m.Letters = msg.Theme, msg.Keys, msg.ReducedMotion, !msg.NoSlow, !msg.NoLetters
	case FileRead:
		m.File, m.FilePage, m.FileBatch = msg.File, 0, -1
		if m.Dialog != "file" {
			return actDialog(m, Act{Arg: "file"})
		}
	case Say:
		return m.say(msg.Text), nil
	}
	return m, nil
}

// frame lets time pass: it asks for an advance of delta times speed, stopping at
// a question, at the end of the script, and slowing down where something happens.
func (m Model) frame(f Frame) (Model, []Cmd) {
	delta := min(max(f.Delta, 0), DeltaMax)
	if !m.Playing || m.Seeking || m.Hidden || m.Opening {
		return m, nil
	}
	speed := Speeds[m.Rate()]
	if m.SlowLeft > 0 {
		m.SlowLeft -= max(f.Delta, 0) // what the eye had, however few frames there were
	}
	// Whole nanoseconds only: what a slow speed leaves over is kept.
	total := delta*kafka.Duration(speed.Num) + m.frac
	step := total / kafka.Duration(speed.Den)
	m.frac = total % kafka.Duration(speed.Den)
	to := m.Now.Add(step)
	if at, ok := m.nextStop(m.Now, to); ok {
		to = at
		if m.SlowEvents {
			m.SlowLeft, m.SlowTo = slowFor, speedOrder
		}
	}
	if to <= m.Now {
		return m, nil
	}
	return m, []Cmd{Advance{To: to}}
}

// nextStop is the first instant in (from, to] at which a frame should end: an
// order or a question of the script, or its end.
func (m *Model) nextStop(from, to kafka.Instant) (kafka.Instant, bool) {
	at, ok := to, false
	consider := func(t kafka.Instant) {
		if from < t && t <= at {
			at, ok = t, true
		}
	}
	consider(m.Info.End)
	for _, s := range m.Facts.Steps {
		if s.Ask != nil || m.SlowEvents && s.Kind == "command" {
			consider(s.At)
		}
	}
	return at, ok
}

// moved takes note of where the engine is.
func (m Model) moved(v Moved) (Model, []Cmd) {
	before := m.Now
	m.Now, m.Horizon, m.Event = v.Now, v.Horizon, v.Event
	if v.Behind {
		m.Behind = min(m.Behind+1, 2*behindFrames)
	} else {
		m.Behind = max(m.Behind-1, 0)
	}
	if v.Violation != nil && m.Violation == nil {
		m.Playing = false
		m.Banner = Banner{Title: "A law of Kafka broke: " + v.Violation.Law, Grave: true, Lines: []string{
			v.Violation.Text, "seed " + strconv.FormatUint(m.Info.Seed, 10) + ", " + v.Violation.At.String() +
				", event " + strconv.FormatUint(v.Violation.Event, 10) + ". This is a fault of the simulator: the link to this moment is a complete report.",
		}}
	}
	m.Violation = v.Violation
	if m.Seeking {
		if !v.Arrived {
			return m, nil
		}
		m.Seeking = false
		m.Playing, m.Resume = m.Resume, false
		return m, []Cmd{Link{}}
	}
	if m.Playing && m.reachedStop(before) {
		m.Playing = false
		return m.toQuestion([]Cmd{Link{}})
	}
	return m, nil
}

// toQuestion brings the question at which time has stopped into sight.
func (m Model) toQuestion(cmds []Cmd) (Model, []Cmd) {
	if q, ok := m.Question(); !ok || q.At != m.Now || m.Choice(q.Line) >= 0 || m.Embed {
		return m, cmds
	}
	m.Tab, m.FoldLesson = "lesson", false
	return m, append(cmds, Reveal{ID: "predict"})
}

// reachedStop reports whether time has just come to an open question or to the
// end of the script.
func (m *Model) reachedStop(before kafka.Instant) bool {
	if before < m.Info.End && m.Now >= m.Info.End {
		return true
	}
	for _, s := range m.Facts.Steps {
		if s.Ask != nil && !m.Embed && before < s.At && s.At <= m.Now && m.Choice(s.Line) < 0 {
			return true
		}
	}
	return false
}

// LaggingBehind reports whether the engine has not kept up for a while.
func (m *Model) LaggingBehind() bool { return m.Playing && m.Behind >= behindFrames }

func (m Model) opened(o Opened) (Model, []Cmd) {
	same := o.Info.ID == m.Info.ID && o.Text == m.Text
	m.Info, m.Text = o.Info, o.Text
	m.Opening, m.Playing, m.Seeking, m.Violation = false, false, false, nil
	m.Now, m.Horizon, m.Event = o.Moved.Now, o.Moved.Horizon, o.Moved.Event
	m.Selection, m.Hover, m.Camera = o.Wanted.Selection, view.Selection{}, o.Wanted.Camera
	m.Form, m.Drafts, m.Facts = Form{}, nil, &Facts{Cluster: &view.Cluster{}}
	m.frac, m.SlowLeft, m.Behind, m.Since = 0, 0, 0, nil
	if !same {
		m.Answers, m.Futures = nil, nil
	}
	if m.Dialog != "" {
		m.Dialog, m.Search = "", ""
	}
	focus := []Cmd{}
	if o.Push && !m.Embed {
		focus = append(focus, Focus{ID: "lesson-title"}) // where reading begins; the picker had the focus
	}
	if o.Wanted.Speed >= 0 && o.Wanted.Speed < len(Speeds) {
		m.Speed = o.Wanted.Speed
	}
	m.Banner = Banner{}
	if len(o.Problems) > 0 {
		m.Banner = Banner{Title: o.Banner, Lines: lines(o.Problems)}
	}
	if o.Wanted.HasAt {
		m, cmds := m.seek(o.Wanted.At)
		m.Resume = o.Wanted.Play
		cmds[0] = SeekTo{At: o.Wanted.At, Event: o.Wanted.Event, Exact: o.Wanted.Event > 0}
		return m, append(append(cmds, Link{Push: o.Push, Quiet: !o.Push}), focus...)
	}
	m.Playing = o.Wanted.Play
	return m, append([]Cmd{Link{Push: o.Push, Quiet: !o.Push}}, focus...)
}

func (m Model) done(d Done) (Model, []Cmd) {
	if len(d.Problems) == 0 {
		if d.Form {
			m.Form = Form{}
		}
		m.Drafts = dropDraft(m.Drafts, d.Command)
		m = m.say(d.Command)
		return m, []Cmd{Link{}}
	}
	if d.Form && m.Form.Kind != "" {
		m.Form = m.Form.refused(d.Problems)
		return m, nil
	}
	if drafts, ok := blameDraft(m.Drafts, d); ok {
		m.Drafts = drafts
		return m, nil
	}
	m = m.say(d.Command + ": " + d.Problems[0].Text)
	return m, nil
}

// seek asks for another instant; playing goes on from there.
func (m Model) seek(to kafka.Instant) (Model, []Cmd) {
	m = m.stood()
	m.Resume = m.Resume || m.Playing
	m.Playing, m.Seeking, m.SeekGoal, m.frac = false, true, max(to, 0), 0
	return m, []Cmd{SeekTo{At: m.SeekGoal}}
}

// stay ends a seek where it has come to.
func (m Model) stay() (Model, []Cmd) {
	m.Seeking, m.Resume, m.Playing = false, false, false
	return m, []Cmd{Link{}}
}

func (m Model) say(text string) Model {
	m.Notice = text
	return m
}

func (m Model) selected(s view.Selection) (Model, []Cmd) {
	if s == m.Selection {
		return m, nil
	}
	m.Selection, m.Drafts, m.ShowHex = s, nil, false
	m = m.rowOfSelection()
	if s.Kind != "" && m.Narrow() {
		m.Tab = "inspector"
	}
	return m, []Cmd{Link{}}
}

// lines are problems as text, each with its place.
func lines(ps []Problem) []string {
	var out []string
	for _, p := range ps {
		text := p.Text
		if p.Line > 0 {
			text = "line " + strconv.Itoa(p.Line) + ", column " + strconv.Itoa(p.Col) + ": " + text
		}
		out = append(out, text)
	}
	return slices.Clip(out)
}
