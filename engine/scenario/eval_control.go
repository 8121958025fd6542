package scenario

import (
	"slices"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/trace"
)

func evalAdding(e *env, a []Arg) (Value, string) {
	p, why := e.partition(a[0].TP)
	if p == nil {
		return none(why)
	}
	return brokers(p.Adding)
}

func evalRemoving(e *env, a []Arg) (Value, string) {
	p, why := e.partition(a[0].TP)
	if p == nil {
		return none(why)
	}
	return brokers(p.Removing)
}

func evalReassigning(e *env, a []Arg) (Value, string) {
	p, why := e.partition(a[0].TP)
	if p == nil {
		return none(why)
	}
	return truth(p.Reassigning())
}

// text is a config's value; "none" for one that is not set.
func text(s string, ok bool) (Value, string) {
	if !ok {
		s = "none"
	}
	return Value{Type: TypeText, Text: s}, ""
}

func evalTopicConfig(e *env, a []Arg) (Value, string) {
	return text(e.image().Config(metadata.ResourceTopic, a[0].Name, a[1].Name))
}

func evalBrokerConfig(e *env, a []Arg) (Value, string) {
	return text(e.image().Config(metadata.ResourceBroker, metadata.BrokerResource(a[0].Node), a[1].Name))
}

func evalReplicaCount(e *env, a []Arg) (Value, string) {
	var n int64
	e.each(func(_ *metadata.Topic, p *metadata.Partition) {
		n += int64(boolInt(slices.Contains(p.Replicas, a[0].Node)))
	})
	return number(n)
}

func evalStoredBytes(e *env, a []Arg) (Value, string) {
	var n int64
	for _, t := range e.image().Topics {
		for i := range t.Partitions {
			tp := kafka.TopicPartition{Topic: t.Name, Partition: int32(i)}
			if r, ok := e.Replica(a[0].Node, tp); ok && !kafka.IsInternal(t.Name) {
				n += r.Log.Size()
			}
		}
	}
	return number(n)
}

func evalAtMinISR(e *env, _ []Arg) (Value, string) {
	var n int64
	e.each(func(t *metadata.Topic, p *metadata.Partition) { n += int64(boolInt(len(p.ISR) == e.minISR(t, p))) })
	return number(n)
}

func evalImbalance(e *env, _ []Arg) (Value, string) {
	var n int64
	e.each(func(_ *metadata.Topic, p *metadata.Partition) { n += int64(boolInt(p.Leader != p.Replicas[0])) })
	return number(n)
}

func matchReassigned(n *trace.Note, a []Arg) bool {
	return about(n, trace.Reassignment, a[0]) && strings.HasPrefix(n.Say, "completed")
}
