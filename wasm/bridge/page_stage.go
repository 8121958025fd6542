//go:build js && wasm

package bridge

import (
	"math"
	"strconv"
	"syscall/js"
)

// pointers are the fingers and the mouse on the stage.
type pointers struct {
	id   [2]int
	x, y [2]float32
	n    int  // how many are down, at most two count
	went bool // moved too far to be a click
	far  float32
}

// clickSlop is how far a pointer may move during a click, in CSS px.
const clickSlop = 5

// wheelStep is how much of the wheel doubles the zoom, in CSS px.
const wheelStep = 350

// bindStage handles pointer and wheel on the transparent element over the stage.
func (b *Browser) bindStage() {
	el, _ := b.byID("stage-input")
	on := func(name string, f func(x, y float32, e js.Value)) {
		el.Call("addEventListener", name, js.FuncOf(func(_ js.Value, args []js.Value) any {
			b.guard(func() { f(float32(args[0].Get("offsetX").Float()), float32(args[0].Get("offsetY").Float()), args[0]) })
			return nil
		}))
	}
	on("pointerdown", func(x, y float32, e js.Value) {
		el.Call("setPointerCapture", e.Get("pointerId"))
		el.Call("focus", map[string]any{"preventScroll": true, "focusVisible": false})
		b.touch.down(e.Get("pointerId").Int(), x, y)
	})
	on("pointermove", func(x, y float32, e js.Value) {
		if b.touch.n == 0 {
			b.events.Hover(x, y, true)
			return
		}
		b.gesture(b.touch.move(e.Get("pointerId").Int(), x, y))
	})
	up := func(x, y float32, e js.Value) {
		if b.touch.up(e.Get("pointerId").Int()) && e.Get("type").String() == "pointerup" {
			b.events.Click(x, y)
		}
	}
	on("pointerup", up)
	on("pointercancel", up)
	on("pointerleave", func(x, y float32, _ js.Value) { b.events.Hover(x, y, false) })
	on("wheel", func(x, y float32, e js.Value) {
		if b.Embedded() && !e.Get("ctrlKey").Bool() {
			return // the page around it scrolls
		}
		e.Call("preventDefault")
		dx, dy := e.Get("deltaX").Float(), e.Get("deltaY").Float()
		if lines := 1; e.Get("deltaMode").Int() == lines {
			dx, dy = 16*dx, 16*dy
		}
		if e.Get("ctrlKey").Bool() || e.Get("metaKey").Bool() {
			b.events.Zoom(x, y, float32(math.Exp2(-dy/wheelStep*2)))
			return
		}
		b.events.Wheel(x, y, float32(dx), float32(dy))
	})
	on("dblclick", func(x, y float32, _ js.Value) { b.events.Zoom(x, y, 2) })
}

// WheelZoom is the zoom that a turn of the wheel stands for.
func WheelZoom(dy float32) float32 { return float32(math.Exp2(-float64(dy) / wheelStep)) }

func (b *Browser) gesture(dx, dy, factor, x, y float32) {
	if dx != 0 || dy != 0 {
		b.events.Pan(dx, dy)
	}
	if factor != 1 {
		b.events.Zoom(x, y, factor)
	}
}

func (p *pointers) down(id int, x, y float32) {
	if p.n == 0 {
		p.went = false
		p.far = 0
	}
	if p.n < 2 {
		p.id[p.n], p.x[p.n], p.y[p.n] = id, x, y
		p.n++
	}
	p.went = p.went || p.n > 1
}

// move gives how far the fingers' middle went and how far they spread, about
// which point.
func (p *pointers) move(id int, x, y float32) (dx, dy, factor, cx, cy float32) {
	i := 0
	if p.n > 1 && p.id[1] == id {
		i = 1
	}
	if p.id[i] != id {
		return 0, 0, 1, 0, 0
	}
	mx, my := x-p.x[i], y-p.y[i]
	before := p.spread()
	p.x[i], p.y[i] = x, y
	p.far += float32(math.Hypot(float64(mx), float64(my)))
	p.went = p.went || p.far > clickSlop
	if !p.went {
		return 0, 0, 1, 0, 0
	}
	if p.n < 2 {
		return mx, my, 1, 0, 0
	}
	factor = 1
	if after := p.spread(); before > 0 && after > 0 {
		factor = after / before
	}
	return mx / 2, my / 2, factor, (p.x[0] + p.x[1]) / 2, (p.y[0] + p.y[1]) / 2
}

func (p *pointers) spread() float32 {
	if p.n < 2 {
		return 0
	}
	return float32(math.Hypot(float64(p.x[0]-p.x[1]), float64(p.y[0]-p.y[1])))
}

// up reports whether that was a click.
func (p *pointers) up(id int) bool {
	for i := range p.n {
		if p.id[i] != id {
			continue
		}
		if i == 0 && p.n == 2 {
			p.id[0], p.x[0], p.y[0] = p.id[1], p.x[1], p.y[1]
		}
		p.n--
		return p.n == 0 && !p.went
	}
	return false
}

// Place lays the stage over the element .stage-slot and gives its size in CSS
// px, and the page's width.
func (b *Browser) Place() (page, w, h float32) {
	page = float32(b.global.Get("innerWidth").Float())
	slot := b.doc.Call("querySelector", ".stage-slot")
	box, ok := b.byID("stage-box")
	if !slot.Truthy() || !ok {
		return page, 0, 0
	}
	r, style := slot.Call("getBoundingClientRect"), box.Get("style")
	for _, side := range []string{"left", "top", "width", "height"} {
		style.Call("setProperty", "--stage-"+side, strconv.FormatFloat(r.Get(side).Float(), 'f', 2, 64)+"px")
	}
	return page, float32(r.Get("width").Float()), float32(r.Get("height").Float())
}

// stageInput is the element that takes the input for the stage.
func (b *Browser) stageInput() element {
	e, _ := b.byID("stage-input")
	return e
}

// Cursor sets the pointer's shape over the stage.
func (b *Browser) Cursor(shape string) {
	b.stageInput().Get("style").Set("cursor", shape)
}

// Frame is the stage's iframe, for Stage.Reload.
func (b *Browser) Frame() js.Value {
	e, _ := b.byID("stage")
	return e.Value
}

// Describe gives the stage a spoken description of what is selected.
func (b *Browser) Describe(text string) {
	b.stageInput().Call("setAttribute", "aria-description", text)
}

// Inert takes the stage and the foot of the page out of reach while a dialog is open.
func (b *Browser) Inert(on bool) {
	b.stageInput().Set("inert", on)
	if legal, ok := b.byID("legal"); ok {
		legal.Set("inert", on)
	}
}
