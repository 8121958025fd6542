// Package display is the display list: what painters understand and what crosses
// from the app to the stage.
//
// It owns the operations, the outlines of figures, the binary form and the text
// form. It refuses to know what anything stands for: it imports nothing of the
// engine, so that a painter's program does not carry a cluster with it.
//
//	ui/scene ──> List{Ops, Text} ──> paint/svg
//	                  │  └─AppendBinary──> bytes ──Decode──> List ──> paint/canvas
//	                  └─String──> golden files
package display
