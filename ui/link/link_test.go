package link

import (
	"reflect"
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/model"
	"pgregory.net/rapid"
)

// ordinary is a link after a session as people have them: some faults, a
// producer added, a record sent.
func ordinary() Link {
	return Link{
		Engine: EngineVersion, ID: "durability/acks-1", At: 5_200_000_000, HasAt: true, Event: 18842, Speed: -1,
		Edits: []model.Edit{
			{At: 1_200_000_000, Text: "cut broker-1 broker-2,broker-3"},
			{At: 2_340_000_000, Text: "crash broker-1"},
			{At: 3_000_000_001, Text: `produce app key=k1 value="hello, you" partition=0`},
		},
		Selection: view.Selection{Kind: "replica", Node: 1, TP: kafka.TopicPartition{Topic: "payments", Partition: 1}},
	}
}

func TestEncode(t *testing.T) {
	got, err := Encode(ordinary(), len("https://highwater-sim.github.io/highwater/"))
	want := "v1.p.s=durability/acks-1&e=1200ms+cut+broker-1+broker-2,broker-3&e=2340ms+crash+broker-1" +
		"&e=3000000001ns+produce+app+key=k1+value=%22hello,+you%22+partition=0&t=5200ms&n=18842&sel=replica:payments-1@1"
	if err != nil || got != want {
		t.Errorf("got  %s\nwant %s\nerror %v", got, want, err)
	}
	if len(got) > 300 {
		t.Errorf("an ordinary link has %d characters", len(got))
	}
}

// A session with a scenario of one's own and many edits stays under the limit.
func TestLongIsPacked(t *testing.T) {
	l := ordinary()
	l.ID, l.Text = "", "title    The leader acks alone\nchapter  durability\nseed     42\ncluster  brokers=3 racks=a,b,c controllers=1\n"+
		"topic    payments partitions=3 replication.factor=3 min.insync.replicas=1\nproducer app topic=payments acks=1 linger.ms=0 rate=50/s keys=8\n\n"+
		strings.Repeat("at 4s    cut broker-1 broker-2,broker-3\n         say Broker 1 still acks: with acks=1 its own log is enough.\n", 8)
	for i := range 40 {
		l.Edits = append(l.Edits, model.Edit{At: kafka.Instant(4_000_000_000 + int64(i)*137_000_001), Text: "crash broker-" + string(rune('1'+i%3))})
	}
	got, err := Encode(l, 40)
	if err != nil || !strings.HasPrefix(got, "v1.d.") || len(got) > 1000 {
		t.Fatalf("%d characters, error %v: %s", len(got), err, got)
	}
	back, ok, problems := Decode("#" + got)
	if !ok || len(problems) > 0 || !reflect.DeepEqual(back, l) {
		t.Errorf("ok %v, problems %q\ngot  %+v\nwant %+v", ok, problems, back, l)
	}
}

// oldLink was made by the first version of the format: it must open for ever,
// so the dictionary can never change.
const oldLink = "v1.d.qoAkTm2Y1drIiVPVwHFUdlSWPFm1VFtDI1BC104uLdGGZRFtjOyklmprZGwCVgfKLnCVaqm2xgZQYJhXrA0tHLQTCwq0QQVEtqE2pIxQNTLKSM3JydfRrswvVTUyQjjE1kCtxNbUCJrbDC0sTIyw5zdDB0NAAAAA__8"

func TestOldLink(t *testing.T) {
	l := ordinary()
	l.ID, l.Text = "", strings.Repeat("topic payments partitions=3\n", 20)
	if back, ok, problems := Decode(oldLink); !ok || len(problems) > 0 || !reflect.DeepEqual(back, l) {
		t.Errorf("ok %v, problems %q, link %+v", ok, problems, back)
	}
}

func TestEncodeRefuses(t *testing.T) {
	cases := map[string]func(*Link){
		"needs a scenario":                 func(l *Link) { l.ID = "" },
		"not both":                         func(l *Link) { l.Text = "title x" },
		"cannot carry the moment -1":       func(l *Link) { l.At = -1_000_000_000 },
		"cannot carry the moment never":    func(l *Link) { l.At = kafka.Never },
		"cannot carry the edit":            func(l *Link) { l.Edits[1].Text = " crash" },
		"cannot carry e with control":      func(l *Link) { l.Edits[1].Text = "crash\x00" },
		"cannot carry this selection":      func(l *Link) { l.Selection = view.Selection{Kind: "planet", Node: 3} },
		"cannot carry this camera":         func(l *Link) { l.Camera.X = 1e30 },
		"cannot carry speed 99":            func(l *Link) { l.Speed = 99 },
		"at most 5000 edits":               func(l *Link) { l.Edits = make([]model.Edit, 5001) },
		"cannot carry s with control":      func(l *Link) { l.ID = "a\xff" },
		"too long; save the scenario as a": func(l *Link) { l.ID, l.Text = "", noise(40000) },
	}
	for want, change := range cases {
		l := ordinary()
		change(&l)
		if got, err := Encode(l, 40); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v, %q", want, err, got)
		}
	}
}

// noise does not compress.
func noise(n int) string {
	var b strings.Builder
	for x := uint32(1); b.Len() < n; {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		b.WriteByte(' ' + byte(x%94))
	}
	return b.String()
}

func TestDecodeTellsWhatItLeavesOut(t *testing.T) {
	cases := []struct {
		fragment string
		ok       bool
		want     []string // parts of the problems, in order
	}{
		{"", false, nil},
		{"#top", false, []string{"no format"}},
		{"#v1", false, []string{"no format"}},
		{"#v9.p.s=log/keys", false, []string{`"v9"`}},
		{"#v1.z.s=log/keys", false, []string{`codec "z"`}},
		{"#v1.d.!!!", false, []string{"cannot be unpacked"}},
		{"#v1.p.", false, []string{"no scenario"}},
		{"#v1.p.t=4s", false, []string{"no scenario"}},
		{"#v1.p.s=log/keys", true, nil},
		{"#v1.p.s=log/keys&x=title", true, []string{`"x"`}},
		{"#v1.p.s=log/keys&s=log/order", true, []string{`"s" twice`}},
		{"#v1.p.s=log/keys&planet=mars", true, []string{`"planet"`}},
		{"#v1.p.s=log/keys&t=soon&n=-1&seed=x&sp=77&cam=1,2&sel=moon:3", true,
			[]string{`"t"`, `"n"`, `"seed"`, `"sp"`, `"cam"`, `"sel"`}},
		{"#v1.p.s=log/keys&cam=NaN,0,1", true, []string{`"cam"`}},
		{"#v1.p.s=log/keys&e=4s&e=crash&e=5s+crash+a&e=4s+crash+b", true, []string{"4s", "crash", "4s crash b"}},
		{"#v1.p.s=log/keys&e=4s+a%0Ab", true, []string{`"e"`}},
		{"#v1.p.s=log/keys&t=4%", true, []string{"cannot be read"}},
		{"#v1.p.s=log/keys&t=4%zz", true, []string{"no character"}},
		{"#v1.p.s=log/keys&t", true, []string{"cannot be read"}},
		{"#v1.p.s=log%00", false, []string{"control", "no scenario"}},
		{"#v1.p.v=7&s=log/keys", true, []string{"engine 7"}},
		{"#v1.p.s=" + strings.Repeat("a", 500000), false, []string{"too many"}},
	}
	for _, c := range cases {
		_, ok, problems := Decode(c.fragment)
		name := c.fragment[:min(len(c.fragment), 60)]
		if ok != c.ok || len(problems) != len(c.want) {
			t.Errorf("%s: ok %v, problems %q", name, ok, problems)
			continue
		}
		for i, w := range c.want {
			if !strings.Contains(problems[i], w) {
				t.Errorf("%s: problem %q lacks %q", name, problems[i], w)
			}
		}
	}
}

// A small link must not inflate without end.
func TestBomb(t *testing.T) {
	packed, err := deflate("s=a&x=" + strings.Repeat("a", 40<<20))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, problems := Decode("v1.d." + packed); ok || len(problems) != 1 || !strings.Contains(problems[0], "more than 262144") {
		t.Errorf("ok %v, problems %q", ok, problems)
	}
}

func TestDecodeQuery(t *testing.T) {
	q, problems := DecodeQuery("?s=durability/acks-1&embed=1&t=12.4s&palette=tol&utm_source=mail")
	if len(problems) > 0 || q != (Query{ID: "durability/acks-1", Embed: true, At: 12_400_000_000, HasAt: true, Keys: "tol"}) {
		t.Errorf("%+v, %q", q, problems)
	}
	if q, problems := DecodeQuery("?s=&embed=yes&t=later&palette=pink"); len(problems) != 4 || q.Keys != "" || q.Embed || q.HasAt {
		t.Errorf("%+v, %q", q, problems)
	}
}

func TestParseInstant(t *testing.T) {
	cases := map[string]int64{
		"0s": 0, "12.4s": 12_400_000_000, "5200ms": 5_200_000_000, "17ns": 17, "1.000000001s": 1_000_000_001, "2m": 120_000_000_000,
		"": -1, "s": -1, "4": -1, ".5s": -1, "4.s": -1, "-4s": -1, "1.5ns": -1, "9223372036854775807s": -1, "1.2.3s": -1, "4 s": -1,
		"9223372036854775807ns": -1, "1h": 3_600_000_000_000, "4S": -1, "106751.99999999d": -1,
	}
	for text, want := range cases {
		got, ok := parseInstant(text)
		if ok != (want >= 0) || ok && int64(got) != want {
			t.Errorf("%q: %d, %v, want %d", text, got, ok, want)
		}
	}
}

// Whatever Encode takes, Decode gives back.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Link{Engine: EngineVersion, Speed: rapid.IntRange(-1, len(model.Speeds)-1).Draw(t, "speed")}
		if rapid.Bool().Draw(t, "library") {
			l.ID = rapid.StringMatching(`[a-z]{1,9}/[a-z0-9-]{1,20}`).Draw(t, "id")
		} else {
			l.Text = rapid.StringMatching(`[ -~äß€\n]{1,400}`).Draw(t, "text")
		}
		if l.HasSeed = rapid.Bool().Draw(t, "hasSeed"); l.HasSeed {
			l.Seed = rapid.Uint64().Draw(t, "seed")
		}
		at := int64(0)
		for range rapid.IntRange(0, 9).Draw(t, "edits") {
			at += rapid.Int64Range(0, 1<<40).Draw(t, "gap")
			l.Edits = append(l.Edits, model.Edit{At: kafka.Instant(at), Text: rapid.StringMatching(`[!-~]([ -~]{0,30}[!-~])?`).Draw(t, "edit")})
		}
		if l.HasAt = rapid.Bool().Draw(t, "hasAt"); l.HasAt {
			l.At, l.Event = kafka.Instant(rapid.Int64Range(0, 1<<60).Draw(t, "at")), rapid.Uint64().Draw(t, "event")
		}
		if rapid.Bool().Draw(t, "camera") {
			l.Camera = model.Camera{X: rapid.Float32Range(-1e5, 1e5).Draw(t, "x"), Y: rapid.Float32Range(-1e5, 1e5).Draw(t, "y"), Zoom: rapid.Float32Range(0, 24).Draw(t, "zoom")}
		}
		fragment, err := Encode(l, 0)
		if err == ErrTooLong {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		back, ok, problems := Decode(fragment)
		if !ok || len(problems) > 0 || !reflect.DeepEqual(back, l) {
			t.Fatalf("%s\nok %v, problems %q\ngot  %+v\nwant %+v", fragment, ok, problems, back, l)
		}
	})
}

// Decode takes anything, and what it accepts, Encode can write again.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "#v1.p.s=log/keys&t=4s", "v1.p.x=title%0A&e=4s+crash&cam=1,2,3&sel=link:1%3E2", oldLink, "v1.d.AAAA", "v1.p.&&==%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, fragment string) {
		l, ok, problems := Decode(fragment)
		if !ok {
			if len(problems) == 0 && strings.TrimPrefix(fragment, "#") != "" {
				t.Error("refused without a word")
			}
			return
		}
		if again, err := Encode(l, 0); err != nil && err != ErrTooLong {
			t.Errorf("%+v: %v", l, err)
		} else if back, ok, _ := Decode(again); err == nil && (!ok || !reflect.DeepEqual(back, l)) {
			t.Errorf("%s\ngot  %+v\nwant %+v", again, back, l)
		}
		DecodeQuery(fragment)
	})
}

func TestWithEdits(t *testing.T) {
	text := "title A\ncluster brokers=3\nat 1s cut broker-1 broker-2\n      say It is cut.\nat 3s    heal all\nat 9s expect true"
	got := WithEdits(text, []model.Edit{{At: 500_000_000, Text: "crash broker-3"}, {At: 3_000_000_000, Text: "start broker-3"}, {At: 12_000_000_001, Text: "stop broker-1"}})
	want := "title A\ncluster brokers=3\nat 500ms crash broker-3\nat 1s cut broker-1 broker-2\n      say It is cut.\nat 3s    heal all\n" +
		"at 3s start broker-3\nat 9s expect true\nat 12000000001ns stop broker-1\n"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if WithEdits(text, nil) != text {
		t.Error("a text without edits was changed")
	}
}
