package e2e

import (
	"encoding/json"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/highwater-sim/highwater/web/build/site"
)

// firstFrame opens a page and gives the milliseconds from the navigation to the
// first frame on the stage.
func firstFrame(b *testing.B, prefix string) float64 {
	b.Helper()
	p := openAt(b, prefix, "index.html", desk)
	p.until(bootTime, `document.documentElement.dataset.state === "live"`)
	return eval[float64](p, `performance.getEntriesByName("highwater-live")[0].startTime`)
}

// BenchmarkFirstFrame compares the page with one that is made of the two empty
// programs, in turns so that the machine's mood is the same for both. The budget
// is 1.5 times.
func BenchmarkFirstFrame(b *testing.B) {
	if browser == nil {
		b.Skip("no Chromium")
	}
	const prefix = "/empty/"
	dir := filepath.Join(b.TempDir(), "dist")
	err := site.Build(site.Options{
		Root: "../..", Out: dir, Fast: true, Log: io.Discard,
		App: "./web/build/testdata/emptyapp", Stage: "./web/build/testdata/emptystage",
	})
	if err != nil {
		b.Fatal(err)
	}
	mount(prefix, dir)
	const rounds = 5
	for b.Loop() {
		var ours, empty float64
		for range rounds {
			empty += firstFrame(b, prefix)
			ours += firstFrame(b, subPath)
		}
		b.ReportMetric(ours/rounds, "ms/first-frame")
		b.ReportMetric(empty/rounds, "ms/first-frame-empty")
		b.ReportMetric(ours/empty, "x-empty")
	}
}

// BenchmarkFrame plays for a while and reports what a frame costs the app.
func BenchmarkFrame(b *testing.B) {
	p := open(b, "index.html", desk)
	p.live()
	p.play()
	for b.Loop() {
		time.Sleep(5 * time.Second)
	}
	b.ReportMetric(p.state().CPUApp, "ms/frame-p95")
}

// BenchmarkEngine runs ten minutes of the reference cluster in the browser and
// seeks about in them; the page measures.
func BenchmarkEngine(b *testing.B) {
	p := open(b, "index.html", desk)
	p.live()
	for b.Loop() {
		text := evalWithin[string](p, 5*time.Minute, `highwater.bench(600)`)
		b.Log(text)
		var numbers map[string]any
		if err := json.Unmarshal([]byte(text), &numbers); err != nil {
			b.Fatal(err)
		}
		for name, value := range numbers {
			if n, ok := value.(float64); ok {
				b.ReportMetric(n, name)
			}
		}
	}
}
