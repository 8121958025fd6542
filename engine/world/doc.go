// Package world builds a cluster from a spec, carries out the orders of the
// scenario and of the user's hand, and keeps the past.
//
//	Spec ──New──> World at instant 0 ──Do(Command)──> World
//	                 │ Clone every 11,200 events
//	History: keyframe ── keyframe ── keyframe ── now ···· (computed future)
//	           └─ restore and run: any earlier moment, exactly
//
// The cluster boots before instant 0, at negative instants: processes start,
// the quorum elects, brokers register and are unfenced, the spec's topics are
// created by an admin client as a person would create them. At instant 0 the
// spec's clients start. Brokers may join later: an order adds a machine with an
// empty disk, whose broker finds the controller and registers like the others. With
// kraft.version 1 controllers may join, too: as observers, until they are made voters.
//
// What was computed on a line of events is judged once: a run from a keyframe up to
// the furthest moment repeats it, so its observer is told to leave out the laws. An
// order in the past begins another line, and first has them looked at up to there.
//
// # What it costs
//
// The reference cluster (Reference) makes 4,600 events a virtual second: 370 Produce,
// 1,420 Fetch, their responses, and 1,000 records of the application's own. Each
// message is Kafka's own and each batch is Kafka's bytes, checked, copied once and
// indexed as Kafka does; that is 6,000 machine instructions an event, 28 million a
// virtual second, of which the brokers take 30 %, the kernel 20 %, records and logs
// 18 % and the clients 20 %, nothing more than 3 % in one place. On one core of 2.7
// GHz that is 240 times real time, not the 500 that were hoped for, and Go's
// WebAssembly runs it eight times slower. What makes it faster from here on is fewer
// instructions a message; memory is used again already (sim, reuse.go).
//
// It owns names (broker-1, controller-101, clients), which process a command
// reaches, and time travel. It refuses Kafka's rules and the script: prose,
// questions and expectations are the scenario package's.
package world
