package controller

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// update is what happens to a broker, for all partitions that it concerns;
// NoNode where it does not apply.
type update struct {
	remove  kafka.NodeID // leaves ISRs and may not lead
	add     kafka.NodeID // may lead, though it still counts as fenced
	unclean kafka.NodeID // leaves ISRs and ELRs and may not lead
}

// Which partitions an update concerns.

func inISR(id kafka.NodeID) func(*metadata.Partition) bool {
	return func(p *metadata.Partition) bool { return slices.Contains(p.ISR, id) }
}

func inELR(id kafka.NodeID) func(*metadata.Partition) bool {
	return func(p *metadata.Partition) bool { return slices.Contains(p.ELR, id) }
}

func leaderless(p *metadata.Partition) bool { return p.Leader == kafka.NoNode }

// leaderAndISR makes the changes of leaders and ISRs that an update calls for
// (ReplicationControlManager.generateLeaderAndIsrUpdates).
func (c *Controller) leaderAndISR(u update, concerned func(*metadata.Partition) bool) []metadata.Record {
	var recs []metadata.Record
	for _, t := range c.head.Topics {
		var r *rules
		for i, p := range t.Partitions {
			if !concerned(p) {
				continue
			}
			if r == nil {
				r = c.rules(t)
			}
			b := c.changeBy(r, t, int32(i), u)
			b.isr = without(p.ISR, []kafka.NodeID{u.remove, u.unclean})
			if u.unclean != kafka.NoNode {
				b.unclean = []kafka.NodeID{u.unclean}
			}
			if r.unclean {
				b.election = electUnclean
			}
			if rec := b.build(); rec != nil {
				recs = append(recs, rec)
			}
		}
	}
	return recs
}

// rules are the settings that changes of a topic's partitions follow.
type rules struct {
	minISR  int
	unclean bool // unclean.leader.election.enable
	elr     bool
}

func (c *Controller) rules(t *metadata.Topic) *rules {
	return &rules{minISR: c.head.MinISR(t, c.cfg.ID, c.cfg.Static), unclean: c.uncleanEnabled(t), elr: c.head.ELREnabled()}
}

// change starts a change of a partition that keeps its ISR.
func (c *Controller) change(t *metadata.Topic, partition int32, u update) *change {
	return c.changeBy(c.rules(t), t, partition, u)
}

func (c *Controller) changeBy(r *rules, t *metadata.Topic, partition int32, u update) *change {
	p := t.Partitions[partition]
	return &change{
		p: p, topic: t.ID, partition: partition, isr: p.ISR, recovering: p.Recovering,
		replicas: p.Replicas, removing: p.Removing, adding: p.Adding, directory: c.defaultDir,
		minISR: r.minISR, elr: r.elr, lastLeader: true,
		acceptable: func(r kafka.NodeID) bool {
			return r != u.remove && r != u.unclean && (r == u.add || c.head.Active(r)) && c.head.OnlineReplica(p, r)
		},
	}
}

var noUpdate = update{kafka.NoNode, kafka.NoNode, kafka.NoNode}

func (c *Controller) uncleanEnabled(t *metadata.Topic) bool {
	return c.head.TopicBool(t.Name, c.cfg.ID, c.cfg.Static, "unclean.leader.election.enable")
}

// The values of ElectLeaders' election type.
const (
	typePreferred int8 = 0
	typeUnclean   int8 = 1
)

// electLeaders handles ElectLeaders (KIP-460). No topics means all partitions;
// then those that need no election are left out of the answer.
func (c *Controller) electLeaders(req *kmsg.ElectLeadersRequest, out *sim.Out) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.ElectLeadersResponse)
	if req.ElectionType != typePreferred && req.ElectionType != typeUnclean {
		resp.ErrorCode = int16(kafka.InvalidRequest)
		return resp
	}
	var recs []metadata.Record
	asked := req.Topics
	if asked == nil {
		asked = c.allPartitions()
	}
	for _, t := range asked {
		rt := kmsg.NewElectLeadersResponseTopic()
		rt.Topic = t.Topic
		for _, i := range t.Partitions {
			rec, code, msg := c.electLeader(t.Topic, i, req.ElectionType)
			if req.Topics == nil && code == kafka.ElectionNotNeeded {
				continue
			}
			if rec != nil {
				recs = append(recs, rec)
			}
			rp := kmsg.NewElectLeadersResponseTopicPartition()
			rp.Partition, rp.ErrorCode, rp.ErrorMessage = i, int16(code), message(msg)
			rt.Partitions = append(rt.Partitions, rp)
		}
		resp.Topics = append(resp.Topics, rt)
	}
	c.append(out, recs, why{election: electionName(req.ElectionType)})
	return resp
}

func electionName(electionType int8) string {
	if electionType == typePreferred {
		return "preferred"
	}
	return ""
}

func (c *Controller) allPartitions() []kmsg.ElectLeadersRequestTopic {
	var l []kmsg.ElectLeadersRequestTopic
	for _, t := range c.head.Topics {
		e := kmsg.ElectLeadersRequestTopic{Topic: t.Name}
		for i := range t.Partitions {
			e.Partitions = append(e.Partitions, int32(i))
		}
		l = append(l, e)
	}
	return l
}

// electLeader follows ReplicationControlManager.electLeader.
func (c *Controller) electLeader(topic string, i int32, electionType int8) (metadata.Record, kafka.ErrorCode, string) {
	t := c.head.Topic(topic)
	if t == nil {
		return nil, kafka.UnknownTopicOrPartition, "No such topic as " + topic
	}
	p := t.At(i)
	if p == nil {
		return nil, kafka.UnknownTopicOrPartition, "No such partition as " + kafka.TopicPartition{Topic: topic, Partition: i}.String()
	}
	if electionType == typePreferred && p.Leader == p.Replicas[0] || electionType == typeUnclean && p.Leader != kafka.NoNode {
		return nil, kafka.ElectionNotNeeded, ""
	}
	b := c.change(t, i, noUpdate)
	b.election = electPrefer
	if electionType == typeUnclean {
		b.election = electUnclean
	}
	rec := b.build()
	switch {
	case rec != nil:
		return rec, kafka.None, ""
	case electionType == typePreferred:
		return nil, kafka.PreferredLeaderNotAvailable, ""
	}
	return nil, kafka.EligibleLeadersNotAvailable, ""
}

// electionsMax bounds the elections of one run of a periodic task
// (ReplicationControlManager.MAX_ELECTIONS_PER_IMBALANCE).
const electionsMax = 1000

// electPreferred moves leaderships back to the preferred replicas that can take
// them, and reports whether it stopped at electionsMax (maybeBalancePartitionLeaders).
func (c *Controller) electPreferred(out *sim.Out) (more bool) {
	var recs []metadata.Record
	for _, t := range c.head.Topics {
		for i, p := range t.Partitions {
			if p.Leader == p.Replicas[0] {
				continue
			}
			if len(recs) == electionsMax {
				more = true
				break
			}
			b := c.change(t, int32(i), noUpdate)
			b.election = electPrefer
			if rec := b.build(); rec != nil {
				recs = append(recs, rec)
			}
		}
	}
	c.append(out, recs, why{election: electionName(typePreferred)})
	return more
}

// electUnclean tries to give leaderless partitions a leader at the price of
// records, where that is allowed (maybeElectUncleanLeaders).
func (c *Controller) electUnclean(out *sim.Out) {
	var recs []metadata.Record
	for _, t := range c.head.Topics {
		if !c.uncleanEnabled(t) {
			continue
		}
		for i, p := range t.Partitions {
			if !leaderless(p) || len(recs) == electionsMax {
				continue
			}
			if rec, _, _ := c.electLeader(t.Name, int32(i), typeUnclean); rec != nil {
				recs = append(recs, rec)
			}
		}
	}
	c.append(out, recs, why{})
}
