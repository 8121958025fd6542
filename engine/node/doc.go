// Package node is one process on its machine: which state machines live in it,
// how an input reaches the right one, and what survives a crash.
//
//	machine:  disk (storage.Dir, quorum state) ── survives a process crash; power loss takes the page cache
//	process:  ┌ broker ┬ raft observer ┬ group coordinator ┐   lost with the process
//	          └ raft voter ── controller ──────────────────┘
//
// Broker and Controller are processes of one role. Combined is one of both
// (process.roles=broker,controller): one machine, one node.id, one metadata log, one
// quorum replica, and one life and death.
//
// It owns routing, boot, crash and recovery. It refuses rules of Kafka: those
// are the machines'.
package node
