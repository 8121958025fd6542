package broker

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/storage"
)

// Replica is a look at one of the broker's replicas. It is valid until the
// broker steps next; nothing reachable from it may be changed.
type Replica struct {
	TP             kafka.TopicPartition
	TopicID        kafka.TopicID
	Leads          bool         // takes itself for the leader
	Leader         kafka.NodeID // whom it takes for the leader; NoNode: nobody
	Epoch          kafka.LeaderEpoch
	PartitionEpoch kafka.PartitionEpoch
	EpochStart     kafka.Offset // as leader: log end offset when it became one
	HW             kafka.Offset
	Log            *storage.Log // log end offset, log start offset, records, segments
	MinISR         int          // effective min.insync.replicas
	Registration   *metadata.Partition

	// As leader.
	ISR        []kafka.NodeID // committed
	MaximalISR []kafka.NodeID // with a pending new member
	Pending    []kafka.NodeID // the ISR proposed to the controller; nil: none
	Waiting    int            // acks=all batches below the high watermark

	// As follower.
	Fetching bool          // a fetcher has it
	Delayed  kafka.Instant // back-off until then after an error; 0: none

	b *Broker
	p *partition
}

// Follower is what a leader knows of one follower.
type Follower struct {
	Node      kafka.NodeID
	LEO       kafka.Offset // NoOffset: it has not fetched in this leadership
	CaughtUp  kafka.Instant
	LastFetch kafka.Instant // kafka.Never: none
	Epoch     kafka.BrokerEpoch
	InSync    bool // by the lag rule
}

// Image is the metadata as this broker has replayed it.
func (b *Broker) Image() *metadata.Image { return b.img }

// Serving reports whether the logs are open and requests are answered.
func (b *Broker) Serving() bool { return b.loaded }

// Config is what the process was started with.
func (b *Broker) Config() Config { return b.cfg }

// Replicas is the number of replicas. ReplicaAt may find fewer.
func (b *Broker) Replicas() int { return len(b.parts) }

// ReplicaAt looks at replica i in 0..Replicas()-1; ok is false for one that was
// dropped.
func (b *Broker) ReplicaAt(i int) (r Replica, ok bool) {
	if p := b.parts[i]; p != nil {
		return b.look(p), true
	}
	return Replica{}, false
}

// Replica looks at this broker's replica of a partition.
func (b *Broker) Replica(tp kafka.TopicPartition) (r Replica, ok bool) {
	if i, _ := b.findName(tp.Topic, tp.Partition); i >= 0 {
		return b.look(b.parts[i]), true
	}
	return Replica{}, false
}

// ReplicaOf is Replica by topic id.
func (b *Broker) ReplicaOf(id kafka.TopicID, partition int32) (r Replica, ok bool) {
	if i, _ := b.find(id, partition); i >= 0 {
		return b.look(b.parts[i]), true
	}
	return Replica{}, false
}

// Standing is where a replica stands: the fields of Replica of the same names.
type Standing struct {
	Leads          bool
	Epoch          kafka.LeaderEpoch
	PartitionEpoch kafka.PartitionEpoch
	HW             kafka.Offset
	Log            *storage.Log
	MinISR         int
	EpochStart     kafka.Offset
	ISR            []kafka.NodeID
	MaximalISR     []kafka.NodeID
}

// Standing looks at this broker's replica of a partition by topic id. It costs
// less than Replica: laws ask after every event.
func (b *Broker) Standing(id kafka.TopicID, partition int32) (s Standing, ok bool) {
	i, _ := b.find(id, partition)
	if i < 0 {
		return s, false
	}
	p := b.parts[i]
	return Standing{
		Leads: b.leads(p), Epoch: p.leaderEpoch, PartitionEpoch: p.partitionEpoch, HW: p.hw, Log: b.log(p),
		MinISR: p.set.minISR, EpochStart: p.epochStart, ISR: p.isr, MaximalISR: p.maximal,
	}, true
}

// Glance is the little of ReplicaOf that an overview of a thousand needs.
func (b *Broker) Glance(id kafka.TopicID, partition int32) (leads bool, epoch kafka.LeaderEpoch, hw kafka.Offset, ok bool) {
	i, _ := b.find(id, partition)
	if i < 0 {
		return false, 0, 0, false
	}
	p := b.parts[i]
	return b.leads(p), p.leaderEpoch, p.hw, true
}

func (b *Broker) look(p *partition) Replica {
	return Replica{
		TP: p.tp, TopicID: p.id, Leads: b.leads(p), Leader: p.leader, Epoch: p.leaderEpoch,
		PartitionEpoch: p.partitionEpoch, EpochStart: p.epochStart, HW: p.hw, Log: b.log(p),
		MinISR: p.set.minISR, Registration: p.reg, ISR: p.isr, MaximalISR: p.maximal,
		Pending: p.pending.isr, Waiting: len(p.waits), Fetching: p.fetch.active && p.fetch.until == 0 && !p.fetch.failed,
		Delayed: p.fetch.until, b: b, p: p,
	}
}

// Followers is how many followers a leader counts.
func (r *Replica) Followers() int { return len(r.p.remotes) }

// FollowerID is the broker of follower i.
func (r *Replica) FollowerID(i int) kafka.NodeID { return r.p.remotes[i].node }

// Follower looks at follower i, in the order of assignment, at an instant.
func (r *Replica) Follower(i int, now kafka.Instant) Follower {
	m := &r.p.remotes[i]
	f := Follower{
		Node: m.node, LEO: m.leo, CaughtUp: r.b.lastCaughtUp(r.p, m), LastFetch: m.lastFetch, Epoch: m.epoch,
		InSync: r.b.isCaughtUp(m, r.Log.LEO(), now),
	}
	if m.session >= 0 {
		f.LastFetch = max(f.LastFetch, r.b.sessions[m.session].lastFetch)
	}
	if f.CaughtUp == longAgo {
		f.CaughtUp = kafka.Never
	}
	if f.LastFetch == longAgo {
		f.LastFetch = kafka.Never
	}
	return f
}

// ProducersKnown is how many idempotent producers a replica remembers.
func (r *Replica) ProducersKnown() int { return len(r.p.producers) }

// PurgatorySize counts what waits: Produce requests for the high watermark and
// parked fetches.
func (b *Broker) PurgatorySize() (produce, fetch int) {
	for _, d := range b.produces {
		if d != nil && d.req != nil {
			produce++
		}
	}
	for _, s := range b.sessions {
		if s != nil && s.parked {
			fetch++
		}
	}
	return produce, fetch
}
