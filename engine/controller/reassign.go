package controller

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A reassignment (KIP-455) first makes the replicas the union of old and new
// ones, the new ones first in their order. It is complete as soon as all that
// are to stay are in the ISR; then the others go, in the same record.
//
//	{1,2,3} ──to {4,2,3}──> {4,2,3,1} adding {4} removing {1} ──4 in the ISR──> {4,2,3}
//	   ^                            │
//	   └────────────cancel──────────┘

// alterReassignments handles AlterPartitionReassignments
// (ReplicationControlManager.alterPartitionReassignments).
func (c *Controller) alterReassignments(req *kmsg.AlterPartitionAssignmentsRequest, out *sim.Out) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.AlterPartitionAssignmentsResponse)
	rfChange := req.Version < 1 || req.AllowReplicationFactorChange
	resp.AllowReplicationFactorChange = rfChange
	var recs []metadata.Record
	for i := range req.Topics {
		t := &req.Topics[i]
		rt := kmsg.NewAlterPartitionAssignmentsResponseTopic()
		rt.Topic = t.Topic
		for j := range t.Partitions {
			p := &t.Partitions[j]
			rp := kmsg.NewAlterPartitionAssignmentsResponseTopicPartition()
			rp.Partition = p.Partition
			rec, f := c.reassign(t.Topic, p, rfChange)
			if f != nil {
				rp.ErrorCode, rp.ErrorMessage = int16(f.code), message(f.msg)
			} else if rec != nil {
				recs = append(recs, rec)
			}
			rt.Partitions = append(rt.Partitions, rp)
		}
		resp.Topics = append(resp.Topics, rt)
	}
	c.append(out, recs, why{})
	return resp
}

// reassign begins, changes or (null replicas) cancels one reassignment.
func (c *Controller) reassign(topic string, rp *kmsg.AlterPartitionAssignmentsRequestTopicPartition, rfChange bool) (*metadata.PartitionChangeRecord, *fault) {
	t := c.head.Topic(topic)
	if t == nil {
		return nil, failf(kafka.UnknownTopicOrPartition, "Unable to find a topic named %s.", topic)
	}
	p := t.At(rp.Partition)
	if p == nil {
		return nil, failf(kafka.UnknownTopicOrPartition, "Unable to find partition %s:%d.", topic, rp.Partition)
	}
	if rp.Replicas == nil {
		return c.cancelReassignment(t, rp.Partition, p)
	}
	target := nodeIDs(rp.Replicas)
	if f := c.validateAssignment(target, -1); f != nil {
		return nil, f
	}
	if !rfChange {
		now := len(without(union(p.Replicas, p.Adding), p.Removing))
		if now != len(target) {
			return nil, failf(kafka.InvalidReplicationFactor, "The replication factor is changed from %d to %d", now, len(target))
		}
	}
	b := c.change(t, rp.Partition, noUpdate)
	removing, adding := without(p.Replicas, target), without(target, p.Replicas)
	slices.Sort(removing)
	slices.Sort(adding)
	b.replicas = append(slices.Clone(target), removing...)
	if len(removing) > 0 {
		b.removing = removing
	}
	if len(adding) > 0 {
		b.adding = adding
	}
	return b.build(), nil
}

// cancelReassignment goes back to the replicas from before
// (PartitionReassignmentRevert). If none of them is in the ISR any more that
// loses records, so it needs unclean elections to be allowed.
func (c *Controller) cancelReassignment(t *metadata.Topic, partition int32, p *metadata.Partition) (*metadata.PartitionChangeRecord, *fault) {
	if !p.Reassigning() {
		return nil, failf(kafka.NoReassignmentInProgress, "No partition reassignment is in progress.")
	}
	b := c.change(t, partition, noUpdate)
	b.replicas, b.isr = without(p.Replicas, p.Adding), without(p.ISR, p.Adding)
	b.removing, b.adding = nil, nil
	unclean := c.uncleanEnabled(t)
	if len(b.isr) == 0 {
		if !unclean {
			return nil, failf(kafka.InvalidReplicaAssignment,
				"Unable to revert partition assignment for %s:%d because it would require an unclean leader election.", t.Name, partition)
		}
		b.isr = b.replicas[:1:1]
	}
	if unclean {
		b.election = electUnclean
	}
	return b.build(), nil
}

// listReassignments handles ListPartitionReassignments. No topics means all.
func (c *Controller) listReassignments(req *kmsg.ListPartitionReassignmentsRequest) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.ListPartitionReassignmentsResponse)
	asked := req.Topics
	if asked == nil {
		for _, t := range c.allPartitions() {
			asked = append(asked, kmsg.ListPartitionReassignmentsRequestTopic{Topic: t.Topic, Partitions: t.Partitions})
		}
	}
	for _, rt := range asked {
		at := kmsg.NewListPartitionReassignmentsResponseTopic()
		at.Topic = rt.Topic
		for _, i := range rt.Partitions {
			p := c.head.Partition(kafka.TopicPartition{Topic: rt.Topic, Partition: i})
			if p == nil || !p.Reassigning() {
				continue
			}
			ap := kmsg.NewListPartitionReassignmentsResponseTopicPartition()
			ap.Partition = i
			ap.Replicas, ap.AddingReplicas, ap.RemovingReplicas = int32s(p.Replicas), int32s(p.Adding), int32s(p.Removing)
			at.Partitions = append(at.Partitions, ap)
		}
		if len(at.Partitions) > 0 {
			resp.Topics = append(resp.Topics, at)
		}
	}
	return resp
}

func int32s(l []kafka.NodeID) []int32 {
	n := make([]int32, len(l))
	for i, id := range l {
		n[i] = int32(id)
	}
	return n
}

// completeReassignment ends a reassignment if all replicas that are to stay are
// in the target ISR (PartitionReassignmentReplicas.maybeCompleteReassignment).
func (b *change) completeReassignment() {
	if len(b.adding) == 0 && len(b.removing) == 0 {
		return
	}
	replicas, isr := without(b.replicas, b.removing), without(b.isr, b.removing)
	if len(replicas) == 0 || len(isr) == 0 || len(without(replicas, isr)) > 0 {
		return
	}
	b.replicas, b.isr, b.removing, b.adding = replicas, isr, nil, nil
}

// bumpEpochForRemoval raises the leader epoch when replicas go, so that a
// fetch of theirs is refused (triggerLeaderEpochBumpForReplicaReassignmentIfNeeded).
func (b *change) bumpEpochForRemoval() {
	if b.rec.Leader == metadata.NoLeaderChange && len(without(b.p.Replicas, b.replicas)) > 0 {
		b.rec.Leader = b.p.Leader
	}
}

// recordAssignment writes down what a reassignment changes (setAssignmentChanges).
func (b *change) recordAssignment() {
	dirs := b.p.Directories
	if b.targetDirs != nil && !slices.Equal(b.targetDirs, dirs) {
		dirs, b.rec.Directories = b.targetDirs, b.targetDirs
	}
	if !slices.Equal(b.replicas, b.p.Replicas) {
		b.rec.Replicas = list(b.replicas)
		b.rec.Directories = make([][16]byte, len(b.replicas))
		for i, n := range b.replicas {
			if j := slices.Index(b.p.Replicas, n); j < 0 {
				b.rec.Directories[i] = b.directory(n)
			} else if j < len(dirs) {
				b.rec.Directories[i] = dirs[j]
			}
		}
	}
	if !slices.Equal(b.removing, b.p.Removing) {
		b.rec.Removing = list(b.removing)
	}
	if !slices.Equal(b.adding, b.p.Adding) {
		b.rec.Adding = list(b.adding)
	}
}

// defaultDir is the log directory of a new replica: the broker's only one, or
// none yet (DirectoryId.UNASSIGNED).
func (c *Controller) defaultDir(id kafka.NodeID) (dir [16]byte) {
	if b := c.head.Broker(id); b != nil && len(b.LogDirs) == 1 {
		dir = b.LogDirs[0]
	}
	return dir
}
