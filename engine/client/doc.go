// Package client is what every Kafka client has in common: connections to
// brokers, the metadata cache, back-off, and the names by which records are
// known to the ledger. The clients themselves are in producer, consumer and
// admin; they behave as the Java client of Kafka 4.2 does.
//
//	            ┌────────────── one client process ──────────────┐
//	InputBoot ─>│ producer | consumer | admin                    │
//	responses ─>│    │ asks where, how, when                     │
//	timers    ─>│    ├─> Metadata  who leads what, which epoch   │──> Out: Send,
//	orders    ─>│    ├─> Net       which broker is connected     │    SetTimer, Note
//	            │    ├─> Backoff   when to try again             │
//	            │    └─> IDs       which records came how far    │
//	            └────────────────────────────────────────────────┘
//
// It owns connection state (a broker is usable once it has answered
// ApiVersions), metadata refresh rules and leader epochs, exponential back-off
// with jitter, and record identities. It refuses decisions of a machine: what
// to send, what to retry, what to give up.
//
// Left out: metadata.max.idle.ms (topics are never forgotten),
// authentication (who a client says it is, it is), and telemetry.
package client
