package broker

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/storage"
)

const (
	// fetcherTimeout is replica.socket.timeout.ms: how long a follower waits
	// for the response to a Fetch.
	fetcherTimeout = 30 * kafka.Second
	// sessionEviction is min.incremental.fetch.session.eviction.ms, which is no
	// config but fixed (KIP-227; KafkaBroker.MIN_INCREMENTAL_FETCH_SESSION_EVICTION_MS).
	sessionEviction = 2 * kafka.Minute
)

// settings are the broker configs that the machine reads often.
type settings struct {
	lagTimeMax         kafka.Duration // replica.lag.time.max.ms
	fetchWaitMax       kafka.Duration // replica.fetch.wait.max.ms
	fetchMinBytes      int32          // replica.fetch.min.bytes
	fetchMaxBytes      int32          // replica.fetch.max.bytes, per partition
	fetchResponseMax   int32          // replica.fetch.response.max.bytes
	fetchBackoff       kafka.Duration // replica.fetch.backoff.ms
	serveMaxBytes      int32          // fetch.max.bytes, the most that one response may hold
	checkpointInterval kafka.Duration // replica.high.watermark.checkpoint.interval.ms
	flushCheckpoint    kafka.Duration // log.flush.offset.checkpoint.interval.ms
	heartbeatInterval  kafka.Duration // broker.heartbeat.interval.ms
	sessionTimeout     kafka.Duration // broker.session.timeout.ms
	registration       kafka.Duration // initial.broker.registration.timeout.ms
	requestTimeout     kafka.Duration // request.timeout.ms
	dirFailureTimeout  kafka.Duration // log.dir.failure.timeout.ms
	deleteDelay        kafka.Duration // log.segment.delete.delay.ms, after which folders that were given up go
	moveThreads        int            // num.replica.alter.log.dirs.threads; 0: as many as there are log directories
	moveRate           int64          // replica.alter.log.dirs.io.max.bytes.per.second
	autoCreate         bool           // auto.create.topics.enable
	numPartitions      int32          // num.partitions
	defaultRF          int16          // default.replication.factor
	offsetsPartitions  int32          // offsets.topic.num.partitions
	offsetsRF          int16          // offsets.topic.replication.factor
	offsetsSegment     int64          // offsets.topic.segment.bytes
	leaderRate         int64          // leader.replication.throttled.rate, bytes per second
	followerRate       int64          // follower.replication.throttled.rate, bytes per second
	sessionSlots       int            // max.incremental.fetch.session.cache.slots
	retentionCheck     kafka.Duration // log.retention.check.interval.ms
	cleaner            cleanerSettings
	producerExpiry     kafka.Duration // producer.id.expiration.ms
	rackAware          bool           // replica.selector.class is RackAwareReplicaSelector
}

// readSettings resolves the broker configs from the image.
func readSettings(cfg *Config, img *metadata.Image) settings {
	num := func(name string) int64 { return img.BrokerInt(cfg.ID, cfg.Static, name) }
	dur := func(name string) kafka.Duration { return img.BrokerDuration(cfg.ID, cfg.Static, name) }
	return settings{
		lagTimeMax:         dur("replica.lag.time.max.ms"),
		fetchWaitMax:       dur("replica.fetch.wait.max.ms"),
		fetchMinBytes:      int32(num("replica.fetch.min.bytes")),
		fetchMaxBytes:      int32(num("replica.fetch.max.bytes")),
		fetchResponseMax:   int32(num("replica.fetch.response.max.bytes")),
		fetchBackoff:       dur("replica.fetch.backoff.ms"),
		serveMaxBytes:      int32(num("fetch.max.bytes")),
		checkpointInterval: dur("replica.high.watermark.checkpoint.interval.ms"),
		flushCheckpoint:    dur("log.flush.offset.checkpoint.interval.ms"),
		heartbeatInterval:  dur("broker.heartbeat.interval.ms"),
		sessionTimeout:     dur("broker.session.timeout.ms"),
		registration:       dur("initial.broker.registration.timeout.ms"),
		requestTimeout:     dur("request.timeout.ms"),
		dirFailureTimeout:  dur("log.dir.failure.timeout.ms"),
		deleteDelay:        dur("log.segment.delete.delay.ms"),
		moveThreads:        int(num("num.replica.alter.log.dirs.threads")),
		moveRate:           num("replica.alter.log.dirs.io.max.bytes.per.second"),
		autoCreate:         img.BrokerBool(cfg.ID, cfg.Static, "auto.create.topics.enable"),
		numPartitions:      int32(num("num.partitions")),
		defaultRF:          int16(num("default.replication.factor")),
		offsetsPartitions:  int32(num("offsets.topic.num.partitions")),
		offsetsRF:          int16(num("offsets.topic.replication.factor")),
		offsetsSegment:     num("offsets.topic.segment.bytes"),
		leaderRate:         num("leader.replication.throttled.rate"),
		followerRate:       num("follower.replication.throttled.rate"),
		sessionSlots:       int(num("max.incremental.fetch.session.cache.slots")),
		retentionCheck:     dur("log.retention.check.interval.ms"),
		cleaner:            readCleaner(cfg, img),
		producerExpiry:     dur("producer.id.expiration.ms"),
		rackAware:          rackAware(cfg, img),
	}
}

// cleanerSettings are the configs of the log cleaner (CleanerConfig.java).
type cleanerSettings struct {
	enable  bool           // log.cleaner.enable
	threads int            // log.cleaner.threads
	backoff kafka.Duration // log.cleaner.backoff.ms
	rate    int64          // log.cleaner.io.max.bytes.per.second
	buffer  int64          // log.cleaner.dedupe.buffer.size
	load    int64          // log.cleaner.io.buffer.load.factor, in millionths
}

func readCleaner(cfg *Config, img *metadata.Image) cleanerSettings {
	num := func(name string) int64 { return img.BrokerInt(cfg.ID, cfg.Static, name) }
	return cleanerSettings{
		enable:  img.BrokerBool(cfg.ID, cfg.Static, "log.cleaner.enable"),
		threads: int(num("log.cleaner.threads")),
		backoff: img.BrokerDuration(cfg.ID, cfg.Static, "log.cleaner.backoff.ms"),
		rate:    num("log.cleaner.io.max.bytes.per.second"),
		buffer:  num("log.cleaner.dedupe.buffer.size"),
		load:    num("log.cleaner.io.buffer.load.factor"),
	}
}

// keysMax is how many keys the offset map of a thread takes.
func (c *cleanerSettings) keysMax() int {
	slots := min(c.buffer/int64(max(c.threads, 1)), cleanerMapMax) / bytesPerKey
	return int(slots * c.load / kafka.Micro)
}

// topicSettings are the topic configs that a partition works by.
type topicSettings struct {
	replicas   int          // the replication factor
	minISR     int          // min.insync.replicas, at most the replication factor
	maxMessage int64        // max.message.bytes
	before     int64        // message.timestamp.before.max.ms
	after      int64        // message.timestamp.after.max.ms
	keepCodec  bool         // compression.type=producer
	codec      record.Codec // of compression.type, where it names one
	log        storage.Config

	leaderThrottled, followerThrottled string // lists of replicas (KIP-73)
}

// readTopic resolves the configs of a topic with replicas replicas.
func readTopic(cfg *Config, img *metadata.Image, topic string, replicas int) topicSettings {
	num := func(name string) int64 { return img.TopicInt(topic, cfg.ID, cfg.Static, name) }
	policy, _ := img.Resolve(topic, cfg.ID, cfg.Static, "cleanup.policy")
	list, _ := kafka.ParseConfig(kafka.ScopeTopic, "cleanup.policy", policy)
	codec := img.TopicText(topic, cfg.ID, cfg.Static, "compression.type")
	s := topicSettings{
		replicas:   replicas,
		minISR:     int(min(num("min.insync.replicas"), int64(replicas))),
		maxMessage: num("max.message.bytes"),
		before:     num("message.timestamp.before.max.ms"),
		after:      num("message.timestamp.after.max.ms"),
		keepCodec:  codec == "producer",
		log: storage.Config{
			SegmentBytes:       num("segment.bytes"),
			SegmentMs:          num("segment.ms"),
			SegmentJitterMs:    num("segment.jitter.ms"),
			Seed:               cfg.Seed ^ uint64(cfg.ID)<<32,
			IndexIntervalBytes: num("index.interval.bytes"),
			SegmentIndexBytes:  num("segment.index.bytes"),
			LogAppendTime:      img.TopicText(topic, cfg.ID, cfg.Static, "message.timestamp.type") == "LogAppendTime",
			Delete:             slices.Contains(list.List, "delete"),
			RetentionMs:        num("retention.ms"),
			RetentionBytes:     num("retention.bytes"),
			FileDeleteDelayMs:  num("file.delete.delay.ms"),
			Compact:            slices.Contains(list.List, "compact"),
			DirtyRatioPPM:      storage.ParseRatio(img.TopicText(topic, cfg.ID, cfg.Static, "min.cleanable.dirty.ratio")),
			DeleteRetentionMs:  num("delete.retention.ms"),
			MinCompactionLagMs: num("min.compaction.lag.ms"),
			MaxCompactionLagMs: num("max.compaction.lag.ms"),
		},
	}
	s.leaderThrottled = img.TopicText(topic, cfg.ID, cfg.Static, "leader.replication.throttled.replicas")
	s.followerThrottled = img.TopicText(topic, cfg.ID, cfg.Static, "follower.replication.throttled.replicas")
	s.codec, _ = record.CodecByName(codec) // "uncompressed" is none
	return s
}
