package trace

import "github.com/highwater-sim/highwater/engine/kafka"

// ID numbers notes in the order in which they happened, from 1. It is the same
// for the same scenario, seed and edits, however the instant was reached.
type ID uint64

// Note is one thing that happened. Which fields mean something depends on Kind;
// Text prints them. A note is immutable once the kernel has stamped it.
type Note struct {
	// Stamped by the kernel.
	ID     ID
	Parent ID // the note that caused this one; 0 for none
	At     kafka.Instant
	Actor  int32 // the actor (sim.ActorID) that noted it

	Kind   Kind
	Topic  string
	Part   int32
	Node   kafka.NodeID // the broker or controller it is about
	Peer   kafka.NodeID // the other one, if any
	Offset kafka.Offset
	From   kafka.Offset // an earlier or lower offset, by kind
	Epoch  kafka.LeaderEpoch
	N      int64 // a count, a size in bytes, or a duration in nanoseconds, by kind
	Err    kafka.ErrorCode
	Who    string         // a client's name
	Took   kafka.Duration // how long it took; ProduceAcked: from sending the request to its response
	Say    string         // free words; rare kinds only
}

// Kind says what a note is about.
type Kind uint8

// The kinds, by the part of the cluster that they belong to. The comment names
// the fields that each uses besides Topic and Part.
const (
	KindNone Kind = iota

	// The user's hand and the scenario.
	Command     // Say: the command's text
	Say         // Say: prose of the scenario
	Expectation // Say: text; N: 1 held, 0 failed
	LawBroken   // Say: law and numbers

	// Processes and machines.
	Boot        // Node; Say: clean or unclean
	Crash       // Node; process killed, page cache kept
	PowerLoss   // Node; N: bytes of page cache lost
	LogRecovery // Node, Offset: log end offset after, From: recovery point
	Shutdown    // Node; clean

	// Links.
	LinkCut       // Node, Peer
	LinkHealed    // Node, Peer
	Disconnected  // Actor's connection to Peer ended; Say: reason
	RequestExpiry // Peer; Say: request name; N: timeout

	// Control.
	QuorumLeader           // Node, Epoch: the quorum's epoch
	BrokerRegistered       // Node, Offset: broker epoch
	BrokerFenced           // Node; Say: why
	BrokerUnfenced         // Node
	TopicCreated           // N: partitions
	LeaderElected          // Node (NoNode: none), Peer: previous, Epoch, Say: clean, unclean, preferred, elr
	ISRChanged             // Epoch, Say: "{1,2,3} -> {1,2}"
	ELRChanged             // Say
	AlterPartitionSent     // Node, Epoch, Say: proposed ISR
	AlterPartitionRejected // Node, Err
	ConfigChanged          // Say: name=value

	// Replication.
	BecameLeader   // Node, Epoch, Offset: epoch start
	BecameFollower // Node, Peer: leader, Epoch
	Append         // Node, Offset: last, From: first, Epoch, N: records
	Replicated     // Node (follower), Offset: last, From: first, Epoch
	HighWatermark  // Node, Offset: new, From: old; N: 1 by the leader, 0 by a follower
	Truncated      // Node, Offset: new log end offset, From: old, Epoch
	OutOfRange     // Node, Offset, From
	FetchError     // Node, Peer, Err

	// Clients.
	ProduceSent     // Who, Peer, N: records, Offset: base sequence or -1
	ProduceAcked    // Who, Peer, Offset: base offset, N: records
	ProduceRejected // Who, Peer, Err, N: records; will be retried
	ProduceFailed   // Who, Err, N: records; given up
	Delivered       // Who, From: first, Offset: last, N: records
	Committed       // Who (group in Say), Offset
	PositionReset   // Who, From: old, Offset: new, Say: policy
	ConsumerError   // Who, Err, Offset
	MetadataUpdated // Who, N: version
	AdminDone       // Err: None if it was done, Say: what, and why not

	// Storage.
	SegmentRolled // Node, Offset: base offset of the new segment
	LogStartMoved // Node, Offset
	Flushed       // Node, Offset: durable up to
	CorruptBatch  // Node, Offset

	// Control, continued.
	Reassignment // Node: leader, Epoch, Say: "begins: replicas {4,2,3,1} adding {4} removing {1}", completed or cancelled

	// The quorum.
	QuorumElection  // Node, Epoch, Say: pre-vote or vote
	QuorumResigned  // Node, Epoch
	QuorumVoters    // Node, Offset: of the VotersRecord, Say: the voters
	SnapshotWritten // Node, Offset: end, Epoch, N: records
	SnapshotFetched // Node, Peer: from whom, Offset: end, From: old log end, Epoch

	// Logs: retention, the cleaner, disks.
	SegmentDeleted   // Node, From: base offset, Offset: end offset, N: bytes, Say: why
	CleanerStarted   // Node, From: first dirty offset, Offset: first uncleanable offset, N: dirty bytes, Say: why
	CleanerWrote     // Node, From: base offset, Offset: end offset, N: records kept, Say: bytes before and after
	CleanerDone      // Node, Offset: cleaned up to, N: records dropped, Took, Say: counts
	CleanerAborted   // Node, Say: why
	HorizonSet       // Node, N: batches, Say: from when their tombstones and markers may go
	Uncleanable      // Node, Offset: log end offset, Say: what is wrong (KIP-346)
	DirectoryOffline // Node, Say: why
	BitFlipped       // Node, Offset, Say: of what

	// Clients, continued.
	PreferredReplica // Who, Node: leader, Peer: the replica to read from (KIP-392), Offset: position

	// Control, continued.
	DiskFormatted   // Node, N: bytes that were on its disks, Say: what the quorum makes of it
	DirectoriesLost // Node; the controller heard that log directories are offline; N: online ones that are left, From: before

	// Log directories, continued.
	ReplicaMoving // Node, Offset: log end offset, Say: from where to where (KIP-113)
	ReplicaMoved  // Node, Offset: log end offset, Say: from where to where

	kindCount
)

// What DiskFormatted says of a controller's place in the quorum.
const (
	SameVoter    = "votes as before, without its log"
	AnotherVoter = "another directory.id: not the voter that it was"
)
