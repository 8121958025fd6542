package scenario

import (
	"slices"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/world"
)

// readReassign reads: reassign t-0 4,2,3 t-1 2,3,4 throttle=10MB/s
func readReassign(a *args, c *world.Command) {
	if w, ok := a.value("throttle"); ok {
		n, good := parseBandwidth(w.value)
		if c.Throttle = n; !good || n == 0 {
			a.badValue(w, "throttle is bytes per second such as 10MB/s, not "+clip(w.value))
		}
	}
	for more := true; more; more = a.left() {
		tp, ok := a.move(c, "a partition and its replicas, as in: reassign payments-0 4,2,3")
		if !ok {
			return
		}
		w, ok := a.next("the replicas, as in: reassign payments-0 4,2,3")
		if !ok {
			return
		}
		c.Moves = append(c.Moves, world.Move{TP: tp, Replicas: a.replicas(w)})
	}
}

func readCancelReassign(a *args, c *world.Command) {
	for more := true; more; more = a.left() {
		tp, ok := a.move(c, "a partition, as in: cancel-reassign payments-0")
		if !ok {
			return
		}
		c.Moves = append(c.Moves, world.Move{TP: tp})
	}
}

// move takes a partition that no earlier move names.
func (a *args) move(c *world.Command, what string) (kafka.TopicPartition, bool) {
	w, ok := a.next(what)
	if !ok {
		return kafka.TopicPartition{}, false
	}
	tp, ok := a.p.partition(a.st.line, w.col, w.text)
	if ok && slices.ContainsFunc(c.Moves, func(m world.Move) bool { return m.TP == tp }) {
		a.bad(w, clip(w.text)+" is given twice")
	}
	return tp, ok
}

// left reports whether a bare word is left.
func (a *args) left() bool {
	for i, w := range a.words {
		if !a.used[i] && !w.pair {
			return true
		}
	}
	return false
}

// replicas reads 4,2,3.
func (a *args) replicas(w word) []kafka.NodeID {
	var ids []kafka.NodeID
	most := brokersMax
	if a.p.names != nil {
		most = a.p.names.brokersAt(a.p.at)
	}
	for s := range strings.SplitSeq(w.text, ",") {
		n, ok := parseInt(s, 1, int64(most))
		id := kafka.NodeID(n)
		if !ok || slices.Contains(ids, id) {
			a.bad(w, "replicas are brokers 1 to "+num(most)+", each once, the preferred leader first, as 4,2,3; not "+clip(w.text))
			return nil
		}
		ids = append(ids, id)
	}
	return ids
}

func readVerifyReassign(a *args, c *world.Command) { readDeleteTopic(a, c) }

// readPartitions reads: partitions payments 6
func readPartitions(a *args, c *world.Command) {
	readDeleteTopic(a, c)
	w, ok := a.next("how many partitions there are to be, as in: partitions payments 6")
	if !ok {
		return
	}
	n, good := parseInt(w.text, 1, partitionsMax)
	if c.Count = n; !good {
		a.bad(w, "a topic has 1 to "+num(partitionsMax)+" partitions, not "+clip(w.text))
	}
}

// readAdd reads: add broker-4 rack=d, add controller-104
func readAdd(a *args, c *world.Command) {
	w, ok := a.next("the new broker or controller, as in: add broker-4")
	if !ok {
		return
	}
	c.Name = w.text
	if strings.HasPrefix(w.text, "controller-") {
		c.Verb = world.VerbAddController
		a.addsController(w)
		return
	}
	if w, ok := a.value("rack"); ok {
		if c.Rack = w.value; !validName(w.value) {
			a.badValue(w, clip(w.value)+" is not a rack's name")
		}
	}
	id, isNode := nodeID(w.text)
	switch n := a.p.names; {
	case !isNode || id > brokersMax:
		a.bad(w, clip(w.text)+" is not a broker; they are named broker-1 to broker-"+num(brokersMax))
	case n != nil && !declared(n.added, w.text, a.st.line):
		a.bad(w, "the next broker is broker-"+num(n.brokersAt(a.p.at)+1)+", not "+clip(w.text))
	}
}

// addsController checks the name of a controller that joins.
func (a *args) addsController(w word) {
	_, isNode := nodeID(w.text)
	switch n := a.p.names; {
	case !isNode:
		a.bad(w, clip(w.text)+" is not a controller; they are named controller-101 to controller-"+num(world.FirstController-1+world.ControllersMax))
	case n != nil && !n.dynamic:
		a.bad(w, "controllers join only a cluster with dynamic voters: cluster controllers=3 kraft.version=1")
	case n != nil && !declared(n.joined, w.text, a.st.line):
		a.bad(w, "the next controller is controller-"+num(world.FirstController+n.controllers+countAt(n.joined, a.p.at))+", not "+clip(w.text))
	}
}

// readVoter reads: add-voter controller-104, remove-voter controller-102
func readVoter(a *args, c *world.Command) {
	w, ok := a.next("a controller, as in: " + a.st.word + " controller-104")
	if !ok {
		return
	}
	c.Name = w.text
	if world.IsControllerRole(w.text) {
		return
	}
	id, isNode := nodeID(w.text)
	if n := a.p.names; !isNode || id < world.FirstController && n != nil && int(id) > n.combined {
		a.bad(w, clip(w.text)+" is not a controller; they are named controller-101 and so on")
		return
	}
	a.p.process(a.st.line, w.col, w.text, false)
}

func declared(joined []clientName, name string, line int) bool {
	return slices.ContainsFunc(joined, func(b clientName) bool { return b.name == name && b.line == line })
}

// countAt is how many have joined by an instant, that included.
func countAt(joined []clientName, at kafka.Instant) (count int) {
	for _, b := range joined {
		if b.from <= at {
			count++
		}
	}
	return count
}

// brokersAt is how many brokers the cluster has at an instant, those that join
// then included.
func (n *names) brokersAt(at kafka.Instant) int { return n.brokers + countAt(n.added, at) }

// addBroker remembers a broker that joins, if it is the next one.
func (n *names) addBroker(name string, line int, at kafka.Instant) {
	if next := n.brokers + len(n.added) + 1; next <= brokersMax && name == "broker-"+num(next) {
		n.added = append(n.added, clientName{name: name, line: line, from: at})
	}
}

// addController remembers a controller that joins, if it is the next one.
func (n *names) addController(name string, line int, at kafka.Instant) {
	next := n.controllers + len(n.joined)
	if n.dynamic && n.combined+next < world.ControllersMax && name == "controller-"+num(world.FirstController+next) {
		n.joined = append(n.joined, clientName{name: name, line: line, from: at})
	}
}

// addedNode returns what is known of a broker or controller that joins, or nil.
func (n *names) addedNode(name string) *clientName {
	for _, list := range [][]clientName{n.added, n.joined} {
		if i := slices.IndexFunc(list, func(b clientName) bool { return b.name == name }); i >= 0 {
			return &list[i]
		}
	}
	return nil
}

// declareTopic remembers a topic; one that was deleted may be made again.
func (p *parser) declareTopic(n *names, st *statement, words []word, at kafka.Instant) {
	name, parts := words[0].text, pairInt(words, "partitions", partitionsOf(words))
	if t := n.topic(name); t != nil && t.deleted {
		t.deleted, t.partitions = false, max(t.partitions, parts)
		return
	} else if t != nil {
		p.problem(st.line, words[0].col, "topic "+clip(name)+" is already declared on line "+num(t.line))
		return
	}
	if len(n.topics) == topicsMax {
		p.problem(st.line, st.col, "a scenario has at most "+num(topicsMax)+" topics")
	}
	if len(n.topics) >= topicsMax {
		return
	}
	n.topics = append(n.topics, topicName{name: name, partitions: parts, line: st.line, from: at})
}

// growTopic remembers that a topic gets more partitions.
func (n *names) growTopic(words []word) {
	if t := n.topic(words[0].text); t != nil && len(words) > 1 {
		if c, ok := parseInt(words[1].text, 1, partitionsMax); ok {
			t.partitions = max(t.partitions, c)
		}
	}
}
