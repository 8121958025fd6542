// Package raft replicates the metadata log, __cluster_metadata-0: KRaft's
// quorum replica (raft/KafkaRaftClient.java, QuorumState.java; KIP-595, 630, 853,
// 996, 1166).
//
// It owns who leads the quorum and in which epoch, who its voters are, the order
// and durability of the log, its high watermark, its snapshots, and how observers
// follow it. It refuses the meaning of records: it writes what its owner appends
// and hands out what is committed.
//
//	controller: Append ─> linger ─> batch in the log ─> fsync ─┐
//	                                     │                     ├─> high watermark ─> TakeCommitted
//	voter:      Fetch (parked <= 500 ms) ┼─> its log ─> fsync ─┘   (answers parked fetches at once)
//	broker:     Fetch                    ┴─> its log, HW of the response
//
// States, as Kafka prints them; every change but to Prospective and back is in
// quorum-state before anything is said:
//
//	             election time-out              majority of pre-votes           majority of votes
//	Unattached ─────────────────────> Prospective ──────────────────> Candidate ─────────────────> Leader
//	    ^    ^                         ^   │ lost: back to where         │ time-out: Prospective     │ no majority fetched for
//	    │    │       fetch time-out    │   v it came from               v again                      │ 1.5 fetch time-outs, or
//	    │    └─────────────────────── Follower <── hears of a leader ────┘                           v shuts down
//	    └───────────────────────── higher epoch, no leader ──────────────── time-out, epoch+1 ─── Resigned
//
// A replica that is no voter is an Observer where a voter is a Follower, and
// never leaves that by itself.
//
// # How a process embeds it
//
// A Replica is volatile state: make one with New whenever the process starts.
// What survives is on the machine, which the process hands to every call:
//
//	m := raft.Machine{Dir: dir, Quorum: &quorumState, Disk: &disk, Snapshots: &snapshots}
//	r.Step(now, in, out, m)
//
// Give it InputBoot (after Dir.Start has recovered the logs, and before its
// other machines boot), every request, response and disconnection whose
// Channel is sim.ChanRaft, and every timer whose Owner is sim.OwnerRaft. After
// each call take what was committed and replay it, a snapshot first if there is
// one to take, and write one if it is time:
//
//	if recs, last, ok := r.TakeSnapshot(m); ok {
//		image, err = metadata.Load(recs, last)
//	}
//	if entries := r.TakeCommitted(m); len(entries) > 0 {
//		image, delta, err = metadata.Apply(image, entries...)
//	}
//	if r.SnapshotDue(now) {
//		r.WriteSnapshot(now, out, m, metadata.Snapshot(image))
//	}
//
// An owner that leads appends with Append, from the moment on in which Ready says
// so, and as long as Led is true for the epoch it began in.
//
// After a restart the replica does not know the high watermark until it has
// heard from the leader (or leads); then everything from the latest snapshot on
// comes out again, so the owner starts from metadata.Empty. CaughtUp says when a
// broker has replayed all that was committed when it first asked.
//
// # Dynamic voters
//
// With kraft.version 1 (KIP-853) the last VotersRecord in the log says who votes,
// committed or not; a replica whose log names nobody asks
// controller.quorum.bootstrap.servers who leads, and so does every observer without
// a leader. A list that names none of those who know the leader leaves it alone.
//
//	AddRaftVoter ─> is it a voter? ─> ApiVersions to it ─> has it caught up? ─> VotersRecord ─> committed: answer
//	RemoveRaftVoter ───────────────────────────────────────────────────────────> VotersRecord ─> committed: answer,
//	                                                                                and a leader that is gone resigns
//
// A voter is an id and a directory: on a new disk it observes, and the old one has to
// be removed before the new one is added. One whose listener or kraft.versions are
// others than its VotersRecord says tells the leader (UpdateRaftVoter), every fetch
// time-out until they are the same; a leader itself does not.
//
// A controller with controller.quorum.auto.join.enable asks for its vote itself, and
// asks again when it was removed.
//
// As in Kafka a replica that its own log does not name never stands for election.
// A leader of two that removes itself and resigns before the other has the record
// has the longer log, so the other is not elected either: nobody leads until the
// record is lost or the disk replaced.
//
// # Where it is simpler than Kafka
//
// A follower that waits for its fsync goes on answering votes, with what it has
// appended; a Kafka process stands still. Old snapshots are looked for when one
// is written, not every minute. With kraft.version 0 no voter sends UpdateRaftVoter, as
// kraft.version is never raised. Peers are found by node.id, whatever host a
// VotersRecord names.
package raft
