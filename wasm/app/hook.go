//go:build js && wasm

package main

import (
	"strconv"
	"syscall/js"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/model"
)

// hook installs window.highwater, which tests read: nothing in it changes the
// session.
//
//	ready()                     a scenario is open
//	state()                     JSON: where the run is, in Kafka's words
//	bench(seconds)              JSON: how fast the reference cluster runs here
//	digestRun(id, seed, t)      hex digest of a scenario at t ("12s")
func (a *app) hook() {
	a.browser.Hook(map[string]func([]js.Value) any{
		"ready":     func([]js.Value) any { return a.session != nil && !a.m.Opening },
		"state":     func([]js.Value) any { return a.stateJSON() },
		"bench":     func(args []js.Value) any { return bench(a, args[0].Float()) },
		"digestRun": func(args []js.Value) any { return digestRun(args[0].String(), args[1].String(), args[2].String()) },
	})
}

// stateJSON is what state() gives.
func (a *app) stateJSON() string {
	if a.session == nil {
		return "{}"
	}
	m := &a.m
	var w writer
	w.open('{')
	w.text("scenario", m.Info.ID)
	w.text("title", m.Info.Title)
	w.text("now", itoa(int64(m.Now)))
	w.number("event", float64(m.Event))
	w.flag("playing", m.Playing)
	w.flag("seeking", m.Seeking)
	speed := model.Speeds[m.Speed]
	w.number("speed", float64(speed.Num)/float64(speed.Den))
	w.text("digest", strconv.FormatUint(a.session.Digest(), 16))
	w.number("frames", float64(a.stage.Painted()))
	w.number("cpuApp", a.cpu.p95())
	w.number("cpuPanels", a.cpuRest.p95())
	w.number("cpuStage", a.stage.CPU())
	w.text("selection", model.SelectionText(m.Selection))
	w.text("banner", m.Banner.Title)
	w.texts("problems", m.Banner.Lines)
	w.name("edits")
	w.open('[')
	for _, e := range a.session.Edits() {
		w.open('{')
		w.text("at", itoa(int64(e.At)))
		w.text("text", e.Text)
		w.close('}')
	}
	w.close(']')
	w.cluster(&a.cluster)
	w.close('}')
	return w.b
}

// writer writes JSON.
type writer struct{ b string }

func (w *writer) cluster(c *view.Cluster) {
	w.name("brokers")
	w.open('[')
	for i := range c.Brokers {
		b := &c.Brokers[i]
		w.open('{')
		w.number("id", float64(b.ID))
		w.flag("up", b.State == view.Running || b.State == view.Starting || b.State == view.Stopping)
		w.flag("fenced", b.Fenced)
		w.text("state", stateWord(b.State))
		w.close('}')
	}
	w.close(']')
	w.name("partitions")
	w.open('[')
	for i := range c.Topics {
		for j := range c.Topics[i].Partitions {
			p := &c.Topics[i].Partitions[j]
			w.open('{')
			w.text("tp", p.TP.String())
			w.number("leader", float64(p.Leader))
			w.numbers("isr", p.ISR)
			w.number("hw", float64(p.HW))
			w.number("leo", float64(p.LEO))
			w.close('}')
		}
	}
	w.close(']')
}

// comma separates from what came before.
func (w *writer) comma() {
	if n := len(w.b); n > 0 && w.b[n-1] != '{' && w.b[n-1] != '[' && w.b[n-1] != ':' {
		w.b += ","
	}
}

func (w *writer) open(c byte) {
	w.comma()
	w.b += string(c)
}

func (w *writer) close(c byte) { w.b += string(c) }

func (w *writer) name(name string) {
	w.comma()
	w.b += quote(name) + ":"
}

func (w *writer) text(name, value string) {
	w.name(name)
	w.b += quote(value)
}

func (w *writer) texts(name string, values []string) {
	w.name(name)
	w.open('[')
	for _, v := range values {
		w.comma()
		w.b += quote(v)
	}
	w.close(']')
}

func (w *writer) numbers(name string, values []kafka.NodeID) {
	w.name(name)
	w.open('[')
	for _, v := range values {
		w.comma()
		w.b += itoa(int64(v))
	}
	w.close(']')
}

func (w *writer) number(name string, value float64) {
	w.name(name)
	w.b += strconv.FormatFloat(value, 'f', -1, 64)
}

func (w *writer) flag(name string, value bool) {
	w.name(name)
	w.b += strconv.FormatBool(value)
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// quote is text as a JSON string.
func quote(s string) string {
	b := []byte{'"'}
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ' || r == 0x2028 || r == 0x2029:
			const hex = "0123456789abcdef"
			b = append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		default:
			b = append(b, string(r)...)
		}
	}
	return string(append(b, '"'))
}

// stateWord is a process's state in a word.
func stateWord(s view.ProcessState) string {
	words := [...]string{"Running", "Starting", "Stopping", "Crashed", "PoweredOff", "Frozen", "Stopped"}
	if int(s) < len(words) {
		return words[s]
	}
	return "unknown"
}
