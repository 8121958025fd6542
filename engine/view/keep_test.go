package view_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/engine/world"
)

// compacted is a cluster with a compacted topic and a cleaner slow enough to be
// watched: 100 bytes a second.
func compacted(t *testing.T) (*world.World, *trace.Log) {
	w, err := world.New(world.Spec{
		Seed:    1,
		Cluster: world.ClusterSpec{Brokers: 1, Configs: []world.Config{{Name: "log.cleaner.io.max.bytes.per.second", Value: "100"}}},
		Topics:  []world.TopicSpec{{Name: "t", Partitions: 1, Configs: []world.Config{{Name: "cleanup.policy", Value: "compact"}, {Name: "segment.bytes", Value: "400"}}}},
		Clients: []world.ClientSpec{{Kind: world.ClientProducer, Name: "p", Topic: "t", Partition: -1, Configs: []world.Config{{Name: "linger.ms", Value: "0"}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	log := &trace.Log{}
	w.OnNote(func(n *trace.Note) { log.Add(n) })
	for i := range 6 {
		w.RunUntil(kafka.Instant(i+1) * kafka.Instant(kafka.Second) / 2)
		key := "a"
		if i == 1 {
			key = "b"
		}
		if err := w.Do(world.Command{Verb: world.VerbProduce, Text: "produce", Name: "p", Record: world.RecordSpec{Partition: -1, Timestamp: -1, Key: key, HasKey: true, Value: fmt.Sprint(i), N: 1}}); err != nil {
			t.Fatal(err)
		}
	}
	return w, log
}

// why asks about a record of the only replica.
func why(w *world.World, log *trace.Log, at kafka.Offset) string {
	var b view.Builder
	var c view.Cluster
	b.Build(w, view.Options{}, &c)
	d := view.Inspect(w, log, &c, view.Selection{Kind: "record", TP: kafka.TopicPartition{Topic: "t"}, Node: 1, Offset: at})
	text := d.WhyTitle
	for _, x := range d.Why {
		text += "\n" + x.Text
	}
	return text
}

func TestWhyKeptAndGone(t *testing.T) {
	w, log := compacted(t)
	w.RunUntil(kafka.Instant(4 * kafka.Second))
	for at, want := range map[kafka.Offset]string{
		0: "its key has a later record at offset 5", 1: "latest of its key", 5: "latest of its key",
	} {
		if got := why(w, log, at); !strings.Contains(got, want) {
			t.Errorf("record %d: %s", at, got)
		}
	}
	var b view.Builder
	var c view.Cluster
	seen := map[string]bool{}
	for s := 5; s < 40; s++ {
		w.RunUntil(kafka.Instant(s) * kafka.Instant(kafka.Second))
		b.Build(w, view.Options{}, &c)
		seen[c.Topics[0].Partitions[0].Replicas[0].Cleaning] = true
	}
	if !seen["building the offset map"] || !seen["rewriting"] {
		t.Errorf("stages seen: %v", seen)
	}
	r := &c.Topics[0].Partitions[0].Replicas[0]
	if r.Cleaning != "" || r.CleanTo != 5 || r.DirtyBytes != 0 {
		t.Errorf("after the pass: %+v", r)
	}
	if got := why(w, log, 0); !strings.Contains(got, "Why is record 0 gone?") || !strings.Contains(got, "cleaner done up to offset 5") {
		t.Errorf("%s", got)
	}
}
