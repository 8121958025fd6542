package model

import "slices"

// futuresMax is how many futures are kept.
const futuresMax = 6

// forked keeps what the user had done before the run went on without some of it:
// an order in the past drops what he did later, and undo takes one back.
func (m Model) forked(had []Edit) Model {
	m.Futures = keepFuture(m.Futures, had)
	return m
}

// keepFuture puts a future before the others, once.
func keepFuture(all [][]Edit, f []Edit) [][]Edit {
	out := append(make([][]Edit, 0, len(all)+1), slices.Clone(f))
	for _, old := range all {
		if len(out) < futuresMax && !slices.Equal(old, f) {
			out = append(out, old)
		}
	}
	return out
}

// actFuture goes over to another future, at the same moment; the one that it
// leaves takes its place. Arg is its number.
func actFuture(m Model, a Act) (Model, []Cmd) {
	i := int(atoi(a.Arg))
	if i < 0 || i >= len(m.Futures) || m.Opening {
		return m, nil
	}
	to := m.Futures[i]
	m.Futures = keepFuture(slices.Delete(slices.Clone(m.Futures), i, i+1), m.Facts.Edits)
	m.Playing = false
	return m, []Cmd{Refork{Edits: to}}
}
