// Package motion turns instants into positions: where a message is on its link,
// whether a reader can see it move, and how a tween approaches its target.
//
// It owns curves over time and the variant for readers who asked for less
// motion. It refuses state and geometry. Messages are never eased: they are
// where the virtual clock says.
//
//	SentAt ●────●now────● ArriveAt      Progress = (now - SentAt) / (ArriveAt - SentAt)
package motion
