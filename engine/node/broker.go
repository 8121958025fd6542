package node

import (
	"slices"
	"strconv"

	"github.com/highwater-sim/highwater/engine/broker"
	"github.com/highwater-sim/highwater/engine/group"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/raft"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/sim/disk"
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

	// The machine.
	paths     []string // log.dirs
	dir       *storage.Dir
	quorum    raft.QuorumState
	disk      disk.Disk
	snaps     raft.Snapshots
	writeback kafka.Instant // when Linux looks for old dirty pages next
	rand      sim.Rand      // incarnation ids

	// The process; nil while it is down.
	broker *broker.Broker
	raft   *raft.Replica
	group  *group.Coordinator
	image  *metadata.Image
}

var _ Process = (*Broker)(nil)

// timerPages is OwnerNode's timer for Linux's flusher.
const timerPages uint8 = 0

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
	dirs, _ := metadata.Empty().ResolveBroker(spec.ID, static, "log.dirs")
	paths := broker.Paths(dirs)
	if len(paths) > storage.DirectoriesMax {
		panic("node: more log.dirs than " + strconv.Itoa(storage.DirectoriesMax))
	}
	n := &Broker{
		spec: spec, static: static, paths: paths, dir: storage.NewDirs(len(paths)), quorum: raft.NewQuorumState(), disk: disk.New(),
		writeback: -kafka.Never, rand: sim.NewRand(spec.Seed, "incarnation/"+metadata.BrokerResource(spec.ID)),
	}
	n.newRaft()
	return n
}

func (n *Broker) newRaft() *raft.Replica {
	r, err := raft.New(raftConfig(n.spec.ID, n.spec.Controllers, n.spec.Dynamic, n.spec.Seed, n.static))
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
	metadataNews := false
	switch {
	case in.Kind == sim.InputTimer && in.Timer.Owner == sim.OwnerRaft,
		in.Kind != sim.InputTimer && in.Kind != sim.InputCommand && in.Channel == sim.ChanRaft:
		n.raft.Step(now, in, out, n.machine())
		metadataNews = true
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
	n.settle(now, metadataNews, out)
	if n.broker.State() == broker.ShuttingDown && out.Exited() {
		n.end()
	}
}

// boot starts the process: logs are loaded, then every machine begins. Without
// the directory of the metadata log it ends before that.
func (n *Broker) boot(now kafka.Instant, in *sim.Input, out *sim.Out) bool {
	n.catchUpPages(now)
	if n.dir.Failed(0) {
		out.Note(trace.Note{Kind: trace.Shutdown, Node: n.spec.ID, Say: "because the metadata log dir " + n.paths[0] + " has failed"})
		out.Exit()
		return false
	}
	rep := n.dir.Start()
	checked := n.noteBoot(&rep, out)
	var incarnation [16]byte
	for i := range incarnation {
		incarnation[i] = byte(n.rand.Uint64())
	}
	n.image = metadata.Empty()
	n.raft = n.newRaft()
	n.group = group.New(group.Config{
		MetadataBytesMax: int(n.image.BrokerInt(n.spec.ID, n.static, "offset.metadata.max.bytes")),
	})
	n.broker = broker.New(broker.Config{
		ID: n.spec.ID, Rack: n.spec.Rack, Host: n.spec.Host, Port: n.spec.Port, ClusterID: n.spec.ClusterID,
		Incarnation: incarnation, Directories: n.directories(), Static: n.static, Seed: n.spec.Seed,
		PreviousEpoch: rep.PreviousBrokerEpoch,
	}, n.dir, &n.disk)
	n.raft.Step(now, in, out, n.machine())
	n.broker.Start(now, checked, out)
	n.armPages(now, out)
	return true
}

// directories are the log directories with their ids.
func (n *Broker) directories() []broker.Directory {
	dirs := make([]broker.Directory, len(n.paths))
	for i, path := range n.paths {
		dirs[i].Path = path
		dirs[i].ID[0], dirs[i].ID[14], dirs[i].ID[15] = 0xd1, byte(i), byte(n.spec.ID)
	}
	return dirs
}

// noteBoot tells how the last run ended and what recovery made of its logs. It
// returns how many bytes had to be checked.
func (n *Broker) noteBoot(rep *storage.StartReport, out *sim.Out) (checked int64) {
	say := "unclean"
	if rep.Clean || len(rep.Recovered) == 0 {
		say = "clean"
	}
	out.Note(trace.Note{Kind: trace.Boot, Node: n.spec.ID, Say: say})
	for i := range rep.Recovered {
		r := &rep.Recovered[i]
		checked += r.Checked
		if r.Checked == 0 && r.Truncated == 0 {
			continue
		}
		if r.Cause != nil {
			out.Note(trace.Note{Kind: trace.CorruptBatch, Topic: r.Partition.Topic, Part: r.Partition.Partition, Node: n.spec.ID, Offset: r.LEO, Say: r.Cause.Error()})
		}
		out.Note(trace.Note{Kind: trace.LogRecovery, Topic: r.Partition.Topic, Part: r.Partition.Partition, Node: n.spec.ID, Offset: r.LEO, From: r.RecoveryPoint})
	}
	return checked
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

// replay applies what is committed: a snapshot first, if there is one to take.
func (n *Broker) replay(now kafka.Instant, out *sim.Out) {
	m := n.machine()
	if recs, last, ok := n.raft.TakeSnapshot(m); ok {
		img, err := metadata.Load(recs, last)
		if err != nil {
			panic("node: " + err.Error())
		}
		delta := metadata.Replaced(n.image, img)
		n.image = img
		n.broker.ApplyImage(now, img, &delta, out)
	}
	if entries := n.raft.TakeCommitted(m); len(entries) > 0 {
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

// OrderMachine carries out an order to the machine, whether a process runs on
// it or not: SlowDisk, DiskCapacity, FailDirectory, FlipBit, Sync.
func (n *Broker) OrderMachine(now kafka.Instant, order any) {
	switch o := order.(type) {
	case SlowDisk:
		n.disk.WriteLatency = o.Latency
	case DiskCapacity:
		n.disk.Capacity = max(0, o.Bytes)
	case FailDirectory:
		switch in := slices.Index(n.paths, o.Path); {
		case in < 0: // the world has looked whether it is there
		case o.Repair:
			n.dir.Repair(in)
		default:
			n.dir.Fail(in)
		}
	case FlipBit:
		if l := n.dir.Mutable(o.TP); l != nil {
			_ = l.Corrupt(o.Offset, o.Length) // the world has looked whether it is there
		}
	case Sync:
		for _, e := range n.dir.Entries() {
			if n.dir.At(e.Slot).Dirty() > 0 && !n.dir.Failed(e.In) {
				n.dir.MutableAt(e.Slot).Flush()
			}
		}
	}
}

// Linux's flusher looks for old dirty pages every storage.WritebackInterval.

func (n *Broker) armPages(now kafka.Instant, out *sim.Out) {
	n.writeback = now.Add(storage.WritebackInterval)
	out.SetTimer(sim.Timer{Owner: sim.OwnerNode, Kind: timerPages}, n.writeback)
}

func (n *Broker) flushPages(now kafka.Instant, out *sim.Out) {
	n.dir.Writeback(now)
	n.armPages(now, out)
}

// catchUpPages does what the flusher did while no process ran to keep its time.
func (n *Broker) catchUpPages(now kafka.Instant) {
	for k := 0; n.writeback != -kafka.Never && n.writeback <= now && k < writebacksMax; k++ {
		n.dir.Writeback(n.writeback)
		n.writeback = n.writeback.Add(storage.WritebackInterval)
	}
}

// writebacksMax is after how many looks everything is written.
const writebacksMax = int(storage.DirtyExpire/storage.WritebackInterval) + 2

// Crash ends the process; with powerLoss the machine goes down as well.
func (n *Broker) Crash(now kafka.Instant, powerLoss bool) (bytesLost int64) {
	n.catchUpPages(now)
	switch {
	case powerLoss:
		bytesLost = n.dir.LosePageCache()
	case n.broker != nil:
		n.dir.Kill()
	}
	n.end()
	return bytesLost
}

// end forgets the process.
func (n *Broker) end() {
	n.broker, n.raft, n.group, n.image = nil, nil, nil, nil
	n.disk.Reset()
}

func (n *Broker) machine() raft.Machine {
	return raft.Machine{Dir: n.dir, Quorum: &n.quorum, Disk: &n.disk, Snapshots: &n.snaps}
}

// Clone returns a copy of machine and process.
func (n *Broker) Clone() sim.Actor {
	c := *n
	c.dir = n.dir.Clone()
	c.snaps = n.snaps.Clone()
	if n.broker != nil {
		c.broker = n.broker.Clone(c.dir, &c.disk)
		c.raft = n.raft.Clone()
		c.group = n.group.Clone()
	}
	return &c
}

// Digest writes machine and process.
func (n *Broker) Digest(h *sim.Hash) {
	n.dir.Digest(h)
	n.quorum.Digest(h)
	n.disk.Digest(h)
	n.snaps.Digest(h)
	h.Int(int64(n.writeback))
	n.rand.Digest(h)
	h.Bool(n.broker != nil)
	if n.broker != nil {
		n.broker.Digest(h)
		n.raft.Digest(h)
		n.group.Digest(h)
	}
}

// What views, laws and expectations read. Nothing reachable from it may be
// changed, and it is valid until the process steps next.

// ID is the node.id.
func (n *Broker) ID() kafka.NodeID { return n.spec.ID }

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

// Directories are the paths of log.dirs, by number of the directory.
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

// Dir is what the log directories hold: it is there even if the process is not.
func (n *Broker) Dir() *storage.Dir { return n.dir }

// MetadataLog is its copy of the metadata log, to read; nil before the first boot.
func (n *Broker) MetadataLog() *storage.Log {
	if n.raft != nil {
		return n.raft.Log(n.machine())
	}
	return n.dir.Get(raft.Partition)
}

// Snapshots lists its snapshots of the metadata log, oldest first.
func (n *Broker) Snapshots() []raft.Snapshot { return n.snaps.List() }

// Quorum is the quorum-state file.
func (n *Broker) Quorum() raft.QuorumState { return n.quorum }

// DiskLatency is what every write takes; 0 is normal.
func (n *Broker) DiskLatency() kafka.Duration { return n.disk.WriteLatency }

// Static are the configs of server.properties, sorted by name.
func (n *Broker) Static() metadata.Static { return slices.Clone(n.static) }
