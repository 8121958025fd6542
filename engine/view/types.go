package view

import "github.com/highwater-sim/highwater/engine/kafka"

// Cluster is the whole picture at Now. Lists have a stable order: by id, by
// name, by partition. A Cluster is reused from frame to frame by Build; who
// keeps one must not hold it over the next Build.
type Cluster struct {
	Now         kafka.Instant
	Event       uint64 // events so far
	Seed        uint64
	Controllers []Controller
	Brokers     []Broker
	Topics      []Topic // internal ones last
	Producers   []Producer
	Consumers   []Consumer
	Flights     []Flight
	Links       []Link // only those that differ from the cluster's normal link
	Ledger      Ledger // of all producers together
	Metrics     []Metric
	Violation   *Violation   // a broken law; the world stands still
	MetadataEnd kafka.Offset // end of the metadata log at its leader
	ClusterID   string       // cluster.id, the same for the same seed

	KRaftVersion int16 // kraft.version; 1: voters are those of the metadata log, and controllers may join (KIP-853)
}

// ProcessState is a process's state as a reader would say it.
type ProcessState uint8

// The states of a process.
const (
	Running    ProcessState = iota
	Starting                // booting, recovering logs, or registered and still fenced
	Stopping                // controlled shutdown
	Crashed                 // process killed, machine up
	PoweredOff              // machine without power
	Frozen
	Stopped // clean
)

// Controller is a member of the KRaft quorum.
type Controller struct {
	ID     kafka.NodeID
	State  ProcessState
	Role   string // Leader, Follower, Candidate... as Kafka prints them; Observer: it is no voter
	Epoch  int32  // quorum epoch
	LogEnd kafka.Offset
	HW     kafka.Offset

	Leader    kafka.NodeID // that it follows, or itself; NoNode if it knows none
	VotedFor  kafka.NodeID // in this epoch, by its quorum-state file; NoNode for none
	Combined  bool         // the process is a broker as well (process.roles=broker,controller)
	Voter     bool         // of the quorum, as its leader knows, or who knows most; else an observer
	LogStart  kafka.Offset
	Snapshots int             // of the metadata, on its disk
	Voters    []VoterProgress // while it leads: voters, then observers, by id
	Ballot    []Vote          // while Prospective (pre-votes) or Candidate: by voter, its own included
}

// Vote is what a voter has said in an election of the quorum.
type Vote struct {
	Voter            kafka.NodeID
	Granted, Refused bool // neither: no answer yet
}

// VoterProgress is what the quorum's leader knows of a replica of the metadata
// log, as DescribeQuorum tells it.
type VoterProgress struct {
	ID           kafka.NodeID
	Directory    [16]byte // zero with static voters
	Observer     bool
	Host         string // of its CONTROLLER listener; empty for an observer
	Port         uint16
	LogEnd       kafka.Offset // by its last fetch; NoOffset: it never fetched
	Lag          int64
	LastFetch    kafka.Instant // kafka.Never if it never did
	LastCaughtUp kafka.Instant // kafka.Never if it never was
}

// Broker is a broker process on its machine.
type Broker struct {
	ID             kafka.NodeID
	Name           string // broker-1
	Rack           string
	State          ProcessState
	Registered     bool
	Fenced         bool // as the controller sees it
	Epoch          kafka.BrokerEpoch
	LastHeartbeat  kafka.Instant  // at the controller; negative infinity is kafka.Never
	MetadataOffset kafka.Offset   // how far it has replayed the metadata log
	CutFrom        []kafka.NodeID // nodes it cannot send to or hear from
	DiskLatency    kafka.Duration // per write; 0 is normal
	LogDirs        []string       // paths of its log directories
	OfflineDirs    []string       // those of them that have failed
	DiskCapacity   int64          // bytes of log that the disk of each directory holds; 0: no limit
	DiskUsed       []int64        // bytes in each directory; none without a limit
	Dirs           []LogDir       // LogDirs with what they hold; only with Options.Dirs
	Leads          int            // partitions it leads, by the metadata
	Replicas       int
}

// LogDir is a log directory on a disk of its own.
type LogDir struct {
	Path     string
	Metadata bool // the metadata log is in it: without it the process stops
	Offline  bool
	Bytes    int64                  // all that is in it
	Capacity int64                  // 0: no limit
	Futures  []kafka.TopicPartition // replicas that move here (KIP-113)
	Gone     []GoneDir              // folders that were given up, oldest first
}

// GoneDir is a folder that a broker has given up and that still takes room.
type GoneDir struct {
	Name  string // t-0.<unique>-delete, or -stray
	Bytes int64
	Due   kafka.Instant // when it is deleted; Never: nobody does
}

// Topic is a topic with all its partitions.
type Topic struct {
	Name              string
	ID                kafka.TopicID
	Internal          bool
	ReplicationFactor int
	MinISR            int      // effective: at most the replication factor
	Configs           []Config // those that differ from the default
	Partitions        []Partition
}

// Config is a config with where its value comes from.
type Config struct {
	Name, Value, Default string
	Source               string // DYNAMIC_TOPIC_CONFIG, STATIC_BROKER_CONFIG, DEFAULT_CONFIG...
}

// Partition is one partition, by the controller's metadata and by its replicas.
type Partition struct {
	TP              kafka.TopicPartition
	Leader          kafka.NodeID
	LeaderEpoch     kafka.LeaderEpoch
	PartitionEpoch  kafka.PartitionEpoch
	Assigned        []kafka.NodeID
	ISR             []kafka.NodeID
	ELR             []kafka.NodeID
	LastKnownELR    []kafka.NodeID
	Adding          []kafka.NodeID // by a reassignment under way; part of Assigned
	Removing        []kafka.NodeID // at its end; still part of Assigned
	HW              kafka.Offset   // of the leader; of the last known state if there is none
	LEO             kafka.Offset   // of the leader
	UnderReplicated bool
	UnderMinISR     bool
	Replicas        []Replica // in the order of Assigned
}

// Replica is one broker's copy.
type Replica struct {
	Broker   kafka.NodeID
	Online   bool              // its broker runs and has the log open
	Leader   bool              // thinks it leads
	InISR    bool              // by the metadata
	Epoch    kafka.LeaderEpoch // of its own last metadata
	LogStart kafka.Offset
	HW       kafka.Offset // while the process is down: its checkpoint
	LSO      kafka.Offset // NoOffset while the process is down
	LEO      kafka.Offset
	Durable  kafka.Offset // flushed to its disk up to here; NoOffset if Options.Some left it out
	// CaughtUp is when it last had all that its leader had, as its leader
	// knows; kafka.Never if nobody knows.
	CaughtUp kafka.Instant
	Lag      int64 // records behind the leader's log end offset
	Segments int
	Bytes    int64
	Dir      string // path of its log directory; "": it has no log
	Cells    []Cell // the last records, oldest first; how many the caller asked for

	// A copy that grows in another log directory and will take this one's place
	// (KIP-113); FutureDir is "" if there is none.
	FutureDir string
	FutureLEO kafka.Offset

	// Of a compacted log on a broker that runs.
	CleanTo    kafka.Offset // an earlier pass of the cleaner has been over all below
	DirtyTo    kafka.Offset // up to here the next one could go
	CleanBytes int64        // in segments below CleanTo
	DirtyBytes int64        // in segments from there to DirtyTo
	Cleaning   string       // stage of a pass that is being made: "rewriting"; "": none
	CleaningAt kafka.Offset // where it is
	Cleaned    Cleaned      // what the pass has done so far
	CleanDone  int64        // how much of all the bytes that the pass reads it has read, in millionths
	Dead       bool         // uncleanable (KIP-346)
	// What the pass reads in its present step, and how far it is: from CleanFrom up
	// to CleanHead it has been, to CleanEnd it will go. While Rewriting, what it has
	// been over and keeps is in the new segment already; else it builds its offset map.
	CleanFrom, CleanHead, CleanEnd kafka.Offset
	Rewriting                      bool

	// CellsFrom is the first offset that Cells goes back to: from there to LEO an
	// offset without a cell is a gap that the cleaner left.
	CellsFrom kafka.Offset
	Epochs    []EpochStart   // leader epochs of the log, oldest first; those that begin at or after CellsFrom, and the one before them
	Extents   []Extent       // segments that hold something from CellsFrom on, oldest first; the last is the active one
	Indexed   []kafka.Offset // from CellsFrom on: last offsets of the batches that have an entry in the offset index
	// Divergent is how many offsets at its end the leader's log does not have like
	// this, by the leader epochs of both: what a follower would cut off (KIP-101).
	Divergent int64

	brief bool // Build left out what Options.Some allows it to
}

// EpochStart is where a leader epoch begins in a log.
type EpochStart struct {
	Epoch  kafka.LeaderEpoch
	Offset kafka.Offset
}

// Extent is a segment by its offsets.
type Extent struct {
	Base, End kafka.Offset // End is the next one's base, the log end offset of the active one
	Bytes     int64
	Active    bool
}

// Cleaned counts the records that a pass of the cleaner has been over, and why it
// dropped some.
type Cleaned struct {
	Read, Kept int64 // control records included
	Superseded int64 // a later record has the key
	Tombstones int64 // their horizon had passed
	Markers    int64 // of transactions
	Aborted    int64 // records of aborted transactions
	NullKeys   int64
	// Written and BytesRead are bytes of segments.
	BytesRead, Written int64
}

// Fate is what the cleaner will do with a record, as far as its pass knows.
type Fate uint8

// The fates.
const (
	Stays      Fate = iota
	Superseded      // a later record has its key
	Expired         // a tombstone whose delete horizon has passed
	NullKey         // it has no key
	Aborted         // of an aborted transaction
)

// Cell is one record, or one marker, as the picture shows it.
type Cell struct {
	Offset    kafka.Offset
	Batch     kafka.Offset // base offset of its batch
	Epoch     kafka.LeaderEpoch
	Key       string
	HasKey    bool
	Tombstone bool
	Control   bool
	Size      int // bytes of key and value
	Timestamp int64
	Producer  string // the client that sent it, "" if unknown
	Fate      Fate   // while the cleaner is over this log
	// Horizon is from when on the cleaner may drop a tombstone, or a marker, in ms
	// since 1970 (KIP-534); 0 if no pass has set it.
	Horizon int64
}

// Producer is a producing client.
type Producer struct {
	ID        int32 // actor
	Name      string
	User      string // principal; "": ANONYMOUS
	State     ProcessState
	Paused    bool
	Topic     string
	Acks      string // "0", "1", "all"
	Rate      int64  // records per 1000 s
	Queued    int    // records in the accumulator
	InFlight  int    // records sent and not answered
	Sent      int64  // records handed to send() so far
	Acked     int64
	Failed    int64
	Retries   int64
	Lost      int64 // acked, and on no replica that can still bring it back
	LastError kafka.ErrorCode
	Pending   []PendingBatch // oldest first
	Configs   []Config
}

// PendingBatch is a batch in the accumulator or in flight.
type PendingBatch struct {
	TP       kafka.TopicPartition
	Records  int
	Bytes    int
	InFlight bool
	Attempts int
}

// Consumer is a consuming client.
type Consumer struct {
	ID        int32
	Name      string
	User      string // principal; "": ANONYMOUS
	Group     string
	State     ProcessState
	Paused    bool
	Assigned  []Assigned
	Delivered int64 // records returned by poll so far
	LastError kafka.ErrorCode
	Configs   []Config
}

// Assigned is a partition that a consumer reads.
type Assigned struct {
	TP        kafka.TopicPartition
	Position  kafka.Offset // next to be returned by poll; NoOffset: not known yet
	Committed kafka.Offset // NoOffset: none
	End       kafka.Offset // high watermark as the leader has it
	Lag       int64        // End - Position
	ReadsFrom kafka.NodeID // the broker that it is fetched from: its leader, or a follower in the client's rack (KIP-392)
}

// Flight is a message on a link.
type Flight struct {
	ID       uint64 // stable while it flies
	From, To int32  // actors
	API      string // Produce, Fetch, Heartbeat...
	Response bool
	Held     bool // the link is cut: it waits for retransmission
	SentAt   kafka.Instant
	ArriveAt kafka.Instant
	Records  int                  // carried, if any
	TP       kafka.TopicPartition // the first it is about, if any
	Err      kafka.ErrorCode
	Bytes    int
	Say      string // of a vote: pre-vote, vote, granted, refused; else ""

	// Where it goes in a combined process: between quorum replicas, or between a broker
	// and the controller's listener.
	Quorum, Control bool
}

// Link is a link that a fault or a setting changed.
type Link struct {
	From, To  int32 // actors; one direction
	Cut       bool
	Latency   kafka.Duration
	Jitter    kafka.Duration
	Bandwidth int64
}

// Ledger counts what became of records.
type Ledger struct {
	Sent, Acked, Failed, Lost, Duplicated, Delivered, Reordered int64
}

// Metric is a number under the name that Kafka exports.
type Metric struct {
	Name  string // kafka.server:type=ReplicaManager,name=UnderReplicatedPartitions
	Label string // short name for the page
	Unit  string // "", "rec/s", "ms"
	Value int64
	Trail []int64 // the last minutes, oldest first
}

// Violation is a broken law.
type Violation struct {
	Law   string
	Text  string // with numbers
	At    kafka.Instant
	Event uint64
}

// LogLine is one line of the event log.
type LogLine struct {
	ID     uint64
	Parent uint64
	At     kafka.Instant
	Kind   string
	Text   string
	Weight int // 0 routine, 1 notable, 2 a change of leader, ISR or process, 3 loss or error
}

// Marker is a labelled instant on the scrubber.
type Marker struct {
	At    kafka.Instant
	Kind  string // step, fault, expect-ok, expect-failed, expect-open, ask, edit, election
	Label string
}

// Because is one step of an explanation, from the fact back to its origin.
type Because struct {
	At   kafka.Instant
	Text string
	Rule string        // KIP, config or Kafka source file behind it; may be empty
	Note uint64        // the trace note, 0 if computed
	Went kafka.Instant // when what the note tells of happened; At without a note
}

// Selection names a thing on the screen.
type Selection struct {
	Kind   string // "", broker, controller, replica, partition, topic, producer, consumer, flight, link, record, note
	Node   kafka.NodeID
	TP     kafka.TopicPartition
	Name   string // client or topic
	Offset kafka.Offset
	ID     uint64       // flight, note
	Peer   kafka.NodeID // link: the other end
}

// Detail is what the inspector shows of a selection.
type Detail struct {
	Title    string
	Subtitle string
	Gone     bool // it no longer exists at this instant
	Rows     []Row
	Why      []Because
	WhyTitle string   // "Why is the high watermark 118?"
	Configs  []Config // those that the user can turn
	ConfigOf string   // the command's object: "topic payments", "broker broker-1"
	Hex      []byte   // the bytes of a record's batch, if any
	Actions  []Action
	Files    []File // of a replica's folder
	FilesIn  string // that folder: orders-0
}

// Row is a name with a value.
type Row struct {
	Name, Value string
	Warn        bool
}

// Action is something that the user can do to the selection: a command in the
// scenario language and the button's words.
type Action struct{ Label, Command string }

// Options say how much Build fills in.
type Options struct {
	Cells   int // records per replica; 0 for none
	Flights bool
	Dirs    bool // what log directories hold: a walk over all logs
	// Some: look only into the logs of the partitions From to To-1, counted through
	// the topics that are not internal, in their order. Of all others Build tells
	// what a mark in an overview needs: of their replicas Online, Leader, InISR,
	// Epoch, LogStart, HW, LSO, LEO, CaughtUp and Lag, and leaves the rest empty.
	Some     bool
	From, To int
	Only     kafka.TopicPartition // one more to look into; no topic: none
}

// Step is one line of a lesson's timeline.
type Step struct {
	At    kafka.Instant
	Line  int    // in the scenario text, from 1
	Kind  string // command, say, ask, expect
	Text  string
	State string // todo, done, ok, failed
	Why   string // an expectation's result with its numbers
	Ask   *Question
}

// Question is a predict-then-see question.
type Question struct {
	Text    string
	Options []string
	Right   int // index into Options
}

// Info describes the open scenario.
type Info struct {
	ID      string // chapter/name, "" if it came from elsewhere
	Title   string
	Chapter string
	Prose   []string // paragraphs
	Seed    uint64
	End     kafka.Instant // when the scenario's script ends; the world goes on after it
}
