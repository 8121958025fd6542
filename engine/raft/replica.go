package raft

import (
	"fmt"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/twmb/franz-go/pkg/kmsg"
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
	timerLinger uint8 = iota // gathered records are due
	timerFlush               // the fsync of the last append is done
	timerParked              // the first parked fetch is due
	timerRetry               // fetch again
)

// Replica is one member or observer of the quorum, as far as its process's
// memory goes. It is plain data. Copy it with Clone.
type Replica struct {
	cfg    Config
	rng    sim.Rand
	state  State
	epoch  kafka.LeaderEpoch
	leader kafka.NodeID // NoNode: unknown
	slot   int          // of the log in the machine's Dir
	hw     kafka.Offset // NoOffset: unknown
	taken  kafka.Offset // next offset that TakeCommitted returns

	lead  leading
	fetch fetching
}

// New returns the replica of a process that starts. It fails on a config that
// this version cannot run.
func New(cfg Config) (*Replica, error) {
	if len(cfg.Voters) != 1 {
		return nil, fmt.Errorf("raft: %d voters; this version runs exactly 1", len(cfg.Voters))
	}
	return &Replica{
		cfg: cfg, rng: sim.NewRand(cfg.Seed, "raft/"+fmt.Sprint(cfg.ID)),
		leader: kafka.NoNode, slot: -1, hw: kafka.NoOffset,
		fetch: fetching{voter: -1},
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
		if resp, ok := in.Response.(*kmsg.FetchResponse); ok && in.Corr == r.fetch.inFlight {
			r.fetched(now, in.From.Node(), resp, out, m)
		}
	case sim.InputDisconnected:
		if in.Corr == r.fetch.inFlight {
			r.fetchFailed(now, out)
		}
	case sim.InputTimer:
		switch in.Timer.Kind {
		case timerLinger:
			r.drain(now, out, m)
		case timerFlush:
			r.flushed(now, out, m)
		case timerParked:
			r.answerParked(now, out, m)
		case timerRetry:
			r.sendFetch(now, out, m)
		}
	}
}

// boot opens the log and enters the state that quorum-state and the role call
// for (KafkaRaftClient.initialize).
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
	r.taken = m.Dir.At(slot).LogStart()
	r.epoch = max(m.Quorum.LeaderEpoch, m.Dir.At(slot).LatestEpoch())
	r.state = Unattached
	if r.cfg.Voter() { // the only one: it needs no one else's vote
		r.becomeCandidate(now, out, m)
		return
	}
	r.sendFetch(now, out, m)
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

// Taken is the offset up to which TakeCommitted has handed out the log.
func (r *Replica) Taken() kafka.Offset { return r.taken }

// CaughtUp reports whether the owner has been given everything up to a known
// high watermark.
func (r *Replica) CaughtUp() bool { return r.hw >= 0 && r.taken >= r.hw }

// TakeCommitted returns the records between what was taken before and the high
// watermark, in order; control records are left out. A record that cannot be
// decoded means a broken engine, and panics.
func (r *Replica) TakeCommitted(m Machine) []metadata.Entry {
	if r.taken >= r.hw {
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
			data = data[len(b):]
		}
	}
	return entries
}

// SkipCommitted is TakeCommitted for an owner that knows the records, for it
// appended them.
func (r *Replica) SkipCommitted() { r.taken = max(r.taken, r.hw) }

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
	c.lead = r.lead.clone()
	return &c
}

// Digest writes the replica's state. The machine's parts are the owner's to write.
func (r *Replica) Digest(h *sim.Hash) {
	h.Int(int64(r.cfg.ID))
	r.rng.Digest(h)
	h.Int(int64(r.state))
	h.Int(int64(r.epoch))
	h.Int(int64(r.leader))
	h.Int(int64(r.hw))
	h.Int(int64(r.taken))
	r.lead.digest(h)
	r.fetch.digest(h)
}
