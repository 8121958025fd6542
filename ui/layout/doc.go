// Package layout is the geometry of the stage: which broker has which row,
// which partition which column, and how much fits at which level of detail.
//
// It owns sizes and places in CSS px before scrolling. It refuses colours,
// text, operations and time: the same cluster in the same room always gives the
// same plan, and a thing keeps its place when something is added elsewhere (the
// widths of columns go in steps for that reason).
//
//	┌ quorum ────────────────────────────────┐
//	│ producers                              │
//	│ head      topic  p0   p1   p2  │ topic │
//	│ row   gutter     ▭    ▭    ▭   │  ▭    │   one per broker, by rack
//	│ row   gutter     ▭    ▭    ▭   │  ▭    │
//	│ marks            HW   HW       │       │
//	│ groups   label, cards                  │
//	└────────────────────────────────────────┘
//
// Only the matrix (head, boxes, marks) scrolls sideways; everything scrolls up
// and down.
package layout
