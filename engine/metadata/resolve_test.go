package metadata

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// The effective min.insync.replicas: the topic's own, else the broker's, never more
// than the first partition has replicas (KIP-966,
// ReplicationControlManager.getTopicEffectiveMinIsr).
func TestMinISR(t *testing.T) {
	img := Empty()
	apply := func(r Record) {
		t.Helper()
		next, _, err := Apply(img, Entry{Offset: img.Offset + 1, Record: r})
		if err != nil {
			t.Fatal(err)
		}
		img = next
	}
	set := func(kind ResourceType, name, value string) {
		apply(&ConfigRecord{ResourceType: kind, ResourceName: name, Name: "min.insync.replicas", Value: &value})
	}
	want := func(n int) {
		t.Helper()
		if got := img.MinISR(img.Topic("t"), 101, Static{}); got != n {
			t.Errorf("%d, want %d", got, n)
		}
	}
	id := kafka.TopicID{1}
	apply(&TopicRecord{Name: "t", ID: id})
	apply(&PartitionRecord{TopicID: id, Replicas: []kafka.NodeID{1, 2}, ISR: []kafka.NodeID{1, 2}, Leader: 1})
	want(1)
	set(ResourceBroker, "", "2")
	want(2)
	set(ResourceTopic, "t", "3")
	want(2)
	set(ResourceTopic, "t", "1")
	want(1)
}
