package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
)

// mustSay looks at a selection of a lesson at an instant and wants these words
// in the explanation, in this order.
func mustSay(t *testing.T, id string, at kafka.Duration, sel view.Selection, title string, want ...string) {
	t.Helper()
	s := open(t, id, engine.Options{})
	run(s, kafka.Instant(at))
	d := s.Inspect(sel)
	var all strings.Builder
	for _, b := range d.Why {
		all.WriteString(b.Text + " [" + b.Rule + "]\n")
	}
	if d.WhyTitle != title {
		t.Errorf("the question is %q, not %q", d.WhyTitle, title)
	}
	rest := all.String()
	for _, w := range want {
		k := strings.Index(rest, w)
		if k < 0 {
			t.Errorf("%q does not follow in\n%s", w, all.String())
			return
		}
		rest = rest[k+len(w):]
	}
}

func part(topic string) view.Selection {
	return view.Selection{Kind: "partition", TP: kafka.TopicPartition{Topic: topic}}
}

func TestWhyThisLeader(t *testing.T) {
	mustSay(t, "durability/failover", 19*kafka.Second, part("orders"), "Why does broker 2 lead?",
		"a leader that is valid stays; the preferred one would be broker-1", "broker-1: neither in ISR nor ELR", "fenced",
		"leader broker-1 -> broker-2", "broker-1 fenced session timed out",
		"ISR: broker-1 left it", "it returns after: start broker-1")
	mustSay(t, "durability/failover", 39*kafka.Second, part("orders"), "Why does broker 2 lead?",
		"broker-1: in the ISR, alive", "broker-1 leads again after the next check of preferred leaders, or at once with: elect orders-0")
	mustSay(t, "durability/unclean", 32*kafka.Second, part("orders"), "Why does broker 2 lead?",
		"an unclean election was allowed", "unclean.leader.election.enable")
}

func TestWhyNobodyLeads(t *testing.T) {
	mustSay(t, "durability/unclean", 29*kafka.Second, part("orders"), "Why does nobody lead?",
		"no replica is both alive and sure to have everything committed", "broker-1: ", "fenced", "broker-2: neither in ISR nor ELR", "alive",
		"leader broker-1 -> none", "when broker-1 is back", "to broker-2 at once, without up to 3 committed records: elect orders-0 unclean")
}

func TestWhyNotInSync(t *testing.T) {
	mustSay(t, "durability/isr", 57*kafka.Second, part("orders"), "Why does broker 1 lead?",
		"it is the preferred leader", "ISR: broker-3 left it at", "it was last caught up at", "30s =", "the leader looks every 15s", "replica.lag.time.max.ms",
		"it returns with a fetch at", "the high watermark, and this epoch's start")
}

func TestWhyARecordCameBack(t *testing.T) {
	mustSay(t, "durability/min-isr", 20*kafka.Second, view.Selection{Kind: "producer", Name: "careful"}, "Why did a record come back?",
		"NOT_ENOUGH_REPLICAS at", "acks=all needs min.insync.replicas 2 (DYNAMIC_TOPIC_CONFIG)", "before anything was written", "the ISR is {1}",
		"ISR: broker-2 left it", "stop broker-2,broker-3", "it returns after: start broker-2", "config topic safe min.insync.replicas=1")
}

// What the tools print during a reassignment, to the character.
func TestToolsDuringAReassignment(t *testing.T) {
	s := open(t, "control/reassign", engine.Options{})
	run(s, kafka.Instant(32*kafka.Second))
	text := s.Tool(view.Selection{Kind: "topic", Name: "orders"}, view.ToolTopics)
	const head = "\tPartitionCount: 3\tReplicationFactor: 3\tConfigs: " +
		"follower.replication.throttled.replicas=0:4,1:4,2:4," +
		"leader.replication.throttled.replicas=0:1,0:2,0:3,1:1,1:2,1:3,2:1,2:2,2:3,min.insync.replicas=2"
	if len(text) != 4 || !strings.HasPrefix(text[0], "Topic: orders\tTopicId: ") || !strings.HasSuffix(text[0], head) {
		t.Fatalf("kafka-topics --describe says\n%s", strings.Join(text, "\n"))
	}
	const first = "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 4,3,2,1\tIsr: 1,3,2\tAdding Replicas: 4\tRemoving Replicas: 1\tElr: \tLastKnownElr: "
	if text[1] != first {
		t.Errorf("partition 0:\n%q, not\n%q", text[1], first)
	}
	var c view.Cluster
	s.View(view.Options{}, &c)
	list := []string{
		"Current partition reassignments:",
		"orders-0: replicas: 4,3,2,1. adding: 4. removing: 1.",
		"orders-1: replicas: 3,2,4,1. adding: 4. removing: 1.",
		"orders-2: replicas: 2,4,3,1. adding: 4. removing: 1.",
	}
	if got := view.ListReassignments(&c); !slices.Equal(got, list) {
		t.Errorf("kafka-reassign-partitions --list says\n%s", strings.Join(got, "\n"))
	}
	run(s, kafka.Instant(60*kafka.Second))
	s.View(view.Options{}, &c)
	if got := view.ListReassignments(&c); !slices.Equal(got, []string{"No partition reassignments found."}) {
		t.Errorf("afterwards it says %q", got)
	}
}

// Each gauge moves when it should.
func TestGauges(t *testing.T) {
	s := open(t, "durability/urp", engine.Options{})
	for _, at := range []struct {
		s    int64
		want map[string]int64
	}{
		{4, map[string]int64{"under-replicated": 0, "at min ISR": 0, "active controllers": 1, "fenced brokers": 0}},
		{10, map[string]int64{"under-replicated": 6, "at min ISR": 6, "under min ISR": 0, "offline": 0}},
		{16, map[string]int64{"under-replicated": 6, "at min ISR": 0, "under min ISR": 6, "offline": 0}},
		{31, map[string]int64{"under-replicated": 0, "under min ISR": 0, "offline": 6, "fenced brokers": 3}},
		{70, map[string]int64{"under-replicated": 0, "under min ISR": 0, "offline": 0, "unclean elections": 0}},
	} {
		measures(t, s, at.s, at.want)
	}
}

// measures goes to a second and compares the metrics there, by their labels.
func measures(t *testing.T, s *engine.Session, at int64, want map[string]int64) {
	t.Helper()
	run(s, kafka.Instant(at)*kafka.Instant(kafka.Second))
	var c view.Cluster
	s.View(view.Options{}, &c)
	seen := 0
	for _, m := range c.Metrics {
		if want, ok := want[m.Label]; ok {
			if seen++; m.Value != want {
				t.Errorf("at %d s %s is %d, not %d", at, m.Name, m.Value, want)
			}
		}
	}
	if seen != len(want) {
		t.Errorf("at %d s only %d of %v are measured", at, seen, want)
	}
}

// A failed log directory is counted with its replicas, and what leaves and joins ISRs
// for it; going back takes the counts back.
func TestGaugesOfADirectory(t *testing.T) {
	s := open(t, "ops/jbod", engine.Options{})
	none := map[string]int64{"offline log directories": 0, "offline replicas": 0, "ISR shrinks": 0, "ISR expands": 0}
	measures(t, s, 9, none)
	measures(t, s, 13, map[string]int64{"offline log directories": 1, "offline replicas": 2, "ISR shrinks": 2, "ISR expands": 0})
	measures(t, s, 45, map[string]int64{"offline log directories": 0, "offline replicas": 0, "ISR shrinks": 4, "ISR expands": 4})
	measures(t, s, 9, none)
}

// Every command that the inspector offers can be carried out.
func TestActionsAreCommands(t *testing.T) {
	s := open(t, "control/reassign", engine.Options{})
	run(s, kafka.Instant(32*kafka.Second))
	offered := map[string]bool{}
	for _, sel := range []view.Selection{{}, part("orders"), {Kind: "topic", Name: "orders"}, {Kind: "broker", Node: 4}} {
		for _, a := range s.Inspect(sel).Actions {
			offered[a.Command] = true
		}
	}
	for _, want := range []string{"add broker-5", "cancel-reassign orders-0", "partitions orders 4", "delete-topic orders", "crash broker-4"} {
		if !offered[want] {
			t.Errorf("%q is not offered", want)
			continue
		}
		again := open(t, "control/reassign", engine.Options{})
		run(again, kafka.Instant(32*kafka.Second))
		if err := again.Do(want); err != nil {
			t.Errorf("%s: %v", want, err)
		}
		run(again, kafka.Instant(45*kafka.Second))
	}
}
