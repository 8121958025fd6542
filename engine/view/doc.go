// Package view is the immutable read model: what a screen, a tool's output or
// an expectation may know of a cluster at one instant. Everything in it is
// engine state or computed from it; nothing is made up for looks.
//
// It prints what Kafka's own tools would print (Tool), has the files of a
// replica byte for byte (FilesOf, FileBytes), and takes real files apart
// (ReadLogFile), whoever wrote them.
//
// The user interface imports this package, kafka and the facade, and nothing
// else of the engine. It refuses to change the world.
//
//	world ──Build──> Cluster{Brokers, Topics, Clients, Flights...} ──> ui/scene, ui/panel, scenario expectations
package view
