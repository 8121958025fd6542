package controller

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A controller that is not active answers everybody with NOT_CONTROLLER, for the
// request as a whole or for each item, and closes on what it does not know.
func TestStandbyRefuses(t *testing.T) {
	c := New(Config{ID: 101, Seed: 1})
	name := "t"
	ask := func(req kmsg.Request) *sim.Out {
		out := sim.NewOut(0, 101)
		c.Step(0, &sim.Input{Kind: sim.InputRequest, Conn: 7, Corr: 1, Request: req}, out)
		return out
	}
	code := func(req kmsg.Request) int16 {
		m := ask(req).Messages()
		if len(m) != 1 {
			t.Fatalf("%T: %d answers", req, len(m))
		}
		switch r := m[0].Response.(type) {
		case *kmsg.BrokerRegistrationResponse:
			return r.ErrorCode
		case *kmsg.BrokerHeartbeatResponse:
			return r.ErrorCode
		case *kmsg.AlterPartitionResponse:
			return r.ErrorCode
		case *kmsg.ElectLeadersResponse:
			return r.ErrorCode
		case *kmsg.AllocateProducerIDsResponse:
			return r.ErrorCode
		case *kmsg.CreateTopicsResponse:
			return r.Topics[0].ErrorCode
		case *kmsg.DeleteTopicsResponse:
			return r.Topics[0].ErrorCode
		case *kmsg.CreatePartitionsResponse:
			return r.Topics[0].ErrorCode
		case *kmsg.IncrementalAlterConfigsResponse:
			return r.Resources[0].ErrorCode
		}
		t.Fatalf("response %T", m[0].Response)
		return 0
	}
	for _, req := range []kmsg.Request{
		&kmsg.BrokerRegistrationRequest{}, &kmsg.BrokerHeartbeatRequest{}, &kmsg.AlterPartitionRequest{},
		&kmsg.ElectLeadersRequest{}, &kmsg.AllocateProducerIDsRequest{},
		&kmsg.CreateTopicsRequest{Topics: []kmsg.CreateTopicsRequestTopic{{Topic: name}}},
		&kmsg.DeleteTopicsRequest{Topics: []kmsg.DeleteTopicsRequestTopic{{Topic: &name}}},
		&kmsg.CreatePartitionsRequest{Topics: []kmsg.CreatePartitionsRequestTopic{{Topic: name}}},
		&kmsg.IncrementalAlterConfigsRequest{Resources: []kmsg.IncrementalAlterConfigsRequestResource{{ResourceName: name}}},
	} {
		if got := kafka.ErrorCode(code(req)); got != kafka.NotController {
			t.Errorf("%T: %v", req, got)
		}
	}
	if out := ask(kmsg.NewPtrProduceRequest()); len(out.Messages()) != 0 || len(out.Closed()) != 1 {
		t.Error("a standby answered Produce")
	}
	out := sim.NewOut(0, 101)
	c.Step(0, &sim.Input{Kind: sim.InputTimer, Timer: sim.Timer{Owner: sim.OwnerController, Kind: timerNoOp}}, out)
	if len(c.TakeRecords()) != 0 || len(out.Timers()) != 0 {
		t.Error("a standby runs the active controller's tasks")
	}
}

// A standby that replays the log of an active one has the same image, and begins
// without the soft state.
func TestStandbyTakesOver(t *testing.T) {
	a := benchController(5)
	var entries []metadata.Entry
	first := New(Config{ID: 101, Seed: 1})
	out := sim.NewOut(0, 101)
	first.Activate(0, 1, 1, out)
	for _, recs := range first.TakeRecords() {
		for _, r := range recs {
			entries = append(entries, metadata.Entry{Offset: kafka.Offset(1 + len(entries)), Record: r})
		}
	}
	s := New(Config{ID: 102, Seed: 2})
	s.Replay(entries)
	if s.Head() != s.Stable() || s.Head().Offset != entries[len(entries)-1].Offset || !s.Head().ELREnabled() {
		t.Errorf("image at %d", s.Head().Offset)
	}
	s.Activate(50, 2, kafka.Offset(2+len(entries)), out)
	if recs := s.TakeRecords(); len(recs) != 0 {
		t.Errorf("%d batches of bootstrap records into a log that has some", len(recs))
	}
	if at := a.LastHeartbeat(1); at != 0 || a.MetadataOffset(1) < 0 || s.LastHeartbeat(1) != kafka.Never || s.MetadataOffset(1) != kafka.NoOffset {
		t.Errorf("heartbeats: %v", at)
	}
}

// A controller whose quorum replica does not lead any more forgets what was not
// committed, and sends who waited for it to the new one.
func TestRenounce(t *testing.T) {
	c := New(Config{ID: 101, Seed: 1})
	out := sim.NewOut(0, 101)
	c.Activate(0, 3, 1, out)
	c.TakeRecords()
	c.Committed(c.NextOffset(), out)
	stable := c.Stable()
	out = sim.NewOut(0, 101)
	c.Step(0, &sim.Input{Kind: sim.InputRequest, Conn: 7, Corr: 9, Request: &kmsg.BrokerRegistrationRequest{BrokerID: 1}}, out)
	if len(out.Messages()) != 0 || c.Head() == stable {
		t.Fatalf("answered %v before the commit", out.Messages())
	}
	out = sim.NewOut(0, 101)
	c.Renounce(out)
	m := out.Messages()
	if len(m) != 1 || m[0].Conn != 7 || m[0].Corr != 9 || kafka.ErrorCode(m[0].Response.(*kmsg.BrokerRegistrationResponse).ErrorCode) != kafka.NotController {
		t.Errorf("answers %+v", m)
	}
	if c.Active() || c.Head() != stable || c.Stable() != stable || len(c.TakeRecords()) != 0 {
		t.Error("something uncommitted was kept")
	}
	// The record was committed after all, by another leader, and comes back.
	c.Replay([]metadata.Entry{{Offset: stable.Offset + 2, Record: metadata.Latest(&metadata.RegisterBrokerRecord{BrokerID: 1, BrokerEpoch: 5, Fenced: true})}})
	c.Activate(0, 4, stable.Offset+3, sim.NewOut(0, 101))
	if c.Head().Broker(1) == nil || c.Epoch() != 4 || len(c.TakeRecords()) != 0 {
		t.Errorf("broker %+v in epoch %d", c.Head().Broker(1), c.Epoch())
	}
}
