package scenario

import (
	"slices"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/trace"
)

// about reports whether a note is of a kind and about the partition of a
// function's first argument.
func about(n *trace.Note, k trace.Kind, a Arg) bool {
	return n.Kind == k && n.Topic == a.TP.Topic && n.Part == a.TP.Partition
}

// isrChange reads "{1,2,3} -> {1,2}".
func isrChange(s string) (before, after []kafka.NodeID) {
	l, r, _ := strings.Cut(s, "->")
	return nodeSet(l), nodeSet(r)
}

func nodeSet(s string) []kafka.NodeID {
	var ids []kafka.NodeID
	for f := range strings.FieldsFuncSeq(s, func(r rune) bool { return r < '0' || r > '9' }) {
		if n, err := strconv.ParseInt(f, 10, 32); err == nil {
			ids = append(ids, kafka.NodeID(n))
		}
	}
	return ids
}

func matchISRLeft(n *trace.Note, a []Arg) bool {
	if !about(n, trace.ISRChanged, a[0]) {
		return false
	}
	before, after := isrChange(n.Say)
	return slices.Contains(before, a[1].Node) && !slices.Contains(after, a[1].Node)
}

func matchISRJoined(n *trace.Note, a []Arg) bool {
	if !about(n, trace.ISRChanged, a[0]) {
		return false
	}
	before, after := isrChange(n.Say)
	return !slices.Contains(before, a[1].Node) && slices.Contains(after, a[1].Node)
}

func matchISRChanged(n *trace.Note, a []Arg) bool { return about(n, trace.ISRChanged, a[0]) }

func matchElected(n *trace.Note, a []Arg) bool {
	return about(n, trace.LeaderElected, a[0]) && n.Node == a[1].Node
}

func matchElections(n *trace.Note, a []Arg) bool {
	return about(n, trace.LeaderElected, a[0]) && n.Node != kafka.NoNode
}

func matchUnclean(n *trace.Note, a []Arg) bool {
	return about(n, trace.LeaderElected, a[0]) && n.Node != kafka.NoNode && n.Say == "unclean"
}

func matchFenced(n *trace.Note, a []Arg) bool {
	return n.Kind == trace.BrokerFenced && n.Node == a[0].Node
}

func matchUnfenced(n *trace.Note, a []Arg) bool {
	return n.Kind == trace.BrokerUnfenced && n.Node == a[0].Node
}

// has reports whether a note's offsets From..Offset include the argument's.
func has(n *trace.Note, a Arg) bool {
	return int64(n.From) <= a.N && a.N <= int64(n.Offset)
}

func matchAppended(n *trace.Note, a []Arg) bool {
	return about(n, trace.Append, a[0]) && has(n, a[1])
}

func matchReplicated(n *trace.Note, a []Arg) bool {
	return about(n, trace.Replicated, a[0]) && has(n, a[1]) && n.Node == a[2].Node
}

func matchCommitted(n *trace.Note, a []Arg) bool {
	return about(n, trace.HighWatermark, a[0]) && int64(n.Offset) > a[1].N
}

func matchAcked(n *trace.Note, a []Arg) bool {
	return about(n, trace.ProduceAcked, a[0]) && n.Offset >= 0 &&
		int64(n.Offset) <= a[1].N && a[1].N < int64(n.Offset)+n.N
}

func matchDelivered(n *trace.Note, a []Arg) bool {
	return n.Who == a[0].Name && about(n, trace.Delivered, a[1]) && has(n, a[2])
}

func matchPreferred(n *trace.Note, a []Arg) bool {
	return n.Who == a[0].Name && about(n, trace.PreferredReplica, a[1]) && n.Peer == a[2].Node
}

func matchTruncated(n *trace.Note, a []Arg) bool {
	return about(n, trace.Truncated, a[0]) && n.Node == a[1].Node
}

func matchError(n *trace.Note, a []Arg) bool {
	switch n.Kind {
	case trace.ProduceRejected, trace.ProduceFailed, trace.ConsumerError:
		return n.Who == a[0].Name && n.Err == a[1].Code
	}
	return false
}

func matchSent(n *trace.Note, a []Arg) bool {
	return n.Kind == trace.ProduceSent && n.Who == a[0].Name
}

func matchReset(n *trace.Note, a []Arg) bool {
	return n.Who == a[0].Name && about(n, trace.PositionReset, a[1])
}
