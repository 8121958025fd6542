package e2e

import (
	"strings"
	"testing"
	"time"
)

// An embed is the picture with a slim player even where it is small, says what
// the script says, lets the page around it scroll, and rests out of sight.
func TestEmbedInAPage(t *testing.T) {
	p := open(t, "s/index.html", view{width: 700, height: 600, theme: "dark"}) // any page of the origin
	p.run(`(() => {
		const f = document.createElement("iframe");
		f.id = "frame"; f.src = "../index.html?embed=1&s=durability/acks-1&t=3s&palette=tol"; f.style = "";
		f.width = 360; f.height = 260;
		document.querySelector("main").prepend(f);
	})()`)
	const in = `document.getElementById("frame").contentWindow`
	p.until(bootTime, in+`.highwater?.ready() && `+in+`.document.documentElement.dataset.state === "live"`)
	if height := eval[float64](p, in+`.document.querySelector(".player").getBoundingClientRect().height`); height > 60 {
		t.Errorf("the player of an embed is %v px high", height)
	}
	p.run(in + `.document.getElementById("play").click()`)
	p.until(stateTime, in+`.document.querySelector(".caption").textContent.startsWith("Broker 1 still acks")`)
	p.shot("embed-small")
	// It does not stop at the question, for which it has no place.
	p.until(stateTime, `JSON.parse(`+in+`.highwater.state()).now > 5.4e9`)
	if hash := eval[string](p, in+`.location.search`); !strings.Contains(hash, "palette=tol") || !strings.Contains(hash, "embed=1") {
		t.Errorf("the address has lost its looks: %q", hash)
	}
	wheel := eval[bool](p, `(w => { const e = new w.WheelEvent("wheel", {deltaY: 100, cancelable: true, bubbles: true});
		w.document.getElementById("stage-input").dispatchEvent(e); return e.defaultPrevented; })(`+in+`)`)
	if wheel {
		t.Error("the wheel does not scroll the page around an embed")
	}
	p.run(`scrollTo(0, 5000)`)
	time.Sleep(time.Second)
	at := eval[string](p, `JSON.parse(`+in+`.highwater.state()).now`)
	time.Sleep(time.Second)
	if later := eval[string](p, `JSON.parse(`+in+`.highwater.state()).now`); later != at {
		t.Errorf("out of sight it ran from %s to %s", at, later)
	}
	p.run(`scrollTo(0, 0)`)
	p.until(stateTime, `JSON.parse(`+in+`.highwater.state()).now > `+at)
}
