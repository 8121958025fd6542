// Package scenarios holds the lessons: one .hw file each, in a folder per
// chapter, written in the language of engine/scenario.
//
//	log/ durability/ ... ──embed──> FS ──> All(): the teaching order
//
// It owns their texts and their order. It refuses to parse or to run them: that
// is engine/scenario's, and this package's test runs every one.
package scenarios
