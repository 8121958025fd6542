package e2e

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/highwater-sim/highwater/engine"
)

// downloads makes the page hand its next download over instead of saving it.
const downloads = `(() => {
	const make = URL.createObjectURL;
	URL.createObjectURL = blob => {
		blob.arrayBuffer().then(b => window.handed = btoa(String.fromCharCode(...new Uint8Array(b))));
		return make.call(URL, blob);
	};
	HTMLAnchorElement.prototype.click = function() { window.handedName = this.download; };
})()`

// A segment of a replica is downloaded as Kafka's own bytes, and the page reads
// it back when it is chosen as a file; a flipped bit is told with its place.
func TestSegmentFile(t *testing.T) {
	p := open(t, "index.html?s=durability/acks-1&t=3s", view{width: 1440, height: 900, theme: "dark"})
	p.live()
	p.reach("the moment", func(s state) bool { return s.Now == 3e9 })
	p.run(downloads)
	p.run(`document.querySelector('[data-do="under"][data-arg="table"]').click()`)
	p.until(stateTime, `document.querySelector('[data-arg^="replica:"]') !== null`)
	p.run(`document.querySelector('[data-arg^="replica:"]').click()`)
	const log = `[data-do="download"][data-arg="file:00000000000000000000.log"]`
	p.until(stateTime, "document.querySelector(`"+log+"`) !== null")
	p.run(`document.querySelector('[data-do="tool"]').click()`)
	p.until(stateTime, `[...document.querySelectorAll("pre.tool")].some(e => e.textContent.includes("| offset: "))`)
	p.shot("replica")
	p.run("document.querySelector(`" + log + "`).click()")
	p.until(stateTime, `window.handed !== undefined`)
	data, err := base64.StdEncoding.DecodeString(eval[string](p, `window.handed`))
	if err != nil {
		t.Fatal(err)
	}
	name := eval[string](p, `window.handedName`)
	f := engine.ReadLogFile(name, data)
	if name != "00000000000000000000.log" || f.Broken > 0 || f.Len() == 0 {
		t.Fatalf("%s: %d batches, %+v", name, f.Len(), f.Problems)
	}
	data[len(data)-5] ^= 1
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	p.run(`document.querySelector('[data-do="deselect"]').click()`)
	p.until(stateTime, `document.querySelector("#open-file") !== null && !document.querySelector("#open-file").hidden`)
	p.run(`document.querySelector("#open-file").click()`)
	p.until(stateTime, `document.querySelector("#file") !== null`)
	p.do(chromedp.SetUploadFiles("#file", []string{file}))
	p.until(stateTime, `document.querySelector(".problems")?.innerText.includes("CRC-32C")`)
	p.run(`document.querySelector(".logfile tbody button").click()`)
	p.until(stateTime, `document.querySelector(".logfile tr.entry") !== null`)
	p.shot("file")
}

// A controller's copy of the metadata log is dumped with its types, and its files are
// those that can be dropped again.
func TestMetadataFile(t *testing.T) {
	p := open(t, "index.html?s=control/kraft&t=5s", view{width: 1440, height: 900, theme: "dark"})
	p.live()
	p.reach("the moment", func(s state) bool { return s.Now == 5e9 })
	p.run(downloads)
	for range 12 { // the controllers come first in reading order
		if strings.HasPrefix(fmt.Sprint(p.state().Selection), "controller:") {
			break
		}
		p.keys(kb.ArrowDown)
	}
	p.until(stateTime, `document.querySelector(".inspector h2").textContent.startsWith("controller 10")`)
	const name = "00000000000000000000.log"
	p.until(stateTime, `document.querySelector('[data-do="download"][data-arg="file:`+name+`"]') !== null`)
	p.run(`document.querySelector('[data-arg="kafka-dump-log --cluster-metadata-decoder"]').click()`)
	p.until(stateTime, `[...document.querySelectorAll("pre.tool")].some(e => e.textContent.includes('payload: {"type":"'))`)
	p.shot("controller")
	p.run(`document.querySelector('[data-do="download"][data-arg="file:` + name + `"]').click()`)
	p.until(stateTime, `window.handed !== undefined`)
	data, err := base64.StdEncoding.DecodeString(eval[string](p, `window.handed`))
	if err != nil {
		t.Fatal(err)
	}
	if f := engine.ReadLogFile(name, data); !f.Metadata || f.Broken > 0 || f.Len() < 10 {
		t.Errorf("%d batches, metadata %v, %+v", f.Len(), f.Metadata, f.Problems)
	}
}

// All metrics are there under Kafka's names, with what changed since the last
// stop; a cause is gone to with a click.
func TestMetricsAndCauses(t *testing.T) {
	p := open(t, "index.html?s=durability/acks-1&t=15s", view{width: 1440, height: 900, theme: "dark"})
	p.live()
	p.reach("the moment", func(s state) bool { return s.Now == 15e9 })
	p.run(`document.querySelector('[data-do="under"][data-arg="metrics"]').click()`)
	p.play()
	p.reach("two seconds on", func(s state) bool { return s.Now > 17e9 })
	p.pause()
	p.until(stateTime, `document.querySelector(".gauges").innerText.includes("since 15 s")`)
	if rows := eval[int](p, `document.querySelectorAll(".gauges tbody tr").length`); rows < 10 {
		t.Errorf("%d metrics", rows)
	}
	p.run(`document.querySelector('[data-arg^="partition:"]').click()`)
	p.until(stateTime, `document.querySelector('[data-do="jump"][data-arg^="136"]') !== null`)
	p.shot("metrics")
	p.run(`document.querySelector('[data-do="jump"][data-arg^="136"]').click()`)
	p.reach("the cause", func(s state) bool {
		return s.Now >= 13e9 && s.Now < 14e9 && strings.HasPrefix(fmt.Sprint(s.Selection), "note:")
	})
}

// A file that is dropped anywhere on the page is shown; metadata records have
// their types.
func TestDropMetadata(t *testing.T) {
	data, err := os.ReadFile("../../../shared/fixtures/kafka-data/__cluster_metadata-0/00000000000000007752-0000000001.checkpoint")
	if err != nil {
		t.Skip("no fixtures: ", err)
	}
	for _, v := range []view{{width: 1440, height: 900, theme: "dark"}, {width: 360, height: 740, theme: "dark"}} {
		p := open(t, "index.html", v)
		p.live()
		p.run(`(() => {
			const bytes = Uint8Array.from(atob("` + base64.StdEncoding.EncodeToString(data) + `"), c => c.charCodeAt(0));
			const transfer = new DataTransfer();
			transfer.items.add(new File([bytes], "00000000000000007752-0000000001.checkpoint"));
			document.querySelector(".player").dispatchEvent(new DragEvent("drop", {dataTransfer: transfer, bubbles: true, cancelable: true}));
		})()`)
		p.until(stateTime, `document.querySelector("#file-summary")?.textContent.includes("snapshot of the metadata log")`)
		p.run(`document.querySelectorAll(".logfile tbody button")[1].click()`)
		p.until(stateTime, `[...document.querySelectorAll(".logfile tr.entry")].some(e => /_RECORD \{"/.test(e.textContent))`)
		p.run(`document.querySelector('[data-do="dump"]').click()`)
		p.until(stateTime, `document.getElementById("file-dump").textContent.includes('payload: {"type":"')`)
		if wide := eval[int64](p, `document.documentElement.scrollWidth`); wide > v.width {
			t.Errorf("the page is %d px wide", wide)
		}
		p.shot("drop-" + v.theme + "-" + map[bool]string{true: "phone", false: "desk"}[v.width < 900])
	}
}
