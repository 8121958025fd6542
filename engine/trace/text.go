package trace

import (
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// Weight says how much a reader should notice a note: 0 routine, 1 notable,
// 2 a change of process, leader or ISR, 3 loss or error.
func (k Kind) Weight() int { return int(words[k].weight) }

// String is the kind's name in the event log: "append", "ISR".
func (k Kind) String() string { return words[k].name }

// Text is the note as one line without its time: subject, place, what, figures.
// It is stable: golden files compare it.
func (n *Note) Text() string {
	var b line
	w := &words[n.Kind]
	if n.Topic != "" {
		b.word(kafka.TopicPartition{Topic: n.Topic, Partition: n.Part}.String())
	}
	if n.Who != "" {
		b.word(n.Who)
	}
	if w.node && n.Node != 0 {
		b.word(NodeName(n.Node))
	}
	b.word(w.name)
	w.rest(&b, n)
	return b.String()
}

// NodeName is what a scenario calls a node: broker-1, controller-101; "none"
// for NoNode.
func NodeName(id kafka.NodeID) string {
	switch {
	case id == kafka.NoNode:
		return "none"
	case id > 100:
		return "controller-" + strconv.Itoa(int(id))
	}
	return "broker-" + strconv.Itoa(int(id))
}

// line builds words with single spaces between.
type line struct{ strings.Builder }

func (b *line) word(s string) {
	if s == "" {
		return
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	b.WriteString(s)
}

func (b *line) field(name string, v int64) { b.word(name + " " + strconv.FormatInt(v, 10)) }

// words say how each kind reads.
var words = [kindCount]struct {
	name   string
	weight int8
	node   bool // say the node before the name
	rest   func(*line, *Note)
}{
	KindNone:    {"nothing", 0, false, nothing},
	Command:     {"command", 2, false, say},
	Say:         {"say", 1, false, say},
	Expectation: {"expect", 1, false, expectation},
	LawBroken:   {"law broken:", 3, false, say},

	Boot:        {"boot", 2, true, say},
	Crash:       {"crash", 3, true, say},
	PowerLoss:   {"power loss", 3, true, func(b *line, n *Note) { b.field("page cache lost: bytes", n.N) }},
	LogRecovery: {"log recovery", 1, true, fromTo("from offset", "to")},
	Shutdown:    {"shutdown", 2, true, say},

	LinkCut:       {"link cut", 2, true, func(b *line, n *Note) { b.word("from " + NodeName(n.Peer)) }},
	LinkHealed:    {"link healed", 2, true, func(b *line, n *Note) { b.word("to " + NodeName(n.Peer)) }},
	Disconnected:  {"disconnected", 1, true, func(b *line, n *Note) { b.word("from " + NodeName(n.Peer)); say(b, n) }},
	RequestExpiry: {"request timed out", 1, true, func(b *line, n *Note) { say(b, n); b.word("to " + NodeName(n.Peer)) }},

	QuorumLeader:           {"leads the quorum", 2, true, epoch},
	BrokerRegistered:       {"registered", 1, true, func(b *line, n *Note) { b.field("broker epoch", int64(n.Offset)) }},
	BrokerFenced:           {"fenced", 3, true, say},
	BrokerUnfenced:         {"unfenced", 2, true, say},
	TopicCreated:           {"topic created", 1, false, func(b *line, n *Note) { b.field("partitions", n.N) }},
	LeaderElected:          {"leader", 2, false, leader},
	ISRChanged:             {"ISR", 2, false, say},
	ELRChanged:             {"ELR", 2, false, say},
	AlterPartitionSent:     {"AlterPartition", 1, true, func(b *line, n *Note) { b.word("proposes ISR"); say(b, n); epoch(b, n) }},
	AlterPartitionRejected: {"AlterPartition rejected", 1, true, errorWord},
	ConfigChanged:          {"config", 1, false, say},

	BecameLeader:   {"became leader", 1, true, func(b *line, n *Note) { epoch(b, n); b.field("from offset", int64(n.Offset)) }},
	BecameFollower: {"became follower", 1, true, func(b *line, n *Note) { b.word("of " + NodeName(n.Peer)); epoch(b, n) }},
	Append:         {"append", 0, true, offsets},
	Replicated:     {"replicated", 0, true, offsets},
	HighWatermark:  {"high watermark", 0, true, fromTo("", "->")},
	Truncated:      {"truncated", 3, true, func(b *line, n *Note) { fromTo("from", "to")(b, n); epoch(b, n) }},
	OutOfRange:     {"out of range", 2, true, fromTo("", "->")},
	FetchError:     {"fetch failed", 1, true, func(b *line, n *Note) { b.word("from " + NodeName(n.Peer)); errorWord(b, n) }},

	ProduceSent:     {"send", 0, false, func(b *line, n *Note) { b.field("records", n.N); b.word("to " + NodeName(n.Peer)) }},
	ProduceAcked:    {"acked", 0, false, func(b *line, n *Note) { b.field("offset", int64(n.Offset)); b.field("records", n.N) }},
	ProduceRejected: {"rejected", 2, false, func(b *line, n *Note) { errorWord(b, n); b.field("records", n.N) }},
	ProduceFailed:   {"failed", 3, false, func(b *line, n *Note) { errorWord(b, n); b.field("records", n.N); say(b, n) }},
	Delivered:       {"delivered", 0, false, offsets},
	Committed:       {"committed", 0, false, func(b *line, n *Note) { b.field("offset", int64(n.Offset)); say(b, n) }},
	PositionReset:   {"position reset", 2, false, func(b *line, n *Note) { fromTo("", "->")(b, n); say(b, n) }},
	ConsumerError:   {"error", 2, false, func(b *line, n *Note) { errorWord(b, n); say(b, n) }},
	MetadataUpdated: {"metadata", 0, false, say},
	AdminDone:       {"admin", 1, false, func(b *line, n *Note) { say(b, n); errorWord(b, n) }},

	SegmentRolled: {"new segment", 1, true, func(b *line, n *Note) { b.field("base offset", int64(n.Offset)) }},
	LogStartMoved: {"log start", 1, true, fromTo("", "->")},
	Flushed:       {"flushed", 0, true, func(b *line, n *Note) { b.field("up to offset", int64(n.Offset)) }},
	Reassignment:  {"reassignment", 2, false, say},
	CorruptBatch:  {"corrupt batch", 3, true, func(b *line, n *Note) { b.field("offset", int64(n.Offset)) }},

	QuorumElection:  {"asks for", 2, true, func(b *line, n *Note) { b.word(n.Say + "s"); epoch(b, n) }},
	QuorumResigned:  {"resigns", 2, true, epoch},
	QuorumVoters:    {"voters", 2, true, func(b *line, n *Note) { say(b, n); b.field("offset", int64(n.Offset)) }},
	SnapshotWritten: {"snapshot", 1, true, func(b *line, n *Note) { b.field("end", int64(n.Offset)); epoch(b, n); b.field("records", n.N) }},
	SnapshotFetched: {"fetched snapshot", 2, true, func(b *line, n *Note) {
		b.word("from " + NodeName(n.Peer))
		b.field("end", int64(n.Offset))
		epoch(b, n)
	}},

	SegmentDeleted:   {"segment deleted", 2, true, func(b *line, n *Note) { offsetRange(b, n); b.field("bytes", n.N); because(b, n) }},
	CleanerStarted:   {"cleaner begins", 1, true, func(b *line, n *Note) { offsetRange(b, n); b.field("dirty bytes", n.N); because(b, n) }},
	CleanerWrote:     {"cleaner rewrote", 1, true, func(b *line, n *Note) { offsetRange(b, n); b.field("records kept", n.N); because(b, n) }},
	CleanerDone:      {"cleaner done", 2, true, func(b *line, n *Note) { b.field("up to offset", int64(n.Offset)); because(b, n) }},
	CleanerAborted:   {"cleaner aborted", 1, true, because},
	HorizonSet:       {"delete horizon set", 1, true, func(b *line, n *Note) { b.field("batches", n.N); because(b, n) }},
	Uncleanable:      {"uncleanable", 3, true, because},
	DirectoryOffline: {"log directory offline", 3, true, because},
	BitFlipped:       {"bit flipped", 2, true, func(b *line, n *Note) { b.field("offset", int64(n.Offset)); because(b, n) }},

	DiskFormatted: {"disks formatted", 3, true, func(b *line, n *Note) { b.field("lost: bytes", n.N); say(b, n) }},
	ReplicaMoving: {"moves between log directories", 1, true, because},
	ReplicaMoved:  {"moved between log directories", 1, true, because},

	DirectoriesLost: {"log directories", 2, true, func(b *line, n *Note) {
		b.word(strconv.FormatInt(int64(n.From), 10) + " -> " + strconv.FormatInt(n.N, 10) + " online")
	}},

	PreferredReplica: {"reads from", 1, false, func(b *line, n *Note) {
		b.word(NodeName(n.Peer))
		b.word("as " + NodeName(n.Node) + " leads in another rack")
		b.field("from offset", int64(n.Offset))
	}},
}

func offsetRange(b *line, n *Note) {
	b.word("offsets " + strconv.FormatInt(int64(n.From), 10) + ".." + strconv.FormatInt(int64(n.Offset)-1, 10))
}

func because(b *line, n *Note) {
	if n.Say != "" {
		b.word("(" + n.Say + ")")
	}
}

func nothing(*line, *Note)       {}
func say(b *line, n *Note)       { b.word(n.Say) }
func epoch(b *line, n *Note)     { b.field("epoch", int64(n.Epoch)) }
func errorWord(b *line, n *Note) { b.word(n.Err.String()) }

func expectation(b *line, n *Note) {
	if n.N == 1 {
		b.word("holds:")
	} else {
		b.word("FAILED:")
	}
	say(b, n)
}

func offsets(b *line, n *Note) {
	if n.From == n.Offset {
		b.field("offset", int64(n.Offset))
	} else {
		b.word("offsets " + strconv.FormatInt(int64(n.From), 10) + ".." + strconv.FormatInt(int64(n.Offset), 10))
	}
	if n.Kind == Append {
		epoch(b, n)
	}
}

func fromTo(before, between string) func(*line, *Note) {
	return func(b *line, n *Note) {
		b.word(before)
		b.word(strconv.FormatInt(int64(n.From), 10))
		b.word(between)
		b.word(strconv.FormatInt(int64(n.Offset), 10))
	}
}

func leader(b *line, n *Note) {
	b.word(NodeName(n.Peer) + " -> " + NodeName(n.Node))
	epoch(b, n)
	if n.Say != "" {
		b.word("(" + n.Say + ")")
	}
}
