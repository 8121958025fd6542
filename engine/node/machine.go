package node

import (
	"slices"
	"strconv"

	"github.com/highwater-sim/highwater/engine/broker"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/raft"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/sim/disk"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/highwater-sim/highwater/engine/trace"
)

// machine is what a process runs on and what outlives it. The two roles of a
// combined process have one between them, with one metadata log.
type machine struct {
	id        kafka.NodeID
	paths     []string // log.dirs, and metadata.log.dir if it is none of them
	metaDir   int      // the one with the metadata log
	separate  bool     // which is none of log.dirs, and the last of paths
	dir       *storage.Dir
	quorum    raft.QuorumState
	disk      disk.Disk
	snaps     raft.Snapshots
	writeback kafka.Instant // when Linux looks for old dirty pages next
	formats   uint8         // how often the disks were formatted again
}

// timerPages is OwnerNode's timer for Linux's flusher.
const timerPages uint8 = 0

// newMachine returns a machine whose disks were just formatted.
func newMachine(id kafka.NodeID, paths []string, metaDir int, separate bool) *machine {
	return &machine{
		id: id, paths: paths, metaDir: metaDir, separate: separate, dir: storage.NewDirs(len(paths), metaDir), quorum: raft.NewQuorumState(), disk: disk.New(), writeback: -kafka.Never,
	}
}

// directory is the directory.id in a log directory's meta.properties (KIP-858),
// which kafka-storage format draws at random.
func directory(id kafka.NodeID, broker bool, in int, formats uint8) [16]byte {
	d := [16]byte{0: 0xc0, 6: 0x40, 8: 0x80, 13: formats, 14: byte(id >> 8), 15: byte(id)}
	if broker {
		d = [16]byte{0: 0xd1, 13: formats, 14: byte(in), 15: byte(id)}
	}
	return d
}

// FirstDirectory is the directory.id of the metadata log of a process, with the broker
// role or without, whose disk was formatted once; static are its configs.
func FirstDirectory(id kafka.NodeID, broker bool, static metadata.Static) [16]byte {
	_, meta, _ := logDirs(id, static)
	if !broker {
		meta = 0
	}
	return directory(id, broker, meta, 0)
}

// logDirs are the paths of log.dirs, and last of metadata.log.dir if it is none of
// them, which is separate; meta is the number of the one with the metadata log.
func logDirs(id kafka.NodeID, static metadata.Static) (paths []string, meta int, separate bool) {
	dirs, _ := metadata.Empty().ResolveBroker(id, static, "log.dirs")
	paths = broker.Paths(dirs)
	if path, _ := metadata.Empty().ResolveBroker(id, static, "metadata.log.dir"); path != "" {
		if meta = slices.Index(paths, path); meta < 0 {
			meta, separate, paths = len(paths), true, append(paths, path)
		}
	}
	if len(paths) > storage.DirectoriesMax {
		panic("node: more log directories than " + strconv.Itoa(storage.DirectoriesMax))
	}
	return paths, meta, separate
}

// files are what the quorum replica uses of the machine.
func (m *machine) files() raft.Machine {
	return raft.Machine{Dir: m.dir, Quorum: &m.quorum, Disk: &m.disk, Snapshots: &m.snaps}
}

// load loads the logs for a process that starts, and tells how the last run ended
// and what recovery made of them; checked is how many bytes it had to look at.
func (m *machine) load(now kafka.Instant, out *sim.Out) (rep storage.StartReport, checked int64) {
	m.catchUpPages(now)
	rep = m.dir.Start()
	say := "unclean"
	if rep.Clean || len(rep.Recovered) == 0 {
		say = "clean"
	}
	out.Note(trace.Note{Kind: trace.Boot, Node: m.id, Say: say})
	for i := range rep.Recovered {
		r := &rep.Recovered[i]
		checked += r.Checked
		if r.Checked == 0 && r.Truncated == 0 {
			continue
		}
		if r.Cause != nil {
			out.Note(trace.Note{Kind: trace.CorruptBatch, Topic: r.Partition.Topic, Part: r.Partition.Partition, Node: m.id, Offset: r.LEO, Say: r.Cause.Error()})
		}
		out.Note(trace.Note{Kind: trace.LogRecovery, Topic: r.Partition.Topic, Part: r.Partition.Partition, Node: m.id, Offset: r.LEO, From: r.RecoveryPoint})
	}
	return rep, checked
}

// faulted ends a process whose quorum replica cannot go on (Exit.halt of
// ProcessTerminatingFaultHandler): nothing is flushed.
func (m *machine) faulted(r *raft.Replica, out *sim.Out) bool {
	why := r.Fault()
	if why == "" {
		return false
	}
	m.dir.Kill()
	out.Note(trace.Note{Kind: trace.Shutdown, Node: m.id, Say: "because of a fatal fault: " + why})
	out.Exit()
	return true
}

// crash ends what a process had in memory; with powerLoss the page cache goes, too.
func (m *machine) crash(now kafka.Instant, running, powerLoss bool) (bytesLost int64) {
	m.catchUpPages(now)
	switch {
	case powerLoss:
		bytesLost = m.dir.LosePageCache()
	case running:
		m.dir.Kill()
	}
	m.disk.Reset()
	return bytesLost
}

// OrderMachine carries out an order to the machine, whether a process runs on
// it or not: SlowDisk, DiskCapacity, FailDirectory, FlipBit, Sync, Format.
func (m *machine) OrderMachine(_ kafka.Instant, order any) {
	switch o := order.(type) {
	case SlowDisk:
		m.disk.WriteLatency = o.Latency
	case DiskCapacity:
		m.disk.Capacity = max(0, o.Bytes)
	case FailDirectory:
		switch in := slices.Index(m.paths, o.Path); {
		case in < 0: // the world has looked whether it is there
		case o.Repair:
			m.dir.Repair(in)
		default:
			m.dir.Fail(in)
		}
	case FlipBit:
		if l := m.dir.Mutable(o.TP); l != nil {
			_ = l.Corrupt(o.Offset, o.Length) // the world has looked whether it is there
		}
	case Format: // the world has looked that nothing runs
		m.dir, m.quorum, m.snaps = storage.NewDirs(len(m.paths), m.metaDir), raft.NewQuorumState(), raft.Snapshots{}
		m.writeback = -kafka.Never
		m.formats++
	case Sync:
		for _, e := range m.dir.Entries() {
			if m.dir.At(e.Slot).Dirty() > 0 && !m.dir.Failed(e.In) {
				m.dir.MutableAt(e.Slot).Flush()
			}
		}
	}
}

// Linux's flusher looks for old dirty pages every storage.WritebackInterval.

func (m *machine) armPages(now kafka.Instant, out *sim.Out) {
	m.writeback = now.Add(storage.WritebackInterval)
	out.SetTimer(sim.Timer{Owner: sim.OwnerNode, Kind: timerPages}, m.writeback)
}

func (m *machine) flushPages(now kafka.Instant, out *sim.Out) {
	m.dir.Writeback(now)
	m.armPages(now, out)
}

// catchUpPages does what the flusher did while no process ran to keep its time.
func (m *machine) catchUpPages(now kafka.Instant) {
	for k := 0; m.writeback != -kafka.Never && m.writeback <= now && k < writebacksMax; k++ {
		m.dir.Writeback(m.writeback)
		m.writeback = m.writeback.Add(storage.WritebackInterval)
	}
}

// writebacksMax is after how many looks everything is written.
const writebacksMax = int(storage.DirtyExpire/storage.WritebackInterval) + 2

func (m *machine) clone() *machine {
	c := *m
	c.dir, c.snaps = m.dir.Clone(), m.snaps.Clone()
	return &c
}

// digest writes the machine's state.
func (m *machine) digest(h *sim.Hash) {
	m.dir.Digest(h)
	m.quorum.Digest(h)
	m.disk.Digest(h)
	m.snaps.Digest(h)
	h.Int(int64(m.writeback))
	h.Int(int64(m.formats))
}

// What views, laws and expectations read.

// ID is the node.id.
func (m *machine) ID() kafka.NodeID { return m.id }

// Dir is what the log directories hold: it is there even if the process is not.
func (m *machine) Dir() *storage.Dir { return m.dir }

// MetadataLog is the copy of the metadata log, to read; nil before the first boot.
func (m *machine) MetadataLog() *storage.Log { return m.dir.Get(raft.Partition) }

// Snapshots lists the snapshots of the metadata log, oldest first.
func (m *machine) Snapshots() []raft.Snapshot { return m.snaps.List() }

// Quorum is the quorum-state file.
func (m *machine) Quorum() raft.QuorumState { return m.quorum }

// QuorumEpoch is the quorum epoch by the quorum-state file.
func (m *machine) QuorumEpoch() kafka.LeaderEpoch { return m.quorum.LeaderEpoch }

// DiskCapacity is how many bytes of log the disk of each log directory holds; 0 is no
// limit.
func (m *machine) DiskCapacity() int64 { return m.disk.Capacity }

// DiskLatency is what every write takes; 0 is normal.
func (m *machine) DiskLatency() kafka.Duration { return m.disk.WriteLatency }
