package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// focused is the name of what has the focus.
func (p *tab) focused() string {
	p.Helper()
	return eval[string](p, `(e => e.getAttribute("aria-label") || e.id || e.textContent.trim())(document.activeElement)`)
}

// Without a mouse: the first stop of Tab leads to the picture, things are selected
// and crashed there, a lesson is found by typing and reading begins at its title,
// and Escape gives the focus back.
func TestKeyboardOnly(t *testing.T) {
	p := open(t, "index.html?s=durability/acks-1&t=1s", desk)
	p.live()
	p.reach("the moment", func(s state) bool { return s.Now == 1e9 })
	p.do(chromedp.KeyEvent("\t"))
	if name := p.focused(); name != "Go to the picture" {
		t.Errorf("the first stop is %q", name)
	}
	if height := eval[float64](p, `document.activeElement.getBoundingClientRect().height`); height < 20 {
		t.Errorf("it cannot be seen: %v px", height)
	}
	p.do(chromedp.KeyEvent("\r"))
	p.until(stateTime, `document.activeElement.id === "stage-input"`)
	for range 12 {
		if p.state().Selection == "broker:1" {
			break
		}
		p.do(chromedp.KeyEvent(kb.ArrowDown))
	}
	p.do(chromedp.KeyEvent("k"))
	p.reach("broker 1 down", func(s state) bool { return s.up() == 2 })
	p.do(chromedp.KeyEvent("u"))
	p.reach("broker 1 up", func(s state) bool { return s.up() == 3 })
	p.do(chromedp.KeyEvent("?"))
	p.until(stateTime, `document.activeElement.id === "dialog"`)
	for range 40 { // the dialog keeps the focus
		p.do(chromedp.KeyEvent("\t"))
		if !eval[bool](p, `document.activeElement === document.body || document.querySelector(".overlay").contains(document.activeElement)`) {
			t.Fatalf("Tab leaves the dialog for %q", p.focused())
		}
	}
	p.do(chromedp.KeyEvent(kb.Escape))
	p.until(stateTime, `document.querySelector(".overlay").hidden && document.activeElement.id === "open-help"`)
	p.run(`document.getElementById("open-scenarios").focus()`)
	p.do(chromedp.KeyEvent("\r"))
	p.until(stateTime, `document.activeElement.id === "search"`)
	p.do(chromedp.KeyEvent("kafka-3919"))
	p.until(stateTime, `document.querySelectorAll(".scenario").length === 1`)
	for range 5 {
		p.do(chromedp.KeyEvent("\t"))
		if eval[bool](p, `document.activeElement.className === "scenario"`) {
			break
		}
	}
	p.do(chromedp.KeyEvent("\r"))
	p.until(stateTime, `document.activeElement.id === "lesson-title"`)
	p.reach("the lesson", func(s state) bool { return s.Scenario != "durability/acks-1" })
	p.do(chromedp.KeyEvent(" "))
	p.reach("playing", func(s state) bool { return s.Playing })
}

// On a phone time stops at a question where it can be seen, whatever was open.
func TestQuestionOnAPhone(t *testing.T) {
	p := open(t, "index.html?s=durability/acks-1&t=5.1s", view{width: 360, height: 740, theme: "dark"})
	p.live()
	p.reach("the moment", func(s state) bool { return s.Now == 5.1e9 })
	p.press(`^stage$`)
	p.press(`^play$`)
	p.reach("the question", func(s state) bool { return !s.Playing && s.Now == 5.3e9 })
	p.until(stateTime, `(r => r.height > 0 && r.top >= 0 && r.bottom <= innerHeight && document.getElementById("predict").contains(document.elementFromPoint(r.left + r.width / 2, r.top + 10)))
		(document.getElementById("predict").getBoundingClientRect())`)
	p.shot("question-phone")
}
