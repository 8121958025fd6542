package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/highwater-sim/highwater/engine/scenario"
)

// The exit codes.
const (
	exitOK = iota
	exitFailed
	exitBadInput
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

const usage = `usage:
  highwater run [-trace] [-seed N] FILE|FOLDER...                  do they hold? -trace prints all that happens
  highwater check FILE|FOLDER...                                   are they written right?
  highwater soak [-seeds N] [-from SEED] [-for 60s] [-all] [-text] random clusters and faults, all laws on
  highwater functions                                              what an expectation can ask
  highwater verbs                                                  what a step can do
exit status: 0 all holds, 1 an expectation or a law does not, 2 something is written wrong
`

func run(args []string, out, errs io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(errs, usage)
		return exitBadInput
	}
	switch cmd, args := args[0], args[1:]; cmd {
	case "run":
		return runFiles(args, out, errs)
	case "check":
		return checkFiles(args, out, errs)
	case "soak":
		return soak(args, out, errs)
	case "functions", "verbs":
		if len(args) > 0 {
			fmt.Fprintf(errs, "%s takes no arguments: it lists all of them\n", cmd)
			return exitBadInput
		}
		if cmd == "verbs" {
			return printVerbs(out)
		}
		return printFunctions(out)
	case "help", "-h", "-help", "--help":
		fmt.Fprint(out, usage)
		return exitOK
	default:
		fmt.Fprintf(errs, "unknown command %q\n%s", cmd, usage)
		return exitBadInput
	}
}

// flags returns a flag set that reports to errs and does not end the program.
func flags(name string, errs io.Writer) *flag.FlagSet {
	fs := flag.NewFlagSet("highwater "+name, flag.ContinueOnError)
	fs.SetOutput(errs)
	return fs
}

func printFunctions(out io.Writer) int {
	width := 0
	for _, f := range scenario.Functions() {
		width = max(width, len(f.Usage()))
	}
	for _, f := range scenario.Functions() {
		fmt.Fprintf(out, "%-*s  %-17s  %s\n", width, f.Usage(), f.Result, f.Doc)
	}
	return exitOK
}

func printVerbs(out io.Writer) int {
	for _, v := range scenario.Verbs() {
		fmt.Fprintf(out, "%s\n    %s\n", v.Usage, v.Doc)
	}
	return exitOK
}
