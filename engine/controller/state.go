package controller

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// refuse answers a request on a controller that is not active.
func (c *Controller) refuse(in *sim.Input, out *sim.Out) {
	if resp := notController(in.Request); resp != nil {
		out.Reply(in.Conn, in.Corr, resp)
		return
	}
	out.CloseConn(in.Conn)
}

// notController is the answer of a controller that is not active; nil if it does
// not know the request.
func notController(req kmsg.Request) kmsg.Response {
	const code = int16(kafka.NotController)
	resp := req.ResponseKind()
	switch r := resp.(type) {
	case *kmsg.BrokerRegistrationResponse:
		r.ErrorCode, r.BrokerEpoch = code, -1
	case *kmsg.BrokerHeartbeatResponse:
		r.ErrorCode = code
	case *kmsg.AlterPartitionResponse:
		r.ErrorCode = code
	case *kmsg.ElectLeadersResponse:
		r.ErrorCode = code
	case *kmsg.AllocateProducerIDsResponse:
		r.ErrorCode = code
	case *kmsg.AssignReplicasToDirsResponse:
		r.ErrorCode = code
	case *kmsg.AlterPartitionAssignmentsResponse:
		r.ErrorCode = code
	case *kmsg.ListPartitionReassignmentsResponse:
		r.ErrorCode = code
	case *kmsg.CreateTopicsResponse:
		for _, t := range req.(*kmsg.CreateTopicsRequest).Topics {
			e := kmsg.NewCreateTopicsResponseTopic()
			e.Topic, e.ErrorCode = t.Topic, code
			r.Topics = append(r.Topics, e)
		}
	case *kmsg.DeleteTopicsResponse:
		for _, t := range req.(*kmsg.DeleteTopicsRequest).Topics {
			e := kmsg.NewDeleteTopicsResponseTopic()
			e.Topic, e.TopicID, e.ErrorCode = t.Topic, t.TopicID, code
			r.Topics = append(r.Topics, e)
		}
	case *kmsg.CreatePartitionsResponse:
		for _, t := range req.(*kmsg.CreatePartitionsRequest).Topics {
			e := kmsg.NewCreatePartitionsResponseTopic()
			e.Topic, e.ErrorCode = t.Topic, code
			r.Topics = append(r.Topics, e)
		}
	case *kmsg.IncrementalAlterConfigsResponse:
		for _, t := range req.(*kmsg.IncrementalAlterConfigsRequest).Resources {
			e := kmsg.NewIncrementalAlterConfigsResponseResource()
			e.ResourceType, e.ResourceName, e.ErrorCode = t.ResourceType, t.ResourceName, code
			r.Resources = append(r.Resources, e)
		}
	case *kmsg.AlterClientQuotasResponse:
		for _, q := range req.(*kmsg.AlterClientQuotasRequest).Entries {
			e := kmsg.NewAlterClientQuotasResponseEntry()
			for _, x := range q.Entity {
				e.Entity = append(e.Entity, kmsg.AlterClientQuotasResponseEntryEntity{Type: x.Type, Name: x.Name})
			}
			e.ErrorCode = code
			r.Entries = append(r.Entries, e)
		}
	default:
		return nil
	}
	return resp
}

// Clone returns a copy. Images, records and responses are shared: they never
// change.
func (c *Controller) Clone() *Controller {
	n := *c
	n.versions = slices.Clone(c.versions)
	n.held = slices.Clone(c.held)
	n.appends = slices.Clone(c.appends)
	n.beats, n.buckets = slices.Clone(c.beats), slices.Clone(c.buckets)
	return &n
}

// Digest writes the controller's whole state.
func (c *Controller) Digest(h *sim.Hash) {
	h.Int(int64(c.cfg.ID))
	c.rng.Digest(h)
	h.Bool(c.active)
	h.Int(int64(c.epoch))
	h.Int(int64(c.next))
	c.stable.Digest(h)
	h.Int(int64(len(c.versions)))
	for _, v := range c.versions {
		h.Int(int64(v.end))
		v.img.Digest(h)
	}
	h.Int(int64(len(c.held)))
	for _, w := range c.held {
		h.Int(int64(w.offset))
		h.Uint64(uint64(w.conn))
		h.Int(int64(w.corr))
		h.Bytes(w.resp.AppendTo(nil))
	}
	digestBuckets(h, c.buckets)
	h.Int(int64(len(c.appends)))
	for _, a := range c.appends {
		h.Int(int64(len(a)))
		for _, r := range a {
			h.Bytes(metadata.Encode(nil, r))
		}
	}
	h.Int(int64(len(c.beats)))
	for _, b := range c.beats {
		h.Int(int64(b.id))
		h.Int(int64(b.contact))
		h.Int(int64(b.offset))
		h.Int(int64(b.shutdown))
	}
}
