package broker

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
)

// controlBackoff is how long a request to the controller waits before it is
// sent again (NodeToControllerChannelManagerImpl's reconnect back-off).
const controlBackoff = 50 * kafka.Millisecond

// controlKind says who wants the answer of the controller.
type controlKind uint8

const (
	controlRegister controlKind = iota
	controlHeartbeat
	controlAlter
	controlPIDs
	controlAssign
	controlCreate  // automatic creation of a topic
	controlForward // a client's request
)

// control holds what was asked of the controller and not answered yet
// (NodeToControllerChannelManager): requests are sent again, to whoever is the
// controller then, until their deadline.
type control struct {
	leader    kafka.NodeID // the active controller, as the metadata quorum says; NoNode: unknown
	known     bool         // leader is set
	questions []question   // in the order in which they were asked
}

type question struct {
	kind     controlKind
	corr     int32
	sent     bool
	deadline kafka.Instant // Never: tried for ever
	req      kmsg.Request
	conn     sim.ConnID // of a forwarded request
	connCorr int32
}

func (c *control) clone() control {
	d := *c
	d.questions = slices.Clone(c.questions)
	return d
}

// SetController says which node is the active controller, NoNode if nobody knows.
func (b *Broker) SetController(now kafka.Instant, id kafka.NodeID, out *sim.Out) {
	if b.control.known && b.control.leader == id {
		return
	}
	b.control.leader, b.control.known = id, id != kafka.NoNode
	b.sendControl(now, out)
}

// ask sends a request to the controller, now or when there is one.
func (b *Broker) ask(now kafka.Instant, kind controlKind, req kmsg.Request, deadline kafka.Instant, out *sim.Out) {
	b.control.questions = append(b.control.questions, question{kind: kind, req: req, deadline: deadline})
	b.sendControl(now, out)
}

// forward passes a client's request on; the answer goes back as it comes
// (ForwardingManager; here without the envelope).
func (b *Broker) forward(now kafka.Instant, in *sim.Input, out *sim.Out) {
	b.control.questions = append(b.control.questions, question{
		kind: controlForward, req: b.stamped(in), deadline: now.Add(b.set.requestTimeout), conn: in.Conn, connCorr: in.Corr,
	})
	b.sendControl(now, out)
}

// stamped is a request that says who sent it, where the controller has a quota for
// what it asks.
func (b *Broker) stamped(in *sim.Input) kmsg.Request {
	if len(b.img.Quotas) == 0 || !in.From.IsClient() {
		return in.Request
	}
	who := callerOf(in)
	tag := metadata.Caller{User: who.user, Client: who.client}.Bytes()
	switch r := in.Request.(type) {
	case *kmsg.CreateTopicsRequest:
		c := *r
		c.UnknownTags = kmsg.Tags{}
		c.UnknownTags.Set(metadata.CallerTag, tag)
		return &c
	case *kmsg.DeleteTopicsRequest:
		c := *r
		c.UnknownTags = kmsg.Tags{}
		c.UnknownTags.Set(metadata.CallerTag, tag)
		return &c
	case *kmsg.CreatePartitionsRequest:
		c := *r
		c.UnknownTags = kmsg.Tags{}
		c.UnknownTags.Set(metadata.CallerTag, tag)
		return &c
	}
	return in.Request
}

// forwardable reports whether brokers pass a request on to the controller.
func forwardable(req kmsg.Request) bool {
	switch req.(type) {
	case *kmsg.CreateTopicsRequest, *kmsg.DeleteTopicsRequest, *kmsg.CreatePartitionsRequest,
		*kmsg.IncrementalAlterConfigsRequest, *kmsg.ElectLeadersRequest, *kmsg.AlterClientQuotasRequest,
		*kmsg.AlterPartitionAssignmentsRequest, *kmsg.ListPartitionReassignmentsRequest,
		*kmsg.AddRaftVoterRequest, *kmsg.RemoveRaftVoterRequest:
		return true
	}
	return false
}

// sendControl sends what is not in flight, and arms the timer for the next
// deadline if that must wait for a controller to be known.
func (b *Broker) sendControl(now kafka.Instant, out *sim.Out) {
	due := kafka.Never
	for i := range b.control.questions {
		q := &b.control.questions[i]
		if q.sent {
			continue
		}
		if !b.control.known {
			due = min(due, q.deadline)
			continue
		}
		q.sent, q.corr = true, b.corr()
		out.Send(sim.ActorID(b.control.leader), sim.ChanControl, q.corr, q.req, b.controlTimeout(q.kind))
	}
	if due != kafka.Never {
		out.SetTimer(timer(timerControl, 0), due)
	}
}

// controlTimeout is how long one try waits for its response. Heartbeats must
// not hang longer than half a session.
func (b *Broker) controlTimeout(kind controlKind) kafka.Duration {
	if kind == controlHeartbeat || kind == controlRegister {
		return b.set.sessionTimeout / 2
	}
	return b.set.requestTimeout
}

// retryControl sends again what failed, and gives up what is past its deadline.
func (b *Broker) retryControl(now kafka.Instant, out *sim.Out) {
	for i := 0; i < len(b.control.questions); {
		q := b.control.questions[i]
		if q.sent || q.deadline > now {
			i++
			continue
		}
		b.control.questions = slices.Delete(b.control.questions, i, i+1)
		b.unanswered(now, &q, out)
	}
	b.sendControl(now, out)
}

// unanswered ends a question that nobody answered in time.
func (b *Broker) unanswered(now kafka.Instant, q *question, out *sim.Out) {
	switch q.kind {
	case controlRegister, controlHeartbeat:
		b.communicationFailed(out)
	case controlForward:
		out.Reply(q.conn, q.connCorr, refusal(q.req, kafka.RequestTimedOut))
	case controlPIDs:
		b.pids.asking = false
	case controlCreate:
		b.creationEnded(q.req)
	}
}

// takeQuestion finds the question that a response or disconnection is about.
func (b *Broker) takeQuestion(corr int32) (q question, at int) {
	at = slices.IndexFunc(b.control.questions, func(q question) bool { return q.sent && q.corr == corr })
	if at >= 0 {
		q = b.control.questions[at]
	}
	return q, at
}

func (b *Broker) controlDisconnected(now kafka.Instant, in *sim.Input, out *sim.Out) {
	if _, at := b.takeQuestion(in.Corr); at >= 0 {
		b.requeue(now, at, out)
	}
}

// requeue has a question asked again after the back-off.
func (b *Broker) requeue(now kafka.Instant, at int, out *sim.Out) {
	b.control.questions[at].sent = false
	out.SetTimer(timer(timerControl, 0), now.Add(controlBackoff))
}

func (b *Broker) retryAlterLater(now kafka.Instant, out *sim.Out) {
	out.SetTimer(timer(timerControl, 1), now.Add(controlBackoff))
}

func (b *Broker) controlResponse(now kafka.Instant, in *sim.Input, out *sim.Out) {
	q, at := b.takeQuestion(in.Corr)
	if at < 0 {
		return
	}
	if errorOf(in.Response) == kafka.NotController {
		b.requeue(now, at, out)
		return
	}
	b.control.questions = slices.Delete(b.control.questions, at, at+1)
	switch resp := in.Response.(type) {
	case *kmsg.BrokerRegistrationResponse:
		b.registered(now, resp, out)
	case *kmsg.BrokerHeartbeatResponse:
		b.heartbeatAnswered(now, resp, out)
	case *kmsg.AlterPartitionResponse:
		b.alterAnswered(now, resp, out)
	case *kmsg.AssignReplicasToDirsResponse:
		b.assigned(now, resp, out)
	case *kmsg.AllocateProducerIDsResponse:
		b.pids.leased(resp)
	default:
		if q.kind == controlForward {
			out.Reply(q.conn, q.connCorr, in.Response)
			b.throttleForwarded(&q, in.Response, out)
		} else if q.kind == controlCreate {
			b.creationEnded(q.req)
		}
	}
}

// throttleForwarded mutes a connection for as long as the controller's response asks
// for (RequestHandlerHelper.sendForwardedResponse).
func (b *Broker) throttleForwarded(q *question, resp kmsg.Response, out *sim.Out) {
	if r, ok := resp.(kmsg.ThrottleResponse); ok {
		if ms, _ := r.Throttle(); ms > 0 {
			out.Mute(q.conn, out.Now().Add(kafka.Duration(ms)*kafka.Millisecond))
		}
	}
}

// errorOf is the error at the top of a controller's response.
func errorOf(resp kmsg.Response) kafka.ErrorCode {
	switch r := resp.(type) {
	case *kmsg.BrokerRegistrationResponse:
		return kafka.ErrorCode(r.ErrorCode)
	case *kmsg.BrokerHeartbeatResponse:
		return kafka.ErrorCode(r.ErrorCode)
	case *kmsg.AlterPartitionResponse:
		return kafka.ErrorCode(r.ErrorCode)
	case *kmsg.AllocateProducerIDsResponse:
		return kafka.ErrorCode(r.ErrorCode)
	case *kmsg.AssignReplicasToDirsResponse:
		return kafka.ErrorCode(r.ErrorCode)
	case *kmsg.ElectLeadersResponse:
		return kafka.ErrorCode(r.ErrorCode)
	case *kmsg.AlterPartitionAssignmentsResponse:
		return kafka.ErrorCode(r.ErrorCode)
	case *kmsg.ListPartitionReassignmentsResponse:
		return kafka.ErrorCode(r.ErrorCode)
	case *kmsg.CreateTopicsResponse:
		if len(r.Topics) > 0 {
			return kafka.ErrorCode(r.Topics[0].ErrorCode)
		}
	case *kmsg.DeleteTopicsResponse:
		if len(r.Topics) > 0 {
			return kafka.ErrorCode(r.Topics[0].ErrorCode)
		}
	case *kmsg.CreatePartitionsResponse:
		if len(r.Topics) > 0 {
			return kafka.ErrorCode(r.Topics[0].ErrorCode)
		}
	case *kmsg.IncrementalAlterConfigsResponse:
		if len(r.Resources) > 0 {
			return kafka.ErrorCode(r.Resources[0].ErrorCode)
		}
	}
	return kafka.None
}

// refusal answers a client's request with one error for all of it
// (AbstractRequest.getErrorResponse).
func refusal(req kmsg.Request, code kafka.ErrorCode) kmsg.Response {
	e := int16(code)
	switch q := req.(type) {
	case *kmsg.CreateTopicsRequest:
		r := &kmsg.CreateTopicsResponse{Version: q.Version}
		for _, t := range q.Topics {
			r.Topics = append(r.Topics, kmsg.CreateTopicsResponseTopic{Topic: t.Topic, ErrorCode: e, NumPartitions: -1, ReplicationFactor: -1})
		}
		return r
	case *kmsg.DeleteTopicsRequest:
		r := &kmsg.DeleteTopicsResponse{Version: q.Version}
		for i := range q.TopicNames {
			r.Topics = append(r.Topics, kmsg.DeleteTopicsResponseTopic{Topic: &q.TopicNames[i], ErrorCode: e})
		}
		for i := range q.Topics {
			r.Topics = append(r.Topics, kmsg.DeleteTopicsResponseTopic{Topic: q.Topics[i].Topic, TopicID: q.Topics[i].TopicID, ErrorCode: e})
		}
		return r
	case *kmsg.CreatePartitionsRequest:
		r := &kmsg.CreatePartitionsResponse{Version: q.Version}
		for _, t := range q.Topics {
			r.Topics = append(r.Topics, kmsg.CreatePartitionsResponseTopic{Topic: t.Topic, ErrorCode: e})
		}
		return r
	case *kmsg.IncrementalAlterConfigsRequest:
		r := &kmsg.IncrementalAlterConfigsResponse{Version: q.Version}
		for _, c := range q.Resources {
			r.Resources = append(r.Resources, kmsg.IncrementalAlterConfigsResponseResource{ErrorCode: e, ResourceType: c.ResourceType, ResourceName: c.ResourceName})
		}
		return r
	case *kmsg.ElectLeadersRequest:
		return &kmsg.ElectLeadersResponse{Version: q.Version, ErrorCode: e}
	case *kmsg.AlterPartitionAssignmentsRequest:
		return &kmsg.AlterPartitionAssignmentsResponse{Version: q.Version, ErrorCode: e}
	case *kmsg.ListPartitionReassignmentsRequest:
		return &kmsg.ListPartitionReassignmentsResponse{Version: q.Version, ErrorCode: e}
	case *kmsg.AddRaftVoterRequest:
		return &kmsg.AddRaftVoterResponse{Version: q.Version, ErrorCode: e}
	case *kmsg.RemoveRaftVoterRequest:
		return &kmsg.RemoveRaftVoterResponse{Version: q.Version, ErrorCode: e}
	}
	return req.ResponseKind()
}
