// Package group is the group coordinator of one broker: for the partitions of
// __consumer_offsets that the broker leads, it keeps what groups have committed
// (group-coordinator/.../GroupMetadataManager.java, OffsetMetadataManager.java).
//
//	OffsetCommit ─> records ─> Work: append ──(broker, acks=all)──> Appended ─> state, response
//	OffsetFetch  ─> state
//	leader of a partition ─> Work: load after the reading time ─> Loaded ─> state, active
//
// A commit is stored as real records (OffsetCommitKey, OffsetCommitValue) and
// counts once they are committed; state is what replaying the log gives, so a
// new coordinator knows the same.
//
// It owns offsets. Membership (classic, KIP-848) comes beside it in packages of
// its own, with the same shards and the same Work. It refuses placement of the
// coordinator (FindCoordinator and the topic's creation are the broker's) and
// the log: its owner appends and reads for it.
package group
