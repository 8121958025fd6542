package node

import (
	"fmt"
	"slices"

	"github.com/highwater-sim/highwater/engine/controller"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/raft"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/highwater-sim/highwater/engine/trace"
)

// ControllerSpec is what a controller process is made of.
type ControllerSpec struct {
	ID        kafka.NodeID
	Host      string // of its CONTROLLER listener; by default its machine's, controller-<id> or broker-<id>
	ClusterID string
	Voters    []kafka.NodeID         // controller.quorum.voters, itself among them; if Dynamic controller.quorum.bootstrap.servers
	Dynamic   bool                   // kraft.version 1: who votes, the metadata log says (KIP-853)
	Initial   []raft.Voter           // --initial-controllers of kafka-storage format; nil: --no-initial-controllers
	Configs   []metadata.ConfigValue // server.properties; checked (metadata.Static.Check)
	Seed      uint64
}

// Controller is a controller process on its machine: a voter of the quorum and
// the controller that acts when the voter leads.
//
//	ChanRaft requests ──> raft ──committed──> controller ──held responses──> brokers
//	other requests ─────> controller ──records──> raft
type Controller struct {
	spec   ControllerSpec
	static metadata.Static

	*machine
	beside *Broker // the broker of a combined process; nil for a controller alone

	// The process; nil while it is down.
	raft *raft.Replica
	ctl  *controller.Controller
}

// NewController returns a controller process that is down, on a machine that
// was just formatted. It panics on configs that nobody checked.
func NewController(spec ControllerSpec) *Controller {
	static := metadata.NewStatic(spec.Configs)
	if err := static.Check(); err != nil {
		panic("node: " + err.Error())
	}
	p := &Controller{spec: spec, static: static, machine: newMachine(spec.ID, []string{metadataDir(spec.ID, static)}, 0, false)}
	if len(spec.Initial) > 0 {
		p.snaps = raft.Bootstrap(spec.Initial)
	}
	return p
}

// metadataDir is the path of the only log directory that a controller uses: it has
// no partitions but that of the metadata log (metadata.log.dir).
func metadataDir(id kafka.NodeID, static metadata.Static) string {
	paths, meta, _ := logDirs(id, static)
	return paths[meta]
}

// Directory is the directory.id of the metadata log (KIP-858): another one whenever
// the disk is formatted, which makes it another voter with kraft.version 1 (KIP-853).
func (p *Controller) Directory() [16]byte {
	return directory(p.id, p.beside != nil, p.metaDir, p.formats)
}

// Host is where its CONTROLLER listener is.
func (p *Controller) Host() string {
	if p.spec.Host != "" {
		return p.spec.Host
	}
	return ControllerHost(p.id, p.beside != nil)
}

// ControllerHost is the host of a controller's machine: that of the broker if the
// process has both roles.
func ControllerHost(id kafka.NodeID, broker bool) string {
	if broker {
		return "broker-" + metadata.BrokerResource(id)
	}
	return "controller-" + metadata.BrokerResource(id)
}

// raftConfig is what the quorum replica of a process is made of. With static
// voters directories do not count, and are not told.
func raftConfig(id kafka.NodeID, voters []kafka.NodeID, dynamic bool, seed uint64, static metadata.Static) raft.Config {
	c := raft.NewConfig(id, voters, seed, static)
	c.Dynamic = dynamic
	return c
}

// Step implements sim.Actor.
func (p *Controller) Step(now kafka.Instant, in *sim.Input, out *sim.Out) {
	switch {
	case in.Kind == sim.InputBoot:
		p.load(now, out)
		p.create()
		p.raft.Step(now, in, out, p.files())
	case p.raft == nil:
		return // nothing reaches a process that is down
	case in.Kind == sim.InputCommand:
		p.command(now, in.Command, out)
	default:
		p.handle(now, in, out)
	}
	if p.faulted(p.raft, out) {
		p.end()
		return
	}
	p.pump(now, out)
	if p.raft.ShutDown(now) {
		p.dir.Shutdown(0)
		p.end()
		out.Note(trace.Note{Kind: trace.Shutdown, Node: p.spec.ID})
		out.Exit()
	}
}

// handle hands an input to the quorum replica or to the controller.
func (p *Controller) handle(now kafka.Instant, in *sim.Input, out *sim.Out) {
	if in.Kind == sim.InputTimer && in.Timer.Owner == sim.OwnerController ||
		in.Kind == sim.InputRequest && in.Channel != sim.ChanRaft && !raft.Handles(in.Request) {
		p.ctl.Step(now, in, out)
		return
	}
	p.raft.Step(now, in, out, p.files())
}

// create makes the machines of a process that starts.
func (p *Controller) create() {
	cfg := raftConfig(p.spec.ID, p.spec.Voters, p.spec.Dynamic, p.spec.Seed, p.static)
	cfg.CanBecomeVoter, cfg.Host, cfg.ClusterID = true, p.Host(), p.spec.ClusterID
	if p.spec.Dynamic {
		cfg.Directory = p.Directory()
	}
	r, err := raft.New(cfg)
	if err != nil {
		panic("node: " + err.Error())
	}
	p.raft = r
	p.ctl = controller.New(controller.Config{ID: p.spec.ID, ClusterID: p.spec.ClusterID, Static: p.static, Seed: p.spec.Seed})
}

// pump carries records from the controller to the log and what is committed
// back, until both have had their say.
func (p *Controller) pump(now kafka.Instant, out *sim.Out) {
	m := p.files()
	for {
		if p.ctl.Active() && !p.raft.Led(p.ctl.Epoch()) {
			p.ctl.Renounce(out)
		}
		batches := p.ctl.TakeRecords()
		for _, recs := range batches {
			p.raft.Append(now, out, m, recs)
		}
		if p.ctl.Active() {
			p.follow(now, out)
			if len(batches) == 0 {
				break
			}
			continue
		}
		p.replay(now, out)
		if !p.raft.Ready() {
			break
		}
		p.ctl.Activate(now, p.raft.Epoch(), p.raft.NextOffset(m), out)
	}
}

// follow tells the active controller how far its records are committed. The
// quorum writes records of its own between them: voters that change.
func (p *Controller) follow(now kafka.Instant, out *sim.Out) {
	m := p.files()
	if want, got := p.ctl.NextOffset(), p.raft.NextOffset(m); want < got {
		p.ctl.SkipTo(got)
	} else if want > got {
		panic(fmt.Sprintf("node: controller %d counts offset %d, its log %d", p.spec.ID, want, got))
	}
	if p.withBroker() {
		p.beside.replay(now, out)
	} else {
		p.raft.SkipCommitted(m)
	}
	p.ctl.Committed(p.raft.HW(), out)
	p.snapshot(now, out)
}

// withBroker reports whether a broker runs in the same process. It takes what is
// committed then, writes the snapshots, and gives the rest to the controller, as
// both have one quorum replica (server/SharedServer.scala).
func (p *Controller) withBroker() bool { return p.beside != nil && p.beside.broker != nil }

// replay gives a standby what is committed.
func (p *Controller) replay(now kafka.Instant, out *sim.Out) {
	var img *metadata.Image
	var entries []metadata.Entry
	if p.withBroker() {
		img, entries = p.beside.replay(now, out)
	} else {
		img, entries = takeSnapshot(p.raft, p.files()), p.raft.TakeCommitted(p.files())
	}
	if img != nil {
		p.ctl.Load(img)
	}
	if len(entries) > 0 {
		p.ctl.Replay(entries)
	}
	p.snapshot(now, out)
}

// snapshot writes one if it is time.
func (p *Controller) snapshot(now kafka.Instant, out *sim.Out) {
	if p.raft.SnapshotDue(now) {
		p.raft.WriteSnapshot(now, out, p.files(), metadata.Snapshot(p.ctl.Stable()))
	}
}

// command follows an order of the user. A leader that is to end hands over first
// (SharedServer.ensureNotRaftLeader).
func (p *Controller) command(now kafka.Instant, order any, out *sim.Out) {
	if _, ok := order.(Shutdown); ok {
		p.raft.Shutdown(now, out, p.files())
		return
	}
	p.OrderMachine(now, order)
}

// Crash implements Process. What the quorum's leader has answered for it has
// flushed, so a power loss takes at most an append that was still on its way.
func (p *Controller) Crash(now kafka.Instant, powerLoss bool) (bytesLost int64) {
	bytesLost = p.crash(now, p.raft != nil, powerLoss)
	p.end()
	return bytesLost
}

// end forgets the process.
func (p *Controller) end() { p.raft, p.ctl = nil, nil }

// Clone implements sim.Actor.
func (p *Controller) Clone() sim.Actor {
	c := p.cloneOn(p.machine.clone())
	if p.raft != nil {
		c.raft = p.raft.Clone()
	}
	return c
}

// cloneOn copies the process but for the quorum replica, which is shared.
func (p *Controller) cloneOn(m *machine) *Controller {
	c := *p
	c.machine = m
	if p.ctl != nil {
		c.ctl = p.ctl.Clone()
	}
	return &c
}

// Digest implements sim.Actor.
func (p *Controller) Digest(h *sim.Hash) {
	p.machine.digest(h)
	if p.raft != nil {
		p.raft.Digest(h)
	}
	p.digest(h)
}

// digest writes the process but for the quorum replica.
func (p *Controller) digest(h *sim.Hash) {
	h.Bool(p.ctl != nil)
	if p.ctl != nil {
		p.ctl.Digest(h)
	}
}

// For views, laws and expectations.

// Running reports whether the process is up.
func (p *Controller) Running() bool { return p.raft != nil }

// Raft is the quorum replica, nil while the process is down.
func (p *Controller) Raft() *raft.Replica { return p.raft }

// Role is the state in the quorum as Kafka prints it; "" while down.
func (p *Controller) Role() string {
	if p.raft == nil {
		return ""
	}
	return p.raft.State().String()
}

// Active reports whether it is the active controller.
func (p *Controller) Active() bool { return p.ctl != nil && p.ctl.Active() }

// LogEnd is the end of its metadata log.
func (p *Controller) LogEnd() kafka.Offset {
	if log := p.MetadataLog(); log != nil {
		return log.LEO()
	}
	return 0
}

// MetadataLog is its metadata log, to read; nil before the first boot.
func (p *Controller) MetadataLog() *storage.Log {
	if p.raft != nil {
		return p.raft.Log(p.files())
	}
	return p.machine.MetadataLog()
}

// HW is the high watermark of its metadata log; NoOffset if it is not known or
// the process is down.
func (p *Controller) HW() kafka.Offset {
	if p.raft == nil {
		return kafka.NoOffset
	}
	return p.raft.HW()
}

// Image is the committed metadata; nil while down.
func (p *Controller) Image() *metadata.Image {
	if p.ctl == nil {
		return nil
	}
	return p.ctl.Stable()
}

// Static is its server.properties.
func (p *Controller) Static() metadata.Static { return p.static }

// Replicas lists who fetches the metadata log from it while it leads, by id.
func (p *Controller) Replicas() []raft.Progress {
	if p.raft == nil {
		return nil
	}
	return p.raft.Replicas()
}

// Voters lists the voters as it knows them, by id; those of its config while
// down, or none if its config does not say.
func (p *Controller) Voters() []kafka.NodeID {
	if p.raft == nil && p.spec.Dynamic {
		return nil
	}
	if p.raft == nil {
		return p.spec.Voters
	}
	var ids []kafka.NodeID
	for _, v := range p.raft.Voters() {
		ids = append(ids, v.ID)
	}
	return ids
}

// IsVoter reports whether a node is a voter, as this controller knows; while down,
// as it was set up.
func (p *Controller) IsVoter(id kafka.NodeID) bool {
	switch {
	case p.raft != nil:
		return slices.ContainsFunc(p.raft.Voters(), func(v raft.Voter) bool { return v.ID == id })
	case p.spec.Dynamic:
		return slices.ContainsFunc(p.spec.Initial, func(v raft.Voter) bool { return v.ID == id })
	}
	return slices.Contains(p.spec.Voters, id)
}

// Dynamic reports whether the voters are those of the metadata log (kraft.version 1).
func (p *Controller) Dynamic() bool { return p.spec.Dynamic }

// QuorumLeader is the leader of the quorum as far as it knows; NoNode if it does
// not, or is down.
func (p *Controller) QuorumLeader() kafka.NodeID {
	if p.raft == nil {
		return kafka.NoNode
	}
	return p.raft.LeaderID()
}

// Describe appends voters and observers as DescribeQuorum lists them; none unless
// it leads.
func (p *Controller) Describe(now kafka.Instant, to []raft.ReplicaStatus) []raft.ReplicaStatus {
	if p.raft == nil {
		return to
	}
	return p.raft.Describe(now, to)
}

// Ballot appends the votes of the election that it stands for; none if it does not.
func (p *Controller) Ballot(to []raft.Vote) []raft.Vote {
	if p.raft == nil {
		return to
	}
	return p.raft.Ballot(to)
}

// LastHeartbeat is when the active controller last heard from a broker;
// kafka.Never if it did not.
func (p *Controller) LastHeartbeat(broker kafka.NodeID) kafka.Instant {
	if !p.Active() {
		return kafka.Never
	}
	return p.ctl.LastHeartbeat(broker)
}

// MetadataOffset is how far a broker said that it has replayed; -1 if unknown.
func (p *Controller) MetadataOffset(broker kafka.NodeID) kafka.Offset {
	if !p.Active() {
		return kafka.NoOffset
	}
	return p.ctl.MetadataOffset(broker)
}
