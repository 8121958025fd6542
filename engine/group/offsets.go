package group

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
)

// OffsetCommit (API key 8), versions 2 to 10, and OffsetFetch (9), versions 8
// to 10. By topic name, from 10 on by topic id (KIP-848 sends ids).
//
// Left out: expiry of offsets (7 days), pending transactional commits.

// shardOf finds the shard that coordinates a group, or why there is none.
func (c *Coordinator) shardOf(id string, img *metadata.Image) (*shard, kafka.ErrorCode) {
	t := img.Topic(kafka.TopicOffsets)
	if id == "" {
		return nil, kafka.InvalidGroupID
	}
	if t == nil {
		return nil, kafka.NotCoordinator
	}
	s := c.shard(kafka.CoordinatorPartition(id, int32(len(t.Partitions))))
	switch {
	case s == nil:
		return nil, kafka.NotCoordinator
	case !s.active:
		return nil, kafka.CoordinatorLoadInProgress
	}
	return s, kafka.None
}

// commit checks an OffsetCommit and has its records appended.
func (c *Coordinator) commit(now kafka.Instant, in *sim.Input, req *kmsg.OffsetCommitRequest, img *metadata.Image, out *sim.Out) {
	p := commit{conn: in.Conn, corr: in.Corr, req: req}
	s, code := c.shardOf(req.Group, img)
	if code == kafka.None {
		code = member(req)
	}
	if code != kafka.None {
		out.Reply(in.Conn, in.Corr, p.response(code))
		return
	}
	b := record.Builder{}
	b.Reset(record.BatchSpec{})
	for t := range req.Topics {
		rt := &req.Topics[t]
		name, missing := topicOf(req.Version, rt, img)
		for i := range rt.Partitions {
			rp := &rt.Partitions[i]
			p.refused = append(p.refused, c.check(img, name, missing, rp))
			if p.refused[len(p.refused)-1] != kafka.None {
				continue
			}
			o := Offset{kafka.TopicPartition{Topic: name, Partition: rp.Partition}, kafka.Offset(rp.Offset), kafka.LeaderEpoch(rp.LeaderEpoch), "", now.UnixMilli()}
			if rp.Metadata != nil {
				o.Metadata = *rp.Metadata
			}
			p.offsets = append(p.offsets, o)
			b.Add(now.UnixMilli(), commitKey(req.Group, o.TP), o.value(), nil)
		}
	}
	if len(p.offsets) == 0 {
		out.Reply(in.Conn, in.Corr, p.response(kafka.None))
		return
	}
	c.lastToken++
	p.token = c.lastToken
	s.pending = append(s.pending, p)
	out.After(commitTimer(p.token), commitTimeout)
	c.work = append(c.work, Work{TP: tpOf(s.partition), Records: b.Take(), Token: p.token})
}

// member checks who commits: with a generation of -1 the group only keeps
// offsets and has no members; any other generation belongs to a member, and
// there are none.
func member(req *kmsg.OffsetCommitRequest) kafka.ErrorCode {
	switch {
	case req.Generation < 0 && req.MemberID == "":
		return kafka.None
	case req.Generation < 0:
		return kafka.UnknownMemberID
	}
	return kafka.IllegalGeneration
}

func topicOf(version int16, t *kmsg.OffsetCommitRequestTopic, img *metadata.Image) (name string, missing kafka.ErrorCode) {
	if version < 10 {
		return t.Topic, kafka.UnknownTopicOrPartition
	}
	if topic := img.TopicByID(t.TopicID); topic != nil {
		return topic.Name, kafka.UnknownTopicOrPartition
	}
	return "", kafka.UnknownTopicID
}

// check is what can be wrong with one partition of a commit.
func (c *Coordinator) check(img *metadata.Image, topic string, missing kafka.ErrorCode, p *kmsg.OffsetCommitRequestTopicPartition) kafka.ErrorCode {
	switch {
	case img.Partition(kafka.TopicPartition{Topic: topic, Partition: p.Partition}) == nil:
		return missing
	case p.Metadata != nil && len(*p.Metadata) > c.cfg.MetadataBytesMax:
		return kafka.OffsetMetadataTooLarge
	}
	return kafka.None
}

func commitKey(group string, tp kafka.TopicPartition) []byte {
	k := kmsg.OffsetCommitKey{Version: 1, Group: group, Topic: tp.Topic, Partition: tp.Partition}
	return k.AppendTo(nil)
}

func (o *Offset) value() []byte {
	v := kmsg.OffsetCommitValue{Version: 3, Offset: int64(o.Offset), LeaderEpoch: int32(o.LeaderEpoch), Metadata: o.Metadata, CommitTimestamp: o.At}
	return v.AppendTo(nil)
}

func commitTimer(token int64) sim.Timer {
	return sim.Timer{Owner: sim.OwnerGroup, Kind: timerCommit, A: int32(token)}
}

// findCommit finds a waiting commit, in a shard that may be changed.
func (c *Coordinator) findCommit(ok func(*commit) bool) (s *shard, k int) {
	for i := range c.shards {
		for k := range c.shards[i].pending {
			if ok(&c.shards[i].pending[k]) {
				return c.shard(c.shards[i].partition), k
			}
		}
	}
	return nil, -1
}

// Appended says how an append of Work ended.
func (c *Coordinator) Appended(token int64, code kafka.ErrorCode, out *sim.Out) {
	s, k := c.findCommit(func(p *commit) bool { return p.token == token })
	if s == nil {
		return
	}
	p := s.pending[k]
	s.pending = slices.Delete(s.pending, k, k+1)
	if code == kafka.None {
		g := c.mutGroup(s, p.req.Group)
		for _, o := range p.offsets {
			g.put(o)
		}
	}
	p.answer(toClient(code), out)
}

// timedOut answers a commit whose records are still not committed.
func (c *Coordinator) timedOut(token int32, out *sim.Out) {
	if s, k := c.findCommit(func(p *commit) bool { return int32(p.token) == token }); s != nil {
		s.pending[k].answer(kafka.CoordinatorNotAvailable, out)
		s.pending[k].late = true
	}
}

// answer tells the client how its commit ended, unless it has been told.
func (p *commit) answer(code kafka.ErrorCode, out *sim.Out) {
	if !p.late {
		out.ClearTimer(commitTimer(p.token))
		out.Reply(p.conn, p.corr, p.response(code))
	}
}

// toClient turns the error of an append into the coordinator's
// (CoordinatorOperationExceptionHelper.java).
func toClient(code kafka.ErrorCode) kafka.ErrorCode {
	switch code {
	case kafka.UnknownTopicOrPartition, kafka.NotEnoughReplicas, kafka.NotEnoughReplicasAfterAppend, kafka.RequestTimedOut:
		return kafka.CoordinatorNotAvailable
	case kafka.NotLeaderOrFollower, kafka.KafkaStorageError:
		return kafka.NotCoordinator
	case kafka.MessageTooLarge, kafka.RecordListTooLarge:
		return kafka.UnknownServerError
	}
	return code
}

// response gives every partition its own refusal, else the code of them all.
func (p *commit) response(code kafka.ErrorCode) *kmsg.OffsetCommitResponse {
	resp := &kmsg.OffsetCommitResponse{Version: p.req.Version}
	n := 0
	for t := range p.req.Topics {
		rt := &p.req.Topics[t]
		topic := kmsg.OffsetCommitResponseTopic{Topic: rt.Topic, TopicID: rt.TopicID}
		for i := range rt.Partitions {
			e := code
			if n < len(p.refused) && p.refused[n] != kafka.None {
				e = p.refused[n]
			}
			n++
			topic.Partitions = append(topic.Partitions, kmsg.OffsetCommitResponseTopicPartition{Partition: rt.Partitions[i].Partition, ErrorCode: int16(e)})
		}
		resp.Topics = append(resp.Topics, topic)
	}
	return resp
}

// fetch answers an OffsetFetch out of the state.
func (c *Coordinator) fetch(in *sim.Input, req *kmsg.OffsetFetchRequest, img *metadata.Image, out *sim.Out) {
	resp := &kmsg.OffsetFetchResponse{Version: req.Version}
	for i := range req.Groups {
		resp.Groups = append(resp.Groups, c.fetchGroup(req.Version, &req.Groups[i], img))
	}
	out.Reply(in.Conn, in.Corr, resp)
}

func (c *Coordinator) fetchGroup(version int16, q *kmsg.OffsetFetchRequestGroup, img *metadata.Image) kmsg.OffsetFetchResponseGroup {
	r := kmsg.OffsetFetchResponseGroup{Group: q.Group}
	s, code := c.shardOf(q.Group, img)
	if code != kafka.None {
		r.ErrorCode = int16(code)
		return r
	}
	g := &group{}
	if i, ok := s.findGroup(q.Group); ok {
		g = s.groups[i]
	}
	if q.Topics == nil {
		r.Topics = g.all(version, img)
		return r
	}
	for t := range q.Topics {
		rt := &q.Topics[t]
		name := rt.Topic
		topic := kmsg.OffsetFetchResponseGroupTopic{Topic: rt.Topic, TopicID: rt.TopicID}
		code := kafka.None
		if version >= 10 {
			if it := img.TopicByID(rt.TopicID); it != nil {
				name = it.Name
			} else {
				code = kafka.UnknownTopicID
			}
		}
		for _, n := range rt.Partitions {
			p := g.answer(kafka.TopicPartition{Topic: name, Partition: n})
			p.ErrorCode = int16(code)
			topic.Partitions = append(topic.Partitions, p)
		}
		r.Topics = append(r.Topics, topic)
	}
	return r
}

// answer is a partition's committed offset, -1 if there is none.
func (g *group) answer(tp kafka.TopicPartition) kmsg.OffsetFetchResponseGroupTopicPartition {
	empty := ""
	r := kmsg.OffsetFetchResponseGroupTopicPartition{Partition: tp.Partition, Offset: -1, LeaderEpoch: -1, Metadata: &empty}
	if i, ok := g.find(tp); ok {
		o := &g.offsets[i]
		m := o.Metadata
		r.Offset, r.LeaderEpoch, r.Metadata = int64(o.Offset), int32(o.LeaderEpoch), &m
	}
	return r
}

// all lists everything that a group has committed.
func (g *group) all(version int16, img *metadata.Image) (topics []kmsg.OffsetFetchResponseGroupTopic) {
	for i := range g.offsets {
		tp := g.offsets[i].TP
		var id kafka.TopicID
		if version >= 10 {
			t := img.Topic(tp.Topic)
			if t == nil {
				continue // by id there is no way to name it
			}
			id = t.ID
		}
		if n := len(topics); n == 0 || topics[n-1].Topic != tp.Topic {
			topics = append(topics, kmsg.OffsetFetchResponseGroupTopic{Topic: tp.Topic, TopicID: id})
		}
		t := &topics[len(topics)-1]
		t.Partitions = append(t.Partitions, g.answer(tp))
	}
	return topics
}
