//go:build js && wasm

package bridge

import (
	"syscall/js"

	"honnef.co/go/js/dom/v2"
)

// Browser is what the app needs of its page besides the stage: elements and
// input, the address, the clipboard, storage, files.
type Browser struct {
	win    dom.Window
	doc    dom.Document
	root   dom.HTMLElement // <html>
	global js.Value
	events PageEvents
	guard  func(func()) // around every call into the app
	drag   bool         // the scrubber is being dragged
	touch  pointers
	hosts  map[string]dom.Element
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
	// Scheme: the system asks for another theme, or for less motion.
	Scheme func()
}

// Open binds the page's events. guard is run around every one of them.
func Open(events PageEvents, guard func(func())) *Browser {
	b := &Browser{win: dom.GetWindow(), global: js.Global(), events: events, guard: guard, hosts: map[string]dom.Element{}}
	b.doc = b.win.Document()
	b.root = b.doc.DocumentElement().(dom.HTMLElement)
	b.bindControls()
	b.bindKeys()
	b.bindStage()
	b.bindScrubber()
	b.bindWindow()
	return b
}

// on listens for an event of the document.
func (b *Browser) on(name string, capture bool, f func(dom.Event)) {
	b.doc.AddEventListener(name, capture, func(e dom.Event) { b.guard(func() { f(e) }) })
}

// data is a data attribute of an element.
func data(e dom.Element, name string) string {
	if !e.HasAttribute("data-" + name) {
		return ""
	}
	return e.GetAttribute("data-" + name)
}

func (b *Browser) bindControls() {
	b.on("click", false, func(e dom.Event) {
		at := e.Target().Closest("[data-do]")
		if at == nil || field(at) || at.TagName() == "FORM" {
			return
		}
		value := ""
		if from := data(at, "from"); from != "" {
			value = b.Value(from)
		}
		b.events.Act(data(at, "do"), data(at, "arg"), value)
	})
	b.on("input", false, func(e dom.Event) {
		at := e.Target().Closest("[data-do]")
		if at == nil || !field(at) {
			return
		}
		b.events.Act(data(at, "do"), data(at, "arg"), valueOf(at))
	})
	b.on("submit", false, func(e dom.Event) {
		e.PreventDefault()
		if at := e.Target().Closest("[data-do]"); at != nil {
			b.events.Act(data(at, "do"), data(at, "arg"), "")
		}
	})
	b.on("focusin", false, func(e dom.Event) {
		if at := e.Target(); at.GetAttribute("role") == "gridcell" {
			b.events.Act("cell", at.ID()[len("cell-"):], "")
		}
	})
}

// field reports whether an element has a value.
func field(e dom.Element) bool {
	switch e.TagName() {
	case "INPUT", "SELECT", "TEXTAREA":
		return true
	}
	return false
}

// valueOf is a field's value; a checkbox has "yes" or "".
func valueOf(e dom.Element) string {
	v := e.Underlying()
	if v.Get("type").String() != "checkbox" {
		return v.Get("value").String()
	}
	if v.Get("checked").Bool() {
		return "yes"
	}
	return ""
}

func (b *Browser) bindKeys() {
	b.on("keydown", false, func(e dom.Event) {
		k, ok := e.(*dom.KeyboardEvent)
		if !ok {
			return
		}
		at, key := e.Target(), k.Key()
		on := focusOn(at)
		if on == "mirror" && b.moveCell(at, key) {
			e.PreventDefault()
			return
		}
		if do := data(at, "enter"); do != "" && key == "Enter" {
			e.PreventDefault()
			b.events.Act(do, data(at, "arg"), "")
			return
		}
		if b.events.Key(key, k.ShiftKey(), k.AltKey(), k.CtrlKey() || k.MetaKey(), on) {
			e.PreventDefault()
		}
	})
}

// focusOn says in what kind of element the focus is.
func focusOn(e dom.Element) string {
	switch {
	case e == nil || e.TagName() == "BODY" || e.TagName() == "HTML":
		return ""
	case e.ID() == "stage-input":
		return "stage"
	case e.ID() == "scrub":
		return "scrub"
	case field(e):
		return "field"
	case e.GetAttribute("role") == "gridcell":
		return "mirror"
	case e.ID() == "log":
		return "log"
	case e.TagName() == "BUTTON" || e.TagName() == "A":
		return "button"
	}
	return ""
}

// moveCell moves the focus in the table of partitions, and activates cells.
func (b *Browser) moveCell(cell dom.Element, key string) bool {
	v := cell.Underlying()
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
		b.events.Act(data(cell, "do"), data(cell, "arg"), "")
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

// bindScrubber lets the pointer drag the time.
func (b *Browser) bindScrubber() {
	part := func(e *dom.PointerEvent) {
		if scrub := b.doc.GetElementByID("scrub"); scrub != nil {
			r := scrub.GetBoundingClientRect()
			if w := r.Width(); w > 0 {
				b.events.Scrub(min(max((float64(e.ClientX())-r.Left())/w, 0), 1))
			}
		}
	}
	b.on("pointerdown", false, func(e dom.Event) {
		p, ok := e.(*dom.PointerEvent)
		if !ok || e.Target().Closest("#scrub") == nil {
			return
		}
		b.drag = true
		e.Target().Closest("#scrub").Underlying().Call("setPointerCapture", p.PointerID())
		part(p)
	})
	b.on("pointermove", false, func(e dom.Event) {
		if p, ok := e.(*dom.PointerEvent); ok && b.drag {
			part(p)
		}
	})
	done := func(dom.Event) { b.drag = false }
	b.on("pointerup", false, done)
	b.on("pointercancel", false, done)
}
