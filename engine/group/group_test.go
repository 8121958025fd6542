package group

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/storage"
)

var (
	offsetsID = kafka.TopicID{15: 1}
	dataID    = kafka.TopicID{15: 2}
)

// image has __consumer_offsets with one partition and topic t with two.
func image(t *testing.T) *metadata.Image {
	t.Helper()
	var entries []metadata.Entry
	add := func(r metadata.Record) {
		entries = append(entries, metadata.Entry{Offset: kafka.Offset(len(entries)), Record: r})
	}
	add(&metadata.TopicRecord{Name: kafka.TopicOffsets, ID: offsetsID})
	add(&metadata.PartitionRecord{TopicID: offsetsID, Replicas: []kafka.NodeID{1}, ISR: []kafka.NodeID{1}, Leader: 1})
	add(&metadata.TopicRecord{Name: "t", ID: dataID})
	for p := range int32(2) {
		add(&metadata.PartitionRecord{Partition: p, TopicID: dataID, Replicas: []kafka.NodeID{1}, ISR: []kafka.NodeID{1}, Leader: 1})
	}
	img, _, err := metadata.Apply(metadata.Empty(), entries...)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// owner does the coordinator's work on a log of its own.
type owner struct {
	t   *testing.T
	c   *Coordinator
	img *metadata.Image
	log *storage.Log
	now kafka.Instant
}

func newOwner(t *testing.T) *owner {
	o := &owner{t: t, c: New(Config{MetadataBytesMax: 10}), img: image(t), log: storage.New(0, storage.DefaultConfig(), 0)}
	o.lead()
	return o
}

func (o *owner) lead() {
	out := sim.NewOut(o.now, 1)
	o.c.Lead(o.now, 0, 3, o.log.Size(), out)
	o.now = out.Timers()[len(out.Timers())-1].At
	o.c.Step(o.now, &sim.Input{Kind: sim.InputTimer, Timer: loadTimer(0)}, o.img, out)
	for _, w := range o.c.TakeWork() {
		if w.Records != nil || w.TP != tpOf(0) {
			o.t.Fatalf("work %+v", w)
		}
		o.c.Loaded(0, o.log)
	}
}

// request gives the coordinator a request and returns what it replies at once.
func (o *owner) request(req kmsg.Request) kmsg.Response {
	out := sim.NewOut(o.now, 1)
	o.c.Step(o.now, &sim.Input{Kind: sim.InputRequest, Conn: 1, Corr: 1, Request: req}, o.img, out)
	if m := out.Messages(); len(m) > 0 {
		return m[0].Response
	}
	return nil
}

// commit commits one offset and returns the code, after the append ended so.
func (o *owner) commit(group, topic string, partition int32, offset int64, meta string, code kafka.ErrorCode) kafka.ErrorCode {
	req := &kmsg.OffsetCommitRequest{Version: 9, Group: group, Generation: -1, Topics: []kmsg.OffsetCommitRequestTopic{{
		Topic: topic, Partitions: []kmsg.OffsetCommitRequestTopicPartition{{Partition: partition, Offset: offset, LeaderEpoch: 4, Metadata: &meta}},
	}}}
	resp := o.request(req)
	out := sim.NewOut(o.now, 1)
	for _, w := range o.c.TakeWork() {
		if code == kafka.None {
			if _, _, err := o.log.AppendAsLeader(o.now, w.Records, 3); err != nil {
				o.t.Fatal(err)
			}
		}
		o.c.Appended(w.Token, code, out)
		resp = out.Messages()[0].Response
	}
	return kafka.ErrorCode(resp.(*kmsg.OffsetCommitResponse).Topics[0].Partitions[0].ErrorCode)
}

// committed fetches one offset; the code is the group's.
func (o *owner) committed(group string, partition int32) (int64, kafka.ErrorCode) {
	resp := o.request(&kmsg.OffsetFetchRequest{Version: 9, Groups: []kmsg.OffsetFetchRequestGroup{{
		Group: group, Topics: []kmsg.OffsetFetchRequestGroupTopic{{Topic: "t", Partitions: []int32{partition}}},
	}}}).(*kmsg.OffsetFetchResponse)
	g := resp.Groups[0]
	if g.ErrorCode != 0 {
		return -1, kafka.ErrorCode(g.ErrorCode)
	}
	return g.Topics[0].Partitions[0].Offset, kafka.None
}

func TestCommitErrors(t *testing.T) {
	o := newOwner(t)
	for _, c := range []struct {
		group, topic string
		partition    int32
		meta         string
		append, want kafka.ErrorCode
	}{
		{"g", "t", 0, "", kafka.None, kafka.None},
		{"", "t", 0, "", kafka.None, kafka.InvalidGroupID},
		{"g", "u", 0, "", kafka.None, kafka.UnknownTopicOrPartition},
		{"g", "t", 2, "", kafka.None, kafka.UnknownTopicOrPartition},
		{"g", "t", 0, strings.Repeat("m", 11), kafka.None, kafka.OffsetMetadataTooLarge},
		{"g", "t", 0, strings.Repeat("m", 10), kafka.None, kafka.None},
		{"g", "t", 0, "", kafka.NotEnoughReplicas, kafka.CoordinatorNotAvailable},
		{"g", "t", 0, "", kafka.NotLeaderOrFollower, kafka.NotCoordinator},
	} {
		if got := o.commit(c.group, c.topic, c.partition, 5, c.meta, c.append); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestOnlyCommittedCounts(t *testing.T) {
	o := newOwner(t)
	o.commit("g", "t", 0, 5, "", kafka.None)
	o.commit("g", "t", 0, 6, "", kafka.NotEnoughReplicas)
	if got, code := o.committed("g", 0); got != 5 || code != kafka.None {
		t.Errorf("%d %v", got, code)
	}
	if got, code := o.committed("other", 0); got != -1 || code != kafka.None {
		t.Errorf("a group that is not known: %d %v", got, code)
	}
}

// A new coordinator knows from the log what the old one knew, tombstones included.
func TestLoad(t *testing.T) {
	o := newOwner(t)
	o.commit("g", "t", 0, 5, "", kafka.None)
	o.commit("g", "t", 1, 7, "", kafka.None)
	o.commit("h", "t", 1, 9, "", kafka.None)
	o.commit("g", "t", 0, 6, "", kafka.None)
	dead := record.Build(record.BatchSpec{Records: []record.Record{{Key: commitKey("h", kafka.TopicPartition{Topic: "t", Partition: 1})}}})
	if _, _, err := o.log.AppendAsLeader(o.now, dead, 3); err != nil {
		t.Fatal(err)
	}
	o.c.Resign(0, sim.NewOut(o.now, 1))
	if _, code := o.committed("g", 0); code != kafka.NotCoordinator {
		t.Errorf("resigned: %v", code)
	}
	o.c = New(o.c.cfg)
	o.lead()
	for _, c := range []struct {
		group string
		part  int32
		want  int64
	}{{"g", 0, 6}, {"g", 1, 7}, {"h", 1, -1}} {
		if got, _ := o.committed(c.group, c.part); got != c.want {
			t.Errorf("%s %d: %d, want %d", c.group, c.part, got, c.want)
		}
	}
}

func TestLoading(t *testing.T) {
	o := newOwner(t)
	out := sim.NewOut(o.now, 1)
	o.c.Lead(o.now, 0, 4, 1<<30, out)
	if _, code := o.committed("g", 0); code != kafka.CoordinatorLoadInProgress {
		t.Errorf("%v", code)
	}
	if d := out.Timers()[len(out.Timers())-1].At.Sub(o.now); d < 5*kafka.Second {
		t.Errorf("1 GiB is read in %v", d)
	}
}

// Who waits when the leadership goes is told at once.
func TestResignAnswers(t *testing.T) {
	o := newOwner(t)
	m := ""
	o.request(&kmsg.OffsetCommitRequest{Version: 9, Group: "g", Generation: -1, Topics: []kmsg.OffsetCommitRequestTopic{{
		Topic: "t", Partitions: []kmsg.OffsetCommitRequestTopicPartition{{Offset: 1, Metadata: &m}},
	}}})
	out := sim.NewOut(o.now, 1)
	o.c.Resign(0, out)
	r := out.Messages()[0].Response.(*kmsg.OffsetCommitResponse)
	if got := kafka.ErrorCode(r.Topics[0].Partitions[0].ErrorCode); got != kafka.NotCoordinator {
		t.Errorf("%v", got)
	}
	o.c.Appended(1, kafka.None, out) // the append ends later: nobody is left to tell
	if len(out.Messages()) != 1 {
		t.Error("answered twice")
	}
}

func TestCloneSharesNothing(t *testing.T) {
	o := newOwner(t)
	o.commit("g", "t", 0, 5, "", kafka.None)
	c := o.c.Clone()
	before, after := sim.NewHash(), sim.NewHash()
	c.Digest(before)
	o.commit("g", "t", 0, 6, "", kafka.None)
	o.commit("new", "t", 0, 6, "", kafka.None)
	c.Digest(after)
	if before.Sum() != after.Sum() {
		t.Error("the original's commits show in the copy")
	}
	o.c = c
	if got, _ := o.committed("g", 0); got != 5 {
		t.Errorf("%d", got)
	}
}
