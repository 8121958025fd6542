//go:build js && wasm

package main

import (
	"strconv"
	"syscall/js"

	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/model"
	"github.com/highwater-sim/highwater/ui/panel"
	"github.com/highwater-sim/highwater/ui/scene"
	"github.com/highwater-sim/highwater/wasm/bridge"
)

// renderEvery is the least time between two renders of the panels while time
// passes, in milliseconds.
const renderEvery = 200

// renderSoon has the panels rendered: at once if the world stands still, else
// at most five times a second.
func (a *app) renderSoon() {
	if a.due || a.page == nil {
		return
	}
	a.due = true
	wait := 0.0
	if !a.m.Still() {
		wait = max(0, a.rendered+renderEvery-a.browser.Now())
	}
	a.browser.After(int(wait), func() {
		a.due = false
		a.renderNow()
	})
}

// renderNow builds the panels and changes in the page what differs.
func (a *app) renderNow() {
	a.rendered = a.browser.Now()
	defer func() { a.cpuRest.add(float32(a.browser.Now() - a.rendered)) }()
	a.facts()
	next := a.build.RunBuild(a.page)
	changes, same := panel.Diff(a.built, next, a.changes[:0])
	if same {
		for i := range changes {
			a.apply(&changes[i])
		}
	} else {
		if err := a.render.Render(next); err != nil {
			panic(err)
		}
		a.browser.Forget()
		a.clock, a.progress = "", ""
		a.resize()
	}
	a.changes, a.built = changes, next
	a.browser.Inert(a.m.Dialog != "")
	a.lively()
	a.showLog()
	if a.m.Dialog == "source" && a.browser.Value("source-text") != a.m.Source {
		a.browser.SetValue("source-text", a.m.Source) // too long for a property of vugu's
	}
	for _, id := range a.focus {
		a.browser.Focus(id)
	}
	a.focus = a.focus[:0]
	if a.reveal != "" {
		a.browser.Reveal(a.reveal)
		a.reveal = ""
	}
}

// apply makes one change in the page.
func (a *app) apply(c *panel.Change) {
	n := a.browser.Node(c.Path)
	if !n.Truthy() {
		panic("the page has no node where a text should change")
	}
	switch c.What {
	case panel.SetText:
		n.Set("textContent", c.Value)
	case panel.SetHTML:
		n.Set("innerHTML", c.Value)
	case panel.SetAttr:
		n.Call("setAttribute", c.Name, c.Value)
	case panel.DropAttr:
		n.Call("removeAttribute", c.Name)
	case panel.SetProp:
		n.Set(c.Name, js.Global().Get("JSON").Call("parse", c.Value))
	}
}

// facts renews what the panels tell of the world.
func (a *app) facts() {
	if a.session == nil {
		return
	}
	f := &model.Facts{Cluster: &a.cluster, Steps: a.session.Steps(), Markers: a.session.Markers(), Edits: a.session.Edits()}
	if a.m.Selection.Kind != "" {
		if a.m.Selection.Kind == "legend" {
			f.Detail = view.Detail{Title: "Legend", Subtitle: scene.Label(&a.cluster, a.m.Selection)}
		} else {
			f.Detail = a.session.Inspect(a.m.Selection)
		}
	}
	if tool := a.m.ToolShown(); tool != "" && !a.m.FoldInspector {
		f.Tool = a.session.Tool(a.m.Selection, tool)
	}
	a.send(model.FactsMsg{Facts: f})
}

// logMax is how many lines the event log shows.
const logMax = 100

// showLog brings the event log up to date, and tells of what is notable.
func (a *app) showLog() {
	if a.session == nil {
		return
	}
	if a.browser.Children("log") != len(a.logKeys) {
		a.logKeys = nil
	}
	lines := a.session.Log(logMax)
	a.logLines = a.logLines[:0]
	for i := range lines {
		l := &lines[i]
		id := strconv.FormatUint(l.ID, 10)
		at := l.At.String()
		a.logLines = append(a.logLines, bridge.Line{Key: l.ID, Class: "w" + strconv.Itoa(l.Weight), Arg: "note:" + id, Time: at[:len(at)-1], Words: l.Text})
	}
	a.browser.Log(a.logLines, &a.logKeys)
	a.notice(lines)
}

// notice slows time down for lines of weight 2 and more that are new, and
// speaks the last of them, at most one a second.
func (a *app) notice(lines []view.LogLine) {
	news := -1
	for i := range lines {
		if lines[i].ID > a.noted && lines[i].Weight >= 2 {
			news = i
		}
	}
	if n := len(lines); n > 0 {
		a.noted = max(a.noted, lines[n-1].ID)
	}
	if news < 0 {
		return
	}
	a.send(model.Notable{})
	a.speak(lines[news].Text)
}

// quiet passes over what the log has: time did not pass, it was gone to.
func (a *app) quiet() {
	lines := a.session.Log(1)
	a.noted = 0
	if len(lines) > 0 {
		a.noted = lines[len(lines)-1].ID
	}
}

// speak gives a text to screen readers, at most one a second.
func (a *app) speak(text string) {
	if now := a.browser.Now(); now-a.said >= 1000 {
		a.said = now
		a.browser.Say(text)
	}
}
