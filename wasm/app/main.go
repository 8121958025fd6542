//go:build js && wasm

package main

import (
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/link"
	"github.com/highwater-sim/highwater/ui/model"
	"github.com/highwater-sim/highwater/ui/panel"
	"github.com/highwater-sim/highwater/ui/scene"
	"github.com/highwater-sim/highwater/wasm/bridge"
	"github.com/vugu/vugu"
	"github.com/vugu/vugu/domrender"
)

func main() {
	a := &app{}
	a.memory.start()
	a.browser = bridge.Open(a.events(), a.guard)
	a.guard(a.start)
	select {}
}

// start puts the page together and opens what the address asks for.
func (a *app) start() {
	b := a.browser
	a.m = model.New(library(), b.Embedded())
	base, _, _ := b.Address()
	a.page = panel.New(&a.m, panel.Host{Address: base})
	a.send(a.prefs())
	a.retheme()
	var err error
	if a.render, err = domrender.New("#app"); err != nil {
		panic(err)
	}
	if a.build, err = vugu.NewBuildEnv(a.render.EventEnv()); err != nil {
		panic(err)
	}
	a.stage = bridge.Connect(bridge.StageEvents{
		Ready: func() { a.guard(a.redraw) },
		Frame: func(ms float64) { a.guard(func() { a.frame(ms) }) },
	})
	a.hook()
	a.resize()
	a.openAddress(true)
	a.redraw()
	a.renderNow()
}

func (a *app) prefs() model.Prefs {
	b := a.browser
	p := model.Prefs{Theme: b.Theme(), Keys: b.Load("keys"), ReducedMotion: b.ReducedMotion(), NoSlow: b.Load("no-slow") != "", NoLetters: b.Load("no-letters") != ""}
	if still := b.Load("still"); still != "" {
		p.ReducedMotion = still == "1"
	}
	_, query, _ := b.Address()
	if q, _ := link.DecodeQuery(query); q.Keys != "" {
		p.Keys = q.Keys
	}
	return p
}

// events are what the page tells.
func (a *app) events() bridge.PageEvents {
	return bridge.PageEvents{
		Act: func(do, arg, value string) { a.act(model.Act{Do: do, Arg: arg, Value: value}) },
		Key: func(key string, shift, alt, ctrl bool, on string) bool {
			k := model.Key{Key: key, Shift: shift, Alt: alt, Ctrl: ctrl, On: on}
			used := model.KeyUsed(a.m, k)
			if used || key == "Escape" {
				a.act(k)
			}
			return used
		},
		Click: func(x, y float32) {
			sel, _ := scene.Hit(&a.list, x, y)
			a.browser.Describe(scene.Label(&a.cluster, sel))
			a.act(model.Point{Selection: sel})
		},
		Hover: a.hover,
		Pan:   func(dx, dy float32) { a.act(model.Pan{DX: dx, DY: dy}) },
		Zoom:  func(x, y, factor float32) { a.do(model.ZoomBy{X: x, Y: y, Factor: factor}); a.redraw() },
		Wheel: a.wheel,
		Scrub: func(part float64) {
			a.act(model.Act{Do: "frac", Value: itoa(int64(part * 100000))})
		},
		Resize:  a.resize,
		Ratio:   func() { a.stage.Reload(a.browser.Frame()) },
		Visible: func(on bool) { a.last = 0; a.act(model.Shown{Visible: on}) },
		Address: a.addressChanged,
		File:    a.file,
		Scheme:  func() { a.send(a.prefs()); a.retheme(); a.renderSoon() },
	}
}

// hover shows what the pointer is over.
func (a *app) hover(x, y float32, inside bool) {
	var sel view.Selection
	if inside {
		sel, _ = scene.Hit(&a.list, x, y)
	}
	if sel == a.m.Hover {
		return
	}
	shape := "grab"
	if sel.Kind != "" {
		shape = "pointer"
	}
	a.browser.Cursor(shape)
	a.send(model.Hover{Selection: sel})
	a.redraw()
}

// wheel scrolls a picture that is larger than the stage, and zooms one that is not.
func (a *app) wheel(x, y, dx, dy float32) {
	if a.list.Camera.Zoom <= 1 && a.list.ContentW <= a.list.W && a.list.ContentH <= a.list.H {
		a.do(model.ZoomBy{X: x, Y: y, Factor: bridge.WheelZoom(dy)})
		a.redraw()
		return
	}
	if a.list.ContentH <= a.list.H && dx == 0 {
		dx, dy = dy, 0 // there is only one way to scroll
	}
	a.act(model.Pan{DX: -dx, DY: -dy})
}

func (a *app) resize() {
	if a.page == nil {
		return
	}
	page, w, h := a.browser.Place()
	if page == a.m.Width && w == a.m.StageW && h == a.m.StageH {
		return
	}
	a.send(model.Sized{Page: page, Width: w, Height: h})
	a.redraw()
}
