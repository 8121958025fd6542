package panel

import (
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/model"
)

func (c *Lesson) foldLabel() string { return foldLabel(c.p.M.FoldLesson, "lesson") }

func (c *Lesson) foldSign() string {
	if c.p.M.FoldLesson {
		return "›"
	}
	return "‹"
}

// place is "Durability · 3 of 5".
func (c *Lesson) place() string {
	m := c.p.M
	if m.Info.ID == "" {
		return "Scenario · your own"
	}
	n, of := m.Place()
	s := titled(m.Info.Chapter)
	for _, e := range m.Catalogue {
		if e.ID == m.Info.ID && e.Part != "" {
			s = e.Part
		}
	}
	if of > 0 {
		s += " · " + itoa(n) + " of " + itoa(of)
	}
	return s
}

func titled(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// says is what the script says at the latest instant that it says anything.
func (c *Lesson) says() []string { return says(c.p.M) }

func says(m *model.Model) []string {
	var out []string
	var last view.Step
	for _, s := range m.Facts.Steps {
		if s.Kind != "say" || s.At > m.Now {
			continue
		}
		if s.At != last.At {
			out = out[:0]
		}
		last = s
		out = append(out, strings.TrimPrefix(s.Text, "say "))
	}
	return out
}

// question is a predict-then-see question as the page shows it.
type question struct {
	Title, Text, Verdict string
	Options              []option
}

// option is an answer: State is "", "right" or "wrong" once one was chosen.
type option struct {
	Text, Arg, State string
	Done             bool
}

func (c *Lesson) asked() bool {
	_, ok := c.p.M.Question()
	return ok
}

func (c *Lesson) question() question {
	s, ok := c.p.M.Question()
	if !ok {
		return question{}
	}
	choice := c.p.M.Choice(s.Line)
	q := question{Title: "Predict", Text: s.Ask.Text}
	for i, text := range s.Ask.Options {
		o := option{Text: text, Arg: itoa(s.Line) + " " + itoa(i), Done: choice >= 0}
		switch {
		case choice < 0:
		case i == s.Ask.Right:
			o.State, o.Text = "right", "✓ "+text
		case i == choice:
			o.State, o.Text = "wrong", "✗ "+text
		}
		q.Options = append(q.Options, o)
	}
	if choice >= 0 {
		q.Title = "Predicted"
		q.Verdict = "The script says " + s.Ask.Options[s.Ask.Right] + ". Play on and see."
		if choice == s.Ask.Right {
			q.Verdict = "You and the script agree. Play on and see."
		}
	}
	return q
}

// step is a line of the script in the list.
type step struct {
	Mark, StateWord, State, Time, At, Text, Title, Why string
	Current                                            bool
}

// steps are the script's orders, questions and expectations.
func (c *Lesson) steps() []step {
	m := c.p.M
	var out []step
	current := -1
	for _, s := range m.Facts.Steps {
		if s.Kind == "say" {
			continue
		}
		r := step{State: s.State, At: strconv.FormatInt(int64(s.At), 10), Time: seconds(s.At), Text: s.Text, Title: "Go to " + seconds(s.At) + ", line " + itoa(s.Line)}
		switch s.State {
		case "done", "ok":
			r.Mark, r.StateWord = "✓", s.State
		case "failed":
			r.Mark, r.StateWord = "✗", "failed"
		default:
			r.Mark, r.StateWord = "·", "to come"
		}
		if s.Kind == "ask" {
			r.Text = "predict"
			if r.Mark == "✓" {
				r.Mark = "?"
			}
		}
		if s.Kind == "expect" && (s.State == "ok" || s.State == "failed") {
			r.Why = s.Why
		}
		if s.At <= m.Now {
			current = len(out)
		}
		out = append(out, r)
	}
	if current >= 0 {
		out[current].Current = true
		if out[current].Mark == "✓" && out[current].State == "done" {
			out[current].Mark = "▸"
		}
	}
	return out
}

// outcome is what became of the script's expectations; State is "ok" or "failed".
type outcome struct{ Text, State string }

// outcome tells, from the script's end on, whether what it expects was so.
func (c *Lesson) outcome() outcome {
	m := c.p.M
	all, failed, open := 0, 0, 0
	for _, s := range m.Facts.Steps {
		switch {
		case s.Kind != "expect":
			continue
		case s.State == "failed":
			failed++
		case s.State != "ok":
			open++
		}
		all++
	}
	switch {
	case all == 0 || open > 0 || m.Now < m.Info.End:
		return outcome{}
	case failed == 0 && all == 1:
		return outcome{"✓ The expectation was met.", "ok"}
	case failed == 0:
		return outcome{"✓ All " + itoa(all) + " expectations were met.", "ok"}
	case len(m.Facts.Edits) > 0:
		return outcome{"✗ " + itoa(failed) + " of " + itoa(all) + " expectations were not met: you changed what happens.", "failed"}
	}
	return outcome{"✗ " + itoa(failed) + " of " + itoa(all) + " expectations were not met.", "failed"}
}

// neighbour is the lesson by places after this one, in the order of teaching; an
// Entry without an ID if there is none.
func (c *Lesson) neighbour(by int) model.Entry {
	m := c.p.M
	for i, e := range m.Catalogue {
		if e.ID == m.Info.ID && i+by >= 0 && i+by < len(m.Catalogue) {
			return m.Catalogue[i+by]
		}
	}
	return model.Entry{}
}

func (c *Lesson) noSteps() bool { return len(c.p.M.Facts.Steps) == 0 && !c.p.M.Opening }

// quick is the first action: crash, or start again, what is selected; without a
// selection the broker that leads the most.
func (c *Lesson) quick() view.Action {
	name := c.p.M.Target()
	if name == "" {
		best := -1
		for i := range c.p.M.Facts.Cluster.Brokers {
			b := &c.p.M.Facts.Cluster.Brokers[i]
			if b.State == view.Running && b.Leads > best {
				name, best = b.Name, b.Leads
			}
		}
	}
	switch {
	case name == "":
		return view.Action{Label: "Crash"}
	case c.p.M.Running(name):
		return view.Action{Label: "Crash " + name, Command: "crash " + name}
	}
	return view.Action{Label: "Start " + name, Command: "start " + name}
}

func (c *Lesson) palette() []model.Group {
	if c.p.M.AllActions {
		return model.Palette
	}
	return []model.Group{{Choices: model.PaletteShort}}
}

func (c *Lesson) more() string {
	if c.p.M.AllActions {
		return "Fewer"
	}
	return "All actions…"
}

// edits are what the user did, with the way to each moment.
func (c *Lesson) edits() []step {
	var out []step
	for _, e := range c.p.M.Facts.Edits {
		r := step{Mark: "✎", At: strconv.FormatInt(int64(e.At), 10), Time: seconds(e.At), Text: e.Text, Title: "Go to " + seconds(e.At), State: "todo"}
		if e.At <= c.p.M.Now {
			r.State = "done"
		}
		if e.Why != "" {
			r.State, r.Mark, r.Why = "failed", "✗", "not done: "+e.Why
		}
		out = append(out, r)
	}
	return out
}

// future is another run of the same scenario that the user left.
type future struct{ Arg, Text, Title string }

func (c *Lesson) futures() []future {
	var out []future
	for i, f := range c.p.M.Futures {
		r := future{Arg: itoa(i), Text: "only the script", Title: "What happens if nothing is done by hand"}
		if n := len(f); n > 0 {
			last := f[n-1]
			r.Text = last.Text + ", at " + seconds(last.At)
			if n > 1 {
				r.Text += " and " + itoa(n-1) + " before"
			}
			var all []string
			for _, e := range f {
				all = append(all, seconds(e.At)+" "+e.Text)
			}
			r.Title = strings.Join(all, "; ")
		}
		out = append(out, r)
	}
	return out
}

func (c *Lesson) lastEdit() string {
	e := c.p.M.Facts.Edits
	if len(e) == 0 {
		return "Nothing to take back"
	}
	return "Take back: " + e[len(e)-1].Text + ", at " + seconds(e[len(e)-1].At)
}

// field is an input of the open form.
type field struct {
	model.Field
	ID, Is, Note string
}

func (c *Lesson) fields() []field {
	var out []field
	for _, f := range c.p.M.Form.Fields {
		r := field{Field: f, ID: "f-" + f.Name, Is: "text", Note: f.Hint}
		switch {
		case f.Check:
			r.Is = "check"
		case f.Options != nil:
			r.Is = "choice"
		}
		if f.Err != "" {
			r.Note = f.Err
		}
		out = append(out, r)
	}
	return out
}
