package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/scenario"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
)

// soak runs scenarios of random faults with all laws on. Each seed is a
// scenario of its own, printed when it breaks a law.
func soak(args []string, out, errs io.Writer) int {
	fs := flags("soak", errs)
	seeds := fs.Uint64("seeds", 20, "how many seeds to run")
	from := fs.Uint64("from", 1, "the first seed")
	long := fs.Duration("for", 60e9, "virtual time with faults, per seed")
	all := fs.Bool("all", false, "go on after a seed that fails, and tell of each in a line")
	text := fs.Bool("text", false, "print the scenarios instead of running them")
	if fs.Parse(args) != nil {
		return exitBadInput
	}
	if fs.NArg() > 0 || *long <= 0 || *seeds == 0 {
		fmt.Fprintf(errs, "soak takes no files; -seeds is at least 1, and -for a duration such as 60s\n")
		return exitBadInput
	}
	code := exitOK
	for seed := *from; seed < *from+*seeds; seed++ {
		s := soaked{seed: seed, long: kafka.Duration(*long), text: soakText(seed, kafka.Duration(*long))}
		if *text {
			fmt.Fprint(out, s.text)
			continue
		}
		f, err := scenario.Parse(s.text)
		if err != nil {
			fmt.Fprintf(errs, "seed %d: the soak's own scenario is wrong:\n%v\n", seed, err)
			return exitBadInput
		}
		s.run(f)
		switch why := s.why(); {
		case why == "":
			fmt.Fprintf(out, "ok seed %d %d events: %s\n", seed, s.rep.Events, s.options())
		case *all:
			code = exitFailed
			fmt.Fprintf(out, "FAIL seed %d %s: %s\n", seed, s.options(), why)
		default:
			s.tell(out)
			return exitFailed
		}
	}
	return code
}

// soaked is the run of one seed.
type soaked struct {
	seed  uint64
	long  kafka.Duration
	text  string
	rep   scenario.Report
	last  []trace.Note
	panic any // an assertion of the engine
}

// run runs the scenario. A panic of the engine is a finding as a broken law is.
func (s *soaked) run(f *scenario.File) {
	defer func() { s.panic = recover() }()
	s.rep = scenario.Run(f, scenario.Options{Note: func(n *trace.Note) { s.last = keepLast(s.last, n) }})
}

func (s *soaked) options() string {
	r := sim.NewRand(s.seed, "soak")
	return drawn(s.seed, &r).String()
}

// why says in a line why the seed failed; "" if it did not.
func (s *soaked) why() string {
	switch {
	case s.panic != nil:
		return fmt.Sprintf("panic: %v", s.panic)
	case s.rep.Violation != nil:
		return fmt.Sprintf("law broken at %s: %s", s.rep.Violation.At, s.rep.Violation)
	case s.rep.Err != nil:
		return s.rep.Err.Error()
	}
	var failed []string
	for _, r := range s.failed() {
		failed = append(failed, r.Text+": "+r.Why)
	}
	return strings.Join(failed, "; ")
}

// failed lists the expectations that did not hold. That a command was not done
// does not count: a script does not know when a process that stops has ended.
func (s *soaked) failed() (out []scenario.Result) {
	for _, r := range s.rep.Results {
		if !r.Held && !strings.Contains(r.Why, "(not done: ") {
			out = append(out, r)
		}
	}
	return out
}

// lastNotes is how many notes before a violation are printed.
const lastNotes = 30

func keepLast(last []trace.Note, n *trace.Note) []trace.Note {
	if len(last) == 2*lastNotes {
		last = append(last[:0], last[lastNotes:]...)
	}
	return append(last, *n)
}

// tell prints all there is to know: the scenario, the last notes, the law.
func (s *soaked) tell(out io.Writer) {
	fmt.Fprintf(out, "FAIL seed %d\n%s\n", s.seed, s.text)
	for _, n := range s.last[max(0, len(s.last)-lastNotes):] {
		fmt.Fprintf(out, "%10s  %s\n", n.At, n.Text())
	}
	fmt.Fprintf(out, "seed %d: %s\n", s.seed, s.options())
	if s.rep.Violation != nil || s.panic != nil {
		fmt.Fprintln(out, s.why())
	} else {
		for _, r := range s.failed() {
			fmt.Fprintf(out, "line %d: %s: %s\n", r.Line, r.Text, r.Why)
		}
	}
	again := fmt.Sprintf("soak -from %d -seeds 1 -for %dms", s.seed, s.long/kafka.Millisecond)
	fmt.Fprintf(out, "again: highwater %s\nas a scenario: highwater %s -text > soak.hw\n", again, again)
}
