package scenario

import (
	"slices"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/world"
)

// names are the things that a scenario declares, with what is known of each.
type names struct {
	brokers     int
	controllers int // processes of their own
	combined    int // brokers that are controllers as well
	racks       []string
	topics      []topicName
	clients     []clientName
	dynamic     bool         // kraft.version=1: controllers may join
	added       []clientName // brokers that join later, in order
	joined      []clientName // controllers that join later, in order
}

type topicName struct {
	name       string
	partitions int64
	line       int
	from       kafka.Instant // when it is created
	deleted    bool          // the lines so far delete it
}

type clientName struct {
	name     string
	consumer bool
	line     int
	from     kafka.Instant
	group    string
}

// collect gathers the declarations of the whole text before anything is
// checked against them, and reports names that are declared twice.
func (p *parser) collect(sts []statement) *names {
	n := &names{brokers: defaultCluster().Brokers, controllers: 1}
	for i := range sts {
		st := &sts[i]
		words, _ := splitWords(st.rest, st.col2)
		if st.word == "cluster" && !st.timed {
			n.brokers = min(int(pairInt(words, "brokers", int64(n.brokers))), brokersMax)
			n.racks = strings.Split(pairText(words, "racks"), ",")
			n.dynamic = pairText(words, "kraft.version") == "1"
			n.combined = min(int(pairInt(words, "combined", 0)), world.VotersMax)
			alone := int64(1)
			if n.combined > 0 {
				alone = 0
			}
			n.controllers = min(int(pairInt(words, "controllers", alone)), world.VotersMax)
		}
		if len(words) == 0 || words[0].pair {
			continue
		}
		from, _ := parseDuration(st.at)
		name, at := words[0].text, kafka.Instant(from)
		switch st.word {
		case "topic":
			p.declareTopic(n, st, words, at)
		case "delete-topic":
			if t := n.topic(name); t != nil {
				t.deleted = true
			}
		case "partitions":
			n.growTopic(words)
		case "add":
			n.addBroker(name, st.line, at)
			n.addController(name, st.line, at)
		case "producer", "consumer":
			if c := n.client(name); c != nil {
				p.problem(st.line, words[0].col, "a client named "+clip(name)+" is already declared on line "+num(c.line))
				continue
			}
			if len(n.clients) == clientsMax {
				p.problem(st.line, st.col, "a scenario has at most "+num(clientsMax)+" clients")
			}
			if len(n.clients) >= clientsMax {
				continue
			}
			n.clients = append(n.clients, clientName{name, st.word == "consumer", st.line, at, pairText(words, "group")})
		}
	}
	return n
}

func pairText(words []word, key string) string {
	for _, w := range words {
		if w.pair && w.key == key {
			return w.value
		}
	}
	return ""
}

func pairInt(words []word, key string, def int64) int64 {
	if n, ok := parseInt(pairText(words, key), 1, partitionsMax); ok {
		return n
	}
	return def
}

// partitionsOf is the number of partitions that a replica-assignment implies.
func partitionsOf(words []word) int64 {
	return int64(1 + strings.Count(pairText(words, "replica-assignment"), ","))
}

func (n *names) topic(name string) *topicName {
	for i := range n.topics {
		if n.topics[i].name == name {
			return &n.topics[i]
		}
	}
	return nil
}

func (n *names) client(name string) *clientName {
	for i := range n.clients {
		if n.clients[i].name == name {
			return &n.clients[i]
		}
	}
	return nil
}

func (n *names) topicNames() []string {
	var s []string
	for _, t := range n.topics {
		s = append(s, t.name)
	}
	return s
}

// clientNames lists clients: "producer", "consumer", or "" for both.
func (n *names) clientNames(kind string) []string {
	var s []string
	for _, c := range n.clients {
		if kind == "" || c.consumer == (kind == "consumer") {
			s = append(s, c.name)
		}
	}
	return s
}

func (n *names) nodeNames() []string {
	var s []string
	for i := range n.brokers + len(n.added) {
		s = append(s, "broker-"+num(i+1))
	}
	for i := range n.combined {
		s = append(s, "controller-"+num(i+1))
	}
	for i := range n.controllers + len(n.joined) {
		s = append(s, "controller-"+num(101+i))
	}
	return s
}

// validName reports whether Kafka would take s as a topic's name; clients
// follow the same rule here (clients/common/internals/Topic.java).
func validName(s string) bool {
	if s == "" || len(s) > 249 || s == "." || s == ".." {
		return false
	}
	for _, c := range s {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// nodeID reads broker-1 or controller-101, and controller-1 for broker-1 in a
// combined process.
func nodeID(s string) (kafka.NodeID, bool) {
	if digits, ok := strings.CutPrefix(s, "broker-"); ok {
		n, ok := parseInt(digits, 1, brokersMax)
		return kafka.NodeID(n), ok && digits[0] != '0'
	}
	if digits, ok := strings.CutPrefix(s, "controller-"); ok {
		n, ok := controllerID(digits)
		return kafka.NodeID(n), ok && digits[0] != '0'
	}
	return 0, false
}

// controllerID reads the node.id of a controller: 101 and so on, or that of a combined
// process.
func controllerID(s string) (int64, bool) {
	if n, ok := parseInt(s, 1, world.VotersMax); ok {
		return n, true
	}
	return parseInt(s, world.FirstController, world.FirstController-1+world.ControllersMax)
}

// group reports whether a name stands for several machines: all, or rack-a. A rack
// that nothing is in is a problem.
func (p *parser) group(line, col int, s string) bool {
	rack, ok := strings.CutPrefix(s, "rack-")
	if !ok || p.names == nil {
		return ok || s == "all"
	}
	if !slices.Contains(p.names.racks, rack) {
		p.problem(line, col, "there is no rack "+clip(rack)+meant(rack, p.names.racks))
	}
	return true
}

// process checks the name of a broker, a controller or (if clients) a client.
func (p *parser) process(line, col int, s string, clients bool) {
	if p.names == nil {
		if _, ok := nodeID(s); !ok && !(clients && validName(s)) {
			p.problem(line, col, clip(s)+" is not a broker or controller; they are named broker-1 and controller-101")
		}
		return
	}
	known := p.names.nodeNames()
	if clients {
		known = append(known, p.names.clientNames("")...)
	}
	if !slices.Contains(known, s) {
		hint := meant(s, known)
		if id := "broker-" + s; slices.Contains(known, id) {
			hint = "; did you mean " + id + "?"
		} else if id := "controller-" + s; slices.Contains(known, id) {
			hint = "; did you mean " + id + "?"
		}
		p.problem(line, col, "there is no "+clip(s)+hint)
		return
	}
	if c := p.names.client(s); c != nil {
		p.notBefore(line, col, s, c.from)
	}
	if b := p.names.addedNode(s); b != nil {
		p.notBefore(line, col, s, b.from)
	}
}

// notBefore reports a name that is used before it is created.
func (p *parser) notBefore(line, col int, name string, from kafka.Instant) {
	if p.at < from {
		p.problem(line, col, clip(name)+" is created at "+from.String()+", after this")
	}
}

// clientOf checks the name of a client of a kind ("" for any).
func (p *parser) clientOf(line, col int, s, kind string) {
	if p.names == nil {
		if !validName(s) {
			p.problem(line, col, clip(s)+" is not a client's name")
		}
		return
	}
	c := p.names.client(s)
	word := kind
	if kind == "" {
		word = "client"
	}
	switch {
	case c == nil:
		p.problem(line, col, "there is no "+word+" "+clip(s)+meant(s, p.names.clientNames(kind)))
	case kind != "" && c.consumer != (kind == "consumer"):
		p.problem(line, col, clip(s)+" is not a "+kind)
	default:
		p.notBefore(line, col, s, c.from)
	}
}

// groupOf checks the name of a group, which some consumer must carry.
func (p *parser) groupOf(line, col int, s string) {
	if p.names == nil {
		return
	}
	var groups []string
	for _, c := range p.names.clients {
		if c.group != "" {
			groups = append(groups, c.group)
		}
	}
	if !slices.Contains(groups, s) {
		p.problem(line, col, "no consumer has the group "+clip(s)+meant(s, groups))
	}
}

// topicOf checks the name of a topic.
func (p *parser) topicOf(line, col int, s string) {
	if p.names == nil || kafka.IsInternal(s) {
		if !validName(s) {
			p.problem(line, col, clip(s)+" is not a topic's name")
		}
		return
	}
	if t := p.names.topic(s); t == nil {
		p.problem(line, col, "there is no topic "+clip(s)+meant(s, p.names.topicNames()))
	} else {
		p.notBefore(line, col, s, t.from)
	}
}

// partition reads topic-partition, as payments-0.
func (p *parser) partition(line, col int, s string) (kafka.TopicPartition, bool) {
	topic, index, ok := cutPartition(s)
	if !ok {
		why := clip(s) + " is not a partition; write topic-partition, as payments-0"
		if p.names != nil && p.names.topic(s) != nil {
			why = clip(s) + " is a topic; name a partition of it: " + s + "-0"
		}
		p.problem(line, col, why)
		return kafka.TopicPartition{}, false
	}
	tp := kafka.TopicPartition{Topic: topic, Partition: int32(index)}
	if p.names == nil || kafka.IsInternal(topic) {
		return tp, true
	}
	t := p.names.topic(topic)
	switch {
	case t == nil:
		p.problem(line, col, "there is no topic "+clip(topic)+meant(topic, p.names.topicNames()))
	case index >= t.partitions:
		p.problem(line, col, "topic "+topic+" has partitions 0 to "+num(int(t.partitions)-1)+", not "+strconv.FormatInt(index, 10))
	default:
		p.notBefore(line, col, topic, t.from)
		return tp, true
	}
	return tp, false
}

func cutPartition(s string) (topic string, index int64, ok bool) {
	i := strings.LastIndexByte(s, '-')
	if i <= 0 {
		return "", 0, false
	}
	index, ok = parseInt(s[i+1:], 0, partitionsMax-1)
	return s[:i], index, ok && validName(s[:i]) && s[i+1] != '+' && s[i+1] != '-'
}
