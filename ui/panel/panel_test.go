package panel

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/model"
	"github.com/vugu/vugu"
)

// busy is a page with something of everything on it.
func busy() model.Model {
	m := model.New([]model.Entry{{ID: "log/order", Title: "Order", Chapter: "log"}, {ID: "durability/acks-1", Title: "The leader acks alone", Chapter: "durability"}}, false)
	m, _ = model.Update(m, model.Opened{
		Info:     view.Info{ID: "durability/acks-1", Title: "The leader acks alone", Chapter: "durability", Prose: []string{"Broker 1 is cut off <at 4 s>."}, Seed: 42, End: 20e9},
		Problems: []model.Problem{{Text: "The link's \"cam\" cannot be used."}}, Banner: "Parts of the address could not be used",
		Wanted: model.OpenAt{Speed: -1, Selection: view.Selection{Kind: "replica", TP: kafka.TopicPartition{Topic: "payments", Partition: 1}, Node: 1}},
	})
	m, _ = model.Update(m, model.Moved{Now: 5.2e9, Horizon: 5.2e9, Event: 18842})
	m, _ = model.Update(m, model.FactsMsg{Facts: facts()})
	m, _ = model.Update(m, model.Act{Do: "form", Arg: "produce"})
	m, _ = model.Update(m, model.Act{Do: "draft", Arg: "min.insync.replicas", Value: "9"})
	m, _ = model.Update(m, model.Done{Command: "config topic payments min.insync.replicas=9", Problems: []model.Problem{{Text: "at most 3"}}})
	m, _ = model.Update(m, model.Act{Do: "answer", Arg: "12 0"})
	m, _ = model.Update(m, model.Forked{Had: []model.Edit{{At: 1e9, Text: "stop broker-1"}, {At: 2e9, Text: "crash broker-1"}}})
	m.Tool, m.ShowHex = view.ToolDumpLog, true
	return m
}

func facts() *model.Facts {
	tp := func(i int32) kafka.TopicPartition { return kafka.TopicPartition{Topic: "payments", Partition: i} }
	c := &view.Cluster{
		Now: 5.2e9, Event: 18842,
		Brokers: []view.Broker{{ID: 1, Name: "broker-1", Leads: 1}, {ID: 2, Name: "broker-2", State: view.Crashed}},
		Topics: []view.Topic{
			{Name: "payments", Partitions: []view.Partition{
				{TP: tp(0), Leader: kafka.NoNode, ISR: []kafka.NodeID{2}, HW: 7, LEO: 9, UnderMinISR: true, Replicas: []view.Replica{{Broker: 2, LEO: 9, HW: 7, LSO: 7}}},
				{TP: tp(1), Leader: 1, ISR: []kafka.NodeID{1}, HW: 118, LEO: 125, UnderReplicated: true, LeaderEpoch: 4, Replicas: []view.Replica{
					{Broker: 1, Online: true, Leader: true, InISR: true, HW: 118, LSO: 118, LEO: 125}, {Broker: 2, Online: true, HW: 100, LSO: 100, LEO: 118}}},
			}},
			{Name: kafka.TopicOffsets, Internal: true, Partitions: make([]view.Partition, 50)},
		},
		Producers: []view.Producer{{Name: "app"}},
		Metrics:   []view.Metric{{Name: "a", Label: "produce", Unit: "rec/s", Value: 12500, Trail: []int64{0, 5, 10}}, {Label: "lag", Trail: []int64{3}}, {Label: "urp"}, {Label: "p99"}, {Label: "not shown"}},
		Ledger:    view.Ledger{Sent: 1234567, Lost: 7},
	}
	return &model.Facts{
		Cluster: c,
		Steps: []view.Step{
			{At: 4e9, Line: 9, Kind: "command", Text: "cut broker-1 broker-2", State: "done"},
			{At: 4e9, Line: 10, Kind: "say", Text: "Broker 1 still acks.", State: "done"},
			{At: 5.2e9, Line: 12, Kind: "ask", Text: "How many?", State: "done", Ask: &view.Question{Text: "How many are lost?", Options: []string{"0", "7"}, Right: 1}},
			{At: 5.2e9, Line: 13, Kind: "expect", Text: "lost(app) == 7", State: "failed", Why: "lost(app) is 3"},
			{At: 20e9, Line: 14, Kind: "expect", Text: "leader(payments-1) != 1", State: "todo"},
		},
		Markers: []view.Marker{{At: 4e9, Kind: "fault", Label: "cut"}, {At: 20e9, Kind: "expect-open", Label: "leader"}},
		Edits:   []model.Edit{{At: 3e9, Text: "crash broker-2"}, {At: 4e9, Text: "start broker-1", Why: "broker-1 runs already"}},
		Detail: view.Detail{
			Title: "payments-1 on broker-1", Subtitle: "leader", Rows: []view.Row{{Name: "LEO", Value: "125"}, {Name: "under min ISR", Value: "yes", Warn: true}},
			WhyTitle: "Why is the high watermark 118?", Why: []view.Because{{At: 5.2e9, Went: 4e9, Note: 7, Text: "min LEO of the ISR", Rule: "Partition.scala"}},
			Configs: []view.Config{{Name: "min.insync.replicas", Value: "1", Default: "1", Source: "DEFAULT_CONFIG"}}, ConfigOf: "topic payments",
			Hex:     []byte("batch & <bytes>"),
			Actions: []view.Action{{Label: "Crash", Command: "crash broker-1"}},
		},
	}
}

// tree is a page that can be built again and again, as the app does.
type tree struct {
	m   *model.Model
	p   *Page
	env *vugu.BuildEnv
}

func newTree(t testing.TB, m model.Model) *tree {
	env, err := vugu.NewBuildEnv()
	if err != nil {
		t.Fatal(err)
	}
	r := &tree{m: &m, env: env}
	r.p = New(r.m, Host{Address: "https://example.org/highwater/", System: "dark"})
	return r
}

func (r *tree) build() *vugu.BuildResults { return r.env.RunBuild(r.p) }

// walk visits every node of a build.
func walk(b *vugu.BuildResults, f func(n *vugu.VGNode)) {
	var visit func(n *vugu.VGNode)
	visit = func(n *vugu.VGNode) {
		if n.Component != nil {
			n = b.ResultFor(n.Component).Out[0]
		}
		f(n)
		for k := n.FirstChild; k != nil; k = k.NextSibling {
			visit(k)
		}
	}
	visit(b.Out.Out[0])
}

func attrOf(n *vugu.VGNode, key string) string {
	v, _ := findAttr(n.Attr, key)
	return v
}

// hidden reports whether a node or one around it is hidden.
func hidden(n *vugu.VGNode) bool {
	for ; n != nil; n = n.Parent {
		if attrOf(n, "hidden") != "" {
			return true
		}
	}
	return false
}

// text is what stands in a node.
func text(n *vugu.VGNode) string {
	if n.InnerHTML != nil {
		return *n.InnerHTML
	}
	s := ""
	if n.Type == vugu.TextNode {
		s = n.Data
	}
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		s += text(k)
	}
	return s
}

// someFile has more batches than a page shows, and a broken one.
func someFile() *view.LogFile {
	var data []byte
	for i := range model.FileRows + 2 {
		b := record.Build(record.BatchSpec{Records: []record.Record{{Key: []byte("k"), Value: []byte("v <b>"), Timestamp: 1_700_000_000_000, Headers: []record.RecordHeader{{Key: "h"}}}}})
		record.SetBaseOffsetAndEpoch(b, kafka.Offset(i), 1)
		if i == 2 {
			b[len(b)-8] ^= 1
		}
		data = append(data, b...)
	}
	return view.ReadLogFile("00000000000000000000.log", data)
}

// states are pages in every state that shows other parts.
func states() map[string]model.Model {
	out := map[string]model.Model{"empty": model.New(nil, false), "busy": busy()}
	for _, d := range []string{"help", "scenarios", "share", "embed", "export", "source"} {
		m, _ := model.Update(busy(), model.Act{Do: "dialog", Arg: d})
		out[d] = m
	}
	file, _ := model.Update(busy(), model.FileRead{File: someFile()})
	out["file"] = file
	out["file open"], _ = model.Update(file, model.Act{Do: "batch", Arg: "1"})
	out["refused"], _ = model.Update(busy(), model.Refused{Text: "crash", Problems: []model.Problem{{Line: 1, Col: 1, Text: "no"}}})
	none, _ := model.Update(busy(), model.Act{Do: "dialog", Arg: "file"})
	out["no file"] = none
	for _, g := range model.Palette {
		for _, k := range g.Choices {
			m, _ := model.Update(busy(), model.Act{Do: "form", Arg: k.Kind})
			m.AllActions = true
			out["form "+k.Kind] = m
		}
	}
	return out
}

// Every control says what it does in a word that the model knows, has a name
// that can be spoken, and survives a render (see the package's documentation).
func TestControls(t *testing.T) {
	verbs := model.Verbs()
	used := map[string]bool{}
	for name, m := range states() {
		b := newTree(t, m).build()
		ids, labels := map[string]int{}, map[string]bool{}
		walk(b, func(n *vugu.VGNode) {
			if id := attrOf(n, "id"); id != "" {
				ids[id]++
			}
			if n.Data == "label" {
				labels[attrOf(n, "for")] = true
			}
			if n.InnerHTML != nil && strings.Contains(*n.InnerHTML, "data-do") {
				t.Errorf("%s: a control in static markup: %s", name, *n.InnerHTML)
			}
			for _, a := range n.Attr {
				if len(a.Val) > 16000 {
					t.Errorf("%s: attribute %s has %d bytes", name, a.Key, len(a.Val))
				}
			}
			if len(text(n)) > 16000 && n.InnerHTML != nil {
				t.Errorf("%s: a text of %d bytes", name, len(text(n)))
			}
		})
		walk(b, func(n *vugu.VGNode) {
			do := attrOf(n, "data-do")
			for _, verb := range []string{do, attrOf(n, "data-enter")} {
				if used[verb] = true; verb != "" && !slices.Contains(verbs, verb) {
					t.Errorf("%s: nobody knows %q", name, verb)
				}
			}
			field := n.Data == "input" || n.Data == "select" || n.Data == "textarea"
			named := attrOf(n, "aria-label") != "" || attrOf(n, "role") == "gridcell" || field && labels[attrOf(n, "id")] ||
				!field && strings.TrimSpace(text(n)) != "" || n.Data == "form" || hidden(n)
			if (do != "" || n.Data == "button") && !named {
				t.Errorf("%s: a %s %q without a name", name, n.Data, do)
			}
		})
		for id, n := range ids {
			if n > 1 {
				t.Errorf("%s: id %q is there %d times", name, id, n)
			}
		}
	}
	// Keys have their buttons; what no button does, a key or the pointer must.
	byHand := []string{"deselect", "frac", "later", "cell", "walk", "toggle", "unsay"}
	for _, v := range verbs {
		if !used[v] && !slices.Contains(byHand, v) {
			t.Errorf("no control says %q", v)
		}
	}
}

// outline prints a page as text: what a reader reads, line by line.
func outline(b *vugu.BuildResults) string {
	var w strings.Builder
	var visit func(n *vugu.VGNode, depth int)
	visit = func(n *vugu.VGNode, depth int) {
		if n.Component != nil {
			n = b.ResultFor(n.Component).Out[0]
		}
		if n.Type != vugu.ElementNode || attrOf(n, "hidden") != "" || n.Data == "svg" {
			return
		}
		line := ""
		if n.InnerHTML != nil && !strings.Contains(*n.InnerHTML, "<svg") {
			line = *n.InnerHTML
		} else if n.FirstChild != nil && n.FirstChild == n.LastChild && n.FirstChild.Type == vugu.TextNode {
			line = n.FirstChild.Data
		}
		for _, key := range []string{"data-do", "data-arg", "data-state", "aria-label", "aria-current", "aria-invalid", "aria-valuetext", "style", "d"} {
			if v := attrOf(n, key); v != "" {
				line += " " + key + "=" + v
			}
		}
		for _, p := range n.Prop {
			line += " ." + p.Key + "=" + string(p.JSONVal)
		}
		if line = strings.TrimSpace(line); line != "" {
			w.WriteString(strings.Repeat("  ", depth) + n.Data + " " + strings.ReplaceAll(line, "\n", "⏎") + "\n")
			depth++
		}
		for k := n.FirstChild; k != nil; k = k.NextSibling {
			visit(k, depth)
		}
	}
	visit(b.Out.Out[0], 0)
	return w.String()
}

// The whole page, as a reader reads it. Set HIGHWATER_REWRITE=1 to accept a change.
func TestOutline(t *testing.T) {
	for _, name := range []string{"empty", "busy", "help", "scenarios", "embed", "file open"} {
		got := outline(newTree(t, states()[name]).build())
		file := "testdata/" + strings.ReplaceAll(name, " ", "-") + ".txt"
		if os.Getenv("HIGHWATER_REWRITE") != "" {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs from %s:\n%s", name, file, firstDifference(got, string(want)))
		}
	}
}

func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			old := ""
			if i < len(b) {
				old = b[i]
			}
			return "got  " + a[i] + "\nwant " + old
		}
	}
	return "it is shorter"
}

// A running clock changes texts, not the structure; what Diff says makes the
// old page the new one.
func TestDiff(t *testing.T) {
	r := newTree(t, busy())
	before := r.build()
	old := outline(before)
	if changes, same := Diff(before, r.build(), nil); !same || len(changes) > 0 {
		t.Errorf("a page and itself: same %v, changes %v", same, changes)
	}
	*r.m, _ = model.Update(*r.m, model.Moved{Now: 5.3e9, Horizon: 5.3e9, Event: 18900})
	first := r.build()
	*r.m, _ = model.Update(*r.m, model.Moved{Now: 5.4e9, Horizon: 5.4e9, Event: 18901})
	*r.m, _ = model.Update(*r.m, model.Act{Do: "fold", Arg: "lesson"})
	next := r.build()
	changes, same := Diff(first, next, nil)
	if !same || len(changes) == 0 || len(changes) > 30 {
		t.Fatalf("same %v, %d changes", same, len(changes))
	}
	for _, c := range changes {
		apply(t, first, c)
	}
	if got, want := outline(first), outline(next); got != want || got == old {
		t.Errorf("after the changes:\n%s", firstDifference(got, want))
	}
	// Another structure is for vugu.
	*r.m, _ = model.Update(*r.m, model.Act{Do: "dialog", Arg: "help"})
	if _, same := Diff(next, r.build(), nil); same {
		t.Error("a dialog has opened, and the structure is the same")
	}
	if _, same := Diff(nil, next, nil); same {
		t.Error("nothing and a page are the same")
	}
}

// apply makes a change in a build, as the app does in the document.
func apply(t *testing.T, b *vugu.BuildResults, c Change) {
	n := b.Out.Out[0]
	for _, i := range c.Path {
		k := n.FirstChild
		for range i {
			k = k.NextSibling
		}
		if n = k; n.Component != nil {
			n = b.ResultFor(n.Component).Out[0]
		}
	}
	set := func(list []vugu.VGAttribute, value string) []vugu.VGAttribute {
		for i := range list {
			if list[i].Key == c.Name {
				list[i].Val = value
				return list
			}
		}
		return append(list, vugu.VGAttribute{Key: c.Name, Val: value})
	}
	switch c.What {
	case SetText:
		n.Data = c.Value
	case SetHTML:
		n.InnerHTML = &c.Value
	case SetAttr:
		n.Attr = set(n.Attr, c.Value)
	case DropAttr:
		n.Attr = slices.DeleteFunc(n.Attr, func(a vugu.VGAttribute) bool { return a.Key == c.Name })
	case SetProp:
		for i := range n.Prop {
			if n.Prop[i].Key == c.Name {
				n.Prop[i].JSONVal = []byte(c.Value)
			}
		}
	default:
		t.Fatalf("%+v", c)
	}
}

// An output that is too long is cut between lines; of a log the newest batches stay.
func TestToolText(t *testing.T) {
	var lines []string
	for i := range 2000 {
		lines = append(lines, "line "+itoa(i))
	}
	log, topics := toolText(view.ToolDumpLog, lines), toolText(view.ToolTopics, lines)
	if !strings.HasPrefix(log, "… cut here\nline ") || !strings.HasSuffix(log, "\nline 1999") || len(log) > textMax+20 {
		t.Errorf("a log: %.40q, %d bytes", log, len(log))
	}
	if !strings.HasPrefix(topics, "line 0\n") || !strings.HasSuffix(topics, "\n… cut here") {
		t.Errorf("topics: %.40q", topics)
	}
	if got := toolText(view.ToolTopics, nil); got == "" {
		t.Error("no output is no text")
	}
}

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		seconds(0): "0 s", seconds(5.2e9): "5.2 s", seconds(20e9): "20 s", seconds(1): "0 s", seconds(1e6): "0.001 s",
		grouped(0): "0", grouped(1234567): "1 234 567", grouped(-1234): "-1 234", grouped(999): "999",
		percent(5e9, 20e9): "25.00%", percent(-1, 20e9): "0.00%", percent(30e9, 20e9): "100.00%", percent(1, 0): "0.00%",
		trail(nil): "M0 26H200", trail([]int64{4}): "M200 2h-200", trail([]int64{0, 5, 10}): "M0 26L100 14L200 2",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func BenchmarkBuildAndDiff(b *testing.B) {
	r := newTree(b, busy())
	last := r.build()
	var changes []Change
	for i := 0; b.Loop(); i++ {
		r.m.Now += 1e6
		next := r.build()
		changes, _ = Diff(last, next, changes[:0])
		last = next
	}
}

// A text that cannot be opened stands in the editor with a way to every problem,
// and the reference shows what can be written.
func TestEditor(t *testing.T) {
	m, _ := model.Update(busy(), model.Refused{Text: "crash", Problems: []model.Problem{{Line: 3, Col: 9, Text: "unknown <word>"}, {Text: "no place"}}})
	m, _ = model.Update(m, model.Act{Do: "words"})
	got := outline(newTree(t, m).build())
	for _, want := range []string{
		"This scenario cannot run yet", "button line 3, column 9: unknown &lt;word&gt; data-do=place data-arg=3 9", "button no place data-do=place",
		"data-do=run", "crash NODE[,NODE]", "at 9s expect leader(orders-0) == 2", "hw(",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%.3000s", want, got)
		}
	}
}

// Every word of a search must be somewhere in what is known of a scenario.
func TestSearch(t *testing.T) {
	m := model.New([]model.Entry{
		{ID: "log/order", Title: "Order", Chapter: "log", Part: "Records and logs", Summary: "Keys keep their order."},
		{ID: "ops/cut", Title: "A cut", Chapter: "ops", Part: "Operations", Reenacts: []string{"KAFKA-3919"}},
		{ID: "log/keys", Title: "Keys", Chapter: "log", Part: "Records and logs"},
	}, false)
	for search, want := range map[string]string{
		"": "Records and logs: log/order log/keys; Operations: ops/cut;", "kafka-3919": "Operations: ops/cut;",
		"KEYS order": "Records and logs: log/order;", "records": "Records and logs: log/order log/keys;", "nothing": "",
	} {
		m.Search = search
		got := ""
		for _, g := range (&Dialog{p: &Page{M: &m}}).chapters() {
			got += " " + g.Name + ":"
			for _, e := range g.Entries {
				got += " " + e.ID
			}
			got += ";"
		}
		if strings.TrimSpace(got) != want {
			t.Errorf("%q finds %q, want %q", search, got, want)
		}
	}
}

// At the script's end the lesson says whether what it expects was so, and which
// comes next.
func TestOutcome(t *testing.T) {
	m := busy()
	lesson := func() *Lesson { return &Lesson{p: &Page{M: &m}} }
	states := func(states ...string) {
		f := model.Facts{Cluster: &view.Cluster{}}
		for _, s := range states {
			f.Steps = append(f.Steps, view.Step{Kind: "expect", State: s})
		}
		m.Facts = &f
	}
	states("ok", "ok")
	if o := lesson().outcome(); o.Text != "" {
		t.Errorf("before the end: %+v", o)
	}
	m.Now = m.Info.End
	for _, c := range []struct {
		states []string
		want   string
	}{{[]string{"ok", "ok"}, "ok"}, {[]string{"ok"}, "ok"}, {[]string{"ok", "failed"}, "failed"}, {[]string{"ok", "todo"}, ""}, {nil, ""}} {
		states(c.states...)
		if o := lesson().outcome(); o.State != c.want || (o.Text == "") != (c.want == "") {
			t.Errorf("%v: %+v", c.states, o)
		}
	}
	if before, after := lesson().neighbour(-1), lesson().neighbour(1); before.ID != "log/order" || after.ID != "" {
		t.Errorf("before it %q, after it %q", before.ID, after.ID)
	}
}
