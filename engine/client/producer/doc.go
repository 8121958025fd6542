// Package producer is KafkaProducer as the Java client of Kafka 4.2 behaves,
// with a workload in front of it.
//
//	workload ─┐                  RecordAccumulator                Sender
//	Produce ──┴> send() ─> partitioner ─> [batch][batch] p0 ─┐
//	              │            │          [batch]        p1 ─┼─> drain per node ─> ProduceRequest
//	              │ blocks: no metadata,  [batch]        p2 ─┘        ^   │
//	              │ no memory             └──── retry, split ─────────┘   v
//	              └──────────────────── ledger: sent, acked, failed <── responses, expiry
//
// A batch: open ─> closed ─> in flight ─> acked | failed
//
//	^            │
//	└── retry ───┘    (expired: failed while it may still be in flight)
//
// It owns batching and linger, the built-in partitioner (KIP-480, KIP-794),
// memory and blocking, in-flight limits, retries with back-off (KIP-580),
// delivery timeout (KIP-91), sequences and epochs of the idempotent producer
// (KIP-98, KIP-360), splitting of batches that are too large (KIP-126), leader
// hints (KIP-951), and the ledger of its records. It refuses transactions for
// now, custom partitioners and interceptors.
//
// The workload is open-loop: records are due at fixed instants, never sooner
// than the rate says; those that fall due while send() blocks are sent as soon
// as it returns. Sizes of compressed batches are estimated with ratio 1 where
// Kafka learns the ratio.
//
// Sources: clients/producer/KafkaProducer.java, internals/RecordAccumulator,
// BuiltInPartitioner, Sender, TransactionManager, TxnPartitionMap, BufferPool.
package producer
