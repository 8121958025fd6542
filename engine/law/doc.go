// Package law holds what must be true of the cluster after every event, one
// file per law, and the ledger of what became of every record.
//
//	notes ──> Checker.Noted: which partitions moved
//	marks ──> Checker.Acted: which members of the quorum moved
//	event ──> Checker.Happened: look at those, and only those ──> *Violation
//	query ──> Ledger.Update: read what was appended since ──> stored, lost, duplicated
//
// The laws of a partition, with the rule of Kafka that each keeps, and its names in
// the literature: the TLA+ models of Gustafson (G) and Vanlightly (V), and Kafka's
// own RaftEventSimulationTest (K).
//
//	one leader             a leader epoch has one leader (KIP-101). K SingleLeader
//	epoch                  leader and partition epochs do not go back, at the controller and at
//	                       each broker; another leader has another epoch. K MonotonicEpoch
//	high watermark         never above the log end offset of a member of the maximal ISR
//	                       (KIP-497). G WeakIsr, V ReplicationQuorum
//	monotone               does not go back within a leadership. K MonotonicHighWatermark
//	frozen high watermark  stands still below min.insync.replicas (KIP-966)
//	committed prefix       below it all in-sync logs are equal, and a new leader has the last
//	                       committed record, of its epoch. G WeakIsr, V LeaderCompleteness,
//	                       NoCommittedRecordLost
//	leader candidate       so has everybody in the controller's ISR and ELR, and they agree with
//	                       whoever still takes itself for the leader. G StrongIsr, V
//	                       LeaderCandidateCompleteness
//	log matching           same offset and leader epoch, same batch (KIP-101). V LogMatching
//	quorum superset        a leader's maximal ISR holds the controller's ISR, and its ELR once the
//	                       high watermark may move. V ReplicationQuorumSuperset
//	joining the ISR        who is proposed has reached the start of the leader epoch
//	                       (Partition.isFollowerInSync)
//	leader in ISR          G LeaderInIsr, V ValidControllerIsrAndElr
//	no fenced broker in ISR  V ValidBrokerState, ValidControllerState
//	ELR                    apart from the ISR, and empty unless that is too small (KIP-966).
//	                       V ValidControllerIsrAndElr
//	unclean restart        who ended uncleanly comes back to no ISR and no ELR (KIP-966)
//	unclean choice         from outside ISR and ELR only if it was allowed or asked for
//	acks                   acks=all is answered for what the high watermark covers only
//	committed read         consumers are given such records only. V ConsistentRead
//	retention              a log start offset is never above the high watermark
//	cleaner                a compacted log says the same of every key as one that is cleaned
//	                       differently
//
// And those of the metadata quorum:
//
//	quorum epoch           quorum-state's epoch does not go back. K MonotonicEpoch
//	quorum leader          an epoch has one, whose log has all that was committed. K SingleLeader,
//	                       V NeverTwoLeadersInSameEpoch, LeaderHasAllAckedValues
//	quorum high watermark  does not go back. K MonotonicHighWatermark, V AckedValueNotLost
//	quorum majority        it is on the logs of a majority. K MajorityReachedHighWatermark
//	metadata log           below it all logs are the same. K ConsistentCommittedData, V
//	                       MetadataLogMatching, NoLogDivergence
//	quorum snapshot        a log begins at 0 or where a snapshot ends; a leader loads none.
//	                       K SnapshotAtLogStart, LeaderNeverLoadSnapshot
//
// # What is excused
//
// Losses that Kafka does not exclude are not violations. What was lost then is the
// ledger's to tell.
//
//   - A replica whose machine lost power with unwritten pages is excused until it
//     has again what any replica had at that moment: its leader may still count on
//     what it acknowledged.
//   - The committed prefix may shrink if at least min.insync.replicas replicas are
//     excused so (without ELR: one), or in an unclean election. The last known leader
//     is elected when nobody else is left, which counts as one (KIP-966).
//   - Leaders that were deposed before such a loss do not count any more, nor does what
//     a member does that the controller has let go.
//   - A replica that lost records for which older ones had been cleaned lacks keys.
//   - A leader may forget an ISR that it has proposed, see superset.
//   - A cancelled reassignment may leave a replica in the ELR that is none any more.
//   - A killed controller leaves pages that its next process acknowledges without an
//     fsync, as Kafka's does; a loss of power before they are written may take
//     committed metadata.
//   - A disk that was formatted again holds nothing. With static voters the controller
//     on it votes as before: once committed metadata is gone, or an epoch has a second
//     leader, nothing is checked any more.
//
// # Do they catch anything?
//
// TestMutations breaks rules of the engine one at a time and has highwater soak run
// on what comes of it. With the laws and seeds of today:
//
//	broken rule                                         broken law              seeds
//	the high watermark is the leader's log end offset   high watermark              1
//	the high watermark moves below min.insync.replicas  frozen high watermark       1
//	the ISR takes a follower before the epoch's start   joining the ISR             6
//	a follower does not truncate where it diverges      liveness                    1
//	a follower truncates to its high watermark          leader candidate          109
//	acks=all is answered before the high watermark      acks                        1
//	consumers read up to the log end offset             committed read              1
//	anybody alive is elected                            unclean choice              1
//	a new leader has the old leader epoch               epoch                       1
//	a fenced broker stays in the ISR                    no fenced broker in ISR     1
//	a broker that ended uncleanly stays in the ELR      unclean restart             2
//	a full ISR leaves an ELR                            ELR                         1
//	a voter votes for a shorter log                     quorum leader               4
//	a voter votes twice in an epoch                     quorum leader               4
//	a minority commits metadata                         quorum majority             1
//	the cleaner drops the latest value                  cleaner                     4
//	retention takes what is not committed               retention                   4
//
// Liveness is what the soak demands after its faults: all replicas in sync, all
// brokers unfenced, all records answered, every high watermark at the log's end.
//
// The package owns checking and counting. It refuses to change anything, and to
// know processes or time travel: it reads a Cluster.
package law
