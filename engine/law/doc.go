// Package law holds what must be true of the cluster after every event, one
// file per law, and the ledger of what became of every record.
//
//	notes ──> Checker.Noted: which partitions moved
//	event ──> Checker.Happened: look at those, and only those ──> *Violation
//	query ──> Ledger.Update: read what was appended since ──> stored, lost, duplicated
//
// The laws (and where Kafka promises them):
//
//	one leader         a leader epoch of a partition has one leader (KIP-101)
//	high watermark     never above the log end offset of a member of the maximal ISR (KIP-497)
//	monotone           a leader's high watermark does not go back within its epoch
//	committed prefix   below the high watermark all in-sync logs are equal, and no election
//	                   without loss of power or an unclean choice takes a record away (KIP-966)
//	log matching       the same offset and leader epoch is the same batch (KIP-101)
//	acks               acks=all is answered only for what the high watermark covers
//	retention          a log start offset is never above the high watermark
//	cleaner            a compacted log says the same of every key as one that is cleaned
//	                   differently
//
// Losses that Kafka does not exclude are not violations: a replica whose machine
// lost power is excused until it is in sync again, and the committed prefix may
// shrink in an unclean election, or when at least min.insync.replicas replicas
// lost power. What was lost then is the ledger's to tell.
//
// The package owns checking and counting. It refuses to change anything, and to
// know processes or time travel: it reads a Cluster.
package law
