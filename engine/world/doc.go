// Package world builds a cluster from a spec, carries out the orders of the
// scenario and of the user's hand, and keeps the past.
//
//	Spec ──New──> World at instant 0 ──Do(Command)──> World
//	                 │ Clone every 16,000 events
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
// It owns names (broker-1, controller-101, clients), which process a command
// reaches, and time travel. It refuses Kafka's rules and the script: prose,
// questions and expectations are the scenario package's.
package world
