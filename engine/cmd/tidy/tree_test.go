package tidy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// root is the repository, from this package's folder.
const root = "../../.."

// module is the path that our imports begin with.
const module = "github.com/highwater-sim/highwater"

// source is one Go file.
type source struct {
	name      string // slash-separated, from the root
	text      []byte
	tree      *ast.File
	files     *token.FileSet
	test      bool
	generated bool
}

// dir is the package's folder, from the root.
func (s source) dir() string { return path.Dir(s.name) }

// at is where a position lies, as NAME:LINE.
func (s source) at(pos token.Pos) string {
	p := s.files.Position(pos)
	return s.name + ":" + itoa(p.Line)
}

// skipped are folders that hold nothing written by us.
func skipped(dir string) bool {
	switch path.Base(dir) {
	case ".git", ".cache", "bin", "dist", "dist.new":
		return true
	}
	return false
}

// paths lists the files of the repository, from the root.
func paths(t *testing.T) []string {
	t.Helper()
	var list []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if skipped(name) && name != "." {
				return fs.SkipDir
			}
			return nil
		}
		list = append(list, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// read reads a file of the repository.
func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// sources parses every Go file outside of testdata.
func sources(t *testing.T) []source {
	t.Helper()
	var list []source
	for _, name := range paths(t) {
		if !strings.HasSuffix(name, ".go") || strings.Contains("/"+name, "/testdata/") {
			continue
		}
		s := source{name: name, text: read(t, name), files: token.NewFileSet(), test: strings.HasSuffix(name, "_test.go")}
		tree, err := parser.ParseFile(s.files, name, s.text, parser.ParseComments)
		if err != nil {
			t.Error(err)
			continue
		}
		s.tree, s.generated = tree, ast.IsGenerated(tree) || strings.HasSuffix(name, "_gen.go")
		list = append(list, s)
	}
	return list
}

// under tells whether dir is one of the folders or inside one.
func under(dir string, folders ...string) bool {
	for _, f := range folders {
		if dir == f || strings.HasPrefix(dir, f+"/") {
			return true
		}
	}
	return false
}

// allowances collects which of a table's exceptions were needed.
type allowances struct {
	table map[string]string // name -> reason
	used  map[string]bool
}

func allow(table map[string]string) *allowances {
	return &allowances{table: table, used: map[string]bool{}}
}

// has tells whether name is excepted.
func (a *allowances) has(name string) bool {
	_, ok := a.table[name]
	if ok {
		a.used[name] = true
	}
	return ok
}

// stale fails for each exception that nothing needs.
func (a *allowances) stale(t *testing.T) {
	t.Helper()
	for name := range a.table {
		if !a.used[name] {
			t.Errorf("the allowance for %s is not needed any more", name)
		}
	}
}
