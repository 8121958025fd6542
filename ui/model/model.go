package model

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
)

// Camera is where the stage looks: how far the picture is scrolled, in CSS
// pixels at this zoom, and the zoom from 1; 0 is 1. The zero value
// shows the whole cluster as wide as it fits.
type Camera struct{ X, Y, Zoom float32 }

// Model is the state of the page. It is a value: Update never changes what an
// older one refers to.
type Model struct {
	// What is open.
	Info      view.Info
	Text      string
	Catalogue []Entry
	Facts     *Facts // never nil
	Opening   bool   // a scenario is being opened

	// Time.
	Now, Horizon kafka.Instant
	Event        uint64
	Playing      bool
	Speed        int // a stop of Speeds
	SlowEvents   bool
	SlowLeft     kafka.Duration // real time for which it plays slower, to let an event be seen
	SlowTo       int            // the stop that it plays at meanwhile
	Behind       int            // frames in a row that the engine could not keep up
	Seeking      bool
	SeekGoal     kafka.Instant
	Resume       bool // play again when the seek has arrived
	Violation    *view.Violation
	Hidden       bool // the tab is not visible
	frac         kafka.Duration

	// What the user looks at.
	Selection view.Selection
	Hover     view.Selection
	Legend    bool // the picture explains its marks
	Camera    Camera
	Width     float32 // of the page, CSS px
	StageW    float32
	StageH    float32

	// The page.
	Embed         bool
	Theme         string // "dark", "light", "": the system's
	Keys          string // the palette of records by key: "", "tol" or "contrast"
	ReducedMotion bool
	Letters       bool   // single-letter keys act
	Tab           string // "lesson", "stage", "inspector", "log"; matters on narrow pages only
	Under         string // "log", "table", "metrics", "" folded
	FoldLesson    bool
	FoldInspector bool
	Dialog        string // "", "help", "scenarios", "share", "embed", "export", "file", "source"
	Search        string
	Back          string // element that had the focus before the dialog
	Form          Form
	AllActions    bool   // the whole palette is shown
	Tool          string // whose output the inspector shows: one of view.Tools; "" for none
	ShowHex       bool
	Drafts        []Draft
	Answers       []Answer
	Futures       [][]Edit // what the user did in runs that he left, the latest first
	Cell          int      // the table cell that takes part in the Tab order
	Row           int      // the first partition of the page of the table
	Find          string

	// A scenario as text, in the editor.
	Source         string
	SourceProblems []Problem // why it could not be opened
	SourceWords    bool      // the language's reference is shown

	// A file of the user's.
	File      *view.LogFile // nil: none was opened
	FilePage  int
	FileBatch int  // whose records are shown; -1 for none
	FileDump  bool // as kafka-dump-log prints it

	// The metrics when the world last stood still, to tell what changed since.
	Since   []int64 // in the order of Cluster.Metrics
	SinceAt kafka.Instant

	// What to tell.
	Banner  Banner
	Notice  string // stands until Act "unsay"
	URL     string
	Chars   int    // of the link
	LinkErr string // why there is no link
}

// Draft is a config value that the user has typed and not applied, or that
// was refused.
type Draft struct{ Of, Name, Value, Err string }

// Answer is what the user chose for the question on a line of the scenario.
type Answer struct{ Line, Choice int }

// Banner lists what was wrong with a link or a text. An empty Title is no banner.
type Banner struct {
	Title string
	Lines []string
	Grave bool
}

// New is the model before anything is open.
func New(catalogue []Entry, embed bool) Model {
	return Model{
		Catalogue: catalogue, Facts: &Facts{Cluster: &view.Cluster{}}, Speed: SpeedDefault, SlowEvents: true,
		Embed: embed, Letters: true, Tab: "lesson", Under: "log", Opening: true,
	}
}

// Still reports whether the picture does not change by itself.
func (m *Model) Still() bool { return !m.Playing && !m.Seeking }

// Narrow reports whether only one panel fits beside the stage.
func (m *Model) Narrow() bool { return m.Width > 0 && m.Width < 900 }

// Length is the instant at the right end of the scrubber: the end of the script,
// or, when the world has gone on after it, the next round length, so that the
// scale does not move with every frame.
func (m *Model) Length() kafka.Instant {
	far := max(m.Horizon, m.Now)
	if m.Info.End > 0 && far <= m.Info.End {
		return m.Info.End
	}
	for _, s := range []kafka.Instant{10, 20, 30, 60, 120, 300} {
		if round := s * kafka.Instant(kafka.Second); far <= round && m.Info.End <= round {
			return round
		}
	}
	const step = 10 * kafka.Instant(kafka.Minute)
	return (max(far, m.Info.End) + step - 1) / step * step
}

// Last is where End goes: the end of the script or what was computed after it.
func (m *Model) Last() kafka.Instant { return max(m.Info.End, m.Horizon) }

// Rate is the speed stop that is in force now, SlowEvents considered.
func (m *Model) Rate() int {
	if m.SlowEvents && m.SlowLeft > 0 {
		return min(m.Speed, m.SlowTo)
	}
	return m.Speed
}

// Choice is what the user answered to the question on a line; -1: nothing yet.
func (m *Model) Choice(line int) int {
	for _, a := range m.Answers {
		if a.Line == line {
			return a.Choice
		}
	}
	return -1
}

// Question is the latest question that the script has reached; false if none.
func (m *Model) Question() (view.Step, bool) {
	var q view.Step
	for _, s := range m.Facts.Steps {
		if s.Ask != nil && s.At <= m.Now {
			q = s
		}
	}
	return q, q.Ask != nil
}

// Place is the open scenario's place in its chapter, from 1, and the chapter's
// size; 0, 0 if it is not of the library.
func (m *Model) Place() (n, of int) {
	for _, e := range m.Catalogue {
		if e.Chapter != m.Info.Chapter {
			continue
		}
		of++
		if e.ID == m.Info.ID {
			n = of
		}
	}
	if n == 0 {
		return 0, 0
	}
	return n, of
}
