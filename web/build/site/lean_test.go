package site

import (
	"go/format"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLean: the changed copy of Ebitengine carries neither text/template nor
// go/build, and has the source of every built-in shader.
func TestLean(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	s := &site{Options: Options{Root: root, Log: io.Discard}, cache: t.TempDir()}
	file, err := s.leanModules("./wasm/stage")
	if err != nil {
		t.Fatal(err)
	}
	if file, err := s.leanModules("./wasm/app"); file != "" || err != nil {
		t.Errorf("the app needs no Ebitengine: %q, %v", file, err)
	}
	deps, err := s.goCommand("list", "-deps", "-modfile="+file, "./wasm/stage")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"text/template", "go/build", "os/exec"} {
		if strings.Contains("\n"+deps+"\n", "\n"+p+"\n") {
			t.Errorf("the stage still needs %s", p)
		}
	}
	for name := range leaner {
		text, err := os.ReadFile(filepath.Join(s.cache, "ebiten", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := format.Source(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.HasSuffix(name, "shader.go") {
			continue
		}
		for part, times := range map[string]int{"func Fragment(dstPos": 9, "src0Pos - 1/2.0": 3, "inversedScale := ": 3, "p0 = adjust": 2, "c0 := imageSrc0At(": 4, "{{": 0} {
			if n := strings.Count(string(text), part); n != times {
				t.Errorf("%s: %d times %q, want %d", name, n, part, times)
			}
		}
	}
}

// TestLinked: the licences are those of the modules that the programs are made of,
// and of no others.
func TestLinked(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	s := &site{Options: Options{Root: root, Log: io.Discard}}
	out, err := s.goCommand("list", "-deps", "-f", `{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}`, "./wasm/app", "./wasm/stage")
	if err != nil {
		t.Fatal(err)
	}
	modules := slices.Sorted(strings.FieldsSeq(out))
	want := slices.Sorted(slices.Values(linked))
	if modules = slices.Compact(modules); !slices.Equal(modules, want) {
		t.Errorf("the programs are made of\n%s\nthe licences are those of\n%s", strings.Join(modules, "\n"), strings.Join(want, "\n"))
	}
}

// TestLeanRefuses: an original that is not as it was is an error that says how.
func TestLeanRefuses(t *testing.T) {
	shaders := "package p\n\nimport (\n\"bytes\"\n\"fmt\"\n\"text/template\"\n)\n\nconst (\nFilterNearest Filter = iota\n)\nconst (\nAddressUnsafe Address = iota\n)\n" +
		"var tmpl = template.Must(template.New(\"\").Parse(`{{.Filter}} {{.Address}}`))\nfunc ShaderSource() {}\n"
	if _, err := rewrite([]byte(shaders), (*source).expandShaders); err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct{ old, fresh, want string }{
		{"var tmpl", "var text", "no variable tmpl"},
		{"FilterNearest Filter = iota", "FilterNearest = 0", "filters []"},
		{"{{.Address}}", "{{.Blend}}", "Blend"},
		{"func ShaderSource", "func Source", "no function ShaderSource"},
		{`"fmt"`, `"errors"`, "no import of fmt"},
		{"package p", "package", "expected"},
	} {
		_, err := rewrite([]byte(strings.Replace(shaders, one.old, one.fresh, 1)), (*source).expandShaders)
		if err == nil || !strings.Contains(err.Error(), one.want) {
			t.Errorf("%s instead of %s: %v, want %q", one.fresh, one.old, err, one.want)
		}
	}
	if _, err := rewrite([]byte("package p\n"), (*source).findNothing); err == nil {
		t.Error("a file without FirstCaller is accepted")
	}
}
