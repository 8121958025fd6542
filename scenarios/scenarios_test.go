package scenarios

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine/scenario"
)

// textBytesMax keeps a lesson short enough for a link.
const textBytesMax = 2400

// TestOrder makes sure that every file is taught and that every lesson has
// what a lesson needs.
func TestOrder(t *testing.T) {
	var files []string
	err := fs.WalkDir(FS, ".", func(path string, d fs.DirEntry, err error) error {
		if id, ok := strings.CutSuffix(path, ".hw"); ok {
			files = append(files, id)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, e := range All() {
		ids = append(ids, e.ID)
		f, err := scenario.Parse(Text(e.ID))
		if err != nil {
			t.Errorf("%s:\n%v", e.ID, err)
			continue
		}
		lesson(t, e, f)
	}
	slices.Sort(ids)
	if slices.Sort(files); !slices.Equal(ids, files) {
		t.Errorf("files\n%v\nare not those of the teaching order\n%v", files, ids)
	}
}

// lesson checks the parts of a lesson.
func lesson(t *testing.T, e Entry, f *scenario.File) {
	var says, asks, expects int
	for _, s := range f.Steps {
		switch s.Kind {
		case scenario.KindSay:
			says++
		case scenario.KindAsk:
			asks++
		case scenario.KindExpect:
			expects++
		}
	}
	switch {
	case f.Title != e.Title || f.Chapter != e.Chapter:
		t.Errorf("%s: title %q in chapter %q, listed as %q in %q", e.ID, f.Title, f.Chapter, e.Title, e.Chapter)
	case len(f.Prose) == 0 || !strings.HasPrefix(f.Prose[0], "You will see "):
		t.Errorf("%s: the first sentence does not say what the reader will see", e.ID)
	case says == 0 || asks == 0 || expects < 3:
		t.Errorf("%s: %d say, %d ask, %d expect; a lesson explains, asks and proves", e.ID, says, asks, expects)
	case len(f.Text) > textBytesMax:
		t.Errorf("%s: %d bytes; at most %d go into a link", e.ID, len(f.Text), textBytesMax)
	}
}

// seeds are those that a lesson must also hold for, besides its own: what it
// claims is Kafka's doing, not that of one draw of the latencies.
const seeds = 6

// TestRun runs every lesson with all laws on: every expectation must hold.
func TestRun(t *testing.T) {
	for _, e := range All() {
		t.Run(e.ID, func(t *testing.T) {
			t.Parallel()
			f, err := scenario.Parse(Text(e.ID))
			if err != nil {
				t.Fatal(err)
			}
			check(t, scenario.Run(f, scenario.Options{}))
			for seed := range uint64(seeds) {
				check(t, scenario.Run(f, scenario.Options{Seed: &seed}))
			}
		})
	}
}

func check(t *testing.T, rep scenario.Report) {
	t.Helper()
	if rep.Err != nil {
		t.Errorf("seed %d: %v", rep.Seed, rep.Err)
	}
	for _, r := range rep.Results {
		if !r.Held {
			t.Errorf("seed %d, line %d: %s: %s", rep.Seed, r.Line, r.Text, r.Why)
		}
	}
}

// TestCases makes sure that every case is re-enacted by a lesson and that the
// lessons name no others.
func TestCases(t *testing.T) {
	by := map[string][]string{}
	for _, e := range All() {
		f, err := scenario.Parse(Text(e.ID))
		if err != nil {
			t.Fatalf("%s: %v", e.ID, err)
		}
		for _, id := range f.Cases {
			by[id] = append(by[id], e.ID)
		}
		if n := len(Reenacts(e.ID)); n != len(f.Cases) {
			t.Errorf("%s re-enacts %d cases of the list and names %v", e.ID, n, f.Cases)
		}
	}
	last := ""
	for _, c := range Cases {
		switch {
		case c.ID <= last:
			t.Errorf("case %s comes after %s", c.ID, last)
		case c.Source == "" || c.Says == "":
			t.Errorf("case %s does not say where it is from, or what came out", c.ID)
		case len(by[c.ID]) == 0:
			t.Errorf("case %s is in no lesson: %s", c.ID, c.Says)
		}
		last = c.ID
		delete(by, c.ID)
	}
	for id, lessons := range by {
		t.Errorf("%v name the case %s, which is not in the list", lessons, id)
	}
}

// Every lesson has a summary that is the first sentence of its prose, and a
// chapter with a name.
func TestSummaries(t *testing.T) {
	for _, e := range All() {
		f, err := scenario.Parse(Text(e.ID))
		if err != nil {
			t.Fatal(err)
		}
		if prose := f.Prose; len(prose) == 0 || e.Summary == "" || !strings.HasPrefix(prose[0], e.Summary) {
			t.Errorf("%s: %q is not how %q begins", e.ID, e.Summary, prose)
		}
		if e.Part == "" {
			t.Errorf("%s: chapter %q has no name", e.ID, e.Chapter)
		}
	}
}
