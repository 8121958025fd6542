package scenario

// functions is the table of functions of expectations.
var functions = []*Function{
	// A partition, as the controllers' metadata has it.
	{Name: "leader", Args: []ArgKind{ArgPartition}, Result: TypeBroker, Doc: "who leads it; none if nobody", eval: evalLeader},
	{Name: "epoch", Args: []ArgKind{ArgPartition}, Result: TypeNumber, Doc: "its leader epoch", eval: evalEpoch},
	{Name: "partition_epoch", Args: []ArgKind{ArgPartition}, Result: TypeNumber, Doc: "how often its registration changed", eval: evalPartitionEpoch},
	{Name: "replicas", Args: []ArgKind{ArgPartition}, Result: TypeNumbers, Doc: "its replicas in assignment order; the first is preferred", eval: evalReplicas},
	{Name: "isr", Args: []ArgKind{ArgPartition}, Result: TypeBrokers, Doc: "the in-sync replicas", eval: evalISR},
	{Name: "elr", Args: []ArgKind{ArgPartition}, Result: TypeBrokers, Doc: "the eligible leader replicas (KIP-966)", eval: evalELR},
	{Name: "last_known_elr", Args: []ArgKind{ArgPartition}, Result: TypeBrokers, Doc: "the last known ELR (KIP-966)", eval: evalLastKnownELR},
	{Name: "adding", Args: []ArgKind{ArgPartition}, Result: TypeBrokers, Doc: "the replicas that a reassignment adds (KIP-455)", eval: evalAdding},
	{Name: "removing", Args: []ArgKind{ArgPartition}, Result: TypeBrokers, Doc: "the replicas that a reassignment will remove", eval: evalRemoving},
	{Name: "reassigning", Args: []ArgKind{ArgPartition}, Result: TypeBool, Doc: "whether a reassignment is under way", eval: evalReassigning},
	{Name: "config_of", Args: []ArgKind{ArgTopic, ArgText}, Result: TypeText, Doc: "a dynamic config of the topic itself; none if it is not set", eval: evalTopicConfig},
	{Name: "broker_config", Args: []ArgKind{ArgBroker, ArgText}, Result: TypeText, Doc: "a dynamic config of the broker itself; none if it is not set", eval: evalBrokerConfig},
	{Name: "partitions", Args: []ArgKind{ArgTopic}, Result: TypeNumber, Doc: "how many partitions a topic has; 0 if it does not exist", eval: evalPartitions},

	// A replica's log. Without a broker: the leader's.
	{Name: "leo", Args: []ArgKind{ArgPartition, ArgBroker}, Optional: 1, Result: TypeNumber, Doc: "log end offset: the next to be written", eval: evalLEO},
	{Name: "hw", Args: []ArgKind{ArgPartition, ArgBroker}, Optional: 1, Result: TypeNumber, Doc: "high watermark: consumers read below it", eval: evalHW},
	{Name: "lso", Args: []ArgKind{ArgPartition, ArgBroker}, Optional: 1, Result: TypeNumber, Doc: "last stable offset", eval: evalLSO},
	{Name: "logstart", Args: []ArgKind{ArgPartition, ArgBroker}, Optional: 1, Result: TypeNumber, Doc: "log start offset", eval: evalLogStart},
	{Name: "durable", Args: []ArgKind{ArgPartition, ArgBroker}, Optional: 1, Result: TypeNumber, Doc: "flushed to disk below this offset", eval: evalDurable},
	{Name: "leads", Args: []ArgKind{ArgPartition, ArgBroker}, Result: TypeBool, Doc: "whether that broker thinks that it leads", eval: evalLeads},
	{Name: "log_epochs", Args: []ArgKind{ArgPartition, ArgBroker}, Optional: 1, Result: TypeTexts, Doc: "the leader epochs in its log, each as epoch:start", eval: evalLogEpochs},
	{Name: "segments", Args: []ArgKind{ArgPartition, ArgBroker}, Optional: 1, Result: TypeNumbers, Doc: "the base offsets of its segments", eval: evalSegments},
	{Name: "batches", Args: []ArgKind{ArgPartition, ArgBroker, ArgRange}, Optional: 2, Result: TypeNumbers, Doc: "the base offsets of its batches", eval: evalBatches},
	{Name: "records", Args: []ArgKind{ArgPartition, ArgBroker}, Optional: 1, Result: TypeNumber, Doc: "how many records it holds, markers left out", eval: evalRecords},
	{Name: "keys", Args: []ArgKind{ArgPartition, ArgBroker, ArgRange}, Optional: 2, Result: TypeTexts, Doc: "the keys of its records by offset", eval: evalKeys},
	{Name: "values", Args: []ArgKind{ArgPartition, ArgBroker, ArgRange}, Optional: 2, Result: TypeTexts, Doc: "the values of its records by offset, without padding", eval: evalValues},
	{Name: "offsets", Args: []ArgKind{ArgPartition, ArgBroker}, Optional: 1, Result: TypeNumbers, Doc: "the offsets of its records", eval: evalOffsets},

	// Processes.
	{Name: "up", Args: []ArgKind{ArgBroker}, Result: TypeBool, Doc: "whether the process runs", eval: evalUp},
	{Name: "fenced", Args: []ArgKind{ArgBroker}, Result: TypeBool, Doc: "whether the controller has fenced it, or does not know it", eval: evalFenced},
	{Name: "broker_epoch", Args: []ArgKind{ArgBroker}, Result: TypeNumber, Doc: "its broker epoch; none if not registered", eval: evalBrokerEpoch},
	{Name: "replica_count", Args: []ArgKind{ArgBroker}, Result: TypeNumber, Doc: "how many replicas the metadata gives it, Kafka's own topics left out", eval: evalReplicaCount},
	{Name: "stored_bytes", Args: []ArgKind{ArgBroker}, Result: TypeNumber, Doc: "bytes of its replicas' logs, Kafka's own topics left out", eval: evalStoredBytes},
	{Name: "leader_count", Args: []ArgKind{ArgBroker}, Result: TypeNumber, Doc: "how many partitions it leads", eval: evalLeaderCount},
	{Name: "controller", Result: TypeNumber, Doc: "node.id of the active controller; none if there is none", eval: evalController},

	// A producer, and what became of its records.
	{Name: "sent", Args: []ArgKind{ArgProducer}, Result: TypeNumber, Doc: "records handed to send()", eval: evalSent},
	{Name: "acked", Args: []ArgKind{ArgProducer}, Result: TypeNumber, Doc: "records whose callback said success", eval: evalAcked},
	{Name: "failed", Args: []ArgKind{ArgProducer}, Result: TypeNumber, Doc: "records whose callback said failure", eval: evalFailed},
	{Name: "unanswered", Args: []ArgKind{ArgProducer}, Result: TypeNumber, Doc: "records sent that are neither acked nor failed yet", eval: evalUnanswered},
	{Name: "lost", Args: []ArgKind{ArgProducer}, Result: TypeNumber, Doc: "acked records that are on no log which the cluster can still serve", eval: evalLost},
	{Name: "duplicated", Args: []ArgKind{ArgProducer}, Result: TypeNumber, Doc: "copies beyond the first of its records on the logs that are served", eval: evalDuplicated},
	{Name: "stored", Args: []ArgKind{ArgProducer}, Result: TypeNumber, Doc: "different records of it on the logs that are served", eval: evalStored},
	{Name: "retries", Args: []ArgKind{ArgProducer}, Result: TypeNumber, Doc: "batches that were sent again", eval: evalRetries},
	{Name: "last_error", Args: []ArgKind{ArgClient}, Result: TypeText, Doc: "the error it saw last; NONE if none", eval: evalLastError},

	// A consumer.
	{Name: "position", Args: []ArgKind{ArgConsumer, ArgPartition}, Result: TypeNumber, Doc: "the next offset that poll returns; none if not known yet", eval: evalPosition},
	{Name: "committed", Args: []ArgKind{ArgReader, ArgPartition}, Result: TypeNumber, Doc: "the committed offset; none if there is none", eval: evalCommitted},
	{Name: "lag", Args: []ArgKind{ArgConsumer, ArgPartition}, Result: TypeNumber, Doc: "high watermark minus position", eval: evalLag},
	{Name: "delivered", Args: []ArgKind{ArgConsumer}, Result: TypeNumber, Doc: "records that poll returned", eval: evalDelivered},
	{Name: "duplicates", Args: []ArgKind{ArgConsumer}, Result: TypeNumber, Doc: "records that poll returned though it had before", eval: evalDuplicates},
	{Name: "reordered", Args: []ArgKind{ArgConsumer}, Result: TypeNumber, Doc: "records returned after a later one of the same producer, in one partition", eval: evalReordered},

	// The cluster.
	{Name: "under_replicated", Result: TypeNumber, Doc: "partitions with fewer in-sync replicas than replicas", eval: evalUnderReplicated},
	{Name: "under_min_isr", Result: TypeNumber, Doc: "partitions with fewer in-sync replicas than min.insync.replicas", eval: evalUnderMinISR},
	{Name: "at_min_isr", Result: TypeNumber, Doc: "partitions with exactly min.insync.replicas in-sync replicas", eval: evalAtMinISR},
	{Name: "preferred_imbalance", Result: TypeNumber, Doc: "partitions that are not led by their preferred replica", eval: evalImbalance},
	{Name: "offline", Result: TypeNumber, Doc: "partitions without a leader", eval: evalOffline},

	{Name: "metric", Args: []ArgKind{ArgMetric}, Result: TypeNumber, Doc: "a gauge as Kafka exports it, over all brokers: UnderReplicatedPartitions and the like", eval: evalMetric},

	// Arithmetic of Kafka's own.
	{Name: "partition", Args: []ArgKind{ArgText, ArgNumber}, Result: TypeNumber, Doc: "where the Java producer puts a key among N partitions (murmur2)", eval: evalPartitionOf},
	{Name: "crc32_partition", Args: []ArgKind{ArgText, ArgNumber}, Result: TypeNumber, Doc: "where librdkafka's default partitioner puts it (CRC32)", eval: evalCRC32Partition},
	{Name: "coordinator_partition", Args: []ArgKind{ArgText, ArgNumber}, Result: TypeNumber, Doc: "which of N partitions of __consumer_offsets serves a group", eval: evalCoordinatorPartition},

	// The past. Instants count from the scenario's start; never if it did not happen.
	{Name: "isr_left", Args: []ArgKind{ArgPartition, ArgBroker}, Result: TypeTime, Doc: "when that broker last left the ISR", match: matchISRLeft, keep: keepLast},
	{Name: "isr_joined", Args: []ArgKind{ArgPartition, ArgBroker}, Result: TypeTime, Doc: "when that broker last joined the ISR", match: matchISRJoined, keep: keepLast},
	{Name: "isr_changes", Args: []ArgKind{ArgPartition}, Result: TypeNumber, Doc: "how often the ISR changed", match: matchISRChanged, keep: keepCount},
	{Name: "elected", Args: []ArgKind{ArgPartition, ArgBroker}, Result: TypeTime, Doc: "when that broker was last elected", match: matchElected, keep: keepLast},
	{Name: "elections", Args: []ArgKind{ArgPartition}, Result: TypeNumber, Doc: "how often it got a leader", match: matchElections, keep: keepCount},
	{Name: "unclean_elections", Args: []ArgKind{ArgPartition}, Result: TypeNumber, Doc: "how often an election was unclean", match: matchUnclean, keep: keepCount},
	{Name: "reassigned_at", Args: []ArgKind{ArgPartition}, Result: TypeTime, Doc: "when its last reassignment was completed", match: matchReassigned, keep: keepLast},
	{Name: "fenced_at", Args: []ArgKind{ArgBroker}, Result: TypeTime, Doc: "when the controller last fenced it", match: matchFenced, keep: keepLast},
	{Name: "unfenced_at", Args: []ArgKind{ArgBroker}, Result: TypeTime, Doc: "when the controller last unfenced it", match: matchUnfenced, keep: keepLast},
	{Name: "appended_at", Args: []ArgKind{ArgPartition, ArgNumber}, Result: TypeTime, Doc: "when a leader first appended that offset", match: matchAppended, keep: keepFirst},
	{Name: "replicated_at", Args: []ArgKind{ArgPartition, ArgNumber, ArgBroker}, Result: TypeTime, Doc: "when that follower first had that offset", match: matchReplicated, keep: keepFirst},
	{Name: "committed_at", Args: []ArgKind{ArgPartition, ArgNumber}, Result: TypeTime, Doc: "when the high watermark first passed that offset", match: matchCommitted, keep: keepFirst},
	{Name: "acked_at", Args: []ArgKind{ArgPartition, ArgNumber}, Result: TypeTime, Doc: "when a producer first heard that its record has that offset", match: matchAcked, keep: keepFirst},
	{Name: "delivered_at", Args: []ArgKind{ArgConsumer, ArgPartition, ArgNumber}, Result: TypeTime, Doc: "when poll first returned that offset", match: matchDelivered, keep: keepFirst},
	{Name: "truncated", Args: []ArgKind{ArgPartition, ArgBroker}, Result: TypeNumber, Doc: "how many records that broker cut off its log", match: matchTruncated, keep: keepSum},
	{Name: "errors", Args: []ArgKind{ArgClient, ArgError}, Result: TypeNumber, Doc: "how often the client got that error", match: matchError, keep: keepCount},
	{Name: "first_error", Args: []ArgKind{ArgClient, ArgError}, Result: TypeTime, Doc: "when the client first got that error", match: matchError, keep: keepFirst},
	{Name: "batches_sent", Args: []ArgKind{ArgProducer}, Result: TypeNumber, Doc: "batches sent, retries included", match: matchSent, keep: keepCount},
	{Name: "resets", Args: []ArgKind{ArgConsumer, ArgPartition}, Result: TypeNumber, Doc: "how often its position was set by a reset or a seek", match: matchReset, keep: keepCount},
}
