package raft

import (
	"fmt"
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/storage"
)

// State is a replica's state in the quorum.
type State uint8

// The states (raft/EpochState and its classes).
const (
	Unattached State = iota
	Prospective
	Candidate
	Leader
	Follower
	Observer // a follower that is not a voter: a broker
	Resigned
)

// String is Kafka's name.
func (s State) String() string {
	return [...]string{"Unattached", "Prospective", "Candidate", "Leader", "Follower", "Observer", "Resigned"}[s]
}

// The kinds of timers, all owned by sim.OwnerRaft.
const (
	timerLinger   uint8 = iota // gathered records are due
	timerFlush                 // the fsync of the last append is done
	timerParked                // the first parked fetch is due
	timerRetry                 // A: a replica that may be asked again
	timerDeadline              // the state's time-out
	timerBegin                 // BeginQuorumEpoch is due again
	timerShutdown              // a clean end has taken too long
	timerChange                // a change of the voters has taken too long
)

// Replica is one member or observer of the quorum, as far as its process's
// memory goes. It is plain data. Copy it with Clone.
type Replica struct {
	cfg    Config
	rng    sim.Rand
	state  State
	epoch  kafka.LeaderEpoch
	leader kafka.NodeID // NoNode: unknown
	voted  replicaKey   // NoNode: no vote given in this epoch
	slot   int          // of the log in the machine's Dir
	hw     kafka.Offset // NoOffset: unknown
	taken  kafka.Offset // next offset that TakeCommitted returns

	deadline kafka.Instant // when the state ends by itself; Never if it does not
	armed    kafka.Instant // when the deadline timer fires; Never if it is not set
	stopBy   kafka.Instant // a clean end is under way, until then at most; Never if not
	corr     int32         // last correlation id used
	peers    []peer        // sorted by id

	voters  []Voter      // in effect; immutable
	sets    []voterSet   // voters that the log establishes, oldest first; none with static voters
	scanned kafka.Offset // up to where the log was looked through for them

	lead       leading        // Leader
	ballot     []vote         // Prospective and Candidate: by voter
	successors []kafka.NodeID // Resigned: in the order in which they should stand for election
	acked      []kafka.NodeID // Resigned: who has heard of it
	fetch      fetching
	snap       snapshotting
	fault      string // why the process must end
}

// New returns the replica of a process that starts. It fails on a config that
// no quorum can be made of.
func New(cfg Config) (*Replica, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	return &Replica{
		cfg: cfg, rng: sim.NewRand(cfg.Seed, "raft/"+fmt.Sprint(cfg.ID)),
		leader: kafka.NoNode, voted: nobody, slot: -1, hw: kafka.NoOffset,
		deadline: kafka.Never, armed: kafka.Never, stopBy: kafka.Never,
		voters: cfg.voters(),
		fetch:  fetching{voter: -1, hw: kafka.NoOffset, giveUp: kafka.Never},
	}, nil
}

// Step handles one input: see the package comment for which ones.
func (r *Replica) Step(now kafka.Instant, in *sim.Input, out *sim.Out, m Machine) {
	switch in.Kind {
	case sim.InputBoot:
		r.boot(now, out, m)
	case sim.InputRequest:
		r.request(now, in, out, m)
	case sim.InputResponse:
		r.response(now, in, out, m)
	case sim.InputDisconnected:
		if r.answered(in) {
			r.backOff(now, in.From.Node(), out)
			r.versionsFailed(in.From.Node(), out)
		}
	case sim.InputTimer:
		switch in.Timer.Kind {
		case timerLinger:
			r.drain(now, out, m)
		case timerFlush:
			r.synced(now, out, m)
		case timerParked:
			r.answerParked(now, out, m)
		case timerDeadline:
			r.timedOut(now, out, m)
		case timerBegin:
			r.begin(now, out)
		case timerChange:
			r.expireChange(out)
		}
	}
	if r.fault == "" {
		r.poll(now, out, m)
	}
}

// poll sends what the state calls for and is not under way (KafkaRaftClient.pollCurrentState).
func (r *Replica) poll(now kafka.Instant, out *sim.Out, m Machine) {
	switch r.state {
	case Leader:
	case Resigned:
		r.sayEnd(now, out)
	case Prospective, Candidate:
		r.askVotes(now, out, m)
	default:
		r.sendFetch(now, out, m)
	}
}

// boot opens the log and enters the state that quorum-state and the role call
// for (KafkaRaftClient.initialize, QuorumState.initialize).
func (r *Replica) boot(now kafka.Instant, out *sim.Out, m Machine) {
	slot, ok := m.Dir.Slot(Partition)
	if !ok {
		var err error
		// metadata.log.segment.bytes and .ms have the same defaults as a topic's.
		if slot, err = m.Dir.Create(now, Partition, TopicID, storage.DefaultConfig()); err != nil {
			panic("raft: " + err.Error())
		}
	}
	r.slot = slot
	r.loadSnapshot(now, m)
	r.rescan(m)
	r.scan(m)
	q := *m.Quorum
	r.epoch = max(q.LeaderEpoch, r.lastEpoch(m))
	if r.epoch == q.LeaderEpoch {
		r.leader, r.voted = q.LeaderID, replicaKey{q.VotedID, q.VotedDirectory}
	}
	only := r.isVoter() && len(r.voters) == 1
	switch {
	case only:
		r.toProspective(now, out, m)
	case r.leader == r.cfg.ID: // it led when it ended: never again in that epoch
		r.enter(now, Resigned, r.electionTimeout(), out, m)
	case r.voted == r.key() && r.leader == kafka.NoNode && r.isVoter():
		r.enter(now, Candidate, r.electionTimeout(), out, m)
		r.openBallot()
	case r.leader != kafka.NoNode:
		r.toFollower(now, r.leader, r.epoch, out, m)
		r.fetch.last = -kafka.Never // it may be gone: nobody has heard of it in this life
	default:
		r.toUnattached(now, r.epoch, r.voted, out, m)
	}
}

// Accessors.

// State is the replica's state.
func (r *Replica) State() State { return r.state }

// Epoch is the quorum epoch that the replica is in.
func (r *Replica) Epoch() kafka.LeaderEpoch { return r.epoch }

// LeaderID is the leader of the epoch, NoNode if it is not known.
func (r *Replica) LeaderID() kafka.NodeID { return r.leader }

// HW is the high watermark, NoOffset as long as it is not known.
func (r *Replica) HW() kafka.Offset { return r.hw }

// Log is the metadata log, to read; nil before boot.
func (r *Replica) Log(m Machine) *storage.Log {
	if r.slot < 0 {
		return nil
	}
	return m.Dir.At(r.slot)
}

// LogEnd is the log end offset; 0 before boot.
func (r *Replica) LogEnd(m Machine) kafka.Offset {
	if r.slot < 0 {
		return 0
	}
	return m.Dir.At(r.slot).LEO()
}

// Fault is why the process must end at once, as Kafka's does when an exception
// reaches the raft io thread; "" while nothing is wrong. It happens where records
// that were committed are gone from the quorum: with static voters a replica that
// lost its disk votes as before.
func (r *Replica) Fault() string { return r.fault }

// Led reports whether the replica leads in an epoch.
func (r *Replica) Led(epoch kafka.LeaderEpoch) bool { return r.state == Leader && r.epoch == epoch }

// lastEpoch is the leader epoch of the last record in the log or before it, 0 if
// there was none ever (ReplicatedLog.lastFetchedEpoch).
func (r *Replica) lastEpoch(m Machine) kafka.LeaderEpoch {
	if r.slot < 0 {
		return 0
	}
	log := m.Dir.At(r.slot)
	if e := log.LatestEpoch(); e != kafka.NoEpoch {
		return e
	}
	if s, ok := m.Snapshots.Latest(); ok && s.ID.End == log.LEO() {
		return s.ID.Epoch
	}
	return 0
}

// Taken is the offset up to which TakeCommitted has handed out the log.
func (r *Replica) Taken() kafka.Offset { return r.taken }

// CaughtUp reports whether the owner has been given everything up to a known
// high watermark.
func (r *Replica) CaughtUp() bool { return r.hw >= 0 && r.taken >= r.hw && !r.snap.load }

// TakeCommitted returns the records between what was taken before and the high
// watermark, in order; control records are left out. A record that cannot be
// decoded means a broken engine, and panics.
func (r *Replica) TakeCommitted(m Machine) []metadata.Entry {
	if r.taken >= r.hw || r.snap.load {
		return nil
	}
	var entries []metadata.Entry
	for log := m.Dir.At(r.slot); r.taken < r.hw; {
		data, err := log.Read(r.taken, fetchBytesMax, r.hw)
		if err != nil || len(data) == 0 {
			panic(fmt.Sprintf("raft: node %d: log at %d below high watermark %d: %v", r.cfg.ID, r.taken, r.hw, err))
		}
		for len(data) > 0 {
			b, err := record.Frame(data)
			if err != nil {
				panic("raft: " + err.Error())
			}
			if !b.Attributes().Control() {
				entries = appendEntries(entries, b)
			}
			r.taken = b.NextOffset()
			r.snap.bytes += int64(len(b))
			data = data[len(b):]
		}
	}
	return entries
}

// SkipCommitted is TakeCommitted for an owner that knows the records, for it
// appended them.
func (r *Replica) SkipCommitted(m Machine) {
	if r.taken >= r.hw {
		return
	}
	for b := range m.Dir.At(r.slot).Batches(r.taken) {
		if b.Raw.BaseOffset() >= r.hw {
			break
		}
		r.snap.bytes += int64(len(b.Raw))
	}
	r.taken = r.hw
}

func appendEntries(entries []metadata.Entry, b record.Raw) []metadata.Entry {
	for rec, err := range record.Records(b) {
		var m metadata.Record
		if err == nil {
			m, err = metadata.Decode(rec.Value)
		}
		if err != nil {
			panic(fmt.Sprintf("raft: batch at offset %d: %v", b.BaseOffset(), err))
		}
		entries = append(entries, metadata.Entry{Offset: rec.Offset, Record: m})
	}
	return entries
}

// raiseHW moves the high watermark up.
func (r *Replica) raiseHW(hw kafka.Offset) bool {
	if hw <= r.hw {
		return false
	}
	r.hw = hw
	return true
}

// Clone returns a copy.
func (r *Replica) Clone() *Replica {
	c := *r
	c.peers = slices.Clone(r.peers)
	c.sets = slices.Clone(r.sets)
	c.lead = r.lead.clone()
	c.ballot = slices.Clone(r.ballot)
	c.acked = slices.Clone(r.acked)
	c.fetch.snapshot.data = slices.Clip(r.fetch.snapshot.data)
	return &c
}

// Digest writes the replica's state. The machine's parts are the owner's to write.
func (r *Replica) Digest(h *sim.Hash) {
	h.Int(int64(r.cfg.ID))
	r.rng.Digest(h)
	for _, v := range []int64{
		int64(r.state), int64(r.epoch), int64(r.leader), int64(r.voted.id), int64(r.hw), int64(r.taken), int64(r.deadline),
		int64(r.armed), int64(r.stopBy), int64(r.corr), int64(r.scanned), r.snap.bytes, int64(r.snap.last), int64(len(r.peers)),
	} {
		h.Int(v)
	}
	for _, p := range r.peers {
		h.Int(int64(p.id))
		h.Int(int64(p.corr))
		h.Int(int64(p.retry))
	}
	h.Bytes(r.voted.directory[:])
	digestVoters(h, r.voters)
	h.Int(int64(len(r.sets)))
	for _, s := range r.sets {
		h.Int(int64(s.offset))
		digestVoters(h, s.voters)
	}
	h.Int(int64(len(r.ballot)))
	for _, v := range r.ballot {
		h.Int(int64(v.id))
		h.Int(int64(v.state))
	}
	digestIDs(h, r.successors)
	digestIDs(h, r.acked)
	r.lead.digest(h)
	r.fetch.digest(h)
}

func digestIDs(h *sim.Hash, ids []kafka.NodeID) {
	h.Int(int64(len(ids)))
	for _, id := range ids {
		h.Int(int64(id))
	}
}
