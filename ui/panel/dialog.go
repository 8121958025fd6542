package panel

import (
	"slices"
	"strings"

	"github.com/highwater-sim/highwater/engine"
	"github.com/highwater-sim/highwater/ui/model"
)

func (c *Dialog) is(name string) bool { return c.p.M.Dialog == name }

func (c *Dialog) title() string {
	switch c.p.M.Dialog {
	case "scenarios":
		return "Scenarios"
	case "share":
		return "Share this moment"
	case "embed":
		return "Embed this moment"
	case "export":
		return "Export"
	case "file":
		return "Read a log file"
	case "source":
		if len(c.p.M.SourceProblems) > 0 {
			return "This scenario cannot run yet"
		}
		return "The scenario as text"
	}
	return "Help"
}

// chapter is a group of scenarios in the picker.
type chapter struct {
	Name    string
	Entries []model.Entry
}

// chapters are the scenarios that have every word of the search, in the order of
// teaching; a chapter begins where its first one stands.
func (c *Dialog) chapters() []chapter {
	words := strings.Fields(strings.ToLower(c.p.M.Search))
	var out []chapter
	for _, e := range c.p.M.Catalogue {
		text := strings.ToLower(strings.Join([]string{e.ID, e.Title, e.Part, e.Summary, strings.Join(e.Reenacts, " ")}, " "))
		fits := true
		for _, w := range words {
			fits = fits && strings.Contains(text, w)
		}
		if !fits {
			continue
		}
		at := slices.IndexFunc(out, func(g chapter) bool { return g.Name == partOf(e) })
		if at < 0 {
			at = len(out)
			out = append(out, chapter{Name: partOf(e)})
		}
		out[at].Entries = append(out[at].Entries, e)
	}
	return out
}

// partOf is the name of a scenario's chapter.
func partOf(e model.Entry) string {
	if e.Part != "" {
		return e.Part
	}
	return titled(e.Chapter)
}

// found says how many scenarios there are, or have the words of the search.
func (c *Dialog) found() string {
	n := 0
	for _, g := range c.chapters() {
		n += len(g.Entries)
	}
	if strings.TrimSpace(c.p.M.Search) == "" {
		return itoa(n) + " scenarios; each proves what it says as it runs"
	}
	return itoa(n) + " of " + itoa(len(c.p.M.Catalogue)) + " have these words"
}

// reenacts is what a scenario proves of what was reported.
func reenacts(e model.Entry) string {
	if len(e.Reenacts) == 0 {
		return ""
	}
	return "re-enacts " + strings.Join(e.Reenacts, "; ")
}

// place is a problem of the text in the editor; Arg is where it is.
type place struct{ Text, Arg string }

func (c *Dialog) sourceProblems() []place {
	var out []place
	for _, p := range c.p.M.SourceProblems {
		k := place{Text: p.Text}
		if p.Line > 0 {
			k = place{Text: "line " + itoa(p.Line) + ", column " + itoa(p.Col) + ": " + p.Text, Arg: itoa(p.Line) + " " + itoa(p.Col)}
		}
		out = append(out, k)
	}
	return out
}

// language is the reference, once it is asked for.
func (c *Dialog) language() []engine.Words {
	if !c.p.M.SourceWords {
		return nil
	}
	return engine.Language()
}

// snippet is a text to paste into another page.
type snippet struct{ ID, Kind, Name, For, Text string }

// snippets are the ways to show this moment elsewhere, the lightest first.
func (c *Dialog) snippets() []snippet {
	m := c.p.M
	home := c.p.Host.Address[:strings.LastIndexByte(c.p.Host.Address, '/')+1]
	link := m.URL
	if link == "" {
		link = home
	}
	at, state, _ := strings.Cut(link, "#")
	title := escape(m.Info.Title)
	attr := func(name, value string) string {
		if value == "" {
			return ""
		}
		return " " + name + `="` + escape(value) + `"`
	}
	out := []snippet{
		{Kind: "element", Name: "A picture that runs", For: "Needs scripts. The simulator is loaded when a reader asks for it, and one runs at a time.",
			Text: `<script src="` + escape(home) + `embed.js" async></script>` + "\n" +
				"<highwater-embed" + attr("scenario", m.Info.ID) + attr("state", state) + attr("title", m.Info.Title) + "></highwater-embed>"},
		{Kind: "frame", Name: "A frame", For: "For pages that take frames. The simulator is loaded when the frame comes into sight, and waits.",
			Text: `<iframe src="` + escape(strings.SplitN(at, "?", 2)[0]+"?embed=1#"+state) + `" title="` + title +
				`" loading="lazy" style="width:100%;aspect-ratio:16/10;border:0"></iframe>` + "\n" +
				`<p><a href="` + escape(link) + `">` + title + `, in Highwater</a></p>`},
	}
	if m.Info.ID != "" {
		words := strings.NewReplacer("[", "(", "]", ")", "\n", " ").Replace(m.Info.Title)
		picture := home + "s/" + strings.ReplaceAll(m.Info.ID, "/", "-") + ".svg"
		out = append(out, snippet{Kind: "Markdown", Name: "A picture and a link", For: "For Markdown, and for pages that take neither scripts nor frames.",
			Text: "[![" + words + "](" + picture + ")](" + strings.NewReplacer("(", "%28", ")", "%29").Replace(link) + ")"})
	}
	for i := range out {
		out[i].ID = "embed-" + out[i].Kind
	}
	return out
}

func (c *Dialog) keys() []model.Shortcut { return model.Shortcuts }

// palettes are the colours of records by key; each stays apart for most colour-blind
// readers.
var palettes = []model.Choice{{Kind: "", Label: "Okabe and Ito"}, {Kind: "tol", Label: "Paul Tol, muted"}, {Kind: "contrast", Label: "High contrast"}}

// legend are the marks of the picture; never colour alone.
func (c *Dialog) legend() []model.Shortcut {
	return []model.Shortcut{
		{Keys: "★ solid frame", Does: "leader"},
		{Keys: "outline", Does: "follower in the ISR"},
		{Keys: "dashed, !", Does: "follower out of the ISR, with how far behind it is"},
		{Keys: "hatched, ✗", Does: "offline"},
		{Keys: "double line HW", Does: "high watermark: below it is committed"},
		{Keys: "dotted line LSO", Does: "last stable offset"},
		{Keys: "LEO ▾", Does: "log end offset"},
		{Keys: "◆ ◇", Does: "committed offset, position"},
	}
}
