package theme

import "strconv"

// Sizes of type in CSS px; nothing on the stage is smaller than SizeTiny.
const (
	SizeTiny  = 10
	SizeSmall = 11
	SizeBody  = 12
	SizeTitle = 13
	SizeBig   = 20
)

// Stacks of fonts; the site ships the Go fonts.
const (
	FontStack = `"Go",Inter,"DejaVu Sans",system-ui,sans-serif`
	MonoStack = `"Go Mono","DejaVu Sans Mono",ui-monospace,monospace`
)

// CSS prints the theme's variables as declarations, one a line, without a
// selector: the page decides whether they stand under :root or a media query.
func (t *Theme) CSS() string {
	b := make([]byte, 0, 2048)
	color := func(name string, c Color) {
		b = append(append(append(b, "--hw-"...), name...), ':')
		b = c.AppendHex(b)
		if c&0xff != 0xff {
			const digits = "0123456789abcdef"
			b = append(b, digits[c>>4&0xf], digits[c&0xf])
		}
		b = append(b, ";\n"...)
	}
	for _, v := range []struct {
		name string
		c    Color
	}{
		{"bg", t.Bg}, {"panel", t.Panel}, {"row", t.Row}, {"card", t.Card}, {"raised", t.Raised}, {"well", t.Well}, {"line", t.Line},
		{"text", t.Text}, {"soft", t.Soft}, {"muted", t.Muted}, {"faint", t.Faint}, {"accent", t.Accent}, {"on-accent", t.OnAccent},
		{"leader", t.Leader}, {"insync", t.InSync}, {"warn", t.Warn}, {"bad", t.Bad}, {"hw", t.HW}, {"lso", t.LSO},
		{"warn-row", t.WarnRow}, {"bad-row", t.BadRow}, {"no-key", t.NoKey}, {"shadow", t.Shadow},
	} {
		color(v.name, v.c)
	}
	for i, c := range t.Key {
		color("key-"+strconv.Itoa(i), c)
	}
	b = append(b, "--hw-font:"+FontStack+";\n--hw-mono:"+MonoStack+";\n"...)
	px := func(name string, n int) { b = append(b, "--hw-"+name+":"+strconv.Itoa(n)+"px;\n"...) }
	px("size-tiny", SizeTiny)
	px("size-small", SizeSmall)
	px("size-body", SizeBody)
	px("size-title", SizeTitle)
	px("size-big", SizeBig)
	for i, n := range []int{4, 8, 12, 16, 24, 32} {
		px("space-"+strconv.Itoa(i+1), n)
	}
	px("radius-s", 4)
	px("radius-m", 8)
	px("radius-l", 10)
	return string(b)
}

// StyleSheet is the whole sheet: dark by default, light where the reader's
// system asks for it, and both ways by data-theme on the root element.
func StyleSheet() string {
	dark, light := Dark.CSS(), Light.CSS()
	return ":root{\ncolor-scheme:dark;\n" + dark + "}\n" +
		"@media (prefers-color-scheme:light){:root:not([data-theme=dark]){\ncolor-scheme:light;\n" + light + "}}\n" +
		":root[data-theme=light]{\ncolor-scheme:light;\n" + light + "}\n"
}
