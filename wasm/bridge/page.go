//go:build js && wasm

package bridge

import (
	"syscall/js"

	"honnef.co/go/js/dom/v2"
)

// Browser is what the app needs of its page besides the stage: elements and
// input, the address, the clipboard, storage, files.
//
// Listening goes through dom/v2. Elements are plain values: its wrappers for
// them, once one is called, bring code for every element that HTML has.
type Browser struct {
	win    dom.Window
	doc    element // document
	root   element // <html>
	global js.Value
	events PageEvents
	guard  func(func()) // around every call into the app
	drag   bool         // the scrubber is being dragged
	touch  pointers
	hosts  map[string]element
	dpr    float64
	sizes  js.Value // ResizeObserver
}

// PageEvents are what the app hears of its page. All are called on the event
// loop and must not block.
type PageEvents struct {
	// Act: a control with data-do was used; value is a field's.
	Act func(do, arg, value string)
	// Key: a key went down; on is where the focus is ("stage", "scrub",
	// "field", "mirror", "button", ""). It reports whether the page acts on it.
	Key func(key string, shift, alt, ctrl bool, on string) bool
	// Click, Hover, Pan, Zoom: the pointer on the stage, in CSS px. Wheel is
	// the wheel without a modifier, dx, dy as the browser gives it.
	Click func(x, y float32)
	Hover func(x, y float32, inside bool)
	Pan   func(dx, dy float32)
	Zoom  func(x, y, factor float32)
	Wheel func(x, y, dx, dy float32)
	// Scrub: the scrubber is at a part of its length, 0 to 1.
	Scrub func(part float64)
	// Resize: the page or the stage's place has changed.
	Resize func()
	// Ratio: the device pixel ratio has changed.
	Ratio func()
	// Visible: the tab was hidden or shown.
	Visible func(bool)
	// Address: the user went back, forward, or to another fragment.
	Address func()
	// File: the user dropped a file on the page or chose one; data is nil if it
	// has more than FileMax bytes or cannot be read.
	File func(name string, data []byte)
	// Scheme: the system asks for another theme, or for less motion.
	Scheme func()
}

// Open binds the page's events. guard is run around every one of them.
func Open(events PageEvents, guard func(func())) *Browser {
	b := &Browser{win: dom.GetWindow(), global: js.Global(), events: events, guard: guard, hosts: map[string]element{}}
	b.doc = element{b.global.Get("document")}
	b.root = element{b.doc.Get("documentElement")}
	b.bindControls()
	b.bindKeys()
	b.bindStage()
	b.bindScrubber()
	b.bindFiles()
	b.bindWindow()
	return b
}

// element is a node of the page.
type element struct{ js.Value }

// attr is an attribute, "" if it is not there.
func (e element) attr(name string) string {
	if v := e.Call("getAttribute", name); v.Type() == js.TypeString {
		return v.String()
	}
	return ""
}

func (e element) has(name string) bool { return e.Call("hasAttribute", name).Bool() }

func (e element) data(name string) string { return e.attr("data-" + name) }

func (e element) tag() string { return e.Get("tagName").String() }

func (e element) id() string { return e.Get("id").String() }

// closest is the element itself or the nearest one around it that matches.
func (e element) closest(selector string) (element, bool) {
	v := e.Call("closest", selector)
	return element{v}, v.Truthy()
}

// byID finds an element.
func (b *Browser) byID(id string) (element, bool) {
	v := b.doc.Call("getElementById", id)
	return element{v}, v.Truthy()
}

// target is what an event happened to; false if that is no element.
func target(e dom.Event) (element, bool) {
	v := e.Underlying().Get("target")
	return element{v}, v.Truthy() && v.Get("closest").Truthy()
}

// on listens for an event of the document.
func (b *Browser) on(name string, f func(dom.Event)) {
	b.win.Document().AddEventListener(name, false, func(e dom.Event) { b.guard(func() { f(e) }) })
}

// control is the control that an event happened to or in.
func control(e dom.Event) (element, bool) {
	at, ok := target(e)
	if !ok {
		return at, false
	}
	return at.closest("[data-do]")
}

func (b *Browser) bindControls() {
	b.on("click", func(e dom.Event) {
		at, ok := control(e)
		if !ok || at.field() || at.tag() == "FORM" {
			return
		}
		value := ""
		if from := at.data("from"); from != "" {
			value = b.Value(from)
		}
		b.events.Act(at.data("do"), at.data("arg"), value)
	})
	b.on("input", func(e dom.Event) {
		if at, ok := target(e); ok && at.Get("type").String() == "file" {
			b.readFile(at.Get("files"))
			at.Set("value", "") // so that the same file can be chosen again
			return
		}
		if at, ok := control(e); ok && at.field() {
			b.events.Act(at.data("do"), at.data("arg"), at.value())
		}
	})
	b.on("submit", func(e dom.Event) {
		e.PreventDefault()
		if at, ok := control(e); ok {
			b.events.Act(at.data("do"), at.data("arg"), "")
		}
	})
	b.on("focusin", func(e dom.Event) {
		if at, ok := target(e); ok && at.attr("role") == "gridcell" {
			b.events.Act("cell", at.id()[len("cell-"):], "")
		}
	})
}

// field reports whether an element has a value.
func (e element) field() bool {
	switch e.tag() {
	case "INPUT", "SELECT", "TEXTAREA":
		return true
	}
	return false
}

// value is a field's value; a checkbox has "yes" or "".
func (e element) value() string {
	if e.Get("type").String() != "checkbox" {
		return e.Get("value").String()
	}
	if e.Get("checked").Bool() {
		return "yes"
	}
	return ""
}

func (b *Browser) bindKeys() {
	b.on("keydown", func(e dom.Event) {
		k, ok := e.(*dom.KeyboardEvent)
		at, okAt := target(e)
		if !ok || !okAt {
			return
		}
		key, on := k.Key(), at.focus()
		if on == "mirror" && b.moveCell(at, key) || on == "log" && b.moveLine(at, key) {
			e.PreventDefault()
			return
		}
		if do := at.data("enter"); do != "" && key == "Enter" {
			e.PreventDefault()
			b.events.Act(do, at.data("arg"), "")
			return
		}
		if b.events.Key(key, k.ShiftKey(), k.AltKey(), k.CtrlKey() || k.MetaKey(), on) {
			e.PreventDefault()
		}
	})
}

// focus says what kind of element it is that has the focus.
func (e element) focus() string {
	tag := e.tag()
	switch {
	case tag == "BODY" || tag == "HTML":
		return ""
	case e.id() == "stage-input":
		return "stage"
	case e.id() == "scrub":
		return "scrub"
	case e.field():
		return "field"
	case e.attr("role") == "gridcell":
		return "mirror"
	case e.id() == "log" || e.Get("parentElement").Get("id").String() == "log":
		return "log"
	case tag == "BUTTON" || tag == "A":
		return "button"
	}
	return ""
}

// moveCell moves the focus in the table of partitions, and activates cells.
func (b *Browser) moveCell(cell element, key string) bool {
	v := cell.Value
	row, index := v.Get("parentElement"), v.Get("cellIndex").Int()
	switch key {
	case "ArrowRight":
		v = v.Get("nextElementSibling")
	case "ArrowLeft":
		v = v.Get("previousElementSibling")
	case "ArrowDown":
		row = row.Get("nextElementSibling")
	case "ArrowUp":
		row = row.Get("previousElementSibling")
	case "Home":
		v = row.Get("firstElementChild")
	case "End":
		v = row.Get("lastElementChild")
	case "Enter", " ":
		b.events.Act(cell.data("do"), cell.data("arg"), "")
		return true
	default:
		return false
	}
	if (key == "ArrowDown" || key == "ArrowUp") && row.Truthy() {
		v = row.Get("cells").Index(index)
	}
	if v.Truthy() {
		v.Call("focus")
	}
	return true
}

// moveLine moves the focus in the event log, and selects what a line tells of.
func (b *Browser) moveLine(at element, key string) bool {
	line := at.Value
	switch {
	case key == "Enter" && at.id() != "log":
		b.events.Act(at.data("do"), at.data("arg"), "")
		return true
	case key == "ArrowUp" && at.id() == "log" || key == "End":
		line = b.doc.Call("getElementById", "log").Get("lastElementChild")
	case key == "ArrowDown" && at.id() == "log" || key == "Home":
		line = b.doc.Call("getElementById", "log").Get("firstElementChild")
	case key == "ArrowUp":
		line = line.Get("previousElementSibling")
	case key == "ArrowDown":
		line = line.Get("nextElementSibling")
	default:
		return false
	}
	if line.Truthy() {
		line.Call("focus")
	}
	return true
}

// bindScrubber lets the pointer drag the time.
func (b *Browser) bindScrubber() {
	part := func(e dom.Event) {
		scrub, ok := b.byID("scrub")
		if !ok {
			return
		}
		r := scrub.Call("getBoundingClientRect")
		if w := r.Get("width").Float(); w > 0 {
			b.events.Scrub(min(max((e.Underlying().Get("clientX").Float()-r.Get("left").Float())/w, 0), 1))
		}
	}
	b.on("pointerdown", func(e dom.Event) {
		at, ok := target(e)
		if !ok {
			return
		}
		if scrub, ok := at.closest("#scrub"); ok {
			b.drag = true
			scrub.Call("setPointerCapture", e.Underlying().Get("pointerId"))
			part(e)
		}
	})
	b.on("pointermove", func(e dom.Event) {
		if b.drag {
			part(e)
		}
	})
	done := func(dom.Event) { b.drag = false }
	b.on("pointerup", done)
	b.on("pointercancel", done)
}
