//go:build js && wasm

package main

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/model"
	"github.com/highwater-sim/highwater/ui/panel"
	"github.com/highwater-sim/highwater/ui/scene"
	"github.com/highwater-sim/highwater/ui/theme"
	"github.com/highwater-sim/highwater/wasm/bridge"
	"github.com/vugu/vugu"
	"github.com/vugu/vugu/domrender"
)

// app is everything that lives while the page is open.
type app struct {
	m       model.Model
	session model.Session
	seed    *uint64 // asked for by the link; nil: the scenario's own
	queue   []model.Msg
	refused *model.Refused // to show once another scenario is open
	busy    bool           // a message is being worked off
	dead    bool           // it has failed

	browser *bridge.Browser
	stage   *bridge.Stage
	memory  memory

	// The picture.
	cluster view.Cluster
	list    scene.List
	state   scene.State
	before  scene.Counts // when the world last stood still
	counted bool         // before is of this run
	stood   bool         // the world stands still, or began to move just now
	bytes   []byte
	theme   theme.Theme
	looked  view.Options // what the cluster was made with
	frames  uint64       // begun
	last    float64
	cpu     ring // of frames
	cpuRest ring // of renders of the panels
	live    bool

	// Time on its way.
	goal  kafka.Instant
	exact uint64 // event to step back to, 0: none

	// The panels.
	page     *panel.Page
	build    *vugu.BuildEnv
	render   *domrender.JSRenderer
	built    *vugu.BuildResults
	changes  []panel.Change
	due      bool // a render of the panels is on its way
	rendered float64
	focus    []string
	reveal   string
	clock    string
	progress string
	logKeys  []uint64
	logLines []bridge.Line
	noted    uint64 // newest line of the event log that was looked at
	said     float64

	// The address.
	linkT    float64 // when it was renewed
	linkDue  bool
	fragment string // what it is
}

// send queues a message and works the queue off, unless that is being done.
func (a *app) send(msg model.Msg) {
	a.queue = append(a.queue, msg)
	if a.busy {
		return
	}
	a.busy = true
	for len(a.queue) > 0 {
		next := a.queue[0]
		a.queue = a.queue[1:]
		var cmds []model.Cmd
		a.m, cmds = model.Update(a.m, next)
		for _, c := range cmds {
			a.do(c)
		}
	}
	a.busy = false
}

// act is what most messages from outside end with: everything may have changed.
func (a *app) act(msg model.Msg) {
	before := a.m.Notice
	a.send(msg)
	if a.m.Notice != "" && a.m.Notice != before {
		a.forgetNotice(a.m.Notice)
	}
	a.redraw()
	a.renderSoon()
}

// forgetNotice takes a notice away after a while, unless another has come.
func (a *app) forgetNotice(text string) {
	a.browser.After(int(model.NoticeFor.Millis()), func() {
		if a.m.Notice == text {
			a.send(model.Act{Do: "unsay"})
			a.renderSoon()
		}
	})
}

// guard runs f; a panic becomes the panel of failure.
func (a *app) guard(f func()) {
	if a.dead {
		return
	}
	defer func() {
		if r := recover(); r != nil {
			a.dead = true
			a.browser.Fail(fmt.Sprint(r) + "\n\n" + string(debug.Stack()))
		}
	}()
	f()
}

// do carries out an effect.
func (a *app) do(c model.Cmd) {
	switch c := c.(type) {
	case model.Advance:
		a.advance(c.To)
	case model.SeekTo:
		a.seek(c)
	case model.Step:
		a.step(c.Back)
	case model.Do:
		a.command(c)
	case model.Undo:
		a.undo()
	case model.Refork:
		a.send(a.open(request{id: a.m.Info.ID, text: a.session.Text(), seed: a.seed, edits: c.Edits, wanted: model.OpenAt{
			At: a.m.Now, HasAt: true, Selection: a.m.Selection, Camera: a.m.Camera, Speed: a.m.Speed,
		}}))
	case model.Open:
		a.openByHand(c)
	case model.ReadSource:
		a.send(model.SourceRead{Text: a.source()})
	case model.Caret:
		a.browser.Caret(c.ID, c.Line, c.Col)
	case model.Link:
		a.link(c)
	case model.Copy:
		a.browser.Copy(c.Text, func(ok bool) {
			words := "The " + c.What + " is on the clipboard."
			if !ok {
				words = "The browser does not let us use the clipboard: select the text and copy it."
			}
			a.act(model.Say{Text: words})
		})
	case model.Download:
		if name, ok := strings.CutPrefix(c.What, "file:"); ok {
			a.downloadFile(name)
			return
		}
		a.download(c.What)
	case model.FullScreen:
		a.browser.FullScreen()
	case model.Focus:
		a.focus = append(a.focus, c.ID)
	case model.Reveal:
		a.reveal = c.ID
	case model.SavePrefs:
		a.savePrefs(c.Prefs)
	case model.ZoomBy:
		in := a.input()
		cam := scene.ZoomAt(in, c.X, c.Y, c.Factor)
		a.send(model.Framed{Camera: model.Camera{X: cam.X, Y: cam.Y, Zoom: cam.Zoom}})
	case model.Show:
		cam := scene.Show(a.input(), c.TP)
		a.send(model.Framed{Camera: model.Camera{X: cam.X, Y: cam.Y, Zoom: cam.Zoom}})
	case model.Walk:
		a.walk(c.By)
	}
}

// command gives a line to the world.
func (a *app) command(c model.Do) {
	had := a.session.Edits()
	done := model.Done{Command: c.Command, Form: c.Form, Problems: problems(a.session.Do(c.Command))}
	a.moved(false, false)
	a.forked(had)
	a.send(done)
}

// forked tells of edits that the run had and has no more.
func (a *app) forked(had []model.Edit) {
	if now := a.session.Edits(); len(now) < len(had) || !slices.Equal(now[:len(had)], had) {
		a.send(model.Forked{Had: had})
	}
}

// undo takes the last edit back.
func (a *app) undo() {
	had := a.session.Edits()
	if err := a.session.Undo(); err != nil {
		a.send(model.Say{Text: err.Error()})
		return
	}
	a.moved(false, false)
	a.forked(had)
	a.send(model.Undone{Edit: had[len(had)-1]})
}

// walk selects the next thing in the picture's reading order.
func (a *app) walk(by int) {
	targets := scene.Targets(&a.list)
	if len(targets) == 0 {
		return
	}
	at := -1
	for i := range targets {
		if targets[i].Sel == a.m.Selection {
			at = i
		}
	}
	switch {
	case at < 0 && by < 0:
		at = len(targets) - 1
	case at < 0:
		at = 0
	default:
		at = (at + by + len(targets)) % len(targets)
	}
	t := targets[at]
	a.send(model.Point{Selection: t.Sel})
	a.browser.Describe(t.Label)
	a.speak(t.Label)
	cam := scene.Reveal(&a.list, t.Rect)
	a.send(model.Framed{Camera: model.Camera{X: cam.X, Y: cam.Y, Zoom: cam.Zoom}})
}

func (a *app) savePrefs(p model.Prefs) {
	a.browser.Save("theme", p.Theme)
	a.browser.SetTheme(p.Theme)
	a.browser.Save("no-slow", flag(p.NoSlow))
	a.browser.Save("no-letters", flag(p.NoLetters))
	a.browser.Save("keys", p.Keys)
	if p.ReducedMotion != a.browser.ReducedMotion() {
		a.browser.Save("still", map[bool]string{true: "1", false: "0"}[p.ReducedMotion])
	} else {
		a.browser.Save("still", "") // as the system says
	}
	a.retheme()
}

func flag(on bool) string {
	if on {
		return "1"
	}
	return ""
}

// retheme takes the theme that is in force for the picture.
func (a *app) retheme() {
	a.page.Host.System = a.browser.Scheme()
	name := a.m.Theme
	if name == "" {
		name = a.page.Host.System
	}
	a.theme = theme.New(name, a.m.Keys)
	a.redraw()
}
