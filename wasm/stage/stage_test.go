//go:build !js

// Package main_test runs the stage in a real browser, inside a page with a
// stand-in for the app.
package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// told is what the stand-in says of itself and of its stage.
type told struct {
	Painted, Frames, Ready, Bytes int
	CPUStage, CPUBuild            float64
}

func build(t *testing.T, dir, name, path string) {
	t.Helper()
	c := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(dir, name), path)
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// site builds both modules beside the test's pages.
func site(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	build(t, dir, "stage.wasm", ".")
	build(t, dir, "app.wasm", "./testdata/fakeapp")
	for name, ttf := range map[string][]byte{"Go-Regular.ttf": goregular.TTF, "Go-Bold.ttf": gobold.TTF, "Go-Mono.ttf": gomono.TTF} {
		if err := os.WriteFile(filepath.Join(dir, name), ttf, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	for to, from := range map[string]string{
		"page.html": "testdata/page.html", "frame.html": "testdata/frame.html",
		"wasm_exec.js": filepath.Join(strings.TrimSpace(string(root)), "lib/wasm/wasm_exec.js"),
	} {
		b, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, to), b, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func chromium(t *testing.T) context.Context {
	t.Helper()
	binary := os.Getenv("HIGHWATER_CHROMIUM")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if binary == "" {
			binary, _ = exec.LookPath(name)
		}
	}
	if binary == "" || testing.Short() {
		t.Skip("no Chromium, or -short")
	}
	options := append([]chromedp.ExecAllocatorOption{}, chromedp.DefaultExecAllocatorOptions[:]...)
	options = append(options,
		chromedp.ExecPath(binary), chromedp.NoSandbox, chromedp.WindowSize(900, 600),
		chromedp.Flag("headless", "new"), chromedp.Flag("use-gl", "angle"), chromedp.Flag("use-angle", "swiftshader"),
		chromedp.Flag("enable-unsafe-swiftshader", true), chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true), chromedp.WSURLReadTimeout(time.Minute),
	)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	browser, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	return browser
}

func state(t *testing.T, tab context.Context) (s told) {
	t.Helper()
	text, err := chromedp.Run(tab, chromedp.Evaluate[string](`window.state ? state() : "{}"`))
	if err == nil {
		err = json.Unmarshal([]byte(text), &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func until(t *testing.T, tab context.Context, what string, ok func(told) bool) told {
	t.Helper()
	end := time.Now().Add(90 * time.Second)
	for {
		s := state(t, tab)
		if ok(s) {
			return s
		}
		if time.Now().After(end) {
			t.Fatalf("never: %s: %+v", what, s)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func run(t *testing.T, tab context.Context, expression string) {
	t.Helper()
	if _, err := chromedp.Run(tab, chromedp.Evaluate[chromedp.Void](expression)); err != nil {
		t.Fatal(err)
	}
}

// TestStage proves the protocol: a list is painted when it is published, frames
// go on while the app asks for them and stop when it does not, and a reloaded
// stage shows the last list again.
func TestStage(t *testing.T) {
	browser := chromium(t)
	server := httptest.NewServer(http.FileServer(http.Dir(site(t))))
	defer server.Close()
	tab, cancel := chromedp.NewContext(browser)
	defer cancel()
	cluster := os.Getenv("HIGHWATER_CLUSTER")
	if cluster == "" {
		cluster = "100"
	}
	address := server.URL + "/page.html?cluster=" + cluster + "&theme=" + os.Getenv("HIGHWATER_THEME")
	if err := chromedp.Do(tab, chromedp.EmulateViewport(896, 600), chromedp.Navigate(address)); err != nil {
		t.Fatal(err)
	}
	until(t, tab, "the first frame", func(s told) bool { return s.Painted >= 1 })
	shot(t, tab, cluster)
	if n := colours(t, tab); n < 60 {
		t.Errorf("the picture has %d colours: nothing was painted", n)
	}

	frames := 25
	if os.Getenv("HIGHWATER_SHOTS") != "" {
		frames = 160 // past the window of the percentile: the first ones rasterise glyphs
	}
	run(t, tab, "play(true)")
	moving := until(t, tab, "frames while playing", func(s told) bool { return s.Painted >= frames })
	t.Logf("%s: %d bytes, build %.2f ms, stage p95 %.2f ms (software GL, shared cores)", cluster, moving.Bytes, moving.CPUBuild, moving.CPUStage)
	if moving.Bytes >= 200_000 && cluster == "100" {
		t.Errorf("a list of %d bytes", moving.Bytes)
	}

	run(t, tab, "play(false)")
	time.Sleep(500 * time.Millisecond)
	still := state(t, tab)
	time.Sleep(700 * time.Millisecond)
	if later := state(t, tab); later.Painted != still.Painted {
		t.Errorf("a paused page painted %d frames", later.Painted-still.Painted)
	}

	run(t, tab, "reload()")
	until(t, tab, "a frame after the reload", func(s told) bool { return s.Ready == 2 && s.Painted > still.Painted })
}

// colours counts what a screenshot is made of.
func colours(t *testing.T, tab context.Context) int {
	t.Helper()
	data, err := chromedp.Run(tab, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[3]uint32]bool{}
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y += 2 {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x += 2 {
			r, g, b, _ := img.At(x, y).RGBA()
			seen[[3]uint32{r, g, b}] = true
		}
	}
	return len(seen)
}

// shot keeps a screenshot where HIGHWATER_SHOTS says.
func shot(t *testing.T, tab context.Context, name string) {
	dir := os.Getenv("HIGHWATER_SHOTS")
	if dir == "" {
		return
	}
	time.Sleep(300 * time.Millisecond)
	data, err := chromedp.Run(tab, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "stage-"+name+".png"), data, 0o644)
	}
	if err != nil {
		t.Error(err)
	}
}
