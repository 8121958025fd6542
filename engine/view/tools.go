package view

import (
	"slices"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/world"
)

// The output of Kafka's own tools, as text: what a person would see who asked
// the cluster at this moment.

// DescribeTopic is what kafka-topics --describe prints of a topic
// (tools/.../TopicCommand.java of 4.2). Configs are those whose value is not
// the built-in default, wherever it is set.
func DescribeTopic(w *world.World, t *Topic) []string {
	var b strings.Builder
	b.WriteString("Topic: " + t.Name + "\tTopicId: " + t.ID.String() + "\tPartitionCount: " + strconv.Itoa(len(t.Partitions)))
	rf := t.ReplicationFactor
	if len(t.Partitions) > 0 { // a reassignment's new replicas do not count
		rf = len(t.Partitions[0].Assigned) - len(t.Partitions[0].Adding)
	}
	b.WriteString("\tReplicationFactor: " + strconv.Itoa(rf) + "\tConfigs: " + strings.Join(setConfigs(w, t.Name), ","))
	out := []string{b.String()}
	for k := range t.Partitions {
		out = append(out, describePartition(t.Name, k, &t.Partitions[k]))
	}
	return out
}

func describePartition(topic string, k int, p *Partition) string {
	leader := "none"
	if p.Leader != kafka.NoNode {
		leader = strconv.Itoa(int(p.Leader))
	}
	s := "\tTopic: " + topic + "\tPartition: " + strconv.Itoa(k) + "\tLeader: " + leader +
		"\tReplicas: " + nodes(p.Assigned) + "\tIsr: " + nodes(p.ISR)
	if p.Reassigning() {
		s += "\tAdding Replicas: " + nodes(p.Adding) + "\tRemoving Replicas: " + nodes(p.Removing)
	}
	return s + "\tElr: " + nodes(p.ELR) + "\tLastKnownElr: " + nodes(p.LastKnownELR)
}

// Reassigning reports whether a reassignment is under way (KIP-455).
func (p *Partition) Reassigning() bool { return len(p.Adding) > 0 || len(p.Removing) > 0 }

// setConfigs lists a topic's configs that are set somewhere, by name.
func setConfigs(w *world.World, topic string) (set []string) {
	img, static := w.Image(), w.Controllers()[0].Static()
	for _, row := range kafka.Configs(kafka.ScopeTopic) {
		if v, src := img.Resolve(topic, kafka.NoNode, static, row.Name); src != metadata.DefaultConfig {
			set = append(set, row.Name+"="+v)
		}
	}
	return set
}

// TopicFilter is one of the filters of kafka-topics --describe.
type TopicFilter uint8

// The filters.
const (
	UnderReplicatedPartitions TopicFilter = iota // --under-replicated-partitions
	UnderMinISRPartitions                        // --under-min-isr-partitions
	AtMinISRPartitions                           // --at-min-isr-partitions
	UnavailablePartitions                        // --unavailable-partitions
)

// DescribeFiltered is what kafka-topics --describe prints with a filter: the
// lines of the partitions that it lets through. As in the tool, min ISR is the
// config, also where there are fewer replicas.
func DescribeFiltered(w *world.World, c *Cluster, f TopicFilter) (out []string) {
	img, static := w.Image(), w.Controllers()[0].Static()
	for i := range c.Topics {
		t := &c.Topics[i]
		floor := int(img.TopicInt(t.Name, kafka.NoNode, static, "min.insync.replicas"))
		for k := range t.Partitions {
			p := &t.Partitions[k]
			through := false
			switch f {
			case UnderReplicatedPartitions:
				through = p.UnderReplicated
			case UnderMinISRPartitions:
				through = p.Leader == kafka.NoNode || len(p.ISR) < floor
			case AtMinISRPartitions:
				through = len(p.ISR) == floor
			case UnavailablePartitions:
				b := img.Broker(p.Leader)
				through = b == nil || b.Fenced
			}
			if through {
				out = append(out, describePartition(t.Name, k, p))
			}
		}
	}
	return out
}

// ListReassignments is what kafka-reassign-partitions --list prints
// (ReassignPartitionsCommand.curReassignmentsToString).
func ListReassignments(c *Cluster) []string {
	out := []string{"Current partition reassignments:"}
	for i := range c.Topics {
		for k := range c.Topics[i].Partitions {
			p := &c.Topics[i].Partitions[k]
			if !p.Reassigning() {
				continue
			}
			s := p.TP.String() + ": replicas: " + nodes(p.Assigned) + "."
			if len(p.Adding) > 0 {
				s += " adding: " + nodes(sorted(p.Adding)) + "."
			}
			if len(p.Removing) > 0 {
				s += " removing: " + nodes(sorted(p.Removing)) + "."
			}
			out = append(out, s)
		}
	}
	if len(out) == 1 {
		return []string{"No partition reassignments found."}
	}
	slices.Sort(out[1:])
	return out
}

func sorted(ids []kafka.NodeID) []kafka.NodeID { return slices.Sorted(slices.Values(ids)) }
