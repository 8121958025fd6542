package metadata

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
)

func sum(img *Image) uint64 {
	h := sim.NewHash()
	img.Digest(h)
	return h.Sum()
}

func entries(from kafka.Offset, recs ...Record) []Entry {
	var l []Entry
	for i, r := range recs {
		l = append(l, Entry{from + kafka.Offset(i), r})
	}
	return l
}

func must(t *testing.T, img *Image, from kafka.Offset, recs ...Record) (*Image, Delta) {
	t.Helper()
	next, d, err := Apply(img, entries(from, recs...)...)
	if err != nil {
		t.Fatal(err)
	}
	return next, d
}

func text(s string) *string { return &s }

var topicA, topicB = kafka.TopicID{1}, kafka.TopicID{2}

// base has broker 1, topics a (2 partitions) and b (1), and a config.
func base(t *testing.T) *Image {
	part := func(id kafka.TopicID, i int32) Record {
		return Latest(&PartitionRecord{Partition: i, TopicID: id, Replicas: []kafka.NodeID{1, 2, 3}, ISR: []kafka.NodeID{1, 2, 3}, Leader: 1})
	}
	img, d := must(t, Empty(), 0,
		Latest(&RegisterBrokerRecord{BrokerID: 1, BrokerEpoch: 0, Fenced: true}),
		&TopicRecord{Name: "b", ID: topicB}, part(topicB, 0),
		&TopicRecord{Name: "a", ID: topicA}, part(topicA, 0), part(topicA, 1),
		&ConfigRecord{ResourceType: ResourceTopic, ResourceName: "a", Name: "retention.ms", Value: text("5")},
	)
	if want := []string{"a", "b"}; !slices.Equal(d.Topics, want) || !d.Configs || len(d.Brokers) != 1 || len(d.Partitions) != 3 {
		t.Fatalf("delta %+v", d)
	}
	return img
}

func TestApplySharesWhatDidNotChange(t *testing.T) {
	img := base(t)
	before := sum(img)
	ch := NewPartitionChange(topicA, 1)
	ch.ISR, ch.Leader = []kafka.NodeID{2, 3}, 2
	next, d := must(t, img, 7, ch)
	if sum(img) != before {
		t.Error("the old image changed")
	}
	if next.Topic("b") != img.Topic("b") || next.Topic("a").Partitions[0] != img.Topic("a").Partitions[0] {
		t.Error("something that did not change was copied")
	}
	if next.TopicByID(topicA) != next.Topic("a") {
		t.Error("by id and by name differ")
	}
	p := next.Partition(kafka.TopicPartition{Topic: "a", Partition: 1})
	if p.Leader != 2 || p.LeaderEpoch != 1 || p.PartitionEpoch != 1 || !slices.Equal(p.ISR, []kafka.NodeID{2, 3}) {
		t.Errorf("partition %+v", p)
	}
	if len(d.Partitions) != 1 || d.Partitions[0] != (kafka.TopicPartition{Topic: "a", Partition: 1}) {
		t.Errorf("delta %+v", d)
	}
	ch = NewPartitionChange(topicA, 1) // an ISR change alone leaves the leader epoch
	ch.ISR = []kafka.NodeID{2}
	next, _ = must(t, next, 8, ch)
	if p := next.Topic("a").Partitions[1]; p.LeaderEpoch != 1 || p.PartitionEpoch != 2 {
		t.Errorf("epochs %d and %d, want 1 and 2", p.LeaderEpoch, p.PartitionEpoch)
	}
}

func TestApplyRemovesTopicAndConfigs(t *testing.T) {
	img := base(t)
	next, d := must(t, img, 7, &RemoveTopicRecord{ID: topicA})
	if next.Topic("a") != nil || next.TopicByID(topicA) != nil || len(next.Configs) != 0 || img.Topic("a") == nil {
		t.Errorf("topics %v configs %v", next.Topics, next.Configs)
	}
	if len(d.Partitions) != 2 || !d.Configs {
		t.Errorf("delta %+v", d)
	}
}

func TestApplyConfigs(t *testing.T) {
	img := base(t)
	before := sum(img)
	next, _ := must(t, img, 7,
		&ConfigRecord{ResourceType: ResourceTopic, ResourceName: "a", Name: "retention.ms", Value: text("6")},
		&ConfigRecord{ResourceType: ResourceBroker, Name: "min.insync.replicas", Value: text("2")})
	if v, _ := next.Config(ResourceTopic, "a", "retention.ms"); v != "6" || sum(img) != before {
		t.Errorf("retention.ms=%s, or the old image changed", v)
	}
	if v, src := next.Resolve("a", 1, nil, "min.insync.replicas"); v != "2" || src != DynamicDefaultBroker {
		t.Errorf("min.insync.replicas=%s from %v", v, src)
	}
	next, _ = must(t, next, 9, &ConfigRecord{ResourceType: ResourceTopic, ResourceName: "a", Name: "retention.ms"})
	if _, ok := next.Config(ResourceTopic, "a", "retention.ms"); ok || len(next.Configs) != 1 {
		t.Errorf("configs %v", next.Configs)
	}
}

// The strongest source that has a value wins (KIP-226).
func TestResolveOrder(t *testing.T) {
	static := NewStatic([]ConfigValue{{"log.retention.ms", "4"}, {"log.retention.ms", "5"}})
	img := base(t)
	step := func(want string, src Source) {
		t.Helper()
		if v, s := img.Resolve("b", 1, static, "retention.ms"); v != want || s != src {
			t.Errorf("%s from %v, want %s from %v", v, s, want, src)
		}
	}
	if v, s := img.Resolve("b", 1, nil, "retention.ms"); v != "604800000" || s != DefaultConfig {
		t.Errorf("%s from %v", v, s)
	}
	step("5", StaticBroker)
	img, _ = must(t, img, 7, &ConfigRecord{ResourceType: ResourceBroker, Name: "log.retention.ms", Value: text("6")})
	step("6", DynamicDefaultBroker)
	img, _ = must(t, img, 8, &ConfigRecord{ResourceType: ResourceBroker, ResourceName: "1", Name: "log.retention.ms", Value: text("7")})
	step("7", DynamicBroker)
	img, _ = must(t, img, 9, &ConfigRecord{ResourceType: ResourceTopic, ResourceName: "b", Name: "retention.ms", Value: text("8")})
	step("8", DynamicTopic)
}

func TestMinISRIsAtMostTheReplicas(t *testing.T) {
	img := base(t)
	img, _ = must(t, img, 7, &ConfigRecord{ResourceType: ResourceTopic, ResourceName: "a", Name: "min.insync.replicas", Value: text("9")})
	if got := img.MinISR(img.Topic("a"), 1, nil); got != 3 {
		t.Errorf("effective min ISR %d, want 3", got)
	}
}

func TestClearELR(t *testing.T) {
	img := base(t)
	for i, id := range []kafka.TopicID{topicA, topicB} {
		ch := NewPartitionChange(id, 0)
		ch.ELR, ch.LastKnownELR = []kafka.NodeID{2}, []kafka.NodeID{3}
		img, _ = must(t, img, kafka.Offset(7+i), ch)
	}
	one, d := must(t, img, 9, &ClearELRRecord{Topic: "a"})
	was, is := img.Topic("a").Partitions[0], one.Topic("a").Partitions[0]
	if is.PartitionEpoch != was.PartitionEpoch+1 || is.LeaderEpoch != was.LeaderEpoch || is.Leader != was.Leader {
		t.Errorf("epochs %d/%d after %d/%d", is.LeaderEpoch, is.PartitionEpoch, was.LeaderEpoch, was.PartitionEpoch)
	}
	if again, _ := must(t, one, 10, &ClearELRRecord{}); again.Topic("a").Partitions[0] != is {
		t.Error("a partition without ELR has changed")
	}
	if len(one.Topic("a").Partitions[0].ELR) != 0 || len(one.Topic("b").Partitions[0].ELR) != 1 || len(d.Partitions) != 1 {
		t.Error("clearing one topic")
	}
	all, _ := must(t, img, 9, &ClearELRRecord{})
	if len(all.Topic("a").Partitions[0].LastKnownELR) != 0 || len(all.Topic("b").Partitions[0].ELR) != 0 {
		t.Error("clearing all topics")
	}
}

func TestApplyRefusesContradictions(t *testing.T) {
	for name, recs := range map[string][]Record{
		"no topic has id":             {&RemoveTopicRecord{ID: kafka.TopicID{9}}},
		"no partition a-7":            {NewPartitionChange(topicA, 7)},
		"partition a-5 after 2":       {Latest(&PartitionRecord{Partition: 5, TopicID: topicA})},
		"is not registered":           {&FenceBrokerRecord{ID: 4}},
		"registered with epoch 0":     {Latest(&BrokerRegistrationChangeRecord{BrokerID: 1, BrokerEpoch: 3})},
		`topic "a" with id`:           {&TopicRecord{Name: "a", ID: kafka.TopicID{9}}},
		`no topic is called "nobody"`: {&ClearELRRecord{Topic: "nobody"}},
	} {
		img := base(t)
		got, _, err := Apply(img, entries(7, recs...)...)
		if err == nil || !strings.Contains(err.Error(), name) || got != img {
			t.Errorf("error %v, want one with %q", err, name)
		}
	}
	if _, _, err := Apply(base(t), entries(6, &NoOpRecord{})...); err == nil {
		t.Error("an offset was taken twice")
	}
}

// Fields that the 3.6 log has no example of, by their tags and versions.
func TestNewerFields(t *testing.T) {
	ch := NewPartitionChange(kafka.TopicID{15: 7}, 1)
	ch.ISR, ch.ELR, ch.LastKnownELR = []kafka.NodeID{}, []kafka.NodeID{3}, []kafka.NodeID{2}
	ch.Directories = [][16]byte{{15: 1}}
	dir := append(make([]byte, 15), 1)
	want := slices.Concat([]byte{1, 5, 2, 0, 0, 0, 1}, append(make([]byte, 15), 7), []byte{
		4,       // tagged fields
		0, 1, 1, // ISR, empty
		6, 5, 2, 0, 0, 0, 3, // ELR
		7, 5, 2, 0, 0, 0, 2, // last known ELR
		8, 17, 2}, dir)
	got := Encode(nil, ch)
	if !bytes.Equal(got, want) {
		t.Errorf("\n got %x\nwant %x", got, want)
	}
	back, err := Decode(got)
	if err != nil || !bytes.Equal(Encode(nil, back), want) {
		t.Errorf("read back: %v", err)
	}
	if b := back.(*PartitionChangeRecord); b.ISR == nil || b.Leader != NoLeaderChange || b.Replicas != nil {
		t.Errorf("read back %+v", b)
	}
}

func TestDecodeErrors(t *testing.T) {
	good := Encode(nil, &TopicRecord{Name: "abc", ID: topicA})
	for name, b := range map[string][]byte{
		"frame version 2": append([]byte{2}, good[1:]...), "unknown record type 99": {1, 99, 0},
		"type 2 version 9": {1, 2, 9}, "1 bytes left over": append(slices.Clone(good), 0),
		"ends early": good[:len(good)-4], "broken varint": {},
	} {
		if _, err := Decode(b); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want one with %q", err, name)
		}
	}
}

// FuzzDecode: nothing crashes the decoder, and what it takes it writes again so
// that it reads the same.
func FuzzDecode(f *testing.F) {
	f.Add(Encode(nil, &TopicRecord{Name: "abc", ID: topicA}))
	f.Add(Encode(nil, Latest(&RegisterBrokerRecord{BrokerID: 1, Rack: text("r"), LogDirs: [][16]byte{{1}}})))
	ch := NewPartitionChange(topicA, 1)
	ch.ISR = []kafka.NodeID{1}
	f.Add(Encode(nil, ch))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := Decode(b)
		if err != nil {
			return
		}
		once := Encode(nil, r)
		again, err := Decode(once)
		if err != nil || !bytes.Equal(Encode(nil, again), once) {
			t.Errorf("%x became %x: %v", b, once, err)
		}
	})
}
