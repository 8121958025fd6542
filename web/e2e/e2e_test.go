package e2e

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/highwater-sim/highwater/engine"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/scenarios"
	"github.com/highwater-sim/highwater/web/build/site"
)

// pause brings the page to a stop and gives its state.
func (p *tab) pause() state {
	p.Helper()
	if p.state().Playing {
		p.keys(" ")
	}
	return p.reach("paused", func(s state) bool { return !s.Playing })
}

// play sets the page going.
func (p *tab) play() {
	p.Helper()
	if !p.state().Playing {
		p.keys(" ")
	}
	p.reach("playing", func(s state) bool { return s.Playing })
}

// The page without parameters opens the default scenario, and draws.
func TestLoads(t *testing.T) {
	p := open(t, "index.html", desk)
	p.live()
	s := p.state()
	if s.Scenario != site.DefaultScenario || len(s.Brokers) == 0 || len(s.Problems) != 0 || s.Digest == "" {
		t.Errorf("state %+v", s)
	}
	if legal := eval[string](p, `document.getElementById("legal").textContent`); !strings.Contains(legal, "trademark of the Apache Software Foundation") {
		t.Errorf("footer: %q", legal)
	}
}

// Time and frames go on while it plays; a paused page draws nothing.
func TestPlaysAndPauses(t *testing.T) {
	p := open(t, "index.html", desk)
	p.live()
	p.play()
	from := p.state()
	p.reach("ten frames on", func(s state) bool { return s.Frames >= from.Frames+10 && s.Now > from.Now && s.Event > from.Event })
	p.pause()
	time.Sleep(time.Second) // what was on its way is drawn
	still := p.state()
	time.Sleep(2 * time.Second)
	later := p.state()
	if later.Frames != still.Frames {
		t.Errorf("a paused page drew %d frames", later.Frames-still.Frames)
	}
	if later.Now != still.Now || later.Digest != still.Digest {
		t.Errorf("a paused world went on: %d to %d", still.Now, later.Now)
	}
}

// A fault by hand changes the cluster; going back undoes it exactly, and the
// same instant has the same digest.
func TestFaultAndRewind(t *testing.T) {
	p := open(t, "index.html", desk)
	p.live()
	p.pause()
	p.keys(kb.Home)
	start := p.reach("the start", func(s state) bool { return s.Now == 0 })
	p.play()
	p.reach("half a second", func(s state) bool { return s.Now > 500e6 })
	before := p.pause()
	p.press(`^(crash|kill)\b`)
	p.play()
	p.reach("a broker down", func(s state) bool { return s.up() < before.up() })
	p.pause()
	p.keys(kb.Home)
	again := p.reach("the start again", func(s state) bool { return s.Now == 0 })
	if again.Digest != start.Digest {
		t.Errorf("the start has digest %s, and after a fault and a rewind %s", start.Digest, again.Digest)
	}
	if again.up() != before.up() {
		t.Errorf("%d brokers up at the start, %d after the rewind", before.up(), again.up())
	}
}

// The address of a paused page opens, in another tab, on the same state.
func TestLinkRoundTrip(t *testing.T) {
	p := open(t, "index.html", desk)
	p.live()
	p.play()
	p.reach("some way in", func(s state) bool { return s.Now > 300e6 })
	here := p.pause()
	p.until(stateTime, `location.hash.startsWith("#v1.")`)
	time.Sleep(1500 * time.Millisecond) // addresses change at most once a second
	hash := eval[string](p, `location.hash`)
	if len(hash) > 2000 {
		t.Errorf("a link of %d characters", len(hash))
	}
	there := open(t, "index.html"+hash, desk)
	there.live()
	s := there.state()
	if s.Playing || s.Now != here.Now || s.Digest != here.Digest || s.Scenario != here.Scenario {
		t.Errorf("left %+v\nopened %+v", here, s)
	}
}

// A link that cannot be read opens the default scenario and says so, in sight.
func TestBrokenLink(t *testing.T) {
	for _, hash := range []string{"#v1.d.!!!!", "#v1.p.%00nonsense", "#v99.p.x", "#v1.d." + strings.Repeat("A", 3000)} {
		t.Run(hash[:6], func(t *testing.T) {
			p := open(t, "index.html"+hash, desk)
			p.live()
			s := p.state()
			if len(s.Problems) == 0 || s.Scenario != site.DefaultScenario {
				t.Fatalf("state %+v", s)
			}
			p.until(stateTime, fmt.Sprintf(`document.body.innerText.includes(%q)`, s.Problems[0]))
		})
	}
}

// An embed is the stage and a slim player, at rest until somebody starts it.
func TestEmbed(t *testing.T) {
	p := open(t, "index.html?embed=1", view{width: 800, height: 450, theme: "dark"})
	p.live()
	if s := p.state(); s.Playing {
		t.Error("an embed plays by itself")
	}
	for _, hidden := range []string{".top", ".lesson", ".inspector"} {
		if eval[bool](p, fmt.Sprintf(`[...document.querySelectorAll(%q)].some(e => e.getClientRects().length > 0)`, hidden)) {
			t.Errorf("%s shows in an embed", hidden)
		}
	}
	p.shot("embed")
}

// A saved theme, a phone and a desk: nothing sticks out, and the stage is there.
func TestSizes(t *testing.T) {
	for _, v := range []view{
		{width: 1440, height: 900, theme: "dark"}, {width: 1440, height: 900, theme: "light"},
		{width: 360, height: 740, theme: "dark"}, {width: 360, height: 740, theme: "light", still: true},
	} {
		name := fmt.Sprintf("%dx%d-%s", v.width, v.height, v.theme)
		t.Run(name, func(t *testing.T) {
			p := open(t, "index.html", v)
			p.live()
			p.play()
			p.reach("a second in", func(s state) bool { return s.Now > 1e9 })
			p.pause()
			time.Sleep(time.Second)
			p.shot(name)
			box := eval[struct{ Wide, Width, Height float64 }](p, `(r => ({Wide: document.documentElement.scrollWidth,
				Width: r.width, Height: r.height}))(document.getElementById("stage-box").getBoundingClientRect())`)
			if box.Wide > float64(v.width) {
				t.Errorf("the page is %v px wide", box.Wide)
			}
			if box.Width < 0.5*float64(v.width) || box.Height < 0.3*float64(v.height) {
				t.Errorf("the stage is %v x %v", box.Width, box.Height)
			}
		})
	}
}

// Without scripts a reader sees the picture, the lesson's words, why nothing
// moves, and the way to all scenarios.
func TestWithoutScripts(t *testing.T) {
	for _, v := range []view{{width: 1280, height: 800, theme: "dark", bare: true}, {width: 360, height: 740, theme: "light", bare: true}} {
		p := open(t, "index.html", v)
		p.shot(fmt.Sprintf("bare-%d", v.width))
		for _, part := range []string{".lesson h1", ".lesson .notice", "#poster svg", "#legal a"} {
			if !eval[bool](p, fmt.Sprintf(`[...document.querySelectorAll(%q)].some(e => e.getClientRects().length > 0)`, part)) {
				t.Errorf("%d px: no %s", v.width, part)
			}
		}
		if text := eval[string](p, `document.body.innerText`); !strings.Contains(text, "trademark of the Apache Software Foundation") || !strings.Contains(text, "JavaScript and WebAssembly") {
			t.Errorf("%d px: %q", v.width, text)
		}
	}
}

// The same scenario, seed and instant give the same state here and in the browser.
func TestDigestsAgree(t *testing.T) {
	p := open(t, "index.html", desk)
	p.live()
	for _, c := range []struct{ id, at string }{{"log/first-cluster", "8s"}, {"durability/acks-1", "21s"}, {"durability/isr", "15s"}, {"log/compression", "4s"}} {
		session, err := engine.Open(scenarios.Text(c.id), engine.Options{ID: c.id})
		if err != nil {
			t.Fatal(err)
		}
		at, err := time.ParseDuration(c.at)
		if err != nil {
			t.Fatal(err)
		}
		if !session.RunUntil(kafka.Instant(at), 1<<30) {
			t.Fatalf("%s stopped before %s", c.id, c.at)
		}
		native := strconv.FormatUint(session.Digest(), 16)
		browser := evalWithin[string](p, 2*time.Minute, fmt.Sprintf(`highwater.digestRun(%q, "", %q)`, c.id, c.at))
		if native != browser {
			t.Errorf("%s at %s: %s here, %s in the browser", c.id, c.at, native, browser)
		}
	}
}

// ?s= and ?t= open a scenario at its moment, paused.
func TestQuery(t *testing.T) {
	p := open(t, "index.html?s=durability/acks-1&t=4.9s", view{width: 1440, height: 900, theme: "dark"})
	p.live()
	s := p.reach("the moment", func(s state) bool { return s.Now == 4.9e9 })
	if s.Playing || s.Scenario != "durability/acks-1" || len(s.Problems) != 0 {
		t.Errorf("state %+v", s)
	}
	time.Sleep(time.Second) // the panels follow
	p.shot("moment")
}

// Every page of the site opens without a complaint, scripts or not.
func TestStaticPages(t *testing.T) {
	p := open(t, "s/index.html", desk)
	links := eval[[]string](p, `[...document.querySelectorAll("main li a")].map(a => a.href)`)
	if len(links) == 0 {
		t.Fatal("no scenario in the list")
	}
	parts := eval[[]string](p, `[...document.querySelectorAll("main h2")].map(h => h.textContent)`)
	for i, part := range parts {
		if slices.Contains(parts[:i], part) || part == "" {
			t.Errorf("chapter %q stands in the list twice, or has no name", part)
		}
	}
	for _, link := range links {
		address, err := url.Parse(link)
		if err != nil {
			t.Fatal(err)
		}
		one := open(t, strings.TrimPrefix(address.Path, subPath), desk)
		title := eval[string](one, `document.querySelector("h1").textContent`)
		run := eval[string](one, `document.querySelector("a.primary").getAttribute("href")`)
		if title == "" || !strings.HasPrefix(run, "../index.html?s=") {
			t.Errorf("%s: title %q, link %q", link, title, run)
		}
	}
}

// The embedding element shows a picture and a link, and the simulator on request.
func TestEmbedElement(t *testing.T) {
	p := open(t, "s/index.html", desk) // any page of the origin; the element is put in by hand
	p.run(`new Promise(done => {
		const script = document.createElement("script");
		script.src = "../embed.js";
		script.onload = () => done(true);
		document.head.append(script);
	})`)
	p.run(`(() => {
		const e = document.createElement("highwater-embed");
		e.setAttribute("title", "A moment");
		e.setAttribute("t", "1s");
		document.querySelector("main").prepend(e);
	})()`)
	p.do(chromedp.Sleep(500 * time.Millisecond))
	const frames = `document.querySelector("highwater-embed").shadowRoot.querySelectorAll("iframe").length`
	before := eval[int](p, frames)
	p.run(`document.querySelector("highwater-embed").shadowRoot.querySelector("button").click()`)
	after := eval[int](p, frames)
	if before != 0 || after != 1 {
		t.Errorf("%d frames before the click and %d after it", before, after)
	}
	p.until(bootTime, `(w => w && w.highwater && w.highwater.ready())(document.querySelector("highwater-embed").shadowRoot.querySelector("iframe").contentWindow)`)
}
