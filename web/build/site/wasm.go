package site

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// addModules compiles the two programs. An executable that is up to date in the
// cache is not linked again.
func (s *site) addModules() error {
	for _, m := range []struct{ name, pkg string }{{"app.wasm", s.App}, {"stage.wasm", s.Stage}} {
		data, err := s.module(path.Base(m.pkg), m.pkg)
		if err != nil {
			return err
		}
		s.files[m.name] = data
	}
	return nil
}

// inlined are the packages whose functions the compiler may inline: what runs for
// every event and every frame. Everywhere else it may not, which takes a tenth
// off the compressed modules.
var inlined = []string{
	"runtime", "internal/...", "encoding/binary", "math/bits", "slices", "cmp", "sort", "maps", "hash/crc32",
	"sync", "sync/atomic", "strings", "bytes", "unicode/utf8",
	"github.com/highwater-sim/highwater/engine/sim/...", "github.com/highwater-sim/highwater/engine/broker",
	"github.com/highwater-sim/highwater/engine/storage", "github.com/highwater-sim/highwater/engine/record/...",
	"github.com/highwater-sim/highwater/engine/client", "github.com/highwater-sim/highwater/engine/client/producer",
	"github.com/highwater-sim/highwater/engine/client/consumer", "github.com/highwater-sim/highwater/engine/trace",
	"github.com/highwater-sim/highwater/engine/node", "github.com/highwater-sim/highwater/engine/kafka",
	"github.com/highwater-sim/highwater/engine", "github.com/highwater-sim/highwater/engine/law",
	"github.com/highwater-sim/highwater/engine/world", "github.com/highwater-sim/highwater/engine/scenario",
	"github.com/highwater-sim/highwater/engine/metadata", "github.com/highwater-sim/highwater/engine/raft",
	"github.com/highwater-sim/highwater/engine/view", "github.com/highwater-sim/highwater/ui/layout",
	"github.com/highwater-sim/highwater/ui/motion", "github.com/highwater-sim/highwater/ui/theme",
	"github.com/highwater-sim/highwater/ui/scene/...", "github.com/highwater-sim/highwater/ui/paint/...",
}

// forBrowser is what the go command needs in its environment.
var forBrowser = []string{"GOOS=js", "GOARCH=wasm"}

// module compiles one package for the browser, without debugging data. An empty
// program is compiled as Go does by itself: it is what ours is compared with.
func (s *site) module(name, pkg string) ([]byte, error) {
	began := time.Now()
	file := filepath.Join(s.cache, name+".wasm")
	args := []string{"build", "-trimpath", "-ldflags=-s -w", "-o", file}
	if !strings.HasPrefix(name, "empty") {
		args = append(args, "-gcflags=all=-l")
		for _, p := range inlined {
			args = append(args, "-gcflags="+p+"=")
		}
		modules, err := s.leanModules(pkg)
		if err != nil {
			return nil, err
		}
		if modules != "" {
			args = append(args, "-modfile="+modules)
		}
	}
	cmd := exec.Command("go", append(args, pkg)...)
	cmd.Dir = s.Root
	cmd.Env = append(os.Environ(), forBrowser...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(s.Log, "%-24s %9d bytes  %5.1f s\n", name+".wasm", len(data), time.Since(began).Seconds())
	return data, nil
}

// addScripts takes Go's loader from the toolchain that compiled the modules, and
// vugu's helper out of the source of the module that is linked in.
func (s *site) addScripts() error {
	out, err := s.goCommand("env", "GOROOT")
	if err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(out, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	s.files["wasm_exec.js"] = data
	dir, err := s.moduleDir("github.com/vugu/vugu")
	if err != nil {
		return err
	}
	script, err := vuguHelper(filepath.Join(dir, "domrender", "renderer-js-script.go"))
	if err != nil {
		return err
	}
	s.files["vugu.js"] = []byte(script)
	return nil
}

// vuguHelper is the script that vugu hands to window.eval at its start. Written
// into a file, it needs no eval, and the content policy can forbid it.
func vuguHelper(file string) (string, error) {
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		return "", err
	}
	for _, decl := range tree.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range gen.Specs {
			value, ok := spec.(*ast.ValueSpec)
			if !ok || len(value.Names) != 1 || value.Names[0].Name != "jsHelperScript" {
				continue
			}
			if lit, ok := value.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
				return strconv.Unquote(lit.Value)
			}
		}
	}
	return "", errors.New(file + ": no constant jsHelperScript")
}

// goCommand runs the go command in the repository, for the browser, and gives its
// trimmed output.
func (s *site) goCommand(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = s.Root
	cmd.Env = append(os.Environ(), forBrowser...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// moduleDir is where the source of a module of go.mod lies.
func (s *site) moduleDir(path string) (string, error) {
	if _, err := s.goCommand("mod", "download", path); err != nil {
		return "", err
	}
	return s.goCommand("list", "-m", "-f", "{{.Dir}}", path)
}
