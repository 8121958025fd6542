package raft

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/sim/disk"
	"github.com/highwater-sim/highwater/engine/storage"
)

// TopicID is the id of __cluster_metadata (clients/common/Uuid.METADATA_TOPIC_ID).
var TopicID = kafka.TopicID{15: 1}

// Partition is the metadata log's.
var Partition = kafka.TopicPartition{Topic: kafka.TopicMetadata, Partition: 0}

// fetchVersion is the version of Fetch that replicas speak: the first that
// carries the follower's high watermark (KIP-1166).
const fetchVersion = 18

// fetchBytesMax bounds a fetch response (KafkaRaftClient.MAX_FETCH_SIZE_BYTES).
const fetchBytesMax = 8 << 20

// Config is what a replica is made of.
type Config struct {
	ID        kafka.NodeID
	Directory [16]byte       // directory.id of the metadata log (KIP-858); tells a voter from another with its id (KIP-853)
	Host      string         // of its CONTROLLER listener, which others find in the VotersRecord; only voters need it
	Voters    []kafka.NodeID // controller.quorum.voters, sorted; with dynamic voters controller.quorum.bootstrap.servers
	Dynamic   bool           // Voters are only whom to ask first: who votes, the log alone says (KIP-853)
	Seed      uint64
	ClusterID string // cluster.id: who sends another one is answered INCONSISTENT_CLUSTER_ID; "" is not compared

	AutoJoin       bool // controller.quorum.auto.join.enable: while it is an observer it asks to become a voter
	CanBecomeVoter bool // a controller: it flushes what it fetches even while it is an observer, for a leader may count it before it knows

	ElectionTimeout kafka.Duration // controller.quorum.election.timeout.ms: at least so long, and less than twice
	ElectionBackoff kafka.Duration // controller.quorum.election.backoff.max.ms

	FetchTimeout   kafka.Duration // controller.quorum.fetch.timeout.ms
	RequestTimeout kafka.Duration // controller.quorum.request.timeout.ms
	RetryBackoff   kafka.Duration // controller.quorum.retry.backoff.ms
	AppendLinger   kafka.Duration // controller.quorum.append.linger.ms
	FetchMaxWait   kafka.Duration // KafkaRaftClient.DEFAULT_FETCH_MAX_WAIT_MS

	SnapshotBytes    int64          // metadata.log.max.record.bytes.between.snapshots
	SnapshotInterval kafka.Duration // metadata.log.max.snapshot.interval.ms; 0: never for age
	RetentionBytes   int64          // metadata.max.retention.bytes; negative: no limit
	RetentionTime    kafka.Duration // metadata.max.retention.ms; negative: no limit
}

// NewConfig fills a config from a node's server.properties.
func NewConfig(id kafka.NodeID, voters []kafka.NodeID, seed uint64, static metadata.Static) Config {
	img := metadata.Empty()
	ms := func(name string) kafka.Duration { return img.BrokerDuration(id, static, name) }
	return Config{
		ID: id, Voters: slices.Sorted(slices.Values(voters)), Seed: seed,
		ElectionTimeout:  ms("controller.quorum.election.timeout.ms"),
		ElectionBackoff:  ms("controller.quorum.election.backoff.max.ms"),
		FetchTimeout:     ms("controller.quorum.fetch.timeout.ms"),
		RequestTimeout:   ms("controller.quorum.request.timeout.ms"),
		RetryBackoff:     ms("controller.quorum.retry.backoff.ms"),
		AppendLinger:     ms("controller.quorum.append.linger.ms"),
		FetchMaxWait:     500 * kafka.Millisecond,
		AutoJoin:         img.BrokerBool(id, static, "controller.quorum.auto.join.enable"),
		SnapshotBytes:    img.BrokerInt(id, static, "metadata.log.max.record.bytes.between.snapshots"),
		SnapshotInterval: ms("metadata.log.max.snapshot.interval.ms"),
		RetentionBytes:   img.BrokerInt(id, static, "metadata.max.retention.bytes"),
		RetentionTime:    ms("metadata.max.retention.ms"),
	}
}

// voters are those in effect as long as the log names none.
func (c *Config) voters() []Voter {
	if c.Dynamic {
		return nil
	}
	return staticVoters(c.Voters)
}

// check reports a config that no quorum can be made of.
func (c *Config) check() error {
	switch {
	case len(c.Voters) == 0:
		return errors.New("raft: controller.quorum.voters names nobody")
	case len(slices.Compact(slices.Clone(c.Voters))) != len(c.Voters):
		return fmt.Errorf("raft: controller.quorum.voters names a node twice: %v", c.Voters)
	}
	return nil
}

// Machine is what a replica uses of the machine that it runs on.
type Machine struct {
	Dir       *storage.Dir
	Quorum    *QuorumState
	Disk      *disk.Disk
	Snapshots *Snapshots
}

// QuorumState is the quorum-state file beside the log (raft/QuorumStateData):
// what a replica promised or knows of its epoch. It is durable as soon as it
// is written; Kafka flushes the file before it goes on.
type QuorumState struct {
	LeaderEpoch kafka.LeaderEpoch
	LeaderID    kafka.NodeID // NoNode: none known
	VotedID     kafka.NodeID // NoNode: no vote in this epoch
	// VotedDirectory is the directory of that candidate, as it was told (KIP-853).
	VotedDirectory [16]byte
	Dynamic        bool // voters are those of the log (data version 1)
}

// NewQuorumState is the state of a formatted machine, where there is no file.
func NewQuorumState() QuorumState {
	return QuorumState{LeaderID: kafka.NoNode, VotedID: kafka.NoNode}
}

// File is the file's text: with static voters data version 0, which names them,
// with dynamic ones version 1 (KIP-853).
func (q *QuorumState) File(voters []kafka.NodeID) []byte {
	if q.Dynamic {
		return fmt.Appendf(nil, `{"leaderId":%d,"leaderEpoch":%d,"votedId":%d,"votedDirectoryId":"%s","data_version":1}`,
			q.LeaderID, q.LeaderEpoch, q.VotedID, base64.RawURLEncoding.EncodeToString(q.VotedDirectory[:]))
	}
	v := make([]string, len(voters))
	for i, id := range voters {
		v[i] = `{"voterId":` + strconv.Itoa(int(id)) + `}`
	}
	return fmt.Appendf(nil, `{"clusterId":"","leaderId":%d,"leaderEpoch":%d,"votedId":%d,"appliedOffset":0,"currentVoters":[%s],"data_version":0}`,
		q.LeaderID, q.LeaderEpoch, q.VotedID, strings.Join(v, ","))
}

// Digest writes the file's content.
func (q *QuorumState) Digest(h *sim.Hash) {
	h.Int(int64(q.LeaderEpoch))
	h.Int(int64(q.LeaderID))
	h.Int(int64(q.VotedID))
	h.Bytes(q.VotedDirectory[:])
	h.Bool(q.Dynamic)
}
