package trace

import "sort"

// How many notes a Log keeps: routine ones as a moving window, notable ones (of
// weight 1 and more) much longer.
const (
	routineKept = 1 << 13
	notableKept = 1 << 16
)

// Log remembers the notes of a run in order of ID. It stands beside the world,
// not in it: going back and running forward again finds the same notes here.
type Log struct {
	routine window
	notable window
}

// window is the newest notes of a kind, oldest first; the front is cut off in
// large pieces so that adding stays cheap.
type window struct {
	notes []Note
	last  ID // newest ever added
}

func (w *window) add(n *Note, kept int) {
	if n.ID <= w.last {
		return
	}
	w.last = n.ID
	if len(w.notes) >= 2*kept {
		w.notes = append(w.notes[:0], w.notes[len(w.notes)-kept:]...)
	}
	w.notes = append(w.notes, *n)
}

// upTo is how many notes of the window have an ID of at most id.
func (w *window) upTo(id ID) int {
	return sort.Search(len(w.notes), func(i int) bool { return w.notes[i].ID > id })
}

func (w *window) truncate(id ID) {
	w.notes = w.notes[:w.upTo(id)]
	w.last = min(w.last, id)
}

// Add takes a note; one that the log already has (the world was set back and
// runs again) changes nothing.
func (l *Log) Add(n *Note) {
	l.routine.add(n, routineKept)
	if n.Kind.Weight() > 0 {
		l.notable.add(n, notableKept)
	}
}

// Truncate forgets all notes after id: the future that they told is gone.
func (l *Log) Truncate(id ID) {
	l.routine.truncate(id)
	l.notable.truncate(id)
}

// Rewind prepares for a run from a state whose latest note is id: if the routine
// notes after it are no longer all here, that run will bring them again.
func (l *Log) Rewind(id ID) {
	if w := &l.routine; len(w.notes) > 0 && w.notes[0].ID > id+1 {
		w.notes, w.last = w.notes[:0], id
	}
}

// Find returns the note with the id, if it is remembered.
func (l *Log) Find(id ID) (Note, bool) {
	for _, w := range []*window{&l.routine, &l.notable} {
		if i := w.upTo(id) - 1; i >= 0 && w.notes[i].ID == id {
			return w.notes[i], true
		}
	}
	return Note{}, false
}

// Last appends to out the newest notes with an ID of at most upTo and a weight of
// at least weight, at most limit of them, oldest first.
func (l *Log) Last(out []Note, upTo ID, limit, weight int) []Note {
	w := &l.notable
	if weight == 0 {
		w = &l.routine
	}
	start := len(out)
	for i := w.upTo(upTo) - 1; i >= 0 && len(out)-start < limit; i-- {
		if w.notes[i].Kind.Weight() >= weight {
			out = append(out, w.notes[i])
		}
	}
	for i, j := start, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// Each calls yield for the notable notes with an ID of at most upTo, oldest first.
func (l *Log) Each(upTo ID, yield func(*Note)) {
	for i := range l.notable.notes[:l.notable.upTo(upTo)] {
		yield(&l.notable.notes[i])
	}
}

// Chain follows the parents of a note back to its origin, the note itself
// first, at most limit of them. It ends early where a parent is forgotten.
func (l *Log) Chain(id ID, limit int) []Note {
	var out []Note
	for id != 0 && len(out) < limit {
		n, ok := l.Find(id)
		if !ok {
			break
		}
		out = append(out, n)
		id = n.Parent
	}
	return out
}
