package controller

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// alterPartition handles AlterPartition v3, by which a leader changes its ISR
// (ReplicationControlManager.alterPartition; KIP-497, KIP-841, KIP-903).
func (c *Controller) alterPartition(req *kmsg.AlterPartitionRequest, out *sim.Out) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.AlterPartitionResponse)
	from := kafka.NodeID(req.BrokerID)
	if code := c.checkEpoch(from, kafka.BrokerEpoch(req.BrokerEpoch)); code != kafka.None {
		resp.ErrorCode = int16(code)
		return resp
	}
	var recs []metadata.Record
	for i := range req.Topics {
		rt := &req.Topics[i]
		at := kmsg.NewAlterPartitionResponseTopic()
		at.TopidID = rt.TopicID
		t := c.head.TopicByID(kafka.TopicID(rt.TopicID))
		for j := range rt.Partitions {
			rp := &rt.Partitions[j]
			ap, rec := c.alterOne(from, t, rp)
			if rec != nil {
				recs = append(recs, rec)
			}
			if code := kafka.ErrorCode(ap.ErrorCode); code != kafka.None {
				n := trace.Note{Kind: trace.AlterPartitionRejected, Part: rp.Partition, Node: from, Err: code}
				if t != nil {
					n.Topic = t.Name
				}
				out.Note(n)
			}
			at.Partitions = append(at.Partitions, ap)
		}
		resp.Topics = append(resp.Topics, at)
	}
	c.append(out, recs, why{})
	return resp
}

// alterOne decides about one partition.
func (c *Controller) alterOne(from kafka.NodeID, t *metadata.Topic, rp *kmsg.AlterPartitionRequestTopicPartition) (kmsg.AlterPartitionResponseTopicPartition, metadata.Record) {
	ap := kmsg.NewAlterPartitionResponseTopicPartition()
	ap.Partition = rp.Partition
	if t == nil {
		ap.ErrorCode = int16(kafka.UnknownTopicID)
		return ap, nil
	}
	p := t.At(rp.Partition)
	if code := c.validateAlter(from, p, rp); code != kafka.None {
		ap.ErrorCode = int16(code)
		return ap, nil
	}
	b := c.change(t, rp.Partition, noUpdate)
	b.isr = newISR(rp)
	b.recovering = rp.LeaderRecoveryState == 1
	if c.uncleanEnabled(t) {
		b.election = electUnclean
	}
	rec := b.build()
	after := *p
	if rec != nil {
		after = p.Merge(rec)
		if rec.Leader != metadata.NoLeaderChange && rec.Leader != from {
			ap.ErrorCode = int16(kafka.NewLeaderElected)
			return ap, rec
		}
	}
	ap.LeaderID, ap.LeaderEpoch = int32(after.Leader), int32(after.LeaderEpoch)
	for _, n := range after.ISR {
		ap.ISR = append(ap.ISR, int32(n))
	}
	ap.LeaderRecoveryState = recoveryState(after.Recovering)
	ap.PartitionEpoch = int32(after.PartitionEpoch)
	if rec == nil {
		return ap, nil
	}
	return ap, rec
}

func newISR(rp *kmsg.AlterPartitionRequestTopicPartition) []kafka.NodeID {
	l := make([]kafka.NodeID, len(rp.NewEpochISR))
	for i := range rp.NewEpochISR {
		l[i] = kafka.NodeID(rp.NewEpochISR[i].BrokerID)
	}
	return l
}

// validateAlter checks a proposal (validateAlterPartitionData). A newer epoch
// than the controller's own means that it is the controller which is behind.
func (c *Controller) validateAlter(from kafka.NodeID, p *metadata.Partition, rp *kmsg.AlterPartitionRequestTopicPartition) kafka.ErrorCode {
	if p == nil {
		return kafka.UnknownTopicOrPartition
	}
	leaderEpoch, partitionEpoch := kafka.LeaderEpoch(rp.LeaderEpoch), kafka.PartitionEpoch(rp.PartitionEpoch)
	isr := newISR(rp)
	recovering := rp.LeaderRecoveryState == 1
	switch {
	case leaderEpoch > p.LeaderEpoch, partitionEpoch > p.PartitionEpoch:
		return kafka.NotController
	case leaderEpoch < p.LeaderEpoch:
		return kafka.FencedLeaderEpoch
	case from != p.Leader:
		return kafka.InvalidRequest
	case partitionEpoch < p.PartitionEpoch:
		return kafka.InvalidUpdateVersion
	case !subset(isr, p.Replicas), !slices.Contains(isr, p.Leader):
		return kafka.InvalidRequest
	case recovering && (len(isr) > 1 || !p.Recovering):
		return kafka.InvalidRequest
	}
	for i := range rp.NewEpochISR {
		if n := &rp.NewEpochISR[i]; !c.eligible(kafka.NodeID(n.BrokerID), n.BrokerEpoch) {
			return kafka.IneligibleReplica
		}
	}
	return kafka.None
}

// eligible reports whether a replica may be in an ISR: its broker is alive and
// the one that the leader has heard from (KIP-903). Epoch -1 is not checked.
func (c *Controller) eligible(id kafka.NodeID, epoch int64) bool {
	return c.head.Active(id) && (epoch == -1 || int64(c.head.Broker(id).Epoch) == epoch)
}

// subset reports whether a list names members of another one, each once, and
// not none (Replicas.validateIsr).
func subset(l, of []kafka.NodeID) bool {
	for i, n := range l {
		if !slices.Contains(of, n) || slices.Contains(l[:i], n) {
			return false
		}
	}
	return len(l) > 0
}
