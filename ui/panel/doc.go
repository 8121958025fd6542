// Package panel renders the page around the stage: vugu components for the top
// bar, the lesson, the inspector, what lies under the stage, the player and the
// dialogs.
//
//	model.Model ──> view models (plain Go, *.go) ──> *.vugu ──> *_gen.go ──> VGNodes ──> vugu, Diff
//
// It owns words and structure of the page. It refuses to decide anything: a
// control carries what it does as data-do and data-arg, which the root turns
// into a model.Act; there is not a single event handler here, and no view model
// knows vugu.
//
// vugu replays the whole tree at every render. Diff compares two builds and,
// when their structure is the same, says which texts and attributes differ, so
// that a running clock costs two texts and not a page.
//
// What to know when writing a template: an element whose children are all
// static becomes innerHTML, which is written anew at every full render; so every
// control has at least one dynamic attribute (a colon before its name), and an
// element that may be empty has a static child or a vg-content.
//
//go:generate go tool vugugen -skip-go-mod -skip-main .
package panel
