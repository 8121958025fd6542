// Package tidy is the repository's check of itself, as tests and nothing else:
// layout, import directions, what the engine must not use, package docs, formats,
// lengths, words and generated code.
//
//	files of the repository ──parse──> rules (rules_test.go) ──> one failure per place, with the reason
//
// A rule that has to bend somewhere says where and why in its table of
// allowances; an allowance that nothing needs any more is a failure too. It
// refuses matters of taste that gofmt, vet and staticcheck leave open.
package tidy
