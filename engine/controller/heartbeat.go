package controller

import (
	"cmp"
	"math"
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// noContact is the contact time of a broker without a session.
const noContact = -kafka.Never

// beat is what a broker's heartbeats have told (BrokerHeartbeatState,
// BrokerHeartbeatTracker).
type beat struct {
	id       kafka.NodeID
	contact  kafka.Instant // of the last heartbeat; noContact: no session
	offset   kafka.Offset  // metadata offset that it reported last; -1 for none
	shutdown kafka.Offset  // when others have read this far it may go; -1: not in controlled shutdown
}

func (c *Controller) beat(id kafka.NodeID) *beat {
	i, ok := slices.BinarySearchFunc(c.beats, id, func(b beat, id kafka.NodeID) int { return cmp.Compare(b.id, id) })
	if !ok {
		return nil
	}
	return &c.beats[i]
}

// registered starts anew with a broker, without a session.
func (c *Controller) registered(b *metadata.Broker) {
	i, ok := slices.BinarySearchFunc(c.beats, b.ID, func(b beat, id kafka.NodeID) int { return cmp.Compare(b.id, id) })
	if !ok {
		c.beats = slices.Insert(c.beats, i, beat{})
	}
	c.beats[i] = beat{id: b.ID, contact: noContact, offset: -1, shutdown: -1}
}

// brokersChanged follows changed registrations.
func (c *Controller) brokersChanged(old *metadata.Image, ids []kafka.NodeID) {
	for _, id := range ids {
		was, is := old.Broker(id), c.head.Broker(id)
		switch {
		case was == nil || is.Epoch != was.Epoch:
			c.registered(is)
		case is.Fenced:
			c.beat(id).shutdown = -1 // a fenced broker leaves controlled shutdown
		}
	}
}

// valid reports whether a broker has a session that has not expired.
func (c *Controller) valid(b *beat, now kafka.Instant) bool {
	return b != nil && b.contact != noContact && b.contact.Add(c.times.session) >= now
}

// LastHeartbeat is when a broker was heard of last; kafka.Never if it was not
// since it registered or since this controller is active.
func (c *Controller) LastHeartbeat(id kafka.NodeID) kafka.Instant {
	if b := c.beat(id); b != nil && b.contact != noContact {
		return b.contact
	}
	return kafka.Never
}

// MetadataOffset is the metadata offset that a broker reported last; -1 for none.
func (c *Controller) MetadataOffset(id kafka.NodeID) kafka.Offset {
	if b := c.beat(id); b != nil {
		return b.offset
	}
	return kafka.NoOffset
}

// control is a broker's state for the controller (BrokerControlState).
type control uint8

const (
	fenced control = iota
	unfenced
	controlledShutdown
	shutdownNow
)

// heartbeat handles BrokerHeartbeat (ReplicationControlManager.processBrokerHeartbeat).
func (c *Controller) heartbeat(now kafka.Instant, req *kmsg.BrokerHeartbeatRequest, out *sim.Out) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.BrokerHeartbeatResponse)
	id := kafka.NodeID(req.BrokerID)
	if code := c.checkEpoch(id, kafka.BrokerEpoch(req.BrokerEpoch)); code != kafka.None {
		resp.ErrorCode = int16(code)
		return resp
	}
	b := c.beat(id)
	b.contact = now
	if len(req.OfflineLogDirs) > 0 {
		c.append(out, c.directoriesOffline(id, req.OfflineLogDirs), why{})
		b = c.beat(id)
	}
	state := c.controlState(b)
	next := c.nextState(b, state, req)
	var recs []metadata.Record
	var w why
	if next != state {
		switch next {
		case fenced:
			recs, w = c.fenceRecords(id), why{fenced: "it asked for it"}
		case unfenced:
			recs = c.unfenceRecords(id)
		case controlledShutdown:
			recs = c.shutdownRecords(id)
		case shutdownNow:
			recs, w = c.fenceRecords(id), why{fenced: "shut down"}
		}
	}
	c.append(out, recs, w)
	b = c.beat(id)
	b.offset = kafka.Offset(req.CurrentMetadataOffset)
	switch {
	case next == shutdownNow:
		b.contact = noContact // it may register again at once (KAFKA-19047)
	case next == controlledShutdown && b.shutdown < 0:
		b.shutdown = c.next - 1
	}
	resp.IsCaughtUp = req.CurrentMetadataOffset >= int64(c.head.Broker(id).Epoch)
	resp.IsFenced = next == fenced || next == shutdownNow
	resp.ShouldShutdown = next == shutdownNow
	return resp
}

// checkEpoch makes sure that a request is from the broker's present registration
// (ClusterControlManager.checkBrokerEpoch).
func (c *Controller) checkEpoch(id kafka.NodeID, epoch kafka.BrokerEpoch) kafka.ErrorCode {
	if b := c.head.Broker(id); b == nil || b.Epoch != epoch {
		return kafka.StaleBrokerEpoch
	}
	return kafka.None
}

func (c *Controller) controlState(b *beat) control {
	switch {
	case b.shutdown >= 0:
		return controlledShutdown
	case c.head.Broker(b.id).Fenced:
		return fenced
	}
	return unfenced
}

// nextState follows BrokerHeartbeatManager.calculateNextBrokerState.
func (c *Controller) nextState(b *beat, state control, req *kmsg.BrokerHeartbeatRequest) control {
	switch state {
	case fenced:
		switch {
		case req.WantShutdown:
			return shutdownNow
		case !req.WantFence && req.CurrentMetadataOffset >= int64(c.head.Broker(b.id).Epoch):
			return unfenced
		}
		return fenced
	case unfenced:
		switch {
		case req.WantFence && req.WantShutdown:
			return shutdownNow
		case req.WantFence:
			return fenced
		case req.WantShutdown && c.leads(b.id):
			return controlledShutdown
		case req.WantShutdown:
			return shutdownNow
		}
		return unfenced
	}
	if !c.leads(b.id) && b.shutdown <= c.lowestActiveOffset() {
		return shutdownNow
	}
	return controlledShutdown
}

// lowestActiveOffset is how far the slowest broker that is unfenced and not
// shutting down has read; the largest offset there is if there is none.
func (c *Controller) lowestActiveOffset() kafka.Offset {
	low := kafka.Offset(math.MaxInt64)
	for i := range c.beats {
		if b := &c.beats[i]; b.shutdown < 0 && c.head.Active(b.id) {
			low = min(low, b.offset)
		}
	}
	return low
}

// leads reports whether a broker leads a partition.
func (c *Controller) leads(id kafka.NodeID) bool {
	for _, t := range c.head.Topics {
		for _, p := range t.Partitions {
			if p.Leader == id {
				return true
			}
		}
	}
	return false
}

// fenceOneStale fences the first broker whose session has expired, and only that
// one: what it changes is to be seen before the next is looked at
// (ReplicationControlManager.maybeFenceOneStaleBroker). It reports whether it
// found one.
func (c *Controller) fenceOneStale(now kafka.Instant, out *sim.Out) bool {
	for i := range c.beats {
		b := &c.beats[i]
		if b.contact == noContact || c.valid(b, now) {
			continue
		}
		b.contact = noContact
		c.append(out, c.fenceRecords(b.id), why{fenced: "session timed out"})
		return true
	}
	return false
}

// fenceRecords takes a broker out of every ISR, elects where it led, and fences it.
func (c *Controller) fenceRecords(id kafka.NodeID) []metadata.Record {
	recs := c.leaderAndISR(update{remove: id, add: kafka.NoNode, unclean: kafka.NoNode}, inISR(id))
	return append(recs, c.registrationChange(id, 1, 0))
}

// unfenceRecords unfences a broker, and elects where nobody leads.
func (c *Controller) unfenceRecords(id kafka.NodeID) []metadata.Record {
	recs := []metadata.Record{c.registrationChange(id, -1, 0)}
	return append(recs, c.leaderAndISR(update{remove: kafka.NoNode, add: id, unclean: kafka.NoNode}, leaderless)...)
}

// shutdownRecords begin a controlled shutdown: the broker leaves every ISR and
// hands its leaderships over.
func (c *Controller) shutdownRecords(id kafka.NodeID) []metadata.Record {
	var recs []metadata.Record
	if !c.head.Broker(id).InControlledShutdown {
		recs = append(recs, c.registrationChange(id, 0, 1))
	}
	return append(recs, c.leaderAndISR(update{remove: id, add: kafka.NoNode, unclean: kafka.NoNode}, inISR(id))...)
}

func (c *Controller) registrationChange(id kafka.NodeID, fenced, shutdown int8) metadata.Record {
	return metadata.Latest(&metadata.BrokerRegistrationChangeRecord{
		BrokerID: id, BrokerEpoch: c.head.Broker(id).Epoch, Fenced: fenced, InControlledShutdown: shutdown,
	})
}
