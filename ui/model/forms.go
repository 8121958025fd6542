package model

import (
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/view"
)

// Group is a part of the palette: what orders are for, and their forms.
type Group struct {
	Name    string
	Choices []Choice
}

// Palette is what the user can do to the cluster, in the order of the page. Kinds
// of form are the language's verbs, but for line and the two of a directory.
var Palette = []Group{
	{"Break", []Choice{
		{"crash", "Crash"}, {"powerloss", "Power loss"}, {"freeze", "Freeze"}, {"cut", "Cut link"},
		{"link", "Slow link"}, {"disk", "Slow or full disk"}, {"fail-dir", "Fail directory"}, {"corrupt", "Flip a bit"},
	}},
	{"Repair", []Choice{{"start", "Start"}, {"thaw", "Thaw"}, {"heal", "Heal links"}, {"repair-dir", "Repair directory"}, {"sync", "Flush disk"}, {"wipe", "New empty disks"}}},
	{"Clients", []Choice{
		{"produce", "Produce…"}, {"producer", "Add producer"}, {"consumer", "Add consumer"}, {"rate", "Change rate"},
		{"pause", "Pause client"}, {"resume", "Resume client"}, {"seek", "Seek consumer"}, {"commit", "Commit now"}, {"quota", "Client quota"},
	}},
	{"Topics", []Choice{
		{"topic", "Add topic"}, {"partitions", "Add partitions"}, {"config", "Change config"}, {"delete-records", "Delete records"}, {"delete-topic", "Delete topic"},
		{"elect", "Elect leader"}, {"reassign", "Reassign…"}, {"cancel-reassign", "Cancel reassign"}, {"verify-reassign", "Verify reassign"}, {"alter-log-dir", "Change directory"},
	}},
	{"Machines", []Choice{{"stop", "Stop cleanly"}, {"add", "Add broker"}, {"add-controller", "Add controller"}, {"add-voter", "Add voter"}, {"remove-voter", "Remove voter"}}},
	{"Anything", []Choice{{"line", "Any command"}}},
}

// PaletteShort are the orders that stand on the page until the user asks for all.
var PaletteShort = []Choice{{"cut", "Cut link"}, {"disk", "Slow or full disk"}, {"powerloss", "Power loss"}, {"freeze", "Freeze"}, {"produce", "Produce…"}, {"heal", "Heal links"}}

// Choice is a kind of form with its button's words.
type Choice struct{ Kind, Label string }

// titleOf is the title of a kind's form.
func titleOf(kind string) string {
	for _, g := range Palette {
		for _, c := range g.Choices {
			if c.Kind == kind {
				return strings.TrimSuffix(c.Label, "…")
			}
		}
	}
	return ""
}

// newForm is a form of a kind with defaults from the cluster and the selection.
func (m *Model) newForm(kind string) Form {
	f := Form{Kind: kind, Title: titleOf(kind)}
	n := m.names()
	switch kind {
	case "powerloss":
		f.Fields = []Field{pick("who", "Machine of", append(append(n.nodes[:len(n.nodes):len(n.nodes)], n.racks...), "all"), m.Target())}
		f.build = words("", kind, "who", "")
	case "crash", "stop", "freeze":
		f.Fields = []Field{n.process(m, "who", "Process", true)}
		f.build = words("", kind, "who", "")
	case "start", "thaw":
		f.Fields = []Field{n.process(m, "who", "Process", false)}
		f.build = words("", kind, "who", "")
	case "cut", "heal", "link":
		m.linkForm(&f, n)
	case "disk", "sync", "wipe", "fail-dir", "repair-dir":
		m.diskForm(&f, n)
	case "topic", "delete-topic":
		m.topicForm(&f, n)
	case "producer":
		m.producerForm(&f, n)
	case "consumer":
		m.consumerForm(&f, n)
	case "produce":
		m.produceForm(&f, n)
	case "config":
		m.configForm(&f, n)
	case "rate":
		f.Fields = []Field{pick("who", "Producer", n.producers, m.Selection.Name), {Name: "rate", Label: "Records", Value: "50/s", Hint: "50/s, 30/m; 0/s for none", Need: true}}
		f.build = words("", "rate", "who", "", "rate", "")
	case "elect":
		f.Fields = []Field{n.partition(m), {Name: "unclean", Label: "Unclean: any live replica, records may be lost", Check: true}}
		f.build = words("", "elect", "tp", "", "unclean", "?unclean")
	case "pause", "resume":
		f.Fields = []Field{pick("who", "Client", append(append([]string(nil), n.producers...), n.consumers...), m.Selection.Name)}
		f.build = words("", kind, "who", "")
	case "seek":
		f.Fields = []Field{
			pick("who", "Consumer", n.consumers, m.Selection.Name), n.partition(m),
			{Name: "to", Label: "To", Value: "earliest", Hint: "earliest, latest or an offset", Need: true},
		}
		f.build = words("", "seek", "who", "", "tp", "", "to", "")
	case "line":
		f.Fields = []Field{{Name: "text", Label: "One line of the scenario language", Hint: "crash broker-1", Need: true}}
		f.build = words("text", "")
	default:
		return m.adminForm(f, n)
	}
	return f
}

// adminForm is a form for what an operator does with Kafka's own tools, or a
// Form without a kind.
func (m *Model) adminForm(f Form, n names) Form {
	tp := n.partition(m)
	switch f.Kind {
	case "commit":
		f.Fields = []Field{pick("who", "Consumer", n.consumers, m.Selection.Name)}
		f.build = words("", "commit", "who", "")
	case "partitions":
		f.Fields = []Field{pick("topic", "Topic", n.topics, m.topicName()), {Name: "n", Label: "Partitions in all", Value: m.onePartitionMore(n), Need: true}}
		f.build = words("", "partitions", "topic", "", "n", "")
	case "add":
		f.Fields = []Field{{Name: "name", Label: "Name", Value: n.free("broker-", n.brokers), Need: true}, {Name: "rack", Label: "Rack", Hint: "empty: none"}}
		f.build = words("", "add", "name", "", "rack", "rack=")
	case "add-controller":
		f.Fields = []Field{{Name: "name", Label: "Name", Value: n.free("controller-10", n.nodes), Hint: "it observes until it is made a voter", Need: true}}
		f.build = words("", "add", "name", "")
	case "add-voter", "remove-voter":
		f.Fields = []Field{pick("who", "Controller", n.controllers, m.Target())}
		f.Fields[0].Hint = "needs kraft.version=1 in the cluster's line"
		f.build = words("", f.Kind, "who", "")
	case "alter-log-dir":
		f.Fields = []Field{pick("who", "On", n.brokers, m.Target()), tp, pick("dir", "To directory", n.dirs, n.lastDir())}
		f.build = words("", f.Kind, "who", "", "tp", "", "dir", "")
	case "reassign":
		f.Fields = []Field{
			tp, {Name: "to", Label: "Replicas", Value: m.otherReplicas(tp.Value), Hint: "broker ids, the preferred leader first", Need: true},
			{Name: "throttle", Label: "Throttle", Hint: "10MB/s; empty: none"},
		}
		f.build = words("", "reassign", "tp", "", "to", "", "throttle", "throttle=")
	case "cancel-reassign":
		f.Fields = []Field{tp}
		f.build = words("", f.Kind, "tp", "")
	case "verify-reassign":
		f.Fields = []Field{pick("topic", "Topic", n.topics, m.topicName())}
		f.build = words("", f.Kind, "topic", "")
	case "delete-records":
		f.Fields = []Field{tp, {Name: "below", Label: "Below offset", Value: "latest", Hint: "an offset, or latest: the high watermark", Need: true}}
		f.build = words("", f.Kind, "tp", "", "below", "")
	case "quota":
		f.Fields = []Field{
			pick("who", "Client", append(append([]string{"all"}, n.producers...), n.consumers...), m.Selection.Name),
			{Name: "produce", Label: "producer_byte_rate", Value: "10KB/s", Hint: "unlimited takes it off"},
			{Name: "consume", Label: "consumer_byte_rate", Hint: "empty: as it is"},
		}
		f.build = words("", "quota", "who", "", "produce", "produce=", "consume", "consume=")
	case "corrupt":
		f.Fields = []Field{
			pick("who", "On the disk of", n.brokers, m.Target()), tp, {Name: "offset", Label: "Record", Value: strconv.FormatInt(int64(m.Selection.Offset), 10), Need: true},
			{Name: "length", Label: "Of the batch's length, not of a value", Check: true},
		}
		f.build = words("", "corrupt", "who", "", "tp", "", "offset", "", "length", "?length")
	default:
		return Form{}
	}
	return f
}

// onePartitionMore is how many partitions the form's topic would have.
func (m *Model) onePartitionMore(n names) string {
	topic := pick("", "", n.topics, m.topicName()).Value
	for i := range m.Facts.Cluster.Topics {
		if t := &m.Facts.Cluster.Topics[i]; t.Name == topic {
			return strconv.Itoa(len(t.Partitions) + 1)
		}
	}
	return "1"
}

// otherReplicas are a partition's replicas with the first one last: a move that
// is always possible.
func (m *Model) otherReplicas(tp string) string {
	for i := range m.Facts.Cluster.Topics {
		for k := range m.Facts.Cluster.Topics[i].Partitions {
			p := &m.Facts.Cluster.Topics[i].Partitions[k]
			if p.TP.String() != tp || len(p.Assigned) == 0 {
				continue
			}
			var ids []string
			for _, id := range append(p.Assigned[1:len(p.Assigned):len(p.Assigned)], p.Assigned[0]) {
				ids = append(ids, strconv.Itoa(int(id)))
			}
			return strings.Join(ids, ",")
		}
	}
	return ""
}

func (m *Model) linkForm(f *Form, n names) {
	from, to := m.linkEnds()
	all := "all others"
	if f.Kind == "heal" {
		all = "everything"
		f.Fields = []Field{pick("a", "Between", append([]string{all}, n.nodes...), all), pick("b", "and", n.nodes, "")}
		f.build = func(f Form) []Part {
			if f.Get("a") == all {
				return []Part{{"", "heal"}, {"a", "all"}}
			}
			return []Part{{"", "heal"}, {"a", f.Get("a")}, {"b", f.Get("b")}}
		}
		return
	}
	f.Fields = []Field{pick("a", "Between", n.nodes, from), pick("b", "and", append([]string{all}, n.nodes...), to)}
	if f.Kind == "cut" {
		f.Fields = append(f.Fields, Field{Name: "oneway", Label: "One way only: from the first", Check: true})
	} else {
		f.Fields = append(f.Fields, Field{Name: "latency", Label: "Latency", Value: "200ms", Hint: "one way: 1ms, 0.5s"},
			Field{Name: "jitter", Label: "Jitter", Hint: "0 to this, added to each message"},
			Field{Name: "bandwidth", Label: "Bandwidth", Hint: "1MB/s; empty: as it is"})
	}
	f.build = func(f Form) []Part {
		b := f.Get("b")
		if b == all {
			b = n.others(f.Get("a"))
		}
		ps := []Part{{"", f.Kind}, {"a", f.Get("a")}, {"b", b}}
		if f.Kind == "cut" {
			return append(ps, option(f, "oneway", "?one-way"))
		}
		return append(ps, option(f, "latency", "latency="), option(f, "jitter", "jitter="), option(f, "bandwidth", "bandwidth="))
	}
}

// linkEnds are the processes of the selected link; else what is selected and "".
func (m *Model) linkEnds() (from, to string) {
	if m.Selection.Kind != "link" {
		return m.Target(), ""
	}
	c := m.Facts.Cluster
	for i := range c.Brokers {
		switch c.Brokers[i].ID {
		case m.Selection.Node:
			from = c.Brokers[i].Name
		case m.Selection.Peer:
			to = c.Brokers[i].Name
		}
	}
	return from, to
}

func (m *Model) diskForm(f *Form, n names) {
	f.Fields = []Field{pick("who", "Machine of", n.nodes, m.Target())}
	f.build = words("", f.Kind, "who", "")
	switch f.Kind {
	case "wipe":
		f.Fields = []Field{n.process(m, "who", "Disks of", false)}
		if len(n.down) == 0 {
			f.Fields[0].Hint = "crash or stop it first"
		}
	case "fail-dir", "repair-dir":
		f.Fields = []Field{pick("who", "On", n.brokers, m.Target()), pick("dir", "Directory", n.dirs, "")}
		if f.Kind == "repair-dir" {
			f.Fields[1].Hint = "works again when the broker next starts"
			f.build = words("", "disk", "who", "", "dir", "repair=")
		} else {
			f.Fields[1].Hint = "its partitions go offline; with the last one the broker stops"
			f.build = words("", "disk", "who", "", "dir", "fail=")
		}
	case "disk":
		f.Fields = append(f.Fields, Field{Name: "latency", Label: "Latency of a write", Value: "50ms", Hint: "0ms is normal"},
			Field{Name: "capacity", Label: "Room for log", Hint: "20KB, unlimited; a full disk stops the broker"})
		f.build = words("", "disk", "who", "", "latency", "latency=", "capacity", "capacity=")
	}
}

func (m *Model) topicForm(f *Form, n names) {
	if f.Kind == "delete-topic" {
		f.Fields = []Field{pick("name", "Topic", n.topics, m.topicName())}
		f.build = words("", "delete-topic", "name", "")
		return
	}
	f.Fields = []Field{
		{Name: "name", Label: "Name", Value: n.free("topic", n.topics), Need: true},
		{Name: "partitions", Label: "Partitions", Value: "3"},
		{Name: "rf", Label: "Replication factor", Value: strconv.Itoa(min(3, max(1, len(m.Facts.Cluster.Brokers))))},
		{Name: "min", Label: "min.insync.replicas", Value: "", Hint: "empty: the broker's"},
	}
	f.build = words("", "topic", "name", "", "partitions", "partitions=", "rf", "replication.factor=", "min", "min.insync.replicas=")
}

func (m *Model) producerForm(f *Form, n names) {
	f.Fields = []Field{
		{Name: "name", Label: "Name", Value: n.free("p", append(append([]string(nil), n.producers...), n.consumers...)), Need: true},
		pick("topic", "Topic", n.topics, m.topicName()),
		pick("acks", "acks", []string{"all", "1", "0"}, "all"),
		{Name: "rate", Label: "Records", Value: "10/s", Hint: "50/s, 30/m; empty: none by itself"},
		{Name: "keys", Label: "Different keys", Value: "8", Hint: "empty: no key"},
		{Name: "linger", Label: "linger.ms", Value: "5"},
	}
	f.build = func(f Form) []Part {
		ps := words("", "producer", "name", "", "topic", "topic=", "acks", "acks=", "rate", "rate=", "keys", "keys=", "linger", "linger.ms=")(f)
		if f.Get("acks") != "all" {
			ps = append(ps, Part{"acks", "enable.idempotence=false"})
		}
		return ps
	}
}

func (m *Model) consumerForm(f *Form, n names) {
	f.Fields = []Field{
		{Name: "name", Label: "Name", Value: n.free("c", append(append([]string(nil), n.producers...), n.consumers...)), Need: true},
		pick("topic", "Reads", n.topics, m.topicName()),
		{Name: "group", Label: "Commits under group", Value: n.group(m), Hint: "empty: commits nothing"},
		pick("from", "From", []string{"earliest", "latest"}, "earliest"),
	}
	f.build = words("", "consumer", "name", "", "topic", "assign=", "group", "group=", "from", "from=")
}

func (m *Model) produceForm(f *Form, n names) {
	f.Fields = []Field{
		pick("who", "Producer", n.producers, m.Selection.Name),
		{Name: "key", Label: "Key", Value: "k1", Hint: "empty: no key"},
		{Name: "value", Label: "Value", Value: "hello"},
		{Name: "tombstone", Label: "Tombstone: a null value", Check: true},
		{Name: "partition", Label: "Partition", Hint: "empty: the partitioner decides"},
		{Name: "n", Label: "How many", Value: "1"},
	}
	f.build = func(f Form) []Part {
		ps := []Part{{"", "produce"}, {"who", f.Get("who")}, option(f, "key", "key=")}
		if f.Get("tombstone") != "" {
			ps = append(ps, Part{"tombstone", "tombstone"})
		} else {
			ps = append(ps, option(f, "value", "value="))
		}
		ps = append(ps, option(f, "partition", "partition="))
		if f.Get("n") != "1" {
			ps = append(ps, option(f, "n", "n="))
		}
		return ps
	}
}

func (m *Model) configForm(f *Form, n names) {
	of := []string{}
	for _, t := range n.topics {
		of = append(of, "topic "+t)
	}
	for _, b := range n.brokers {
		of = append(of, "broker "+b)
	}
	of = append(of, "cluster")
	f.Fields = []Field{
		pick("of", "Of", of, m.Facts.Detail.ConfigOf),
		{Name: "name", Label: "Config", Value: "min.insync.replicas", Need: true},
		{Name: "value", Label: "Value", Value: "2", Hint: "empty: back to the default"},
	}
	f.build = func(f Form) []Part {
		return []Part{{"", "config"}, {"of", f.Get("of")}, {"name", f.Get("name") + "=" + f.Get("value")}}
	}
}

// words is a build function from pairs of a field's name and how its value
// appears: "" as it is, "key=" as an option that is left out when empty,
// "?word" a word if checked. A pair with field "" is a fixed word.
func words(pairs ...string) func(Form) []Part {
	return func(f Form) []Part {
		var ps []Part
		for i := 0; i+1 < len(pairs); i += 2 {
			name, how := pairs[i], pairs[i+1]
			switch {
			case name == "":
				ps = append(ps, Part{"", how})
			case how == "":
				ps = append(ps, Part{name, f.Get(name)})
			default:
				ps = append(ps, option(f, name, how))
			}
		}
		return ps
	}
}

func option(f Form, name, how string) Part {
	v := f.Get(name)
	switch {
	case v == "":
		return Part{name, ""}
	case how[0] == '?':
		return Part{name, how[1:]}
	}
	return Part{name, how + quoted(v)}
}

// names are what a form can offer.
type names struct {
	brokers, controllers, nodes, producers, consumers, topics, partitions []string
	up, down, racks, dirs                                                 []string
}

func (m *Model) names() names {
	var n names
	c := m.Facts.Cluster
	note := func(name string, s view.ProcessState) {
		if m.Running(name) && s != view.Frozen {
			n.up = append(n.up, name)
		} else {
			n.down = append(n.down, name)
		}
	}
	for i := range c.Brokers {
		n.brokers = append(n.brokers, c.Brokers[i].Name)
		note(c.Brokers[i].Name, c.Brokers[i].State)
		if rack := c.Brokers[i].Rack; rack != "" && !contains(n.racks, "rack-"+rack) {
			n.racks = append(n.racks, "rack-"+rack)
		}
		for _, d := range c.Brokers[i].LogDirs {
			if !contains(n.dirs, d) {
				n.dirs = append(n.dirs, d)
			}
		}
	}
	n.nodes = append(n.nodes, n.brokers...)
	for i := range c.Controllers {
		name := "controller-" + strconv.Itoa(int(c.Controllers[i].ID))
		n.controllers = append(n.controllers, name)
		if c.Controllers[i].Combined {
			continue // a broker of above
		}
		n.nodes = append(n.nodes, name)
		note(name, c.Controllers[i].State)
	}
	for i := range c.Producers {
		n.producers = append(n.producers, c.Producers[i].Name)
		note(c.Producers[i].Name, c.Producers[i].State)
	}
	for i := range c.Consumers {
		n.consumers = append(n.consumers, c.Consumers[i].Name)
		note(c.Consumers[i].Name, c.Consumers[i].State)
	}
	for i := range c.Topics {
		t := &c.Topics[i]
		if t.Internal {
			continue
		}
		n.topics = append(n.topics, t.Name)
	}
	n.partitions = partitionNames(c)
	return n
}

// lastDir is the last log directory, "" if there is none.
func (n names) lastDir() string {
	if len(n.dirs) == 0 {
		return ""
	}
	return n.dirs[len(n.dirs)-1]
}

// process is a choice of processes that run, or that do not.
func (n names) process(m *Model, name, label string, running bool) Field {
	if running {
		return pick(name, label, n.up, m.Target())
	}
	f := pick(name, label, n.down, m.Target())
	if len(n.down) == 0 {
		f.Hint = "every process runs"
	}
	return f
}

// others are all brokers but one, as a list.
func (n names) others(one string) string {
	var out []string
	for _, b := range n.brokers {
		if b != one {
			out = append(out, b)
		}
	}
	return strings.Join(out, ",")
}

// free is a name with a prefix that is not taken.
func (n names) free(prefix string, taken []string) string {
	for i := 1; ; i++ {
		name := prefix + strconv.Itoa(i)
		if !contains(taken, name) {
			return name
		}
	}
}

// group is the group that consumers have, if any.
func (n names) group(m *Model) string {
	for i := range m.Facts.Cluster.Consumers {
		if g := m.Facts.Cluster.Consumers[i].Group; g != "" {
			return g
		}
	}
	return ""
}

// topicName is the topic that the selection is about, "" if none.
func (m *Model) topicName() string {
	switch m.Selection.Kind {
	case "topic":
		return m.Selection.Name
	case "partition", "replica", "record":
		return m.Selection.TP.Topic
	}
	return ""
}

// pick is a choice with a default: want if it is offered, else the first.
func pick(name, label string, options []string, want string) Field {
	f := Field{Name: name, Label: label, Options: options, Need: true}
	if contains(options, want) {
		f.Value = want
	} else if len(options) > 0 {
		f.Value = options[0]
	}
	return f
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
