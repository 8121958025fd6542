package site

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/highwater-sim/highwater/scenarios"
)

// build makes the site as Build does, but with two small files for the modules:
// their compilation is what the browser tests are for.
func build(t *testing.T) *site {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "dist")
	s := &site{Options: Options{Root: root, Out: out, Log: io.Discard}, files: map[string][]byte{}, cache: t.TempDir()}
	s.files["app.wasm"] = bytes.Repeat([]byte("app "), 500)
	s.files["stage.wasm"] = bytes.Repeat([]byte("stage "), 500)
	for _, step := range []func() error{s.addScripts, s.addFonts, s.addAssets, s.addScenarios, s.addPages, s.compress, s.addManifest, s.write} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestSite(t *testing.T) {
	s := build(t)
	t.Run("manifest", func(t *testing.T) { checkManifest(t, s) })
	t.Run("copies", func(t *testing.T) { checkCopies(t, s) })
	t.Run("policy", func(t *testing.T) { checkPolicy(t, s) })
	t.Run("links", func(t *testing.T) { checkLinks(t, s) })
	t.Run("scripts", func(t *testing.T) { checkScripts(t, s) })
	t.Run("again", func(t *testing.T) {
		before := s.files[manifestName]
		if again := build(t); !bytes.Equal(before, again.files[manifestName]) {
			t.Error("the same repository gave another site")
		}
	})
}

// checkManifest: every file is listed with its true sizes.
func checkManifest(t *testing.T, s *site) {
	data, err := os.ReadFile(filepath.Join(s.Out, manifestName))
	if err != nil {
		t.Fatal(err)
	}
	var list []Entry
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	size := func(name string) int {
		info, err := os.Stat(filepath.Join(s.Out, filepath.FromSlash(name)))
		if err != nil {
			return 0
		}
		return int(info.Size())
	}
	seen := 1 // the manifest itself
	for _, e := range list {
		if size(e.Name) != e.Bytes || size(e.Name+".gz") != e.Gzip || size(e.Name+".br") != e.Brotli {
			t.Errorf("%+v, but the files have %d, %d, %d bytes", e, size(e.Name), size(e.Name+".gz"), size(e.Name+".br"))
		}
		seen++
		for _, n := range []int{e.Gzip, e.Brotli} {
			if n > 0 {
				seen++
			}
		}
	}
	if seen != len(s.files) {
		t.Errorf("the manifest accounts for %d of %d files", seen, len(s.files))
	}
}

// checkCopies: each compressed copy is its file again.
func checkCopies(t *testing.T, s *site) {
	copies := 0
	for _, name := range s.names() {
		var r io.Reader
		switch path.Ext(name) {
		case ".gz":
			z, err := gzip.NewReader(bytes.NewReader(s.files[name]))
			if err != nil {
				t.Fatal(name, err)
			}
			r = z
		case ".br":
			r = brotli.NewReader(bytes.NewReader(s.files[name]))
		default:
			continue
		}
		copies++
		data, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(data, s.files[name[:len(name)-3]]) {
			t.Errorf("%s is not its file: %v", name, err)
		}
	}
	if copies < 20 || s.files["app.wasm.br"] == nil || s.files["index.html.gz"] == nil {
		t.Errorf("only %d compressed copies", copies)
	}
}

var (
	scripts = regexp.MustCompile(`<script[^>]*>`)
	handler = regexp.MustCompile(`<[^>]*\s(on[a-z]+|style)\s*=`)
	address = regexp.MustCompile(`\s(?:href|src|data-src|data-app|data-stage|content)="([^"]*)"`)
)

// checkPolicy: every page carries the policy, and nothing that it forbids.
func checkPolicy(t *testing.T, s *site) {
	pages := 0
	for _, name := range s.names() {
		if path.Ext(name) != ".html" {
			continue
		}
		pages++
		page := string(s.files[name])
		if !strings.Contains(strings.ReplaceAll(page, "&#39;", "'"), `http-equiv="Content-Security-Policy" content="`+CSP+`"`) {
			t.Errorf("%s has no policy", name)
		}
		for _, tag := range scripts.FindAllString(page, -1) {
			if !strings.Contains(tag, "src=") {
				t.Errorf("%s: inline script", name)
			}
		}
		if strings.Contains(page, "<style") || handler.MatchString(page) {
			t.Errorf("%s: inline style or handler: %s", name, handler.FindString(page))
		}
		if name != "stage.html" && !strings.Contains(page, "Apache Kafka is a trademark of the Apache Software Foundation. Highwater is not affiliated with it.") {
			t.Errorf("%s: no trademark line", name)
		}
	}
	if pages < 4 {
		t.Errorf("only %d pages", pages)
	}
	for _, forbidden := range []string{"unsafe-inline", "unsafe-eval'", "http:", "https:", "*"} {
		if strings.Contains(strings.ReplaceAll(CSP, "'wasm-unsafe-eval'", ""), forbidden) {
			t.Errorf("the policy allows %s", forbidden)
		}
	}
}

// checkLinks: addresses are relative, stay inside, resolve, and carry the hash of
// what they name.
func checkLinks(t *testing.T, s *site) {
	count := 0
	for _, name := range s.names() {
		if ext := path.Ext(name); ext != ".html" && ext != ".css" {
			continue
		}
		text := string(s.files[name])
		links := address.FindAllStringSubmatch(text, -1)
		links = append(links, regexp.MustCompile(`url\("([^"]*)()"\)`).FindAllStringSubmatch(text, -1)...)
		for _, m := range links {
			if strings.Contains(m[0], "content=") && !strings.HasSuffix(strings.SplitN(m[1], "?", 2)[0], ".svg") {
				continue
			}
			count++
			u, err := url.Parse(strings.ReplaceAll(m[1], "&amp;", "&"))
			if err != nil || u.IsAbs() || u.Host != "" || strings.HasPrefix(u.Path, "/") {
				t.Errorf("%s: %q is not relative", name, m[1])
				continue
			}
			target := path.Join(path.Dir(name), u.Path)
			data, ok := s.files[target]
			if !ok {
				t.Errorf("%s: %q names nothing", name, m[1])
			} else if v := u.Query().Get("v"); v != "" && v != hash(data) {
				t.Errorf("%s: %q has another file's hash", name, m[1])
			}
		}
	}
	if count < 30 {
		t.Errorf("only %d links", count)
	}
}

// checkScripts: no script of ours names another site, and vugu's helper is there.
func checkScripts(t *testing.T, s *site) {
	for _, name := range []string{"loader.js", "theme.js", "stage.js", "embed.js"} {
		if strings.Contains(string(s.files[name]), "://") {
			t.Errorf("%s names an absolute address", name)
		}
	}
	if n := len(s.files["embed.js"]); n > 5120 {
		t.Errorf("embed.js has %d bytes; at most 5 kB", n)
	}
	if !bytes.Contains(s.files["vugu.js"], []byte("window.vuguRender=")) {
		t.Error("vugu.js does not define vuguRender")
	}
	if !bytes.Contains(s.files["licences.txt"], []byte("Ebitengine Authors")) && !bytes.Contains(s.files["licences.txt"], []byte("ebiten")) {
		t.Error("licences.txt lacks ebiten's")
	}
}

// A folder with other content is not replaced.
func TestMayReplace(t *testing.T) {
	dir := t.TempDir()
	if err := mayReplace(filepath.Join(dir, "new")); err != nil {
		t.Error(err)
	}
	if err := mayReplace(dir); err != nil {
		t.Error("empty:", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "letter.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := mayReplace(dir); err == nil {
		t.Error("a folder with a letter in it may be replaced")
	}
	if err := os.WriteFile(filepath.Join(dir, manifestName), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := mayReplace(dir); err != nil {
		t.Error("a site:", err)
	}
}

func TestReadScenario(t *testing.T) {
	one, err := readScenario("log/small", "title Small\nchapter log\ntext First sentence. And more.\ncluster brokers=3\ntopic t partitions=1 replication.factor=3\nproducer app topic=t acks=all rate=10/s\nat 2s say Hello.\n")
	if err != nil {
		t.Fatal(err)
	}
	if one.ID != "log/small" || one.Page != "log-small.html" || one.Title != "Small" || one.Summary != "First sentence." {
		t.Errorf("%+v", one)
	}
	if svg := string(one.Poster); !strings.HasPrefix(svg, "<svg") || !strings.Contains(svg, ">t-0<") {
		t.Errorf("poster: %.300s", svg)
	}
	if _, err := readScenario("log/bad", "title Bad\nnonsense\n"); err == nil {
		t.Error("a broken scenario has a page")
	}
}

// What the README shows is a scenario, and the id that it embeds is a lesson.
func TestReadme(t *testing.T) {
	data, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile("(?s)```\n(title .*?)```").FindSubmatch(data)
	if text == nil {
		t.Fatal("the README shows no scenario")
	}
	if _, err := readScenario("readme/example", string(text[1])); err != nil {
		t.Error(err)
	}
	id := regexp.MustCompile(`scenario="([^"]+)"`).FindSubmatch(data)
	if id == nil || scenarios.Text(string(id[1])) == "" {
		t.Errorf("the README embeds %s, which is no lesson", id)
	}
}
