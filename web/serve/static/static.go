package static

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/web/build/site"
)

// types are the media types of a site's files; nothing is guessed from content.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".json": "application/json",
	".wasm": "application/wasm",
	".svg":  "image/svg+xml",
	".png":  "image/png",
	".ico":  "image/x-icon",
	".ttf":  "font/ttf",
	".hw":   "text/plain; charset=utf-8",
	".txt":  "text/plain; charset=utf-8",
}

// Handler serves the site in files at the root of its addresses; strip a prefix
// before it to serve it from a sub-path.
func Handler(files fs.FS) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		serve(w, r, files)
	})
}

func serve(w http.ResponseWriter, r *http.Request, files fs.FS) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" || strings.HasSuffix(name, "/") {
		name += "index.html"
	}
	kind, known := types[path.Ext(name)]
	data, err := fs.ReadFile(files, name)
	if err != nil || !known {
		missing(w, r, files, name)
		return
	}
	head := w.Header()
	head.Set("Content-Type", kind)
	head.Set("Content-Security-Policy", site.CSP)
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Vary", "Accept-Encoding")
	sum := sha256.Sum256(data)
	hash := hex.EncodeToString(sum[:6])
	head.Set("Cache-Control", "no-cache")
	if r.URL.Query().Get("v") == hash {
		head.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	encoding := "identity"
	for _, c := range []struct{ token, suffix string }{{"br", ".br"}, {"gzip", ".gz"}} {
		if !accepts(r.Header.Get("Accept-Encoding"), c.token) {
			continue
		}
		if packed, err := fs.ReadFile(files, name+c.suffix); err == nil {
			data, encoding = packed, c.token
			head.Set("Content-Encoding", c.token)
			break
		}
	}
	tag := `"` + hash + "-" + encoding + `"`
	head.Set("ETag", tag)
	if strings.Contains(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	head.Set("Content-Length", strconv.Itoa(len(data)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(data) // the reader may have gone
	}
}

// missing answers for what is not there; a folder named without its slash moves.
func missing(w http.ResponseWriter, r *http.Request, files fs.FS, name string) {
	if info, err := fs.Stat(files, name); err == nil && info.IsDir() {
		http.Redirect(w, r, path.Base(name)+"/", http.StatusMovedPermanently)
		return
	}
	http.NotFound(w, r)
}

// accepts tells whether an Accept-Encoding header allows token; q=0 forbids it.
func accepts(header, token string) bool {
	for _, part := range strings.Split(header, ",") {
		name, q, weighted := strings.Cut(strings.TrimSpace(part), ";")
		if !strings.EqualFold(strings.TrimSpace(name), token) {
			continue
		}
		if !weighted {
			return true
		}
		_, value, _ := strings.Cut(q, "=")
		weight, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		return err == nil && weight > 0
	}
	return false
}
