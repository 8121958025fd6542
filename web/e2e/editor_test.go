package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// write puts a text into the editor, as typing does.
func (p *tab) write(text string) {
	p.Helper()
	p.run(`(e => { e.value = ` + "`" + text + "`" + `; e.dispatchEvent(new Event("input", {bubbles: true})); })(document.getElementById("source-text"))`)
}

// A scenario is changed as text: what was done by hand stands in it, a mistake
// is told with its place, which is gone to with a click, and what was open stays
// until the text can run. A reload keeps it.
func TestEditor(t *testing.T) {
	p := open(t, "index.html?s=durability/acks-1&t=4s", desk)
	p.live()
	p.reach("the moment", func(s state) bool { return s.Now == 4e9 })
	p.run(`document.querySelector('.lesson .buttons [data-arg="crash broker-1"]').click()`)
	p.reach("a broker down", func(s state) bool { return s.up() == 2 })
	p.press(`^edit$`)
	p.until(stateTime, `document.activeElement.id === "source-text"`)
	text := eval[string](p, `document.getElementById("source-text").value`)
	if !strings.Contains(text, "at 4s crash broker-1\nat 5.3s") {
		t.Fatalf("the edit is not in\n%s", text)
	}
	p.write(strings.Replace(text, "brokers=3", "brokrs=3", 1))
	p.press(`^run it$`)
	p.until(stateTime, `document.querySelectorAll("#source-problems button").length === 1`)
	p.press(`^line 7, column 10: .* did you mean brokers`)
	if marked := eval[string](p, `(e => e.value.slice(e.selectionStart, e.selectionEnd))(document.getElementById("source-text"))`); marked != "brokrs=3" {
		t.Errorf("the caret marks %q", marked)
	}
	if s := p.state(); s.Scenario != "durability/acks-1" || s.up() != 2 {
		t.Errorf("what was open is gone: %+v", s)
	}
	p.shot("editor")
	// The page's own words begin it; it runs, and the way back is the browser's.
	p.press(`^begin with a small cluster$`)
	p.press(`^run it$`)
	p.until(stateTime, `document.title.startsWith("My cluster") && document.activeElement.id === "lesson-title"`)
	p.until(stateTime, `location.hash.startsWith("#v1.")`)
	p.run(`location.reload()`)
	p.live()
	p.until(stateTime, `document.title.startsWith("My cluster")`)
	p.run(`history.back()`)
	back := p.reach("the lesson again", func(s state) bool { return s.Scenario == "durability/acks-1" })
	if back.Now != 4e9 || back.up() != 2 {
		t.Errorf("back at %d with %d brokers", back.Now, back.up())
	}
}

// A scenario file opens, a faulty one and a link with a faulty text stand in the
// editor; a text too long for a link is still in the address.
func TestScenarioFiles(t *testing.T) {
	p := open(t, "index.html#v1.p.x=title+a%0Acluster+brokers=1%0Aat+1s+crash+foo&t=2s", desk)
	p.live()
	p.until(stateTime, `document.querySelector("#source-problems")?.innerText.includes("line 3, column")`)
	long := "title    Long\ncluster  brokers=1\n"
	for i := range 200 {
		long += "# " + strconv.FormatUint(uint64(i+1)*0x9e3779b97f4a7c15, 36) + "\n"
	}
	put := func(name, content string) string {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	p.do(chromedp.SetUploadFiles("#source-file", []string{put("bad.hw", "title Bad\r\ncluster brokers=1\r\nat 1s crahs broker-1\r\n")}))
	p.until(stateTime, `document.querySelector("#source-problems")?.innerText.includes("did you mean crash")`)
	p.do(chromedp.SetUploadFiles("#source-file", []string{put("long.hw", long)}))
	p.until(stateTime, `document.title.startsWith("Long") && document.getElementById("dialog").closest("[hidden]") !== null`)
	p.until(stateTime, `location.hash.length > 2000`)
	p.run(`location.reload()`)
	p.live()
	p.until(stateTime, `document.title.startsWith("Long")`)
	p.press(`^share$`)
	p.until(stateTime, `document.querySelector(".dialog .warn")?.innerText.includes("too long")`)
}

// A link that cannot be read leaves what is open; a moment that is too far away
// can be given up.
func TestBadLinkAndFarMoment(t *testing.T) {
	p := open(t, "index.html?s=durability/acks-1&t=2s", desk)
	p.live()
	p.reach("the moment", func(s state) bool { return s.Now == 2e9 })
	p.run(`location.hash = "#v1.d.AAAA"`)
	p.until(stateTime, `document.querySelector(".banner strong").textContent === "The link could not be opened"`)
	if s := p.state(); s.Scenario != "durability/acks-1" || s.Now != 2e9 || len(s.Problems) != 1 {
		t.Errorf("%+v", s)
	}
	p.run(`location.hash = "#v1.p.s=log/keys&t=30d"`)
	p.until(stateTime, `JSON.parse(highwater.state()).seeking`)
	p.press(`^stop$`)
	s := p.reach("its end", func(s state) bool { return !s.Playing })
	p.until(stateTime, `!JSON.parse(highwater.state()).seeking`)
	if later := p.state(); s.Scenario != "log/keys" || later.Now >= 30*24*3600*1e9 {
		t.Errorf("%+v", later)
	}
}
