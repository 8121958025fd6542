package engine

import (
	"cmp"
	"errors"
	"slices"

	"github.com/highwater-sim/highwater/engine/law"
	"github.com/highwater-sim/highwater/engine/scenario"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/highwater-sim/highwater/engine/view"
)

// Steps lists the script with the state of each step at the present moment.
func (s *Session) Steps() []view.Step {
	states := s.observer().tracker.Steps()
	out := make([]view.Step, len(s.file.Steps))
	for i := range s.file.Steps {
		f, st := &s.file.Steps[i], &states[i]
		v := view.Step{At: f.At, Line: f.Line, Kind: f.Kind.String(), Text: f.Text, State: st.State.String(), Why: st.Why}
		switch f.Kind {
		case scenario.KindSay:
			v.Text = f.Say
		case scenario.KindAsk:
			v.Text = f.Ask.Text
			v.Ask = &view.Question{Text: f.Ask.Text, Options: f.Ask.Options, Right: f.Ask.Right}
		case scenario.KindExpect:
			v.Text = f.Expect.Text
		}
		out[i] = v
	}
	return out
}

// markersMax bounds the marks on the scrubber.
const markersMax = 200

// Markers lists the labelled instants: the script's steps, the user's orders,
// and the changes of leader and process that the run has shown so far.
func (s *Session) Markers() []view.Marker {
	var out []view.Marker
	for _, st := range s.Steps() {
		m := view.Marker{At: st.At, Kind: "step", Label: st.Text}
		switch st.Kind {
		case "command":
			m.Kind = "fault"
		case "ask":
			m.Kind = "ask"
		case "expect":
			m.Kind = map[string]string{"ok": "expect-ok", "failed": "expect-failed"}[st.State]
			if m.Kind == "" {
				m.Kind = "expect-open"
			}
		}
		out = append(out, m)
	}
	for _, e := range s.Edits() {
		out = append(out, view.Marker{At: e.At, Kind: "edit", Label: e.Text})
	}
	s.hist.Log().Each(trace.ID(1<<62), func(n *trace.Note) {
		if n.At <= 0 || len(out) >= markersMax {
			return
		}
		switch n.Kind {
		case trace.LeaderElected, trace.BrokerFenced, trace.QuorumLeader:
			out = append(out, view.Marker{At: n.At, Kind: "election", Label: n.Text()})
		}
	})
	slices.SortStableFunc(out, func(a, b view.Marker) int { return cmp.Compare(a.At, b.At) })
	return out
}

// Log lists the latest lines of the event log, oldest first, at most limit.
// Routine events appear only as long as they are the latest.
func (s *Session) Log(limit int) []view.LogLine {
	return logLines(s.hist.Log().Last(nil, s.hist.World().LastNote(), limit, 0))
}

// LogNotable is Log without the routine of every record.
func (s *Session) LogNotable(limit int) []view.LogLine {
	return logLines(s.hist.Log().Last(nil, s.hist.World().LastNote(), limit, 1))
}

func logLines(notes []trace.Note) []view.LogLine {
	out := make([]view.LogLine, len(notes))
	for i := range notes {
		n := &notes[i]
		out[i] = view.LogLine{
			ID: uint64(n.ID), Parent: uint64(n.Parent), At: n.At, Kind: n.Kind.String(), Text: n.Text(), Weight: n.Kind.Weight(),
		}
	}
	return out
}

// fillLedger adds what became of each producer's records.
func (s *Session) fillLedger(into *view.Cluster) {
	w := s.hist.World()
	t := s.observer().tracker
	into.Ledger = view.Ledger{}
	for i := range into.Producers {
		p := &into.Producers[i]
		if e, ok := t.Ledger(w, p.Name); ok {
			p.Lost = e.Lost
			into.Ledger.Lost += e.Lost
			into.Ledger.Duplicated += e.Duplicated
		}
		into.Ledger.Sent += p.Sent
		into.Ledger.Acked += p.Acked
		into.Ledger.Failed += p.Failed
	}
	for i := range into.Consumers {
		into.Ledger.Delivered += into.Consumers[i].Delivered
	}
}

func violation(err error, s *Session) *view.Violation {
	v := &view.Violation{Law: "law", Text: err.Error(), At: s.Now(), Event: s.Event()}
	var l *law.Violation
	if errors.As(err, &l) {
		v.Law, v.Text, v.At = l.Law, l.Text, l.At
	}
	return v
}

// Inspect says everything about a selection at the present moment.
func (s *Session) Inspect(sel view.Selection) view.Detail {
	c := &s.looked
	s.View(view.Options{Flights: sel.Kind == "flight", Some: sel.TP.Topic != "", Only: sel.TP}, c)
	return view.Inspect(s.hist.World(), s.hist.Log(), c, sel)
}
