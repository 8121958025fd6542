package broker

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
)

// AlterReplicaLogDirs (API key 34), versions 1 and 2 (KIP-113, KIP-858;
// ReplicaManager.alterReplicaLogDirs, ReplicaAlterLogDirsThread): a replica moves to
// another log directory of its broker. A future log grows there from the replica's
// own log, while that leads or follows as ever.
//
//	-future folder ──> copy ──> caught up ──> AssignReplicasToDirs ──> accepted, caught up ──> swap
//	                    ^──────────── behind ────────────────────────────────┘     old one: -delete
//
// num.replica.alter.log.dirs.threads replicas move at a time, in the order in which
// they were asked for. replica.alter.log.dirs.io.max.bytes.per.second is shared out
// among them; without it a copy goes as fast as our disks do (moveBytesPerSecond).
// The cleaner leaves a replica alone that moves.
//
// A move goes on after a restart. If the controller had accepted the new directory
// before a crash, the start makes the swap (LogManager.recoverAbandonedFutureLogs).

// moveBytesPerSecond is how fast a log is copied from disk to disk. Ours, not
// Kafka's.
const moveBytesPerSecond = 100 << 20

// movePhase is how far a move is (ReplicaAlterLogDirsThread.ReassignmentState).
type movePhase uint8

const (
	moveNone     movePhase = iota
	moveCopying            // or waits for its turn
	moveQueued             // caught up once; the controller is told the new directory
	moveAccepted           // the controller knows it
)

// moving is a replica's way into another log directory.
type moving struct {
	phase   movePhase
	running bool // its timer is set
	piece   int  // bytes that are being copied
}

// preferred is where a log is to be made that is not there yet.
type preferred struct {
	tp kafka.TopicPartition
	in int
}

func (b *Broker) handleAlterReplicaLogDirs(now kafka.Instant, in *sim.Input, req *kmsg.AlterReplicaLogDirsRequest, out *sim.Out) {
	resp := &kmsg.AlterReplicaLogDirsResponse{Version: req.Version}
	for i := range req.Dirs {
		d := &req.Dirs[i]
		for _, t := range d.Topics {
			rt := kmsg.AlterReplicaLogDirsResponseTopic{Topic: t.Topic}
			for _, n := range t.Partitions {
				code := b.alterLogDir(now, d.Dir, kafka.TopicPartition{Topic: t.Topic, Partition: n}, out)
				rt.Partitions = append(rt.Partitions, kmsg.AlterReplicaLogDirsResponseTopicPartition{Partition: n, ErrorCode: int16(code)})
			}
			resp.Topics = append(resp.Topics, rt)
		}
	}
	b.runMoves(now, out)
	b.sendAssignments(now, out)
	out.Reply(in.Conn, in.Corr, resp)
}

// alterLogDir begins, redirects or, with the directory where the replica is,
// cancels a move.
func (b *Broker) alterLogDir(now kafka.Instant, path string, tp kafka.TopicPartition, out *sim.Out) kafka.ErrorCode {
	to := slices.IndexFunc(b.logDirs(), func(d Directory) bool { return d.Path == path })
	i, known := b.findName(tp.Topic, tp.Partition)
	switch {
	case to < 0:
		return kafka.LogDirNotFound
	case b.offline(to), i == offlineReplica:
		return kafka.KafkaStorageError
	case i < 0: // made there if it comes (LogManager.maybeUpdatePreferredLogDir)
		b.prefer = slices.DeleteFunc(slices.Clone(b.prefer), func(p preferred) bool { return p.tp == tp })
		if b.prefer = append(b.prefer, preferred{tp, to}); !known {
			return kafka.UnknownTopicOrPartition
		}
		return kafka.NotLeaderOrFollower
	}
	p := b.mut(i)
	if slot, ok := b.dir.Future(tp); ok {
		if p.move.phase != moveNone && b.dir.In(slot) == to {
			return kafka.None
		}
		b.endMove(now, p, out)
		b.dir.RetireFuture(tp, now, now.Add(b.set.deleteDelay))
		b.purgeLater(b.dir.GoneDue(), out)
	}
	from := b.dir.In(p.slot)
	if from == to {
		return kafka.None
	}
	if _, err := b.dir.CreateFuture(to, now, tp, p.id, p.set.log, b.log(p).LogStart()); err != nil {
		return kafka.KafkaStorageError
	}
	b.abortCleaning(p, "the replica moves to another log directory", out)
	out.Note(trace.Note{
		Kind: trace.ReplicaMoving, Topic: tp.Topic, Part: tp.Partition, Node: b.cfg.ID, Offset: b.log(p).LEO(),
		Say: b.PathOf(from) + " -> " + b.PathOf(to),
	})
	b.beginMove(p)
	return kafka.None
}

func (b *Broker) beginMove(p *partition) {
	p.move = moving{phase: moveCopying}
	b.moves = append(b.moves, p.num)
}

// endMove takes a replica off the movers. A controller that was told the new
// directory is told the old one again.
func (b *Broker) endMove(now kafka.Instant, p *partition, out *sim.Out) {
	if p.move.phase == moveNone {
		return
	}
	told := p.move.phase > moveCopying
	p.move = moving{}
	b.moves = slices.DeleteFunc(b.moves, func(i int32) bool { return i == p.num })
	out.ClearTimer(timer(timerMove, p.num))
	if told {
		b.assign.queue = append(b.assign.queue, assignment{p.num, p.id, p.tp.Partition, b.dir.In(p.slot)})
		b.sendAssignments(now, out)
	}
	b.runMoves(now, out)
	b.wakeCleaner(out)
}

// runMoves starts the timers of the first replicas in the queue that have none.
func (b *Broker) runMoves(now kafka.Instant, out *sim.Out) {
	for _, i := range b.moves[:min(len(b.moves), b.moveThreads())] {
		if p := b.parts[i]; p.move.phase == moveCopying && !p.move.running {
			b.planMove(now, b.mut(i), out)
		}
	}
}

func (b *Broker) moveThreads() int {
	if b.set.moveThreads > 0 {
		return b.set.moveThreads
	}
	return len(b.logDirs())
}

// planMove sets the time that the next piece takes.
func (b *Broker) planMove(now kafka.Instant, p *partition, out *sim.Out) {
	slot, ok := b.dir.Future(p.tp)
	if !ok {
		return
	}
	l, f := b.log(p), b.dir.At(slot)
	n := int64(0)
	if from := max(f.LEO(), l.LogStart()); from < l.LEO() {
		data, err := l.Read(from, int(b.set.fetchMaxBytes), l.LEO())
		if err == nil {
			n = int64(len(data))
		}
	}
	busy := int64(max(1, min(len(b.moves), b.moveThreads())))
	p.move.running, p.move.piece = true, int(n)
	out.After(timer(timerMove, p.num), max(lasts(n, moveBytesPerSecond), lasts(n, max(b.set.moveRate/busy, 1))))
}

// moveStep copies a piece, and swaps the logs if all is there that can be.
func (b *Broker) moveStep(now kafka.Instant, i int32, out *sim.Out) {
	if int(i) >= len(b.parts) || b.parts[i] == nil || b.parts[i].move.phase == moveNone {
		return
	}
	p := b.mut(i)
	p.move.running = false
	slot, ok := b.dir.Future(p.tp)
	if !ok {
		return
	}
	err := b.copyPiece(now, p, slot)
	if p.move.piece = 0; err != nil {
		b.noteFetchError(p, fetchErrorOf(err), out)
		b.endMove(now, p, out) // its thread marks it as failed; the future log stays
		return
	}
	switch {
	case b.offline(b.dir.In(slot)): // just now: failDirectories ends the move
	case b.dir.At(slot).LEO() < b.log(p).LEO():
		b.planMove(now, p, out)
	case p.move.phase == moveAccepted, len(p.reg.Directories) == 0:
		b.swap(now, p, out)
	case p.move.phase == moveCopying:
		p.move.phase = moveQueued
		b.assign.queue = append(b.assign.queue, assignment{p.num, p.id, p.tp.Partition, b.dir.In(slot)})
		b.sendAssignments(now, out)
	}
}

// copyPiece appends what comes next to the future log.
func (b *Broker) copyPiece(now kafka.Instant, p *partition, slot int) error {
	l := b.log(p)
	if b.dir.At(slot).LEO() < l.LogStart() {
		b.dir.MutableAt(slot).TruncateFullyAndStartAt(l.LogStart())
	}
	from := b.dir.At(slot).LEO()
	if from < l.LEO() && p.move.piece > 0 {
		data, err := l.Read(from, p.move.piece, l.LEO())
		if err != nil {
			return err
		}
		if b.noRoom(b.dir.In(slot), len(data)) {
			return nil
		}
		f := b.dir.MutableAt(slot)
		startEarlier(f, data)
		if _, _, err := f.AppendAsFollower(now, data); err != nil {
			return err
		}
	}
	if f := b.dir.At(slot); l.LogStart() > f.LogStart() {
		_, err := b.dir.MutableAt(slot).SetLogStart(l.LogStart())
		return err
	}
	return nil
}

// swap puts the future log in the place of the log.
func (b *Broker) swap(now kafka.Instant, p *partition, out *sim.Out) {
	from := b.PathOf(b.dir.In(p.slot))
	b.dir.Promote(p.tp, now, now.Add(b.set.deleteDelay))
	l := b.mutLog(p)
	l.SetConfig(p.set.log)
	b.saveProducers(p, activeBase(l))
	p.move.phase = moveCopying // nothing to take back
	b.endMove(now, p, out)
	b.purgeLater(b.dir.GoneDue(), out)
	out.Note(trace.Note{
		Kind: trace.ReplicaMoved, Topic: p.tp.Topic, Part: p.tp.Partition, Node: b.cfg.ID, Offset: l.LEO(),
		Say: from + " -> " + b.PathOf(b.dir.In(p.slot)),
	})
}

// moveAssigned goes on with a move whose directory the controller has accepted.
func (b *Broker) moveAssigned(now kafka.Instant, q *assignment, out *sim.Out) {
	p := b.parts[q.part]
	if p == nil || p.move.phase != moveQueued {
		return
	}
	if slot, ok := b.dir.Future(p.tp); ok && b.dir.In(slot) == q.in {
		b.mut(q.part).move.phase = moveAccepted
		b.moveStep(now, q.part, out)
	}
}

// moveTruncated cuts the future log where the log was cut
// (ReplicaAlterLogDirsManager.markPartitionsForTruncation).
func (b *Broker) moveTruncated(p *partition) {
	slot, ok := b.dir.Future(p.tp)
	if !ok || b.offline(b.dir.In(slot)) {
		return
	}
	leo := b.log(p).LEO()
	switch f := b.dir.At(slot); {
	case f.LEO() <= leo:
	case leo < f.LogStart():
		b.dir.MutableAt(slot).TruncateFullyAndStartAt(leo)
	default:
		b.dir.MutableAt(slot).TruncateTo(leo)
	}
}

// endMoves ends the moves into directories that have failed. What is there stays.
func (b *Broker) endMoves(now kafka.Instant, out *sim.Out) {
	for _, e := range b.dir.Futures() {
		if i, _ := b.findName(e.Partition.Topic, e.Partition.Partition); i >= 0 && b.offline(e.In) && b.parts[i].id == e.TopicID {
			b.endMove(now, b.mut(i), out)
		}
	}
}

// resumeMove goes on with a move that a restart interrupted.
func (b *Broker) resumeMove(p *partition) {
	slot, ok := b.dir.Future(p.tp)
	if ok && !b.offline(b.dir.In(slot)) && b.dir.TopicID(slot) == p.id && b.dir.In(slot) != b.dir.In(p.slot) {
		b.dir.MutableAt(slot).SetConfig(p.set.log)
		b.beginMove(p)
	}
}

// recoverFutures settles the future logs that a start finds: those whose directory
// the controller has take over, those of nobody are given up.
func (b *Broker) recoverFutures(now kafka.Instant) {
	for _, e := range b.dir.Futures() {
		if b.offline(e.In) {
			continue
		}
		t := b.img.Topic(e.Partition.Topic)
		reg := t.At(e.Partition.Partition)
		switch {
		case reg == nil || t.ID != e.TopicID || !slices.Contains(reg.Replicas, b.cfg.ID):
			b.dir.RetireFuture(e.Partition, now, now.Add(b.set.deleteDelay))
		case reg.Directory(b.cfg.ID) == b.cfg.Directories[e.In].ID:
			b.dir.Promote(e.Partition, now, now.Add(b.set.deleteDelay))
		}
	}
}
