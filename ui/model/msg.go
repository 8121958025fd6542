package model

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
)

// Msg is something that happened to the page.
type Msg interface{ msg() }

// Frame is one frame of the stage, Delta of real time after the one before.
type Frame struct{ Delta kafka.Duration }

// Moved tells where the engine is after a Cmd that moved it. Behind says that
// it did not get as far as asked within its budget.
type Moved struct {
	Now, Horizon kafka.Instant
	Event        uint64
	Behind       bool
	Arrived      bool // a Seek is complete
	Violation    *view.Violation
}

// Opened tells that a scenario is open. Problems are what the link, the
// scenario or its edits contained that could not be used.
type Opened struct {
	Info     view.Info
	Text     string
	Moved    Moved
	Problems []Problem
	Banner   string // what the problems are about; "" if there are none
	Wanted   OpenAt // what the link asked for
	Push     bool   // the user chose it: a new entry in the browser's history
}

// OpenAt is the moment and the look that a link carries.
type OpenAt struct {
	At        kafka.Instant
	Event     uint64
	HasAt     bool
	Selection view.Selection
	Camera    Camera
	Speed     int // a stop; -1: unset
	Play      bool
}

// OpenFailed tells that a scenario could not be opened; the one before stays.
type OpenFailed struct {
	What     string
	Problems []Problem
}

// Refused brings a text that could not be opened as a scenario, and why. What is
// open stays.
type Refused struct {
	Text     string
	Problems []Problem
}

// SourceRead brings the text of what is open, with the user's edits in it.
type SourceRead struct{ Text string }

// FactsMsg brings new facts.
type FactsMsg struct{ Facts *Facts }

// Notable tells that a trace line of weight 2 or more appeared while time passed.
type Notable struct{}

// Done tells how a command of the user's ended.
type Done struct {
	Command  string
	Form     bool // it came from the open form
	Problems []Problem
}

// Undone tells that the user's last edit was taken back.
type Undone struct{ Edit Edit }

// Forked tells that the run goes on without some of the edits that it had.
type Forked struct{ Had []Edit }

// Linked tells how long the link to this moment is, or why there is none.
type Linked struct {
	URL   string
	Chars int
	Err   string
}

// Key is a key press. On says where the focus is: "stage", "scrub", "field",
// "mirror", "dialog" or "".
type Key struct {
	Key              string // KeyboardEvent.key
	Shift, Alt, Ctrl bool
	On               string
}

// Act is a control of the page: its verb, its argument, and the value of the
// field, if it is one. The verbs are in act.go.
type Act struct{ Do, Arg, Value string }

// Point is a click on the stage: what it hit.
type Point struct{ Selection view.Selection }

// Hover is the pointer over the stage: what it is over.
type Hover struct{ Selection view.Selection }

// Pan moves the camera by CSS pixels.
type Pan struct{ DX, DY float32 }

// Framed tells which camera the picture has in the end, within its bounds.
type Framed struct{ Camera Camera }

// Shown tells that the tab became visible or hidden.
type Shown struct{ Visible bool }

// Sized tells the page's width and the stage's size in CSS pixels.
type Sized struct{ Page, Width, Height float32 }

// Prefs are what the user chose on an earlier visit, and what the browser says.
type Prefs struct {
	Theme         string // "dark", "light" or "" for the system's
	ReducedMotion bool
	NoSlow        bool
	NoLetters     bool
	Keys          string // the palette of records by key: "", "tol" or "contrast"
}

// FileRead brings a file that the user dropped on the page or chose.
type FileRead struct{ File *view.LogFile }

// Say shows a short notice.
type Say struct{ Text string }

func (Frame) msg()      {}
func (Moved) msg()      {}
func (Opened) msg()     {}
func (OpenFailed) msg() {}
func (Refused) msg()    {}
func (SourceRead) msg() {}
func (FactsMsg) msg()   {}
func (Notable) msg()    {}
func (Done) msg()       {}
func (Linked) msg()     {}
func (Undone) msg()     {}
func (Forked) msg()     {}
func (Key) msg()        {}
func (Act) msg()        {}
func (Point) msg()      {}
func (Hover) msg()      {}
func (Pan) msg()        {}
func (Framed) msg()     {}
func (Shown) msg()      {}
func (Sized) msg()      {}
func (Prefs) msg()      {}
func (FileRead) msg()   {}
func (Say) msg()        {}
