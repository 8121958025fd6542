// Package engine is the facade: open a scenario, run it, go to any instant, step
// back and forth, give orders, look. The page, the command line's picture maker
// and everything else outside use this and the read model in engine/view.
//
// The packages under it, lower ones first; each may import those above it in
// this list, with the exceptions that a test names:
//
//	kafka        words, ids, error codes, the config table
//	sim          kernel: clock, events, connections; sim/net links, sim/disk disks, sim/det randomness and hashes, sim/order orders
//	trace        what happened, with causes
//	record       record batches in Kafka's bytes
//	storage      partition logs, log directories, what is durable
//	metadata     records of the metadata log, and the image
//	raft controller broker group client/...   the machines; none imports another
//	node         one process: machines, boot, crash
//	world        a cluster from a spec, orders, history
//	law          what must always be true, and the record ledger
//	scenario     the language, its runner, expectations
//	view         the read model for screens
//	engine       this facade
//
//	text ──scenario.Parse──> Spec, Steps ──world.New──> World ──NewHistory──> Session
//	                                                      RunUntil Seek StepBack Do Undo
//	                                                      View Log Steps Markers Inspect Tool SegmentFile Digest
//	a real .log file ──ReadLogFile──> view.LogFile
package engine
