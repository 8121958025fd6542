package consumer

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/client/internal/script"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/sim/order"
)

// TestGolden runs the interaction files. Besides the verbs of script.Env.Do
// there are:
//
//	new assign=T-0,T [group=G from=earliest work-us=N], a config per line; T alone is the whole topic
//	boot | crash | shutdown | pause | resume | commit
//	seek tp=T-0 to=5
//	state    what the accessors say
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var e *script.Env
		var c *Consumer
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			arg := func(name string) (string, bool) {
				for i := range d.CmdArgs {
					if a := &d.CmdArgs[i]; a.Key == name {
						return strings.Join(a.Vals, ","), true
					}
				}
				return "", false
			}
			text := func(name string) string { s, _ := arg(name); return s }
			switch d.Cmd {
			case "new":
				cfg := Config{ID: sim.FirstClient, Name: "c1", Bootstrap: []sim.ActorID{1, 2, 3}, Seed: 42, Group: text("group"), From: text("from")}
				if s, ok := arg("work-us"); ok {
					n, _ := strconv.Atoi(s)
					cfg.Work = kafka.Duration(n) * kafka.Microsecond
				}
				for s := range strings.SplitSeq(text("assign"), ",") {
					cfg.Assign = append(cfg.Assign, tpOf(s))
				}
				for l := range strings.Lines(d.Input) {
					k, v, _ := strings.Cut(strings.TrimSpace(l), "=")
					cfg.Configs = append(cfg.Configs, client.Setting{Name: k, Value: v})
				}
				var err error
				if c, err = New(cfg); err != nil {
					return err.Error() + "\n"
				}
				e = script.New(sim.FirstClient)
				e.Actor = c
				return ""
			case "boot":
				e.Boot()
			case "crash":
				c.Crash(e.Now, false)
				e.Kill()
			case "shutdown":
				e.Order(order.Shutdown{})
			case "pause", "resume":
				e.Order(order.Pause{On: d.Cmd == "pause"})
			case "commit":
				e.Order(order.Commit{})
			case "seek":
				e.Order(order.Seek{TP: tpOf(text("tp")), To: text("to")})
			case "state":
				return state(c)
			default:
				s, err := e.Do(d.Cmd, arg, d.Input)
				if err != nil {
					d.Fatalf(t, "%v", err)
				}
				if s != "" {
					return s
				}
			}
			s := e.Take()
			if s == "(nothing)\n" {
				return "ok\n"
			}
			return s
		})
	})
}

func tpOf(s string) kafka.TopicPartition {
	name, part, ok := strings.Cut(s, "-")
	if !ok {
		return kafka.TopicPartition{Topic: s, Partition: -1}
	}
	n, _ := strconv.Atoi(part)
	return kafka.TopicPartition{Topic: name, Partition: int32(n)}
}

func state(c *Consumer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "delivered %d duplicates %d reordered %d halted %v buffered %d\n", c.Delivered(), c.Duplicates(), c.Reordered(), c.Halted(), c.Buffered())
	for _, p := range c.Producers() {
		fmt.Fprintf(&b, "from %s %v\n", p, c.DeliveredFrom(p).Runs())
	}
	for _, s := range c.Errors().List() {
		fmt.Fprintf(&b, "error %s x%d\n", s.Code, s.Count)
	}
	for _, a := range c.Assignment(nil) {
		fmt.Fprintf(&b, "%s %s position %d committed %d end %d lag %d\n", a.TP, a.State, a.Position, a.Committed, a.End, a.Lag)
	}
	return b.String()
}
