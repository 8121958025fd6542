// Package consumer is KafkaConsumer as the Java client of Kafka 4.2 behaves,
// with an application that calls poll() and works on what it returns.
//
//	            ┌───────────────── poll() ──────────────────┐
//	order ────> │ auto commit ─> positions ─> buffer ─> 500 │──> work ──┐
//	            └──────^─────────────────────────^──────────┘           │
//	                   │     fetches, one per broker, in the background  │
//	                   └────────────────── next poll() <─────────────────┘
//
//	position of a partition:
//
//	INITIALIZING ──committed──> AWAIT_VALIDATION ──> FETCHING
//	     │ none                    ^        │ truncated     │ OFFSET_OUT_OF_RANGE
//	     └──> AWAIT_RESET ─offset──┘        └─> divergence  │
//	               ^────────────────────────────────────────┘
//
// It owns assignment by hand (assign), committed offsets, reset policies,
// validation of positions after a change of leader (KIP-320), fetching with
// fetch sessions (KIP-227) and leader hints (KIP-951), preferred read replicas
// (KIP-392), read_committed filtering, commits, and the ledger of what poll()
// returned. It refuses subscribe() and group membership for now: the seam is
// assign(), which a membership machine will call, and the generation in
// commits.
//
// Where an application would get an exception out of poll(), the one here stops
// polling until it is told to seek.
//
// Sources: clients/consumer/internals/ClassicKafkaConsumer, SubscriptionState,
// AbstractFetch, FetchCollector, CompletedFetch, OffsetFetcher,
// OffsetFetcherUtils, ConsumerCoordinator; clients/FetchSessionHandler.
package consumer
