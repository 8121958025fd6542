package tidy

import (
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
)

// topLevel is all that may lie at the root.
var topLevel = []string{
	"engine", "ui", "wasm", "web", "scenarios",
	"Makefile", "go.mod", "go.sum", "README.md", "LICENSE", ".ci", ".gitignore",
}

// built is what a build leaves at the root; git ignores it.
var built = []string{".git", ".cache", "bin"}

func TestTopLevel(t *testing.T) {
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasSuffix(name, ".test") || strings.HasSuffix(name, ".out") {
			continue // a test binary or a profile; git ignores them too
		}
		if !contains(topLevel, name) && !contains(built, name) {
			t.Errorf("%s does not belong at the top level", name)
		}
	}
}

// engineRank orders the engine: a package imports its own folder and lower ranks
// only. What shares a rank may not import each other, but for the top three.
var engineRank = map[string]int{
	"kafka":      0,
	"trace":      1,
	"record":     1,
	"sim":        2,
	"metadata":   3,
	"storage":    3,
	"raft":       4,
	"controller": 4,
	"broker":     4,
	"group":      4,
	"txn":        4,
	"client":     4,
	"node":       5,
	"law":        freeRank,
	"world":      freeRank,
	"view":       freeRank,
	"scenario":   freeRank,
	"":           7, // the facade
	"cmd":        8,
}

// freeRank is the level of law, world, view and scenario, which build on each
// other; the compiler's ban of cycles is rule enough there.
const freeRank = 6

// banned are standard packages that could make two runs differ, or reach out.
var banned = []string{
	"time", "math/rand", "math/rand/v2", "crypto/rand", "hash/maphash", "os", "sync", "net", "syscall", "context", "log", "runtime", "unsafe",
	"testing", "reflect", "plugin",
}

// toolkits say where a library may be imported outside of tests.
var toolkits = []struct {
	prefix  string
	allowed []string
}{
	{"github.com/hajimehoshi/ebiten", []string{"ui/paint/canvas", "wasm/stage"}},
	{"github.com/vugu", []string{"ui/panel", "wasm/app"}},
	{"honnef.co/go/js/dom", []string{"wasm"}},
	{"syscall/js", []string{"wasm"}},
	{"github.com/chromedp", nil},
	{"github.com/cockroachdb/datadriven", nil},
	{"pgregory.net/rapid", nil},
	{"github.com/anishathalye/porcupine", nil},
	{"github.com/twmb/franz-go/pkg/kgo", nil},
	{"github.com/twmb/franz-go/pkg/kfake", nil},
	{"github.com/twmb/franz-go", []string{"engine"}},
	{"golang.org/x/tools", nil},
	{"github.com/klauspost/compress", nil},
	{"github.com/pierrec/lz4", nil},
	{"github.com/andybalholm/brotli", []string{"web"}},
	{"testing", nil},
}

// importAllowances bend the import rules: "folder imports path" -> reason.
var importAllowances = map[string]string{
	"engine/view imports reflect":         "metadata records are printed by their fields; nothing runs on what it prints",
	"engine/sim/det imports math/rand/v2": "PCG is the generator behind the named streams; nothing else of it is used",
}

func TestImports(t *testing.T) {
	allowed := allow(importAllowances)
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		for _, spec := range s.tree.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			why := refuse(s.dir(), name)
			if why != "" && !allowed.has(s.dir()+" imports "+name) {
				t.Errorf("%s: %s imports %s: %s", s.at(spec.Pos()), s.dir(), name, why)
			}
		}
	}
	allowed.stale(t)
}

// refuse gives the rule that dir breaks by importing name, or nothing.
func refuse(dir, name string) string {
	if name == module || strings.HasPrefix(name, module+"/") {
		return refuseOurs(dir, strings.TrimPrefix(strings.TrimPrefix(name, module), "/"))
	}
	if under(dir, "engine") && !under(dir, "engine/cmd") {
		for _, b := range banned {
			if under(name, b) {
				return "the engine has no clock, no chance, no thread and no outside"
			}
		}
	}
	for _, kit := range toolkits {
		if under(name, kit.prefix) {
			if under(dir, kit.allowed...) {
				return ""
			}
			if len(kit.allowed) == 0 {
				return "only tests use it"
			}
			return "only " + strings.Join(kit.allowed, ", ") + " may"
		}
	}
	return ""
}

// refuseOurs is refuse for our own packages, named from the root.
func refuseOurs(dir, target string) string {
	from, _, _ := strings.Cut(dir, "/")
	to, _, _ := strings.Cut(target, "/")
	if under(target, "engine/cmd") {
		return "commands are not imported"
	}
	switch {
	case to == "wasm" && from != "wasm":
		return "nothing imports wasm"
	case from == "engine":
		return refuseEngine(dir, target)
	case from == "ui" && !under(target, "ui", "engine/view", "engine/kafka") && target != "engine":
		return "ui sees engine/view, engine/kafka, the facade and ui"
	case from == "ui" && under(target, "ui/panel"):
		return "panels are mounted by wasm/app only"
	case from == "scenarios":
		return "scenarios are text"
	case from == "wasm" && !under(target, "wasm", "ui", "scenarios", "engine/view", "engine/kafka") && target != "engine":
		return "wasm sees what ui sees, and ui"
	case from == "web" && to == "engine" && target != "engine" && !under(target, "engine/kafka", "engine/view"):
		return "web sees the facade only"
	}
	return ""
}

// refuseEngine keeps the order of the engine's packages.
func refuseEngine(dir, target string) string {
	if !under(target, "engine") {
		if under(dir, "engine/cmd") {
			return ""
		}
		return "the engine knows nothing above it"
	}
	from, to := enginePart(dir), enginePart(target)
	low, known := engineRank[to]
	high, knownToo := engineRank[from]
	switch {
	case !known || !knownToo:
		return "engine/" + from + " or engine/" + to + " has no rank in this test"
	case from == to, high == freeRank && low == freeRank, low < high:
		return ""
	case low == high:
		return "machines never import each other"
	}
	return "the direction is wrong"
}

// enginePart is the folder directly below engine.
func enginePart(dir string) string {
	part, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(dir, "engine"), "/"), "/")
	return part
}

func contains(list []string, name string) bool {
	for _, one := range list {
		if one == name {
			return true
		}
	}
	return false
}

func itoa(n int) string { return strconv.Itoa(n) }

// The rules themselves: what must be refused is, what must pass does.
func TestRefuse(t *testing.T) {
	for _, c := range []struct {
		dir, name string
		ok        bool
	}{
		{"engine/broker", module + "/engine/storage", true},
		{"engine/broker", module + "/engine/controller", false},
		{"engine/broker/fetch", module + "/engine/broker", true},
		{"engine/kafka", module + "/engine/record", false},
		{"engine/metadata", module + "/engine/storage", false},
		{"engine/world", module + "/engine/law", true},
		{"engine/world", module + "/engine", false},
		{"engine/world", module + "/ui/model", false},
		{"engine", module + "/engine/world", true},
		{"engine/sim", "time", false},
		{"engine/sim", "sync/atomic", false},
		{"engine/cmd/highwater", "os", true},
		{"ui/scene", module + "/engine/view", true},
		{"ui/scene", module + "/engine/world", false},
		{"ui/scene", "syscall/js", false},
		{"ui/scene", "github.com/hajimehoshi/ebiten/v2", false},
		{"ui/paint/canvas", "github.com/hajimehoshi/ebiten/v2/vector", true},
		{"ui/model", "github.com/vugu/vugu", false},
		{"ui/panel", "github.com/vugu/vugu/js", true},
		{"ui/model", module + "/wasm/bridge", false},
		{"wasm/app", module + "/wasm/bridge", true},
		{"wasm/app", module + "/engine/world", false},
		{"web/build/site", "github.com/chromedp/chromedp", false},
	} {
		if why := refuse(c.dir, c.name); (why == "") != c.ok {
			t.Errorf("%s imports %s: refused %q", c.dir, path.Clean(c.name), why)
		}
	}
}
