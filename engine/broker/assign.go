package broker

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
)

// AssignReplicasToDirs (KIP-858): a broker with several log directories chooses
// where a new replica's log goes, and tells the controller, which elects by it
// (server/.../AssignmentsManager.java): one request at a time.
//
//	image: directory of my replica is UNASSIGNED ──> queue ──> request ──> PartitionChangeRecord ──> image

const (
	assignmentsMax    = 2250 // in one request (AssignReplicasToDirsRequest.MAX_ASSIGNMENTS_PER_REQUEST)
	assignBackoff     = 100 * kafka.Millisecond
	assignBackoffMost = 10 * kafka.Second
)

// assignments are what the controller does not know yet.
type assignments struct {
	queue    []assignment
	inFlight []assignment
	failures int // of the last tries, one after the other
}

type assignment struct {
	part      int32 // within this broker; its log directory may have failed since
	id        kafka.TopicID
	partition int32
	in        int // log directory
}

func (a *assignments) clone() assignments {
	c := *a
	c.queue, c.inFlight = slices.Clone(a.queue), slices.Clone(a.inFlight)
	return c
}

func (a *assignments) digest(h *sim.Hash) {
	for _, list := range [2][]assignment{a.queue, a.inFlight} {
		h.Int(int64(len(list)))
		for _, q := range list {
			h.Int(int64(q.part))
			h.Int(int64(q.in))
		}
	}
	h.Int(int64(a.failures))
}

// assignDirectory queues the directory of a replica if the controller has
// another one, or none (ReplicaManager.maybeUpdateTopicAssignment).
func (b *Broker) assignDirectory(p *partition, reg *metadata.Partition) {
	in := b.dir.In(p.slot)
	if p.told || p.move.phase != moveNone || len(reg.Directories) == 0 || reg.Directory(b.cfg.ID) == b.cfg.Directories[in].ID {
		return
	}
	p.told = true
	b.assign.queue = append(b.assign.queue, assignment{p.num, p.id, p.tp.Partition, in})
}

// sendAssignments sends what is queued, unless a request is in flight.
func (b *Broker) sendAssignments(now kafka.Instant, out *sim.Out) {
	a := &b.assign
	if len(a.inFlight) > 0 || len(a.queue) == 0 || b.life.epoch < 0 {
		return
	}
	n := min(len(a.queue), assignmentsMax)
	a.inFlight = slices.Clone(a.queue[:n])
	a.queue = slices.Delete(a.queue, 0, n)
	req := &kmsg.AssignReplicasToDirsRequest{BrokerID: int32(b.cfg.ID), BrokerEpoch: int64(b.life.epoch)}
	for in := range b.cfg.Directories {
		d := kmsg.AssignReplicasToDirsRequestDirectory{ID: b.cfg.Directories[in].ID}
		for _, q := range a.inFlight {
			if q.in != in {
				continue
			}
			if t := len(d.Topics); t == 0 || d.Topics[t-1].TopicID != q.id {
				d.Topics = append(d.Topics, kmsg.AssignReplicasToDirsRequestDirectoryTopic{TopicID: q.id})
			}
			t := &d.Topics[len(d.Topics)-1]
			t.Partitions = append(t.Partitions, kmsg.AssignReplicasToDirsRequestDirectoryTopicPartition{Partition: q.partition})
		}
		if len(d.Topics) > 0 {
			req.Directories = append(req.Directories, d)
		}
	}
	b.ask(now, controlAssign, req, kafka.Never, out)
}

// assigned takes the controller's answer. What it did not take is sent again
// after a while, as long as the replica is here.
func (b *Broker) assigned(now kafka.Instant, resp *kmsg.AssignReplicasToDirsResponse, out *sim.Out) {
	a := &b.assign
	sent := a.inFlight
	a.inFlight = nil
	failed := false
	for _, q := range sent {
		p := b.parts[q.part]
		switch {
		case resp.ErrorCode == 0 && taken(resp, &q):
			if p != nil {
				b.mut(q.part).told = false
				b.moveAssigned(now, &q, out)
			}
		case resp.ErrorCode == 0 && p == nil:
		default:
			failed = true
			a.queue = append(a.queue, q)
		}
	}
	if !failed {
		a.failures = 0
		b.sendAssignments(now, out)
		return
	}
	out.SetTimer(timer(timerControl, 2), now.Add(min(assignBackoff<<min(a.failures, 10), assignBackoffMost)))
	a.failures++
}

// taken reports whether an answer says that an assignment was taken.
func taken(resp *kmsg.AssignReplicasToDirsResponse, q *assignment) bool {
	for i := range resp.Directories {
		for _, t := range resp.Directories[i].Topics {
			for _, p := range t.Partitions {
				if t.TopicID == q.id && p.Partition == q.partition {
					return p.ErrorCode == 0
				}
			}
		}
	}
	return false
}
