package raft

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// request answers a request of another replica, or of a tool.
func (r *Replica) request(now kafka.Instant, in *sim.Input, out *sim.Out, m Machine) {
	switch req := in.Request.(type) {
	case *kmsg.FetchRequest:
		r.fetchAsked(now, in, req, out, m)
	case *kmsg.FetchSnapshotRequest:
		out.Reply(in.Conn, in.Corr, r.snapshotAsked(now, req, out, m))
	case *kmsg.VoteRequest:
		out.Reply(in.Conn, in.Corr, r.voteAsked(now, req, out, m))
	case *kmsg.BeginQuorumEpochRequest:
		out.Reply(in.Conn, in.Corr, r.beginAsked(now, req, out, m))
	case *kmsg.EndQuorumEpochRequest:
		out.Reply(in.Conn, in.Corr, r.endAsked(now, req, out, m))
	case *kmsg.DescribeQuorumRequest:
		out.Reply(in.Conn, in.Corr, r.describe(now, req))
	case *kmsg.AddRaftVoterRequest, *kmsg.RemoveRaftVoterRequest, *kmsg.UpdateRaftVoterRequest:
		r.changeAsked(now, in, out, m)
	case *kmsg.ApiVersionsRequest:
		out.Reply(in.Conn, in.Corr, &kmsg.ApiVersionsResponse{
			Version: req.Version, ApiKeys: served,
			SupportedFeatures: []kmsg.ApiVersionsResponseSupportedFeature{{Name: "kraft.version", MaxVersion: kraftVersionMax}},
		})
	default:
		out.CloseConn(in.Conn)
	}
}

// served are the APIs that a replica answers, by key, with the versions that it
// speaks itself.
var served = []kmsg.ApiVersionsResponseApiKey{
	{ApiKey: 1, MinVersion: 17, MaxVersion: fetchVersion}, // Fetch
	{ApiKey: 18, MinVersion: 0, MaxVersion: 4},            // ApiVersions
	{ApiKey: 52, MinVersion: 0, MaxVersion: 2},            // Vote
	{ApiKey: 53, MinVersion: 0, MaxVersion: epochVersion}, // BeginQuorumEpoch
	{ApiKey: 54, MinVersion: 0, MaxVersion: epochVersion}, // EndQuorumEpoch
	{ApiKey: 55, MinVersion: 0, MaxVersion: 2},            // DescribeQuorum
	{ApiKey: 59, MinVersion: 0, MaxVersion: 1},            // FetchSnapshot
	{ApiKey: 80, MinVersion: 0, MaxVersion: 1},            // AddRaftVoter
	{ApiKey: 81, MinVersion: 0, MaxVersion: 0},            // RemoveRaftVoter
	{ApiKey: 82, MinVersion: 0, MaxVersion: 0},            // UpdateRaftVoter
}

// Handles reports whether a request is the quorum's to answer.
func Handles(req kmsg.Request) bool {
	switch req.(type) {
	case *kmsg.FetchRequest, *kmsg.FetchSnapshotRequest, *kmsg.VoteRequest, *kmsg.BeginQuorumEpochRequest, *kmsg.EndQuorumEpochRequest,
		*kmsg.DescribeQuorumRequest, *kmsg.AddRaftVoterRequest, *kmsg.RemoveRaftVoterRequest, *kmsg.UpdateRaftVoterRequest:
		return true
	}
	return false
}

func (r *Replica) fetchAsked(now kafka.Instant, in *sim.Input, req *kmsg.FetchRequest, out *sim.Out, m Machine) {
	if len(req.Topics) != 1 || req.Topics[0].TopicID != TopicID || len(req.Topics[0].Partitions) != 1 {
		out.Reply(in.Conn, in.Corr, failedFetch(req, kafka.InvalidRequest))
		return
	}
	if code := r.sameCluster(req.ClusterID); code != kafka.None {
		out.Reply(in.Conn, in.Corr, failedFetch(req, code))
		return
	}
	p := &req.Topics[0].Partitions[0]
	if req.MaxWaitMillis < 0 || p.FetchOffset < 0 || p.LastFetchedEpoch < 0 || p.LastFetchedEpoch > p.CurrentLeaderEpoch {
		out.Reply(in.Conn, in.Corr, r.fetchResponse(req.Version, kafka.InvalidRequest))
		return
	}
	if code := r.validate(kafka.LeaderEpoch(p.CurrentLeaderEpoch)); code != kafka.None {
		out.Reply(in.Conn, in.Corr, r.fetchResponse(req.Version, code))
		return
	}
	r.serve(now, in, req, p, out, m)
}

// sameCluster checks the cluster.id of a request (KafkaRaftClient.hasValidClusterId).
func (r *Replica) sameCluster(id *string) kafka.ErrorCode {
	if id != nil && r.cfg.ClusterID != "" && *id != r.cfg.ClusterID {
		return kafka.InconsistentClusterID
	}
	return kafka.None
}

// clusterID is the cluster.id for a request; nil if there is none.
func (r *Replica) clusterID() *string {
	if r.cfg.ClusterID == "" {
		return nil
	}
	return kmsg.StringPtr(r.cfg.ClusterID)
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
	case r.stopBy != kafka.Never:
		return kafka.BrokerNotAvailable
	}
	return kafka.None
}

// fits compares a replica's end of log with this one: an epoch and end offset to
// truncate to, or a snapshot to fetch, or neither if the one is a part of the
// other (ReplicatedLog.validateOffsetAndEpoch).
func (r *Replica) fits(offset kafka.Offset, last kafka.LeaderEpoch, m Machine) (diverging SnapshotID, snapshot SnapshotID, ok bool) {
	log := m.Dir.At(r.slot)
	start := log.LogStart()
	if s, ok := m.Snapshots.Latest(); offset == 0 && ok && s.ID != (SnapshotID{}) {
		// Whoever has nothing gets there sooner with a snapshot than with all the
		// records, even where they still are (KafkaRaftClient.tryCompleteFetchRequest).
		return diverging, s.ID, false
	}
	if offset == 0 && last == 0 && start == 0 { // an empty replica is always valid
		return diverging, snapshot, true
	}
	// The snapshot that the log begins behind, if it begins behind one.
	earliest, begins := r.earliest(start, m)
	if begins && (offset < start || offset == start && last != earliest.Epoch || last < earliest.Epoch) {
		latest, _ := m.Snapshots.Latest()
		return diverging, latest.ID, false
	}
	if begins && offset == start && last == earliest.Epoch {
		return diverging, snapshot, true
	}
	epoch, end := log.EndOffsetForEpoch(last, r.lead.end)
	switch {
	case epoch == kafka.NoEpoch: // newer than anything here
		epoch, end = r.lastEpoch(m), r.lead.end
	case begins && end <= start: // of that epoch nothing is left here
		epoch, end = earliest.Epoch, start
	}
	if epoch != last || end < offset {
		return SnapshotID{end, epoch}, snapshot, false
	}
	return diverging, snapshot, true
}

// earliest is the snapshot at the log's start.
func (r *Replica) earliest(start kafka.Offset, m Machine) (SnapshotID, bool) {
	if list := m.Snapshots.list; start > 0 && len(list) > 0 {
		return list[0].ID, true
	}
	return SnapshotID{}, false
}

// serve answers a valid fetch with records, a divergence, a snapshot or a moved
// high watermark, or parks it.
func (r *Replica) serve(now kafka.Instant, in *sim.Input, req *kmsg.FetchRequest, p *kmsg.FetchRequestTopicPartition, out *sim.Out, m Machine) {
	offset := kafka.Offset(p.FetchOffset)
	id := kafka.NodeID(req.ReplicaState.ID)
	if d, s, ok := r.fits(offset, kafka.LeaderEpoch(p.LastFetchedEpoch), m); !ok {
		resp := r.fetchResponse(req.Version, kafka.None)
		e := &resp.Topics[0].Partitions[0]
		if s.End > 0 {
			e.SnapshotID.EndOffset, e.SnapshotID.Epoch = int64(s.End), int32(s.Epoch)
		} else {
			e.DivergingEpoch.EndOffset, e.DivergingEpoch.Epoch = int64(d.End), int32(d.Epoch)
		}
		out.Reply(in.Conn, in.Corr, resp)
		return
	}
	hw := r.hw
	if id >= 0 { // else a tool reads
		r.noteProgress(now, id, p.ReplicaDirectoryID, offset)
		r.noteFetch(now, id, p.ReplicaDirectoryID, out)
	}
	if r.hw > hw {
		r.changed(now, out, m)
		if r.state != Leader {
			out.Reply(in.Conn, in.Corr, r.fetchResponse(req.Version, kafka.NotLeaderOrFollower))
			return
		}
		r.answerParked(now, out, m)
	}
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

// noteProgress notes how far a replica is by its fetch. One that has reached where the
// leader was at its last fetch was caught up then
// (LeaderState.ReplicaState.updateFollowerState).
func (r *Replica) noteProgress(now kafka.Instant, id kafka.NodeID, directory [16]byte, offset kafka.Offset) {
	key := directory
	if v, ok := findVoter(r.voters, id); ok && r.voters[v].Directory == [16]byte{} {
		key = [16]byte{}
	}
	i, ok := r.progress(id, key)
	if !ok {
		r.lead.replicas = append(r.lead.replicas, Progress{})
		copy(r.lead.replicas[i+1:], r.lead.replicas[i:])
		r.lead.replicas[i] = Progress{ID: id, LastCaughtUp: -kafka.Never}
	}
	p := &r.lead.replicas[i]
	switch {
	case offset >= r.lead.end:
		p.LastCaughtUp = now
	case p.leaderEnd > 0 && offset >= p.leaderEnd:
		p.LastCaughtUp = p.LastFetch
	}
	p.End, p.LastFetch, p.Directory, p.leaderEnd = offset, now, directory, r.lead.end
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
	resp := r.fetchResponse(f.version, kafka.None)
	data, err := m.Dir.At(r.slot).Read(f.offset, int(min(f.maxBytes, fetchBytesMax)), r.lead.end)
	if err != nil {
		panic("raft: read: " + err.Error())
	}
	resp.Topics[0].Partitions[0].RecordBatches = data
	out.Reply(f.conn, f.corr, resp)
}

// fetchResponse is a fetch response of this replica without records.
func (r *Replica) fetchResponse(version int16, code kafka.ErrorCode) *kmsg.FetchResponse {
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
