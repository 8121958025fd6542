package model

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/view"
)

const ms = kafka.Millisecond

// choices are all of the palette.
func choices() []Choice {
	all := slices.Clone(PaletteShort)
	for _, g := range Palette {
		all = append(all, g.Choices...)
	}
	return all
}

// opened is a model with a cluster of three brokers and a script that asks at
// 2 s and ends at 5 s.
func opened() Model {
	m := New([]Entry{{ID: "log/keys", Title: "Keys", Chapter: "log"}, {ID: "log/order", Title: "Order", Chapter: "log"}, {ID: "durability/isr", Title: "ISR", Chapter: "durability"}}, false)
	m, _ = Update(m, Opened{Info: view.Info{ID: "log/order", Chapter: "log", Seed: 7, End: 5e9}, Text: "title Order", Wanted: OpenAt{Speed: -1}})
	c := &view.Cluster{
		Brokers:     []view.Broker{{ID: 1, Name: "broker-1", Rack: "a", LogDirs: []string{"/d1", "/d2"}}, {ID: 2, Name: "broker-2", State: view.Crashed}, {ID: 3, Name: "broker-3"}},
		Controllers: []view.Controller{{ID: 101}},
		Topics:      []view.Topic{{Name: "payments", Partitions: []view.Partition{{TP: kafka.TopicPartition{Topic: "payments"}, Assigned: []kafka.NodeID{1, 2, 3}}}}, {Name: kafka.TopicOffsets, Internal: true}},
		Producers:   []view.Producer{{Name: "p1"}},
		Consumers:   []view.Consumer{{Name: "c1", Group: "billing"}},
	}
	m, _ = Update(m, FactsMsg{Facts: &Facts{
		Cluster: c,
		Steps: []view.Step{{At: 1e9, Line: 4, Kind: "command"}, {At: 2e9, Line: 5, Kind: "ask",
			Ask: &view.Question{Text: "?", Options: []string{"0", "7"}, Right: 1}}},
		Markers: []view.Marker{{At: 1e9}, {At: 2e9}, {At: 5e9}},
		Detail:  view.Detail{ConfigOf: "topic payments"},
	}})
	return m
}

// play runs frames of 20 ms until the model stops, or n of them; the engine
// follows at once.
func play(t *testing.T, m Model, n int) Model {
	t.Helper()
	m, _ = Update(m, Act{Do: "play"})
	for range n {
		var cmds []Cmd
		m, cmds = Update(m, Frame{Delta: 20 * ms})
		for _, c := range cmds {
			to := c.(Advance).To
			if to <= m.Now {
				t.Fatalf("an advance to %v at %v", to, m.Now)
			}
			m, _ = Update(m, Moved{Now: to, Horizon: max(to, m.Horizon), Event: m.Event + 1})
		}
		if !m.Playing {
			break
		}
	}
	return m
}

// A frame advances by its clamped delta times the speed, and loses no
// nanosecond of what a slow speed leaves over.
func TestSpeed(t *testing.T) {
	cases := []struct {
		stop  int
		delta kafka.Duration
		n     int
		want  kafka.Instant
	}{
		{SpeedDefault, 20 * ms, 10, 200e6},
		{SpeedDefault, 2 * kafka.Second, 1, 100e6}, // a tab that was away
		{SpeedDefault, -ms, 3, 0},
		{len(Speeds) - 1, 10 * ms, 1, 1e9},
		{0, 16666667, 3, 50000}, // 3 frames of 16.7 ms at 1/1000, to the nanosecond
	}
	for _, c := range cases {
		m := opened()
		m.Speed, m.SlowEvents, m.Playing, m.Facts.Steps = c.stop, false, true, nil
		for range c.n {
			var cmds []Cmd
			if m, cmds = Update(m, Frame{Delta: c.delta}); len(cmds) > 0 {
				m, _ = Update(m, Moved{Now: cmds[0].(Advance).To})
			}
		}
		if m.Now != c.want {
			t.Errorf("%d frames of %v at %s: at %d, want %d", c.n, c.delta, Speeds[c.stop].Label, m.Now, c.want)
		}
	}
}

// Time stops at a question until it is answered or played over, and at the end
// of the script once.
func TestStops(t *testing.T) {
	m := opened()
	m.Speed = SpeedDefault
	if m = play(t, m, 1000); m.Now != 2e9 || m.Playing {
		t.Fatalf("at the question: now %v, playing %v", m.Now, m.Playing)
	}
	stop := opened() // where the question cannot be seen it is brought into sight
	stop.Tab, stop.FoldLesson, stop.Playing, stop.Now = "stage", true, true, 1.9e9
	stop, cmds := Update(stop, Moved{Now: 2e9})
	if stop.Playing || stop.Tab != "lesson" || stop.FoldLesson || !slices.Contains(cmds, Cmd(Reveal{ID: "predict"})) {
		t.Errorf("at the question: tab %q, %v", stop.Tab, cmds)
	}
	m, _ = Update(m, Act{Do: "answer", Arg: "5 0"})
	m, _ = Update(m, Act{Do: "answer", Arg: "5 1"})
	if m.Choice(5) != 0 {
		t.Errorf("the first answer counts, not %d", m.Choice(5))
	}
	if m = play(t, m, 1000); m.Now != 5e9 || m.Playing {
		t.Fatalf("at the end: now %v, playing %v", m.Now, m.Playing)
	}
	if m = play(t, m, 100); m.Now <= 5e9 || !m.Playing {
		t.Errorf("after the end: now %v, playing %v", m.Now, m.Playing)
	}
	again := opened()
	again.Answers, again.Speed = m.Answers, SpeedDefault
	if again = play(t, again, 1000); again.Now != 5e9 {
		t.Errorf("an answered question stops again, at %v", again.Now)
	}
	embed := opened() // it has no place for the question
	embed.Embed, embed.Speed = true, SpeedDefault
	if embed = play(t, embed, 1000); embed.Now != 5e9 {
		t.Errorf("an embed stops at %v for a question that nobody sees", embed.Now)
	}
}

// Going elsewhere stops time, and it goes on from there if it did before.
func TestSeek(t *testing.T) {
	for _, playing := range []bool{true, false} {
		m := opened()
		m.Playing = playing
		m, cmds := Update(m, Act{Do: "seek", Arg: "3000000000"})
		if want := []Cmd{SeekTo{At: 3e9}}; !reflect.DeepEqual(cmds, want) || m.Playing || m.Still() {
			t.Fatalf("cmds %v, playing %v", cmds, m.Playing)
		}
		m, cmds = Update(m, Frame{Delta: 20 * ms})
		if len(cmds) > 0 {
			t.Error("time passes during a seek")
		}
		m, _ = Update(m, Moved{Now: 1e9})
		m, _ = Update(m, Moved{Now: 3e9, Arrived: true})
		if m.Playing != playing || m.Seeking {
			t.Errorf("arrived: playing %v, was %v", m.Playing, playing)
		}
	}
	far := opened()
	far, _ = Update(far, Act{Do: "seek", Arg: "9000000000000"})
	far, _ = Update(far, Moved{Now: 4e9})
	far, _ = Update(far, Key{Key: "Escape"})
	if !far.Still() || far.Now != 4e9 {
		t.Errorf("a seek that was stopped: at %v, still %v", far.Now, far.Still())
	}
	m := opened()
	m, cmds := Update(m, Act{Do: "frac", Value: "50000"})
	if !reflect.DeepEqual(cmds, []Cmd{SeekTo{At: 2.5e9}}) {
		t.Errorf("half of 5 s: %v", cmds)
	}
	if _, cmds = Update(m, Act{Do: "later", Arg: "-1000000000"}); !reflect.DeepEqual(cmds, []Cmd{SeekTo{At: 0}}) {
		t.Errorf("a second before the start: %v", cmds)
	}
}

// A broken law stops the world and says what to report.
func TestViolation(t *testing.T) {
	m := opened()
	m.Playing = true
	v := &view.Violation{Law: "hw-monotone", Text: "7 after 9", At: 1e9, Event: 88}
	m, _ = Update(m, Moved{Now: 1e9, Violation: v})
	if m.Playing || !m.Banner.Grave || !strings.Contains(m.Banner.Title, "hw-monotone") || !strings.Contains(strings.Join(m.Banner.Lines, " "), "seed 7, 1.000s, event 88") {
		t.Errorf("%+v", m.Banner)
	}
	if m, _ = Update(m, Act{Do: "play"}); m.Playing {
		t.Error("a broken world plays")
	}
	m, _ = Update(m, Moved{Now: 0})
	if m, _ = Update(m, Act{Do: "play"}); !m.Playing {
		t.Error("a world before the fault does not play")
	}
}

// A link opens paused at its moment, with the event within the instant.
func TestOpenAt(t *testing.T) {
	m := opened()
	sel := view.Selection{Kind: "broker", Node: 1}
	m, cmds := Update(m, Opened{Info: view.Info{ID: "log/keys"}, Wanted: OpenAt{At: 4e9, HasAt: true, Event: 55, Selection: sel, Speed: 3},
		Problems: []Problem{{Line: 2, Col: 3, Text: "what"}}, Banner: "Parts"})
	want := []Cmd{SeekTo{At: 4e9, Event: 55, Exact: true}, Link{Quiet: true}}
	if !reflect.DeepEqual(cmds, want) || m.Selection != sel || m.Speed != 3 || m.Playing || m.Resume {
		t.Errorf("cmds %v, model %+v", cmds, m)
	}
	if m.Banner.Title != "Parts" || m.Banner.Lines[0] != "line 2, column 3: what" {
		t.Errorf("%+v", m.Banner)
	}
}

func TestKeys(t *testing.T) {
	stage := func(key string) Key { return Key{Key: key, On: "stage"} }
	cases := []struct {
		key  Key
		want []Cmd
		used bool
	}{
		{stage("ArrowRight"), []Cmd{Step{}, Link{}}, true},
		{stage("ArrowLeft"), []Cmd{Step{Back: true}, Link{}}, true},
		{Key{Key: "ArrowRight", Shift: true, On: "stage"}, []Cmd{SeekTo{At: 1e9}}, true},
		{Key{Key: "ArrowRight", Alt: true, On: "stage"}, []Cmd{SeekTo{At: 1e9}}, true},
		{stage("]"), []Cmd{SeekTo{At: 1e9}}, true},
		{stage("End"), []Cmd{SeekTo{At: 5e9}}, true},
		{stage("Home"), []Cmd{SeekTo{At: 0}}, true},
		{stage("ArrowDown"), []Cmd{Walk{By: 1}}, true},
		{stage("u"), []Cmd{Undo{}, Link{}}, true},
		{stage("?"), []Cmd{Focus{ID: "dialog"}}, true},
		{stage("x"), nil, false},
		{Key{Key: "?", On: "button"}, nil, false}, // letters act on the stage only
		{Key{Key: " ", On: "button"}, nil, false}, // it presses the button
		{Key{Key: "ArrowRight", On: "field"}, nil, false},
		{Key{Key: "ArrowRight", Ctrl: true, On: "stage"}, nil, false},
		{Key{Key: "ArrowRight", On: "scrub"}, []Cmd{SeekTo{At: 50e6}}, true},
		{Key{Key: "PageUp", On: "scrub"}, []Cmd{SeekTo{At: 500e6}}, true},
		{Key{Key: "Home", On: "scrub"}, []Cmd{SeekTo{At: 0}}, true},
		{Key{Key: "F5", On: "scrub"}, nil, false},
	}
	for _, c := range cases {
		m := opened()
		_, cmds := Update(m, c.key)
		if !reflect.DeepEqual(cmds, c.want) || KeyUsed(m, c.key) != c.used {
			t.Errorf("%+v: cmds %v, used %v", c.key, cmds, KeyUsed(m, c.key))
		}
	}
	m := opened()
	m.Letters = false
	if KeyUsed(m, stage("k")) {
		t.Error("letters are off, and k acts")
	}
	if m, _ = Update(m, stage(" ")); !m.Playing {
		t.Error("space does not play")
	}
}

// Esc closes the dialog, then the form, then the selection.
func TestEscape(t *testing.T) {
	m := opened()
	m, _ = Update(m, Act{Do: "select", Arg: "broker:1"})
	m, _ = Update(m, Act{Do: "form", Arg: "cut"})
	m, _ = Update(m, Act{Do: "dialog", Arg: "help"})
	esc := Key{Key: "Escape", On: "field"}
	m, cmds := Update(m, esc)
	if m.Dialog != "" || m.Form.Kind != "cut" || !reflect.DeepEqual(cmds, []Cmd{Focus{ID: "open-help"}}) {
		t.Errorf("dialog %q, form %q, cmds %v", m.Dialog, m.Form.Kind, cmds)
	}
	if m, _ = Update(m, esc); m.Form.Kind != "" || m.Selection.Kind == "" {
		t.Error("the second Esc closes the form only")
	}
	if m, _ = Update(m, esc); m.Selection.Kind != "" {
		t.Error("the third Esc selects nothing")
	}
}

// L opens the legend and closes it; Esc closes it before it lets the selection go.
func TestLegend(t *testing.T) {
	m, _ := Update(opened(), Act{Do: "select", Arg: "broker:1"})
	l := Key{Key: "l", On: "stage"}
	if m, _ = Update(m, l); !m.Legend {
		t.Fatal("L does not open it")
	}
	if m, _ = Update(m, Key{Key: "Escape", On: "stage"}); m.Legend || m.Selection.Kind != "broker" {
		t.Errorf("Esc: legend %v, selection %v", m.Legend, m.Selection)
	}
	m, _ = Update(m, l)
	if m, _ = Update(m, l); m.Legend {
		t.Error("L does not close it")
	}
}

// K crashes what runs and starts what does not.
func TestKillOrStart(t *testing.T) {
	for arg, want := range map[string]string{"broker:1": "crash broker-1", "broker:2": "start broker-2", "replica:payments-0@3": "crash broker-3", "controller:101": "crash controller-101", "producer:p1": "crash p1"} {
		m, _ := Update(opened(), Act{Do: "select", Arg: arg})
		if _, cmds := Update(m, Key{Key: "k", On: "stage"}); !reflect.DeepEqual(cmds, []Cmd{Do{Command: want}}) {
			t.Errorf("%s: %v", arg, cmds)
		}
	}
	if m, cmds := Update(opened(), Act{Do: "toggle"}); len(cmds) > 0 || m.Notice == "" {
		t.Errorf("without a selection: %v, %q", cmds, m.Notice)
	}
}

// A config's draft becomes a command; a refusal stands at the config, success
// takes the draft away.
func TestDrafts(t *testing.T) {
	m, _ := Update(opened(), Act{Do: "draft", Arg: "min.insync.replicas", Value: "9"})
	m, cmds := Update(m, Act{Do: "apply", Arg: "min.insync.replicas"})
	do := Do{Command: "config topic payments min.insync.replicas=9"}
	if !reflect.DeepEqual(cmds, []Cmd{do}) {
		t.Fatalf("%v", cmds)
	}
	m, _ = Update(m, Done{Command: do.Command, Problems: []Problem{{1, 30, "too many"}}})
	if len(m.Drafts) != 1 || m.Drafts[0].Err != "too many" {
		t.Errorf("%+v", m.Drafts)
	}
	if m, _ = Update(m, Done{Command: do.Command}); len(m.Drafts) != 0 {
		t.Errorf("%+v", m.Drafts)
	}
}

func TestSelectionText(t *testing.T) {
	tp := kafka.TopicPartition{Topic: "my-topic.v1", Partition: 12}
	for text, want := range map[string]view.Selection{
		"":                           {},
		"broker:3":                   {Kind: "broker", Node: 3},
		"controller:101":             {Kind: "controller", Node: 101},
		"replica:my-topic.v1-12@3":   {Kind: "replica", TP: tp, Node: 3},
		"record:my-topic.v1-12@3+99": {Kind: "record", TP: tp, Node: 3, Offset: 99},
		"partition:my-topic.v1-12":   {Kind: "partition", TP: tp},
		"topic:a":                    {Kind: "topic", Name: "a"},
		"consumer:c1":                {Kind: "consumer", Name: "c1"},
		"link:1>2":                   {Kind: "link", Node: 1, Peer: 2},
		"flight:88":                  {Kind: "flight", ID: 88},
		"note:5":                     {Kind: "note", ID: 5},
	} {
		if got := SelectionText(want); got != text {
			t.Errorf("%+v is %q, want %q", want, got, text)
		}
		if got, ok := ParseSelection(text); !ok || got != want {
			t.Errorf("%q is %+v, %v", text, got, ok)
		}
	}
	for _, bad := range []string{"broker", "broker:", "broker:x", "broker:-2", "replica:a@1", "replica:a-1", "record:a-1@2", "record:a-1@2+-3", "link:1", "moon:1", "topic:"} {
		if got, ok := ParseSelection(bad); ok {
			t.Errorf("%q is %+v", bad, got)
		}
	}
}

// Every form makes the line that the language knows, from its defaults.
func TestForms(t *testing.T) {
	want := map[string]string{
		"crash": "crash broker-1", "stop": "stop broker-1", "powerloss": "powerloss broker-1", "freeze": "freeze broker-1",
		"start": "start broker-2", "thaw": "thaw broker-2",
		"cut": "cut broker-1 broker-2,broker-3", "heal": "heal all", "link": "link broker-1 broker-2,broker-3 latency=200ms",
		"disk": "disk broker-1 latency=50ms", "sync": "sync broker-1",
		"fail-dir": "disk broker-1 fail=/d1", "repair-dir": "disk broker-1 repair=/d1", "wipe": "wipe broker-2", "alter-log-dir": "alter-log-dir broker-1 payments-0 /d2",
		"add-controller": "add controller-102", "add-voter": "add-voter controller-101", "remove-voter": "remove-voter controller-101",
		"topic": "topic topic1 partitions=3 replication.factor=3", "delete-topic": "delete-topic payments",
		"producer": "producer p2 topic=payments acks=all rate=10/s keys=8 linger.ms=5",
		"consumer": "consumer c2 assign=payments group=billing from=earliest",
		"produce":  "produce p1 key=k1 value=hello", "config": "config topic payments min.insync.replicas=2",
		"rate": "rate p1 50/s", "elect": "elect payments-0", "pause": "pause p1", "resume": "resume p1",
		"seek": "seek c1 payments-0 earliest", "line": "", "commit": "commit c1", "partitions": "partitions payments 2", "add": "add broker-4",
		"reassign": "reassign payments-0 2,3,1", "cancel-reassign": "cancel-reassign payments-0", "verify-reassign": "verify-reassign payments",
		"delete-records": "delete-records payments-0 latest", "quota": "quota all produce=10KB/s", "corrupt": "corrupt broker-1 payments-0 0",
	}
	for _, c := range choices() {
		m, _ := Update(opened(), Act{Do: "form", Arg: c.Kind})
		line, ok := want[c.Kind]
		if !ok || m.Form.Line() != line {
			t.Errorf("%s: %q, want %q", c.Kind, m.Form.Line(), line)
		}
		if again, _ := Update(m, Act{Do: "form", Arg: c.Kind}); again.Form.Kind != "" {
			t.Errorf("%s: the button does not close the form", c.Kind)
		}
	}
}

func TestFormFields(t *testing.T) {
	m, _ := Update(opened(), Act{Do: "form", Arg: "produce"})
	set := func(name, value string) { m, _ = Update(m, Act{Do: "field", Arg: name, Value: value}) }
	set("value", `say "hi" there`)
	set("partition", "1")
	set("n", "5")
	set("key", "")
	if got := m.Form.Line(); got != `produce p1 value="say \"hi\" there" partition=1 n=5` {
		t.Error(got)
	}
	set("tombstone", "yes")
	if got := m.Form.Line(); got != "produce p1 tombstone partition=1 n=5" {
		t.Error(got)
	}
	// A problem stands at the field whose part of the line it is about.
	m, cmds := Update(m, Act{Do: "submit"})
	if !reflect.DeepEqual(cmds, []Cmd{Do{Command: m.Form.Line(), Form: true}}) {
		t.Fatalf("%v", cmds)
	}
	m, _ = Update(m, Done{Command: m.Form.Line(), Form: true, Problems: []Problem{{1, 32, "no such partition"}, {1, 1, "and no"}}})
	for _, f := range m.Form.Fields {
		if want := map[string]string{"partition": "no such partition"}[f.Name]; f.Err != want {
			t.Errorf("%s: %q", f.Name, f.Err)
		}
	}
	if m.Form.Err != "and no" {
		t.Errorf("the form: %q", m.Form.Err)
	}
	if m, _ = Update(m, Done{Command: m.Form.Line(), Form: true}); m.Form.Kind != "" {
		t.Error("the form stays open after it was done")
	}
	// What is needed is asked for before anything is sent.
	m, _ = Update(opened(), Act{Do: "form", Arg: "line"})
	if m, cmds = Update(m, Act{Do: "submit"}); len(cmds) > 0 || m.Form.Fields[0].Err == "" {
		t.Errorf("%v, %+v", cmds, m.Form.Fields)
	}
}

// A form takes its defaults from the selection.
func TestFormOfSelection(t *testing.T) {
	m, _ := Update(opened(), Act{Do: "select", Arg: "broker:3"})
	for kind, want := range map[string]string{"crash": "crash broker-3", "cut": "cut broker-3 broker-1,broker-2", "disk": "disk broker-3 latency=50ms"} {
		if m, _ := Update(m, Act{Do: "form", Arg: kind}); m.Form.Line() != want {
			t.Errorf("%q, want %q", m.Form.Line(), want)
		}
	}
}

// Update leaves older models as they were.
func TestPure(t *testing.T) {
	m, _ := Update(opened(), Act{Do: "form", Arg: "produce"})
	m, _ = Update(m, Act{Do: "draft", Arg: "acks", Value: "1"})
	before := m.Form.Line()
	next, _ := Update(m, Act{Do: "field", Arg: "key", Value: "other"})
	next, _ = Update(next, Act{Do: "draft", Arg: "acks", Value: "0"})
	if m.Form.Line() != before || m.Drafts[0].Value != "1" || next.Drafts[0].Value != "0" {
		t.Errorf("an older model changed: %q, %+v", m.Form.Line(), m.Drafts)
	}
}

// No act that the page can send is unknown, and none panics on a model without
// a cluster.
func TestActsOnNothing(t *testing.T) {
	for _, verb := range Verbs() {
		for _, arg := range []string{"", "x", "7", "crash", "broker:1"} {
			m, _ := Update(New(nil, false), Act{Do: verb, Arg: arg})
			Update(m, Act{Do: verb, Arg: arg, Value: "x"})
		}
	}
	for _, c := range choices() {
		m, _ := Update(New(nil, false), Act{Do: "form", Arg: c.Kind})
		_ = m.Form.Line()
	}
}

func TestPlace(t *testing.T) {
	m := opened()
	if n, of := m.Place(); n != 2 || of != 2 {
		t.Errorf("%d of %d", n, of)
	}
	m.Info.ID = "elsewhere"
	if n, of := m.Place(); n != 0 || of != 0 {
		t.Errorf("%d of %d", n, of)
	}
}

// With SlowEvents a frame ends where the script does something, and what
// follows is slow for a while.
func TestSlowEvents(t *testing.T) {
	m := opened()
	m.Now, m.Playing = 990e6, true
	m, cmds := Update(m, Frame{Delta: 20 * ms})
	if !reflect.DeepEqual(cmds, []Cmd{Advance{To: 1e9}}) || m.Rate() != speedOrder {
		t.Fatalf("cmds %v, rate %d", cmds, m.Rate())
	}
	m, _ = Update(m, Moved{Now: 1e9})
	virtual := kafka.Duration(0)
	for range 75 { // 1.5 s of real time
		m, cmds = Update(m, Frame{Delta: 20 * ms})
		virtual += cmds[0].(Advance).To.Sub(m.Now)
		m, _ = Update(m, Moved{Now: cmds[0].(Advance).To})
	}
	if virtual != 15*ms || m.Rate() != SpeedDefault {
		t.Errorf("%v passed in 1.5 s, then rate %d", virtual, m.Rate())
	}
	m.SlowLeft = 0
	if m, _ = Update(m, Notable{}); m.Rate() != speedNotable {
		t.Errorf("after a notable event: rate %d", m.Rate())
	}
	if m, _ = Update(m, Act{Do: "prefer", Arg: "slow"}); m.Rate() != SpeedDefault {
		t.Errorf("without SlowEvents: rate %d", m.Rate())
	}
}

func TestLength(t *testing.T) {
	const second = kafka.Instant(kafka.Second)
	for _, c := range []struct{ end, horizon, want kafka.Instant }{
		{16, 0, 16}, {16, 16, 16}, {16, 17, 20}, {0, 0, 10}, {0, 11, 20}, {45, 50, 60}, {45, 61, 120}, {0, 301, 600}, {0, 601, 1200},
	} {
		m := Model{Info: view.Info{End: c.end * second}, Horizon: c.horizon * second}
		if got := m.Length(); got != c.want*second {
			t.Errorf("script of %d s, horizon %d s: %v, want %d s", c.end, c.horizon, got, c.want)
		}
	}
}

// A file's batches come in pages; a batch opens and closes, on its own page.
func TestFile(t *testing.T) {
	var data []byte
	for i := range 60 {
		b := record.Build(record.BatchSpec{Records: []record.Record{{Value: []byte("v")}}})
		record.SetBaseOffsetAndEpoch(b, kafka.Offset(i), 1)
		data = append(data, b...)
	}
	m, cmds := Update(opened(), FileRead{File: view.ReadLogFile("a.log", data)})
	if m.Dialog != "file" || m.FileBatch != -1 || len(cmds) == 0 {
		t.Fatalf("dialog %q, batch %d", m.Dialog, m.FileBatch)
	}
	for _, x := range []struct {
		do, arg     string
		page, batch int
	}{{"page", "1", 1, -1}, {"page", "5", 2, -1}, {"page", "-9", 0, -1}, {"batch", "3", 0, 3}, {"batch", "3", 0, -1}, {"batch", "55", 2, 55}, {"page", "-1", 1, 55}, {"batch", "55", 2, 55}, {"batch", "60", 2, 55}} {
		if m, _ = Update(m, Act{Do: x.do, Arg: x.arg}); m.FilePage != x.page || m.FileBatch != x.batch {
			t.Errorf("%s %s: page %d, batch %d", x.do, x.arg, m.FilePage, m.FileBatch)
		}
	}
}

// A cause is gone to; what its note tells is selected.
func TestJump(t *testing.T) {
	m, _ := Update(opened(), Moved{Now: 3e9, Horizon: 3e9})
	m, cmds := Update(m, Act{Do: "jump", Arg: "2000000000 17"})
	if m.Selection != (view.Selection{Kind: "note", ID: 17}) || !m.Seeking || m.SeekGoal != 2e9 || !reflect.DeepEqual(cmds[len(cmds)-1], Cmd(SeekTo{At: 2e9})) {
		t.Errorf("%+v, goal %v, %v", m.Selection, m.SeekGoal, cmds)
	}
	m, cmds = Update(opened(), Act{Do: "jump", Arg: "0 0"})
	if len(cmds) > 0 || m.Seeking || m.Selection.Kind != "" {
		t.Errorf("a cause without a note, now: %v", cmds)
	}
}

// The metrics of the last stop are kept while time goes on.
func TestSince(t *testing.T) {
	m := opened()
	m.Facts.Cluster.Metrics = []view.Metric{{Value: 4}}
	m, _ = Update(m, Moved{Now: 1e9, Horizon: 1e9})
	m, _ = Update(m, Act{Do: "play"})
	m.Facts.Cluster.Metrics[0].Value = 9
	m, _ = Update(m, Moved{Now: 15e8, Horizon: 15e8})
	m, _ = Update(m, Act{Do: "seek", Arg: "1800000000"}) // while it plays: not a stop
	if len(m.Since) != 1 || m.Since[0] != 4 || m.SinceAt != 1e9 {
		t.Errorf("%v at %v", m.Since, m.SinceAt)
	}
}

// wide is a model with a cluster of so many partitions in two topics, and Kafka's own.
func wide(a, z int) Model {
	m := New(nil, false)
	topic := func(name string, n int) view.Topic {
		t := view.Topic{Name: name, Internal: kafka.IsInternal(name), Partitions: make([]view.Partition, n)}
		for i := range t.Partitions {
			t.Partitions[i].TP = kafka.TopicPartition{Topic: name, Partition: int32(i)}
		}
		return t
	}
	c := &view.Cluster{Brokers: make([]view.Broker, 9), Topics: []view.Topic{topic("clicks", a), topic("orders", z), topic(kafka.TopicOffsets, 50)}}
	m, _ = Update(m, FactsMsg{Facts: &Facts{Cluster: c}})
	return m
}

// The table shows a page, turns to what is selected and to what is typed, and
// stays where it is while that is in sight.
func TestTable(t *testing.T) {
	m := wide(300, 700)
	room := m.TableRoom()
	first := func() string { shown, _, _ := m.TablePage(); return shown[0].TP.String() }
	do := func(a Act) (cmds []Cmd) { m, cmds = Update(m, a); return cmds }
	if shown, from, of := m.TablePage(); len(shown) != room || from != 0 || of != 1000 || room < 12 || room*15 > 420 {
		t.Fatalf("%d partitions from %d of %d in a room of %d", len(shown), from, of, room)
	}
	do(Act{Do: "rows", Arg: "1"})
	if _, from, _ := m.TablePage(); from != room {
		t.Errorf("the second page begins at %d", from)
	}
	do(Act{Do: "rows", Arg: "-1"})
	do(Act{Do: "rows", Arg: "-1"})
	if first() != "clicks-0" {
		t.Errorf("before the first page lies %s", first())
	}
	m, _ = Update(m, Point{Selection: view.Selection{Kind: "replica", Node: 3, TP: kafka.TopicPartition{Topic: "orders", Partition: 512}}})
	if first() != "orders-512" {
		t.Errorf("turned to %s", first())
	}
	m, _ = Update(m, Point{Selection: view.Selection{Kind: "partition", TP: kafka.TopicPartition{Topic: "orders", Partition: 515}}})
	if first() != "orders-512" {
		t.Errorf("the table jumped to %s for a row in sight", first())
	}
	do(Act{Do: "find", Value: "orders-69"})
	if first() != "orders-69" {
		t.Errorf("typing turned to %s", first())
	}
	do(Act{Do: "find", Value: "orders-699 "})
	if cmds := do(Act{Do: "found"}); len(cmds) != 2 || cmds[1] != (Show{TP: m.Selection.TP}) {
		t.Errorf("effects %+v", cmds)
	}
	if m.Selection.TP != (kafka.TopicPartition{Topic: "orders", Partition: 699}) || m.Selection.Kind != "partition" {
		t.Errorf("selected %+v", m.Selection)
	}
	if shown, _, _ := m.TablePage(); shown[len(shown)-1].TP != m.Selection.TP {
		t.Errorf("the last page ends with %v", shown[len(shown)-1].TP)
	}
	do(Act{Do: "find", Value: "order-1"})
	do(Act{Do: "found"})
	if !strings.Contains(m.Notice, "order-1") {
		t.Errorf("notice %q", m.Notice)
	}
	m, _ = Update(m, Point{Selection: view.Selection{Kind: "topic", Name: kafka.TopicOffsets}})
	if _, from, of := m.TablePage(); of != 1050 || from > 1000 || from+room <= 1000 {
		t.Errorf("%d partitions, those from %d on are shown", of, from)
	}
}

// Where partitions are too many for a choice, a form takes the name.
func TestPartitionField(t *testing.T) {
	for _, n := range []int{40, 700} {
		m := wide(3, n)
		m.Selection = view.Selection{Kind: "partition", TP: kafka.TopicPartition{Topic: "orders", Partition: int32(n) - 1}}
		m, _ = Update(m, Act{Do: "form", Arg: "elect"})
		f := m.Form.Fields[0]
		if want := m.Selection.TP.String(); f.Value != want || m.Form.Line() != "elect "+want || (len(f.Options) > 0) != (n == 40) {
			t.Errorf("%d partitions: field %+v, line %q", n, f, m.Form.Line())
		}
	}
}

// The palette has what the language has: every verb that a form can be filled in
// for, and power loss of a rack and of all.
func TestPaletteOfRacks(t *testing.T) {
	m, _ := Update(opened(), Act{Do: "form", Arg: "powerloss"})
	if got := m.Form.Fields[0].Options; !slices.Equal(got, []string{"broker-1", "broker-2", "broker-3", "controller-101", "rack-a", "all"}) {
		t.Errorf("%q", got)
	}
}

// An order in the past keeps what it drops, and one goes over to it and back.
func TestFutures(t *testing.T) {
	first, second := []Edit{{At: 1e9, Text: "crash broker-1"}}, []Edit{{At: 2e9, Text: "crash broker-3"}}
	m := opened()
	m, _ = Update(m, Forked{Had: first})
	m, _ = Update(m, Forked{Had: nil})
	m, _ = Update(m, Forked{Had: first}) // known already
	if len(m.Futures) != 2 || !slices.Equal(m.Futures[0], first) {
		t.Fatalf("%v", m.Futures)
	}
	facts := *m.Facts
	facts.Edits = second
	m, _ = Update(m, FactsMsg{Facts: &facts})
	before := slices.Clone(m.Futures)
	m, cmds := Update(m, Act{Do: "future", Arg: "0"})
	if r, ok := cmds[0].(Refork); !ok || !slices.Equal(r.Edits, first) || !slices.Equal(m.Futures[0], second) || len(m.Futures) != 2 {
		t.Errorf("%v, futures %v", cmds, m.Futures)
	}
	if !slices.Equal(before[0], first) {
		t.Error("an older model changed")
	}
	if m, _ = Update(m, Opened{Info: m.Info, Text: m.Text, Wanted: OpenAt{Speed: -1}}); len(m.Futures) != 2 {
		t.Error("the same scenario has other futures")
	}
	if m, _ = Update(m, Opened{Info: m.Info, Text: "another", Wanted: OpenAt{Speed: -1}}); len(m.Futures) != 0 {
		t.Error("another scenario has these futures")
	}
}

// What the reader prefers is kept, all of it at every change.
func TestPrefer(t *testing.T) {
	m := opened()
	m, _ = Update(m, Act{Do: "prefer", Arg: "keys", Value: "tol"})
	m, _ = Update(m, Act{Do: "prefer", Arg: "still"})
	m, _ = Update(m, Act{Do: "prefer", Arg: "letters"})
	_, cmds := Update(m, Act{Do: "theme", Arg: "light"})
	want := Prefs{Theme: "light", Keys: "tol", ReducedMotion: true, NoLetters: true}
	if s, ok := cmds[0].(SavePrefs); !ok || s.Prefs != want {
		t.Errorf("%+v", cmds)
	}
	if again, _ := Update(New(nil, false), want); again.Keys != "tol" || !again.ReducedMotion || again.Letters || !again.SlowEvents {
		t.Errorf("read again: %+v", again.prefs())
	}
}
