package controller

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// register handles BrokerRegistration (ClusterControlManager.registerBroker).
//
// A process that is not the one registered must wait until that one's session
// has expired, unless it was shutting down. Without proof of a clean shutdown
// (the epoch of the registration before, KIP-966) it leaves every ISR and ELR:
// its log may have lost its end.
//
// The new broker epoch is the offset of the first record that this writes: of the
// registration, or of what cleans up before it (QuorumController.registerBroker
// gives the next offset to be written). All of it is replayed in one piece.
func (c *Controller) register(now kafka.Instant, req *kmsg.BrokerRegistrationRequest, out *sim.Out) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.BrokerRegistrationResponse)
	resp.BrokerEpoch = -1
	if c.cfg.ClusterID != "" && req.ClusterID != c.cfg.ClusterID {
		resp.ErrorCode = int16(kafka.InconsistentClusterID)
		return resp
	}
	id := kafka.NodeID(req.BrokerID)
	old := c.head.Broker(id)
	same := old != nil && old.IncarnationID == req.IncarnationID
	if old != nil && !same && !old.InControlledShutdown && c.valid(c.beat(id), now) {
		resp.ErrorCode = int16(kafka.DuplicateBrokerRegistration)
		return resp
	}
	var recs []metadata.Record
	rec := registration(req)
	if same { // the same process again: it keeps its epoch
		rec.BrokerEpoch, rec.Fenced, rec.InControlledShutdown = old.Epoch, old.Fenced, old.InControlledShutdown
	} else {
		clean := old == nil || int64(old.Epoch) == req.PreviousBrokerEpoch
		recs = c.goneRecords(id, clean)
		rec.BrokerEpoch = kafka.BrokerEpoch(c.next)
	}
	c.append(out, append(recs, rec), why{})
	resp.BrokerEpoch = int64(rec.BrokerEpoch)
	return resp
}

// goneRecords clean up after a broker's earlier incarnation
// (ReplicationControlManager.handleBrokerShutdown).
func (c *Controller) goneRecords(id kafka.NodeID, clean bool) []metadata.Record {
	if clean || !c.head.ELREnabled() {
		return c.leaderAndISR(update{remove: id, add: kafka.NoNode, unclean: kafka.NoNode}, inISR(id))
	}
	u := update{remove: kafka.NoNode, add: kafka.NoNode, unclean: id}
	return append(c.leaderAndISR(u, inISR(id)), c.leaderAndISR(u, inELR(id))...)
}

func registration(req *kmsg.BrokerRegistrationRequest) *metadata.RegisterBrokerRecord {
	rec := metadata.Latest(&metadata.RegisterBrokerRecord{
		BrokerID: kafka.NodeID(req.BrokerID), IncarnationID: req.IncarnationID, Rack: req.Rack, Fenced: true, LogDirs: req.LogDirs,
	})
	for _, l := range req.Listeners {
		rec.Endpoints = append(rec.Endpoints, metadata.Endpoint{Name: l.Name, Host: l.Host, Port: l.Port, SecurityProtocol: l.SecurityProtocol})
	}
	for _, f := range req.Features {
		rec.Features = append(rec.Features, metadata.SupportedFeature{Name: f.Name, Min: f.MinSupportedVersion, Max: f.MaxSupportedVersion})
	}
	return rec
}

// producerIDBlock is how many producer ids a broker gets at a time
// (ProducerIdsBlock.PRODUCER_ID_BLOCK_SIZE).
const producerIDBlock = 1000

// allocateProducerIDs handles AllocateProducerIds (KIP-730).
func (c *Controller) allocateProducerIDs(req *kmsg.AllocateProducerIDsRequest, out *sim.Out) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.AllocateProducerIDsResponse)
	id, epoch := kafka.NodeID(req.BrokerID), kafka.BrokerEpoch(req.BrokerEpoch)
	if code := c.checkEpoch(id, epoch); code != kafka.None {
		resp.ErrorCode = int16(code)
		return resp
	}
	first := c.head.NextProducerID
	c.append(out, []metadata.Record{&metadata.ProducerIDsRecord{BrokerID: id, BrokerEpoch: epoch, NextProducerID: first + producerIDBlock}}, why{})
	resp.ProducerIDStart, resp.ProducerIDLen = first, producerIDBlock
	return resp
}
