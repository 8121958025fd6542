package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write puts a scenario into a folder of the test's own.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// call runs the command and checks its exit code.
func call(t *testing.T, want int, args ...string) (out, errs string) {
	t.Helper()
	var o, e strings.Builder
	if got := run(args, &o, &e); got != want {
		t.Errorf("highwater %s: exit %d, want %d\n%s%s", strings.Join(args, " "), got, want, o.String(), e.String())
	}
	return o.String(), e.String()
}

const good = "title x\ntopic t\nat 1s expect up(1)\n expect leo(t-0) == 0\n"

func TestRun(t *testing.T) {
	path := write(t, "a.hw", good)
	out, _ := call(t, exitOK, "run", filepath.Dir(path))
	if want := "ok " + path + " 2 expectations\n2 passed, 0 failed\n"; out != want {
		t.Errorf("%q, want %q", out, want)
	}
	path = write(t, "b.hw", good+" expect leo(t-0) == 7\n")
	out, _ = call(t, exitFailed, "run", path)
	if want := "FAIL " + path + ":5 expect leo(t-0) == 7: leo(t-0) is 0\n2 passed, 1 failed\n"; out != want {
		t.Errorf("%q, want %q", out, want)
	}
	path = write(t, "c.hw", "title x\ntopik t\n")
	for _, cmd := range []string{"run", "check"} {
		_, errs := call(t, exitBadInput, cmd, path)
		if want := path + ":2:1: unknown word \"topik\"; did you mean topic?\n"; errs != want {
			t.Errorf("%s: %q, want %q", cmd, errs, want)
		}
	}
}

// TestWorstCodeWins gives a good, a failing and a bad file together.
func TestWorstCodeWins(t *testing.T) {
	bad := write(t, "bad.hw", "nonsense")
	failing := write(t, "failing.hw", "title x\nat 1s expect not up(1)\n")
	out, _ := call(t, exitBadInput, "run", bad, failing, write(t, "good.hw", good))
	if !strings.HasSuffix(out, "2 passed, 1 failed\n") {
		t.Errorf("%q", out)
	}
}

func TestSeedAndTrace(t *testing.T) {
	path := write(t, "a.hw", "title x\ntopic t replica-assignment=1,1,1\nproducer p topic=t keys=9 rate=20/s\nat 1s produce p value=v\nat 2s expect leo(t-0) > 0\n")
	one, _ := call(t, exitOK, "run", "-trace", path)
	again, _ := call(t, exitOK, "run", "-trace", path)
	other, _ := call(t, exitOK, "run", "-trace", "-seed", "9", path)
	if one != again {
		t.Error("the same seed gives another trace")
	}
	if one == other {
		t.Error("another seed gives the same trace")
	}
	for _, want := range []string{"1.000s  command produce p value=v\n", "t-0 broker-1 append offset 0 epoch 0\n", "1 passed, 0 failed\n"} {
		if !strings.Contains(one, want) {
			t.Errorf("no %q in the trace:\n%s", want, one)
		}
	}
}

func TestBadInput(t *testing.T) {
	for _, args := range [][]string{
		{}, {"walk"}, {"run"}, {"run", "nowhere.hw"}, {"run", t.TempDir()}, {"run", "-seed", "x", "a.hw"}, {"run", "-fast"},
		{"check"}, {"soak", "x"}, {"soak", "-for", "-1s"},
	} {
		if _, errs := call(t, exitBadInput, args...); errs == "" {
			t.Errorf("highwater %v says nothing", args)
		}
	}
}

func TestHelp(t *testing.T) {
	out, _ := call(t, exitOK, "functions")
	if !strings.Contains(out, "hw(PARTITION [, BROKER])") {
		t.Errorf("%s", out)
	}
	out, _ = call(t, exitOK, "verbs")
	if !strings.Contains(out, "powerloss NODE[,NODE] | rack-a | all\n") {
		t.Errorf("%s", out)
	}
}

// TestSoakTextParses makes sure that the faults that soak draws can be written.
func TestSoakTextParses(t *testing.T) {
	for seed := range uint64(200) {
		path := write(t, "s.hw", soakText(seed, 60e9))
		call(t, exitOK, "check", path)
	}
}
