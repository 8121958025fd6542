package scenarios

import (
	"slices"
	"strings"
)

// Case is a public report about Kafka, or a claim that is often made and not
// so, with the outcome that Kafka 4.2 gives. A lesson that re-enacts it names
// its ID in the line case and proves the outcome with expectations.
type Case struct {
	ID     string // R15: a report; T05: a claim that Kafka contradicts
	Source string // where it was reported: an issue, a KIP, an article
	Says   string // the set-up and the outcome, in few words
}

// Cases are the reports that the lessons re-enact, by ID. Numbers that are too
// large for a lesson are made smaller there, their differences kept; the lesson
// says so.
var Cases = []Case{
	// Replication, durability, truncation.
	{"R03", "KIP-101, first example", "a follower that restarts does not cut to its high watermark: log end 2, nothing lost"},
	{"R04", "KIP-101, second example", "two logs of equal length and different content: the cut is at the epoch's end, at 1"},
	{"R06", "KAFKA-3919", "power fails everywhere with acks=1; a replica with 2,228 more records than the leader cuts them off"},
	{"R07", "Yolean/kubernetes-kafka#98, KAFKA-3410", "log end 2,051 leads 2,391: 340 records are cut, and no broker halts"},
	{"R08", "forum.confluent.io 37903", "an ISR member without a record becomes leader: that record had not been acknowledged"},
	{"R09", "KIP-966", "the last replica standing loses its log's end; with ELR another one leads and nothing is lost"},
	{"R11", "PostHog/posthog#17744", "replication factor 2 with min.insync.replicas=2: one broker away stops acks=all, not reads"},
	{"R12", "thomhurst/Dekaf#2252, Yolean/kubernetes-kafka#134", "three brokers become one: refusals that are retried for delivery.timeout.ms, 120 s"},
	{"R14", "KAFKA-19996", "below min.insync.replicas a follower that reaches the frozen high watermark joins the ISR and leaves it, again and again"},
	{"R15", "KAFKA-4485", "the high watermark stays at a member's log end until it leaves the ISR, 30 to 45 s after it was caught up"},
	{"R16", "IBM/sarama#1965", "rolling restarts and retries without idempotence: 25 records too many; with it, none"},
	{"R17", "dpkp/kafka-python#1580", "appended, not acknowledged, retried: two copies, or one with idempotence"},
	{"R18", "stackoverflow.com 49982786", "five in flight without idempotence: 4 5 6 1 2 3; one, or idempotence: 1 to 6"},
	{"R19", "KIP-320, thomhurst/Dekaf#2258", "a consumer ahead of a truncated log goes on where the logs part, or hears of it"},
	{"R20", "yahoo/CMAK#488, linkedin/kafka-tools#56", "a zone is lost: one replica there costs a leader, two of three cost the writes, two of two the partition"},

	// The control plane, placement, coordinators.
	{"R22", "bitnami/charts#20403", "node ids that are not among the voters: nobody votes, nobody leads, no broker is unfenced"},
	{"R23", "strimzi/proposals#66", "two of three controllers lost: data flows until a broker dies, and again when the quorum is back"},
	{"R24", "strimzi/strimzi-kafka-operator#11736", "a broker freezes while another restarts: nobody leads; below 9 s nobody notices"},
	{"R26", "confluentinc/librdkafka#2136", "the only replica of a partition of __consumer_offsets is gone: its groups have no coordinator"},
	{"R28", "fvaleri/strimzi-debugging, session 9", "a group's partition: my-group 12, test 48, payments 13, orders-cg 42; transactional ids likewise"},
	{"R29", "fvaleri/strimzi-debugging, session 9", "a new broker is idle until a reassignment, which goes through the union of replicas"},

	// Consumers that fall behind.
	{"R57", "tulios/kafkajs#1119, confluentinc/librdkafka#3745", "position 1000, log start 1500: 500 skipped, or 8,000, or an exception"},

	// Producers and partitions.
	{"R67", "Blizzard/node-rdkafka#616, tulios/kafkajs#1154", "the same key under murmur2 and under CRC32"},
	{"R68", "confluentinc/librdkafka#4510", "an empty key is a key: partition 9 of 12"},
	{"R70", "KIP-794, KAFKA-10888", "a slow broker no longer attracts more records"},
	{"R71", "KIP-480, KIP-794", "100 small records without key: all in one of four partitions"},
	{"R72", "KAFKA-4169", "a record is measured before compression"},
	{"R73", "KIP-126, KAFKA-3995", "a batch that is too large is split; a record that is too large fails"},
	{"R74", "KIP-91", "no leader: failure 120 s after send(), or delivery if one comes back sooner"},

	// Retention and compaction.
	{"R78", "conduktor.io, kafka-retention-policies", "a segment is as old as its newest record: 11:50 to 11:55, not 11:00"},
	{"R79", "KAFKA-6482, KAFKA-14991", "microseconds for milliseconds: refused, or never deleted"},
	{"R80", "luppeng.wordpress.com, 2022-08-21", "a compacted topic holds duplicates in its head, and until more than half is dirty"},
	{"R81", "KIP-534", "a tombstone needs a second pass, and that needs something new"},
	{"R82", "KAFKA-4808", "a record without key brings down its batch"},
	{"R83", "KAFKA-7556, provectus/kafka-ui#3535", "end minus beginning is not the number of records"},
	{"R84", "KIP-346", "a commit is a record: a partition of __consumer_offsets whose cleaner died only grows"},

	// Often told, not so.
	{"T03", "log lines in articles", "a high watermark above the log end of an ISR member: never"},
	{"T04", "articles", "replication factor 1 with min.insync.replicas=2 refuses acks=all: not since 3.7"},
	{"T05", "articles", "acks=all returns when min.insync.replicas have the record: it waits for the whole ISR"},
	{"T06", "articles", "records without a key are dealt out in turn: not since 2.4"},
	{"T07", "articles", "leader.imbalance.per.broker.percentage decides when leaders move: not with KRaft"},
	{"T10", "articles", "of three controllers two are no majority: they are"},
	{"T12", "zendesk/ruby-kafka#264, confluentinc/kafka#101", "compaction makes a committed offset invalid, or lag negative: it does not"},
	{"T15", "visualisations of old defaults", "writes go on while most brokers are down: with acks=1, not with acks=all and min.insync.replicas=2"},
}

// Reenacts lists the cases that the lesson of that id names, by ID.
func Reenacts(id string) (cs []Case) {
	named := strings.Fields(header(Text(id), "case"))
	for _, c := range Cases {
		if slices.Contains(named, c.ID) {
			cs = append(cs, c)
		}
	}
	return cs
}
