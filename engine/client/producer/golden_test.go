package producer

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/client/internal/script"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/sim/order"
)

// TestGolden runs the interaction files. Besides the verbs of script.Env.Do
// there are:
//
//	new topic=T [rate=N per s] [count= keys= bytes= partition=], a config per line
//	boot | crash | shutdown | pause | resume | rate per-s=N
//	produce [topic= partition= key= value= bytes= tombstone= timestamp= n=]
//	state    what the accessors say
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var e *script.Env
		var p *Producer
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			arg := func(name string) (string, bool) {
				for i := range d.CmdArgs {
					if a := &d.CmdArgs[i]; a.Key == name {
						return strings.Join(a.Vals, ","), true
					}
				}
				return "", false
			}
			num := func(name string, otherwise int64) int64 {
				s, ok := arg(name)
				if !ok {
					return otherwise
				}
				n, err := strconv.ParseInt(s, 10, 64)
				if err != nil {
					d.Fatalf(t, "%s=%s", name, s)
				}
				return n
			}
			text := func(name string) string { s, _ := arg(name); return s }
			switch d.Cmd {
			case "new":
				cfg := Config{ID: sim.FirstClient, Name: "app", Bootstrap: []sim.ActorID{1, 2, 3}, Seed: 42, Topic: text("topic"),
					Partition: int32(num("partition", -1)), RatePer1000s: num("rate", 0) * 1000, Count: num("count", 0), Keys: num("keys", 0), ValueBytes: int(num("bytes", 20))}
				for l := range strings.Lines(d.Input) {
					k, v, _ := strings.Cut(strings.TrimSpace(l), "=")
					cfg.Configs = append(cfg.Configs, client.Setting{Name: k, Value: v})
				}
				var err error
				if p, err = New(cfg); err != nil {
					return err.Error() + "\n"
				}
				e = script.New(sim.FirstClient)
				e.Actor = p
				return ""
			case "boot":
				e.Boot()
			case "crash":
				p.Crash(e.Now, false)
				e.Kill()
			case "shutdown":
				e.Order(order.Shutdown{})
			case "pause", "resume":
				e.Order(order.Pause{On: d.Cmd == "pause"})
			case "rate":
				e.Order(order.Rate{Per1000s: num("per-s", 0) * 1000})
			case "produce":
				_, hasKey := arg("key")
				_, tombstone := arg("tombstone")
				value := text("value")
				if n := num("bytes", 0); n > 0 {
					value = strings.Repeat("x", int(n))
				}
				e.Order(Produce{Topic: text("topic"), Partition: int32(num("partition", -1)), Key: text("key"), HasKey: hasKey,
					Value: value, Tombstone: tombstone, Timestamp: num("timestamp", -1), N: num("n", 1)})
			case "state":
				return state(p)
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

func state(p *Producer) string {
	var b strings.Builder
	id, epoch := p.ProducerID()
	fmt.Fprintf(&b, "sent %d acked %d failed %d retries %d queued %d in-flight %d blocked %v producer id %d/%d\n",
		p.Sent(), p.Acked().Len(), p.Failed().Len(), p.Retries(), p.Queued(), p.InFlight(), p.Blocked(), id, epoch)
	for _, s := range p.Errors().List() {
		fmt.Fprintf(&b, "error %s x%d from %s to %s\n", s.Code, s.Count, s.First, s.Last)
	}
	for _, s := range p.Failures().List() {
		fmt.Fprintf(&b, "failed %s x%d\n", s.Code, s.Count)
	}
	for _, x := range p.Batches(nil) {
		fmt.Fprintf(&b, "batch %s records %d bytes %d in flight %v attempts %d\n", x.TP, x.Records, x.Bytes, x.InFlight, x.Attempts)
	}
	return b.String()
}
