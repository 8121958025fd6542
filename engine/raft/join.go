package raft

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// joins reports whether an observer is to ask for a vote now: every fetch time-out
// one that may become a voter and joins by itself does so, also after somebody
// removed it (KafkaRaftClient.shouldSendAddOrRemoveVoterRequest; KIP-853).
func (r *Replica) joins(now kafka.Instant) bool {
	return r.cfg.AutoJoin && r.cfg.CanBecomeVoter && r.state == Observer && r.dynamic() && now >= r.fetch.joinAt
}

// joinRequest asks the leader for a vote. A voter of the same id in another
// directory, which a disk that was replaced leaves behind, has to go first. The
// answer comes when the record is written, not when it is committed: the replica
// fetches nothing before it (KIP-1186).
func (r *Replica) joinRequest() kmsg.Request {
	if r.isVoterID(r.cfg.ID) {
		req := kmsg.NewPtrRemoveRaftVoterRequest()
		req.VoterID, req.VoterDirectoryID = int32(r.cfg.ID), r.directoryOf(r.cfg.ID)
		return req
	}
	req := kmsg.NewPtrAddRaftVoterRequest()
	req.Version, req.TimeoutMillis, req.VoterID, req.VoterDirectoryID = 1, int32(r.cfg.RequestTimeout.Millis()), int32(r.cfg.ID), r.cfg.Directory
	req.AckWhenCommitted = false
	l := kmsg.NewAddRaftVoterRequestListener()
	l.Name, l.Host, l.Port = listenerName, r.cfg.Host, listenerPort
	req.Listeners = append(req.Listeners, l)
	return req
}
