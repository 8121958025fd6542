package site

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

// Three files of Ebitengine weigh a fifth of the stage and do nothing in a browser
// that cannot be done beforehand. Two of them write the sources of shaders with
// text/template, which calls methods by name, so that the linker must keep every
// exported method of every type: here the sources are written at build time. The
// third looks for Ebitengine's own source with go/build, to leave it out of a
// warning; a browser has no such folder, and it always answers that there is none.
//
// The stage is compiled with a copy of Ebitengine in which the three files are
// changed. Without it, as plain go build does it, the stage is larger and behaves
// the same.

const ebitenModule = "github.com/hajimehoshi/ebiten/v2"

// leaner are the changed files, by their path in the module, and how each is made
// of the original. An original that is not as expected is an error.
var leaner = map[string]func(*source) error{
	"internal/builtinshader/shader.go": (*source).expandShaders,
	"internal/colormshader/shader.go":  (*source).expandShaders,
	"internal/debug/caller.go":         (*source).findNothing,
}

// leanModules gives a go.mod like ours that takes Ebitengine from the changed copy,
// which it writes into the cache: the packages that pkg needs, no more. It gives
// "" for a program without Ebitengine.
func (s *site) leanModules(pkg string) (modFile string, err error) {
	packages, err := s.goCommand("list", "-deps", "-f", `{{with .Module}}{{if eq .Path "`+ebitenModule+`"}}{{$.Dir}}{{end}}{{end}}`, pkg)
	if packages == "" || err != nil {
		return "", err
	}
	dir, err := s.moduleDir(ebitenModule)
	if err != nil {
		return "", err
	}
	copied := filepath.Join(s.cache, "ebiten")
	if err := os.RemoveAll(copied); err != nil {
		return "", err
	}
	for from := range strings.Lines(dir + "\n" + packages) {
		if err := copyPackage(dir, strings.TrimSpace(from), copied); err != nil {
			return "", err
		}
	}
	modules, err := os.ReadFile(filepath.Join(s.Root, "go.mod"))
	if err != nil {
		return "", err
	}
	sums, err := os.ReadFile(filepath.Join(s.Root, "go.sum"))
	if err != nil {
		return "", err
	}
	place, err := filepath.Rel(s.Root, copied) // the program's build info has it
	if err != nil {
		return "", err
	}
	modules = fmt.Appendf(modules, "\nreplace %s => %s\n", ebitenModule, strconv.Quote("./"+filepath.ToSlash(place)))
	modFile = filepath.Join(s.cache, "lean.mod")
	if err := os.WriteFile(modFile, modules, 0o644); err != nil {
		return "", err
	}
	return modFile, os.WriteFile(filepath.Join(s.cache, "lean.sum"), sums, 0o644)
}

// copyPackage copies the files of the folder from, which is in the module dir, to
// the same place in the module to, changed where they are to be leaner.
func copyPackage(dir, from, to string) error {
	path, err := filepath.Rel(dir, from)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(to, path), 0o755); err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		name := filepath.Join(path, e.Name())
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if change := leaner[filepath.ToSlash(name)]; change != nil {
			if data, err = rewrite(data, change); err != nil {
				return fmt.Errorf("%s is not as it was when web/build/site/lean.go was written: %w; adapt lean.go or take the file out of its list", filepath.Join(dir, name), err)
			}
		}
		if err := os.WriteFile(filepath.Join(to, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// source is a Go file that is being changed.
type source struct {
	text  []byte
	files *token.FileSet
	tree  *ast.File
	edits []edit
}

// edit puts text in the place of the bytes from..to.
type edit struct {
	from, to int
	text     string
}

// rewrite is a file with the edits of change.
func rewrite(text []byte, change func(*source) error) ([]byte, error) {
	s := &source{text: text, files: token.NewFileSet()}
	var err error
	if s.tree, err = parser.ParseFile(s.files, "", text, parser.SkipObjectResolution); err != nil {
		return nil, err
	}
	if err := change(s); err != nil {
		return nil, err
	}
	slices.SortFunc(s.edits, func(a, b edit) int { return b.from - a.from })
	for _, e := range s.edits { // from behind
		text = slices.Concat(text[:e.from], []byte(e.text), text[e.to:])
	}
	return text, nil
}

func (s *source) put(n ast.Node, text string) {
	s.edits = append(s.edits, edit{s.files.Position(n.Pos()).Offset, s.files.Position(n.End()).Offset, text})
}

// body replaces what a function does.
func (s *source) body(name, text string) error {
	for _, d := range s.tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == name {
			s.put(f.Body, "{\n"+text+"\n}")
			return nil
		}
	}
	return fmt.Errorf("no function %s", name)
}

// forget removes imports.
func (s *source) forget(paths ...string) error {
	for _, path := range paths {
		i := slices.IndexFunc(s.tree.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == strconv.Quote(path) })
		if i < 0 {
			return fmt.Errorf("no import of %s", path)
		}
		s.put(s.tree.Imports[i], "")
	}
	return nil
}

// specs are the constants and variables of the file, each with its declaration.
func (s *source) specs(tok token.Token) (list []*ast.ValueSpec) {
	for _, d := range s.tree.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == tok {
			for _, one := range g.Specs {
				list = append(list, one.(*ast.ValueSpec))
			}
		}
	}
	return list
}

// names are the constants of an enumeration, in order: the first has the type and
// counts from 0.
func (s *source) names(kind string) (names []string) {
	for _, v := range s.specs(token.CONST) {
		typed, _ := v.Type.(*ast.Ident)
		switch {
		case typed != nil && typed.Name == kind, typed == nil && len(v.Values) == 0 && len(names) > 0 && strings.HasPrefix(v.Names[0].Name, kind):
			names = append(names, v.Names[0].Name)
		}
	}
	return names
}

// expandShaders puts the results of the template, for every filter and every
// treatment of what lies outside of the source image, in the place of the template.
func (s *source) expandShaders() error {
	i := slices.IndexFunc(s.specs(token.VAR), func(v *ast.ValueSpec) bool { return v.Names[0].Name == "tmpl" })
	if i < 0 {
		return errors.New("no variable tmpl")
	}
	spec := s.specs(token.VAR)[i]
	var text string
	ast.Inspect(spec, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && strings.HasPrefix(lit.Value, "`") {
			text = strings.Trim(lit.Value, "`")
		}
		return true
	})
	filters, addresses := s.names("Filter"), s.names("Address")
	if text == "" || len(filters) == 0 || len(addresses) == 0 {
		return fmt.Errorf("a template of %d bytes, filters %v, addresses %v", len(text), filters, addresses)
	}
	t, err := template.New("tmpl").Option("missingkey=error").Parse(text)
	if err != nil {
		return err
	}
	data := map[string]int{}
	for i, name := range filters {
		data[name] = i
	}
	for i, name := range addresses {
		data[name] = i
	}
	table := "sources = [FilterCount][AddressCount]string{\n"
	for data["Filter"] = range filters {
		table += "{\n"
		for data["Address"] = range addresses {
			var out bytes.Buffer
			if err := t.Execute(&out, data); err != nil {
				return err
			}
			table += strconv.Quote(out.String()) + ",\n"
		}
		table += "},\n"
	}
	s.put(spec, table+"}")
	if err := s.body("ShaderSource", "return []byte(sources[filter][address])"); err != nil {
		return err
	}
	return s.forget("bytes", "fmt", "text/template")
}

// findNothing is FirstCaller where Ebitengine's source is not found.
func (s *source) findNothing() error {
	for _, v := range s.specs(token.VAR) {
		if strings.HasPrefix(v.Names[0].Name, "ebitengineFileDir") {
			s.put(v, "")
		}
	}
	if err := s.body("FirstCaller", `return "", 0, CallerTypeNone`); err != nil {
		return err
	}
	return s.forget("go/build", "path", "path/filepath", "runtime", "strings", "sync")
}
