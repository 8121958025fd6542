package model

import (
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
)

// SelectionText writes a selection as controls and links carry it, "" for
// none: "broker:1", "replica:payments-1@2", "record:payments-1@2+118",
// "topic:payments", "producer:app", "link:1>2", "flight:88". ParseSelection is
// its inverse.
func SelectionText(s view.Selection) string {
	node := strconv.Itoa(int(s.Node))
	switch s.Kind {
	case "broker", "controller":
		return s.Kind + ":" + node
	case "replica":
		return "replica:" + s.TP.String() + "@" + node
	case "record":
		return "record:" + s.TP.String() + "@" + node + "+" + strconv.FormatInt(int64(s.Offset), 10)
	case "partition":
		return "partition:" + s.TP.String()
	case "topic", "producer", "consumer":
		return s.Kind + ":" + s.Name
	case "link":
		return "link:" + node + ">" + strconv.Itoa(int(s.Peer))
	case "flight", "note":
		return s.Kind + ":" + strconv.FormatUint(s.ID, 10)
	}
	return ""
}

// ParseSelection reads what SelectionText writes; false if it is none of it.
func ParseSelection(text string) (view.Selection, bool) {
	if text == "" {
		return view.Selection{}, true
	}
	kind, rest, _ := strings.Cut(text, ":")
	s := view.Selection{Kind: kind}
	ok := rest != ""
	switch kind {
	case "broker", "controller":
		s.Node, ok = parseNode(rest)
	case "replica":
		s.TP, s.Node, ok = parseReplica(rest)
	case "record":
		place, offset, found := strings.Cut(rest, "+")
		n, err := strconv.ParseInt(offset, 10, 64)
		s.TP, s.Node, ok = parseReplica(place)
		s.Offset, ok = kafka.Offset(n), ok && found && err == nil && n >= 0
	case "partition":
		s.TP, ok = ParseTP(rest)
	case "topic", "producer", "consumer":
		s.Name = rest
	case "link":
		a, b, found := strings.Cut(rest, ">")
		var okA, okB bool
		s.Node, okA = parseNode(a)
		s.Peer, okB = parseNode(b)
		ok = found && okA && okB
	case "flight", "note":
		id, err := strconv.ParseUint(rest, 10, 64)
		s.ID, ok = id, err == nil
	default:
		ok = false
	}
	if !ok {
		return view.Selection{}, false
	}
	return s, true
}

// ParseTP reads "topic-partition".
func ParseTP(text string) (kafka.TopicPartition, bool) {
	i := strings.LastIndexByte(text, '-')
	if i <= 0 {
		return kafka.TopicPartition{}, false
	}
	n, err := strconv.ParseInt(text[i+1:], 10, 32)
	if err != nil || n < 0 {
		return kafka.TopicPartition{}, false
	}
	return kafka.TopicPartition{Topic: text[:i], Partition: int32(n)}, true
}

func parseReplica(text string) (kafka.TopicPartition, kafka.NodeID, bool) {
	tp, node, found := strings.Cut(text, "@")
	p, ok := ParseTP(tp)
	n, okN := parseNode(node)
	return p, n, found && ok && okN
}

func parseNode(text string) (kafka.NodeID, bool) {
	n, err := strconv.ParseInt(text, 10, 32)
	return kafka.NodeID(n), err == nil && n >= 0
}

// Target is the name under which the language knows the process that the
// selection is about: broker-1, a client's name; "" if none.
func (m *Model) Target() string {
	switch m.Selection.Kind {
	case "broker", "replica", "record":
		return "broker-" + strconv.Itoa(int(m.Selection.Node))
	case "controller":
		return "controller-" + strconv.Itoa(int(m.Selection.Node))
	case "producer", "consumer":
		return m.Selection.Name
	}
	return ""
}

// Running reports whether the named process runs, by the facts.
func (m *Model) Running(name string) bool {
	c := m.Facts.Cluster
	up := func(s view.ProcessState) bool {
		return s == view.Running || s == view.Starting || s == view.Stopping || s == view.Frozen
	}
	for i := range c.Brokers {
		if c.Brokers[i].Name == name {
			return up(c.Brokers[i].State)
		}
	}
	for i := range c.Controllers {
		if "controller-"+strconv.Itoa(int(c.Controllers[i].ID)) == name {
			return up(c.Controllers[i].State)
		}
	}
	for i := range c.Producers {
		if c.Producers[i].Name == name {
			return up(c.Producers[i].State)
		}
	}
	for i := range c.Consumers {
		if c.Consumers[i].Name == name {
			return up(c.Consumers[i].State)
		}
	}
	return false
}
