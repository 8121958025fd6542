//go:build js && wasm

package main

import (
	"strings"

	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/link"
	"github.com/highwater-sim/highwater/ui/model"
	"github.com/highwater-sim/highwater/ui/paint/svg"
	"github.com/highwater-sim/highwater/ui/scene"
)

// defaultScenario opens when the address asks for nothing.
const defaultScenario = "log/first-cluster"

// request is a scenario to open.
type request struct {
	id, text string // text is used if id is ""
	seed     *uint64
	edits    []model.Edit
	wanted   model.OpenAt
	problems []string // found so far
	banner   string
	push     bool
}

// openAddress opens what the address asks for, else the default; what it asks
// for in vain is told in the banner.
func (a *app) openAddress(first bool) {
	_, query, fragment := a.browser.Address()
	q, problems := link.DecodeQuery(query)
	r := request{id: defaultScenario, problems: problems, wanted: model.OpenAt{Speed: -1, Play: first && !a.m.Embed && !a.m.ReducedMotion}}
	if q.ID != "" {
		r.id = q.ID
	}
	if q.HasAt {
		r.wanted.At, r.wanted.HasAt, r.wanted.Play = q.At, true, false
	}
	l, ok, bad := link.Decode(fragment)
	r.problems = append(r.problems, bad...)
	if ok {
		r.id, r.text, r.edits = l.ID, l.Text, l.Edits
		r.wanted = model.OpenAt{At: l.At, HasAt: l.HasAt, Event: l.Event, Selection: l.Selection, Camera: l.Camera, Speed: l.Speed}
		if l.HasSeed {
			seed := l.Seed
			r.seed = &seed
		}
	}
	if len(bad) > 0 && !ok && a.session != nil { // what is open stays
		a.send(model.OpenFailed{What: "The link could not be opened", Problems: told(r.problems)})
		return
	}
	r.banner = "Parts of the address could not be used"
	if len(bad) > 0 && !ok {
		r.banner = "The link could not be opened; this is another scenario"
		r.wanted.Play = false
	}
	a.send(a.open(r))
	a.sendRefused()
}

// openByHand opens what the user chose: a scenario of the library, or a text.
func (a *app) openByHand(c model.Open) {
	r := request{id: c.ID, text: c.Text, seed: c.Seed, wanted: model.OpenAt{Speed: -1}, push: true}
	if text, ok := scenarioText(a.m.Info.ID); ok && c.ID == "" && c.Text == text {
		r.id = a.m.Info.ID // unchanged
	}
	a.send(a.open(r))
	a.sendRefused()
}

// sendRefused shows the text that could not be opened, if there was one.
func (a *app) sendRefused() {
	if r := a.refused; r != nil {
		a.refused = nil
		a.send(*r)
	}
}

// source is the text of what is open, with what was done by hand in it.
func (a *app) source() string {
	if a.session == nil {
		return ""
	}
	return link.WithEdits(a.session.Text(), a.session.Edits())
}

// addressChanged follows the user back and forth, and to links pasted into the
// address.
func (a *app) addressChanged() {
	if _, _, fragment := a.browser.Address(); strings.TrimPrefix(fragment, "#") == a.fragment {
		return
	}
	a.openAddress(false)
	a.redraw()
	a.renderSoon()
}

// open opens a scenario. If that fails it tries with less: without the edits,
// then the default; every step adds to the problems.
func (a *app) open(r request) model.Msg {
	text := r.text
	if r.id != "" {
		var ok bool
		if text, ok = scenarioText(r.id); !ok {
			if r.id == defaultScenario {
				return model.OpenFailed{What: "The library of scenarios is empty"}
			}
			r.problems = append(r.problems, "There is no scenario \""+r.id+"\" in the library.")
			r.id, r.edits, r.wanted = defaultScenario, nil, model.OpenAt{Speed: -1}
			return a.open(r)
		}
	}
	s, err := openSession(r.id, text, r.seed, r.edits)
	if err != nil {
		found := problems(err)
		if r.id == "" && len(r.edits) == 0 && !a.m.Embed {
			refused := model.Refused{Text: text, Problems: found}
			if a.session != nil {
				return refused // what is open stays
			}
			a.refused = &refused
			return a.open(request{id: defaultScenario, wanted: model.OpenAt{Speed: -1}})
		}
		for _, p := range found {
			r.problems = append(r.problems, p.Text)
		}
		switch {
		case len(r.edits) > 0:
			r.problems = append(r.problems, "What was done by hand is left out.")
			r.edits, r.wanted.HasAt = nil, false
			return a.open(r)
		case r.id != defaultScenario:
			r.id, r.text, r.wanted = defaultScenario, "", model.OpenAt{Speed: -1}
			r.banner = "The scenario could not be opened; this is another one"
			return a.open(r)
		}
		return model.OpenFailed{What: "No scenario could be opened", Problems: told(r.problems)}
	}
	a.session, a.seed = s, r.seed
	a.state, a.looked, a.noted, a.logKeys, a.last = scene.State{}, view.Options{}, 0, nil, 0
	a.counted, a.stood = false, false
	a.look()
	a.quiet()
	info := s.Info()
	a.browser.SetTitle(info.Title + " · Highwater")
	return model.Opened{
		Info: info, Text: s.Text(), Problems: told(r.problems), Banner: r.banner, Wanted: r.wanted, Push: r.push,
		Moved: model.Moved{Now: s.Now(), Horizon: s.Horizon(), Event: s.Event()},
	}
}

func told(texts []string) []model.Problem {
	var ps []model.Problem
	for _, t := range texts {
		ps = append(ps, model.Problem{Text: t})
	}
	return ps
}

// moment is the link to what is shown.
func (a *app) moment() link.Link {
	l := link.Link{
		ID: a.m.Info.ID, Edits: a.session.Edits(), At: a.session.Now(), HasAt: true, Event: a.session.Event(),
		Selection: a.m.Selection, Camera: a.m.Camera, Speed: -1,
	}
	if l.ID == "" {
		l.Text = a.session.Text()
	}
	if a.seed != nil {
		l.Seed, l.HasSeed = *a.seed, true
	}
	if a.m.Speed != model.SpeedDefault {
		l.Speed = a.m.Speed
	}
	if l.At < 0 {
		l.At, l.Event = 0, 0
	}
	return l
}

// addressEvery is the least time between two changes of the address, in ms.
const addressEvery = 1000

// link renews the address, at most once a second; a push is made at once.
func (a *app) link(c model.Link) {
	if a.session == nil {
		return
	}
	base, _, _ := a.browser.Address()
	fragment, err := link.Fragment(a.moment())
	url := base + "#" + fragment
	switch {
	case err != nil:
		a.send(model.Linked{Err: err.Error()})
		return
	case len(url) > link.CharsMax: // for the address it will do: the page can be reloaded
		a.send(model.Linked{Err: link.ErrTooLong.Error()})
	default:
		a.send(model.Linked{URL: url, Chars: len(url)})
	}
	now := a.browser.Now()
	switch {
	case c.Quiet:
	case c.Push:
		a.fragment = fragment
		a.browser.SetAddress(fragment, true)
		a.linkT = now
	case a.linkDue:
		// The one that is due will take the moment as it is then.
	case now-a.linkT < addressEvery:
		a.linkDue = true
		a.browser.After(int(addressEvery-(now-a.linkT)), func() {
			a.linkDue = false
			a.link(model.Link{})
			a.renderSoon()
		})
	case fragment != a.fragment:
		a.fragment, a.linkT = fragment, now
		a.browser.SetAddress(fragment, false)
	}
}

// download offers a file.
func (a *app) download(what string) {
	name := strings.ReplaceAll(a.m.Info.ID, "/", "-")
	if name == "" {
		name = "scenario"
	}
	switch what {
	case "picture":
		var b strings.Builder
		if err := svg.Render(&b, &a.list.List); err != nil {
			a.send(model.Say{Text: err.Error()})
			return
		}
		a.browser.Download(name+".svg", "image/svg+xml", b.String())
	case "scenario":
		a.browser.Download(name+".hw", "text/plain", a.source())
	case "source":
		a.browser.Download(name+".hw", "text/plain", a.m.Source)
	case "log":
		var b strings.Builder
		for _, l := range a.session.Log(10_000) {
			b.WriteString(l.At.String() + "  " + l.Text + "\n")
		}
		a.browser.Download(name+".txt", "text/plain", b.String())
	}
}
