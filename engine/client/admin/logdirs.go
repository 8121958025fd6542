package admin

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
)

// AlterLogDir moves a broker's replica of a partition to another of its log
// directories: kafka-reassign-partitions with log_dirs (KIP-113). The request is for
// that broker.
type AlterLogDir struct {
	Token  int32
	Broker sim.ActorID
	TP     kafka.TopicPartition
	Path   string
}

// addressed is an order that one broker carries out.
type addressed interface {
	broker() sim.ActorID
}

func (o AlterLogDir) token() int32        { return o.Token }
func (o AlterLogDir) broker() sim.ActorID { return o.Broker }
func (o AlterLogDir) what() string        { return "move " + o.TP.String() + " to " + o.Path }

func (o AlterLogDir) request() kmsg.Request {
	r := kmsg.NewPtrAlterReplicaLogDirsRequest()
	r.Version = 2
	t := kmsg.NewAlterReplicaLogDirsRequestDirTopic()
	t.Topic, t.Partitions = o.TP.Topic, []int32{o.TP.Partition}
	d := kmsg.NewAlterReplicaLogDirsRequestDir()
	d.Dir, d.Topics = o.Path, append(d.Topics, t)
	r.Dirs = append(r.Dirs, d)
	return r
}

// outcome takes NOT_LEADER_OR_FOLLOWER for success, as the tool does: the replica
// is made there when it comes.
func (o AlterLogDir) outcome(resp kmsg.Response) (kafka.ErrorCode, string) {
	r, _ := resp.(*kmsg.AlterReplicaLogDirsResponse)
	if r == nil || len(r.Topics) == 0 || len(r.Topics[0].Partitions) == 0 {
		return kafka.UnknownServerError, "The response names no partition."
	}
	switch code := kafka.ErrorCode(r.Topics[0].Partitions[0].ErrorCode); code {
	case kafka.LogDirNotFound:
		return code, "Log dir " + o.Path + " is not found in the config."
	case kafka.NotLeaderOrFollower:
		return kafka.None, "the replica will be made there"
	default:
		return code, ""
	}
}
