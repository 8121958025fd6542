package broker

import (
	"slices"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
)

// Log directories (log.dirs; KIP-112, KIP-858). One whose disk fails, or has no
// room for a write, goes offline until the process starts anew, and takes its
// replicas with it (LogDirFailureHandler, ReplicaManager.handleLogDirFailure):
//
//	write fails ──> KAFKA_STORAGE_ERROR to whoever asked
//	          └───> replicas offline ──> heartbeat names the directory ──> controller
//	                                     elects others, shrinks ISRs
//
// Without the directory of the metadata log, or without any, the process halts.
// The controller learns which replica is where from AssignReplicasToDirs; see
// assign.go.
//
// A real broker finds out about a broken disk when it touches it next, at the
// latest with the checkpoint every 5 s. This one does at once.
//
// metadata.log.dir is one of log.dirs, or one more that holds the metadata log alone:
// the controller does not know it, and no replica is put there.

// offlineReplica stands for the number of a replica in an offline directory.
const offlineReplica int32 = -2

// logDirs are log.dirs: Directories without one for the metadata log alone.
func (b *Broker) logDirs() []Directory {
	if b.cfg.SeparateMetadata {
		return b.cfg.Directories[:len(b.cfg.Directories)-1]
	}
	return b.cfg.Directories
}

// failure is a directory that fails in this step.
type failure struct {
	in  int
	why string
}

// absent is the error for a partition of which no replica is online here, by
// what find returned (ReplicaManager.getPartitionOrError).
func absent(i int32) kafka.ErrorCode {
	if i == offlineReplica {
		return kafka.KafkaStorageError
	}
	return kafka.NotLeaderOrFollower
}

func (b *Broker) offline(in int) bool { return b.care.offline>>in&1 == 1 }

// directoryIDs lists the ids of directories, a bit each.
func (b *Broker) directoryIDs(set uint32) (ids [][16]byte) {
	for in := range b.logDirs() {
		if set>>in&1 == 1 {
			ids = append(ids, b.cfg.Directories[in].ID)
		}
	}
	return ids
}

// startDirectories looks which directories cannot be read when the process starts.
// The registration leaves them out.
func (b *Broker) startDirectories(out *sim.Out) {
	for in := range b.cfg.Directories {
		if b.dir.Failed(in) {
			b.care.offline |= 1 << in
			b.noteOffline(in, "I/O error at the start", out)
		}
	}
	b.life.toldDirs = b.care.offline
}

// noRoom reports whether a log directory cannot take n more bytes, because it is
// offline or because its disk is full, by which it goes offline before the step
// ends.
func (b *Broker) noRoom(in, n int) bool {
	if b.offline(in) {
		return true
	}
	if b.disk.Capacity == 0 || b.dir.SizeIn(in)+int64(n) <= b.disk.Capacity {
		return false
	}
	b.giveUpDirectory(in, "No space left on device: "+itoa(b.dir.SizeIn(in))+" of "+itoa(b.disk.Capacity)+" bytes")
	return true
}

func (b *Broker) giveUpDirectory(in int, why string) {
	b.care.offline |= 1 << in
	b.care.failing = append(b.care.failing, failure{in, why})
}

// DirectoryFailed tells that the disk of a log directory is broken.
func (b *Broker) DirectoryFailed(now kafka.Instant, in int, out *sim.Out) {
	if b.offline(in) || b.life.state == ShuttingDown {
		return
	}
	b.giveUpDirectory(in, "I/O error")
	b.failDirectories(now, out)
	b.flushWakes(now, out)
}

// failDirectories handles what has failed in this step.
func (b *Broker) failDirectories(now kafka.Instant, out *sim.Out) {
	for _, f := range b.care.failing {
		b.noteOffline(f.in, f.why, out)
		b.dir.KillIn(f.in)
	}
	failing := b.care.failing
	b.care.failing = nil
	switch {
	case len(failing) == 0 || b.life.state == ShuttingDown:
		return
	case b.allOffline():
		b.halt("because all log dirs have failed", out)
		return
	case b.offline(b.cfg.MetadataDir):
		b.halt("because the metadata log dir "+b.PathOf(b.cfg.MetadataDir)+" has failed", out)
		return
	}
	for i, p := range b.parts {
		if p != nil && b.offline(b.dir.In(p.slot)) {
			b.replicaOffline(int32(i), out)
		}
	}
	b.endMoves(now, out)
	b.runFetchers(now, out)
	out.After(timer(timerLogs, logsDirFailure), b.set.dirFailureTimeout)
	b.communicate(now, out)
}

func (b *Broker) noteOffline(in int, why string, out *sim.Out) {
	if len(b.cfg.Directories) > 1 {
		why = b.cfg.Directories[in].Path + ": " + why
	}
	out.Note(trace.Note{Kind: trace.DirectoryOffline, Node: b.cfg.ID, Say: why})
}

func (b *Broker) allOffline() bool {
	all := uint32(1)<<len(b.logDirs()) - 1
	return b.care.offline&all == all
}

// halt ends the process at once, without flushing anything.
func (b *Broker) halt(why string, out *sim.Out) {
	out.Note(trace.Note{Kind: trace.Shutdown, Node: b.cfg.ID, Say: why})
	b.life.state = ShuttingDown
	b.loaded = false
	b.dir.Kill()
	out.Exit()
}

// replicaOffline is ReplicaManager.markPartitionOffline: requests for the replica
// get KAFKA_STORAGE_ERROR. As in Kafka nothing ends what waits already: a fetch
// hears of it when its wait is over, an acks=all batch gets REQUEST_TIMED_OUT.
// Only a coordinator gives its partition up at once.
func (b *Broker) replicaOffline(i int32, out *sim.Out) {
	p := b.mut(i)
	b.ceased(p)
	b.unfollow(p, p.leader)
	p.leader = kafka.NoNode
	p.move.phase = min(p.move.phase, moveCopying) // the controller hears of the directory anyway
	b.endMove(out.Now(), p, out)
	for _, w := range p.waits {
		if d := b.produces[w.produce]; d.req == nil {
			b.locals = append(b.locals, LocalAppend{Token: d.token, First: -1, Last: -1, Err: kafka.KafkaStorageError})
			b.produces[w.produce] = nil
			b.freeProduce = append(b.freeProduce, w.produce)
		}
	}
	for _, w := range p.watchers {
		s := b.mutSession(w.session)
		s.lose(w.pos)
		s.mark(w.pos)
	}
	b.parts[i] = nil
	b.setLocal(p.id, p.tp.Partition, offlineReplica)
}

// directoryUntold shuts the broker down if the controller cannot be told of a
// failed directory for log.dir.failure.timeout.ms: it would take the replicas
// there for alive (BrokerLifecycleManager.OfflineDirBrokerFailureEvent).
func (b *Broker) directoryUntold(now kafka.Instant, out *sim.Out) {
	if b.care.offline&^b.life.toldDirs == 0 || b.life.state == ShuttingDown {
		return
	}
	out.Note(trace.Note{Kind: trace.Shutdown, Node: b.cfg.ID, Say: "because the controller could not be told of offline log dirs"})
	b.shutDown(now, out)
}

// placeLog says in which directory the log of a replica is, or is to be made:
// where the controller has it, else in the online directory with the fewest logs
// (LogManager.nextLogDirs). ok is false if the log may be in an offline directory.
func (b *Broker) placeLog(tp kafka.TopicPartition, id kafka.TopicID, reg *metadata.Partition) (in int, ok bool) {
	assigned := reg.Directory(b.cfg.ID)
	if slot, there := b.dir.Slot(tp); there && b.dir.TopicID(slot) == id {
		// One in an offline directory of which the controller does not know is given up.
		if in = b.dir.In(slot); !b.offline(in) || assigned != [16]byte{} {
			return in, !b.offline(in)
		}
	}
	if k := slices.IndexFunc(b.prefer, func(p preferred) bool { return p.tp == tp }); k >= 0 {
		if in = b.prefer[k].in; !b.offline(in) {
			b.prefer = slices.Delete(slices.Clone(b.prefer), k, k+1)
			return in, true
		}
	}
	if assigned != [16]byte{} {
		in = slices.IndexFunc(b.logDirs(), func(d Directory) bool { return d.ID == assigned })
		switch {
		case in >= 0:
			return in, !b.offline(in)
		case b.care.offline != 0:
			return 0, false
		}
	}
	return b.emptiest()
}

// emptiest is the online directory with the fewest logs, the first of several.
func (b *Broker) emptiest() (in int, ok bool) {
	logs := make([]int, len(b.logDirs()))
	for _, p := range b.parts {
		if p != nil {
			logs[b.dir.In(p.slot)]++
		}
	}
	in = -1
	for d, n := range logs {
		if !b.offline(d) && (in < 0 || n < logs[in]) {
			in = d
		}
	}
	return in, in >= 0
}

// LogDirs are the paths of log.dirs.
func (b *Broker) LogDirs() (paths []string) {
	for _, d := range b.logDirs() {
		paths = append(paths, d.Path)
	}
	return paths
}

// DirectoryOffline reports whether the process has given up a directory.
func (b *Broker) DirectoryOffline(in int) bool { return b.offline(in) }

// PathOf is the path of a log directory.
func (b *Broker) PathOf(in int) string { return b.cfg.Directories[in].Path }

// OfflineDirectories lists the paths of the log directories that are offline.
func (b *Broker) OfflineDirectories() (paths []string) {
	for in, d := range b.cfg.Directories {
		if b.offline(in) {
			paths = append(paths, d.Path)
		}
	}
	return paths
}

// Paths splits a value of log.dirs.
func Paths(value string) (paths []string) {
	for p := range strings.SplitSeq(value, ",") {
		paths = append(paths, strings.TrimSpace(p))
	}
	return paths
}
