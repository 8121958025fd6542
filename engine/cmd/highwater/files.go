package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/scenario"
	"github.com/highwater-sim/highwater/engine/trace"
)

// find lists the .hw files that the arguments name; folders are walked.
func find(args []string) ([]string, error) {
	if len(args) == 0 {
		return nil, errors.New("name at least one .hw file or folder")
	}
	var files []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, arg)
			continue
		}
		before := len(files)
		err = filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, ".hw") {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(files) == before {
			return nil, fmt.Errorf("%s: no .hw file in this folder", arg)
		}
	}
	return files, nil
}

// load reads and parses a file. It prints what is wrong with it.
func load(path string, errs io.Writer) (*scenario.File, bool) {
	b, err := os.ReadFile(path)
	if err != nil {
		fmt.Fprintln(errs, err)
		return nil, false
	}
	f, err := scenario.Parse(string(b))
	if err == nil {
		return f, true
	}
	var ps scenario.Problems
	if errors.As(err, &ps) {
		for _, p := range ps {
			fmt.Fprintf(errs, "%s:%d:%d: %s\n", path, p.Line, p.Col, p.Text)
		}
	} else {
		fmt.Fprintf(errs, "%s: %v\n", path, err)
	}
	return nil, false
}

func checkFiles(args []string, out, errs io.Writer) int {
	fs := flags("check", errs)
	if fs.Parse(args) != nil {
		return exitBadInput
	}
	files, err := find(fs.Args())
	if err != nil {
		fmt.Fprintln(errs, err)
		return exitBadInput
	}
	code := exitOK
	for _, path := range files {
		f, ok := load(path, errs)
		if !ok {
			code = exitBadInput
			continue
		}
		fmt.Fprintf(out, "ok %s %d steps\n", path, len(f.Steps))
	}
	return code
}

func runFiles(args []string, out, errs io.Writer) int {
	fs := flags("run", errs)
	traced := fs.Bool("trace", false, "print every note")
	seed := fs.String("seed", "", "run with this seed instead of the file's")
	if fs.Parse(args) != nil {
		return exitBadInput
	}
	var o scenario.Options
	if *seed != "" {
		n, err := strconv.ParseUint(*seed, 10, 64)
		if err != nil {
			fmt.Fprintf(errs, "-seed %s: not a whole number\n", *seed)
			return exitBadInput
		}
		o.Seed = &n
	}
	if *traced {
		o.Note = func(n *trace.Note) { fmt.Fprintf(out, "%10s  %s\n", n.At, n.Text()) }
	}
	files, err := find(fs.Args())
	if err != nil {
		fmt.Fprintln(errs, err)
		return exitBadInput
	}
	code, passed, failed := exitOK, 0, 0
	for _, path := range files {
		f, ok := load(path, errs)
		if !ok {
			code = exitBadInput
			continue
		}
		rep := scenario.Run(f, o)
		c := tell(path, &rep, out, errs)
		code = max(code, c)
		passed, failed = passed+rep.Passed, failed+rep.Failed
	}
	fmt.Fprintf(out, "%d passed, %d failed\n", passed, failed)
	return code
}

// tell prints a report and returns its exit code.
func tell(path string, rep *scenario.Report, out, errs io.Writer) int {
	for _, r := range rep.Results {
		if !r.Held {
			fmt.Fprintf(out, "FAIL %s:%d %s: %s\n", path, r.Line, r.Text, r.Why)
		}
	}
	switch {
	case rep.Violation != nil:
		fmt.Fprintf(out, "FAIL %s seed %d: law broken at %s: %v\n", path, rep.Seed, rep.Violation.At, rep.Violation)
		return exitFailed
	case rep.Err != nil:
		fmt.Fprintf(errs, "%s: %v\n", path, rep.Err)
		return exitBadInput
	case rep.Failed > 0:
		return exitFailed
	}
	fmt.Fprintf(out, "ok %s %d expectations\n", path, rep.Passed)
	return exitOK
}
