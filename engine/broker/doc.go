// Package broker is what one Kafka broker does with partitions and requests:
// produce, fetch, replication, in-sync replicas, high watermark, and its life
// with the controller. It is one machine: plain data with Step.
//
//	           ┌──────────────────────── Broker ───────────────────────┐
//	client ──> │ Produce ─> partition (leader) ─> log ─> purgatory ──> │ ──> response
//	client ──> │ Fetch   ─> session ─> read or park until data ──────> │ ──> response
//	broker ──> │ Fetch   ─> follower state ─> ISR, high watermark      │
//	           │ fetcher ─> Fetch to each leader ─> append, truncate   │ ──> other brokers
//	image ───> │ become leader, become follower, configs               │
//	           │ register, heartbeat, AlterPartition, forward          │ ──> controller
//	           └───────────────────────────────────────────────────────┘
//
// Files, by what they own:
//
//	broker.go      state, dispatch, timers         lifecycle.go  registration, heartbeat, shutdown
//	partition.go   one replica, high watermark     control.go    requests to the controller
//	isr.go         shrink, expand, AlterPartition  image.go      metadata changes
//	produce.go     Produce and its purgatory       producers.go  idempotent producers' state
//	session.go     fetch sessions (KIP-227)        fetch.go      reading and parking
//	fetcher.go     following a leader              truncate.go   divergence, out of range
//	metadata.go    Metadata, FindCoordinator...    offsets.go    ListOffsets, OffsetForLeaderEpoch
//	quota.go       throttled replication (KIP-73)  validate.go   checks before an append
//	retention.go   old segments, their files       cleaner.go    the log cleaner
//	logdirs.go     log directories that fail       assign.go      AssignReplicasToDirs (KIP-858)
//	movedirs.go    AlterReplicaLogDirs (KIP-113)  describedirs.go DescribeLogDirs
//	clientquota.go client quotas (KIP-13, KIP-124) describequotas.go, deleterecords.go, careview.go
//	selector.go    the nearest replica (KIP-392)   snapshot.go    producer snapshots' bytes
//
// Rules come from core/.../cluster/Partition.scala, core/.../server/
// {ReplicaManager,AbstractFetcherThread,ReplicaFetcherThread,DelayedFetch,
// DelayedProduce}.scala, server/.../FetchSession.java and
// server/.../BrokerLifecycleManager.java of Kafka 4.2.
//
// # Cost
//
// A partition is an index into a slice; its fetch sessions and waiting produce
// requests hang on it. An event touches the partitions it is about and nothing
// else. A session keeps a list of the partitions that may have something to
// say, so that an incremental fetch never walks all of them.
//
// # Copies
//
// Partitions, sessions and fetchers carry the generation in which they were
// last copied. Clone raises the generation on both sides, and whoever changes a
// struct of an older generation copies it first: a snapshot costs the pointers,
// and later what changed.
//
// It refuses decisions of the controller (who leads, who is in sync) and the
// meaning of internal topics: the group coordinator is another machine, which
// appends through AppendLocal.
package broker
