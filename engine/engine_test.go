package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/scenarios"
)

func open(t testing.TB, id string, o engine.Options) *engine.Session {
	t.Helper()
	o.ID = id
	s, err := engine.Open(scenarios.Text(id), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func run(s *engine.Session, t kafka.Instant) {
	s.Seek(t)
	for !s.RunUntil(t, 1<<20) {
	}
}

// Every lesson can be gone through forwards, and back to any step, and looks
// the same at the same instant.
func TestEveryLessonGoesBackExactly(t *testing.T) {
	for _, e := range scenarios.All() {
		t.Run(e.ID, func(t *testing.T) {
			s := open(t, e.ID, engine.Options{})
			steps := s.Steps()
			digests := make([]uint64, len(steps))
			for i, st := range steps {
				run(s, st.At)
				digests[i] = s.Digest()
			}
			for i := len(steps) - 1; i >= 0; i -= 1 + len(steps)/6 {
				run(s, steps[i].At)
				if got := s.Digest(); got != digests[i] {
					t.Errorf("line %d at %v: digest %x after going back, %x before", steps[i].Line, steps[i].At, got, digests[i])
				}
			}
		})
	}
}

// Whatever is on the screen can be selected at any moment, and says something.
func TestEverythingCanBeInspected(t *testing.T) {
	s := open(t, "durability/acks-1", engine.Options{})
	var c view.Cluster
	for _, at := range []kafka.Duration{0, 2 * kafka.Second, 4500 * kafka.Millisecond, 6 * kafka.Second, 20 * kafka.Second} {
		run(s, kafka.Instant(at))
		s.View(view.Options{Cells: 12, Flights: true}, &c)
		for _, sel := range selections(&c) {
			d := s.Inspect(sel)
			if d.Gone || d.Title == "" || len(d.Rows) == 0 && len(d.Why) == 0 {
				t.Errorf("at %v, %+v: inspector says %+v", at, sel, d)
			}
		}
		for _, l := range s.Log(100) {
			if l.Text == "" || l.At > s.Now() {
				t.Errorf("log line %+v at %v", l, s.Now())
			}
		}
	}
	if d := s.Inspect(view.Selection{Kind: "producer", Name: "nobody"}); !d.Gone {
		t.Errorf("a producer that never was: %+v", d)
	}
}

func selections(c *view.Cluster) []view.Selection {
	out := []view.Selection{{}, {Kind: "link", Node: 1, Peer: 2}}
	for _, b := range c.Brokers {
		out = append(out, view.Selection{Kind: "broker", Node: b.ID})
	}
	for _, b := range c.Controllers {
		out = append(out, view.Selection{Kind: "controller", Node: b.ID})
	}
	for _, t := range c.Topics {
		out = append(out, view.Selection{Kind: "topic", Name: t.Name})
		for _, p := range t.Partitions[:1] {
			out = append(out, view.Selection{Kind: "partition", TP: p.TP})
			for _, r := range p.Replicas {
				out = append(out, view.Selection{Kind: "replica", TP: p.TP, Node: r.Broker})
				for _, x := range r.Cells {
					out = append(out, view.Selection{Kind: "record", TP: p.TP, Node: r.Broker, Offset: x.Offset})
				}
			}
		}
	}
	for _, p := range c.Producers {
		out = append(out, view.Selection{Kind: "producer", Name: p.Name})
	}
	for _, p := range c.Consumers {
		out = append(out, view.Selection{Kind: "consumer", Name: p.Name})
	}
	for _, f := range c.Flights {
		out = append(out, view.Selection{Kind: "flight", ID: f.ID})
	}
	return out
}

func TestWhyTheHighWatermarkStandsStill(t *testing.T) {
	s := open(t, "durability/acks-1", engine.Options{})
	run(s, kafka.Instant(5*kafka.Second))
	d := s.Inspect(view.Selection{Kind: "replica", TP: kafka.TopicPartition{Topic: "payments"}, Node: 1})
	var all strings.Builder
	for _, b := range d.Why {
		all.WriteString(b.Text + "\n")
	}
	for _, want := range []string{"maximal ISR {1,2,3}", "broker-2 has it up to", "link cut", "cut broker-1 broker-2,broker-3", "leaves the ISR"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("the reason lacks %q:\n%s", want, all.String())
		}
	}
}

func TestOrdersAreCheckedAndTakenBack(t *testing.T) {
	s := open(t, "log/first-cluster", engine.Options{})
	run(s, kafka.Instant(4*kafka.Second))
	before := s.Digest()
	for _, bad := range []string{"crahs broker-1", "crash broker-9", "start broker-1", "", "produce nobody key=a"} {
		if err := s.Do(bad); err == nil {
			t.Errorf("%q was carried out", bad)
		}
	}
	if s.Digest() != before {
		t.Error("an order that was refused changed the world")
	}
	if err := s.Do("crash broker-2"); err != nil {
		t.Fatal(err)
	}
	run(s, kafka.Instant(6*kafka.Second))
	if e := s.Edits(); len(e) != 1 || e[0].Text != "crash broker-2" || e[0].At != kafka.Instant(4*kafka.Second) {
		t.Fatalf("edits are %+v", e)
	}
	with := s.Digest()
	again := open(t, "log/first-cluster", engine.Options{Edits: s.Edits()})
	run(again, kafka.Instant(6*kafka.Second))
	if again.Digest() != with {
		t.Error("the edits of a link do not give the same world")
	}
	if err := s.Undo(); err != nil {
		t.Fatal(err)
	}
	run(s, kafka.Instant(4*kafka.Second))
	if s.Digest() != before || len(s.Edits()) != 0 {
		t.Error("undo did not take the order back")
	}
}

func TestProblemsNameTheirPlace(t *testing.T) {
	_, err := engine.Open("title X\nclustr brokers=3\n", engine.Options{})
	var ps engine.Problems
	if !errors.As(err, &ps) || ps[0].Line != 2 || !strings.Contains(ps[0].Text, "cluster") {
		t.Errorf("problems are %v", err)
	}
	text := scenarios.Text("log/first-cluster")
	if _, err := engine.Open(text, engine.Options{Edits: []engine.Edit{{At: 5, Text: "explode"}}}); !errors.As(err, &ps) {
		t.Errorf("a bad edit gives %v", err)
	}
}

// Looking at a cluster again and again makes no garbage.
func TestViewReusesItsMemory(t *testing.T) {
	s := open(t, "log/first-cluster", engine.Options{})
	run(s, kafka.Instant(8*kafka.Second))
	var c view.Cluster
	o := view.Options{Cells: 16, Flights: true}
	s.View(o, &c)
	if n := testing.AllocsPerRun(20, func() { s.View(o, &c) }); n > 40 {
		t.Errorf("%v allocations per view", n)
	}
}
