package e2e

import (
	"fmt"
	"testing"
)

// An order in the past drops what was done later, which is kept as another
// future: one goes over to it and back, to the same states.
func TestFutures(t *testing.T) {
	p := open(t, "index.html?s=durability/acks-1&t=3s", desk)
	p.live()
	p.reach("the moment", func(s state) bool { return s.Now == 3e9 })
	crash := func(id int) {
		p.run(`document.querySelector('.lesson .buttons [data-do="command"]').click()`)
		p.until(stateTime, fmt.Sprintf(`JSON.parse(highwater.state()).brokers[%d].state === "Crashed"`, id-1))
	}
	crash(1)
	crash(2)
	arrived := func() { p.until(stateTime, `!JSON.parse(highwater.state()).seeking`) }
	last := func() { // goes to the end of the instant of the last edit
		p.run(`[...document.querySelectorAll(".lesson .steps button")].filter(b => b.textContent.startsWith("crash")).at(-1).click()`)
		p.reach("its moment", func(s state) bool { return s.Now == 3e9 })
		arrived()
	}
	p.until(stateTime, `[...document.querySelectorAll(".lesson .steps button")].at(-1).textContent === "crash broker-2"`)
	last()
	two := p.state()
	p.run(`document.querySelector('[data-do="restart"]').click()`)
	p.reach("the start", func(s state) bool { return s.Now == 0 })
	crash(1)
	p.until(stateTime, `document.querySelectorAll(".futures button").length === 1`)
	ahead := func() state { // a moment of the script after it
		p.run(`document.querySelector(".lesson .steps button").click()`)
		p.reach("the first step", func(s state) bool { return s.Now == 3.9e9 })
		arrived()
		return p.state()
	}
	one := ahead()
	p.run(`document.querySelector(".futures button").click()`)
	p.reach("the future of before", func(s state) bool { return len(s.Edits.([]any)) == 2 })
	arrived()
	last()
	if s := p.state(); s.Digest != two.Digest {
		t.Errorf("digest %s, and %s when it was made", s.Digest, two.Digest)
	}
	p.run(`document.querySelector('[data-do="restart"]').click()`)
	p.reach("the start", func(s state) bool { return s.Now == 0 })
	p.run(`document.querySelector(".futures button").click()`)
	p.reach("back", func(s state) bool { return len(s.Edits.([]any)) == 1 })
	arrived()
	if s := ahead(); s.Digest != one.Digest {
		t.Errorf("digest %s, and %s when it was made", s.Digest, one.Digest)
	}
	p.press(`^undo`)
	p.until(stateTime, `document.querySelector(".toast").textContent === "Taken back: crash broker-1"`)
}

// What the reader prefers stays for the next visit, and an address may say it.
func TestPreferences(t *testing.T) {
	p := open(t, "index.html?palette=tol&theme=light", desk)
	p.live()
	p.press(`^help`)
	p.until(stateTime, `document.getElementById("keys")?.value === "tol"`)
	p.run(`(e => { e.value = "contrast"; e.dispatchEvent(new Event("input", {bubbles: true})); })(document.getElementById("keys"))`)
	p.run(`document.getElementById("still").click()`)
	p.until(stateTime, `localStorage.getItem("highwater-keys") === "contrast" && localStorage.getItem("highwater-still") === "1"`)
	p.shot("preferences")
	again := open(t, "index.html", desk)
	again.live()
	again.press(`^help`)
	again.until(stateTime, `document.getElementById("keys")?.value === "contrast" && document.getElementById("still").checked`)
	again.run(`localStorage.removeItem("highwater-keys"); localStorage.removeItem("highwater-still")`)
}
