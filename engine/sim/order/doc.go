// Package order holds the orders of the user and of the scenario that reach a
// running process as sim.InputCommand, beside those that belong to one machine
// alone (producer.Produce). It owns the words; what a process does on hearing
// one is the process's business.
//
//	scenario line ──> world.Command ──> order.Pause{On: true} ──> InputCommand ──> Step
//
// It refuses anything that acts on the world rather than on a process: cutting
// a link or killing a process is not an order to it.
package order
