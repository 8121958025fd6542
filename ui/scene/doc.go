// Package scene turns a cluster into a display list: what is drawn, where, and
// what each mark stands for.
//
// It owns the decision of what a reader sees at which level of detail, the hit
// ids, the spoken labels and the binary form that crosses to the stage. It
// refuses to paint, to keep the cluster, and to make anything up: every mark is
// a field of view.Cluster or computed from it.
//
//	view.Cluster ─┐
//	theme, camera ├─> Build ──> List{Ops, Text, Hits} ──> paint/svg
//	State (tweens)┘                 │  └─AppendBinary──> wasm/stage ─Decode─> paint/canvas
//	                                ├─ Hit(list, x, y)    what is under the pointer
//	                                └─ Targets(list)      what the keyboard can reach, in reading order
//
// A frame in steady state allocates nothing: List and State are reused.
//
// The levels of detail: Cells (a record is a cell), Bars (a replica is a bar on
// its column's offset axis), Tiles (a replica is a tile; rows wrap, so that a
// thousand partitions stay legible). The camera zooms by meaning: columns and
// rows grow, type does not until a column has its full width.
//
// What is drawn of a log is in log.go (segments, epochs, gaps, divergence, what
// the cleaner does), of the quorum in quorum.go, and legend.go explains every mark.
//
//	gutter │ topic ─────────────┐      rows: brokers, by rack
//	broker │ p0   p1   p2       │      columns: partitions, by topic
//	  1    │ ▐▐▐▐ ▐▐▐▐▐▐▐ ▐▐▐   │      one offset axis per column, so that a
//	  2    │ ▐▐▐▐ ▐▐▐▐    ▐▐▐   │      follower that lags is visibly shorter
//	       │   ‖HW    ‖HW       │
package scene
