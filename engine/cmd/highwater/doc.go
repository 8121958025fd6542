// Command highwater runs scenarios without a screen.
//
//	highwater run [-trace] [-seed N] FILE|FOLDER...   run and check expectations
//	highwater check FILE|FOLDER...                    parse only
//	highwater soak [-seeds N] [-from SEED] [-for 60s] [-all] [-text]
//	                                                  random faults with all laws on, then peace
//	highwater functions                               the functions of expectations
//	highwater verbs                                   the verbs of commands
//
// Exit codes: 0 all well, 1 an expectation failed or a law was broken, 2 the
// input is bad.
//
// It owns files, flags and printing. It refuses to decide what holds: that is
// engine/scenario's and engine/law's.
package main
