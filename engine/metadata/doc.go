// Package metadata is what the cluster knows about itself: the records that the
// controller writes to __cluster_metadata, in Kafka's own bytes, and the image
// that every node builds by replaying them.
//
//	controller: decides ──> records ──> log ──replay──> Image
//	broker:                       fetch ──> log ──replay──> Image (+ Delta: what changed)
//
// Deciding and replaying are apart: only Apply changes an image, so controller
// and brokers cannot disagree about what a record means.
//
// It refuses decisions: who leads, who is in sync, what is valid.
package metadata
