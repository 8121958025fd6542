package scenario

import (
	"slices"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/world"
)

// parser turns text into a File and collects every problem on the way.
type parser struct {
	problems Problems
	names    *names // nil for a single command, whose names the world checks
	file     *File
	end      kafka.Instant
	endLine  int
	configs  statement      // the last one that set broker configs
	seen     map[string]int // header words that may come once, with their line
	at       kafka.Instant  // of the statement being parsed
}

func (p *parser) problem(line, col int, text string) {
	p.problems = append(p.problems, Problem{Line: line, Col: col, Text: text})
}

// Parse reads a scenario. The error is a Problems with everything that is
// wrong; then the File is what could be read of it, good enough for an editor
// to show but not to run.
func Parse(text string) (*File, error) {
	p := &parser{file: &File{Text: text, Spec: world.Spec{Seed: 1, Cluster: defaultCluster()}}, seen: map[string]int{}}
	if len(text) > textBytesMax {
		p.problem(1, 1, "the text has "+num(len(text))+" bytes; at most "+num(textBytesMax)+" are allowed")
		return p.file, p.problems
	}
	sts := p.splitStatements(text)
	p.names = p.collect(sts)
	timed := false
	for i := range sts {
		st := &sts[i]
		switch {
		case len(p.problems) > problemsReadMax:
		case st.timed:
			timed = true
			p.step(st)
		case timed && isHeader(st.word):
			p.problem(st.line, st.col, "the header line "+st.word+" comes after the first step; move it up, or indent it under an instant")
		default:
			p.header(st)
		}
	}
	if p.file.Title == "" {
		p.problem(1, 1, "the scenario has no title; begin with, for example: title The leader acks alone")
	}
	p.finish()
	if len(p.problems) > 0 {
		return p.file, p.problems.sorted()
	}
	return p.file, nil
}

// ParseCommand reads one line of the user's hand: a verb and its arguments,
// without an instant. The error is a Problems.
func ParseCommand(text string) (world.Command, error) {
	p := &parser{}
	body := strings.TrimSpace(text)
	if len(body) > lineBytesMax || strings.ContainsAny(body, "\n\r") {
		p.problem(1, 1, "a command is one line of at most "+num(lineBytesMax)+" bytes")
		return world.Command{}, p.problems
	}
	st := cutWord(1, 1, body)
	cmd := p.command(&st)
	if len(p.problems) > 0 {
		return world.Command{}, p.problems.sorted()
	}
	return cmd, nil
}

// headerWords are the words that begin a header line.
var headerWords = []string{"title", "chapter", "case", "seed", "text", "cluster", "broker", "topic", "producer", "consumer"}

func isHeader(w string) bool { return slices.Contains(headerWords, w) }

// once reports a header word that may be there only once.
func (p *parser) once(st *statement) {
	if first, ok := p.seen[st.word]; ok {
		p.problem(st.line, st.col, st.word+" is already on line "+num(first))
		return
	}
	p.seen[st.word] = st.line
}

func (p *parser) header(st *statement) {
	switch st.word {
	case "title", "chapter", "case", "seed", "cluster":
		p.once(st)
	}
	switch st.word {
	case "title":
		p.file.Title = st.rest
		if st.rest == "" {
			p.problem(st.line, st.col, "title needs words")
		}
	case "chapter":
		p.chapter(st)
	case "case":
		p.cases(st)
	case "seed":
		p.seed(st)
	case "text":
		for _, para := range st.lines {
			if para != "" {
				p.file.Prose = append(p.file.Prose, para)
			}
		}
	case "cluster":
		p.cluster(st)
	case "broker":
		p.brokerConfigs(st)
	case "topic":
		a := p.args(st)
		p.file.Spec.Topics = append(p.file.Spec.Topics, p.topicSpec(a))
	case "producer", "consumer":
		a := p.args(st)
		p.file.Spec.Clients = append(p.file.Spec.Clients, p.clientSpec(a, st.word))
	case "group":
		p.problem(st.line, st.col, "group: groups with members are not in this version; a consumer reads with assign= and commits under group=")
	default:
		p.unknownHeader(st)
	}
}

func (p *parser) unknownHeader(st *statement) {
	if _, ok := verbs[st.word]; ok {
		p.problem(st.line, st.col, st.word+" needs an instant; write: at 4s "+st.word+" ...")
		return
	}
	p.problem(st.line, st.col, "unknown word "+clip(st.word)+meant(st.word, append([]string{"at"}, headerWords...)))
}

func (p *parser) chapter(st *statement) {
	p.file.Chapter = st.rest
	for _, c := range st.rest {
		if c < 'a' || c > 'z' {
			p.problem(st.line, st.col2, "a chapter is one word of small letters, such as durability")
			return
		}
	}
	if st.rest == "" {
		p.problem(st.line, st.col, "chapter needs a word")
	}
}

// cases reads the ids of the public reports that the scenario re-enacts: a
// capital letter and two digits each.
func (p *parser) cases(st *statement) {
	for _, w := range p.args(st).words {
		switch id := w.text; {
		case len(id) != 3 || id[0] < 'A' || id[0] > 'Z' || id[1] < '0' || id[1] > '9' || id[2] < '0' || id[2] > '9':
			p.problem(st.line, w.col, "a case is a capital letter and two digits, such as R15, not "+clip(id))
		case slices.Contains(p.file.Cases, id):
			p.problem(st.line, w.col, "case "+id+" is there twice")
		default:
			p.file.Cases = append(p.file.Cases, id)
		}
	}
	if st.rest == "" {
		p.problem(st.line, st.col, "case needs at least one id, such as: case R15")
	}
}

func (p *parser) seed(st *statement) {
	a := p.args(st)
	w, ok := a.next("a whole number, such as 42")
	if n, good := parseInt(w.text, 0, 1<<63-1); good {
		p.file.Spec.Seed = uint64(n)
	} else if ok {
		p.problem(st.line, w.col, "the seed is a whole number from 0, not "+clip(w.text))
	}
	a.done()
}

// step parses a statement that has an instant.
func (p *parser) step(st *statement) {
	at, ok := parseDuration(st.at)
	switch {
	case !ok:
		p.problem(st.line, st.atCol, clip(st.at)+" is not an instant; write 4s, 200ms, 1.5s or 2m")
	case kafka.Instant(at) < p.at:
		p.problem(st.line, st.atCol, st.at+" goes back in time: the step above is at "+p.at.String())
	default:
		p.at = kafka.Instant(at)
	}
	if len(p.file.Steps) == stepsMax {
		p.problem(st.line, st.col, "a scenario has at most "+num(stepsMax)+" steps")
	}
	if len(p.file.Steps) >= stepsMax {
		return
	}
	s := Step{At: p.at, Line: st.line, Text: strings.TrimSpace(st.word + " " + st.rest)}
	before := len(p.problems)
	switch st.word {
	case "say":
		s.Kind, s.Say = KindSay, st.rest
		if st.rest == "" {
			p.problem(st.line, st.col, "say needs words")
		}
	case "ask":
		s.Kind, s.Ask = KindAsk, p.question(st)
	case "expect":
		s.Kind, s.Expect = KindExpect, p.expect(st)
	case "end":
		p.setEnd(st)
		return
	default:
		s.Kind, s.Command = KindCommand, p.command(st)
	}
	if len(p.problems) == before {
		p.file.Steps = append(p.file.Steps, s)
	}
}

// setEnd handles "at 60s end": the script goes on until then.
func (p *parser) setEnd(st *statement) {
	if p.endLine > 0 {
		p.problem(st.line, st.col, "the end is already on line "+num(p.endLine))
	}
	p.end, p.endLine = p.at, st.line
	p.args(st).done()
}

// question reads "QUESTION | option | *right option".
func (p *parser) question(st *statement) *Question {
	parts := strings.Split(st.rest, "|")
	q := &Question{Text: strings.TrimSpace(parts[0]), Right: -1}
	if q.Text == "" {
		p.problem(st.line, st.col, "ask needs a question and options: ask How many are lost? | 0 | *7")
		return q
	}
	for _, part := range parts[1:] {
		opt, right := strings.CutPrefix(strings.TrimSpace(part), "*")
		if opt == "" {
			p.problem(st.line, st.col, "an option is empty")
		}
		if right && q.Right >= 0 {
			p.problem(st.line, st.col, "two options are marked as right: "+clip(q.Options[q.Right])+" and "+clip(opt))
		}
		if right {
			q.Right = len(q.Options)
		}
		q.Options = append(q.Options, opt)
	}
	switch {
	case len(q.Options) < 2 || len(q.Options) > optionsMax:
		p.problem(st.line, st.col, "a question has 2 to "+num(optionsMax)+" options after |, this one has "+num(len(q.Options)))
	case q.Right < 0:
		p.problem(st.line, st.col, "no option is marked as right; put * before it: | 3 | *7")
	}
	return q
}

// finish sets the end of the script, and the spans that reach to it.
func (p *parser) finish() {
	f := p.file
	for _, s := range f.Steps {
		f.End = max(f.End, s.At)
		if s.Expect != nil {
			f.End = max(f.End, s.Expect.To)
		}
	}
	if p.endLine > 0 && p.end < f.End {
		p.problem(p.endLine, 1, "the script ends at "+p.end.String()+", but a step or an expectation reaches to "+f.End.String())
	}
	f.End = max(f.End, p.end)
	p.conflict(&p.configs, kafka.ScopeBroker, f.Spec.Cluster.Configs)
	for _, s := range f.Steps {
		if s.Expect == nil || s.Expect.Form != FormEventually {
			continue
		}
		if s.Expect.To = f.End; s.Expect.To == s.At {
			p.problem(s.Line, 1, "nothing comes after "+s.At.String()+", so there is no time for eventually; add a later step, or: at 30s end")
		}
	}
}

// clip shortens and quotes what was written, for a message.
func clip(s string) string {
	if len(s) > 60 {
		s = strings.ToValidUTF8(s[:60], "") + "..."
	}
	return "\"" + s + "\""
}
