// Package poster makes the still picture of a cluster that stands where a run
// will be: in the page before the simulator has loaded, in embeds, in previews.
//
// It owns the choice of size and theme for a picture without a reader, and
// refuses to run a scenario: whoever has a cluster gives it.
//
//	view.Cluster ──SVG──> ui/scene ──> ui/paint/svg ──> one string
package poster
