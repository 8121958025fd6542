// Package trace says what happened: typed notes, each with its cause and each
// with one stable line of text. The event log, "Why?", golden files and the
// command line all print from it.
//
// It owns the kinds of notes and their words. It refuses to decide anything:
// a note never feeds back into a machine.
//
//	event ──notes──> Note{ID, At, Actor, Parent} ──Text()──> one line
//	                       └─Parent─> the note that caused this one ─> ... ─> the user's hand
package trace
