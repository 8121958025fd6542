package node

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/broker"
	"github.com/highwater-sim/highwater/engine/group"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/raft"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/highwater-sim/highwater/engine/trace"
)

// BrokerSpec is a broker process and its machine.
type BrokerSpec struct {
	ID          kafka.NodeID
	Rack        string         // "" for none
	Host        string         // advertised; "broker-<id>" if empty
	Port        int32          // 9092 if 0
	ClusterID   string         // may be empty
	Controllers []kafka.NodeID // controller.quorum.voters; if Dynamic controller.quorum.bootstrap.servers
	Dynamic     bool           // kraft.version 1
	// Configs are what server.properties says; the world has checked them.
	Configs []metadata.ConfigValue
	Seed    uint64
}

// Broker is a broker process on its machine. Of its fields the machine's
// outlive the process.
type Broker struct {
	spec   BrokerSpec
	static metadata.Static

	*machine
	rand sim.Rand // incarnation ids

	// The process; nil while it is down.
	broker *broker.Broker
	raft   *raft.Replica
	group  *group.Coordinator
	image  *metadata.Image
}

var _ Process = (*Broker)(nil)

// NewBroker returns a broker process that is down, on a machine that was just
// formatted. It panics on configs that nobody checked (metadata.Static.Check)
// and on a quorum that this version cannot run.
func NewBroker(spec BrokerSpec) *Broker {
	if spec.Host == "" {
		spec.Host = "broker-" + metadata.BrokerResource(spec.ID)
	}
	if spec.Port == 0 {
		spec.Port = 9092
	}
	static := metadata.NewStatic(spec.Configs)
	if err := static.Check(); err != nil {
		panic("node: " + err.Error())
	}
	paths, meta, separate := logDirs(spec.ID, static)
	n := &Broker{
		spec: spec, static: static, machine: newMachine(spec.ID, paths, meta, separate),
		rand: sim.NewRand(spec.Seed, "incarnation/"+metadata.BrokerResource(spec.ID)),
	}
	n.newRaft()
	return n
}

func (n *Broker) newRaft() *raft.Replica {
	cfg := raftConfig(n.spec.ID, n.spec.Controllers, n.spec.Dynamic, n.spec.Seed, n.static)
	cfg.ClusterID = n.spec.ClusterID
	r, err := raft.New(cfg)
	if err != nil {
		panic("node: " + err.Error())
	}
	return r
}

// Step hands an input to the machine of the process that it is for.
func (n *Broker) Step(now kafka.Instant, in *sim.Input, out *sim.Out) {
	if in.Kind == sim.InputBoot {
		if n.boot(now, in, out) {
			n.settle(now, true, out)
		}
		return
	}
	if n.broker == nil {
		return
	}
	metadataNews := ofQuorum(in)
	if metadataNews {
		if n.raft.Step(now, in, out, n.files()); n.faulted(n.raft, out) {
			n.end()
			return
		}
	} else {
		n.handle(now, in, out)
	}
	n.settle(now, metadataNews, out)
	if n.broker.State() == broker.ShuttingDown && out.Exited() {
		n.dir.Kill() // what was not closed
		n.end()
	}
}

// ofQuorum reports whether an input is the quorum replica's.
func ofQuorum(in *sim.Input) bool {
	switch in.Kind {
	case sim.InputTimer:
		return in.Timer.Owner == sim.OwnerRaft
	case sim.InputCommand, sim.InputBoot:
		return false
	}
	return in.Channel == sim.ChanRaft
}

// handle hands an input to the broker or the group coordinator.
func (n *Broker) handle(now kafka.Instant, in *sim.Input, out *sim.Out) {
	switch {
	case in.Kind == sim.InputTimer && in.Timer.Owner == sim.OwnerGroup,
		in.Kind == sim.InputRequest && group.Handles(in.Request) && n.broker.Serving():
		n.group.Step(now, in, n.image, out)
		if in.Kind == sim.InputRequest {
			n.broker.Charge(now, in, out)
		}
	case in.Kind == sim.InputTimer && in.Timer.Owner == sim.OwnerNode:
		n.flushPages(now, out)
	case in.Kind == sim.InputCommand:
		n.command(now, in.Command, out)
	default:
		n.broker.Step(now, in, out)
	}
}

// boot starts the process: logs are loaded, then every machine begins. Without
// the directory of the metadata log it ends before that.
func (n *Broker) boot(now kafka.Instant, in *sim.Input, out *sim.Out) bool {
	if n.lacksMetadataDir(out) {
		return false
	}
	rep, checked := n.load(now, out)
	n.raft = n.newRaft()
	n.create(rep)
	n.raft.Step(now, in, out, n.files())
	n.broker.Start(now, checked, out)
	n.armPages(now, out)
	return true
}

// lacksMetadataDir ends a process that cannot start: the disk with the metadata log
// has failed.
func (n *Broker) lacksMetadataDir(out *sim.Out) bool {
	if !n.dir.Failed(n.metaDir) {
		return false
	}
	out.Note(trace.Note{Kind: trace.Shutdown, Node: n.spec.ID, Say: "because the metadata log dir " + n.paths[n.metaDir] + " has failed"})
	out.Exit()
	return true
}

// create makes the machines of a process that starts; the quorum replica is there.
func (n *Broker) create(rep storage.StartReport) {
	var incarnation [16]byte
	for i := range incarnation {
		incarnation[i] = byte(n.rand.Uint64())
	}
	n.image = metadata.Empty()
	n.group = group.New(group.Config{
		MetadataBytesMax: int(n.image.BrokerInt(n.spec.ID, n.static, "offset.metadata.max.bytes")),
	})
	n.broker = broker.New(broker.Config{
		ID: n.spec.ID, Rack: n.spec.Rack, Host: n.spec.Host, Port: n.spec.Port, ClusterID: n.spec.ClusterID,
		Incarnation: incarnation, Directories: n.directories(), MetadataDir: n.metaDir, SeparateMetadata: n.separate, Static: n.static, Seed: n.spec.Seed,
		PreviousEpoch: rep.PreviousBrokerEpoch,
	}, n.dir, &n.disk)
}

// directories are the log directories with their ids.
func (n *Broker) directories() []broker.Directory {
	dirs := make([]broker.Directory, len(n.paths))
	for i, path := range n.paths {
		dirs[i] = broker.Directory{Path: path, ID: directory(n.id, true, i, n.formats)}
	}
	return dirs
}

// settle carries what one machine has for another, until all is quiet.
func (n *Broker) settle(now kafka.Instant, metadataNews bool, out *sim.Out) {
	if metadataNews {
		n.replay(now, out)
		n.broker.SetController(now, n.raft.LeaderID(), out)
	}
	for {
		changes, ended := n.broker.TakeLeaderChanges(), n.broker.TakeLocals()
		for _, c := range changes {
			n.leaderChanged(now, c, out)
		}
		for _, a := range ended {
			n.group.Appended(a.Token, a.Err, out)
		}
		work := n.group.TakeWork()
		for _, w := range work {
			if w.Records != nil {
				n.broker.AppendLocal(now, w.TP, w.Records, w.Token, out)
			} else if r, ok := n.broker.Replica(w.TP); ok {
				n.group.Loaded(w.TP.Partition, r.Log)
			}
		}
		if len(changes)+len(ended)+len(work) == 0 {
			return
		}
	}
}

// replay applies what is committed, a snapshot first if there is one to take, and
// returns both: the controller of a combined process wants them as well.
func (n *Broker) replay(now kafka.Instant, out *sim.Out) (loaded *metadata.Image, entries []metadata.Entry) {
	m := n.files()
	if loaded = takeSnapshot(n.raft, m); loaded != nil {
		delta := metadata.Replaced(n.image, loaded)
		n.image = loaded
		n.broker.ApplyImage(now, loaded, &delta, out)
	}
	if entries = n.raft.TakeCommitted(m); len(entries) > 0 {
		img, delta, err := metadata.Apply(n.image, entries...)
		if err != nil {
			panic("node: metadata log: " + err.Error())
		}
		n.image = img
		n.broker.ApplyImage(now, img, &delta, out)
	}
	if n.raft.SnapshotDue(now) {
		n.raft.WriteSnapshot(now, out, m, metadata.Snapshot(n.image))
	}
	return loaded, entries
}

// takeSnapshot returns the image that a process has to begin anew with; nil if there
// is none to take.
func takeSnapshot(r *raft.Replica, m raft.Machine) *metadata.Image {
	recs, last, ok := r.TakeSnapshot(m)
	if !ok {
		return nil
	}
	img, err := metadata.Load(recs, last)
	if err != nil {
		panic("node: " + err.Error())
	}
	return img
}

func (n *Broker) leaderChanged(now kafka.Instant, c broker.LeaderChange, out *sim.Out) {
	if c.TP.Topic != kafka.TopicOffsets {
		return // __transaction_state has no coordinator yet
	}
	if !c.Leading {
		n.group.Resign(c.TP.Partition, out)
		return
	}
	if r, ok := n.broker.Replica(c.TP); ok {
		n.group.Lead(now, c.TP.Partition, c.Epoch, r.Log.Size(), out)
	}
}

func (n *Broker) command(now kafka.Instant, order any, out *sim.Out) {
	switch o := order.(type) {
	case Shutdown:
		n.broker.Shutdown(now, out)
		return
	case Sync:
		for _, e := range n.dir.Entries() {
			if l := n.dir.At(e.Slot); l.Dirty() > 0 && !n.dir.Failed(e.In) {
				out.Note(trace.Note{Kind: trace.Flushed, Topic: e.Partition.Topic, Part: e.Partition.Partition, Node: n.spec.ID, Offset: l.LEO()})
			}
		}
	case FailDirectory:
		n.OrderMachine(now, order)
		if in := slices.Index(n.paths, o.Path); in >= 0 && !o.Repair {
			n.broker.DirectoryFailed(now, in, out)
		}
		return
	case FlipBit:
		out.Note(trace.Note{Kind: trace.BitFlipped, Topic: o.TP.Topic, Part: o.TP.Partition, Node: n.spec.ID, Offset: o.Offset})
	}
	n.OrderMachine(now, order)
}

// Crash ends the process; with powerLoss the machine goes down as well.
func (n *Broker) Crash(now kafka.Instant, powerLoss bool) (bytesLost int64) {
	bytesLost = n.crash(now, n.broker != nil, powerLoss)
	n.end()
	return bytesLost
}

// end forgets the process.
func (n *Broker) end() {
	n.broker, n.raft, n.group, n.image = nil, nil, nil, nil
	n.disk.Reset()
}

// Clone returns a copy of machine and process.
func (n *Broker) Clone() sim.Actor {
	c := n.cloneOn(n.machine.clone())
	if n.raft != nil {
		c.raft = n.raft.Clone()
	}
	return c
}

// cloneOn copies the process but for the quorum replica, which is shared.
func (n *Broker) cloneOn(m *machine) *Broker {
	c := *n
	c.machine = m
	if n.broker != nil {
		c.broker = n.broker.Clone(m.dir, &m.disk)
		c.group = n.group.Clone()
	}
	return &c
}

// Digest writes machine and process.
func (n *Broker) Digest(h *sim.Hash) {
	n.machine.digest(h)
	if n.raft != nil {
		n.raft.Digest(h)
	}
	n.digest(h)
}

// digest writes the process but for the quorum replica.
func (n *Broker) digest(h *sim.Hash) {
	n.rand.Digest(h)
	h.Bool(n.broker != nil)
	if n.broker != nil {
		n.broker.Digest(h)
		n.group.Digest(h)
	}
}

// What views, laws and expectations read. Nothing reachable from it may be
// changed, and it is valid until the process steps next.

// Spec is what the broker was made of.
func (n *Broker) Spec() BrokerSpec { return n.spec }

// Broker is the broker machine, nil while the process is down.
func (n *Broker) Broker() *broker.Broker { return n.broker }

// Raft is the observer of the metadata log, nil while the process is down.
func (n *Broker) Raft() *raft.Replica { return n.raft }

// Group is the group coordinator, nil while the process is down.
func (n *Broker) Group() *group.Coordinator { return n.group }

// Image is the metadata that the process has replayed, nil while it is down.
func (n *Broker) Image() *metadata.Image { return n.image }

// Directories are the paths of log.dirs, and of metadata.log.dir if it is none of
// them, by number of the directory.
func (n *Broker) Directories() []string { return n.paths }

// OfflineDirectories lists the paths of the log directories that the process has
// given up; without a process those that have failed.
func (n *Broker) OfflineDirectories() (paths []string) {
	if n.broker != nil {
		return n.broker.OfflineDirectories()
	}
	for in, path := range n.paths {
		if n.dir.Failed(in) {
			paths = append(paths, path)
		}
	}
	return paths
}

// FutureDir is the path of the log directory that a replica moves to; "" if it does
// not move.
func (n *Broker) FutureDir(tp kafka.TopicPartition) string {
	if slot, ok := n.dir.Future(tp); ok {
		return n.paths[n.dir.In(slot)]
	}
	return ""
}

// MetadataDir is the number of the directory that holds the metadata log.
func (n *Broker) MetadataDir() int { return n.metaDir }

// DirectoryFailed reports whether the disk of a log directory is broken.
func (n *Broker) DirectoryFailed(path string) bool {
	in := slices.Index(n.paths, path)
	return in >= 0 && n.dir.Failed(in)
}

// LogDir is the path of the log directory that holds a replica, offline or not; ""
// if there is none.
func (n *Broker) LogDir(tp kafka.TopicPartition) string {
	if slot, ok := n.dir.Slot(tp); ok {
		return n.paths[n.dir.In(slot)]
	}
	return ""
}

// MetadataLog is its copy of the metadata log, to read; nil before the first boot.
func (n *Broker) MetadataLog() *storage.Log {
	if n.raft != nil {
		return n.raft.Log(n.files())
	}
	return n.machine.MetadataLog()
}

// Static are the configs of server.properties, sorted by name.
func (n *Broker) Static() metadata.Static { return slices.Clone(n.static) }
