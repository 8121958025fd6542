package admin

import (
	"strconv"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// AddVoter is kafka-metadata-quorum add-controller (KIP-853): a controller that
// follows as an observer becomes a voter.
type AddVoter struct {
	Token     int32
	Voter     kafka.NodeID
	Directory [16]byte // directory.id of its metadata log
	Host      string   // of its CONTROLLER listener, which has port 9093
}

// RemoveVoter is kafka-metadata-quorum remove-controller.
type RemoveVoter struct {
	Token     int32
	Voter     kafka.NodeID
	Directory [16]byte
}

func (o AddVoter) token() int32    { return o.Token }
func (o RemoveVoter) token() int32 { return o.Token }

func (o AddVoter) what() string    { return "add controller " + strconv.Itoa(int(o.Voter)) }
func (o RemoveVoter) what() string { return "remove controller " + strconv.Itoa(int(o.Voter)) }

func (o AddVoter) request() kmsg.Request {
	r := kmsg.NewPtrAddRaftVoterRequest()
	r.Version, r.TimeoutMillis, r.VoterID, r.VoterDirectoryID, r.AckWhenCommitted = 1, timeoutMillis, int32(o.Voter), o.Directory, true
	l := kmsg.NewAddRaftVoterRequestListener()
	l.Name, l.Host, l.Port = "CONTROLLER", o.Host, 9093
	r.Listeners = append(r.Listeners, l)
	return r
}

func (o AddVoter) outcome(resp kmsg.Response) (kafka.ErrorCode, string) {
	r, _ := resp.(*kmsg.AddRaftVoterResponse)
	if r == nil {
		return kafka.UnknownServerError, ""
	}
	return said(r.ErrorCode, r.ErrorMessage)
}

func (o RemoveVoter) request() kmsg.Request {
	r := kmsg.NewPtrRemoveRaftVoterRequest()
	r.VoterID, r.VoterDirectoryID = int32(o.Voter), o.Directory
	return r
}

func (o RemoveVoter) outcome(resp kmsg.Response) (kafka.ErrorCode, string) {
	r, _ := resp.(*kmsg.RemoveRaftVoterResponse)
	if r == nil {
		return kafka.UnknownServerError, ""
	}
	return said(r.ErrorCode, r.ErrorMessage)
}
