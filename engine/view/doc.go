// Package view is the immutable read model: what a screen, a tool's output or
// an expectation may know of a cluster at one instant. Everything in it is
// engine state or computed from it; nothing is made up for looks.
//
// The user interface imports this package, kafka and the facade, and nothing
// else of the engine. It refuses to change the world.
//
//	world ──Build──> Cluster{Brokers, Topics, Clients, Flights...} ──> ui/scene, ui/panel, scenario expectations
package view
