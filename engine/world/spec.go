package world

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
)

// Spec is what a world is built from: the header of a scenario. It is plain
// data; New checks it and says what is wrong with field and fix.
type Spec struct {
	Seed    uint64
	Cluster ClusterSpec
	Topics  []TopicSpec  // created before instant 0
	Clients []ClientSpec // started at instant 0
}

// ClusterSpec describes the processes and the machines under them.
type ClusterSpec struct {
	Brokers     int // 1..30; node.id 1..Brokers, named broker-1...
	Controllers int // 0..5; node.id 101..., dedicated controllers; default 1 if Combined is 0
	// Combined is how many brokers, from the first on, are controllers as well
	// (process.roles=broker,controller); with Controllers at most 5.
	Combined int
	// KRaftVersion 0: voters are those of controller.quorum.voters; 1: the
	// controllers are formatted as the first voters, and others may join (KIP-853).
	KRaftVersion int
	Racks        []string       // rack of broker i is Racks[(i-1) % len]; none if empty
	Latency      kafka.Duration // one way, every link; default 1 ms
	Jitter       kafka.Duration // uniform 0..Jitter added per message; default 0.2 ms
	Bandwidth    int64          // bytes per second of every link; 0 is unlimited
	Configs      []Config       // broker configs (server.properties) of all nodes
}

// Config is one config under Kafka's own name.
type Config struct{ Name, Value string }

// TopicSpec is a topic to create.
type TopicSpec struct {
	Name              string
	Partitions        int // default 1
	ReplicationFactor int // default 3, or the number of brokers if fewer
	// Assignment gives the replicas of each partition in order; nil leaves the
	// placement to the controller.
	Assignment [][]kafka.NodeID
	Configs    []Config // topic configs
}

// ClientKind tells the kinds of client apart.
type ClientKind uint8

// The kinds of client.
const (
	ClientProducer ClientKind = iota
	ClientConsumer
)

// ClientSpec is a client process to start.
type ClientSpec struct {
	Kind ClientKind
	Name string
	User string // its principal; "": ANONYMOUS. There is no authentication

	// A producer's workload.
	Topic        string
	Partition    int32 // >= 0: records name their partition; -1: the partitioner decides
	RatePer1000s int64 // records per 1000 s; 0: only what produce commands send
	Count        int64 // stop after so many; 0 is no limit
	Keys         int64 // k0..k(Keys-1), uniformly drawn; 0: no key
	ValueBytes   int   // size of each value; default 100

	// A consumer's work.
	Group  string
	Topics []string               // subscribe (needs group management)
	Assign []kafka.TopicPartition // assign; Partition -1 stands for all partitions of the topic
	From   string                 // "", "earliest", "latest" or an offset: position to start from instead of the committed offset
	Work   kafka.Duration         // processing time per record
	// CommitFirst: the application commits what poll returned before it works on it.
	CommitFirst bool

	Configs []Config // producer or consumer configs under Kafka's names
}

// Verb is what a command does.
type Verb uint8

// The verbs, with the fields of Command that each reads.
const (
	VerbNone        Verb = iota
	VerbCrash            // Nodes: kill the processes; their machines keep the page cache. Clients too
	VerbPowerLoss        // Nodes: machines lose power; what was not flushed is gone
	VerbStart            // Nodes: start processes that are down
	VerbStop             // Nodes: clean shutdown (SIGTERM); for a client: close()
	VerbFreeze           // Nodes: the process stops (SIGSTOP); Thaw continues it
	VerbThaw             // Nodes
	VerbCut              // Nodes x Peers: packets are lost; OneWay: only from Nodes to Peers
	VerbHeal             // Nodes x Peers; both empty: everything
	VerbLink             // Nodes x Peers: Latency, Jitter, Bandwidth (unset ones stay)
	VerbDisk             // Nodes: Latency per write (slow disk; 0 is normal), Capacity in bytes of each log directory, Directory + Repair
	VerbSync             // Nodes: flush all dirty pages, as sync(1)
	VerbTopic            // Topic
	VerbDeleteTopic      // Name
	VerbClient           // Client
	VerbConfig           // ConfigOf + Name, Configs; an empty value deletes
	VerbProduce          // Name: producer; Record
	VerbSeek             // Name: consumer; Partition, To
	VerbCommit           // Name: consumer
	VerbPause            // Name: client: producer sends nothing new, consumer stops polling
	VerbResume           // Name: client
	VerbRate             // Name: producer; Rate
	VerbElect            // Partition, Unclean: kafka-leader-election

	VerbReassign         // Moves, Throttle: kafka-reassign-partitions --execute
	VerbCancelReassign   // Moves (only TP): --cancel
	VerbVerifyReassign   // Name: topic: --verify, which takes throttles off when all is done
	VerbCreatePartitions // Name: topic, Count: kafka-topics --alter --partitions
	VerbAddBroker        // Name: broker-N, the next free one, Rack: a new machine with a new broker
	VerbDeleteRecords    // Partition, To: an offset, or latest for the high watermark: kafka-delete-records
	VerbCorrupt          // Nodes, Partition, To: an offset: a bit of that record's batch flips on the disk; Name: "value" or "length"
	VerbAlterLogDir      // Nodes: a broker, Partition, Directory: kafka-reassign-partitions with log_dirs
	VerbQuota            // QuotaUser, QuotaClient, Quotas: kafka-configs --entity-type users, clients
	VerbAddController    // Name: controller-N, the next free one: a new machine with a new controller, an observer at first
	VerbAddVoter         // Name: a controller: kafka-metadata-quorum add-controller
	VerbRemoveVoter      // Name: a controller: kafka-metadata-quorum remove-controller
	VerbWipe             // Nodes, down: new disks, formatted with the node.id of before
)

// ConfigOf says whose configs a command changes.
type ConfigOf uint8

// The owners of configs.
const (
	ConfigOfTopic ConfigOf = iota
	ConfigOfBroker
	ConfigOfCluster
)

// Command is one order, of the scenario or of the user's hand. Which fields
// count depends on Verb. Text is the line that it was parsed from.
type Command struct {
	Verb  Verb
	Text  string
	Nodes []string // broker-1, controller-101, or a client's name; some verbs: all, rack-a
	Peers []string

	OneWay    bool
	Latency   kafka.Duration // -1: unset
	Jitter    kafka.Duration // -1: unset
	Bandwidth int64          // -1: unset; 0: unlimited
	Capacity  int64          // of a disk, in bytes; 0: unset; -1: unlimited
	Directory string         // a log directory to fail, or with Repair to repair
	Repair    bool

	Name      string
	Topic     TopicSpec
	Client    ClientSpec
	ConfigOf  ConfigOf
	Configs   []Config
	Record    RecordSpec
	Partition kafka.TopicPartition
	To        string // "earliest", "latest" or an offset
	Rate      int64  // records per 1000 s
	Unclean   bool

	Moves    []Move
	Throttle int64 // bytes per second; 0: none
	Count    int64 // partitions in all

	QuotaUser, QuotaClient metadata.QuotaPart
	Quotas                 [metadata.QuotaKinds]int64 // 0: none, -1: as it is

	Rack string // "": what the cluster's racks say, if it has some
}

// Move gives a partition other replicas.
type Move struct {
	TP       kafka.TopicPartition
	Replicas []kafka.NodeID // in their order; the first is preferred
}

// RecordSpec is a record, or N equal ones, for a producer to send.
type RecordSpec struct {
	Topic     string // "": the producer's own
	Partition int32  // -1: the partitioner decides
	Key       string
	HasKey    bool // an empty key is not the same as none
	Value     string
	Tombstone bool  // null value
	Timestamp int64 // Unix milliseconds; -1: the moment of sending
	N         int64 // how many; at least 1
}
