package node

import (
	"fmt"
	"slices"

	"github.com/highwater-sim/highwater/engine/controller"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/raft"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/sim/disk"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/highwater-sim/highwater/engine/trace"
)

// ControllerSpec is what a controller process is made of.
type ControllerSpec struct {
	ID      kafka.NodeID
	Voters  []kafka.NodeID         // controller.quorum.voters, itself among them; if Dynamic controller.quorum.bootstrap.servers
	Dynamic bool                   // kraft.version 1: who votes, the metadata log says (KIP-853)
	Initial []raft.Voter           // --initial-controllers of kafka-storage format; nil: --no-initial-controllers
	Configs []metadata.ConfigValue // server.properties; checked (metadata.Static.Check)
	Seed    uint64
}

// Controller is a controller process on its machine: a voter of the quorum and
// the controller that acts when the voter leads.
//
//	ChanRaft requests ──> raft ──committed──> controller ──held responses──> brokers
//	other requests ─────> controller ──records──> raft
type Controller struct {
	spec   ControllerSpec
	static metadata.Static

	// The machine.
	dir    *storage.Dir
	quorum raft.QuorumState
	disk   disk.Disk
	snaps  raft.Snapshots

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
	p := &Controller{spec: spec, static: static, dir: storage.NewDir(), quorum: raft.NewQuorumState(), disk: disk.New()}
	if len(spec.Initial) > 0 {
		p.snaps = raft.Bootstrap(spec.Initial)
	}
	return p
}

// ControllerDirectory is the directory.id that a controller's metadata log gets
// when its disk is formatted.
func ControllerDirectory(id kafka.NodeID) [16]byte {
	return [16]byte{0: 0xc0, 6: 0x40, 8: 0x80, 14: byte(id >> 8), 15: byte(id)}
}

// raftConfig is what the quorum replica of a process is made of. With static
// voters directories do not count, and are not told.
func raftConfig(id kafka.NodeID, voters []kafka.NodeID, dynamic bool, seed uint64, static metadata.Static) raft.Config {
	c := raft.NewConfig(id, voters, seed, static)
	c.Dynamic = dynamic
	return c
}

func (p *Controller) machine() raft.Machine {
	return raft.Machine{Dir: p.dir, Quorum: &p.quorum, Disk: &p.disk, Snapshots: &p.snaps}
}

// Step implements sim.Actor.
func (p *Controller) Step(now kafka.Instant, in *sim.Input, out *sim.Out) {
	if in.Kind == sim.InputBoot {
		p.boot(now, in, out)
	} else if p.raft == nil {
		return // nothing reaches a process that is down
	}
	switch in.Kind {
	case sim.InputBoot:
	case sim.InputCommand:
		p.command(in.Command, now, out)
		if p.raft == nil {
			return
		}
	case sim.InputTimer:
		if in.Timer.Owner == sim.OwnerController {
			p.ctl.Step(now, in, out)
		} else {
			p.raft.Step(now, in, out, p.machine())
		}
	case sim.InputRequest:
		if in.Channel == sim.ChanRaft || raft.Handles(in.Request) {
			p.raft.Step(now, in, out, p.machine())
		} else {
			p.ctl.Step(now, in, out)
		}
	default:
		p.raft.Step(now, in, out, p.machine())
	}
	p.pump(now, out)
}

// boot starts the process: logs first, then the quorum replica.
func (p *Controller) boot(now kafka.Instant, in *sim.Input, out *sim.Out) {
	cfg := raftConfig(p.spec.ID, p.spec.Voters, p.spec.Dynamic, p.spec.Seed, p.static)
	cfg.CanBecomeVoter = true
	if p.spec.Dynamic {
		cfg.Directory = ControllerDirectory(p.spec.ID)
	}
	r, err := raft.New(cfg)
	if err != nil {
		panic("node: " + err.Error())
	}
	p.raft = r
	p.ctl = controller.New(controller.Config{ID: p.spec.ID, Static: p.static, Seed: p.spec.Seed})
	first := p.dir.Len() == 0
	report := p.dir.Start()
	n := trace.Note{Kind: trace.Boot, Node: p.spec.ID, Say: "unclean"}
	if report.Clean || first {
		n.Say = "clean"
	}
	out.Note(n)
	for _, l := range report.Recovered {
		out.Note(trace.Note{
			Kind: trace.LogRecovery, Topic: l.Partition.Topic, Part: l.Partition.Partition, Node: p.spec.ID,
			Offset: l.LEO, From: l.RecoveryPoint,
		})
	}
	p.raft.Step(now, in, out, p.machine())
}

// pump carries records from the controller to the log and what is committed
// back, until both have had their say.
func (p *Controller) pump(now kafka.Instant, out *sim.Out) {
	m := p.machine()
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
	if p.raft.ShutDown(now) {
		p.dir.Shutdown(0)
		p.raft, p.ctl = nil, nil
		out.Note(trace.Note{Kind: trace.Shutdown, Node: p.spec.ID})
		out.Exit()
	}
}

// follow tells the active controller how far its records are committed. The
// quorum writes records of its own between them: voters that change.
func (p *Controller) follow(now kafka.Instant, out *sim.Out) {
	m := p.machine()
	if want, got := p.ctl.NextOffset(), p.raft.NextOffset(m); want < got {
		p.ctl.SkipTo(got)
	} else if want > got {
		panic(fmt.Sprintf("node: controller %d counts offset %d, its log %d", p.spec.ID, want, got))
	}
	p.raft.SkipCommitted(m)
	p.ctl.Committed(p.raft.HW(), out)
	p.snapshot(now, out)
}

// replay gives a standby what is committed.
func (p *Controller) replay(now kafka.Instant, out *sim.Out) {
	m := p.machine()
	if recs, last, ok := p.raft.TakeSnapshot(m); ok {
		img, err := metadata.Load(recs, last)
		if err != nil {
			panic("node: " + err.Error())
		}
		p.ctl.Load(img)
	}
	if entries := p.raft.TakeCommitted(m); len(entries) > 0 {
		p.ctl.Replay(entries)
	}
	p.snapshot(now, out)
}

// snapshot writes one if it is time.
func (p *Controller) snapshot(now kafka.Instant, out *sim.Out) {
	if p.raft.SnapshotDue(now) {
		p.raft.WriteSnapshot(now, out, p.machine(), metadata.Snapshot(p.ctl.Stable()))
	}
}

// command follows an order of the user.
func (p *Controller) command(order any, now kafka.Instant, out *sim.Out) {
	if _, ok := order.(Shutdown); !ok {
		p.OrderMachine(now, order)
		return
	}
	// A leader hands over first (SharedServer.ensureNotRaftLeader); pump ends the
	// process.
	p.raft.Shutdown(now, out, p.machine())
}

// OrderMachine implements Machine. Other orders are not a controller's to hear.
func (p *Controller) OrderMachine(_ kafka.Instant, order any) {
	switch o := order.(type) {
	case SlowDisk:
		p.disk.WriteLatency = o.Latency
	case Sync:
		for _, e := range p.dir.Entries() {
			p.dir.MutableAt(e.Slot).Flush()
		}
	}
}

// Crash implements Process. What the quorum's leader has answered for it has
// flushed, so a power loss takes at most an append that was still on its way.
func (p *Controller) Crash(_ kafka.Instant, powerLoss bool) (bytesLost int64) {
	p.raft, p.ctl = nil, nil
	p.disk.Reset()
	if powerLoss {
		return p.dir.LosePageCache()
	}
	p.dir.Kill()
	return 0
}

// Clone implements sim.Actor.
func (p *Controller) Clone() sim.Actor {
	c := *p
	c.dir = p.dir.Clone()
	c.snaps = p.snaps.Clone()
	if p.raft != nil {
		c.raft, c.ctl = p.raft.Clone(), p.ctl.Clone()
	}
	return &c
}

// Digest implements sim.Actor.
func (p *Controller) Digest(h *sim.Hash) {
	p.dir.Digest(h)
	p.quorum.Digest(h)
	p.disk.Digest(h)
	p.snaps.Digest(h)
	h.Bool(p.raft != nil)
	if p.raft != nil {
		p.raft.Digest(h)
		p.ctl.Digest(h)
	}
}

// For views, laws and expectations.

// ID is the process's node.id.
func (p *Controller) ID() kafka.NodeID { return p.spec.ID }

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

// QuorumEpoch is the quorum epoch by the quorum-state file.
func (p *Controller) QuorumEpoch() kafka.LeaderEpoch { return p.quorum.LeaderEpoch }

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
func (p *Controller) MetadataLog() *storage.Log { return p.dir.Get(raft.Partition) }

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

// Quorum is its quorum-state file.
func (p *Controller) Quorum() raft.QuorumState { return p.quorum }

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

// Snapshots lists the snapshots of its metadata log, oldest first.
func (p *Controller) Snapshots() []raft.Snapshot { return p.snaps.List() }

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

// Disk is the machine's disk.
func (p *Controller) Disk() disk.Disk { return p.disk }
