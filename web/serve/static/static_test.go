package static

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/highwater-sim/highwater/web/build/site"
)

var files = fstest.MapFS{
	"index.html":      {Data: []byte("<p>page</p>")},
	"app.wasm":        {Data: []byte("\x00asm and more")},
	"app.wasm.br":     {Data: []byte("brotli")},
	"app.wasm.gz":     {Data: []byte("gzip")},
	"plain.js":        {Data: []byte("1")},
	"s/index.html":    {Data: []byte("list")},
	"secret":          {Data: []byte("no type")},
	"fonts/Go.ttf":    {Data: []byte("font")},
	"fonts/Go.ttf.gz": {Data: []byte("f")},
}

func ask(t *testing.T, method, address string, header map[string]string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, address, nil)
	for key, value := range header {
		r.Header.Set(key, value)
	}
	w := httptest.NewRecorder()
	Handler(files).ServeHTTP(w, r)
	return w.Result()
}

func TestEncodings(t *testing.T) {
	for _, c := range []struct {
		address, accept, encoding, kind string
		length                          int64
	}{
		{"/app.wasm", "gzip, deflate, br", "br", "application/wasm", 6},
		{"/app.wasm", "gzip", "gzip", "application/wasm", 4},
		{"/app.wasm", "br;q=0, gzip;q=0.5", "gzip", "application/wasm", 4},
		{"/app.wasm", "br;q=0, gzip;q=0", "", "application/wasm", 13},
		{"/app.wasm", "", "", "application/wasm", 13},
		{"/plain.js", "gzip, br", "", "text/javascript; charset=utf-8", 1},
		{"/fonts/Go.ttf", "br, gzip", "gzip", "font/ttf", 1},
		{"/", "br", "", "text/html; charset=utf-8", 11},
		{"/s/", "br", "", "text/html; charset=utf-8", 4},
	} {
		r := ask(t, http.MethodGet, c.address, map[string]string{"Accept-Encoding": c.accept})
		h := r.Header
		if r.StatusCode != 200 || h.Get("Content-Encoding") != c.encoding || h.Get("Content-Type") != c.kind || r.ContentLength != c.length {
			t.Errorf("%s (%s): %d %q %q %d", c.address, c.accept, r.StatusCode, h.Get("Content-Encoding"), h.Get("Content-Type"), r.ContentLength)
		}
		if h.Get("Content-Security-Policy") != site.CSP || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: headers %v", c.address, h)
		}
	}
}

func TestCaching(t *testing.T) {
	first := ask(t, http.MethodGet, "/app.wasm", nil)
	tag := first.Header.Get("ETag")
	if got := first.Header.Get("Cache-Control"); got != "no-cache" {
		t.Errorf("without a hash: %q", got)
	}
	hash := tag[1:13]
	if got := ask(t, http.MethodGet, "/app.wasm?v="+hash, nil).Header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
		t.Errorf("with the hash %s: %q", hash, got)
	}
	if got := ask(t, http.MethodGet, "/app.wasm?v=000000000000", nil).Header.Get("Cache-Control"); got != "no-cache" {
		t.Errorf("with a wrong hash: %q", got)
	}
	if r := ask(t, http.MethodGet, "/app.wasm", map[string]string{"If-None-Match": tag}); r.StatusCode != http.StatusNotModified {
		t.Errorf("with the tag: %d", r.StatusCode)
	}
	packed := ask(t, http.MethodGet, "/app.wasm", map[string]string{"If-None-Match": tag, "Accept-Encoding": "br"})
	if packed.StatusCode != 200 || packed.Header.Get("ETag") == tag {
		t.Errorf("another encoding: %d, tag %s", packed.StatusCode, packed.Header.Get("ETag"))
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		method, address string
		status          int
	}{
		{http.MethodGet, "/none.html", 404},
		{http.MethodGet, "/secret", 404},
		{http.MethodGet, "/../static.go", 404},
		{http.MethodGet, "/fonts/", 404},
		{http.MethodPost, "/index.html", 405},
		{http.MethodGet, "/s", 301},
		{http.MethodHead, "/index.html", 200},
	} {
		if r := ask(t, c.method, c.address, nil); r.StatusCode != c.status {
			t.Errorf("%s %s: %d, want %d", c.method, c.address, r.StatusCode, c.status)
		}
	}
}
