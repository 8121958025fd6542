package site

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
)

// CSP is the content policy of every page, as a meta element and as a header:
// nothing from elsewhere, no inline script, no inline style, no eval.
const CSP = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; " +
	"img-src 'self' data: blob:; connect-src 'self'; frame-src 'self'; font-src 'self'; " +
	"base-uri 'none'; form-action 'none'"

// Options say what to build.
type Options struct {
	Root string    // the repository
	Out  string    // the folder to write, replaced as a whole
	Fast bool      // gzip only and at low effort: for trying things out
	Log  io.Writer // progress, one line each

	App, Stage string // the packages of the two programs; wasm/app and wasm/stage if empty
}

// site is a build under way: every file of the result, in memory.
type site struct {
	Options
	files     map[string][]byte // by slash-separated name
	cache     string            // what a later build can use again
	scenarios []Scenario        // in the order in which they are taught
}

// Build writes the site to opt.Out. The folder is replaced only when everything
// is ready.
func Build(opt Options) error {
	root, err := filepath.Abs(opt.Root)
	if err != nil {
		return err
	}
	opt.Root = root
	if opt.Log == nil {
		opt.Log = io.Discard
	}
	if opt.App == "" {
		opt.App = "./wasm/app"
	}
	if opt.Stage == "" {
		opt.Stage = "./wasm/stage"
	}
	s := &site{Options: opt, files: map[string][]byte{}, cache: filepath.Join(root, ".cache", "site")}
	steps := []struct {
		what string
		do   func() error
	}{
		{"wasm modules", s.addModules},
		{"scripts", s.addScripts},
		{"fonts", s.addFonts},
		{"style and icons", s.addAssets},
		{"scenario pages", s.addScenarios},
		{"pages", s.addPages},
		{"compressed copies", s.compress},
		{"manifest", s.addManifest},
		{"files", s.write},
	}
	for _, step := range steps {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return nil
}

// names lists the files so far, sorted.
func (s *site) names() []string {
	names := make([]string, 0, len(s.files))
	for name := range s.files {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// write replaces opt.Out by the new site: a sibling folder is filled first.
func (s *site) write() error {
	out, err := filepath.Abs(s.Out)
	if err != nil {
		return err
	}
	if err := mayReplace(out); err != nil {
		return err
	}
	fresh := out + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return err
	}
	for _, name := range s.names() {
		file := filepath.Join(fresh, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, s.files[name], 0o644); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.Rename(fresh, out); err != nil {
		return err
	}
	fmt.Fprintf(s.Log, "%s: %d files\n", s.Out, len(s.files))
	return nil
}

// mayReplace refuses to delete a folder that is not a site of ours: one that has
// content but no manifest.
func mayReplace(out string) error {
	entries, err := os.ReadDir(out)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(out, manifestName)); err != nil {
		return fmt.Errorf("%s has content but no %s: not a site, not replaced", out, manifestName)
	}
	return nil
}
