package law

import (
	"fmt"
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
)

// registrations looks at the partitions whose registration has changed in the
// committed metadata, and at all of them when brokers came or went.
func (c *Checker) registrations(cl Cluster) {
	img, was := cl.Image(), c.img
	if img == was || was != nil && img.Offset < was.Offset {
		return // an older one: nobody is in office
	}
	c.img = img
	if was == nil {
		was = metadata.Empty()
	}
	brokers := len(img.Brokers) != len(was.Brokers) || len(img.Brokers) > 0 && &img.Brokers[0] != &was.Brokers[0]
	for _, t := range img.Topics {
		old := was.Topic(t.Name)
		if old == t && !brokers {
			continue
		}
		if old != nil && old.ID != t.ID {
			old = nil
		}
		for i, is := range t.Partitions {
			var before *metadata.Partition
			if old != nil {
				before = old.At(int32(i))
			}
			if is != before || brokers {
				c.registration(cl, t, int32(i), before)
			}
		}
	}
	if brokers {
		c.cameBack(was, img)
	}
}

// registration holds the laws of the controller's state for one partition.
func (c *Checker) registration(cl Cluster, t *metadata.Topic, part int32, was *metadata.Partition) {
	tp, is := kafka.TopicPartition{Topic: t.Name, Partition: part}, t.At(part)
	c.leaderInISR(tp, is)
	c.noFenced(tp, is)
	c.eligible(cl, tp, was, is)
	if was != nil && was != is {
		c.registeredEpochs(tp, was, is)
	}
	if p, i := c.part(tp.Topic, tp.Partition); was != is {
		if p.id != t.ID {
			p.reborn(t.ID)
		}
		if was != nil && len(was.ISR) == 0 && is.Leader == kafka.NoNode && len(is.ISR) > 0 && cl.UncleanAllowed(tp.Topic) {
			p.unclean, p.judged = true, is.LeaderEpoch // a cancelled reassignment (KIP-455)
		}
		p.moved = true
		if is.Leader != kafka.NoNode {
			p.last = is.Leader
		}
		c.look(p, i)
	}
}

// leaderInISR: a leader is in the ISR, and who is in it is a replica (LeaderInIsr).
func (c *Checker) leaderInISR(tp kafka.TopicPartition, is *metadata.Partition) {
	if is.Leader != kafka.NoNode && !slices.Contains(is.ISR, is.Leader) {
		c.broken("leader in ISR", fmt.Sprintf("%s is led by broker %d, its ISR is %v", tp, is.Leader, is.ISR))
	}
	if n := notIn(is.ISR, is.Replicas); n != kafka.NoNode {
		c.broken("leader in ISR", fmt.Sprintf("%s has broker %d in its ISR %v, its replicas are %v", tp, n, is.ISR, is.Replicas))
	}
}

// noFenced: a broker that is fenced or unknown is in no ISR (ValidBrokerState,
// ValidControllerState). Without ELR the last of an ISR stays, without leading.
func (c *Checker) noFenced(tp kafka.TopicPartition, is *metadata.Partition) {
	for _, n := range is.ISR {
		if b := c.img.Broker(n); b != nil && !b.Fenced {
			continue
		}
		if c.img.ELREnabled() || len(is.ISR) > 1 || is.Leader != kafka.NoNode {
			c.broken("no fenced broker in ISR", fmt.Sprintf("%s has the fenced broker %d in its ISR %v", tp, n, is.ISR))
		}
	}
}

// eligible: ISR and ELR have nobody in common, who is in the ELR is a replica,
// and there is an ELR only while the ISR is smaller than min.insync.replicas
// (ValidControllerIsrAndElr, KIP-966).
func (c *Checker) eligible(cl Cluster, tp kafka.TopicPartition, was, is *metadata.Partition) {
	if len(is.ELR) == 0 {
		return
	}
	if n := notIn(is.ELR, is.Replicas); n != kafka.NoNode && !leftover(n, was) {
		c.broken("ELR", fmt.Sprintf("%s has broker %d in its ELR %v, its replicas are %v", tp, n, is.ELR, is.Replicas))
	}
	for _, n := range is.ELR {
		if slices.Contains(is.ISR, n) {
			c.broken("ELR", fmt.Sprintf("%s has broker %d in both its ISR %v and its ELR %v", tp, n, is.ISR, is.ELR))
		}
	}
	if minISR := min(cl.MinISR(tp), len(is.Replicas)); len(is.ISR) >= minISR {
		c.broken("ELR", fmt.Sprintf("%s has ISR %v, no smaller than min.insync.replicas=%d, and still the ELR %v", tp, is.ISR, minISR, is.ELR))
	}
}

// leftover reports whether a cancelled reassignment may have left a replica of its
// in the ELR: PartitionChangeBuilder does not look who is a replica still. It
// elects replicas only, so that this does no harm.
func leftover(n kafka.NodeID, was *metadata.Partition) bool {
	return was != nil && (slices.Contains(was.ISR, n) || slices.Contains(was.ELR, n)) &&
		(slices.Contains(was.Adding, n) || !slices.Contains(was.Replicas, n))
}

// registeredEpochs: leader and partition epochs do not go back, and another
// leader has another leader epoch (MonotonicEpoch).
func (c *Checker) registeredEpochs(tp kafka.TopicPartition, was, is *metadata.Partition) {
	if is.LeaderEpoch < was.LeaderEpoch || is.PartitionEpoch < was.PartitionEpoch {
		c.broken("epoch", fmt.Sprintf("%s went from leader epoch %d, partition epoch %d to %d, %d", tp, was.LeaderEpoch, was.PartitionEpoch, is.LeaderEpoch, is.PartitionEpoch))
	}
	if is.Leader != was.Leader && is.LeaderEpoch == was.LeaderEpoch {
		c.broken("epoch", fmt.Sprintf("%s has leader %d after %d, both of leader epoch %d", tp, is.Leader, was.Leader, is.LeaderEpoch))
	}
}

// cameBack: a broker that ended uncleanly is in no ISR and no ELR when it has
// registered again, for the end of its log may be gone (KIP-966).
func (c *Checker) cameBack(was, img *metadata.Image) {
	for i := range img.Brokers {
		b := &img.Brokers[i]
		old := was.Broker(b.ID)
		if old == nil || old.Epoch == b.Epoch {
			continue
		}
		if slices.Contains(c.returned, comeback{b.ID, b.Epoch}) {
			c.inNoISR(img, b.ID)
		}
		c.returned = slices.DeleteFunc(c.returned, func(r comeback) bool { return r.node == b.ID && r.epoch <= b.Epoch })
	}
}

func (c *Checker) inNoISR(img *metadata.Image, n kafka.NodeID) {
	if !img.ELREnabled() {
		return
	}
	for _, t := range img.Topics {
		for i, p := range t.Partitions {
			if slices.Contains(p.ISR, n) || slices.Contains(p.ELR, n) {
				c.broken("unclean restart", fmt.Sprintf("%s-%d has broker %d in ISR %v or ELR %v, though it has just come back from an unclean end",
					t.Name, i, n, p.ISR, p.ELR))
			}
		}
	}
}

// notIn returns the first of a that is not in b; NoNode if there is none.
func notIn(a, b []kafka.NodeID) kafka.NodeID {
	for _, n := range a {
		if !slices.Contains(b, n) {
			return n
		}
	}
	return kafka.NoNode
}
