package panel

import (
	"html"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/ui/model"
	"github.com/vugu/vugu"
)

// Page is the root component: everything but the stage itself.
type Page struct {
	M    *model.Model
	Host Host

	top, lesson, centre, inspector, player, dialog vugu.Builder
}

// Host is what the page cannot know by itself.
type Host struct {
	Address string // of the page, without query and fragment: https://host/path/
	System  string // the theme that the system asks for, "dark" or "light"
}

// Top is the bar: scenario, share, theme, help.
type Top struct{ p *Page }

// Lesson is prose, question, steps, actions and the open form.
type Lesson struct{ p *Page }

// Centre is the stage's place, metrics, event log and table.
type Centre struct{ p *Page }

// Inspector is what is selected.
type Inspector struct{ p *Page }

// Player is buttons, time and scrubber.
type Player struct{ p *Page }

// Dialog is what is open over everything: help, scenarios, share, embed, export.
type Dialog struct{ p *Page }

// New returns the page of a model, which it reads at every build.
func New(m *model.Model, h Host) *Page {
	p := &Page{M: m, Host: h}
	p.top, p.lesson, p.centre, p.inspector, p.player, p.dialog = &Top{p}, &Lesson{p}, &Centre{p}, &Inspector{p}, &Player{p}, &Dialog{p}
	return p
}

// tabs are the panels of a narrow page.
var tabs = []model.Choice{{Kind: "lesson", Label: "Lesson"}, {Kind: "stage", Label: "Stage"}, {Kind: "inspector", Label: "Inspect"}, {Kind: "log", Label: "Log"}}

// modal reports whether a dialog is open, so that the rest is out of reach.
func (c *Page) modal() bool { return c.M.Dialog != "" }

// folds names the panels that are folded, for the style sheet.
func (c *Page) folds() string {
	s := ""
	if c.M.FoldLesson {
		s += "lesson "
	}
	if c.M.FoldInspector {
		s += "inspector"
	}
	return s
}

func (c *Top) title() string {
	if c.p.M.Info.Title == "" {
		return "Open a scenario"
	}
	return c.p.M.Info.Title
}

func (c *Top) otherTheme() string {
	now := c.p.M.Theme
	if now == "" {
		now = c.p.Host.System
	}
	if now == "light" {
		return "dark"
	}
	return "light"
}

func foldLabel(folded bool, what string) string {
	if folded {
		return "Unfold the " + what
	}
	return "Fold the " + what
}

// yes is a bool as ARIA has it.
func yes(b bool) string { return strconv.FormatBool(b) }

// attr is an attribute's value, or nil to leave the attribute out.
func attr(on bool, value string) any {
	if on {
		return value
	}
	return nil
}

// when is a class, or none.
func when(on bool, class string) string {
	if on {
		return class
	}
	return ""
}

// breakable lets a line end after the dots of a config's name.
func breakable(name string) string { return strings.ReplaceAll(name, ".", ".\u200b") }

func itoa(n int) string { return strconv.Itoa(n) }

// clock prints an instant for a list: "5.200".
func clock(t kafka.Instant) string {
	s := t.String()
	return s[:max(0, len(s)-1)]
}

// seconds prints an instant in as few digits as it needs: "4 s", "5.2 s".
func seconds(t kafka.Instant) string {
	s := clock(t)
	for len(s) > 1 && s[len(s)-1] == '0' {
		s = s[:len(s)-1]
	}
	if s[len(s)-1] == '.' {
		s = s[:len(s)-1]
	}
	return s + " s"
}

func ms(t kafka.Instant) string {
	return strconv.FormatInt(int64(t)/int64(kafka.Millisecond), 10)
}

// grouped prints a number with thin spaces between thousands.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

func escape(s string) string { return html.EscapeString(s) }

func nodes(ids []kafka.NodeID) string {
	s := "{"
	for i, id := range ids {
		if i > 0 {
			s += ","
		}
		s += itoa(int(id))
	}
	return s + "}"
}
