// Package raft replicates the metadata log, __cluster_metadata-0: KRaft's
// quorum replica (raft/KafkaRaftClient.java, QuorumState.java, KIP-595).
//
// It owns who leads the quorum and in which epoch, the order and durability of
// the log, its high watermark, and how observers follow it. It refuses the
// meaning of records: it writes what its owner appends and hands out what is
// committed.
//
//	controller: Append ─> linger ─> batch in the log ─> fsync ─> high watermark ─┐
//	                                     │                                       ├─> TakeCommitted
//	broker:     Fetch (parked <= 500 ms) ┴─> batch in its own log ─> HW of the ──┘
//	                                                                 response
//
// States, as Kafka prints them:
//
//	Unattached ──own voter──> Prospective ──majority of pre-votes──> Candidate ──majority of votes──> Leader
//	Unattached ──told of a leader──> Follower (a voter) or Observer (a broker)
//
// # How a process embeds it
//
// A Replica is volatile state: make one with New whenever the process starts.
// What survives is on the machine, which the process hands to every call:
//
//	m := raft.Machine{Dir: dir, Quorum: &quorumState, Disk: &disk}
//	r.Step(now, in, out, m)
//
// Give it InputBoot (after Dir.Start has recovered the logs, and before its
// other machines boot), every request, response and disconnection whose
// Channel is sim.ChanRaft, and every timer whose Owner is sim.OwnerRaft. After
// each call take what was committed and replay it:
//
//	if entries := r.TakeCommitted(m); len(entries) > 0 {
//		image, delta, err := metadata.Apply(image, entries...)
//	}
//
// After a restart the replica does not know the high watermark until it has
// heard from the leader (or leads); then everything from the log's start comes
// out again, so the owner starts from metadata.Empty. CaughtUp says when a
// broker has replayed all that was committed when it first asked.
//
// # What is left for later
//
// Quorums of more than one voter: New refuses them. The seams are there: votes
// and pre-votes go where becomeCandidate is, the high watermark is already the
// majority's offset, divergence is already resolved by truncation. Snapshots
// (FetchSnapshot) are not taken; the log is kept whole.
package raft
