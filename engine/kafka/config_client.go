package kafka

// Producer and consumer configs with the defaults of Kafka 4.2 (ProducerConfig,
// ConsumerConfig, CommonClientConfigs). Every row here is one that the clients
// in engine/client obey; a config that they would ignore is not in the table.

const maxMs = NoMax

var clientCodecs = []string{"none", "gzip", "snappy", "lz4", "zstd"}

func init() {
	addConfigs(ScopeProducer, producerConfigs...)
	addConfigs(ScopeProducer, clientConfigs...)
	addConfigs(ScopeConsumer, consumerConfigs...)
	addConfigs(ScopeConsumer, clientConfigs...)
}

// clientConfigs are those that both have, with equal defaults.
var clientConfigs = []Config{
	{Name: "metadata.max.age.ms", Type: TypeInt, Default: "300000", Min: 0, Max: maxMs, Unit: UnitMs,
		Doc: "Age at which the metadata is fetched anew even if nothing seems to have changed."},
	{Name: "reconnect.backoff.max.ms", Type: TypeInt, Default: "1000", Min: 0, Max: maxMs, Unit: UnitMs,
		Doc: "The longest wait before connecting again to a broker that keeps failing."},
	{Name: "reconnect.backoff.ms", Type: TypeInt, Default: "50", Min: 0, Max: maxMs, Unit: UnitMs,
		Doc: "Wait before connecting again to a broker; doubled with each failure."},
	{Name: "request.timeout.ms", Type: TypeInt, Default: "30000", Min: 0, Max: maxInt32, Unit: UnitMs,
		Doc: "How long a request waits for its response before the connection is closed."},
	{Name: "retry.backoff.max.ms", Type: TypeInt, Default: "1000", Min: 0, Max: maxMs, Unit: UnitMs,
		Doc: "The longest wait before a retry."},
	{Name: "retry.backoff.ms", Type: TypeInt, Default: "100", Min: 0, Max: maxMs, Unit: UnitMs,
		Doc: "Wait before a retry; doubled with each failure, 20 % more or less (KIP-580)."},
}

var producerConfigs = []Config{
	{Name: "acks", Type: TypeEnum, Default: "all", Valid: []string{"all", "-1", "0", "1"},
		Doc: "Who must have a record before it counts as sent: nobody, the leader, or all in-sync replicas."},
	{Name: "batch.size", Type: TypeInt, Default: "16384", Min: 0, Max: maxInt32, Unit: UnitBytes,
		Doc: "Bytes at which a batch is full; also when an unkeyed record moves on to the next partition."},
	{Name: "buffer.memory", Type: TypeInt, Default: "33554432", Min: 0, Max: NoMax, Unit: UnitBytes,
		Doc: "Memory for records not yet acknowledged; when it is used up, send() blocks."},
	{Name: "compression.type", Type: TypeEnum, Default: "none", Valid: clientCodecs,
		Doc: "Codec of the batches."},
	{Name: "delivery.timeout.ms", Type: TypeInt, Default: "120000", Min: 0, Max: maxInt32, Unit: UnitMs,
		Doc: "The longest from send() to success or failure; at least linger.ms + request.timeout.ms."},
	{Name: "enable.idempotence", Type: TypeBool, Default: "true",
		Doc: "Number the records, so that retries neither duplicate nor reorder them."},
	{Name: "linger.ms", Type: TypeInt, Default: "5", Min: 0, Max: maxMs, Unit: UnitMs,
		Doc: "How long a batch waits for more records before it is sent."},
	{Name: "max.block.ms", Type: TypeInt, Default: "60000", Min: 0, Max: maxMs, Unit: UnitMs,
		Doc: "How long send() waits for metadata or memory before it throws."},
	{Name: "max.in.flight.requests.per.connection", Type: TypeInt, Default: "5", Min: 1, Max: maxInt32,
		Doc: "Requests sent to one broker and not yet answered; above 1 without idempotence, retries may reorder."},
	{Name: "max.request.size", Type: TypeInt, Default: "1048576", Min: 0, Max: maxInt32, Unit: UnitBytes,
		Doc: "The largest record that send() takes, before compression, and about the largest request."},
	{Name: "partitioner.adaptive.partitioning.enable", Type: TypeBool, Default: "true",
		Doc: "Give fewer unkeyed records to partitions whose batches pile up (KIP-794)."},
	{Name: "partitioner.availability.timeout.ms", Type: TypeInt, Default: "0", Min: 0, Max: maxMs, Unit: UnitMs,
		Doc: "Leave out partitions whose broker has taken no batch for so long; 0 never does (KIP-794)."},
	{Name: "partitioner.ignore.keys", Type: TypeBool, Default: "false",
		Doc: "Spread keyed records as if they had no key."},
	{Name: "retries", Type: TypeInt, Default: "2147483647", Min: 0, Max: maxInt32,
		Doc: "How often a batch is sent again; leave it and bound the time by delivery.timeout.ms."},
}

var consumerConfigs = []Config{
	{Name: "auto.commit.interval.ms", Type: TypeInt, Default: "5000", Min: 0, Max: maxInt32, Unit: UnitMs,
		Doc: "How often poll() commits the positions, if enable.auto.commit is set."},
	{Name: "auto.offset.reset", Type: TypeString, Default: "latest",
		Doc: "Where to go without a valid offset: earliest, latest, none, or by_duration:PT1H."},
	{Name: "check.crcs", Type: TypeBool, Default: "true",
		Doc: "Check each batch's checksum."},
	{Name: "client.rack", Type: TypeString, Default: "",
		Doc: "The client's rack, to fetch from a replica there if the broker's selector allows (KIP-392)."},
	{Name: "default.api.timeout.ms", Type: TypeInt, Default: "60000", Min: 0, Max: maxInt32, Unit: UnitMs,
		Doc: "How long a blocking call such as commitSync() tries."},
	{Name: "enable.auto.commit", Type: TypeBool, Default: "true",
		Doc: "Commit what the previous poll() returned, inside poll() and on close."},
	{Name: "fetch.max.bytes", Type: TypeInt, Default: "52428800", Min: 0, Max: maxInt32, Unit: UnitBytes,
		Doc: "About the most that one fetch returns."},
	{Name: "fetch.max.wait.ms", Type: TypeInt, Default: "500", Min: 0, Max: maxInt32, Unit: UnitMs,
		Doc: "How long the broker holds a fetch for which there are too few bytes."},
	{Name: "fetch.min.bytes", Type: TypeInt, Default: "1", Min: 0, Max: maxInt32, Unit: UnitBytes,
		Doc: "Bytes that must be there before the broker answers a fetch."},
	{Name: "isolation.level", Type: TypeEnum, Default: "read_uncommitted", Valid: []string{"read_uncommitted", "read_committed"},
		Doc: "Whether records of open and aborted transactions are read."},
	{Name: "max.partition.fetch.bytes", Type: TypeInt, Default: "1048576", Min: 0, Max: maxInt32, Unit: UnitBytes,
		Doc: "About the most that one fetch returns of one partition."},
	{Name: "max.poll.interval.ms", Type: TypeInt, Default: "300000", Min: 1, Max: maxInt32, Unit: UnitMs,
		Doc: "The longest between two calls of poll() before a member of a group leaves it."},
	{Name: "max.poll.records", Type: TypeInt, Default: "500", Min: 1, Max: maxInt32,
		Doc: "The most records that one poll() returns."},
}
