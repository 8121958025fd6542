//go:build js && wasm

package main

import (
	"errors"

	"github.com/highwater-sim/highwater/engine"
	"github.com/highwater-sim/highwater/scenarios"
	"github.com/highwater-sim/highwater/ui/model"
)

// session is the engine's facade as the model knows it.
type session struct{ *engine.Session }

// Edits lists the user's commands.
func (s session) Edits() []model.Edit {
	var out []model.Edit
	for _, e := range s.Session.Edits() {
		out = append(out, model.Edit{At: e.At, Text: e.Text, Why: e.Why})
	}
	return out
}

// openSession opens a scenario's text; the error is engine.Problems if the text
// or an edit is at fault.
func openSession(id, text string, seed *uint64, edits []model.Edit) (model.Session, error) {
	o := engine.Options{ID: id, Seed: seed}
	for _, e := range edits {
		o.Edits = append(o.Edits, engine.Edit{At: e.At, Text: e.Text})
	}
	s, err := engine.Open(text, o)
	if err != nil {
		return nil, err
	}
	return session{s}, nil
}

// problems are an error of the engine's, with their places.
func problems(err error) []model.Problem {
	if err == nil {
		return nil
	}
	var ps engine.Problems
	if !errors.As(err, &ps) {
		return []model.Problem{{Text: err.Error()}}
	}
	var out []model.Problem
	for _, p := range ps {
		out = append(out, model.Problem{Line: p.Line, Col: p.Col, Text: p.Text})
	}
	return out
}

// library lists the scenarios in teaching order.
func library() []model.Entry {
	var out []model.Entry
	for _, e := range scenarios.All() {
		m := model.Entry{ID: e.ID, Title: e.Title, Chapter: e.Chapter, Part: e.Part, Summary: e.Summary}
		for _, c := range scenarios.Reenacts(e.ID) {
			m.Reenacts = append(m.Reenacts, c.Source)
		}
		out = append(out, m)
	}
	return out
}

// scenarioText is the text of a scenario of the library.
func scenarioText(id string) (string, bool) {
	text := scenarios.Text(id)
	return text, text != ""
}
