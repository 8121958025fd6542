package controller

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
)

// election is how a leader may be chosen (PartitionChangeBuilder.Election).
type election uint8

const (
	electOnline  election = iota // keep the partition online, from ISR or ELR
	electPrefer                  // the first replica, if it is valid
	electUnclean                 // any live replica, rather than none
)

// change makes the record for one change of a partition
// (PartitionChangeBuilder.java, KIP-966). It lives for one decision only.
type change struct {
	p          *metadata.Partition
	topic      kafka.TopicID
	partition  int32
	acceptable func(kafka.NodeID) bool // alive and with an online log
	minISR     int                     // effective
	elr        bool                    // the cluster keeps ELRs
	// lastLeader: the last known ELR holds the last leader only, to elect it when
	// nobody else is left ("balanced recovery"). Kafka always has it on.
	lastLeader bool
	election   election

	isr        []kafka.NodeID // target
	unclean    []kafka.NodeID // replicas that were shut down uncleanly
	recovering bool           // target
	replicas   []kafka.NodeID // target
	removing   []kafka.NodeID // target
	adding     []kafka.NodeID // target
	// directory gives the log directory of a replica that is new (KIP-858).
	directory func(kafka.NodeID) [16]byte

	targetDirs            [][16]byte // by position in p.Replicas; nil: as they are
	targetELR, targetLast []kafka.NodeID
	rec                   *metadata.PartitionChangeRecord
}

// build returns the record, or nil if nothing changes.
func (b *change) build() *metadata.PartitionChangeRecord {
	b.rec = metadata.NewPartitionChange(b.topic, b.partition)
	b.targetELR, b.targetLast = b.p.ELR, b.p.LastKnownELR
	b.completeReassignment()
	b.populateELR()
	b.tryElection()
	b.bumpEpochForRemoval()
	b.recordELR()
	if b.rec.ISR == nil && (len(b.isr) > 0 || b.elr) && !slices.Equal(b.isr, b.p.ISR) {
		b.rec.ISR = list(b.isr)
	}
	b.recordLastLeader()
	b.recordAssignment()
	if b.recovering != b.p.Recovering {
		b.rec.RecoveryState = recoveryState(b.recovering)
	}
	if b.rec.IsNoOp() {
		return nil
	}
	return b.rec
}

func recoveryState(recovering bool) int8 {
	if recovering {
		return 1
	}
	return 0
}

// list makes a list that a record shows as changed even if it is empty.
func list(l []kafka.NodeID) []kafka.NodeID { return append(make([]kafka.NodeID, 0, len(l)), l...) }

// populateELR finds who else could lead without loss: whoever was in the ISR
// while it was too small, as long as its log is whole.
func (b *change) populateELR() {
	if !b.elr {
		return
	}
	if len(b.isr) >= b.minISR {
		b.targetELR, b.targetLast = nil, nil
		return
	}
	candidates := union(b.targetELR, b.p.ISR)
	b.targetELR = without(without(candidates, b.isr), b.unclean)
	candidates = union(candidates, b.targetLast)
	b.targetLast = without(without(candidates, b.isr), b.targetELR)
}

func (b *change) tryElection() {
	leader, unclean := b.elect()
	if leader == b.p.Leader {
		return
	}
	if slices.Contains(b.targetELR, leader) {
		b.isr = []kafka.NodeID{leader}
		b.targetELR = without(b.targetELR, b.isr)
	}
	b.rec.Leader = leader
	if unclean {
		// Whatever the others have that the new leader lacks is lost.
		b.rec.ISR = []kafka.NodeID{leader}
		if !b.p.Recovering {
			b.rec.RecoveryState = recoveryState(true)
		}
	}
}

// elect chooses the leader; NoNode if there is none to be had. unclean: records
// may be lost.
func (b *change) elect() (leader kafka.NodeID, unclean bool) {
	replicas := b.replicas
	if b.election == electPrefer && b.valid(replicas[0]) {
		return replicas[0], false
	}
	if b.valid(b.p.Leader) {
		return b.p.Leader, false
	}
	if i := slices.IndexFunc(replicas, b.valid); i >= 0 {
		return replicas[i], false
	}
	if b.canElectLastLeader() {
		return b.p.LastKnownELR[0], true
	}
	if b.election == electUnclean {
		if i := slices.IndexFunc(replicas, b.acceptable); i >= 0 {
			return replicas[i], true
		}
	}
	return kafka.NoNode, false
}

// valid reports whether a replica can lead without loss.
func (b *change) valid(r kafka.NodeID) bool {
	return (slices.Contains(b.isr, r) || len(b.isr) == 0 && slices.Contains(b.targetELR, r)) && b.acceptable(r)
}

func (b *change) canElectLastLeader() bool {
	return b.elr && b.lastLeader && len(b.isr) == 0 && len(b.targetELR) == 0 &&
		len(b.p.LastKnownELR) == 1 && b.acceptable(b.p.LastKnownELR[0])
}

func (b *change) recordELR() {
	if b.rec.ISR != nil || !b.elr { // an unclean election, or no ELR at all
		b.targetELR, b.targetLast = nil, nil
	}
	if !slices.Equal(b.targetELR, b.p.ELR) {
		b.rec.ELR = list(b.targetELR)
	}
	if !b.lastLeader && !slices.Equal(b.targetLast, b.p.LastKnownELR) {
		b.rec.LastKnownELR = list(b.targetLast)
	}
}

// recordLastLeader remembers the leader when the last ISR member goes, and
// forgets it when there is a leader again.
func (b *change) recordLastLeader() {
	if !b.lastLeader || !b.elr {
		return
	}
	last := b.p.LastKnownELR
	switch {
	case b.rec.ISR != nil && len(b.rec.ISR) == 0 && (len(last) != 1 || last[0] != b.p.Leader):
		b.rec.LastKnownELR = []kafka.NodeID{b.p.Leader}
	case len(last) > 0 && (b.rec.Leader >= 0 || b.p.Leader != kafka.NoNode && b.rec.Leader != kafka.NoNode):
		b.rec.LastKnownELR = []kafka.NodeID{}
	}
}

// union returns the members of both, sorted.
func union(a, b []kafka.NodeID) []kafka.NodeID {
	u := append(slices.Clone(a), b...)
	slices.Sort(u)
	return slices.Compact(u)
}

// without returns the members of a that are not in b.
func without(a, b []kafka.NodeID) []kafka.NodeID {
	return slices.DeleteFunc(slices.Clone(a), func(n kafka.NodeID) bool { return slices.Contains(b, n) })
}
