// Package admin is the client behind kafka-topics, kafka-configs,
// kafka-leader-election and kafka-reassign-partitions: it sends one request per order to a broker that can be
// reached, which forwards it to the controller, and keeps the outcome.
//
//	order (token) ──> queue ──> broker ──> controller
//	                    ^          │
//	                    └─ retry ──┴──> Result (token): NONE, or error and message
//
// It owns retries within default.api.timeout.ms (60 s) and the results. It
// refuses to look anything up: it takes bootstrap.servers as the brokers, where
// the Java Admin asks for metadata first; any broker forwards.
//
// Sources: clients/admin/KafkaAdminClient.java; KIP-590 for the forwarding.
package admin
