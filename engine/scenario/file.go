package scenario

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/world"
)

// File is a parsed scenario. It is immutable after Parse.
type File struct {
	Title   string
	Chapter string   // folder under scenarios/, "" if it has none
	Cases   []string // ids of the public reports that it re-enacts: R15
	Prose   []string // paragraphs
	Spec    world.Spec
	Steps   []Step        // in the order of the file, which is the order of time
	End     kafka.Instant // when the script is over: the last step, or the last instant that an expectation looks at
	Text    string        // what was parsed

	watches []watch // what functions of the past look out for
}

// Kind tells the steps of a scenario apart.
type Kind uint8

// The kinds of step, with the field of Step that each fills.
const (
	KindCommand Kind = iota // Command
	KindSay                 // Say
	KindAsk                 // Ask
	KindExpect              // Expect
)

// String is the word that view.Step and the event log use.
func (k Kind) String() string {
	return [...]string{"command", "say", "ask", "expect"}[k]
}

// Step is one line of a scenario's timeline.
type Step struct {
	At      kafka.Instant
	Line    int // in the text, from 1
	Kind    Kind
	Text    string // the line without its instant
	Command world.Command
	Say     string
	Ask     *Question
	Expect  *Expect
}

// Question is a predict-then-see question.
type Question struct {
	Text    string
	Options []string
	Right   int // index into Options
}

// Form says when an expectation must hold.
type Form uint8

// The forms. From and To of Expect bound the span that each looks at.
const (
	FormNow        Form = iota // at its instant
	FormWithin                 // at some instant of the span
	FormAlways                 // after every event of the span
	FormNever                  // after no event of the span
	FormEventually             // as FormWithin, up to the end of the script
)

// Expect is an expectation: a condition and when it must hold.
type Expect struct {
	Form     Form
	From, To kafka.Instant // inclusive; equal for FormNow
	Cond     Cond
	Text     string // the whole expectation as it was written
}
