package model

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
)

// verbs are the controls of the page by the word in their data-do attribute;
// data-arg gives Act.Arg.
var verbs map[string]func(Model, Act) (Model, []Cmd)

func init() {
	verbs = map[string]func(Model, Act) (Model, []Cmd){
		// Time.
		"play":    func(m Model, _ Act) (Model, []Cmd) { return m.play() },
		"restart": func(m Model, _ Act) (Model, []Cmd) { m.Playing = false; return m.seek(0) },
		"stay":    func(m Model, _ Act) (Model, []Cmd) { return m.stay() },
		"end":     func(m Model, _ Act) (Model, []Cmd) { return m.seek(m.Last()) },
		"step":    func(m Model, _ Act) (Model, []Cmd) { m = m.stood(); m.Playing = false; return m, []Cmd{Step{}, Link{}} },
		"back":    actBack,
		"seek":    actSeek,
		"frac":    actFraction,
		"later":   func(m Model, a Act) (Model, []Cmd) { return m.seek(m.Now.Add(kafka.Duration(atoi(a.Arg)))) },
		"marker":  actMarker,
		"speed":   func(m Model, a Act) (Model, []Cmd) { return m.speedTo(int(atoi(a.Arg + a.Value))) },
		"slower":  func(m Model, _ Act) (Model, []Cmd) { return m.speedTo(m.Speed - 1) },
		"faster":  func(m Model, _ Act) (Model, []Cmd) { return m.speedTo(m.Speed + 1) },

		// What is looked at.
		"select":   actSelect,
		"deselect": func(m Model, _ Act) (Model, []Cmd) { return m.selected(view.Selection{}) },
		"fit":      func(m Model, _ Act) (Model, []Cmd) { m.Camera = Camera{}; return m, nil },
		"zoom":     actZoom,
		"legend":   func(m Model, _ Act) (Model, []Cmd) { m.Legend = !m.Legend; return m, nil },
		"walk":     func(m Model, a Act) (Model, []Cmd) { return m, []Cmd{Walk{By: int(atoi(a.Arg))}} },
		"rows":     actRows,
		"find":     actFind,
		"found":    actFound,
		"cell":     func(m Model, a Act) (Model, []Cmd) { m.Cell = int(atoi(a.Arg)); return m, nil },

		// Commands.
		"command": func(m Model, a Act) (Model, []Cmd) { return m, []Cmd{Do{Command: a.Arg}} },
		"toggle":  func(m Model, _ Act) (Model, []Cmd) { return m.killOrStart() },
		"undo":    func(m Model, _ Act) (Model, []Cmd) { m.Playing = false; return m, []Cmd{Undo{}, Link{}} },
		"future":  actFuture,
		"form":    actForm,
		"field":   func(m Model, a Act) (Model, []Cmd) { m.Form = m.Form.with(a.Arg, a.Value); return m, nil },
		"submit":  actSubmit,
		"cancel":  func(m Model, _ Act) (Model, []Cmd) { m.Form = Form{}; return m, nil },
		"palette": func(m Model, _ Act) (Model, []Cmd) { m.AllActions = !m.AllActions; return m, nil },
		"draft":   actDraft,
		"apply":   actApply,
		"answer":  actAnswer,
	}
	maps.Copy(verbs, pageVerbs())
}

// pageVerbs are those that change the page and nothing of the world.
func pageVerbs() map[string]func(Model, Act) (Model, []Cmd) {
	return map[string]func(Model, Act) (Model, []Cmd){
		"picture": func(m Model, _ Act) (Model, []Cmd) { return m, []Cmd{Focus{}} },
		"tab":     func(m Model, a Act) (Model, []Cmd) { m.Tab = a.Arg; return m, nil },
		"under":   actUnder,
		"fold":    actFold,
		"dialog":  actDialog,
		"close":   func(m Model, _ Act) (Model, []Cmd) { return m.closeDialog() },
		"search":  func(m Model, a Act) (Model, []Cmd) { m.Search = a.Value; return m, nil },
		"open": func(m Model, a Act) (Model, []Cmd) {
			m.Opening = true
			return m, []Cmd{Open{ID: a.Arg}} // Opened renews the address
		},
		"own":      actOwn,
		"source":   actSource,
		"run":      actRun,
		"place":    actPlace,
		"words":    func(m Model, _ Act) (Model, []Cmd) { m.SourceWords = !m.SourceWords; return m, nil },
		"theme":    actTheme,
		"prefer":   actPrefer,
		"tool":     actTool,
		"jump":     actJump,
		"batch":    actBatch,
		"page":     func(m Model, a Act) (Model, []Cmd) { return m.filePage(m.FilePage + int(atoi(a.Arg))), nil },
		"dump":     func(m Model, _ Act) (Model, []Cmd) { m.FileDump = !m.FileDump; return m, nil },
		"hex":      func(m Model, _ Act) (Model, []Cmd) { m.ShowHex = !m.ShowHex; return m, nil },
		"copy":     func(m Model, a Act) (Model, []Cmd) { return m, []Cmd{Copy{What: a.Arg, Text: a.Value}} },
		"download": func(m Model, a Act) (Model, []Cmd) { return m, []Cmd{Download{What: a.Arg}} },
		"screen":   func(m Model, _ Act) (Model, []Cmd) { return m, []Cmd{FullScreen{}} },
		"unbanner": func(m Model, _ Act) (Model, []Cmd) { m.Banner = Banner{}; return m, nil },
		"unsay":    func(m Model, _ Act) (Model, []Cmd) { m.Notice = ""; return m, nil },
	}
}

// Verbs lists the verbs that an Act may have, for tests of the page's controls.
func Verbs() []string {
	var names []string
	for name := range verbs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (m Model) act(a Act) (Model, []Cmd) {
	if f, ok := verbs[a.Do]; ok {
		return f(m, a)
	}
	return m.say("The page has a control that nobody knows: " + a.Do), nil
}

func (m Model) play() (Model, []Cmd) {
	if m.Seeking {
		m.Resume = !m.Resume
		return m, nil
	}
	if m.Violation != nil {
		return m.say("The world stands still: a law broke. Go back to play."), nil
	}
	m = m.stood()
	if m.Playing = !m.Playing; m.Playing {
		return m, nil
	}
	return m, []Cmd{Link{}}
}

func actBack(m Model, _ Act) (Model, []Cmd) {
	m = m.stood()
	m.Playing = false
	return m, []Cmd{Step{Back: true}, Link{}}
}

func actSeek(m Model, a Act) (Model, []Cmd) {
	return m.seek(kafka.Instant(atoi(a.Arg)))
}

// actFraction seeks to a part of the scrubber, Value from 0 to 1 in thousandths
// of a percent as a whole number (0..100000).
func actFraction(m Model, a Act) (Model, []Cmd) {
	part := min(max(atoi(a.Value), 0), 100000)
	return m.seek(m.Length() / 100000 * kafka.Instant(part))
}

// actMarker goes to the marker before or after now.
func actMarker(m Model, a Act) (Model, []Cmd) {
	at, ok := m.marker(a.Arg == "next")
	if !ok {
		return m.say("No marker there."), nil
	}
	return m.seek(at)
}

func (m *Model) marker(next bool) (kafka.Instant, bool) {
	best, ok := kafka.Instant(0), false
	for _, k := range m.Facts.Markers {
		if next && k.At > m.Now && (!ok || k.At < best) || !next && k.At < m.Now && (!ok || k.At > best) {
			best, ok = k.At, true
		}
	}
	return best, ok
}

func (m Model) speedTo(stop int) (Model, []Cmd) {
	m.Speed = min(max(stop, 0), len(Speeds)-1)
	m.SlowLeft, m.Behind = 0, 0
	return m, nil
}

func actSelect(m Model, a Act) (Model, []Cmd) {
	s, ok := ParseSelection(a.Arg)
	if !ok {
		return m, nil
	}
	return m.shown(s)
}

func actZoom(m Model, a Act) (Model, []Cmd) {
	factor := float32(1.25)
	if a.Arg == "out" {
		factor = 0.8
	}
	return m, []Cmd{ZoomBy{X: m.StageW / 2, Y: m.StageH / 2, Factor: factor}}
}

// killOrStart crashes what is selected, or starts it again.
func (m Model) killOrStart() (Model, []Cmd) {
	name := m.Target()
	if name == "" {
		return m.say("Select a broker, a controller or a client first."), nil
	}
	verb := "start "
	if m.Running(name) {
		verb = "crash "
	}
	return m, []Cmd{Do{Command: verb + name}}
}

func actForm(m Model, a Act) (Model, []Cmd) {
	if a.Arg == m.Form.Kind {
		m.Form = Form{}
		return m, nil
	}
	m.Form = m.newForm(a.Arg)
	m.FoldLesson = false
	if m.Narrow() {
		m.Tab = "lesson"
	}
	return m, []Cmd{Focus{ID: "form"}}
}

func actSubmit(m Model, _ Act) (Model, []Cmd) {
	if m.Form.Kind == "" {
		return m, nil
	}
	m.Form = m.Form.checked()
	if m.Form.wrong() {
		return m, nil
	}
	return m, []Cmd{Do{Command: m.Form.Line(), Form: true}}
}

// actDraft notes what is typed for a config; Arg is its name.
func actDraft(m Model, a Act) (Model, []Cmd) {
	m.Drafts = setDraft(m.Drafts, Draft{Of: m.Facts.Detail.ConfigOf, Name: a.Arg, Value: a.Value})
	return m, nil
}

// actApply gives a config's draft to the world: "config topic payments acks=1".
func actApply(m Model, a Act) (Model, []Cmd) {
	for _, d := range m.Drafts {
		if d.Name == a.Arg && d.Of == m.Facts.Detail.ConfigOf {
			return m, []Cmd{Do{Command: configCommand(d)}}
		}
	}
	return m, nil
}

func configCommand(d Draft) string {
	return "config " + d.Of + " " + d.Name + "=" + quoted(strings.TrimSpace(d.Value))
}

func setDraft(ds []Draft, d Draft) []Draft {
	out := make([]Draft, 0, len(ds)+1)
	for _, old := range ds {
		if old.Of != d.Of || old.Name != d.Name {
			out = append(out, old)
		}
	}
	return append(out, d)
}

// dropDraft forgets the draft whose command was carried out.
func dropDraft(ds []Draft, command string) []Draft {
	return slices.DeleteFunc(slices.Clone(ds), func(d Draft) bool { return configCommand(d) == command })
}

// blameDraft puts the first problem of a refused command at its config.
func blameDraft(ds []Draft, done Done) ([]Draft, bool) {
	i := slices.IndexFunc(ds, func(d Draft) bool { return configCommand(d) == done.Command })
	if i < 0 {
		return ds, false
	}
	out := slices.Clone(ds)
	out[i].Err = done.Problems[0].Text
	return out, true
}

// actAnswer chooses an option of a question: Arg is "line option".
func actAnswer(m Model, a Act) (Model, []Cmd) {
	line, choice, _ := strings.Cut(a.Arg, " ")
	n := int(atoi(line))
	if m.Choice(n) < 0 {
		m.Answers = append(slices.Clone(m.Answers), Answer{Line: n, Choice: int(atoi(choice))})
	}
	return m, nil
}

func actUnder(m Model, a Act) (Model, []Cmd) {
	if m.Under == a.Arg {
		m.Under = ""
	} else {
		m.Under = a.Arg
	}
	return m, nil
}

func actFold(m Model, a Act) (Model, []Cmd) {
	switch a.Arg {
	case "lesson":
		m.FoldLesson = !m.FoldLesson
	case "inspector":
		m.FoldInspector = !m.FoldInspector
	}
	return m, nil
}

func actDialog(m Model, a Act) (Model, []Cmd) {
	m.Dialog, m.Search, m.Back = a.Arg, "", "open-"+a.Arg
	cmds := []Cmd{Focus{ID: "dialog"}}
	if a.Arg == "scenarios" {
		cmds[0] = Focus{ID: "search"}
	}
	if a.Arg == "share" || a.Arg == "embed" || a.Arg == "export" {
		m.Playing = false // what is shared is this moment
		cmds = append(cmds, Link{})
	}
	if a.Arg == "source" {
		m.Playing = false
		cmds = []Cmd{ReadSource{}, Focus{ID: "source-text"}, Link{}}
	}
	return m, cmds
}

func (m Model) closeDialog() (Model, []Cmd) {
	if m.Dialog == "" {
		return m, nil
	}
	back := m.Back
	m.Dialog, m.Search, m.Back = "", "", ""
	return m, []Cmd{Focus{ID: back}}
}

func actTheme(m Model, a Act) (Model, []Cmd) {
	m.Theme = a.Arg
	return m, []Cmd{SavePrefs{m.prefs()}}
}

// actPrefer turns a preference: slow, letters, still; or sets one: keys.
func actPrefer(m Model, a Act) (Model, []Cmd) {
	switch a.Arg {
	case "slow":
		m.SlowEvents, m.SlowLeft = !m.SlowEvents, 0
	case "still":
		m.ReducedMotion = !m.ReducedMotion
	case "keys":
		m.Keys = a.Value
	case "letters":
		m.Letters = !m.Letters
	}
	return m, []Cmd{SavePrefs{m.prefs()}}
}

func (m *Model) prefs() Prefs {
	return Prefs{Theme: m.Theme, Keys: m.Keys, ReducedMotion: m.ReducedMotion, NoSlow: !m.SlowEvents, NoLetters: !m.Letters}
}

// atoi reads a whole number; anything else is 0.
func atoi(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return n
}
