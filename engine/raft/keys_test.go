package raft

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Whoever is of another cluster is told so, whatever it asks; who does not say which
// cluster it is of, is taken for one of this (KafkaRaftClient.hasValidClusterId).
func TestOtherCluster(t *testing.T) {
	r := &Replica{cfg: Config{ID: 101, ClusterID: "here"}, voters: staticVoters([]kafka.NodeID{101, 102}), voted: nobody}
	for _, c := range []struct {
		id   *string
		want kafka.ErrorCode
	}{{kmsg.StringPtr("there"), kafka.InconsistentClusterID}, {kmsg.StringPtr("here"), kafka.None}, {nil, kafka.None}} {
		got := []kafka.ErrorCode{
			kafka.ErrorCode(r.voteAsked(0, &kmsg.VoteRequest{ClusterID: c.id}, nil, Machine{}).ErrorCode),
			kafka.ErrorCode(r.beginAsked(0, &kmsg.BeginQuorumEpochRequest{ClusterID: c.id}, nil, Machine{}).ErrorCode),
			kafka.ErrorCode(r.endAsked(0, &kmsg.EndQuorumEpochRequest{ClusterID: c.id}, nil, Machine{}).ErrorCode),
		}
		for i, code := range got {
			if (code == kafka.InconsistentClusterID) != (c.want == kafka.InconsistentClusterID) {
				t.Errorf("request %d: %v, want %v", i, code, c.want)
			}
		}
	}
}

// A vote is for a replica, not for an id: the file names the directory that got it.
func TestVotedDirectory(t *testing.T) {
	q := QuorumState{LeaderEpoch: 3, LeaderID: kafka.NoNode, VotedID: 102, VotedDirectory: [16]byte{0xd1, 15: 7}, Dynamic: true}
	want := `{"leaderId":-1,"leaderEpoch":3,"votedId":102,"votedDirectoryId":"0QAAAAAAAAAAAAAAAAAABw","data_version":1}`
	if got := string(q.File(nil)); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	r := &Replica{cfg: Config{ID: 101}, state: Unattached, leader: kafka.NoNode, voted: replicaKey{102, [16]byte{1}}}
	if !r.canGrant(replicaKey{102, [16]byte{1}}, true, false) || r.canGrant(replicaKey{102, [16]byte{2}}, true, false) {
		t.Error("a second vote goes to another directory of the same id")
	}
}
