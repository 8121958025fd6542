// Package controller decides about the cluster: which brokers are alive, where
// replicas go, who leads and who is in sync (metadata/controller:
// QuorumController, ReplicationControlManager, ClusterControlManager,
// PartitionChangeBuilder, BrokerHeartbeatManager).
//
// A request becomes records and a response. The records are replayed on the
// controller's image at once, by metadata.Apply and nothing else, so the next
// decision stands on this one; the response is held until they are committed.
//
//	request ──decide on head──> records ──Apply──> head
//	                               │
//	                               └──> raft (owner) ──committed──> stable ──> held responses go out
//
// What brokers say in heartbeats (when, and how far they have read) is soft
// state: it is not in the log and a new active controller starts without it.
//
//	        registered                caught up, wants it
//	(none) ───────────> FENCED ───────────────────────────> UNFENCED
//	                      ^  ^   silent for the session         │ wants to shut down, leads
//	                      │  └──────────────────────────────────┤
//	                      │        leads nothing, others know   v
//	                 SHUTDOWN_NOW <───────────────────── CONTROLLED_SHUTDOWN
//
// It owns elections, ISR and ELR changes, fencing, placement, reassignments,
// topics and dynamic configs. It refuses the log: its owner appends what TakeRecords gives
// and tells Committed how far the log is committed.
//
// Left out: ACLs, tokens, UpdateFeatures, unregistering brokers.
package controller
