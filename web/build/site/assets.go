package site

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"

	"github.com/highwater-sim/highwater/ui/theme"
)

// addFonts writes the faces that page and stage share.
func (s *site) addFonts() error {
	s.files["fonts/Go-Regular.ttf"] = goregular.TTF
	s.files["fonts/Go-Medium.ttf"] = gomedium.TTF
	s.files["fonts/Go-Bold.ttf"] = gobold.TTF
	s.files["fonts/Go-Mono.ttf"] = gomono.TTF
	return nil
}

// addAssets takes over what is written by hand: scripts, icons, and the style
// sheets, which become one: the theme's variables, the frame, the panels.
func (s *site) addAssets() error {
	web := filepath.Join(s.Root, "web")
	for _, name := range []string{"loader.js", "theme.js", "stage.js", "embed.js", "stage.css"} {
		data, err := os.ReadFile(filepath.Join(web, name))
		if err != nil {
			return err
		}
		s.files[name] = data
	}
	icons, err := filepath.Glob(filepath.Join(web, "icons", "*"))
	if err != nil {
		return err
	}
	for _, icon := range icons {
		data, err := os.ReadFile(icon)
		if err != nil {
			return err
		}
		s.files["icons/"+filepath.Base(icon)] = data
	}
	sheet := theme.StyleSheet()
	for _, name := range []string{"css/page.css", "app.css"} {
		data, err := os.ReadFile(filepath.Join(web, filepath.FromSlash(name)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		sheet += string(data)
	}
	s.files["app.css"] = []byte(s.hashURLs(sheet))
	s.files[".nojekyll"] = nil // some hosts drop files otherwise
	return s.addLicences()
}

// hashURLs gives every url("name") of a style sheet the hash of its file.
func (s *site) hashURLs(css string) string {
	parts := strings.Split(css, `url("`)
	for i := 1; i < len(parts); i++ {
		name, rest, _ := strings.Cut(parts[i], `"`)
		if data, ok := s.files[name]; ok {
			parts[i] = name + "?v=" + hash(data) + `"` + rest
		}
	}
	return strings.Join(parts, `url("`)
}

// linked are the modules whose code is inside the two programs or the fonts.
var linked = []string{
	"github.com/hajimehoshi/ebiten/v2",
	"github.com/vugu/vugu",
	"github.com/vugu/vjson",
	"github.com/vugu/xxhash",
	"honnef.co/go/js/dom/v2",
	"github.com/twmb/franz-go",
	"github.com/twmb/franz-go/pkg/kmsg",
	"github.com/ebitengine/hideconsole",
	"golang.org/x/image",
	"golang.org/x/sync",
	"golang.org/x/text",
}

// addLicences collects the licences of what the site is made of.
func (s *site) addLicences() error {
	var all strings.Builder
	own, err := os.ReadFile(filepath.Join(s.Root, "LICENSE"))
	if err != nil {
		return err
	}
	fmt.Fprintf(&all, "Highwater\n\n%s", own)
	goroot, err := s.goCommand("env", "GOROOT")
	if err != nil {
		return err
	}
	if err := licence(&all, "The Go runtime, standard library and wasm_exec.js", goroot); err != nil {
		return err
	}
	for _, path := range linked {
		dir, err := s.moduleDir(path)
		if err != nil {
			return err
		}
		title := path
		if path == "golang.org/x/image" {
			title += " (with the Go fonts)"
		}
		if err := licence(&all, title, dir); err != nil {
			return err
		}
	}
	s.files["licences.txt"] = []byte(all.String())
	return nil
}

// licence appends the licence file of dir under a heading. A module inside a
// repository may keep its licence in a parent folder that it is not shipped with;
// the text then stands under the repository's own module.
func licence(all *strings.Builder, title, dir string) error {
	for _, name := range []string{"LICENSE", "LICENSE.txt", "LICENSE.md", "COPYING"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		fmt.Fprintf(all, "\n%s\n%s\n\n%s", strings.Repeat("=", 72), title, data)
		return nil
	}
	return fmt.Errorf("no licence file of %s in %s", title, dir)
}

// hash is what addresses carry as ?v=: the start of the SHA-256 of the content.
func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:6])
}
