package scenario

import "testing"

// TestLogRules proves rules of the log that no lesson is about, on a whole cluster.
func TestLogRules(t *testing.T) {
	for name, text := range map[string]string{
		// Every replica and partition draws its own jitter (LogConfig.randomSegmentJitter):
		// none waits longer than segment.ms, and they do not roll together.
		"segment.jitter.ms": `
cluster  brokers=2
topic    even replica-assignment=1:2 segment.ms=60000
topic    t partitions=2 replication.factor=2 segment.ms=60000 segment.jitter.ms=50000
producer p linger.ms=0
at 1s    produce p topic=even key=k
         produce p topic=t partition=0
         produce p topic=t partition=1
at 35s   produce p topic=even key=k
         produce p topic=t partition=0
         produce p topic=t partition=1
at 62s   produce p topic=even key=k
         produce p topic=t partition=0
         produce p topic=t partition=1
at 64s   expect segments(even-0, 1) == [0, 2]
         expect segments(even-0, 2) == [0, 2]
         expect segments(t-0, 1) != segments(t-0, 2)
         expect segments(t-1, 1) != segments(t-0, 1)
`,
		// After every pass, not only when nothing is left to clean, the cleaner deletes
		// old segments of compacted logs (LogCleaner.cleanFilthiestLog). A pass takes
		// most of a minute here, and c is due in the middle of the first.
		"deletion between two passes": `
cluster  brokers=1 log.cleaner.io.max.bytes.per.second=6
topic    a replica-assignment=1 cleanup.policy=compact segment.ms=5000
topic    b replica-assignment=1 cleanup.policy=compact segment.ms=5000
topic    c replica-assignment=1 cleanup.policy=compact,delete segment.ms=5000 retention.ms=40000 min.cleanable.dirty.ratio=1
producer p linger.ms=0
at 1s    produce p topic=a key=k value=1
         produce p topic=a key=k value=2
         produce p topic=b key=k value=1
         produce p topic=c key=k value=1
at 2s    produce p topic=a key=k value=3
         produce p topic=b key=k value=3
at 9s    produce p topic=a key=k value=4
         produce p topic=b key=k value=4
         produce p topic=c key=k value=2
at 4m    expect cleaning_at(a-0, 1) in 19s..21s
         expect cleaned_at(a-0, 1) in 60s..90s
         expect cleaning_at(b-0, 1) in 60s..90s
         expect cleaned_at(b-0, 1) > 110s
         expect deleted_at(c-0, 1, 0) in 60s..90s
`,
		// What the cleaner has put aside it does not delete from either
		// (LogCleanerManager.deletableLogs; KIP-346).
		"an uncleanable log keeps its old segments": `
cluster  brokers=1
topic    bad replica-assignment=1 cleanup.policy=compact,delete segment.ms=5000 retention.ms=60000 min.cleanable.dirty.ratio=0.01
topic    good replica-assignment=1 cleanup.policy=compact,delete segment.ms=5000 retention.ms=60000 min.cleanable.dirty.ratio=1
producer p linger.ms=0
at 1s    produce p topic=bad key=k value=1
         produce p topic=good key=k value=1
at 8s    corrupt broker-1 bad-0 0 length
         produce p topic=bad key=k value=2
         produce p topic=good key=k value=2
at 3m    expect uncleanable_at(bad-0, 1) in 19s..21s
         expect deleted_segments(bad-0, 1) == 0
         expect deleted_segments(good-0, 1) == 2
`,
		// A pass ends where its topic is not compacted any more (LogManager.updateTopicConfig).
		"compaction is switched off during a pass": `
cluster  brokers=1 log.cleaner.io.max.bytes.per.second=6
topic    a replica-assignment=1 cleanup.policy=compact segment.ms=5000
producer p linger.ms=0
at 1s    produce p topic=a key=k value=1
         produce p topic=a key=k value=2
at 9s    produce p topic=a key=k value=3
at 30s   config topic a cleanup.policy=delete
at 4m    expect cleaning_at(a-0, 1) in 19s..21s
         expect cleaner_passes(a-0, 1) == 0
         expect values(a-0) == [1, 2, 3]
`,
	} {
		t.Run(name, func(t *testing.T) { holds(t, name, text) })
	}
}

// TestLifecycleRules proves times in the life of a broker that no lesson is about
// (BrokerLifecycleManager.java, BrokerServer.java).
func TestLifecycleRules(t *testing.T) {
	for name, text := range map[string]string{
		// After the first answer the next heartbeat comes in 50 ms, not in two seconds:
		// with nobody else there the first answer is that its partitions have no leader,
		// and the second one that it may go.
		"a controlled shutdown is over soon": `
cluster  brokers=1
topic    t replica-assignment=1
at 10s   stop broker-1
at 10.05s expect up(broker-1)
at 10.3s expect not up(broker-1)
         expect leader(t-0) == none
`,
		// Otherwise the others have to have heard of it, by their next heartbeat.
		"a controlled shutdown waits for the others": `
cluster  brokers=3
topic    t replica-assignment=1:2:3
at 10s   stop broker-1
at 11.9s expect up(broker-1)
         expect leader(t-0) == 2
at 12.5s expect not up(broker-1)
`,
		// Who is not heard shuts down without leave after five minutes.
		"a controlled shutdown has an end": `
cluster  brokers=3
topic    t replica-assignment=1:2:3
at 5s    cut broker-1 controller-101
at 6s    stop broker-1
at 305s  expect up(broker-1)
at 307s  expect not up(broker-1)
`,
	} {
		t.Run(name, func(t *testing.T) { holds(t, name, text) })
	}
}
