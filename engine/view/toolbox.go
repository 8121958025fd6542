package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/group"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/world"
)

// The tools whose output can be asked for, by the command lines that people know.
const (
	ToolTopics          = "kafka-topics --describe"
	ToolUnderReplicated = "kafka-topics --describe --under-replicated-partitions"
	ToolUnavailable     = "kafka-topics --describe --unavailable-partitions"
	ToolQuorumStatus    = "kafka-metadata-quorum describe --status"
	ToolQuorumReplicas  = "kafka-metadata-quorum describe --replication"
	ToolReassign        = "kafka-reassign-partitions --list"
	ToolLogDirs         = "kafka-log-dirs --describe"
	ToolQuotas          = "kafka-configs --describe --entity-type users | clients"
	ToolGroups          = "kafka-consumer-groups --describe --all-groups"
	ToolDumpLog         = "kafka-dump-log --print-data-log"
	ToolDumpMetadata    = "kafka-dump-log --cluster-metadata-decoder"
	ToolDumpSnapshot    = "kafka-dump-log --cluster-metadata-decoder: snapshot"
	ToolQuorumState     = quorumFile
	ToolDumpIndex       = "kafka-dump-log: .index and .timeindex"
	ToolEpochs          = epochFile
)

// Tools lists the tools that have something to say of a selection, the first
// one the most. Tool runs one.
func Tools(s Selection) []string {
	switch s.Kind {
	case "":
		return []string{ToolTopics, ToolUnderReplicated, ToolUnavailable, ToolQuorumStatus, ToolQuorumReplicas, ToolReassign, ToolGroups, ToolQuotas, ToolLogDirs}
	case "controller":
		return []string{ToolQuorumStatus, ToolQuorumReplicas, ToolDumpMetadata, ToolDumpSnapshot, ToolQuorumState}
	case "broker":
		return []string{ToolUnderReplicated, ToolUnavailable, ToolReassign, ToolLogDirs, ToolDumpMetadata, ToolDumpSnapshot}
	case "topic", "partition":
		return []string{ToolTopics, ToolReassign, ToolGroups}
	case "replica":
		return []string{ToolDumpLog, ToolDumpIndex, ToolEpochs, ToolTopics}
	case "record":
		return []string{ToolDumpLog}
	case "consumer":
		return []string{ToolGroups, ToolQuotas}
	case "producer":
		return []string{ToolQuotas}
	}
	return nil
}

// Tool is the output of one of Tools at the present moment; c must be its read
// model. It is empty if there is nothing to say.
func Tool(w *world.World, c *Cluster, s Selection, name string) []string {
	i := &inspector{w: w, c: c}
	switch name {
	case ToolTopics:
		return i.describeTopics(s)
	case ToolUnderReplicated:
		return DescribeFiltered(w, c, UnderReplicatedPartitions)
	case ToolUnavailable:
		return DescribeFiltered(w, c, UnavailablePartitions)
	case ToolQuorumStatus:
		return QuorumStatus(c)
	case ToolQuorumReplicas:
		return QuorumReplication(c)
	case ToolReassign:
		return ListReassignments(c)
	case ToolGroups:
		return DescribeGroups(w, c)
	case ToolLogDirs:
		if s.Kind == "broker" {
			return DescribeLogDirs(w, s.Node)
		}
		return DescribeLogDirs(w, kafka.NoNode)
	case ToolQuotas:
		return DescribeQuotas(w)
	}
	if lines, ok := metadataTool(w, s, name); ok {
		return lines
	}
	if s.Node < 1 || int(s.Node) > len(w.Brokers()) {
		return nil
	}
	log := i.readable(s.TP, s.Node)
	switch {
	case log == nil:
		return nil
	case name == ToolDumpIndex:
		return DumpIndexes(log)
	case name == ToolEpochs:
		return fileLines(log.EpochCheckpointBytes())
	case name == ToolDumpLog && s.Kind == "record":
		if b, ok := log.BatchAt(s.Offset); ok {
			return append([]string{batchLine(&b.Header, b.Position, true)}, recordLines(b.Raw, dataPayload)...)
		}
	case name == ToolDumpLog:
		return DumpLog(log)
	}
	return nil
}

// metadataTool runs a tool about a process's copy of the metadata log; false if it
// is another tool.
func metadataTool(w *world.World, s Selection, name string) ([]string, bool) {
	switch name {
	case ToolDumpMetadata, ToolDumpSnapshot:
		return DumpMetadata(w, s.Node, name == ToolDumpSnapshot), true
	case ToolQuorumState:
		data, _ := MetadataFileBytes(w, s.Node, quorumFile)
		return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n"), true
	}
	return nil, false
}

// describeTopics describes the selection's topic, or all but Kafka's own.
func (i *inspector) describeTopics(s Selection) (out []string) {
	want := s.TP.Topic
	if s.Kind == "topic" {
		want = s.Name
	}
	for t := range i.c.Topics {
		if v := &i.c.Topics[t]; v.Name == want || want == "" && !v.Internal {
			out = append(out, DescribeTopic(i.w, v)...)
		}
	}
	return out
}

func fileLines(b []byte) (out []string) {
	line := 0
	for k, x := range b {
		if x == '\n' {
			out, line = append(out, string(b[line:k])), k+1
		}
	}
	return out
}

// DescribeGroups is what kafka-consumer-groups --describe --all-groups prints
// (ConsumerGroupCommand.printOffsets). Consumers that assign their partitions
// themselves are not members, so their groups have none.
func DescribeGroups(w *world.World, c *Cluster) (out []string) {
	type row struct {
		id      string
		offsets []group.Offset
	}
	var rows []row
	for _, n := range w.Brokers() {
		g := n.Group()
		if g == nil {
			continue
		}
		for _, id := range g.Groups() {
			if offsets, ok := g.Committed(id); ok && len(offsets) > 0 {
				rows = append(rows, row{id, offsets})
			}
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.id, b.id) })
	for k, r := range rows {
		if k > 0 && rows[k-1].id == r.id { // a coordinator that does not know yet that it was replaced
			continue
		}
		wideGroup, wideTopic := max(15, len(r.id)), 15
		for _, o := range r.offsets {
			wideTopic = max(wideTopic, len(o.TP.Topic))
		}
		line := func(a ...any) {
			format := "%-" + strconv.Itoa(wideGroup) + "s %-" + strconv.Itoa(wideTopic) + "s %-10v %-15v %-15v %-15v %-15s %-15s %s"
			out = append(out, fmt.Sprintf(format, a...))
		}
		out = append(out, "", "Consumer group '"+r.id+"' has no active members.", "")
		line("GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG", "CONSUMER-ID", "HOST", "CLIENT-ID")
		for _, o := range r.offsets {
			end, lag := any("-"), any("-")
			if hw, ok := latest(c, o.TP); ok {
				end, lag = hw, max(int64(hw-o.Offset), 0)
			}
			line(r.id, o.TP.Topic, o.TP.Partition, o.Offset, end, lag, "-", "-", "-")
		}
	}
	return out
}

// latest is what ListOffsets answers to LATEST; false without a leader.
func latest(c *Cluster, tp kafka.TopicPartition) (kafka.Offset, bool) {
	i := inspector{c: c}
	_, p := i.find(tp)
	if p == nil || p.Leader == kafka.NoNode {
		return 0, false
	}
	return p.HW, true
}
