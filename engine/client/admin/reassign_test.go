package admin

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func tokens() func() int32 {
	n := int32(0)
	return func() int32 { n++; return n }
}

// walk follows an order to its end, each step answered with success.
func walk(o Order) (steps []string) {
	for {
		s := fmt.Sprintf("%d %s:", o.token(), o.what())
		switch r := o.request().(type) {
		case *kmsg.IncrementalAlterConfigsRequest:
			for _, c := range r.Resources[0].Configs {
				v := "(deleted)"
				if c.Value != nil {
					v = *c.Value
				}
				s += " " + c.Name + "=" + v
			}
		case *kmsg.AlterPartitionAssignmentsRequest:
			for _, t := range r.Topics {
				for _, p := range t.Partitions {
					s += fmt.Sprintf(" %s-%d %v", t.Topic, p.Partition, p.Replicas)
				}
			}
		case *kmsg.ListPartitionReassignmentsRequest:
			s += fmt.Sprintf(" %s%v", r.Topics[0].Topic, r.Topics[0].Partitions)
		}
		steps = append(steps, s)
		c, ok := o.(chained)
		if !ok || len(c.then()) == 0 {
			return steps
		}
		next := c.then()
		for _, n := range next[:len(next)-1] {
			steps = append(steps, walk(n)...)
		}
		o = next[len(next)-1]
	}
}

// The throttle is set before the moves, topic first, and taken off after.
func TestReassignment(t *testing.T) {
	tp := func(i int32) kafka.TopicPartition { return kafka.TopicPartition{Topic: "t", Partition: i} }
	moves := []Move{
		{TP: tp(0), From: []kafka.NodeID{1, 3, 2}, To: []kafka.NodeID{4, 3, 2}},
		{TP: tp(1), From: []kafka.NodeID{3, 2, 1}, To: []kafka.NodeID{3, 2, 4}},
	}
	for _, c := range []struct {
		name  string
		order Order
		want  []string
	}{
		{"execute", Execute(tokens(), moves, 0), []string{"1 reassign t-0 to 4,3,2, t-1 to 3,2,4: t-0 [4 3 2] t-1 [3 2 4]"}},
		{"throttled", Execute(tokens(), moves, 10_000_000), []string{
			"1 alter configs of topic t: leader.replication.throttled.replicas=0:1,0:2,0:3,1:1,1:2,1:3 follower.replication.throttled.replicas=0:4,1:4",
			"2 alter configs of broker 1: leader.replication.throttled.rate=10000000 follower.replication.throttled.rate=10000000",
			"3 alter configs of broker 2: leader.replication.throttled.rate=10000000 follower.replication.throttled.rate=10000000",
			"4 alter configs of broker 3: leader.replication.throttled.rate=10000000 follower.replication.throttled.rate=10000000",
			"5 alter configs of broker 4: leader.replication.throttled.rate=10000000 follower.replication.throttled.rate=10000000",
			"6 reassign t-0 to 4,3,2, t-1 to 3,2,4: t-0 [4 3 2] t-1 [3 2 4]",
		}},
		{"cancel", Execute(tokens(), []Move{{TP: tp(1)}}, 0), []string{"1 cancel reassignment of t-1: t-1 []"}},
		{"cancel a throttled one", Cancel(tokens(), []Move{{TP: tp(1)}}, []kafka.NodeID{4}), []string{
			"1 cancel reassignment of t-1: t-1 []",
			"2 alter configs of topic t: leader.replication.throttled.replicas=(deleted) follower.replication.throttled.replicas=(deleted)",
			"3 alter configs of broker 4: leader.replication.throttled.rate=(deleted) follower.replication.throttled.rate=(deleted)",
		}},
		{"verify", Verify(tokens(), "t", 2, []kafka.NodeID{2, 1}), []string{
			"1 verify reassignment of t: t[0 1]",
			"2 alter configs of topic t: leader.replication.throttled.replicas=(deleted) follower.replication.throttled.replicas=(deleted)",
			"3 alter configs of broker 1: leader.replication.throttled.rate=(deleted) follower.replication.throttled.rate=(deleted)",
			"4 alter configs of broker 2: leader.replication.throttled.rate=(deleted) follower.replication.throttled.rate=(deleted)",
		}},
	} {
		if got := walk(c.order); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nnot\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

func TestReassignmentOutcomes(t *testing.T) {
	bad := kmsg.NewAlterPartitionAssignmentsResponseTopicPartition()
	bad.Partition, bad.ErrorCode, bad.ErrorMessage = 1, int16(kafka.NoReassignmentInProgress), kmsg.StringPtr("No partition reassignment is in progress.")
	part := &kmsg.AlterPartitionAssignmentsResponse{Topics: []kmsg.AlterPartitionAssignmentsResponseTopic{{
		Topic: "t", Partitions: []kmsg.AlterPartitionAssignmentsResponseTopicPartition{{}, bad},
	}}}
	busy := &kmsg.ListPartitionReassignmentsResponse{Topics: []kmsg.ListPartitionReassignmentsResponseTopic{{
		Topic: "t", Partitions: make([]kmsg.ListPartitionReassignmentsResponseTopicPartition, 2),
	}}}
	for _, c := range []struct {
		order Order
		resp  kmsg.Response
		code  kafka.ErrorCode
		why   string
	}{
		{Reassign{}, part, kafka.NoReassignmentInProgress, "t-1 No partition reassignment is in progress."},
		{Reassign{}, &kmsg.AlterPartitionAssignmentsResponse{ErrorCode: int16(kafka.NotController)}, kafka.NotController, ""},
		{Reassign{}, &kmsg.CreateTopicsResponse{}, kafka.UnknownServerError, ""},
		{Sequence{[]Order{Reassign{}}}, &kmsg.AlterPartitionAssignmentsResponse{}, kafka.None, ""},
		{ListReassignments{}, busy, kafka.OperationNotAttempted, "reassignment of 2 partitions is still in progress"},
		{ListReassignments{}, &kmsg.ListPartitionReassignmentsResponse{}, kafka.None, ""},
	} {
		if code, why := c.order.outcome(c.resp); code != c.code || why != c.why {
			t.Errorf("%T with %T: %v %q, not %v %q", c.order, c.resp, code, why, c.code, c.why)
		}
	}
}
