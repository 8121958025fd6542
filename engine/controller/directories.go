package controller

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
)

// Log directories of brokers (KIP-858). A broker lists those that it has when it
// registers, says where its replicas are with AssignReplicasToDirs, and names
// failed ones in its heartbeats. A replica whose directory is not online may not
// lead; see metadata.Image.OnlineReplica.

// directoriesOffline returns the records for directories that a heartbeat calls
// offline and that the registration still has: their replicas leave ISRs and
// lead no more (ReplicationControlManager.handleDirectoriesOffline).
func (c *Controller) directoriesOffline(id kafka.NodeID, offline [][16]byte) (recs []metadata.Record) {
	b := c.head.Broker(id)
	var left [][16]byte
	var gone [][16]byte
	for _, d := range b.LogDirs {
		if slices.Contains(offline, d) {
			gone = append(gone, d)
		} else {
			left = append(left, d)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	recs = c.leaderAndISR(update{remove: id, add: kafka.NoNode, unclean: kafka.NoNode}, func(p *metadata.Partition) bool {
		return slices.Contains(gone, p.Directory(id))
	})
	return append(recs, metadata.Latest(&metadata.BrokerRegistrationChangeRecord{BrokerID: id, BrokerEpoch: b.Epoch, LogDirs: left}))
}

// assignReplicas handles AssignReplicasToDirs
// (ReplicationControlManager.handleAssignReplicasToDirs). A replica in a directory
// that is offline by now leaves the ISR.
func (c *Controller) assignReplicas(req *kmsg.AssignReplicasToDirsRequest, out *sim.Out) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.AssignReplicasToDirsResponse)
	id := kafka.NodeID(req.BrokerID)
	if code := c.checkEpoch(id, kafka.BrokerEpoch(req.BrokerEpoch)); code != kafka.None {
		resp.ErrorCode = int16(code)
		return resp
	}
	var recs []metadata.Record
	for i := range req.Directories {
		rd := &req.Directories[i]
		ad := kmsg.AssignReplicasToDirsResponseDirectory{ID: rd.ID}
		online := slices.Contains(c.head.Broker(id).LogDirs, rd.ID)
		for j := range rd.Topics {
			rt := &rd.Topics[j]
			at := kmsg.AssignReplicasToDirsResponseDirectoryTopic{TopicID: rt.TopicID}
			t := c.head.TopicByID(rt.TopicID)
			for k := range rt.Partitions {
				n := rt.Partitions[k].Partition
				code, rec := c.assignReplica(id, t, n, rd.ID, online)
				if rec != nil {
					recs = append(recs, rec)
				}
				at.Partitions = append(at.Partitions, kmsg.AssignReplicasToDirsResponseDirectoryTopicPartition{Partition: n, ErrorCode: int16(code)})
			}
			ad.Topics = append(ad.Topics, at)
		}
		resp.Directories = append(resp.Directories, ad)
	}
	c.append(out, recs, why{})
	return resp
}

// assignReplica decides about one replica. Kafka writes two records for one in an
// offline directory, this controller one with both changes.
func (c *Controller) assignReplica(id kafka.NodeID, t *metadata.Topic, n int32, dir [16]byte, online bool) (kafka.ErrorCode, metadata.Record) {
	p := t.At(n)
	switch {
	case t == nil:
		return kafka.UnknownTopicID, nil
	case p == nil:
		return kafka.UnknownTopicOrPartition, nil
	case !slices.Contains(p.Replicas, id):
		return kafka.NotLeaderOrFollower, nil
	}
	u := noUpdate
	if !online {
		u.remove = id
	}
	b := c.changeBy(c.rules(t), t, n, u)
	b.isr = without(p.ISR, []kafka.NodeID{u.remove})
	if !online && c.uncleanEnabled(t) {
		b.election = electUnclean
	}
	b.assign(id, dir)
	if rec := b.build(); rec != nil {
		return kafka.None, rec
	}
	return kafka.None, nil
}

// assign gives a replica its log directory (PartitionChangeBuilder.setDirectory).
func (b *change) assign(id kafka.NodeID, dir [16]byte) {
	b.targetDirs = make([][16]byte, len(b.p.Replicas))
	copy(b.targetDirs, b.p.Directories)
	b.targetDirs[slices.Index(b.p.Replicas, id)] = dir
}
