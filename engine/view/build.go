package view

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/client/consumer"
	"github.com/highwater-sim/highwater/engine/client/producer"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/node"
	"github.com/highwater-sim/highwater/engine/raft"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/sim/net"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/highwater-sim/highwater/engine/world"
)

// Builder makes read models of one world and its other moments. It keeps memory between builds, and the decoded
// records of logs that have not changed. The zero value is ready.
type Builder struct {
	words    map[string]string // keys and client names, each once
	tails    map[tailKey]tail
	crashed  map[tailKey]crashedLog
	flights  []sim.Flight
	img      *metadata.Image
	now      kafka.Instant
	procs    []*node.Broker
	quora    []*node.Controller
	column   int     // partitions of the topics before the one that is being looked at
	found    []found // the replicas of the partition that is being looked at
	nodes    []nodeCount
	quorum   []raft.ReplicaStatus
	votes    []raft.Vote
	pass     *storage.Cleaning // over the replica that is being looked at
	assigned []consumer.Assigned

	producing []*producer.Producer
	consuming []*consumer.Consumer
	batches   []producer.Batch
	names     []string // of brokers
	dirs      bool     // Options.Dirs
}

// nodeCount is how many partitions a broker leads and holds, and where the last one
// lies among its logs.
type nodeCount struct{ leads, replicas, at int }

// Build fills into with the present moment of the world. What into held before
// is overwritten; its memory is used again.
func (b *Builder) Build(w *world.World, o Options, into *Cluster) {
	b.img, b.now, b.dirs = w.Image(), w.Now(), o.Dirs
	b.procs, b.quora = w.AppendBrokers(b.procs[:0]), w.AppendControllers(b.quora[:0])
	into.Now, into.Event, into.Seed = w.Now(), w.Events(), w.Spec().Seed
	into.Violation = nil
	b.topics(o, into)
	b.controllers(w, into)
	b.brokers(w, into)
	b.producers(w, into)
	b.consumers(w, into)
	b.links(w, into)
	into.Flights = into.Flights[:0]
	if o.Flights {
		b.addFlights(w, into)
	}
	b.trim()
}

// sized returns s with length n, keeping its memory and what its elements hold.
func sized[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	return append(s[:cap(s)], make([]T, n-cap(s))...)
}

// processState says how a process is, as the kernel knows it.
func processState(k *sim.Kernel, id sim.ActorID) ProcessState {
	switch {
	case !k.Powered(id):
		return PoweredOff
	case k.Exited(id):
		return Stopped
	case !k.Up(id):
		return Crashed
	case k.Frozen(id):
		return Frozen
	}
	return Running
}

func (b *Builder) controllers(w *world.World, into *Cluster) {
	cs := b.quora
	into.Controllers = sized(into.Controllers, len(cs))
	into.MetadataEnd = 0
	into.ClusterID = w.ClusterID()
	for i, c := range cs {
		v, q := &into.Controllers[i], c.Quorum()
		*v = Controller{
			ID: c.ID(), Combined: c.ID() < world.FirstController, State: processState(w.Kernel(), sim.ActorID(c.ID())), Role: c.Role(),
			Epoch: int32(c.QuorumEpoch()), LogEnd: c.LogEnd(), HW: c.HW(),
			Leader: c.QuorumLeader(), VotedFor: q.VotedID, Snapshots: len(c.Snapshots()), Voters: v.Voters, Ballot: v.Ballot[:0],
		}
		if log := c.MetadataLog(); log != nil {
			v.LogStart = log.LogStart()
		}
		v.Voters = b.quorumOf(c, w.Now(), v.Voters)
		b.votes = c.Ballot(b.votes[:0])
		for _, x := range b.votes {
			v.Ballot = append(v.Ballot, Vote{x.Voter, x.Granted, x.Refused})
		}
		into.MetadataEnd = max(into.MetadataEnd, c.LogEnd())
	}
	into.KRaftVersion = 0
	if cs[0].Dynamic() {
		into.KRaftVersion = 1
	}
	knows := knowsVoters(cs)
	for i := range cs {
		into.Controllers[i].Voter = knows.IsVoter(cs[i].ID())
	}
}

func (b *Builder) brokers(w *world.World, into *Cluster) {
	bs := b.procs
	into.Brokers = sized(into.Brokers, len(bs))
	for i, n := range bs {
		id := n.ID()
		v := &into.Brokers[i]
		if len(b.names) <= i {
			b.names = append(b.names, w.NameOf(sim.ActorID(id)))
		}
		*v = Broker{
			ID: id, Name: b.names[i], Rack: n.Spec().Rack, State: processState(w.Kernel(), sim.ActorID(id)),
			LastHeartbeat: kafka.Never, MetadataOffset: kafka.NoOffset, CutFrom: v.CutFrom[:0],
			DiskCapacity: n.DiskCapacity(), DiskUsed: v.DiskUsed[:0],
			DiskLatency: n.DiskLatency(), LogDirs: n.Directories(), OfflineDirs: n.OfflineDirectories(), Leads: b.nodes[i].leads, Replicas: b.nodes[i].replicas,
		}
		for in := range v.LogDirs {
			if v.DiskCapacity > 0 {
				v.DiskUsed = append(v.DiskUsed, n.Dir().SizeIn(in))
			}
		}
		if b.dirs {
			v.Dirs = logDirs(n, v.OfflineDirs)
		}
		if r := b.img.Broker(id); r != nil {
			v.Registered, v.Fenced, v.Epoch = true, r.Fenced, r.Epoch
			if r.InControlledShutdown && v.State == Running {
				v.State = Stopping
			}
		}
		if m := n.Broker(); m != nil {
			v.MetadataOffset = m.Image().Offset
			if v.State == Running && (!m.Serving() || v.Fenced || !v.Registered) {
				v.State = Starting
			}
		}
		for _, c := range b.quora {
			if at := c.LastHeartbeat(id); c.Active() && at != kafka.Never {
				v.LastHeartbeat = at
			}
		}
	}
}

// links lists the links that are not as usual, and who is cut from whom.
func (b *Builder) links(w *world.World, into *Cluster) {
	changed := w.Kernel().ChangedLinks()
	into.Links = sized(into.Links, len(changed))
	for i, l := range changed {
		into.Links[i] = linkOf(l)
		if l.Cut {
			into.cut(l.From, l.To)
			into.cut(l.To, l.From)
		}
	}
}

func linkOf(l net.Link) Link {
	return Link{From: l.From, To: l.To, Cut: l.Cut, Latency: l.Latency, Jitter: l.Jitter, Bandwidth: l.Bandwidth}
}

func (c *Cluster) cut(node, peer int32) {
	for i := range c.Brokers {
		v := &c.Brokers[i]
		if int32(v.ID) == node && !sim.ActorID(peer).IsClient() && !slices.Contains(v.CutFrom, kafka.NodeID(peer)) {
			v.CutFrom = append(v.CutFrom, kafka.NodeID(peer))
		}
	}
}
