//go:build js && wasm

package bridge

import (
	"strings"
	"syscall/js"
	"unicode/utf16"
)

// host finds an element by id and remembers it until Forget.
func (b *Browser) host(id string) (element, bool) {
	if e, ok := b.hosts[id]; ok {
		return e, true
	}
	e, ok := b.byID(id)
	if ok {
		b.hosts[id] = e
	}
	return e, ok
}

// Children is how many elements an element with an id has; 0 if it is not there.
func (b *Browser) Children(id string) int {
	e, ok := b.host(id)
	if !ok {
		return 0
	}
	return e.Get("childElementCount").Int()
}

// Forget lets go of remembered elements: the page was rendered anew.
func (b *Browser) Forget() {
	clear(b.hosts)
	b.watch()
}

// Focus moves the focus to the element with an id, or to the stage for "".
func (b *Browser) Focus(id string) {
	if id == "" {
		id = "stage-input"
	}
	if e, ok := b.byID(id); ok {
		e.Call("focus")
	}
}

// Reveal scrolls the element with an id into sight.
func (b *Browser) Reveal(id string) {
	if e, ok := b.byID(id); ok {
		e.Call("scrollIntoView", map[string]any{"block": "nearest"})
	}
}

// Value is the value of the field with an id.
func (b *Browser) Value(id string) string {
	if e, ok := b.byID(id); ok {
		return e.Get("value").String()
	}
	return ""
}

// SetValue writes the value of the field with an id, and puts the caret at its start.
func (b *Browser) SetValue(id, text string) {
	if e, ok := b.byID(id); ok {
		e.Set("value", text)
		e.Call("setSelectionRange", 0, 0)
		e.Set("scrollTop", 0)
	}
}

// Caret selects a line of a text field from a column on, both from 1, and brings
// it into sight.
func (b *Browser) Caret(id string, line, col int) {
	e, ok := b.byID(id)
	if !ok {
		return
	}
	lines := strings.Split(e.Get("value").String(), "\n")
	line = min(max(line, 1), len(lines))
	at := 0 // in UTF-16, as JavaScript counts
	for _, l := range lines[:line-1] {
		at += units(l) + 1
	}
	here := []rune(lines[line-1])
	e.Call("focus")
	e.Call("setSelectionRange", at+units(string(here[:min(max(col-1, 0), len(here))])), at+units(lines[line-1]))
	e.Set("scrollTop", e.Get("scrollHeight").Float()*float64(max(line-4, 0))/float64(len(lines)))
}

// units is the length of a text in JavaScript.
func units(text string) int { return len(utf16.Encode([]rune(text))) }

// SetText writes the text of an element with an id.
func (b *Browser) SetText(id, text string) {
	if e, ok := b.host(id); ok {
		e.Set("textContent", text)
	}
}

// SetStyle writes one style of an element with an id.
func (b *Browser) SetStyle(id, name, value string) {
	if e, ok := b.host(id); ok {
		e.Get("style").Set(name, value)
	}
}

// Node finds the node at a path of child indexes from the element #app.
func (b *Browser) Node(path []int) js.Value {
	app, _ := b.host("app")
	n := app.Value
	for _, i := range path {
		n = n.Get("childNodes").Index(i)
		if !n.Truthy() {
			return js.Null()
		}
	}
	return n
}

// Line is a line of the event log.
type Line struct {
	Key         uint64 // stable; grows
	Class       string
	Arg         string // what a click selects
	Time, Words string
}

// Log brings the event log up to lines, oldest first: it drops and adds only
// what changed, so that reading and scrolling go on. It stays at the end if it
// was there.
func (b *Browser) Log(lines []Line, shown *[]uint64) {
	host, ok := b.host("log")
	if !ok {
		return
	}
	atEnd := host.Get("scrollHeight").Float()-host.Get("scrollTop").Float()-host.Get("clientHeight").Float() < 30
	keep := overlap(*shown, lines)
	if keep == 0 {
		host.Set("textContent", "")
		*shown = (*shown)[:0]
	}
	for len(*shown) > keep { // the oldest have left
		host.Get("firstChild").Call("remove")
		*shown = (*shown)[1:]
	}
	for _, l := range lines[keep:] {
		host.Call("append", b.line(l))
		*shown = append(*shown, l.Key)
	}
	if atEnd {
		host.Set("scrollTop", host.Get("scrollHeight"))
	}
}

// overlap is how many of the lines are the last ones that are shown.
func overlap(shown []uint64, lines []Line) int {
	if len(shown) == 0 || len(lines) == 0 {
		return 0
	}
	last := shown[len(shown)-1]
	for i := range lines {
		if lines[i].Key != last {
			continue
		}
		n := i + 1
		if n > len(shown) {
			return 0
		}
		for j := range n {
			if shown[len(shown)-n+j] != lines[j].Key {
				return 0
			}
		}
		return n
	}
	return 0
}

func (b *Browser) line(l Line) js.Value {
	doc := b.doc
	row := doc.Call("createElement", "div")
	row.Set("className", l.Class)
	row.Set("tabIndex", -1)
	row.Get("dataset").Set("do", "select")
	row.Get("dataset").Set("arg", l.Arg)
	at := doc.Call("createElement", "time")
	at.Set("textContent", l.Time)
	row.Call("append", at, " "+l.Words)
	return row
}

// Say speaks a text to a screen reader.
func (b *Browser) Say(text string) { b.SetText("said", text) }
