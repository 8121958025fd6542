package model

import "strings"

// SourceMax is the most bytes of a text that is opened as a scenario.
const SourceMax = 256 << 10

// Starter is the scenario that an empty page of the editor begins with: small,
// complete, and it holds.
const Starter = `title    My cluster
text     What is to be seen here.
cluster  brokers=3
topic    orders partitions=3 replication.factor=3 min.insync.replicas=2
producer app topic=orders acks=all rate=5/s keys=8
consumer c1 assign=orders from=earliest

at 3s    crash broker-1
         say  The other two brokers take over what broker 1 led.
at 15s   start broker-1
at 20s   expect lost(app) == 0
`

// refused shows a text that could not be opened, with what is wrong where.
func (m Model) refused(r Refused) (Model, []Cmd) {
	m.Opening, m.Playing = false, false
	if m.Dialog != "source" {
		m.Back = "open-source"
	}
	m.Dialog, m.Search = "source", ""
	m.Source, m.SourceProblems = lineFeeds(r.Text), r.Problems
	return m, []Cmd{Focus{ID: "source-text"}}
}

// actOwn begins a scenario of the user's own.
func actOwn(m Model, _ Act) (Model, []Cmd) {
	m, _ = actDialog(m, Act{Arg: "source"})
	m.Source, m.SourceProblems = Starter, nil
	return m, []Cmd{Focus{ID: "source-text"}}
}

// actSource notes what stands in the editor.
func actSource(m Model, a Act) (Model, []Cmd) {
	m.Source = lineFeeds(a.Value)
	return m, nil
}

// lineFeeds is a text with the ends of line that a text field has.
func lineFeeds(text string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
}

// actRun opens what stands in the editor, or Value, a file's text; what is open
// stays if that cannot be opened.
func actRun(m Model, a Act) (Model, []Cmd) {
	if a.Value != "" {
		return m, []Cmd{Open{Text: lineFeeds(a.Value)}}
	}
	if m.Source == m.Text && len(m.Facts.Edits) == 0 {
		m, cmds := m.closeDialog()
		m, more := m.seek(0)
		m.Resume = false
		return m, append(cmds, more...)
	}
	return m, []Cmd{Open{Text: m.Source}}
}

// actPlace puts the caret of the editor where a problem is: Arg is "line column".
func actPlace(m Model, a Act) (Model, []Cmd) {
	line, col, _ := strings.Cut(a.Arg, " ")
	return m, []Cmd{Caret{ID: "source-text", Line: int(atoi(line)), Col: int(atoi(col))}}
}
