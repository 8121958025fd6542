package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/highwater-sim/highwater/engine/broker"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/trace"
)

// Explanations of a partition: who leads it and why not another, who is in sync
// and why not all, why a record came back. Each goes from the fact to the rule,
// to what caused it, and ends with what would change it.

// whyLeader explains the leader, or that there is none.
func (i *inspector) whyLeader(p *Partition) {
	elected := i.last(func(n *trace.Note) bool {
		return n.Kind == trace.LeaderElected && n.Topic == p.TP.Topic && n.Part == p.TP.Partition
	})
	if p.Leader == kafka.NoNode {
		i.whyNobody(p, elected)
		return
	}
	i.out.WhyTitle = fmt.Sprintf("Why does broker %d lead?", p.Leader)
	switch at := slices.Index(p.Assigned, p.Leader); {
	case elected.ID != 0 && elected.Node == p.Leader && elected.Say == "unclean":
		i.fact("nobody in ISR or ELR was alive, and an unclean election was allowed: it may lack committed records", "unclean.leader.election.enable", elected)
	case at == 0:
		i.fact("it is the preferred leader, the first of the replicas "+nodes(p.Assigned)+", and in the ISR", "PartitionChangeBuilder.java", elected)
	default:
		i.fact(fmt.Sprintf("a leader that is valid stays; the preferred one would be %s", trace.NodeName(p.Assigned[0])), "PartitionChangeBuilder.java", elected)
		i.candidate(p, p.Assigned[0])
	}
	i.out.Why = append(i.out.Why, i.chain(elected.ID)...)
	if first := p.Assigned[0]; first != p.Leader && slices.Contains(p.ISR, first) && i.alive(first) {
		i.fact(fmt.Sprintf("%s leads again after the next check of preferred leaders, or at once with: elect %s", trace.NodeName(first), p.TP),
			"leader.imbalance.check.interval.seconds", trace.Note{})
	}
}

// whyNobody goes through the replicas: who could lead, and what keeps each.
func (i *inspector) whyNobody(p *Partition, elected trace.Note) {
	i.out.WhyTitle = "Why does nobody lead?"
	i.fact(fmt.Sprintf("no replica is both alive and sure to have everything committed: ISR {%s}, ELR {%s}", nodes(p.ISR), nodes(p.ELR)),
		"PartitionChangeBuilder.java, KIP-966", elected)
	for _, n := range p.Assigned {
		i.candidate(p, n)
	}
	i.out.Why = append(i.out.Why, i.chain(elected.ID)...)
	var wait []string
	for _, n := range slices.Concat(p.ISR, p.ELR, p.LastKnownELR) {
		if name := trace.NodeName(n); !i.alive(n) && !slices.Contains(wait, name) {
			wait = append(wait, name)
		}
	}
	if len(wait) > 0 {
		i.fact("it has a leader again when "+strings.Join(wait, " or ")+" is back", "", trace.Note{})
	}
	i.whatUncleanCosts(p)
}

// whatUncleanCosts says who would lead if records did not matter, and how many
// it lacks.
func (i *inspector) whatUncleanCosts(p *Partition) {
	top := kafka.NoOffset // what is committed is on all who could lead cleanly
	for k := range p.Replicas {
		r := &p.Replicas[k]
		if sure := slices.Concat(p.ISR, p.ELR, p.LastKnownELR); slices.Contains(sure, r.Broker) && (top < 0 || r.LEO < top) {
			top = r.LEO
		}
	}
	for k := range p.Replicas {
		r := &p.Replicas[k]
		if i.alive(r.Broker) {
			i.fact(fmt.Sprintf("an unclean election would give it to %s at once, without up to %d committed records: elect %s unclean",
				trace.NodeName(r.Broker), max(0, int64(top-r.LEO)), p.TP), "unclean.leader.election.enable", trace.Note{})
			return
		}
	}
}

// candidate says what keeps a replica from leading.
func (i *inspector) candidate(p *Partition, n kafka.NodeID) {
	var why []string
	switch {
	case slices.Contains(p.ISR, n):
		why = append(why, "in the ISR")
	case slices.Contains(p.ELR, n):
		why = append(why, "in the ELR")
	case slices.Contains(p.LastKnownELR, n):
		why = append(why, "the last leader, which may have lost its log's tail")
	default:
		why = append(why, "neither in ISR nor ELR: it may lack committed records")
	}
	note := trace.Note{}
	if b := i.w.Image().Broker(n); b == nil || b.Fenced {
		why = append(why, "fenced")
		note = i.last(func(x *trace.Note) bool { return x.Kind == trace.BrokerFenced && x.Node == n })
	} else if b.InControlledShutdown {
		why = append(why, "shutting down")
	} else {
		why = append(why, "alive")
	}
	i.fact(trace.NodeName(n)+": "+strings.Join(why, ", "), "", note)
}

// alive reports whether a broker may lead: registered, unfenced and not shutting
// down.
func (i *inspector) alive(n kafka.NodeID) bool { return i.w.Image().Active(n) }

// whyISR explains each replica that is not in sync: when it left, what the lag
// rule counted, and what brings it back.
func (i *inspector) whyISR(t *Topic, p *Partition) {
	lead, led := leaderOf(i.w.Brokers(), p)
	for _, n := range p.Assigned {
		if slices.Contains(p.ISR, n) {
			continue
		}
		left := i.leftISR(p.TP, n)
		switch {
		case slices.Contains(p.Adding, n):
			i.fact(fmt.Sprintf("ISR: %s is being added and has not caught up yet", trace.NodeName(n)), "KIP-455", trace.Note{})
		case left.ID == 0:
			i.fact(fmt.Sprintf("ISR: %s was never in it", trace.NodeName(n)), "", trace.Note{})
		default:
			i.fact(fmt.Sprintf("ISR: %s left it at %v: %s", trace.NodeName(n), left.At, left.Say), "KIP-497", left)
			if led {
				i.lagArithmetic(&lead, n, left)
			}
			i.out.Why = append(i.out.Why, i.chain(left.ID)...)
		}
		i.wayBack(&lead, led, n)
	}
	if p.UnderMinISR && p.Leader != kafka.NoNode {
		i.fact(fmt.Sprintf("below min.insync.replicas %d: acks=all is refused and the high watermark stands still", t.MinISR), "KIP-966", trace.Note{})
	}
}

// leftISR is the latest note by which a broker left the ISR.
func (i *inspector) leftISR(tp kafka.TopicPartition, id kafka.NodeID) trace.Note {
	return i.last(func(n *trace.Note) bool {
		if n.Kind != trace.ISRChanged || n.Topic != tp.Topic || n.Part != tp.Partition {
			return false
		}
		before, after, _ := strings.Cut(n.Say, "->")
		return names(before, id) && !names(after, id)
	})
}

// names reports whether a set as notes print it, "{1,2,3}", has a member.
func names(set string, id kafka.NodeID) bool {
	return slices.Contains(strings.Split(strings.Trim(set, " {}"), ","), nodes([]kafka.NodeID{id}))
}

// lagArithmetic shows the lag rule's sum, if it was that rule: last caught up
// plus replica.lag.time.max.ms, then the next check of the leader.
func (i *inspector) lagArithmetic(lead *broker.Replica, id kafka.NodeID, left trace.Note) {
	for k := range lead.Followers() {
		f := lead.Follower(k, i.c.Now)
		limit := i.lagMax()
		if f.Node != id || f.CaughtUp == kafka.Never || left.At < f.CaughtUp.Add(limit) {
			continue
		}
		i.fact(fmt.Sprintf("it was last caught up at %v; %v + %v = %v; the leader looks every %v, and did at %v",
			f.CaughtUp, f.CaughtUp, limit, f.CaughtUp.Add(limit), limit/2, left.At), "replica.lag.time.max.ms", trace.Note{})
	}
}

// wayBack says what a replica outside the ISR must do to return.
func (i *inspector) wayBack(lead *broker.Replica, led bool, id kafka.NodeID) {
	name := trace.NodeName(id)
	k := slices.IndexFunc(i.c.Brokers, func(b Broker) bool { return b.ID == id })
	switch {
	case k >= 0 && i.c.Brokers[k].State >= Crashed && i.c.Brokers[k].State != Frozen:
		i.fact("it returns after: start "+name, "", trace.Note{})
	case k >= 0 && i.c.Brokers[k].State == Frozen:
		i.fact("it returns after: thaw "+name, "", trace.Note{})
	case !led:
		i.fact("it returns once there is a leader to fetch from", "", trace.Note{})
	case k >= 0 && i.c.Brokers[k].Fenced:
		i.fact("it returns once it is unfenced", "KIP-841", trace.Note{})
	default:
		need := max(lead.HW, lead.EpochStart)
		i.fact(fmt.Sprintf("it returns with a fetch at %d or later: the high watermark, and this epoch's start", need), "Partition.isFollowerInSync", trace.Note{})
	}
}

// whyRejected explains a record that came back to its producer.
func (i *inspector) whyRejected(n trace.Note) {
	if n.ID == 0 {
		return
	}
	i.out.WhyTitle = "Why did a record come back?"
	i.fact(fmt.Sprintf("%v at %v", n.Err, n.At), "Produce response", n)
	t, p := i.find(kafka.TopicPartition{Topic: n.Topic, Partition: n.Part})
	if p == nil {
		i.out.Why = append(i.out.Why, i.chain(n.ID)...)
		return
	}
	switch n.Err {
	case kafka.NotEnoughReplicas, kafka.NotEnoughReplicasAfterAppend:
		i.whyNotEnough(t, p, n)
	case kafka.NotLeaderOrFollower, kafka.FencedLeaderEpoch, kafka.LeaderNotAvailable:
		i.fact("it went to a broker that does not lead the partition", "Partition.scala", trace.Note{})
		i.whyLeader(p)
	case kafka.RequestTimedOut:
		i.fact("acks=all waits until the high watermark has passed the record; it had not within the request's timeout", "request.timeout.ms", trace.Note{})
		i.whyHW(p)
	case kafka.NetworkException:
		i.fact("the connection ended, or no response came, so nobody knows whether it was written", "request.timeout.ms", trace.Note{})
	}
	i.out.WhyTitle = "Why did a record come back?"
	i.out.Why = append(i.out.Why, i.chain(n.ID)...)
}

// whyNotEnough explains the refusal of acks=all.
func (i *inspector) whyNotEnough(t *Topic, p *Partition, n trace.Note) {
	_, src := i.w.Image().Resolve(t.Name, kafka.NoNode, i.w.Controllers()[0].Static(), "min.insync.replicas")
	when := "before anything was written"
	if n.Err == kafka.NotEnoughReplicasAfterAppend {
		when = "after it was written: the record is in the log"
	}
	i.fact(fmt.Sprintf("acks=all needs min.insync.replicas %d (%v) in-sync replicas; it was refused %s", t.MinISR, src, when), "Partition.appendRecordsToLeader", trace.Note{})
	if len(p.ISR) < t.MinISR {
		i.fact(fmt.Sprintf("the ISR is {%s}", nodes(p.ISR)), "", trace.Note{})
	} else {
		i.fact(fmt.Sprintf("the ISR is {%s} by now: the next try is accepted", nodes(p.ISR)), "", trace.Note{})
	}
	i.whyISR(t, p)
	if len(p.ISR) < t.MinISR {
		i.fact(fmt.Sprintf("or promise less: config topic %s min.insync.replicas=%d, or a producer with acks=1", t.Name, max(1, len(p.ISR))), "min.insync.replicas, acks", trace.Note{})
	}
}
