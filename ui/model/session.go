package model

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
)

// Session is an open scenario as the page sees it: the engine's facade.
type Session interface {
	Info() view.Info
	// Text is the scenario's text as it was opened.
	Text() string
	Now() kafka.Instant
	// Event counts the events that happened so far.
	Event() uint64
	// End is when the scenario's script ends; the world goes on after it.
	End() kafka.Instant
	// Next is the instant of the next event; false if there is none.
	Next() (kafka.Instant, bool)
	// Horizon is the furthest instant computed so far.
	Horizon() kafka.Instant

	// RunUntil runs every event up to and at t, at most maxEvents of them. It
	// reports false if the budget ran out or a law broke.
	RunUntil(t kafka.Instant, maxEvents int) (done bool)
	// StepEvent runs one event, StepBack takes one back; false if there is none.
	StepEvent() bool
	StepBack() bool
	// Seek jumps to the nearest keyframe at or before t; RunUntil goes the rest.
	Seek(t kafka.Instant)
	// SeekEvent goes to the moment after n events, as Event counts them; false
	// if the run has no such moment.
	SeekEvent(n uint64) bool

	// Do gives one line of the scenario language to the world, now. In the past
	// it cuts what the user did later.
	Do(command string) error
	Edits() []Edit
	// Undo takes back the last edit.
	Undo() error

	View(o view.Options, into *view.Cluster)
	Log(limit int) []view.LogLine
	Steps() []view.Step
	Markers() []view.Marker
	Inspect(view.Selection) view.Detail
	// Tool is the output of one of view.Tools.
	Tool(sel view.Selection, name string) []string
	// SegmentFile is a file of a replica, by its name in view.Detail.Files.
	SegmentFile(tp kafka.TopicPartition, broker kafka.NodeID, name string) ([]byte, error)
	Digest() uint64
}

// Edit is a command of the user's with its instant.
type Edit struct {
	At   kafka.Instant
	Text string
	Why  string // why it could not be done, as an order of a link may find
}

// Problem is something wrong with a text that the user gave: a scenario, a
// command, a link. Line and Col count from 1; 0 is unknown.
type Problem struct {
	Line, Col int
	Text      string
}

// Entry is a scenario of the library. Part is its chapter's name, Summary a
// sentence about it, Reenacts the public reports that it proves, each with its
// source.
type Entry struct {
	ID, Title, Chapter, Part, Summary string
	Reenacts                          []string
}

// Facts are what the engine says at one instant, for panels. The root renews
// them a few times a second while time passes and after every change.
type Facts struct {
	Cluster *view.Cluster
	Steps   []view.Step
	Markers []view.Marker
	Detail  view.Detail // of the model's selection
	Edits   []Edit
	Tool    []string // output of the model's tool
}
