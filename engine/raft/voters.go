package raft

import (
	"cmp"
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
)

// Voter is a member of the quorum: with static voters only its id is known, with
// dynamic ones (KIP-853) also the directory that its log is in, where it listens
// and which kraft.versions it knows.
type Voter struct {
	ID         kafka.NodeID
	Directory  [16]byte
	Host       string // of its CONTROLLER listener
	Port       uint16
	MinVersion int16 // kraft.version
	MaxVersion int16
}

// NewVoter is a voter as one of this version describes itself.
func NewVoter(id kafka.NodeID, directory [16]byte, host string) Voter {
	return Voter{ID: id, Directory: directory, Host: host, Port: listenerPort, MaxVersion: kraftVersionMax}
}

// replicaKey names a replica: the id alone does not, since KIP-853 (raft/ReplicaKey.java).
type replicaKey struct {
	id        kafka.NodeID
	directory [16]byte
}

// nobody is the candidate that a replica votes for before it votes.
var nobody = replicaKey{id: kafka.NoNode}

// key is the replica's own.
func (r *Replica) key() replicaKey { return replicaKey{r.cfg.ID, r.cfg.Directory} }

// is reports whether both are the same replica: the same id in the same directory
// (raft/ReplicaKey.java).
func (v Voter) is(id kafka.NodeID, directory [16]byte) bool {
	return v.ID == id && (v.Directory == [16]byte{} || v.Directory == directory)
}

// voterSet is the voters that a point of the log establishes (raft/VoterSet.java).
type voterSet struct {
	offset kafka.Offset // of the VotersRecord; -1: from a snapshot or the config
	voters []Voter      // sorted by ID; immutable
}

func staticVoters(ids []kafka.NodeID) []Voter {
	vs := make([]Voter, len(ids))
	for i, id := range ids {
		vs[i].ID = id
	}
	return vs
}

func findVoter(vs []Voter, id kafka.NodeID) (int, bool) {
	return slices.BinarySearchFunc(vs, id, func(v Voter, id kafka.NodeID) int { return cmp.Compare(v.ID, id) })
}

// Voters lists the voters in effect, by id: those of the last VotersRecord in
// the log, committed or not, or of controller.quorum.voters. It must not be changed.
func (r *Replica) Voters() []Voter { return r.voters }

// dynamic reports whether the voters are those of the log (kraft.version 1).
func (r *Replica) dynamic() bool { return len(r.sets) > 0 }

func (r *Replica) isVoterID(id kafka.NodeID) bool {
	_, ok := findVoter(r.voters, id)
	return ok
}

// isVoter reports whether the replica itself is a voter, under its own directory.
func (r *Replica) isVoter() bool {
	return r.isVoterKey(r.cfg.ID, r.cfg.Directory)
}

// isVoterKey reports whether a replica is a voter: one with the id of a voter in
// another directory is none.
func (r *Replica) isVoterKey(id kafka.NodeID, directory [16]byte) bool {
	i, ok := findVoter(r.voters, id)
	return ok && r.voters[i].is(id, directory)
}

// directoryOf is a voter's directory, as far as it is known.
func (r *Replica) directoryOf(id kafka.NodeID) (d [16]byte) {
	if i, ok := findVoter(r.voters, id); ok {
		d = r.voters[i].Directory
	}
	return d
}

func digestVoters(h *sim.Hash, vs []Voter) {
	h.Int(int64(len(vs)))
	for _, v := range vs {
		h.Int(int64(v.ID))
		h.Bytes(v.Directory[:])
		h.String(v.Host)
		h.Int(int64(v.Port)<<32 | int64(v.MinVersion)<<16 | int64(v.MaxVersion))
	}
}

// setAt is the voter set that was in effect at the end of a snapshot.
func (r *Replica) setAt(end kafka.Offset) (set voterSet, ok bool) {
	for _, s := range r.sets {
		if s.offset < end {
			set, ok = s, true
		}
	}
	return set, ok
}

// rescan forgets what it knows of the voters and begins with the latest snapshot
// (raft/internals/KRaftControlRecordStateMachine.java).
func (r *Replica) rescan(m Machine) {
	r.sets, r.scanned = nil, m.Dir.At(r.slot).LogStart()
	s, ok := m.Snapshots.Latest()
	if !ok {
		return
	}
	c, err := parseCheckpoint(s.Data)
	if err != nil {
		panic("raft: " + s.ID.File() + ": " + err.Error())
	}
	if c.dynamic {
		r.sets = []voterSet{{offset: kafka.NoOffset, voters: c.voters}}
	}
	r.scanned = max(r.scanned, s.ID.End)
}

// scan looks through what was appended for other voters, which are in effect at
// once, committed or not, and reports whether there are.
func (r *Replica) scan(m Machine) (found bool) {
	log := m.Dir.At(r.slot)
	for b := range log.Batches(r.scanned) {
		if !b.Raw.Attributes().Control() {
			continue
		}
		for rec, err := range record.Records(b.Raw) {
			if err != nil {
				panic("raft: " + err.Error())
			}
			if t, err := record.ParseControlKey(rec.Key); err != nil || t != record.ControlKRaftVoters {
				continue
			}
			vs, err := decodeVoters(rec.Value)
			if err != nil {
				panic(err.Error())
			}
			r.sets = append(r.sets, voterSet{offset: rec.Offset, voters: vs})
			found = true
		}
	}
	r.scanned = log.LEO()
	if n := len(r.sets); n > 0 {
		r.voters = r.sets[n-1].voters
	}
	return found
}

// scanAppended looks through what was appended, and takes the role that it gives.
func (r *Replica) scanAppended(now kafka.Instant, out *sim.Out, m Machine) {
	if r.scan(m) {
		r.takeRole(now, out)
	}
}

// unscan forgets voters of a part of the log that was cut off.
func (r *Replica) unscan(now kafka.Instant, end kafka.Offset, out *sim.Out) {
	r.scanned = min(r.scanned, end)
	n := len(r.sets)
	for n > 0 && r.sets[n-1].offset >= end {
		n--
	}
	if n == len(r.sets) {
		return
	}
	if r.sets = r.sets[:n:n]; n > 0 {
		r.voters = r.sets[n-1].voters
	} else {
		r.voters = r.cfg.voters()
	}
	r.takeRole(now, out)
}

// takeRole follows a change of the voters.
func (r *Replica) takeRole(now kafka.Instant, out *sim.Out) {
	switch voter := r.isVoter(); {
	case r.state == Observer && voter:
		r.state = Follower
		r.setDeadline(now, r.cfg.FetchTimeout, out)
	case r.state == Follower && !voter:
		r.state = Observer
		r.setDeadline(now, never, out)
	case r.state == Unattached && voter && r.deadline == kafka.Never:
		r.setDeadline(now, r.electionTimeout(), out)
	}
}
