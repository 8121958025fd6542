package site

import (
	"bytes"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"slices"

	"github.com/highwater-sim/highwater/scenarios"
)

// Scenario is what the pages show of one scenario.
type Scenario struct {
	ID      string // chapter folder and file name: durability-acks-one
	Chapter string // its name
	Title   string
	Summary string   // one sentence
	Prose   []string // paragraphs
	Cases   []scenarios.Case
	Text    string
	Poster  template.HTML // SVG for the dark theme

	PosterLight template.HTML // the same moment for the light one
	Page        string        // file name of its page
	File        string        // file name of its text
	Image       string        // file name of its poster
}

// head is what a page template is given.
type head struct {
	Scenario
	CSP      string
	Chapters []chapter
}

type chapter struct {
	Name      string
	Scenarios []Scenario
}

// addScenarios writes for every scenario its page, its text and its poster, and
// the list of all in the order in which they are taught.
func (s *site) addScenarios() error {
	var chapters []chapter
	for _, entry := range scenarios.All() {
		one, err := readScenario(entry.ID, scenarios.Text(entry.ID))
		if err != nil {
			return err
		}
		one.Chapter = entry.Part
		s.scenarios = append(s.scenarios, one)
		s.files["s/"+one.File] = []byte(one.Text)
		s.files["s/"+one.Image] = []byte(one.Poster)
		if err := s.page("scenario.html", "s/"+one.Page, head{Scenario: one}); err != nil {
			return err
		}
		at := slices.IndexFunc(chapters, func(c chapter) bool { return c.Name == one.Chapter })
		if at < 0 {
			at = len(chapters)
			chapters = append(chapters, chapter{Name: one.Chapter})
		}
		chapters[at].Scenarios = append(chapters[at].Scenarios, one)
	}
	fmt.Fprintf(s.Log, "%d scenarios\n", len(s.scenarios))
	return s.page("list.html", "s/index.html", head{Chapters: chapters})
}

// addPages writes the page itself and the stage's frame. They come after every
// file whose hash they name.
func (s *site) addPages() error {
	first := s.scenarios[0]
	for _, one := range s.scenarios {
		if one.ID == DefaultScenario {
			first = one
		}
	}
	if err := s.page("stage.html", "stage.html", head{}); err != nil {
		return err
	}
	return s.page("index.html", "index.html", head{Scenario: first})
}

// page executes web/tmpl into the file name. {{asset "x"}} is the address of a
// file with its hash, {{bytes "x"}} its size; naming a missing file is an error.
func (s *site) page(tmpl, name string, data head) error {
	data.CSP = CSP
	text, err := os.ReadFile(filepath.Join(s.Root, "web", tmpl))
	if err != nil {
		return err
	}
	need := func(file string) ([]byte, error) {
		content, ok := s.files[file]
		if !ok {
			return nil, fmt.Errorf("%s names %s, which is not built", tmpl, file)
		}
		return content, nil
	}
	t, err := template.New(tmpl).Funcs(template.FuncMap{
		"asset": func(file string) (string, error) {
			content, err := need(file)
			return file + "?v=" + hash(content), err
		},
		"bytes": func(file string) (int, error) {
			content, err := need(file)
			return len(content), err
		},
	}).Parse(string(text))
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		return err
	}
	s.files[name] = out.Bytes()
	return nil
}
