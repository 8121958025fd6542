//go:build js && wasm

package main

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/model"
	"github.com/highwater-sim/highwater/ui/panel"
	"github.com/highwater-sim/highwater/ui/scene"
)

// Budgets of engine work, in milliseconds of real time.
const (
	frameBudget = 9  // per frame while time passes
	seekBudget  = 14 // per frame while a seek is on its way; where frames are rare, half of the time between them
	seekMost    = 60 // of that half
	seekFirst   = 60 // at once, when a seek begins: most arrive in it
	chunk       = 64 // events between two looks at the clock
)

// redraw asks for a frame.
func (a *app) redraw() {
	if a.stage != nil {
		a.stage.Request()
	}
}

// frame is one frame: time passes, and the stage gets its picture.
func (a *app) frame(ms float64) {
	if a.session == nil || a.dead {
		return
	}
	began := a.browser.Now()
	a.frames++
	delta := kafka.Duration(0)
	if a.last > 0 {
		delta = kafka.Duration((ms - a.last) * 1e6)
	}
	a.last = ms
	still := a.m.Still()
	if a.m.Seeking {
		a.seekOn(min(max(seekBudget, float64(delta)/2e6), seekMost))
	}
	playing := a.m.Playing
	a.send(model.Frame{Delta: delta})
	a.draw(delta)
	a.lively()
	a.cpu.add(float32(a.browser.Now() - began))
	if !still || !a.m.Still() {
		a.renderSoon()
	}
	a.stood = a.stood || a.m.Still()
	if !a.m.Still() || a.list.Moving {
		a.stage.Request()
	} else {
		a.last = 0
	}
	if playing != a.m.Playing {
		a.renderSoon()
	}
}

// run runs events up to t for at most budget milliseconds.
func (a *app) run(t kafka.Instant, budget float64) (done bool) {
	end := a.browser.Now() + budget
	for {
		a.memory.fit()
		before := a.session.Event()
		if a.session.RunUntil(t, chunk) {
			return true
		}
		if a.session.Event() == before || a.browser.Now() >= end {
			return false // a law broke, or time is up
		}
	}
}

func (a *app) advance(t kafka.Instant) {
	done := a.run(t, frameBudget)
	a.moved(!done, false)
}

// look renews the picture's cluster.
func (a *app) look() {
	a.looked = view.Options{Cells: a.list.Cells, Flights: true, Some: true, From: max(a.list.From-lookAside, 0), To: a.list.To}
	if a.list.To > a.list.From {
		a.looked.To += lookAside
	}
	a.session.View(a.looked, &a.cluster)
}

// lookAside is how many columns beside those in sight are looked into as well, so
// that a camera that moves does not need another look with every frame.
const lookAside = 6

// moved tells the model where the world is.
func (a *app) moved(behind, arrived bool) {
	if a.stood { // what changes from here on is told beside the counts
		a.before, a.counted, a.stood = scene.CountsOf(&a.cluster), true, false
	}
	a.look()
	a.send(model.Moved{
		Now: a.session.Now(), Horizon: a.session.Horizon(), Event: a.session.Event(),
		Behind: behind, Arrived: arrived, Violation: a.cluster.Violation,
	})
	a.stood = a.m.Still()
}

// seek goes to the nearest keyframe, and as far from there as a moment allows.
func (a *app) seek(c model.SeekTo) {
	a.goal, a.exact = c.At, 0
	if c.Exact {
		a.exact = c.Event
	}
	if c.At < a.session.Now() || c.At > a.session.Now()+kafka.Instant(kafka.Second) {
		a.session.Seek(c.At)
	}
	a.logKeys = nil
	a.seekOn(seekFirst)
}

// seekOn goes on towards the goal.
func (a *app) seekOn(budget float64) {
	done := a.run(a.goal, budget)
	if !done {
		a.look()
		if a.cluster.Violation == nil {
			a.moved(false, false)
			return
		}
	}
	// A link's moment may lie within an instant, but nowhere else.
	if end := a.session.Event(); a.exact > 0 && a.exact < end && (!a.session.SeekEvent(a.exact) || a.session.Now() != a.goal) {
		a.session.SeekEvent(end)
		a.send(model.Say{Text: "The link counts its events in another way: this is the end of its instant."})
	}
	a.exact = 0
	a.quiet()
	a.moved(false, true)
}

// step runs one event or takes one back.
func (a *app) step(back bool) {
	if back {
		a.session.StepBack()
	} else {
		a.session.StepEvent()
	}
	a.moved(false, false)
}

// input is what the picture depends on.
func (a *app) input() scene.Input {
	cam := a.m.Camera
	speed := model.Speeds[a.m.Rate()]
	in := scene.Input{
		Cluster: &a.cluster, Theme: &a.theme, W: a.m.StageW, H: a.m.StageH, DPR: float32(a.browser.Ratio()),
		Camera:    scene.Camera{X: cam.X, Y: cam.Y, Zoom: cam.Zoom},
		Selection: a.m.Selection, Hover: a.m.Hover, Now: a.m.Now, ReducedMotion: a.m.ReducedMotion, State: &a.state, Legend: a.m.Legend,
	}
	if a.counted {
		in.Before = &a.before
	}
	if a.m.Playing {
		in.Speed = float32(speed.Num) / float32(speed.Den)
	}
	return in
}

// draw builds the picture and hands it to the stage.
func (a *app) draw(delta kafka.Duration) {
	in := a.input()
	in.Wall = float32(min(delta, model.DeltaMax)) / 1e9
	scene.Build(in, &a.list)
	if l := &a.list; l.Cells > a.looked.Cells || l.From < a.looked.From || l.To > a.looked.To { // more than was looked at
		a.look()
		scene.Build(in, &a.list)
	}
	if got := a.list.Camera; got.X != in.Camera.X || got.Y != in.Camera.Y {
		zoom := a.m.Camera.Zoom
		a.send(model.Framed{Camera: model.Camera{X: got.X, Y: got.Y, Zoom: zoom}})
	}
	a.bytes = a.list.AppendBinary(a.bytes[:0])
	a.stage.Publish(a.bytes)
	if !a.live && a.stage.Painted() > 0 {
		a.live = true
		a.browser.Live()
	}
	if !a.live {
		a.browser.After(50, a.checkLive)
	}
}

// checkLive takes the poster away once a frame was painted.
func (a *app) checkLive() {
	if a.live {
		return
	}
	if a.live = a.stage.Painted() > 0; a.live {
		a.browser.Live()
		return
	}
	a.browser.After(50, a.checkLive)
}

// lively writes what changes with every frame, past vugu.
func (a *app) lively() {
	if c := panel.Clock(&a.m); c != a.clock {
		a.clock = c
		a.browser.SetText("clock", c)
	}
	if p := panel.Progress(&a.m); p != a.progress {
		a.progress = p
		a.browser.SetStyle("fill", "width", p)
		a.browser.SetStyle("thumb", "left", p)
	}
}

// ring are the last times of frames in milliseconds.
type ring struct {
	ms [128]float32
	n  int
}

func (r *ring) add(ms float32) {
	r.ms[r.n%len(r.ms)] = ms
	r.n++
}

// p95 is the 95th percentile; 0 if there was no frame.
func (r *ring) p95() float64 {
	n := min(r.n, len(r.ms))
	if n == 0 {
		return 0
	}
	sorted := slices.Clone(r.ms[:n])
	slices.Sort(sorted)
	return float64(sorted[(n*95+99)/100-1])
}
