package panel

import (
	"strings"

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
	}
	return "Help"
}

// chapter is a group of scenarios in the picker.
type chapter struct {
	Name    string
	Entries []model.Entry
}

// chapters are the scenarios that have every word of the search.
func (c *Dialog) chapters() []chapter {
	words := strings.Fields(strings.ToLower(c.p.M.Search))
	var out []chapter
	for _, e := range c.p.M.Catalogue {
		text := strings.ToLower(e.ID + " " + e.Title + " " + e.Chapter)
		fits := true
		for _, w := range words {
			fits = fits && strings.Contains(text, w)
		}
		if !fits {
			continue
		}
		if n := len(out); n == 0 || out[n-1].Name != titled(e.Chapter) {
			out = append(out, chapter{Name: titled(e.Chapter)})
		}
		last := &out[len(out)-1]
		last.Entries = append(last.Entries, e)
	}
	return out
}

// snippet is what to paste into another page.
func (c *Dialog) snippet() string {
	m, base := c.p.M, c.p.Host.Address
	link := m.URL
	if link == "" {
		link = base
	}
	frame := link
	if at, rest, ok := strings.Cut(link, "#"); ok {
		frame = strings.SplitN(at, "?", 2)[0] + "?embed=1#" + rest
	}
	return `<iframe src="` + escape(frame) + `" title="` + escape(m.Info.Title) +
		`" loading="lazy" style="width:100%;aspect-ratio:16/10;border:0"></iframe>` + "\n" +
		`<p><a href="` + escape(link) + `">` + escape(m.Info.Title) + `, in Highwater</a></p>`
}

func (c *Dialog) keys() []model.Shortcut { return model.Shortcuts }

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
