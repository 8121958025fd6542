//go:build js && wasm

package bridge

import (
	"syscall/js"

	"honnef.co/go/js/dom/v2"
)

// Element finds an element by id and remembers it until Forget.
func (b *Browser) Element(id string) dom.Element {
	if e, ok := b.hosts[id]; ok {
		return e
	}
	e := b.doc.GetElementByID(id)
	if e != nil {
		b.hosts[id] = e
	}
	return e
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
	if e := b.doc.GetElementByID(id); e != nil {
		e.Underlying().Call("focus")
	}
}

// Value is the value of the field with an id.
func (b *Browser) Value(id string) string {
	if e := b.doc.GetElementByID(id); e != nil {
		return e.Underlying().Get("value").String()
	}
	return ""
}

// SetText writes the text of an element with an id.
func (b *Browser) SetText(id, text string) {
	if e := b.Element(id); e != nil {
		e.Underlying().Set("textContent", text)
	}
}

// SetStyle writes one style of an element with an id.
func (b *Browser) SetStyle(id, name, value string) {
	if e := b.Element(id); e != nil {
		e.Underlying().Get("style").Set(name, value)
	}
}

// Node finds the node at a path of child indexes from the element #app.
func (b *Browser) Node(path []int) js.Value {
	n := b.doc.GetElementByID("app").Underlying()
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
	e := b.Element("log")
	if e == nil {
		return
	}
	host := e.Underlying()
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
	doc := b.doc.Underlying()
	row := doc.Call("createElement", "div")
	row.Set("className", l.Class)
	row.Get("dataset").Set("do", "select")
	row.Get("dataset").Set("arg", l.Arg)
	at := doc.Call("createElement", "time")
	at.Set("textContent", l.Time)
	row.Call("append", at, " "+l.Words)
	return row
}

// Say speaks a text to a screen reader.
func (b *Browser) Say(text string) { b.SetText("said", text) }
