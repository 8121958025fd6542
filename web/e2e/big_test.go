package e2e

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/highwater-sim/highwater/engine"
	"github.com/highwater-sim/highwater/engine/kafka"
)

// big is a cluster as large as the page has to bear: 9 brokers, 1,000 partitions.
const big = `title    Nine brokers, a thousand partitions
cluster  brokers=9 racks=a,b,c controllers=3
topic    orders partitions=700 replication.factor=3 min.insync.replicas=2
topic    clicks partitions=300 replication.factor=3 min.insync.replicas=2
producer app topic=orders acks=all rate=300/s keys=1000
producer web topic=clicks acks=1 rate=200/s keys=100
consumer c1 assign=orders-0,orders-1,orders-2,orders-3 group=readers
consumer c2 assign=clicks-0,clicks-1,clicks-2,clicks-3 group=readers
at 60s say The end.
`

// 9 brokers with 1,000 partitions load, play, can be zoomed into and picked from,
// are sought in, and are the same cluster as natively.
func TestBigCluster(t *testing.T) {
	text := strings.ReplaceAll(url.QueryEscape(big), "%2C", ",")
	p := open(t, "index.html#v1.p.x="+text, view{width: 1440, height: 900, theme: "dark"})
	p.live()
	if s := p.state(); len(s.Brokers) != 9 || s.partitions() != 1000 || len(s.Problems) != 0 {
		t.Fatalf("%d brokers, %d partitions, problems %q", len(s.Brokers), s.partitions(), s.Problems)
	}
	p.play()
	p.reach("a second in", func(s state) bool { return s.Now > 1e9 })
	p.shot("big-plays")

	// Any of the thousand can be had by its name.
	p.run(`document.querySelector('[data-do="under"][data-arg="table"]').click()`)
	p.until(stateTime, `document.querySelector(".finder .quiet").textContent.endsWith("of 1 000")`)
	p.run(`(e => { e.value = "orders-612"; e.dispatchEvent(new InputEvent("input", {bubbles: true})); })(document.getElementById("find"))`)
	p.until(stateTime, `document.querySelector(".mirror tbody td").textContent === "orders-612"`)
	p.run(`document.querySelector(".finder").requestSubmit()`)
	p.reach("the partition picked", func(s state) bool { return fmt.Sprint(s.Selection) == "partition:orders-612" })
	p.until(stateTime, `document.querySelector(".inspector h2").textContent === "orders-612"`)

	// Zoomed in as far as it goes, records are cells; the whole is there again.
	for range 16 {
		p.keys("+")
	}
	time.Sleep(time.Second)
	p.shot("big-zoomed")
	p.keys("0")
	p.pause()
	p.shot("big-paused")

	p.keys("\u0306") // Home
	p.reach("the start", func(s state) bool { return s.Now == 0 })
	at := 3 * kafka.Second
	native, err := engine.Open(big, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !native.RunUntil(kafka.Instant(at), 1<<30) {
		t.Fatal("it stopped")
	}
	there := open(t, fmt.Sprintf("index.html#v1.p.x=%s&t=%dms", text, at/kafka.Millisecond), desk)
	there.live()
	s := there.reach("the moment", func(s state) bool { return s.Now == int64(at) })
	if want := fmt.Sprintf("%x", native.Digest()); s.Digest != want {
		t.Errorf("digest %s in the browser, %s here", s.Digest, want)
	}
}
