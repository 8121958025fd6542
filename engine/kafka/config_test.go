package kafka

import (
	"slices"
	"strings"
	"testing"
)

func TestParseConfig(t *testing.T) {
	for _, c := range []struct {
		scope       Scope
		name, value string
		want        ConfigValue
		err         string
	}{
		{ScopeTopic, "min.insync.replicas", "2", ConfigValue{Int: 2}, ""},
		{ScopeTopic, "min.insync.replicas", " 2 ", ConfigValue{Int: 2}, ""},
		{ScopeTopic, "min.insync.replicas", "0", ConfigValue{}, "Invalid value 0 for topic configuration min.insync.replicas: Value must be at least 1"},
		{ScopeTopic, "max.message.bytes", "3000000000", ConfigValue{}, "Invalid value 3000000000 for topic configuration max.message.bytes: Value must be no more than 2147483647"},
		{ScopeTopic, "retention.ms", "a week", ConfigValue{}, "Invalid value a week for topic configuration retention.ms: Not a number"},
		{ScopeTopic, "unclean.leader.election.enable", "TRUE", ConfigValue{Bool: true}, ""},
		{ScopeTopic, "unclean.leader.election.enable", "yes", ConfigValue{}, "Invalid value yes for topic configuration unclean.leader.election.enable: Expected value to be either true or false"},
		{ScopeTopic, "cleanup.policy", "compact, delete", ConfigValue{List: []string{"compact", "delete"}}, ""},
		{ScopeTopic, "cleanup.policy", "shred", ConfigValue{}, "Invalid value shred for topic configuration cleanup.policy: Each element must be one of: compact, delete"},
		{ScopeTopic, "message.timestamp.type", "LogAppendTime", ConfigValue{Text: "LogAppendTime"}, ""},
		{ScopeTopic, "cleanup.policy", "delete,delete", ConfigValue{}, "Invalid value delete,delete for topic configuration cleanup.policy: Values must not be duplicated"},
		{ScopeTopic, "min.cleanable.dirty.ratio", "0.25", ConfigValue{Int: 250_000}, ""},
		{ScopeTopic, "min.cleanable.dirty.ratio", "1", ConfigValue{Int: 1_000_000}, ""},
		{ScopeTopic, "min.cleanable.dirty.ratio", ".5", ConfigValue{Int: 500_000}, ""},
		{ScopeTopic, "min.cleanable.dirty.ratio", "1.0000001", ConfigValue{}, "Invalid value 1.0000001 for topic configuration min.cleanable.dirty.ratio: Value must be no more than 1"},
		{ScopeTopic, "min.cleanable.dirty.ratio", "2", ConfigValue{}, "Invalid value 2 for topic configuration min.cleanable.dirty.ratio: Value must be no more than 1"},
		{ScopeTopic, "min.cleanable.dirty.ratio", "-0.5", ConfigValue{}, "Invalid value -0.5 for topic configuration min.cleanable.dirty.ratio: Value must be at least 0"},
		{ScopeTopic, "min.cleanable.dirty.ratio", "-0.0000001", ConfigValue{}, "Invalid value -0.0000001 for topic configuration min.cleanable.dirty.ratio: Value must be at least 0"},
		{ScopeTopic, "min.cleanable.dirty.ratio", "half", ConfigValue{}, "Invalid value half for topic configuration min.cleanable.dirty.ratio: Not a number"},
		{ScopeTopic, "min.cleanable.dirty.ratio", ".", ConfigValue{}, "Invalid value . for topic configuration min.cleanable.dirty.ratio: Not a number"},
		{ScopeTopic, "leader.replication.throttled.replicas", "0:1,1:2", ConfigValue{List: []string{"0:1", "1:2"}}, ""},
		{ScopeTopic, "leader.replication.throttled.replicas", "*", ConfigValue{List: []string{"*"}}, ""},
		{ScopeTopic, "leader.replication.throttled.replicas", "*,0:1", ConfigValue{}, "Invalid value *,0:1 for topic configuration leader.replication.throttled.replicas: Must be the literal '*' or a list of replicas as partition:broker,partition:broker,..."},
		{ScopeBroker, "replica.lag.time.max.ms", "10000", ConfigValue{Int: 10000}, ""},
		{ScopeBroker, "retention.ms", "1", ConfigValue{}, "Unknown broker config name: retention.ms (did you mean log.retention.ms?)"},
		{ScopeBroker, "replica.lag.time.max.sm", "1", ConfigValue{}, "Unknown broker config name: replica.lag.time.max.sm (did you mean replica.lag.time.max.ms?)"},
	} {
		got, err := ParseConfig(c.scope, c.name, c.value)
		msg := ""
		if err != nil {
			msg = err.Error()
		}
		if msg != c.err || got.Int != c.want.Int || got.Bool != c.want.Bool || got.Text != c.want.Text || !slices.Equal(got.List, c.want.List) {
			t.Errorf("%s=%s: %+v, error %q; want %+v, error %q", c.name, c.value, got, msg, c.want, c.err)
		}
	}
}

// Every topic config has a broker config behind it with the same type, range and
// default, as ServerTopicConfigSynonyms has it; but the lists of throttled
// replicas, which only a topic has.
func TestSynonyms(t *testing.T) {
	for _, c := range Configs(ScopeTopic) {
		if strings.HasSuffix(c.Name, ".replication.throttled.replicas") {
			if c.Synonym != "" {
				t.Errorf("%s: no broker config stands behind it", c.Name)
			}
			continue
		}
		b := LookupConfig(ScopeBroker, c.Synonym)
		if b == nil {
			t.Errorf("%s: no broker config %q", c.Name, c.Synonym)
			continue
		}
		if b.Default != c.Default || b.Type != c.Type || b.Min != c.Min || b.Max != c.Max || b.Unit != c.Unit || !slices.Equal(b.Valid, c.Valid) {
			t.Errorf("%s and %s differ", c.Name, b.Name)
		}
		if b.Dynamic == ReadOnly {
			t.Errorf("%s cannot be changed while the broker runs", b.Name)
		}
	}
}

// Defaults that lessons stand on (Kafka 4.2).
func TestDefaults(t *testing.T) {
	for name, want := range map[string]string{
		"replica.lag.time.max.ms": "30000", "broker.session.timeout.ms": "9000", "broker.heartbeat.interval.ms": "2000",
		"replica.fetch.wait.max.ms": "500", "replica.fetch.min.bytes": "1", "replica.fetch.backoff.ms": "1000",
		"offsets.topic.num.partitions": "50", "offsets.topic.replication.factor": "3", "leader.imbalance.check.interval.seconds": "300",
		"auto.leader.rebalance.enable": "true", "unclean.leader.election.enable": "false", "min.insync.replicas": "1",
		"controller.quorum.fetch.timeout.ms": "2000", "controller.quorum.append.linger.ms": "25", "metadata.max.idle.interval.ms": "500",
	} {
		if c := LookupConfig(ScopeBroker, name); c == nil || c.Default != want {
			t.Errorf("%s: %+v, want default %s", name, c, want)
		}
	}
}

func TestConfigDuration(t *testing.T) {
	lag := LookupConfig(ScopeBroker, "replica.lag.time.max.ms")
	if d := lag.Duration(30000); d != 30*Second {
		t.Errorf("%v", d)
	}
	ret := LookupConfig(ScopeTopic, "retention.ms")
	if d := ret.Duration(-1); d != Duration(Never) {
		t.Errorf("no limit is %v", d)
	}
	flush := LookupConfig(ScopeTopic, "flush.ms")
	if d := flush.Duration(9223372036854775807); d != Duration(Never) {
		t.Errorf("the largest time is %v", d)
	}
	if d := LookupConfig(ScopeBroker, "offsets.retention.minutes").Duration(10080); d != 7*Day {
		t.Errorf("%v", d)
	}
}

func TestTableIsSorted(t *testing.T) {
	for s := range scopeCount {
		if !slices.IsSortedFunc(Configs(s), func(a, b Config) int { return compareConfig(a, b.Name) }) || len(Configs(s)) == 0 {
			t.Errorf("%v configs: %d, or not sorted", s, len(Configs(s)))
		}
		for _, c := range Configs(s) {
			if c.Scope != s || NearestConfig(s, c.Name) != c.Name {
				t.Errorf("%s", c.Name)
			}
		}
	}
}

// Configs that do not go together, and that every default goes with the others.
func TestConflict(t *testing.T) {
	for _, c := range []struct {
		scope Scope
		set   map[string]string
		bad   string
	}{
		{ScopeTopic, nil, ""}, {ScopeBroker, nil, ""},
		{ScopeTopic, map[string]string{"min.compaction.lag.ms": "10", "max.compaction.lag.ms": "9"}, "min.compaction.lag.ms"},
		{ScopeBroker, map[string]string{"log.cleaner.dedupe.buffer.size": "2097152", "log.cleaner.threads": "2"}, "log.cleaner.dedupe.buffer.size"},
		{ScopeBroker, map[string]string{"log.cleaner.dedupe.buffer.size": "2097154", "log.cleaner.threads": "2"}, ""},
		{ScopeBroker, map[string]string{"broker.session.timeout.ms": "3000"}, "broker.heartbeat.interval.ms"},
		{ScopeBroker, map[string]string{"replica.lag.time.max.ms": "400"}, "replica.fetch.wait.max.ms"},
		{ScopeBroker, map[string]string{"log.retention.ms": "0"}, "log.retention.ms"},
	} {
		err := Conflict(c.scope, func(name string) string {
			if v, ok := c.set[name]; ok {
				return v
			}
			return LookupConfig(c.scope, name).Default
		})
		bad := ""
		if e, ok := err.(*ConfigError); ok {
			bad = e.Name
		}
		if bad != c.bad {
			t.Errorf("%v: %v, want one of %q", c.set, err, c.bad)
		}
	}
}
