package model

import "github.com/highwater-sim/highwater/engine/kafka"

// Cmd is an effect for the composition root to carry out.
type Cmd interface{ cmd() }

// Advance runs the world up to To, as far as the frame's budget allows.
type Advance struct{ To kafka.Instant }

// SeekTo goes to an instant, over several frames if need be. If Exact, it
// then goes back to Event, which lies within the instant.
type SeekTo struct {
	At    kafka.Instant
	Event uint64
	Exact bool
}

// Step runs one event, or takes one back.
type Step struct{ Back bool }

// Do gives a line of the scenario language to the world.
type Do struct {
	Command string
	Form    bool
}

// Refork goes over to another future: the same scenario and moment with these
// edits.
type Refork struct{ Edits []Edit }

// Undo takes back the last edit.
type Undo struct{}

// Open opens a scenario of the library by ID, or Text if ID is "". Seed may be nil.
type Open struct {
	ID, Text string
	Seed     *uint64
}

// Link renews the address of the page. Push makes a new entry in the browser's
// history, for another scenario; Quiet only finds out what the link would be.
type Link struct{ Push, Quiet bool }

// Copy puts Text on the clipboard; What names it in the notice.
type Copy struct{ Text, What string }

// Download offers a file: "picture" (SVG), "scenario", "log", or "file:" and the
// name of a file of the selected replica.
type Download struct{ What string }

// FullScreen toggles it.
type FullScreen struct{}

// ReadSource asks for the text of what is open, the user's edits put in; SourceRead
// comes back.
type ReadSource struct{}

// Caret puts the caret of a text field at a line and a column, both from 1.
type Caret struct {
	ID        string
	Line, Col int
}

// Reveal scrolls the element with an id into sight, after the next render.
type Reveal struct{ ID string }

// Focus moves the keyboard focus to the element with an id, after the next render.
type Focus struct{ ID string }

// SavePrefs stores what the user chose and applies the theme.
type SavePrefs struct{ Prefs Prefs }

// ZoomBy zooms by Factor about a point of the stage in CSS pixels; Framed comes back.
type ZoomBy struct{ X, Y, Factor float32 }

// Walk selects the thing that comes By places after the selection in the
// picture's reading order.
type Walk struct{ By int }

// Show brings a partition into sight; Framed comes back.
type Show struct{ TP kafka.TopicPartition }

func (Show) cmd()       {}
func (Reveal) cmd()     {}
func (ReadSource) cmd() {}
func (Caret) cmd()      {}
func (Walk) cmd()       {}
func (Advance) cmd()    {}
func (SeekTo) cmd()     {}
func (Step) cmd()       {}
func (Do) cmd()         {}
func (Undo) cmd()       {}
func (Refork) cmd()     {}
func (Open) cmd()       {}
func (Link) cmd()       {}
func (Copy) cmd()       {}
func (Download) cmd()   {}
func (FullScreen) cmd() {}
func (Focus) cmd()      {}
func (SavePrefs) cmd()  {}
func (ZoomBy) cmd()     {}
