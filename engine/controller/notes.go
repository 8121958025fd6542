package controller

import (
	"slices"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
)

// why is what the records themselves do not tell about a change.
type why struct {
	fenced   string // why a broker is fenced
	election string // "preferred", if that was the aim
}

// noteChanges notes what an append changes, brokers first: that a partition has
// another leader follows from that its broker was fenced.
func noteChanges(out *sim.Out, old, img *metadata.Image, d *metadata.Delta, records []metadata.Record, w why) {
	for _, id := range d.Brokers {
		noteBroker(out, old.Broker(id), img.Broker(id), w)
	}
	for _, name := range d.Topics {
		if was, is := old.Topic(name), img.Topic(name); is != nil && (was == nil || was.ID != is.ID) {
			out.Note(trace.Note{Kind: trace.TopicCreated, Topic: name, N: int64(len(is.Partitions))})
		}
	}
	for _, r := range records {
		switch r := r.(type) {
		case *metadata.ConfigRecord:
			noteConfig(out, r)
		case *metadata.ClientQuotaRecord:
			out.Note(trace.Note{Kind: trace.ConfigChanged, Node: kafka.NoNode, Say: quotaText(r)})
		}
	}
	for _, tp := range d.Partitions {
		was, is := old.Topic(tp.Topic), img.Topic(tp.Topic)
		if was == nil || is == nil || was.ID != is.ID || was.At(tp.Partition) == nil || is.At(tp.Partition) == nil {
			continue
		}
		notePartition(out, tp, was.At(tp.Partition), is.At(tp.Partition), w)
	}
}

func noteBroker(out *sim.Out, was, is *metadata.Broker, w why) {
	switch {
	case is == nil:
	case was == nil || was.Epoch != is.Epoch:
		out.Note(trace.Note{Kind: trace.BrokerRegistered, Node: is.ID, Offset: kafka.Offset(is.Epoch)})
	case is.Fenced && !was.Fenced:
		out.Note(trace.Note{Kind: trace.BrokerFenced, Node: is.ID, Say: w.fenced})
	case !is.Fenced && was.Fenced:
		out.Note(trace.Note{Kind: trace.BrokerUnfenced, Node: is.ID})
	case len(is.LogDirs) < len(was.LogDirs):
		out.Note(trace.Note{Kind: trace.DirectoriesLost, Node: is.ID, N: int64(len(is.LogDirs)), From: kafka.Offset(len(was.LogDirs))})
	}
}

func noteConfig(out *sim.Out, r *metadata.ConfigRecord) {
	n := trace.Note{Kind: trace.ConfigChanged, Node: kafka.NoNode, Say: r.Name + "="}
	if r.Value != nil {
		n.Say += *r.Value
	}
	if r.ResourceType == metadata.ResourceTopic {
		n.Topic = r.ResourceName
	} else if id, err := strconv.Atoi(r.ResourceName); err == nil {
		n.Node = kafka.NodeID(id)
	}
	out.Note(n)
}

func notePartition(out *sim.Out, tp kafka.TopicPartition, was, is *metadata.Partition, w why) {
	if was.Leader != is.Leader {
		out.Note(trace.Note{
			Kind: trace.LeaderElected, Topic: tp.Topic, Part: tp.Partition,
			Node: is.Leader, Peer: was.Leader, Epoch: is.LeaderEpoch, Say: howElected(was, is, w),
		})
	}
	if say := reassignment(was, is); say != "" {
		out.Note(trace.Note{Kind: trace.Reassignment, Topic: tp.Topic, Part: tp.Partition, Node: is.Leader, Epoch: is.LeaderEpoch, Say: say})
	}
	if !slices.Equal(was.ISR, is.ISR) {
		out.Note(trace.Note{
			Kind: trace.ISRChanged, Topic: tp.Topic, Part: tp.Partition, Node: is.Leader, Epoch: is.LeaderEpoch,
			Say: nodes(was.ISR) + " -> " + nodes(is.ISR),
		})
	}
	if !slices.Equal(was.ELR, is.ELR) {
		out.Note(trace.Note{
			Kind: trace.ELRChanged, Topic: tp.Topic, Part: tp.Partition, Node: is.Leader, Epoch: is.LeaderEpoch,
			Say: nodes(was.ELR) + " -> " + nodes(is.ELR),
		})
	}
}

// reassignment says what became of a reassignment.
func reassignment(was, is *metadata.Partition) string {
	switch {
	case is.Reassigning() && slices.Equal(was.Adding, is.Adding) && slices.Equal(was.Removing, is.Removing):
		return ""
	case is.Reassigning():
		return "begins: replicas " + nodes(is.Replicas) + " adding " + nodes(is.Adding) + " removing " + nodes(is.Removing)
	case was.Reassigning() && slices.Equal(is.Replicas, without(was.Replicas, was.Adding)) && len(was.Adding) > 0:
		return "cancelled: replicas " + nodes(is.Replicas)
	case was.Reassigning() || !slices.Equal(was.Replicas, is.Replicas):
		return "completed: replicas " + nodes(is.Replicas)
	}
	return ""
}

func howElected(was, is *metadata.Partition, w why) string {
	switch {
	case is.Leader == kafka.NoNode:
		return ""
	case slices.Contains(was.ISR, is.Leader) && is.Leader == is.Replicas[0] && w.election != "":
		return w.election
	case slices.Contains(was.ISR, is.Leader):
		return "clean"
	case slices.Contains(was.ELR, is.Leader):
		return "elr"
	case was.Reassigning() && !is.Recovering:
		return "clean" // the change that brought it into the ISR completed a reassignment
	}
	return "unclean"
}

// nodes prints a list as Kafka's logs and the notes do: "{1,2}".
func nodes(l []kafka.NodeID) string {
	s := make([]string, len(l))
	for i, n := range l {
		s[i] = strconv.Itoa(int(n))
	}
	return "{" + strings.Join(s, ",") + "}"
}
