package scenarios

import (
	"embed"
	"strings"
)

// FS holds the files under their paths: log/first-cluster.hw.
//
//go:embed */*.hw
var FS embed.FS

// Entry is a lesson: its id is its path without the ending, its chapter the
// folder, Part the chapter's name. Summary is the first sentence of its prose.
type Entry struct{ ID, Title, Chapter, Part, Summary string }

// order is the order in which the lessons are taught. Every file is in it.
var order = []string{
	"log/first-cluster",
	"log/keys",
	"log/order",
	"log/compression",
	"log/grow",
	"log/other-hashes",
	"log/sticky",
	"log/batch",
	"log/too-large",
	"log/segments",
	"log/single",
	"log/sizing",
	"durability/acks-0",
	"durability/acks-1",
	"durability/acks-all",
	"durability/isr",
	"durability/slow-leader",
	"durability/truncation",
	"durability/no-cut",
	"durability/same-length",
	"durability/hw",
	"durability/min-isr",
	"durability/two-of-two",
	"durability/rf3-min1",
	"durability/frozen-hw",
	"durability/flapping",
	"durability/after-append",
	"durability/failover",
	"durability/unclean",
	"durability/no-elr",
	"durability/elr",
	"durability/elr-four",
	"durability/racks",
	"durability/power",
	"durability/site-power",
	"durability/restart",
	"durability/scale-down",
	"durability/urp",
	"durability/fintech-before",
	"durability/fintech-after",
	"control/kraft",
	"control/even",
	"control/voters",
	"control/voter-leaves",
	"control/auto-join",
	"control/new-disk",
	"control/static-disk",
	"control/observers",
	"control/stale-list",
	"control/hand-over",
	"control/fenced",
	"control/shutdown",
	"control/preferred",
	"control/reassign",
	"control/deleted",
	"control/coordinator",
	"control/failover",
	"control/quorum-lost",
	"control/no-zookeeper",
	"control/combined",
	"retention/time",
	"retention/size",
	"retention/active",
	"retention/late",
	"retention/future",
	"retention/slow-consumer",
	"retention/delete-records",
	"retention/compaction",
	"retention/wrong",
	"retention/head",
	"retention/tombstone",
	"retention/missed",
	"retention/null-key",
	"retention/offsets",
	"retention/both",
	"ops/full-disk",
	"ops/jbod",
	"ops/log-dirs",
	"ops/bit-rot",
	"ops/cleaner-dead",
	"ops/describe",
	"ops/metrics",
	"ops/alerts",
	"delivery/at-most-once",
	"delivery/at-least-once",
	"delivery/idempotence",
	"delivery/doubled",
	"delivery/window",
	"delivery/reorder",
	"delivery/timeout",
	"delivery/truncated",
	"groups/offsets",
	"groups/commits",
	"groups/reset",
	"groups/auto-commit",
	"groups/lag",
	"ops/slow-disk",
	"ops/cut",
	"ops/quotas",
	"ops/quotas-users",
	"ops/follower-fetch",
}

// All lists the lessons in teaching order.
func All() []Entry {
	es := make([]Entry, len(order))
	for i, id := range order {
		chapter, _, _ := strings.Cut(id, "/")
		text := Text(id)
		es[i] = Entry{ID: id, Title: title(text), Chapter: chapter, Part: parts[chapter], Summary: summary(text)}
	}
	return es
}

// Text returns the text of a lesson, "" if there is none of that id.
func Text(id string) string {
	b, err := FS.ReadFile(id + ".hw")
	if err != nil {
		return ""
	}
	return string(b)
}

// title is what the first line that starts with title says.
func title(text string) string { return header(text, "title") }

// header is what the first line that starts with a word says.
func header(text, word string) string {
	for line := range strings.Lines(text) {
		if t, ok := strings.CutPrefix(line, word+" "); ok {
			return strings.TrimSpace(t)
		}
	}
	return ""
}
