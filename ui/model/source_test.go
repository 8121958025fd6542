package model_test

import (
	"testing"

	"github.com/highwater-sim/highwater/engine"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/ui/model"
)

// What the editor begins with opens, and all that it expects holds.
func TestStarter(t *testing.T) {
	s, err := engine.Open(model.Starter, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.RunUntil(s.End()+kafka.Instant(kafka.Second), 1<<30)
	expected := 0
	for _, step := range s.Steps() {
		if step.Kind != "expect" {
			continue
		}
		if expected++; step.State != "ok" {
			t.Errorf("%s: %s %s", step.Text, step.State, step.Why)
		}
	}
	if expected == 0 {
		t.Error("it expects nothing")
	}
}

// The editor shows what is open, runs what is written, and keeps what cannot be
// run with the reasons.
func TestEditor(t *testing.T) {
	m := model.New(nil, false)
	m.Text, m.Playing = "title a", true
	m, cmds := model.Update(m, model.Act{Do: "dialog", Arg: "source"})
	if _, ok := cmds[0].(model.ReadSource); !ok || m.Playing {
		t.Fatalf("opening it: %v, playing %v", cmds, m.Playing)
	}
	m, _ = model.Update(m, model.SourceRead{Text: "title a\r\nseed 1\rseed 2"})
	if m.Source != "title a\nseed 1\nseed 2" {
		t.Errorf("the text is %q", m.Source)
	}
	m, _ = model.Update(m, model.Act{Do: "source", Value: "title b"})
	m, cmds = model.Update(m, model.Act{Do: "run"})
	if o, ok := cmds[0].(model.Open); !ok || o.Text != "title b" || o.ID != "" {
		t.Errorf("running it: %v", cmds)
	}
	m, _ = model.Update(m, model.Refused{Text: "title b", Problems: []model.Problem{{Line: 2, Col: 3, Text: "no"}}})
	if m.Dialog != "source" || m.Text != "title a" || len(m.SourceProblems) != 1 {
		t.Errorf("refused: dialog %q, open %q, %v", m.Dialog, m.Text, m.SourceProblems)
	}
	_, cmds = model.Update(m, model.Act{Do: "place", Arg: "2 3"})
	if c, ok := cmds[0].(model.Caret); !ok || c.Line != 2 || c.Col != 3 {
		t.Errorf("to its place: %v", cmds)
	}
	// What was not changed is not opened anew.
	m, _ = model.Update(m, model.Act{Do: "source", Value: "title a"})
	m, cmds = model.Update(m, model.Act{Do: "run"})
	if m.Dialog != "" || !m.Seeking || m.SeekGoal != 0 {
		t.Errorf("unchanged: dialog %q, %v", m.Dialog, cmds)
	}
	// A dropped file is run as it is.
	_, cmds = model.Update(m, model.Act{Do: "run", Value: "title c\r\n"})
	if o, ok := cmds[0].(model.Open); !ok || o.Text != "title c\n" {
		t.Errorf("a file: %v", cmds)
	}
}
