package site

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Scenario is what the pages show of one scenario.
type Scenario struct {
	ID      string // chapter folder and file name: durability-acks-one
	Chapter string // as the text says it, else the folder
	Title   string
	Summary string   // one sentence
	Prose   []string // paragraphs
	Text    string
	Poster  template.HTML // SVG, empty where none can be drawn
	Page    string        // file name of its page
	File    string        // file name of its text
	Image   string        // file name of its poster
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
// the list of all.
func (s *site) addScenarios() error {
	list, err := s.scenarios()
	if err != nil {
		return err
	}
	var chapters []chapter
	for _, one := range list {
		s.files["s/"+one.File] = []byte(one.Text)
		if one.Poster != "" {
			s.files["s/"+one.Image] = []byte(one.Poster)
		}
		if err := s.page("scenario.html", "s/"+one.Page, head{Scenario: one}); err != nil {
			return err
		}
		if n := len(chapters); n == 0 || chapters[n-1].Name != one.Chapter {
			chapters = append(chapters, chapter{Name: one.Chapter})
		}
		last := &chapters[len(chapters)-1]
		last.Scenarios = append(last.Scenarios, one)
	}
	fmt.Fprintf(s.Log, "%d scenarios\n", len(list))
	return s.page("list.html", "s/index.html", head{Chapters: chapters})
}

// scenarios reads scenarios/**/*.hw in the order of their names.
func (s *site) scenarios() ([]Scenario, error) {
	root := filepath.Join(s.Root, "scenarios")
	var list []Scenario
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == "testdata" {
			return fs.SkipDir
		}
		if entry.IsDir() || path.Ext(name) != ".hw" {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		one := readScenario(name, string(text))
		if one.Poster, err = poster(one.Text); err != nil {
			return fmt.Errorf("poster of %s: %w", name, err)
		}
		list = append(list, one)
		return nil
	})
	return list, err
}

// readScenario takes the words for the page out of a scenario's text.
func readScenario(name, text string) Scenario {
	id := strings.TrimSuffix(name, ".hw")
	file := strings.ReplaceAll(id, "/", "-")
	one := Scenario{ID: id, Title: id, Chapter: path.Dir(name), Text: text, Page: file + ".html", File: file + ".hw", Image: file + ".svg"}
	if one.Chapter == "." {
		one.Chapter = "other"
	}
	var said []string
	for _, line := range strings.Split(text, "\n") {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		rest = strings.TrimSpace(rest)
		switch word {
		case "title":
			one.Title = rest
		case "chapter":
			one.Chapter = rest
		case "text":
			one.Prose = append(one.Prose, rest)
		case "say":
			said = append(said, rest)
		case "at":
			if _, after, ok := strings.Cut(rest, " say "); ok {
				said = append(said, strings.TrimSpace(after))
			}
		}
	}
	if len(one.Prose) == 0 {
		one.Prose = said
	}
	if len(one.Prose) > 0 {
		one.Summary = one.Prose[0]
	}
	return one
}

// addPages writes the page itself and the stage's frame. They come after every
// file whose hash they name.
func (s *site) addPages() error {
	first := Scenario{Title: "A Kafka cluster in your browser"}
	list, err := s.scenarios()
	if err != nil {
		return err
	}
	for _, one := range list {
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
