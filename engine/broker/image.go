package broker

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
)

// LeaderChange tells that this broker began or ceased to lead a partition of an
// internal topic, for the coordinator behind it.
type LeaderChange struct {
	TP      kafka.TopicPartition
	Leading bool
	Epoch   kafka.LeaderEpoch
}

// TakeLeaderChanges returns what happened to internal topics since the last
// call, in order.
func (b *Broker) TakeLeaderChanges() []LeaderChange {
	c := b.leaders
	b.leaders = nil
	return c
}

// ApplyImage takes a newer metadata image and what is new in it
// (BrokerMetadataPublisher, ReplicaManager.applyDelta).
func (b *Broker) ApplyImage(now kafka.Instant, img *metadata.Image, delta *metadata.Delta, out *sim.Out) {
	b.img = img
	if !b.loaded {
		return // all of it is applied when the logs are open
	}
	if delta.Configs {
		was := b.set.cleaner
		b.reconfigure(out)
		if b.set.cleaner != was {
			b.startCleaner(now, out)
		}
	}
	for _, name := range delta.Topics {
		b.indexTopic(name, out)
	}
	b.applyPartitions(now, delta.Partitions, out)
	b.runMoves(now, out)
	b.runFetchers(now, out)
	b.sendAssignments(now, out)
	if delta.Configs {
		b.wakeCleaner(out)
	}
	b.flushWakes(now, out)
}

// applyAll applies the whole image to logs that were just opened. Logs that no
// partition of the image accounts for are strays: their folders get another name and
// stay (LogManager.isStrayKraftReplica).
func (b *Broker) applyAll(now kafka.Instant, out *sim.Out) {
	b.set = readSettings(&b.cfg, b.img)
	var all []kafka.TopicPartition
	for _, t := range b.img.Topics {
		b.indexTopic(t.Name, out)
		for i := range t.Partitions {
			all = append(all, kafka.TopicPartition{Topic: t.Name, Partition: int32(i)})
		}
	}
	b.dir.RequeueGone(now.Add(b.set.deleteDelay))
	b.recoverFutures(now)
	b.purgeLater(b.dir.GoneDue(), out)
	for _, e := range b.dir.Entries() {
		if e.Partition.Topic == kafka.TopicMetadata || b.offline(e.In) {
			continue
		}
		t := b.img.Topic(e.Partition.Topic)
		if reg := t.At(e.Partition.Partition); reg == nil || t.ID != e.TopicID || !slices.Contains(reg.Replicas, b.cfg.ID) {
			b.dir.Stray(e.Partition, now)
		}
	}
	b.applyPartitions(now, all, out)
	b.runMoves(now, out)
	b.runFetchers(now, out)
	b.sendAssignments(now, out)
}

// indexTopic brings the index of local replicas up to date for a topic that
// was created, deleted, made again, or grew.
func (b *Broker) indexTopic(name string, out *sim.Out) {
	t := b.img.Topic(name)
	at := slices.IndexFunc(b.topics, func(l localTopic) bool { return l.name == name })
	if at >= 0 && (t == nil || b.topics[at].id != t.ID) {
		for _, i := range b.topics[at].parts {
			if i >= 0 {
				b.drop(i, kafka.UnknownTopicOrPartition, out)
			}
		}
		b.topics = slices.Delete(slices.Clone(b.topics), at, at+1)
		at = -1
	}
	if t == nil {
		return
	}
	b.creating = slices.DeleteFunc(slices.Clone(b.creating), func(c string) bool { return c == name })
	topics := slices.Clone(b.topics)
	if at < 0 {
		at = 0
		for at < len(topics) && string(topics[at].id[:]) < string(t.ID[:]) {
			at++
		}
		topics = slices.Insert(topics, at, localTopic{id: t.ID, name: name})
	} else if len(topics[at].parts) == len(t.Partitions) {
		return
	}
	parts := slices.Clone(topics[at].parts)
	for len(parts) < len(t.Partitions) {
		parts = append(parts, -1)
	}
	topics[at].parts = parts
	b.topics = topics
}

// setLocal writes the number of a replica into the index.
func (b *Broker) setLocal(id kafka.TopicID, partition, num int32) {
	b.topics = slices.Clone(b.topics)
	t := b.topicByID(id)
	t.parts = slices.Clone(t.parts)
	t.parts[partition] = num
}

// applyPartitions applies registrations: first what goes away, then what this
// broker leads, then what it follows.
func (b *Broker) applyPartitions(now kafka.Instant, tps []kafka.TopicPartition, out *sim.Out) {
	for pass := range 3 {
		var set *topicSettings
		var setOf string
		for _, tp := range tps {
			t := b.img.Topic(tp.Topic)
			reg := t.At(tp.Partition)
			if reg == nil {
				continue // indexTopic has dropped it
			}
			i, _ := b.find(t.ID, tp.Partition)
			mine := slices.Contains(reg.Replicas, b.cfg.ID)
			switch {
			case pass == 0:
				if !mine && i >= 0 {
					b.drop(i, kafka.NotLeaderOrFollower, out)
				} else if !mine && i == offlineReplica {
					b.setLocal(t.ID, tp.Partition, -1) // its log is a stray, for the next start
				}
				continue
			case !mine, (pass == 1) != (reg.Leader == b.cfg.ID), i == offlineReplica:
				continue
			}
			if set == nil || setOf != tp.Topic || set.replicas != len(reg.Replicas) {
				s := readTopic(&b.cfg, b.img, tp.Topic, len(reg.Replicas))
				set, setOf = &s, tp.Topic
			}
			if i < 0 {
				in, ok := b.placeLog(tp, t.ID, reg)
				if !ok {
					continue
				}
				i = b.open(now, in, tp, t.ID, set)
			}
			p := b.mut(i)
			p.set, p.reg = set, reg
			b.assignDirectory(p, reg)
			if pass == 1 {
				b.makeLeader(now, p, reg, out)
			} else {
				b.makeFollower(p, reg, out)
			}
		}
	}
}

// open makes the replica's state, with the log that there is, or a new one in a
// log directory.
func (b *Broker) open(now kafka.Instant, in int, tp kafka.TopicPartition, id kafka.TopicID, set *topicSettings) int32 {
	slot, ok := b.dir.Slot(tp)
	if ok && b.offline(b.dir.In(slot)) {
		ok = !b.dir.Stray(tp, now)
	} else if ok && b.dir.TopicID(slot) != id {
		ok = !b.dir.Retire(tp, now, now.Add(b.set.deleteDelay))
	}
	if !ok {
		slot, _ = b.dir.CreateIn(in, now, tp, id, set.log) // fails only if there is one
	}
	l := b.dir.MutableAt(slot)
	l.SetConfig(set.log)
	p := &partition{
		gen: b.gen, num: int32(len(b.parts)), slot: slot, tp: tp, id: id, set: set,
		leader: kafka.NoNode, leaderEpoch: -1, partitionEpoch: -1,
		hw:        min(max(b.dir.HWCheckpoint(slot), l.LogStart()), l.LEO()),
		producers: b.loadProducers(now, l),
	}
	b.parts = append(b.parts, p)
	b.setLocal(id, tp.Partition, p.num)
	b.resumeMove(p)
	return p.num
}

// drop gives up a replica and its log, whose folder is deleted after
// log.segment.delete.delay.ms (LogManager.asyncDelete).
func (b *Broker) drop(i int32, code kafka.ErrorCode, out *sim.Out) {
	p := b.mut(i)
	b.ceased(p)
	b.unfollow(p, p.leader)
	p.leader = kafka.NoNode
	b.failWaits(p, code, out)
	for _, w := range p.watchers {
		s := b.mutSession(w.session)
		s.lose(w.pos)
		s.mark(w.pos)
		b.wakeSession(s)
	}
	now := out.Now()
	p.move.phase = min(p.move.phase, moveCopying)
	b.endMove(now, p, out)
	b.dir.RetireFuture(p.tp, now, now.Add(b.set.deleteDelay))
	b.dir.Retire(p.tp, now, now.Add(b.set.deleteDelay))
	b.purgeLater(b.dir.GoneDue(), out)
	b.parts[i] = nil
	b.setLocal(p.id, p.tp.Partition, -1)
}

// ceased tells a coordinator that its partition is no longer led here.
func (b *Broker) ceased(p *partition) {
	if b.leads(p) && kafka.IsInternal(p.tp.Topic) {
		b.leaders = append(b.leaders, LeaderChange{p.tp, false, p.leaderEpoch})
	}
}

// makeLeader is Partition.makeLeader.
func (b *Broker) makeLeader(now kafka.Instant, p *partition, reg *metadata.Partition, out *sim.Out) {
	if reg.PartitionEpoch < p.partitionEpoch {
		return // an AlterPartition response came first
	}
	wasLeader, newEpoch := b.leads(p), reg.LeaderEpoch > p.leaderEpoch
	b.unfollow(p, p.leader)
	p.leader = b.cfg.ID
	b.setRemotes(p, reg)
	b.leadISR(p, reg.ISR)
	p.partitionEpoch = reg.PartitionEpoch
	if newEpoch {
		l := b.mutLog(p)
		p.leaderEpoch, p.epochStart = reg.LeaderEpoch, l.LEO()
		l.AssignEpoch(p.leaderEpoch, p.epochStart)
		p.resetRemotes(now, !wasLeader)
		out.Note(trace.Note{
			Kind: trace.BecameLeader, Topic: p.tp.Topic, Part: p.tp.Partition, Node: b.cfg.ID,
			Epoch: p.leaderEpoch, Offset: p.epochStart,
		})
		if kafka.IsInternal(p.tp.Topic) {
			b.leaders = append(b.leaders, LeaderChange{p.tp, true, p.leaderEpoch})
		}
		b.stirred(p)
	}
	b.maybeAdvanceHW(now, p, out)
}

// setRemotes keeps the state of followers that stay assigned.
func (b *Broker) setRemotes(p *partition, reg *metadata.Partition) {
	remotes := make([]remote, 0, len(reg.Replicas))
	for _, n := range reg.Replicas {
		if n == b.cfg.ID {
			continue
		}
		if r := p.remote(n); r != nil {
			remotes = append(remotes, *r)
		} else {
			remotes = append(remotes, remote{node: n, leo: kafka.NoOffset, logStart: -1, caughtUp: longAgo, lastFetch: longAgo, fetchLEO: -1, epoch: -1, session: -1})
		}
	}
	p.remotes = remotes
}

// resetRemotes is Replica.resetReplicaState: a new leadership gives ISR members
// the benefit of the doubt, and knows nobody's log end offset.
func (p *partition) resetRemotes(now kafka.Instant, newLeader bool) {
	for i := range p.remotes {
		r := &p.remotes[i]
		at := longAgo
		if slices.Contains(p.isr, r.node) {
			at = now
		}
		r.caughtUp, r.session = at, -1
		if newLeader {
			r.leo, r.logStart, r.fetchLEO, r.lastFetch, r.epoch = kafka.NoOffset, -1, -1, longAgo, -1
		} else {
			r.fetchLEO, r.lastFetch = p.epochStart, at
		}
	}
}

// makeFollower is Partition.makeFollower: the fetcher starts anew whenever the
// leader epoch changed.
func (b *Broker) makeFollower(p *partition, reg *metadata.Partition, out *sim.Out) {
	if reg.PartitionEpoch < p.partitionEpoch {
		return
	}
	newEpoch := reg.LeaderEpoch > p.leaderEpoch
	b.ceased(p)
	b.unfollowIf(p, newEpoch || p.leader != reg.Leader)
	p.leader, p.leaderEpoch, p.partitionEpoch = reg.Leader, reg.LeaderEpoch, reg.PartitionEpoch
	p.remotes = nil
	p.commitISR(nil)
	leaving := b.life.state == PendingControlledShutdown && (reg.Leader == kafka.NoNode || !slices.Contains(reg.ISR, b.cfg.ID))
	if leaving { // its copy is wanted no more (ReplicaManager.applyLocalFollowersDelta)
		b.unfollow(p, p.leader)
	}
	if !newEpoch {
		return
	}
	out.Note(trace.Note{
		Kind: trace.BecameFollower, Topic: p.tp.Topic, Part: p.tp.Partition, Node: b.cfg.ID, Peer: p.leader, Epoch: p.leaderEpoch,
	})
	b.failWaits(p, kafka.NotLeaderOrFollower, out)
	b.stirred(p)
	if p.leader != kafka.NoNode && !leaving {
		b.follow(p)
	}
}

func (b *Broker) unfollowIf(p *partition, changed bool) {
	if changed {
		b.unfollow(p, p.leader)
	}
}

// reconfigure resolves configs again after some changed. As in Kafka nothing is
// computed anew for that: a high watermark that a lower min.insync.replicas
// sets free moves with the next append or fetch. Only a pass of the cleaner over a
// log that is not compacted any more ends (LogManager.updateTopicConfig).
func (b *Broker) reconfigure(out *sim.Out) {
	b.set = readSettings(&b.cfg, b.img)
	var set *topicSettings
	var setOf string
	for i, p := range b.parts {
		if p == nil || b.img.Topic(p.tp.Topic) == nil {
			continue
		}
		if set == nil || setOf != p.tp.Topic || set.replicas != len(p.reg.Replicas) {
			s := readTopic(&b.cfg, b.img, p.tp.Topic, len(p.reg.Replicas))
			set, setOf = &s, p.tp.Topic
		}
		if *p.set == *set {
			continue
		}
		if p.set.log.Compact && !set.log.Compact {
			b.abortCleaning(p, "cleanup.policy does not contain compact any more", out)
		}
		p = b.mut(int32(i))
		p.set = set
		b.mutLog(p).SetConfig(set.log)
	}
}
