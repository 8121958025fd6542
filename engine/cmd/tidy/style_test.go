package tidy

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/token"
	"path"
	"regexp"
	"strings"
	"testing"
)

// Limits of length, in lines.
const (
	funcLinesMax = 70
	fileLinesMax = 600
)

// lengthAllowances bend the limits: "file" or "file function" -> reason.
var lengthAllowances = map[string]string{}

// Every file is as gofmt would write it; generated code is its generator's.
func TestFormat(t *testing.T) {
	for _, s := range sources(t) {
		if s.generated {
			continue
		}
		want, err := format.Source(s.text)
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
		} else if !bytes.Equal(want, s.text) {
			t.Errorf("%s is not formatted: gofmt -w it", s.name)
		}
	}
}

// Every package says in doc.go what it owns and what it refuses.
func TestDocs(t *testing.T) {
	docs, packages := map[string]*ast.File{}, map[string]string{}
	for _, s := range sources(t) {
		if path.Base(s.name) == "doc.go" {
			docs[s.dir()] = s.tree
		}
		if !strings.HasSuffix(s.tree.Name.Name, "_test") {
			packages[s.dir()] = s.tree.Name.Name
		}
	}
	for dir, name := range packages {
		tree, ok := docs[dir]
		if !ok {
			t.Errorf("%s has no doc.go", dir)
			continue
		}
		want := "Package " + name + " "
		if name == "main" {
			want = "Command " + path.Base(dir) + " "
		}
		if text := tree.Doc.Text(); !strings.HasPrefix(text, want) {
			t.Errorf("%s/doc.go does not begin with %q", dir, want)
		}
	}
}

// Functions fit a screen, and files can be read in one go.
func TestLengths(t *testing.T) {
	allowed := allow(lengthAllowances)
	for _, s := range sources(t) {
		if s.generated || s.test {
			continue
		}
		if n := bytes.Count(s.text, []byte("\n")); n > fileLinesMax && !allowed.has(s.name) {
			t.Errorf("%s has %d lines; the limit is %d", s.name, n, fileLinesMax)
		}
		for _, decl := range s.tree.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n := s.files.Position(f.End()).Line - s.files.Position(f.Pos()).Line + 1
			if n > funcLinesMax && !allowed.has(s.name+" "+f.Name.Name) {
				t.Errorf("%s: %s has %d lines; the limit is %d", s.at(f.Pos()), f.Name.Name, n, funcLinesMax)
			}
		}
	}
	allowed.stale(t)
}

// What a package shows to others is documented. Methods that a known interface
// asks for need no words.
func TestExportedNamesAreDocumented(t *testing.T) {
	for _, s := range sources(t) {
		if s.generated || s.test || s.tree.Name.Name == "main" {
			continue
		}
		for _, decl := range s.tree.Decls {
			for _, name := range undocumented(decl) {
				t.Errorf("%s: %s has no comment", s.at(name.Pos()), name.Name)
			}
		}
	}
}

// wellKnown are methods whose meaning is their name's.
var wellKnown = map[string]bool{"String": true, "Error": true, "Unwrap": true, "Len": true, "Less": true, "Swap": true}

// undocumented lists the exported names of a declaration that have no comment.
func undocumented(decl ast.Decl) []*ast.Ident {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && !(d.Recv != nil && (wellKnown[d.Name.Name] || !exportedReceiver(d.Recv))) {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		if d.Tok != token.IMPORT && d.Doc == nil {
			return undocumentedSpecs(d)
		}
	}
	return nil
}

// undocumentedSpecs looks into a group without a comment of its own.
func undocumentedSpecs(d *ast.GenDecl) []*ast.Ident {
	var list []*ast.Ident
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && s.Doc == nil && s.Comment == nil {
				list = append(list, s.Name)
			}
		case *ast.ValueSpec:
			for _, name := range s.Names {
				if name.IsExported() && s.Doc == nil && s.Comment == nil {
					list = append(list, name)
				}
			}
		}
	}
	return list
}

// exportedReceiver tells whether a method's type can be seen from outside.
func exportedReceiver(list *ast.FieldList) bool {
	x := list.List[0].Type
	for {
		switch e := x.(type) {
		case *ast.StarExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.IndexListExpr:
			x = e.X
		case *ast.Ident:
			return e.IsExported()
		default:
			return false
		}
	}
}

// leftovers are words that promise something for later, and paths of the
// machine that somebody worked on. They are put together here so that this file
// does not find itself.
var leftovers = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b|(^|[\s"'` + "`" + `(=])/(ro` + `ot|ho` + `me/\w+|wo` + `rk|Us` + `ers/\w+)/`)

// text tells by name whether a file is written text.
func text(name string) bool {
	switch path.Ext(name) {
	case ".go", ".md", ".html", ".css", ".js", ".hw", ".vugu", ".txt", ".mod", ".svg", ".json":
		return true
	}
	return path.Base(name) == "Makefile" || path.Base(name) == "run"
}

func TestNoLeftovers(t *testing.T) {
	for _, name := range paths(t) {
		if !text(name) {
			continue
		}
		for i, line := range bytes.Split(read(t, name), []byte("\n")) {
			if leftovers.Match(line) {
				t.Errorf("%s:%d: %s", name, i+1, bytes.TrimSpace(line))
			}
		}
	}
}
