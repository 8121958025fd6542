package broker

import (
	"slices"
	"strconv"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
)

// pendingISR is a change that the controller has not confirmed
// (PendingExpandIsr, PendingShrinkIsr). The zero value is none.
type pendingISR struct {
	id     int64 // of the proposal; 0: none
	isr    []kafka.NodeID
	expand bool
}

// alterPartition is the queue of proposals (DefaultAlterPartitionManager): one
// request at a time, with everything proposed meanwhile in the next.
type alterPartition struct {
	lastID   int64
	queue    []proposal
	inFlight []proposal
}

type proposal struct {
	part int32
	id   int64
}

func (a *alterPartition) clone() alterPartition {
	c := *a
	c.queue, c.inFlight = slices.Clone(a.queue), slices.Clone(a.inFlight)
	return c
}

// commitISR sets the committed ISR and forgets what was pending.
func (p *partition) commitISR(isr []kafka.NodeID) {
	p.isr, p.maximal, p.pending = isr, isr, pendingISR{}
}

// leadISR is commitISR for a leader. Followers that are out now are looked at
// with each of their fetches, which need not name the partition, until they are
// in again.
func (b *Broker) leadISR(p *partition, isr []kafka.NodeID) {
	p.commitISR(isr)
	for _, w := range p.watchers {
		if s := b.sessions[w.session]; s.replica >= 0 && !slices.Contains(isr, s.replica) {
			b.mutSession(w.session).mark(w.pos)
		}
	}
}

// eligible reports whether a follower may join the ISR: not fenced, not
// shutting down, and its fetches come from the registered incarnation (KIP-903).
func (b *Broker) eligible(r *remote) bool {
	reg := b.registrationOf(r.node)
	return reg != nil && !reg.Fenced && !reg.InControlledShutdown && r.epoch == reg.Epoch
}

// registrationOf finds a broker's registration by a walk, which for a handful of
// brokers beats a search that copies them.
func (b *Broker) registrationOf(id kafka.NodeID) *metadata.Broker {
	for i := range b.img.Brokers {
		if r := &b.img.Brokers[i]; r.ID == id {
			return r
		}
	}
	return nil
}

// maybeExpand proposes a follower for the ISR if it has reached the high
// watermark and the start of this leader epoch (Partition.maybeExpandIsr).
func (b *Broker) maybeExpand(now kafka.Instant, p *partition, r *remote, out *sim.Out) {
	if p.pending.id != 0 || slices.Contains(p.isr, r.node) || !b.eligible(r) {
		return
	}
	if r.leo < p.hw || r.leo < p.epochStart {
		return
	}
	isr := append(slices.Clone(p.isr), r.node)
	p.maximal = isr
	b.propose(now, p, isr, true, out)
}

// expireISR is the isr-expiration task: followers that were not caught up for
// replica.lag.time.max.ms leave (ReplicaManager.maybeShrinkIsr).
func (b *Broker) expireISR(now kafka.Instant, out *sim.Out) {
	out.After(timer(timerISR, 0), b.set.lagTimeMax/2)
	for i, p := range b.parts {
		if p == nil || !b.leads(p) || p.pending.id != 0 {
			continue
		}
		if lag := b.outOfSync(now, p); len(lag) > 0 {
			p = b.mut(int32(i))
			left := slices.DeleteFunc(slices.Clone(p.isr), func(n kafka.NodeID) bool { return slices.Contains(lag, n) })
			b.propose(now, p, left, false, out)
		}
	}
}

// outOfSync lists the ISR members that the lag rule throws out.
func (b *Broker) outOfSync(now kafka.Instant, p *partition) (out []kafka.NodeID) {
	leo := b.log(p).LEO()
	for _, n := range p.isr {
		if n == b.cfg.ID {
			continue
		}
		if r := p.remote(n); r == nil || !b.isCaughtUp(r, leo, now) {
			out = append(out, n)
		}
	}
	return out
}

// propose sends an ISR to the controller.
func (b *Broker) propose(now kafka.Instant, p *partition, isr []kafka.NodeID, expand bool, out *sim.Out) {
	b.alter.lastID++
	p.pending = pendingISR{id: b.alter.lastID, isr: isr, expand: expand}
	out.Note(trace.Note{
		Kind: trace.AlterPartitionSent, Topic: p.tp.Topic, Part: p.tp.Partition, Node: b.cfg.ID,
		Epoch: p.leaderEpoch, Say: FormatISR(isr),
	})
	b.alter.queue = append(b.alter.queue, proposal{p.num, p.pending.id})
	b.sendAlterPartition(now, out)
}

// FormatISR prints a set of brokers as notes do: {1,2,3}.
func FormatISR(isr []kafka.NodeID) string {
	s := []byte{'{'}
	for i, n := range isr {
		if i > 0 {
			s = append(s, ',')
		}
		s = strconv.AppendInt(s, int64(n), 10)
	}
	return string(append(s, '}'))
}

// sendAlterPartition sends all queued proposals, unless a request is in flight.
func (b *Broker) sendAlterPartition(now kafka.Instant, out *sim.Out) {
	if len(b.alter.inFlight) > 0 {
		return
	}
	req := &kmsg.AlterPartitionRequest{Version: 3, BrokerID: int32(b.cfg.ID), BrokerEpoch: int64(b.life.epoch)}
	for _, q := range b.alter.queue {
		p := b.parts[q.part]
		if p == nil || p.pending.id != q.id {
			continue // metadata overtook it
		}
		b.alter.inFlight = append(b.alter.inFlight, q)
		t := len(req.Topics) - 1
		if t < 0 || req.Topics[t].TopicID != p.id {
			req.Topics = append(req.Topics, kmsg.AlterPartitionRequestTopic{TopicID: p.id})
			t++
		}
		req.Topics[t].Partitions = append(req.Topics[t].Partitions, kmsg.AlterPartitionRequestTopicPartition{
			Partition: p.tp.Partition, LeaderEpoch: int32(p.leaderEpoch),
			PartitionEpoch: int32(p.partitionEpoch), NewEpochISR: b.isrWithEpochs(p),
		})
	}
	b.alter.queue = b.alter.queue[:0]
	if len(b.alter.inFlight) > 0 {
		b.ask(now, controlAlter, req, kafka.Never, out)
	}
}

// isrWithEpochs names the proposed members with the broker epochs that their
// fetches carried; -1 for a member that has not fetched from this leader yet.
func (b *Broker) isrWithEpochs(p *partition) []kmsg.AlterPartitionRequestTopicPartitionNewEpochISR {
	isr := make([]kmsg.AlterPartitionRequestTopicPartitionNewEpochISR, len(p.pending.isr))
	for i, n := range p.pending.isr {
		isr[i].BrokerID, isr[i].BrokerEpoch = int32(n), -1
		if n == b.cfg.ID {
			isr[i].BrokerEpoch = int64(b.life.epoch)
		} else if r := p.remote(n); r != nil {
			isr[i].BrokerEpoch = int64(r.epoch)
		}
	}
	return isr
}

// alterAnswered takes the controller's answer. A definite refusal leaves the
// proposal pending until new metadata comes, two reset it, the rest is retried
// (Partition.handleAlterPartitionError).
func (b *Broker) alterAnswered(now kafka.Instant, resp *kmsg.AlterPartitionResponse, out *sim.Out) {
	sent := b.alter.inFlight
	b.alter.inFlight = nil
	if resp.ErrorCode != 0 { // STALE_BROKER_EPOCH and the like: try all again
		b.alter.queue = append(sent, b.alter.queue...)
		b.retryAlterLater(now, out)
		return
	}
	for _, q := range sent {
		p := b.parts[q.part]
		if p == nil || p.pending.id != q.id {
			continue
		}
		r := findAltered(resp, p)
		if r == nil {
			b.alter.queue = append(b.alter.queue, q)
			continue
		}
		b.altered(now, b.mut(q.part), r, out)
	}
	b.sendAlterPartition(now, out)
}

func findAltered(resp *kmsg.AlterPartitionResponse, p *partition) *kmsg.AlterPartitionResponseTopicPartition {
	for t := range resp.Topics {
		if resp.Topics[t].TopidID != p.id {
			continue
		}
		for i := range resp.Topics[t].Partitions {
			if r := &resp.Topics[t].Partitions[i]; r.Partition == p.tp.Partition {
				return r
			}
		}
	}
	return nil
}

// altered takes the answer for one partition.
func (b *Broker) altered(now kafka.Instant, p *partition, r *kmsg.AlterPartitionResponseTopicPartition, out *sim.Out) {
	switch code := kafka.ErrorCode(r.ErrorCode); code {
	case kafka.None:
		if kafka.LeaderEpoch(r.LeaderEpoch) != p.leaderEpoch || kafka.PartitionEpoch(r.PartitionEpoch) < p.partitionEpoch {
			return // of an older time
		}
		isr := make([]kafka.NodeID, len(r.ISR))
		for i, n := range r.ISR {
			isr[i] = kafka.NodeID(n)
		}
		b.leadISR(p, isr)
		p.partitionEpoch = kafka.PartitionEpoch(r.PartitionEpoch)
		b.maybeAdvanceHW(now, p, out)
	case kafka.IneligibleReplica, kafka.OperationNotAttempted:
		p.commitISR(p.isr)
	case kafka.UnknownTopicOrPartition, kafka.UnknownTopicID, kafka.FencedLeaderEpoch,
		kafka.InvalidUpdateVersion, kafka.InvalidRequest, kafka.NewLeaderElected:
		// Stays pending: metadata that says more is on its way.
	default:
		b.alter.queue = append(b.alter.queue, proposal{p.num, p.pending.id})
	}
}
