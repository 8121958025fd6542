package script

import (
	"fmt"
	"slices"
	"strings"

	"github.com/highwater-sim/highwater/engine/record"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// describe prints a request in one line.
func describe(req kmsg.Request) string {
	var b strings.Builder
	b.WriteString(kmsg.NameForKey(req.Key()))
	switch q := req.(type) {
	case *kmsg.ProduceRequest:
		fmt.Fprintf(&b, " acks=%d", q.Acks)
		for i := range q.Topics {
			for _, p := range q.Topics[i].Partitions {
				fmt.Fprintf(&b, " %s-%d%s", topicName(q.Topics[i].TopicID), p.Partition, batch(p.Records))
			}
		}
	case *kmsg.FetchRequest:
		fmt.Fprintf(&b, " session=%d/%d", q.SessionID, q.SessionEpoch)
		for i := range q.Topics {
			for _, p := range q.Topics[i].Partitions {
				fmt.Fprintf(&b, " %s-%d@%d(epoch %d)", topicName(q.Topics[i].TopicID), p.Partition, p.FetchOffset, p.CurrentLeaderEpoch)
			}
		}
		for i := range q.ForgottenTopics {
			for _, p := range q.ForgottenTopics[i].Partitions {
				fmt.Fprintf(&b, " forget %s-%d", topicName(q.ForgottenTopics[i].TopicID), p)
			}
		}
	case *kmsg.ListOffsetsRequest:
		for i := range q.Topics {
			for _, p := range q.Topics[i].Partitions {
				fmt.Fprintf(&b, " %s-%d timestamp=%d", q.Topics[i].Topic, p.Partition, p.Timestamp)
			}
		}
	case *kmsg.OffsetForLeaderEpochRequest:
		for i := range q.Topics {
			for _, p := range q.Topics[i].Partitions {
				fmt.Fprintf(&b, " %s-%d epoch=%d current=%d", q.Topics[i].Topic, p.Partition, p.LeaderEpoch, p.CurrentLeaderEpoch)
			}
		}
	case *kmsg.OffsetFetchRequest:
		for i := range q.Groups[0].Topics {
			fmt.Fprintf(&b, " %s %s%v", q.Groups[0].Group, q.Groups[0].Topics[i].Topic, q.Groups[0].Topics[i].Partitions)
		}
	case *kmsg.OffsetCommitRequest:
		fmt.Fprintf(&b, " %s generation=%d", q.Group, q.Generation)
		for i := range q.Topics {
			for _, p := range q.Topics[i].Partitions {
				fmt.Fprintf(&b, " %s-%d=%d", q.Topics[i].Topic, p.Partition, p.Offset)
			}
		}
	default:
		describeAdmin(&b, req)
	}
	return b.String()
}

func describeAdmin(b *strings.Builder, req kmsg.Request) {
	switch q := req.(type) {
	case *kmsg.CreateTopicsRequest:
		for _, t := range q.Topics {
			fmt.Fprintf(b, " %s partitions=%d replication.factor=%d", t.Topic, t.NumPartitions, t.ReplicationFactor)
			for _, a := range t.ReplicaAssignment {
				fmt.Fprintf(b, " %d:%v", a.Partition, a.Replicas)
			}
			for _, c := range t.Configs {
				fmt.Fprintf(b, " %s=%s", c.Name, *c.Value)
			}
		}
	case *kmsg.IncrementalAlterConfigsRequest:
		for _, r := range q.Resources {
			fmt.Fprintf(b, " %s %q", r.ResourceType, r.ResourceName)
			for _, c := range r.Configs {
				fmt.Fprintf(b, " %s %s", c.Op, c.Name)
			}
		}
	case *kmsg.ElectLeadersRequest:
		fmt.Fprintf(b, " type=%d", q.ElectionType)
		for _, t := range q.Topics {
			fmt.Fprintf(b, " %s%v", t.Topic, t.Partitions)
		}
	}
}

// batch prints a batch: its producer state and its records, at most six.
func batch(b []byte) string {
	h, err := record.ParseHeader(b)
	if err != nil {
		return "{" + err.Error() + "}"
	}
	if err := record.Verify(b); err != nil {
		return "{" + err.Error() + "}"
	}
	var s []string
	for r := range record.Records(b) {
		v := "null"
		if r.Value != nil {
			v = strings.TrimRight(string(r.Value), ".")
			if len(v) > 12 {
				v = fmt.Sprintf("%s..(%d B)", v[:6], len(r.Value))
			}
		}
		if r.Key != nil {
			v = string(r.Key) + "=" + v
		}
		for _, x := range r.Headers {
			v += "[" + x.Key + "=" + string(x.Value) + "]"
		}
		s = append(s, v)
	}
	n := len(s)
	if n > 6 {
		s = slices.Concat(s[:3], []string{"..."}, s[n-2:])
	}
	seq := ""
	if h.HasProducer() {
		seq = fmt.Sprintf("pid %d/%d seq %d, ", h.ProducerID, h.ProducerEpoch, h.BaseSequence)
	}
	return fmt.Sprintf("{%s%d records, %d B: %s}", seq, n, len(b), strings.Join(s, " "))
}
