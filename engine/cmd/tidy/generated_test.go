package tidy

import (
	"bytes"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// The committed output of vugugen is what it makes of the components today.
func TestGeneratedCodeIsFresh(t *testing.T) {
	folders := map[string]bool{}
	for _, name := range paths(t) {
		if path.Ext(name) == ".vugu" {
			folders[path.Dir(name)] = true
		}
	}
	for dir := range folders {
		temp := filepath.Join(t.TempDir(), path.Base(dir))
		if err := os.Mkdir(temp, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range paths(t) {
			if path.Dir(name) == dir && !strings.HasSuffix(name, "_gen.go") {
				if err := os.WriteFile(filepath.Join(temp, path.Base(name)), read(t, name), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		cmd := exec.Command("go", "tool", "vugugen", "-skip-go-mod", "-skip-main", temp)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("vugugen %s: %v\n%s", dir, err, out)
		}
		fresh, err := filepath.Glob(filepath.Join(temp, "*_gen.go"))
		if err != nil || len(fresh) == 0 {
			t.Fatalf("vugugen made nothing of %s: %v", dir, err)
		}
		for _, file := range fresh {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := dir + "/" + filepath.Base(file)
			have, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
			if err != nil || !bytes.Equal(have, want) {
				t.Errorf("%s is not what vugugen makes of the component: run go tool vugugen -skip-go-mod -skip-main %s", name, dir)
			}
		}
	}
}
