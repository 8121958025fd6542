package raft

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// request answers a request of another replica.
func (r *Replica) request(now kafka.Instant, in *sim.Input, out *sim.Out, m Machine) {
	req, ok := in.Request.(*kmsg.FetchRequest)
	if !ok {
		// Votes and snapshots come with quorums of several voters.
		out.CloseConn(in.Conn)
		return
	}
	if len(req.Topics) != 1 || req.Topics[0].TopicID != TopicID || len(req.Topics[0].Partitions) != 1 {
		out.Reply(in.Conn, in.Corr, failedFetch(req, kafka.InvalidRequest))
		return
	}
	p := &req.Topics[0].Partitions[0]
	if code := r.validate(kafka.LeaderEpoch(p.CurrentLeaderEpoch)); code != kafka.None {
		out.Reply(in.Conn, in.Corr, r.response(req.Version, code))
		return
	}
	r.serve(now, in, req, p, out, m)
}

// validate checks a request that only the leader of an epoch can serve
// (KafkaRaftClient.validateLeaderOnlyRequest).
func (r *Replica) validate(epoch kafka.LeaderEpoch) kafka.ErrorCode {
	switch {
	case epoch < r.epoch:
		return kafka.FencedLeaderEpoch
	case epoch > r.epoch:
		return kafka.UnknownLeaderEpoch
	case r.state != Leader:
		return kafka.NotLeaderOrFollower
	}
	return kafka.None
}

// serve answers a valid fetch with records, a divergence or a moved high
// watermark, or parks it.
func (r *Replica) serve(now kafka.Instant, in *sim.Input, req *kmsg.FetchRequest, p *kmsg.FetchRequestTopicPartition, out *sim.Out, m Machine) {
	offset, last := kafka.Offset(p.FetchOffset), kafka.LeaderEpoch(p.LastFetchedEpoch)
	if offset != 0 || m.Dir.At(r.slot).LogStart() != 0 { // an empty replica is always valid
		log := m.Dir.At(r.slot)
		epoch, end := log.EndOffsetForEpoch(last, r.lead.end)
		if epoch == kafka.NoEpoch { // newer than anything here
			epoch, end = log.LatestEpoch(), r.lead.end
		}
		if epoch != last || end < offset {
			resp := r.response(req.Version, kafka.None)
			d := &resp.Topics[0].Partitions[0].DivergingEpoch
			d.Epoch, d.EndOffset = int32(epoch), int64(end)
			out.Reply(in.Conn, in.Corr, resp)
			return
		}
	}
	id := kafka.NodeID(req.ReplicaState.ID)
	r.noteProgress(now, id, offset)
	f := parked{
		conn: in.Conn, corr: in.Corr, version: req.Version, id: id, offset: offset, maxBytes: p.PartitionMaxBytes,
		hw: kafka.Offset(p.HighWatermark), until: now.Add(kafka.Duration(req.MaxWaitMillis) * kafka.Millisecond),
	}
	if r.news(&f) || req.MaxWaitMillis == 0 {
		r.answer(&f, out, m)
		return
	}
	r.lead.parked = append(r.lead.parked, f)
	r.setParkedTimer(out)
}

// news reports whether there is something to tell a fetch: records, or a high
// watermark beyond the one that it reported (KIP-1166).
func (r *Replica) news(f *parked) bool { return r.lead.end > f.offset || r.hw > f.hw }

func (r *Replica) noteProgress(now kafka.Instant, id kafka.NodeID, offset kafka.Offset) {
	i, ok := r.progress(id)
	if !ok {
		r.lead.replicas = append(r.lead.replicas, Progress{})
		copy(r.lead.replicas[i+1:], r.lead.replicas[i:])
		r.lead.replicas[i] = Progress{ID: id, LastCaughtUp: -kafka.Never}
	}
	p := &r.lead.replicas[i]
	p.End, p.LastFetch = offset, now
	if offset >= r.lead.end {
		p.LastCaughtUp = now
	}
	r.updateHW()
}

// answerParked answers the parked fetches that have news or are due.
func (r *Replica) answerParked(now kafka.Instant, out *sim.Out, m Machine) {
	keep := r.lead.parked[:0:0]
	for i := range r.lead.parked {
		if f := &r.lead.parked[i]; r.news(f) || f.until <= now {
			r.answer(f, out, m)
		} else {
			keep = append(keep, *f)
		}
	}
	r.lead.parked = keep
	r.setParkedTimer(out)
}

func (r *Replica) setParkedTimer(out *sim.Out) {
	t := sim.Timer{Owner: sim.OwnerRaft, Kind: timerParked}
	if len(r.lead.parked) == 0 {
		out.ClearTimer(t)
		return
	}
	at := kafka.Never
	for i := range r.lead.parked {
		at = min(at, r.lead.parked[i].until)
	}
	out.SetTimer(t, at)
}

// answer sends what there is. Only what the leader has flushed is there: until
// the fsync returns, Kafka's leader answers nobody.
func (r *Replica) answer(f *parked, out *sim.Out, m Machine) {
	resp := r.response(f.version, kafka.None)
	data, err := m.Dir.At(r.slot).Read(f.offset, int(min(f.maxBytes, fetchBytesMax)), r.lead.end)
	if err != nil {
		panic("raft: read: " + err.Error())
	}
	resp.Topics[0].Partitions[0].RecordBatches = data
	out.Reply(f.conn, f.corr, resp)
}

// response is a fetch response of this replica without records.
func (r *Replica) response(version int16, code kafka.ErrorCode) *kmsg.FetchResponse {
	p := kmsg.NewFetchResponseTopicPartition()
	p.ErrorCode = int16(code)
	p.HighWatermark = int64(r.hw)
	p.LastStableOffset = -1
	p.CurrentLeader.LeaderID, p.CurrentLeader.LeaderEpoch = int32(r.leader), int32(r.epoch)
	t := kmsg.NewFetchResponseTopic()
	t.TopicID = TopicID
	t.Partitions = []kmsg.FetchResponseTopicPartition{p}
	resp := kmsg.NewPtrFetchResponse()
	resp.Version = version
	resp.Topics = []kmsg.FetchResponseTopic{t}
	return resp
}

func failedFetch(req *kmsg.FetchRequest, code kafka.ErrorCode) *kmsg.FetchResponse {
	resp := req.ResponseKind().(*kmsg.FetchResponse)
	resp.ErrorCode = int16(code)
	return resp
}
