// Package script drives one client process without the kernel, for golden
// interaction files: verbs in, what the client sends and notes out.
//
//	file: verb args ──> Env ──Input──> client.Step ──Out──> Env ──> golden text
//	                     │ ApiVersions, Metadata, InitProducerId and
//	                     │ FindCoordinator are answered from the cluster that
//	                     └ the file describes; everything else waits for "answer"
//
// It owns a clock, timers and a cluster that exists as words only. It refuses
// to judge: the file says what brokers answer, the golden text what came of it.
package script
