package controller

import (
	"fmt"
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Config is what a controller is made of.
type Config struct {
	ID        kafka.NodeID
	ClusterID string          // cluster.id: brokers of another one are not registered; "" is not compared
	Static    metadata.Static // server.properties, checked
	Seed      uint64
}

// The kinds of timers, all owned by sim.OwnerController (QuorumController's
// periodic tasks).
const (
	timerFence   uint8 = iota // maybeFenceStaleBroker
	timerNoOp                 // writeNoOpRecord
	timerBalance              // electPreferred
	timerUnclean              // electUnclean
)

// Controller is the quorum controller of one process. It is plain data; copy it
// with Clone.
type Controller struct {
	cfg    Config
	rng    sim.Rand
	times  times
	active bool
	epoch  kafka.LeaderEpoch // the quorum epoch that it is active in

	head     *metadata.Image // with everything appended; decisions are made on it
	stable   *metadata.Image // with what is committed
	next     kafka.Offset    // offset that the next record gets
	versions []version       // images between stable and head, in order
	held     []held          // responses, in order of their offsets
	appends  [][]metadata.Record
	buckets  []bucket // of controller_mutation_rate, sorted by user and client
	beats    []beat   // one per registered broker, sorted by ID; empty unless active
}

// times are the static configs that the controller lives by.
type times struct {
	session, noop, balance, unclean kafka.Duration
	rebalance                       bool // auto.leader.rebalance.enable
}

// version is the image after an append that is not committed yet.
type version struct {
	end kafka.Offset // of the append's last record
	img *metadata.Image
}

// held is a response that waits until an offset is committed.
type held struct {
	offset kafka.Offset
	conn   sim.ConnID
	corr   int32
	req    kmsg.Request // what it answers
	resp   kmsg.Response
}

// New returns the controller of a process that starts, as a standby that has
// replayed nothing.
func New(cfg Config) *Controller {
	img := metadata.Empty()
	ms := func(name string) kafka.Duration { return img.BrokerDuration(cfg.ID, cfg.Static, name) }
	return &Controller{
		cfg: cfg, rng: sim.NewRand(cfg.Seed, fmt.Sprintf("controller/%d", cfg.ID)),
		times: times{
			session: ms("broker.session.timeout.ms"), noop: ms("metadata.max.idle.interval.ms"),
			balance: ms("leader.imbalance.check.interval.seconds"), unclean: ms("unclean.leader.election.interval.ms"),
			rebalance: img.BrokerBool(cfg.ID, cfg.Static, "auto.leader.rebalance.enable"),
		},
		head: img, stable: img,
	}
}

// Replay takes committed records on a controller that is not active.
func (c *Controller) Replay(entries []metadata.Entry) {
	if c.active {
		panic("controller: replay while active")
	}
	img, _, err := metadata.Apply(c.stable, entries...)
	if err != nil {
		panic("controller: " + err.Error())
	}
	c.head, c.stable = img, img
}

// Load takes an image from a snapshot in place of what was replayed, on a
// controller that is not active.
func (c *Controller) Load(img *metadata.Image) {
	if c.active {
		panic("controller: snapshot while active")
	}
	c.head, c.stable = img, img
}

// Renounce makes a standby of the active controller, whose quorum replica does
// not lead any more: what was not committed is as if it had never been, and who
// waited for it is told to look for the controller (QuorumController.renounce).
// Records that are committed after all come back by Replay.
func (c *Controller) Renounce(out *sim.Out) {
	for _, h := range c.held {
		if resp := notController(h.req); resp != nil {
			out.Reply(h.conn, h.corr, resp)
		} else {
			out.CloseConn(h.conn)
		}
	}
	c.active = false
	c.head = c.stable
	c.versions, c.held, c.appends, c.beats = nil, nil, nil, nil
	for _, kind := range [...]uint8{timerFence, timerNoOp, timerBalance, timerUnclean} {
		out.ClearTimer(sim.Timer{Owner: sim.OwnerController, Kind: kind})
	}
}

// SkipTo passes over offsets that the quorum took for records of its own. All
// records decided before must have been taken.
func (c *Controller) SkipTo(next kafka.Offset) { c.next = next }

// Epoch is the quorum epoch in which it is, or was last, active.
func (c *Controller) Epoch() kafka.LeaderEpoch { return c.epoch }

// Activate makes the controller the active one of an epoch; next is the offset
// that its first record will get. It must have replayed all that was committed
// before. An empty log gets the bootstrap records.
func (c *Controller) Activate(now kafka.Instant, epoch kafka.LeaderEpoch, next kafka.Offset, out *sim.Out) {
	c.active, c.epoch, c.next = true, epoch, next
	c.beats = nil
	for i := range c.head.Brokers {
		c.registered(&c.head.Brokers[i])
		if !c.head.Brokers[i].Fenced { // a chance to be heard of before it is fenced
			c.beats[i].contact = now
		}
	}
	if c.head.Offset < 0 {
		c.append(out, c.bootstrap(), why{})
	}
	c.every(out, timerFence, max(kafka.Millisecond, c.times.session/8))
	if c.times.noop > 0 {
		c.every(out, timerNoOp, c.times.noop)
	}
	if c.times.rebalance {
		c.every(out, timerBalance, c.times.balance)
	}
	c.every(out, timerUnclean, c.times.unclean)
}

func (c *Controller) every(out *sim.Out, kind uint8, d kafka.Duration) {
	out.After(sim.Timer{Owner: sim.OwnerController, Kind: kind}, d)
}

// Committed tells that the log is committed up to and without hw: responses
// that waited for it go out.
func (c *Controller) Committed(hw kafka.Offset, out *sim.Out) {
	for len(c.versions) > 0 && c.versions[0].end < hw {
		c.stable = c.versions[0].img
		c.versions = c.versions[1:]
	}
	for len(c.held) > 0 && c.held[0].offset < hw {
		h := c.held[0]
		c.held = c.held[1:]
		out.Reply(h.conn, h.corr, h.resp)
	}
}

// TakeRecords returns the records decided since the last call: each element is
// to be appended as one piece, in order.
func (c *Controller) TakeRecords() [][]metadata.Record {
	a := c.appends
	c.appends = nil
	return a
}

// Step handles a request or one of the controller's timers.
func (c *Controller) Step(now kafka.Instant, in *sim.Input, out *sim.Out) {
	switch in.Kind {
	case sim.InputRequest:
		if !c.active {
			c.refuse(in, out)
			return
		}
		c.request(now, in, out)
	case sim.InputTimer:
		if c.active {
			c.timer(now, in.Timer.Kind, out)
		}
	}
}

func (c *Controller) timer(now kafka.Instant, kind uint8, out *sim.Out) {
	switch kind {
	case timerFence:
		period := max(kafka.Millisecond, c.times.session/8)
		if c.fenceOneStale(now, out) {
			period = 0 // look for the next one at once
		}
		c.every(out, timerFence, period)
	case timerNoOp:
		c.append(out, []metadata.Record{&metadata.NoOpRecord{}}, why{})
		c.every(out, timerNoOp, c.times.noop)
	case timerBalance:
		period := c.times.balance
		if c.electPreferred(out) {
			period = 0
		}
		c.every(out, timerBalance, period)
	case timerUnclean:
		c.electUnclean(out)
		c.every(out, timerUnclean, c.times.unclean)
	}
}

// request decides one request. Everything else is left to what forwards it.
func (c *Controller) request(now kafka.Instant, in *sim.Input, out *sim.Out) {
	var resp kmsg.Response
	switch req := in.Request.(type) {
	case *kmsg.BrokerRegistrationRequest:
		resp = c.register(now, req, out)
	case *kmsg.BrokerHeartbeatRequest:
		resp = c.heartbeat(now, req, out)
	case *kmsg.AlterPartitionRequest:
		resp = c.alterPartition(req, out)
	case *kmsg.AssignReplicasToDirsRequest:
		resp = c.assignReplicas(req, out)
	case *kmsg.CreateTopicsRequest:
		resp = c.createTopics(now, req, out)
	case *kmsg.DeleteTopicsRequest:
		resp = c.deleteTopics(now, req, out)
	case *kmsg.CreatePartitionsRequest:
		resp = c.createPartitions(now, req, out)
	case *kmsg.IncrementalAlterConfigsRequest:
		resp = c.alterConfigs(req, out)
	case *kmsg.AlterClientQuotasRequest:
		resp = c.alterQuotas(req, out)
	case *kmsg.ElectLeadersRequest:
		resp = c.electLeaders(req, out)
	case *kmsg.AlterPartitionAssignmentsRequest:
		resp = c.alterReassignments(req, out)
	case *kmsg.ListPartitionReassignmentsRequest:
		resp = c.listReassignments(req)
	case *kmsg.AllocateProducerIDsRequest:
		resp = c.allocateProducerIDs(req, out)
	default:
		out.CloseConn(in.Conn)
		return
	}
	c.reply(in, resp, out)
}

// reply answers once everything that the answer may rest on is committed, also
// if the request itself changed nothing.
func (c *Controller) reply(in *sim.Input, resp kmsg.Response, out *sim.Out) {
	if len(c.versions) == 0 {
		out.Reply(in.Conn, in.Corr, resp)
		return
	}
	c.held = append(c.held, held{c.next - 1, in.Conn, in.Corr, in.Request, resp})
}

// append replays records on the head image, notes what they mean, and leaves
// them for the owner to append.
func (c *Controller) append(out *sim.Out, records []metadata.Record, w why) {
	if len(records) == 0 {
		return
	}
	entries := make([]metadata.Entry, len(records))
	for i, r := range records {
		entries[i] = metadata.Entry{Offset: c.next + kafka.Offset(i), Record: r}
	}
	old := c.head
	img, delta, err := metadata.Apply(old, entries...)
	if err != nil {
		panic("controller: its own records: " + err.Error())
	}
	c.head = img
	c.next += kafka.Offset(len(records))
	c.versions = append(c.versions, version{c.next - 1, img})
	c.appends = append(c.appends, records)
	c.brokersChanged(old, delta.Brokers)
	noteChanges(out, old, img, &delta, records, w)
}

// bootstrap is what a formatted cluster's log begins with: the finalized
// features of a new 4.2 cluster, and the cluster-wide min.insync.replicas that
// ELR needs (ActivationRecordsGenerator.recordsForEmptyLog).
func (c *Controller) bootstrap() []metadata.Record {
	name := "Bootstrap records"
	recs := []metadata.Record{
		&metadata.BeginTransactionRecord{Name: &name},
		&metadata.FeatureLevelRecord{Name: metadata.FeatureMetadataVersion, Level: 29}, // 4.2-IV1
		&metadata.FeatureLevelRecord{Name: metadata.FeatureELR, Level: 1},
		&metadata.FeatureLevelRecord{Name: metadata.FeatureGroup, Level: 1},
		&metadata.FeatureLevelRecord{Name: metadata.FeatureTransaction, Level: 2},
		&metadata.FeatureLevelRecord{Name: "share.version", Level: 1},
		&metadata.FeatureLevelRecord{Name: "streams.version", Level: 1},
	}
	if c.head.BrokerInt(c.cfg.ID, c.cfg.Static, metadata.FeatureELR) == 0 {
		recs = slices.Delete(recs, 2, 3)
	} else {
		min, _ := c.head.ResolveBroker(c.cfg.ID, c.cfg.Static, "min.insync.replicas")
		recs = append(recs, &metadata.ConfigRecord{ResourceType: metadata.ResourceBroker, Name: "min.insync.replicas", Value: &min})
	}
	return append(recs, &metadata.EndTransactionRecord{})
}

// Accessors.

// Active reports whether this is the active controller.
func (c *Controller) Active() bool { return c.active }

// NextOffset is the offset that its next record will get.
func (c *Controller) NextOffset() kafka.Offset { return c.next }

// Head is the image with everything appended. It must not be changed.
func (c *Controller) Head() *metadata.Image { return c.head }

// Stable is the image with everything committed. It must not be changed.
func (c *Controller) Stable() *metadata.Image { return c.stable }

// Static is the controller's server.properties.
func (c *Controller) Static() metadata.Static { return c.cfg.Static }
