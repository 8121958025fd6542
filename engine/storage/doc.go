// Package storage is a replica's partition log and a broker's log directory,
// as plain data (storage/internals/log/{UnifiedLog,LocalLog,LogSegment}.java).
//
// It owns bytes at offsets: segments and when they roll, the sparse offset and
// time indexes, the leader epoch cache, what of it is durable, what a crash
// takes away, and what recovery makes of the rest. It refuses everything that
// needs other replicas or a clock of its own: the high watermark (only its
// checkpoint is here), who leads, when to flush or delete.
//
//	Dir ── Log ──┬─ closed segments ──┬─ chunk ─ chunk ─ ...      bytes, shared
//	             │                    ├─ offset index             (offset, position)
//	             │                    └─ time index               (timestamp, offset)
//	             ├─ active segment ───── ...
//	             └─ epoch cache           (leader epoch, start offset)
//
//	log start          recovery point              durable        log end
//	   ├────────────────────┼─────────────────────────┼──────────────┤
//	     flushed by Kafka     written back by Linux      page cache only:
//	     (roll, shutdown)     after 30 s                 a machine crash takes it
//
// # Sharing
//
// The bytes stand in append-only chunks and never change once written. A
// leader copies what it appends into a chunk of its own; Read returns a part of
// that chunk; a follower that appends what it was given keeps the very same
// memory, and so does a consumer. Truncation cuts the view and never the
// memory. So nobody may write to, or append to, what Read returned.
//
// A batch never crosses a chunk, and where chunks begin is invisible: Read
// gives the same bytes and Digest the same sum however the log is chunked. A
// copy of a log shares everything and starts a chunk of its own at its next
// append. There is no struct per batch: a batch is found by the offset index
// and a walk over at most index.interval.bytes, as in Kafka, and the last few
// batches at once.
//
// # Durability
//
// Kafka does not flush what it appends. Rolling a segment flushes it (Kafka
// does so in the background, here it is at once), and so does a clean
// shutdown. Otherwise Linux writes back pages that have been dirty for 30 s,
// looking every 5 s: see Log.Writeback. Checkpoint files and the epoch cache
// are flushed when they are written. A truncation is durable at once.
//
// # What goes
//
// Retention deletes whole segments from the oldest on (DeleteExpired): by time, by
// size, or because they are below the log start; the active one like any other,
// and none that is not below the high watermark. The cleaner (Cleaning) rewrites
// closed segments without what a later record of the same key replaces. Neither
// ever changes an offset. Deleted files stay for a while (Purge), and so do the
// folders of logs that a broker gives up (Gone).
//
//	log start        first dirty         first uncleanable       log end
//	   ├── clean ────────┼──── cleanable ────────┼──── head ────────┤
//	                  checkpoint              active segment, last stable offset,
//	                                          min.compaction.lag.ms
//
// A pass of the cleaner is a value that goes from step to step, so that it can
// take time and be watched: it reads the cleanable part into a map from key to
// latest offset, then writes group after group of segments. Aborted transactions
// follow from the markers, so there is no transaction index. Producer state is
// the broker's.
package storage
