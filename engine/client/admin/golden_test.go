package admin

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/client/internal/script"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/sim/order"
)

// TestGolden runs the interaction files. Besides the verbs of script.Env.Do
// there are: new | boot | create name= partitions= rf= [assign=1/2,2/3], a
// config per line | alter topic= | elect topic= partition= [unclean=] | shutdown
// | results.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var e *script.Env
		var a *Admin
		token := int32(0)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			arg := func(name string) (string, bool) {
				for i := range d.CmdArgs {
					if x := &d.CmdArgs[i]; x.Key == name {
						return strings.Join(x.Vals, ","), true
					}
				}
				return "", false
			}
			text := func(name string) string { s, _ := arg(name); return s }
			num := func(name string) int { n, _ := strconv.Atoi(text(name)); return n }
			var configs []client.Setting
			if d.Cmd == "create" || d.Cmd == "alter" {
				for l := range strings.Lines(d.Input) {
					k, v, _ := strings.Cut(strings.TrimSpace(l), "=")
					configs = append(configs, client.Setting{Name: k, Value: v})
				}
			}
			token++
			switch d.Cmd {
			case "new":
				a, _ = New(Config{ID: sim.FirstClient, Name: "admin", Bootstrap: []sim.ActorID{3, 2, 1}, Seed: 42})
				e = script.New(sim.FirstClient)
				e.Actor = a
				token = 0
				return ""
			case "boot":
				e.Boot()
			case "shutdown":
				e.Order(order.Shutdown{})
			case "create":
				o := CreateTopic{Token: token, Name: text("name"), Partitions: int32(num("partitions")), ReplicationFactor: int16(num("rf")), Configs: configs}
				if s, ok := arg("assign"); ok {
					for p := range strings.SplitSeq(s, ",") {
						var replicas []kafka.NodeID
						for r := range strings.SplitSeq(p, "/") {
							n, _ := strconv.Atoi(r)
							replicas = append(replicas, kafka.NodeID(n))
						}
						o.Assignment = append(o.Assignment, replicas)
					}
				}
				e.Order(o)
			case "alter":
				e.Order(AlterConfigs{Token: token, Type: metadata.ResourceTopic, Name: text("topic"), Configs: configs})
			case "elect":
				_, unclean := arg("unclean")
				e.Order(ElectLeaders{Token: token, Unclean: unclean, TPs: []kafka.TopicPartition{{Topic: text("topic"), Partition: int32(num("partition"))}}})
			case "results":
				var b strings.Builder
				for _, r := range a.Results() {
					fmt.Fprintf(&b, "%d %s: %s %s at %s\n", r.Token, r.What, r.Code, r.Message, r.At)
				}
				fmt.Fprintf(&b, "%d under way\n", a.Pending())
				return b.String()
			default:
				s, err := e.Do(d.Cmd, arg, d.Input)
				if err != nil {
					d.Fatalf(t, "%v", err)
				}
				if s != "" {
					return s
				}
			}
			if s := e.Take(); s != "(nothing)\n" {
				return s
			}
			return "ok\n"
		})
	})
}
