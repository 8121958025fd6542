package scenario

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/highwater-sim/highwater/engine/world"
)

// TestProblems keeps what the parser says about texts that are wrong, and what
// it reads from texts that are right.
func TestProblems(t *testing.T) {
	datadriven.Walk(t, "testdata/parse", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "parse":
				f, err := Parse(d.Input)
				if err != nil {
					return err.Error() + "\n"
				}
				return printFile(f)
			case "command":
				var b strings.Builder
				for line := range strings.SplitSeq(d.Input, "\n") {
					c, err := ParseCommand(line)
					if err != nil {
						fmt.Fprintf(&b, "%s\n", err)
						continue
					}
					fmt.Fprintf(&b, "%s\n", printCommand(c))
				}
				return b.String()
			}
			d.Fatalf(t, "unknown directive %s", d.Cmd)
			return ""
		})
	})
}

func printFile(f *File) string {
	var b strings.Builder
	fmt.Fprintf(&b, "title %q chapter %q seed %d end %s\n", f.Title, f.Chapter, f.Spec.Seed, f.End)
	if len(f.Cases) > 0 {
		fmt.Fprintf(&b, "cases %v\n", f.Cases)
	}
	for _, p := range f.Prose {
		fmt.Fprintf(&b, "prose %q\n", p)
	}
	fmt.Fprintf(&b, "cluster %s\n", fields(f.Spec.Cluster, world.ClusterSpec{}))
	for _, t := range f.Spec.Topics {
		fmt.Fprintf(&b, "topic %s\n", fields(t, world.TopicSpec{}))
	}
	for _, c := range f.Spec.Clients {
		fmt.Fprintf(&b, "client %s\n", fields(c, world.ClientSpec{}))
	}
	for _, s := range f.Steps {
		fmt.Fprintf(&b, "%s line %d %s ", s.At, s.Line, s.Kind)
		switch s.Kind {
		case KindCommand:
			b.WriteString(printCommand(s.Command))
		case KindSay:
			fmt.Fprintf(&b, "%q", s.Say)
		case KindAsk:
			fmt.Fprintf(&b, "%q %q right %d", s.Ask.Text, s.Ask.Options, s.Ask.Right)
		case KindExpect:
			b.WriteString(printExpect(s.Expect))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func printCommand(c world.Command) string {
	verb := c.Verb
	c.Verb, c.Text = 0, ""
	return fmt.Sprintf("verb %d %s", verb, fields(c, world.Command{Latency: -1, Jitter: -1, Bandwidth: -1}))
}

func printExpect(x *Expect) string {
	form := [...]string{"now", "within", "always", "never", "eventually"}[x.Form]
	s := fmt.Sprintf("%s %s..%s: ", form, x.From, x.To)
	if x.Cond.Not {
		s += "not "
	}
	s += x.Cond.Left.text()
	if x.Cond.Op != OpTrue {
		s += " " + x.Cond.Op.String() + " " + x.Cond.Right.text()
	}
	return s
}

// fields prints the fields of a struct that differ from those of zero.
func fields(v, zero any) string {
	var out []string
	a, b := reflect.ValueOf(v), reflect.ValueOf(zero)
	for i := range a.NumField() {
		if x, y := a.Field(i), b.Field(i); !reflect.DeepEqual(x.Interface(), y.Interface()) {
			name := a.Type().Field(i).Name
			if x.Kind() == reflect.Struct {
				out = append(out, name+"{"+fields(x.Interface(), y.Interface())+"}")
				continue
			}
			out = append(out, fmt.Sprintf("%s=%v", name, x))
		}
	}
	return strings.Join(out, " ")
}

// TestDocExample parses the text that the package documentation shows.
func TestDocExample(t *testing.T) {
	b, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	in := false
	for line := range strings.SplitSeq(string(b), "\n") {
		body := strings.TrimPrefix(strings.TrimPrefix(line, "//"), "\t")
		in = in || strings.HasPrefix(body, "title")
		if in && strings.Contains(body, "Every other") {
			break
		}
		if in {
			text.WriteString(strings.NewReplacer("[", "", "]", "").Replace(body) + "\n")
		}
	}
	if f, err := Parse(text.String()); err != nil {
		t.Errorf("the example of the package's documentation does not parse:\n%v", err)
	} else if len(f.Steps) != 8 || len(f.Spec.Topics) != 2 {
		t.Errorf("the example has %d steps and %d topics, want 8 and 2", len(f.Steps), len(f.Spec.Topics))
	}
}

// TestHostileText gives the parser the worst that fits into its limits; it must
// answer at once.
func TestHostileText(t *testing.T) {
	for name, line := range map[string]string{
		"unknown words": "zzzzzzzz yyyyyyyy\n",
		"topics":        "topic t%d\n",
		"commands":      "at 1s crash brokre-1\n",
		"words":         "at 1s produce p " + strings.Repeat("a=1 ", 1000) + "\n",
		"tokens":        "at 1s expect hw(t-0) in {" + strings.Repeat("1,", 1900) + "1}\n",
		"nesting":       "at 1s expect " + strings.Repeat("hw(", 1000) + "\n",
	} {
		var b strings.Builder
		b.WriteString("title x\ntopic t\nproducer p topic=t\n")
		for i := 0; b.Len()+len(line)+10 < textBytesMax; i++ {
			b.WriteString(strings.Replace(line, "%d", fmt.Sprint(i), 1))
		}
		start := time.Now()
		if _, err := Parse(b.String()); err == nil {
			t.Errorf("%s: accepted", name)
		}
		if d := time.Since(start); d > 2*time.Second {
			t.Errorf("%s: took %s", name, d)
		}
	}
	if _, err := Parse(strings.Repeat("#\n", textBytesMax)); err == nil || !strings.Contains(err.Error(), "bytes") {
		t.Errorf("an overlong text: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("title x\ncluster brokers=3\ntopic t partitions=2\nproducer p topic=t rate=5/s\nat 1s crash broker-1\n say a\n expect within 2s isr(t-0) == {1, 2}\n")
	f.Add("at 5s\n\texpect always hw(t-0) - leo(t-0, 1) in 0..5 until 9s # c\n ask q | *a | b\n")
	f.Add("title \"\ntext a\n\n b \\\n c\nat 1s expect values(t-0, 0..2) == [a#0, null, \"x y\"]\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse(text)
		if err == nil {
			if file.Title == "" || file.End < 0 {
				t.Fatalf("accepted without a title, or with an end at %s", file.End)
			}
			file.Inputs()
			for _, s := range file.Steps {
				if s.Kind == KindCommand {
					if _, err := ParseCommand(s.Command.Text); err != nil {
						t.Fatalf("a command of a file is refused by hand: %q: %v", s.Command.Text, err)
					}
				}
			}
			return
		}
		ps, ok := err.(Problems)
		if !ok || len(ps) == 0 || len(ps) > problemsMax+1 {
			t.Fatalf("error is %T with %d problems", err, len(ps))
		}
		lines := 1 + strings.Count(text, "\n")
		for _, p := range ps {
			if p.Line < 1 || p.Line > lines || p.Col < 1 || p.Text == "" {
				t.Fatalf("problem without a place: %+v of %d lines", p, lines)
			}
		}
	})
}

func FuzzCommand(f *testing.F) {
	for _, w := range verbWords {
		f.Add(w + " broker-1 t-0 50/s key=\"a b\" n=3")
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseCommand(text)
		if err == nil && (c.Verb == world.VerbNone || c.Text == "") {
			t.Fatalf("accepted nothing: %+v", c)
		}
	})
}
