package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/highwater-sim/highwater/web/build/site"
	"github.com/highwater-sim/highwater/web/serve/static"
)

// subPath is where the site is served: not the root, so that an address that
// forgets to be relative is found.
const subPath = "/some/sub/path/"

// Waits are generous because a software renderer on a busy machine is slow.
const (
	bootTime  = 90 * time.Second
	stateTime = 30 * time.Second
)

var (
	browser context.Context // the running Chromium; nil without one
	server  *httptest.Server
	sites   = http.NewServeMux()
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	binary := findBrowser()
	if binary == "" {
		if os.Getenv("CI") == "true" {
			fmt.Fprintln(os.Stderr, "no Chromium: under CI=true the browser tests must run")
			return 1
		}
		fmt.Fprintln(os.Stderr, "no Chromium: BROWSER TESTS ARE SKIPPED")
		return m.Run()
	}
	dist := os.Getenv("HIGHWATER_DIST")
	if dist == "" {
		temp, err := os.MkdirTemp("", "highwater-e2e-")
		if err != nil {
			log.Fatal(err)
		}
		defer os.RemoveAll(temp)
		dist = filepath.Join(temp, "dist")
		if err := site.Build(site.Options{Root: "../..", Out: dist, Fast: true, Log: os.Stderr}); err != nil {
			fmt.Fprintln(os.Stderr, "building the site:", err)
			return 1
		}
	}
	server = httptest.NewServer(sites)
	defer server.Close()
	mount(subPath, dist)

	options := append([]chromedp.ExecAllocatorOption{}, chromedp.DefaultExecAllocatorOptions[:]...)
	options = append(options,
		chromedp.ExecPath(binary), chromedp.NoSandbox, chromedp.WindowSize(1280, 800),
		chromedp.Flag("headless", "new"), chromedp.Flag("use-gl", "angle"), chromedp.Flag("use-angle", "swiftshader"),
		chromedp.Flag("enable-unsafe-swiftshader", true), chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true), chromedp.WSURLReadTimeout(time.Minute),
	)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	var cancel context.CancelFunc
	browser, cancel = chromedp.NewContext(allocator)
	defer cancel()
	if err := chromedp.Do(browser); err != nil {
		fmt.Fprintln(os.Stderr, "starting Chromium:", err)
		return 1
	}
	return m.Run()
}

// mount serves a built site under a path.
func mount(prefix, dir string) {
	sites.Handle(prefix, http.StripPrefix(strings.TrimSuffix(prefix, "/"), static.Handler(os.DirFS(dir))))
}

// findBrowser looks where the Makefile looks.
func findBrowser() string {
	if named := os.Getenv("HIGHWATER_CHROMIUM"); named != "" {
		return named
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if file, err := exec.LookPath(name); err == nil {
			return file
		}
	}
	return ""
}

// view is how a page is looked at.
type view struct {
	width, height int64
	theme         string // dark or light, as the system says
	still         bool   // prefers-reduced-motion
	bare          bool   // scripts are off
}

var desk = view{width: 1280, height: 800, theme: "dark"}

// tab is one page under test.
type tab struct {
	testing.TB
	ctx  context.Context
	base string // the address of the site's root

	mu       sync.Mutex
	errors   []string // console errors, exceptions, policy violations
	requests []string
}

// open shows the site at the address, relative to its root, and fails the test at
// its end for what no page of ours may do.
func open(t testing.TB, address string, v view) *tab {
	t.Helper()
	return openAt(t, subPath, address, v)
}

// openAt is open for a site that is mounted elsewhere.
func openAt(t testing.TB, prefix, address string, v view) *tab {
	t.Helper()
	if browser == nil {
		t.Skip("no Chromium")
	}
	ctx, cancel := chromedp.NewContext(browser)
	p := &tab{TB: t, ctx: ctx, base: server.URL + prefix}
	media := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: v.theme}}
	if v.still {
		media = append(media, &emulation.MediaFeature{Name: "prefers-reduced-motion", Value: "reduce"})
	}
	prepare := chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		if _, err := cdp.Call(ctx, target, network.Enable, network.EnableParams{}); err != nil {
			return err
		}
		if _, err := cdp.Call(ctx, target, cdplog.Enable, cdp.Empty{}); err != nil {
			return err
		}
		if _, err := cdp.Call(ctx, target, runtime.Enable, cdp.Empty{}); err != nil {
			return err
		}
		if _, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: v.bare}); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: media})
		return err
	})
	err := chromedp.Listen(ctx, p.listen)
	if err == nil {
		err = chromedp.Do(ctx, prepare, chromedp.EmulateViewport(v.width, v.height), chromedp.Navigate(p.base+address))
	}
	if err != nil {
		cancel()
		t.Fatalf("opening %s: %v", address, err)
	}
	t.Cleanup(func() {
		p.clean()
		cancel()
	})
	return p
}

// listen collects what the page does wrong.
func (p *tab) listen(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *network.EventResponseReceived:
		if e.Response.Status >= 400 {
			p.errors = append(p.errors, fmt.Sprintf("%s: status %d", e.Response.URL, e.Response.Status))
		}
	case *runtime.EventExceptionThrown:
		p.errors = append(p.errors, "exception: "+thrown(e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeAssert {
			var words []string
			for _, arg := range e.Args {
				words = append(words, strings.Trim(string(arg.Value), `"`)+arg.Description)
			}
			p.errors = append(p.errors, "console: "+strings.Join(words, " "))
		}
	case *cdplog.EventEntryAdded:
		if e.Entry.Level == cdplog.EntryLevelError {
			p.errors = append(p.errors, fmt.Sprintf("log: %s %s", e.Entry.Text, e.Entry.URL))
		}
	}
}

// thrown is the text of an exception.
func thrown(e *runtime.ExceptionDetails) string {
	if e.Exception != nil && e.Exception.Description != "" {
		return e.Text + " " + e.Exception.Description
	}
	return e.Text
}

// clean fails the test for errors and for requests to elsewhere.
func (p *tab) clean() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, text := range p.errors {
		p.Errorf("the page reported: %s", text)
	}
	for _, address := range p.requests {
		ours := strings.HasPrefix(address, p.base) || strings.HasPrefix(address, "data:") ||
			strings.HasPrefix(address, "blob:"+server.URL) || strings.HasPrefix(address, "about:")
		if !ours {
			p.Errorf("the page asked elsewhere: %s", address)
		}
	}
}

// do runs actions and fails the test when they fail.
func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, stateTime)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		p.Fatal(err)
	}
}

// eval evaluates an expression, waiting for a promise.
func eval[T any](p *tab, expression string) T {
	p.Helper()
	return evalWithin[T](p, stateTime, expression)
}

// evalWithin is eval with a limit of its own.
func evalWithin[T any](p *tab, limit time.Duration, expression string) T {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	result, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.Fatalf("%s: %v\n%s", expression, err, p.told())
	}
	return result
}

// run evaluates an expression for what it does.
func (p *tab) run(expression string) {
	p.Helper()
	eval[chromedp.Void](p, expression)
}

// until waits for an expression to become true.
func (p *tab) until(limit time.Duration, expression string) {
	p.Helper()
	end := time.Now().Add(limit)
	for {
		ctx, cancel := context.WithTimeout(p.ctx, stateTime)
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		cancel()
		if err == nil && ok {
			return
		}
		if time.Now().After(end) {
			p.Fatalf("after %v not true: %s (%v)\n%s", limit, expression, err, p.told())
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// told is what the page has complained about, for a failure's text.
func (p *tab) told() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.errors, "\n")
}

// broker is one broker as the hook tells it.
type broker struct {
	ID     int32 `json:"id"`
	Up     bool  `json:"up"`
	Fenced bool  `json:"fenced"`
}

// state is what the hook tells.
type state struct {
	Scenario  string   `json:"scenario"`
	Now       int64    `json:"now,string"` // ns since the scenario's start
	Playing   bool     `json:"playing"`
	Speed     float64  `json:"speed"`
	Digest    string   `json:"digest"`
	Frames    int64    `json:"frames"`
	Event     int64    `json:"event"`
	CPUApp    float64  `json:"cpuApp"` // ms per frame, p95
	Edits     any      `json:"edits"`
	Brokers   []broker `json:"brokers"`
	Problems  []string `json:"problems"`
	Selection any      `json:"selection"`
	Parts     []struct {
		TP string `json:"tp"`
	} `json:"partitions"`
}

// partitions counts those of the topics that are not Kafka's own.
func (s state) partitions() int {
	n := 0
	for _, p := range s.Parts {
		if !strings.HasPrefix(p.TP, "__") {
			n++
		}
	}
	return n
}

// up counts the brokers that run.
func (s state) up() int {
	n := 0
	for _, b := range s.Brokers {
		if b.Up {
			n++
		}
	}
	return n
}

// state asks the hook.
func (p *tab) state() state {
	p.Helper()
	text := eval[string](p, `highwater.state()`)
	var s state
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		p.Fatalf("highwater.state(): %v in %s", err, text)
	}
	return s
}

// reach waits until the state is as wanted, and gives it.
func (p *tab) reach(what string, ok func(state) bool) state {
	p.Helper()
	end := time.Now().Add(stateTime)
	for {
		s := p.state()
		if ok(s) {
			return s
		}
		if time.Now().After(end) {
			p.Fatalf("never came: %s; last state %+v\n%s", what, s, p.told())
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// live waits for the first frame on the stage.
func (p *tab) live() {
	p.Helper()
	p.until(bootTime, `window.highwater && highwater.ready() && document.documentElement.dataset.state === "live"`)
}

// press clicks the visible, enabled button whose name matches the pattern, a
// JavaScript regular expression without its slashes.
func (p *tab) press(pattern string) {
	p.Helper()
	find := `[...document.querySelectorAll("button, [role=button], [role=menuitem], a.btn")].find(b => {
		const name = (b.getAttribute("aria-label") || b.textContent).trim();
		return /` + pattern + `/i.test(name) && !b.disabled && b.getClientRects().length > 0;
	})`
	p.until(stateTime, find)
	p.run(find + `.click()`)
}

// keys sends keys to the stage, which takes the focus first.
func (p *tab) keys(text string) {
	p.Helper()
	p.run(`document.getElementById("stage-input").focus()`)
	p.do(chromedp.KeyEvent(text))
}

// shot keeps a screenshot where HIGHWATER_SHOTS says.
func (p *tab) shot(name string) {
	p.Helper()
	dir := os.Getenv("HIGHWATER_SHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		p.Fatal(err)
	}
}
