package raft_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/raft"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/sim/disk"
	"github.com/highwater-sim/highwater/engine/sim/net"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// host is a process with a replica and nothing else. An order appends so many
// records, if it leads.
type host struct {
	id     kafka.NodeID
	voters []kafka.NodeID
	static metadata.Static
	seed   uint64
	dir    *storage.Dir
	quorum raft.QuorumState
	disk   disk.Disk
	snaps  raft.Snapshots
	r      *raft.Replica
	taken  []kafka.Offset // offsets of the records handed out in this life
	began  kafka.Offset   // the end of the snapshot that this life began with
	exited bool

	dynamic bool   // voters are only whom to ask first
	formats byte   // how often its disk was formatted again
	where   string // host of its listener, if it is not the one of the beginning
}

func newHost(id kafka.NodeID, voters []kafka.NodeID, static metadata.Static, seed uint64) *host {
	return &host{id: id, voters: voters, static: static, seed: seed, dir: storage.NewDir(), quorum: raft.NewQuorumState(), disk: disk.New()}
}

func (p *host) machine() raft.Machine {
	return raft.Machine{Dir: p.dir, Quorum: &p.quorum, Disk: &p.disk, Snapshots: &p.snaps}
}

// directory is where a node with dynamic voters has its log.
func directory(id kafka.NodeID, formats byte) [16]byte {
	return [16]byte{0xd1, 14: formats, 15: byte(id)}
}

// listener is the host of a node's listener.
func listener(id kafka.NodeID) string { return fmt.Sprintf("controller-%d", id) }

func newVoter(id kafka.NodeID) raft.Voter { return raft.NewVoter(id, directory(id, 0), listener(id)) }

const voter = 101

func (p *host) Step(now kafka.Instant, in *sim.Input, out *sim.Out) {
	switch in.Kind {
	case sim.InputBoot:
		p.dir.Start()
		cfg := raft.NewConfig(p.id, p.voters, p.seed, p.static)
		cfg.Directory, cfg.Dynamic, cfg.CanBecomeVoter = directory(p.id, p.formats), p.dynamic, p.id >= voter
		if cfg.Host = listener(p.id); p.where != "" {
			cfg.Host = p.where
		}
		r, err := raft.New(cfg)
		if err != nil {
			panic(err)
		}
		p.r, p.taken, p.began, p.exited = r, nil, 0, false
	case sim.InputCommand:
		switch order := in.Command.(type) {
		case int:
			var recs []metadata.Record
			for range order {
				recs = append(recs, &metadata.NoOpRecord{})
			}
			if p.r.IsLeader() {
				p.r.Append(now, out, p.machine(), recs)
			}
		case string: // shutdown
			p.r.Shutdown(now, out, p.machine())
		}
	}
	p.r.Step(now, in, out, p.machine())
	if why := p.r.Fault(); why != "" {
		p.crash(false)
		out.Note(trace.Note{Kind: trace.Shutdown, Node: p.id, Say: why})
		out.Exit()
		return
	}
	p.take(now, out)
	if p.r.ShutDown(now) {
		p.dir.Shutdown(0)
		p.r = nil
		out.Exit()
	}
}

func (p *host) take(now kafka.Instant, out *sim.Out) {
	if _, _, ok := p.r.TakeSnapshot(p.machine()); ok {
		p.taken, p.began = nil, p.r.Taken()
	}
	for _, e := range p.r.TakeCommitted(p.machine()) {
		p.taken = append(p.taken, e.Offset)
	}
	if p.r.SnapshotDue(now) {
		p.r.WriteSnapshot(now, out, p.machine(), []metadata.Record{&metadata.NoOpRecord{}})
	}
}

func (p *host) crash(powerLoss bool) (lost int64) {
	p.r, p.taken = nil, nil
	p.disk.Reset()
	if powerLoss {
		return p.dir.LosePageCache()
	}
	p.dir.Kill()
	return 0
}

func (p *host) Clone() sim.Actor {
	c := *p
	c.dir = p.dir.Clone()
	if p.r != nil {
		c.r = p.r.Clone()
	}
	c.snaps = p.snaps.Clone()
	c.taken = slices.Clone(p.taken)
	return &c
}

func (p *host) Digest(h *sim.Hash) {
	p.dir.Digest(h)
	p.quorum.Digest(h)
	p.disk.Digest(h)
	p.snaps.Digest(h)
	if p.r != nil {
		p.r.Digest(h)
	}
}

func (p *host) String() string {
	if p.r == nil {
		return fmt.Sprintf("%d: down, quorum-state leader %d epoch %d", p.id, p.quorum.LeaderID, p.quorum.LeaderEpoch)
	}
	s := fmt.Sprintf("%d: %v epoch %d leader %d log end %d hw %d, %d records taken", p.id, p.r.State(), p.r.Epoch(), p.r.LeaderID(),
		p.r.LogEnd(p.machine()), p.r.HW(), len(p.taken))
	if len(p.taken) > 0 {
		s += fmt.Sprintf(" (%d to %d)", p.taken[0], p.taken[len(p.taken)-1])
	}
	return s
}

// world is a kernel with one voter and observers. Every message is encoded and
// decoded on its way.
type world struct {
	t      *testing.T
	k      *sim.Kernel
	hosts  []*host
	voters []kafka.NodeID
	log    strings.Builder
	wire   bool // print messages
}

func newWorld(t *testing.T, voters []kafka.NodeID, static metadata.Static, seed uint64, ids ...kafka.NodeID) *world {
	w := &world{t: t, k: sim.New(seed, 0, net.Quality{Latency: kafka.Millisecond}), voters: voters}
	w.k.Hooks.Note = func(n *trace.Note) { fmt.Fprintf(&w.log, "%v %s\n", n.At, n.Text()) }
	w.k.Hooks.Recode = w.recode
	for _, id := range ids {
		h := newHost(id, voters, static, seed)
		w.hosts = append(w.hosts, h)
		w.k.Add(sim.ActorID(id), fmt.Sprint("node-", id), h)
	}
	return w
}

// recode encodes and decodes a message, and prints it.
func (w *world) recode(m sim.Message) sim.Message {
	if m.Request != nil {
		w.say("%v %s", w.k.Now(), requestText(m))
		back := kmsg.RequestForKey(m.Request.Key())
		back.SetVersion(m.Request.GetVersion())
		if err := back.ReadFrom(m.Request.AppendTo(nil)); err != nil {
			w.t.Fatal(err)
		}
		m.Request = back
		return m
	}
	w.say("%v response %s", w.k.Now(), answerText(m))
	back := kmsg.ResponseForKey(m.Response.Key())
	back.SetVersion(m.Response.GetVersion())
	if err := back.ReadFrom(m.Response.AppendTo(nil)); err != nil {
		w.t.Fatal(err)
	}
	m.Response = back
	return m
}

// requestText prints a request: who asks whom, and what.
func requestText(m sim.Message) string {
	switch q := m.Request.(type) {
	case *kmsg.FetchRequest:
		return "fetch " + fetchText(q)
	case *kmsg.FetchSnapshotRequest:
		p := &q.Topics[0].Partitions[0]
		return fmt.Sprintf("fetch-snapshot from %d: epoch %d snapshot %d-%d position %d", q.ReplicaID, p.CurrentLeaderEpoch, p.SnapshotID.EndOffset, p.SnapshotID.Epoch, p.Position)
	case *kmsg.VoteRequest:
		p := &q.Topics[0].Partitions[0]
		kind := "vote"
		if p.PreVote {
			kind = "pre-vote"
		}
		return fmt.Sprintf("%s %d -> %d: epoch %d log %d-%d", kind, p.CandidateID, q.VoterID, p.CandidateEpoch, p.LastOffsetEpoch, p.LastOffset)
	case *kmsg.BeginQuorumEpochRequest:
		p := &q.Topics[0].Partitions[0]
		return fmt.Sprintf("begin-epoch %d -> %d: epoch %d", p.LeaderID, q.VoterID, p.LeaderEpoch)
	case *kmsg.EndQuorumEpochRequest:
		p := &q.Topics[0].Partitions[0]
		var ids []int32
		for _, c := range p.PreferredCandidates {
			ids = append(ids, c.CandidateID)
		}
		return fmt.Sprintf("end-epoch from %d: epoch %d successors %v", p.LeaderID, p.LeaderEpoch, ids)
	}
	return kmsg.NameForKey(m.Request.Key())
}

func answerText(m sim.Message) string {
	switch q := m.Response.(type) {
	case *kmsg.FetchResponse:
		return responseText(q)
	case *kmsg.FetchSnapshotResponse:
		p := &q.Topics[0].Partitions[0]
		return fmt.Sprintf("%s snapshot %d-%d position %d of %d", kafka.ErrorCode(p.ErrorCode), p.SnapshotID.EndOffset, p.SnapshotID.Epoch, p.Position, p.Size)
	case *kmsg.VoteResponse:
		p := &q.Topics[0].Partitions[0]
		return fmt.Sprintf("%s granted %v leader %d epoch %d", kafka.ErrorCode(p.ErrorCode), p.VoteGranted, p.LeaderID, p.LeaderEpoch)
	case *kmsg.BeginQuorumEpochResponse:
		p := &q.Topics[0].Partitions[0]
		return fmt.Sprintf("%s leader %d epoch %d", kafka.ErrorCode(p.ErrorCode), p.LeaderID, p.LeaderEpoch)
	case *kmsg.EndQuorumEpochResponse:
		p := &q.Topics[0].Partitions[0]
		return fmt.Sprintf("%s leader %d epoch %d", kafka.ErrorCode(p.ErrorCode), p.LeaderID, p.LeaderEpoch)
	}
	return kmsg.NameForKey(m.Response.Key())
}

func (w *world) say(format string, v ...any) {
	if w.wire {
		fmt.Fprintf(&w.log, format+"\n", v...)
	}
}

func fetchText(req *kmsg.FetchRequest) string {
	p := req.Topics[0].Partitions[0]
	return fmt.Sprintf("from %d: epoch %d offset %d last epoch %d hw %d", req.ReplicaState.ID, p.CurrentLeaderEpoch, p.FetchOffset, p.LastFetchedEpoch, p.HighWatermark)
}

func responseText(resp *kmsg.FetchResponse) string {
	p := &resp.Topics[0].Partitions[0]
	s := fmt.Sprintf("%s leader %d epoch %d hw %d", kafka.ErrorCode(p.ErrorCode), p.CurrentLeader.LeaderID, p.CurrentLeader.LeaderEpoch, p.HighWatermark)
	if len(p.RecordBatches) > 0 {
		n := int32(0)
		b, _ := record.Frame(p.RecordBatches)
		for rest := p.RecordBatches; len(rest) > 0; {
			f, err := record.Frame(rest)
			if err != nil {
				panic(err)
			}
			n += f.Count()
			rest = rest[len(f):]
		}
		s += fmt.Sprintf(" records %d from %d", n, b.BaseOffset())
	}
	if p.SnapshotID.EndOffset >= 0 {
		s += fmt.Sprintf(" snapshot %d-%d", p.SnapshotID.EndOffset, p.SnapshotID.Epoch)
	}
	if p.DivergingEpoch.EndOffset >= 0 {
		s += fmt.Sprintf(" diverging epoch %d end %d", p.DivergingEpoch.Epoch, p.DivergingEpoch.EndOffset)
	}
	return s
}

func (w *world) host(id kafka.NodeID) *host {
	for _, h := range w.hosts {
		if h.id == id {
			return h
		}
	}
	w.t.Fatalf("no node %d", id)
	return nil
}

func (w *world) runTo(at kafka.Instant) {
	for {
		if next, ok := w.k.Next(); !ok || next > at {
			break
		}
		w.k.Step()
	}
	w.k.AdvanceTo(at)
}

// TestInteraction runs the golden files. A file whose first command is cluster
// says which voters and observers there are; the others have one voter and two
// observers.
func TestInteraction(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		w := newWorld(t, []kafka.NodeID{voter}, nil, 1, voter, 1, 2)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "cluster" {
				w = clusterOf(t, d)
				return ""
			}
			w.log.Reset()
			w.wire = d.HasArg("wire")
			w.do(d)
			w.wire = false
			return w.log.String()
		})
	})
}

// clusterOf makes the world that a golden file asks for.
func clusterOf(t *testing.T, d *datadriven.TestData) *world {
	voters, observers, seed := 3, 0, 1
	maybe(t, d, "voters", &voters)
	maybe(t, d, "observers", &observers)
	maybe(t, d, "seed", &seed)
	var ids, all []kafka.NodeID
	for i := range voters {
		ids = append(ids, kafka.NodeID(voter+i))
	}
	all = slices.Clone(ids)
	joining := 0
	maybe(t, d, "joining", &joining)
	for i := range joining { // controllers that are no voters yet
		all = append(all, kafka.NodeID(voter+voters+i))
	}
	if d.HasArg("ids") {
		all = append(argIDs(t, d, "ids"), all...)
	}
	for i := range observers {
		all = append(all, kafka.NodeID(i+1))
	}
	var static []metadata.ConfigValue
	for line := range strings.Lines(d.Input) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		static = append(static, metadata.ConfigValue{Name: name, Value: value})
	}
	w := newWorld(t, ids, metadata.NewStatic(static), uint64(seed), all...)
	if d.HasArg("dynamic") {
		var vs []raft.Voter
		for _, id := range ids {
			vs = append(vs, newVoter(id))
		}
		for i, h := range w.hosts {
			if h.dynamic = true; i < voters {
				h.snaps = raft.Bootstrap(vs)
			}
		}
	}
	return w
}

func maybe(t *testing.T, d *datadriven.TestData, name string, v *int) {
	if d.HasArg(name) {
		d.ScanArgs(t, name, v)
	}
}

// nodes are those that an argument names; all without.
func (w *world) nodes(d *datadriven.TestData, arg string) (ids []kafka.NodeID) {
	if d.HasArg(arg) {
		return argIDs(w.t, d, arg)
	}
	for _, h := range w.hosts {
		ids = append(ids, h.id)
	}
	return ids
}

func argIDs(t *testing.T, d *datadriven.TestData, arg string) (ids []kafka.NodeID) {
	for _, a := range d.CmdArgs {
		if a.Key != arg {
			continue
		}
		for _, v := range a.Vals {
			n, err := strconv.Atoi(v)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			ids = append(ids, kafka.NodeID(n))
		}
	}
	return ids
}

// leader is the node that leads in the highest epoch; nil if none does.
func (w *world) leader() (best *host) {
	for _, h := range w.hosts {
		if h.r != nil && h.r.IsLeader() && (best == nil || h.r.Epoch() > best.r.Epoch()) {
			best = h
		}
	}
	return best
}

func (w *world) kill(id kafka.NodeID, powerLoss bool) {
	lost := w.host(id).crash(powerLoss)
	w.k.Kill(sim.ActorID(id), powerLoss, 0)
	fmt.Fprintf(&w.log, "%d bytes lost\n", lost)
}

func (w *world) link(a, b kafka.NodeID, cut bool) {
	f := w.k.Heal
	if cut {
		f = w.k.Cut
	}
	f(sim.ActorID(a), sim.ActorID(b))
	f(sim.ActorID(b), sim.ActorID(a))
}

func (w *world) do(d *datadriven.TestData) {
	switch d.Cmd {
	case "start":
		for _, id := range w.nodes(d, "node") {
			w.k.Start(sim.ActorID(id), 0)
		}
	case "crash", "power-loss":
		for _, id := range w.nodes(d, "node") {
			w.kill(id, d.Cmd == "power-loss")
		}
	case "wipe":
		for _, id := range w.nodes(d, "node") {
			w.kill(id, true)
			h := w.host(id)
			h.dir, h.quorum, h.snaps = storage.NewDir(), raft.NewQuorumState(), raft.Snapshots{}
			h.formats++
		}
	case "move":
		for _, id := range w.nodes(d, "node") {
			d.ScanArgs(w.t, "to", &w.host(id).where)
		}
	case "shutdown":
		for _, id := range w.nodes(d, "node") {
			w.k.Order(sim.ActorID(id), "shutdown", 0)
		}
	case "append":
		var n int
		d.ScanArgs(w.t, "n", &n)
		to := voter
		if h := w.leader(); h != nil {
			to = int(h.id)
		}
		maybe(w.t, d, "node", &to)
		w.k.Order(sim.ActorID(to), n, 0)
	case "cut", "heal":
		from := w.nodes(d, "node")
		to := []kafka.NodeID{voter}
		if d.HasArg("from") {
			to = w.nodes(d, "from")
		}
		for _, a := range from {
			for _, b := range to {
				if a != b {
					w.link(a, b, d.Cmd == "cut")
				}
			}
		}
	case "slow-disk":
		for _, id := range w.nodes(d, "node") {
			w.host(id).disk.FsyncLatency = 200 * kafka.Millisecond
		}
	case "add-voter", "remove-voter", "update-voter", "describe-quorum":
		w.useTool(d)
	case "run":
		var ms string
		d.ScanArgs(w.t, "to", &ms)
		n, err := strconv.Atoi(strings.TrimSuffix(ms, "ms"))
		if err != nil {
			d.Fatalf(w.t, "%v", err)
		}
		w.runTo(kafka.Instant(n) * kafka.Instant(kafka.Millisecond))
	case "state":
		for _, h := range w.hosts {
			fmt.Fprintln(&w.log, h)
		}
		if h := w.leader(); h != nil {
			for _, p := range h.replicas() {
				fmt.Fprintf(&w.log, "  replica %d end %d, last fetch %v, caught up %v\n", p.ID, p.End, p.LastFetch, p.LastCaughtUp)
			}
		}
	case "logs":
		for _, h := range w.hosts {
			if log := h.dir.Get(raft.Partition); log != nil {
				fmt.Fprintf(&w.log, "%d: log start %d, end %d, epochs %v, snapshots", h.id, log.LogStart(), log.LEO(), log.Epochs())
				for _, s := range h.snaps.List() {
					fmt.Fprintf(&w.log, " %d-%d", s.ID.End, s.ID.Epoch)
				}
				fmt.Fprintln(&w.log)
			}
		}
	case "describe":
		for _, s := range w.leader().r.Describe(w.k.Now(), nil) {
			fmt.Fprintf(&w.log, "%d observer=%v end %d\n", s.ID, s.Observer, s.End)
		}
	default:
		d.Fatalf(w.t, "unknown verb %s", d.Cmd)
	}
}

// tool is a client that sends requests to replicas and prints the answers.
type tool struct {
	w    *world
	corr int32
}

const toolID = sim.FirstClient

func (p *tool) Step(_ kafka.Instant, in *sim.Input, out *sim.Out) {
	switch in.Kind {
	case sim.InputCommand:
		p.corr++
		c := in.Command.(toolOrder)
		out.Send(sim.ActorID(c.to), sim.ChanRaft, p.corr, c.req, 10*kafka.Second)
	case sim.InputResponse:
		var code int16
		switch r := in.Response.(type) {
		case *kmsg.AddRaftVoterResponse:
			code = r.ErrorCode
		case *kmsg.RemoveRaftVoterResponse:
			code = r.ErrorCode
		case *kmsg.UpdateRaftVoterResponse:
			code = r.ErrorCode
		case *kmsg.DescribeQuorumResponse:
			code = r.ErrorCode
			for _, t := range r.Topics {
				q := &t.Partitions[0]
				fmt.Fprintf(&p.w.log, "%s leader %d epoch %d hw %d\n", t.Topic, q.LeaderID, q.LeaderEpoch, q.HighWatermark)
				for _, v := range q.CurrentVoters {
					fmt.Fprintf(&p.w.log, "  voter %d end %d fetched %d caught up %d\n", v.ReplicaID, v.LogEndOffset, v.LastFetchTimestamp, v.LastCaughtUpTimestamp)
				}
				for _, v := range q.Observers {
					fmt.Fprintf(&p.w.log, "  observer %d end %d fetched %d caught up %d\n", v.ReplicaID, v.LogEndOffset, v.LastFetchTimestamp, v.LastCaughtUpTimestamp)
				}
			}
		}
		fmt.Fprintf(&p.w.log, "%v tool: %s %s\n", p.w.k.Now(), kmsg.NameForKey(in.Response.Key()), kafka.ErrorCode(code))
	}
}

func (p *tool) Clone() sim.Actor   { c := *p; return &c }
func (p *tool) Digest(h *sim.Hash) { h.Int(int64(p.corr)) }

type toolOrder struct {
	to  kafka.NodeID
	req kmsg.Request
}

// useTool sends a tool's request to the leader, or to a node.
func (w *world) useTool(d *datadriven.TestData) {
	if w.k.Actor(toolID) == nil {
		w.k.Add(toolID, "tool", &tool{w: w})
		w.k.Start(toolID, 0)
		w.k.Step()
	}
	id := w.nodes(d, "voter")[0]
	var req kmsg.Request
	switch d.Cmd {
	case "add-voter":
		q := kmsg.NewPtrAddRaftVoterRequest()
		q.Version, q.VoterID, q.VoterDirectoryID, q.AckWhenCommitted = 1, int32(id), w.host(id).directory(), !d.HasArg("early")
		q.Listeners = listeners(id)
		req = q
	case "remove-voter":
		q := kmsg.NewPtrRemoveRaftVoterRequest()
		q.VoterID, q.VoterDirectoryID = int32(id), directory(id, 0)
		req = q
	case "update-voter":
		q := kmsg.NewPtrUpdateRaftVoterRequest()
		q.CurrentLeaderEpoch, q.VoterID, q.VoterDirectoryID = int32(w.leader().r.Epoch()), int32(id), directory(id, 0)
		q.KRaftVersionFeature.MaxSupportedVersion = 1
		q.Listeners = []kmsg.UpdateRaftVoterRequestListener{{Name: "CONTROLLER", Host: listener(id), Port: 9093}}
		req = q
	default:
		q := kmsg.NewPtrDescribeQuorumRequest()
		q.Version = 2
		req = q
	}
	to := int(w.leader().id)
	maybe(w.t, d, "node", &to)
	w.k.Order(toolID, toolOrder{kafka.NodeID(to), req}, 0)
}

func (p *host) directory() [16]byte { return directory(p.id, p.formats) }

func listeners(id kafka.NodeID) []kmsg.AddRaftVoterRequestListener {
	return []kmsg.AddRaftVoterRequestListener{{Name: "CONTROLLER", Host: listener(id), Port: 9093}}
}

func (p *host) replicas() []raft.Progress {
	if p.r == nil {
		return nil
	}
	return p.r.Replicas()
}

// An observer whose log went another way than the leader's, in an epoch of its
// own, cuts back to where they agree and goes on from there (KIP-595).
func TestObserverTruncatesOnDivergence(t *testing.T) {
	w := newWorld(t, []kafka.NodeID{voter}, nil, 1, voter, 1)
	batch := func(n int) []byte {
		recs := make([]record.Record, n)
		for i := range recs {
			recs[i].Value = metadata.Encode(nil, &metadata.NoOpRecord{})
		}
		return record.Build(record.BatchSpec{Records: recs})
	}
	fill := func(h *host, epochs ...kafka.LeaderEpoch) {
		slot, err := h.dir.Create(0, raft.Partition, raft.TopicID, storage.DefaultConfig())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range epochs {
			if _, _, err := h.dir.MutableAt(slot).AppendAsLeader(0, batch(2), e); err != nil {
				t.Fatal(err)
			}
		}
		h.dir.Shutdown(0)
		h.quorum.LeaderEpoch = epochs[len(epochs)-1]
	}
	fill(w.host(voter), 1, 1, 3)   // epoch 1: 0-3, epoch 3: 4-5
	fill(w.host(1), 1, 1, 1, 2, 2) // epoch 1: 0-5, epoch 2: 6-9
	w.k.Start(voter, 0)
	w.runTo(100_000_000)
	w.k.Start(1, 0)
	w.log.Reset()
	w.wire = true
	w.runTo(130_000_000)
	want := `0.100s fetch from 1: epoch 2 offset 10 last epoch 2 hw -1
0.103s response FENCED_LEADER_EPOCH leader 101 epoch 4 hw 7
0.104s fetch from 1: epoch 4 offset 10 last epoch 2 hw -1
0.105s response NONE leader 101 epoch 4 hw 7 diverging epoch 1 end 4
0.106s __cluster_metadata-0 broker-1 truncated from 10 to 4 epoch 1
0.106s fetch from 1: epoch 4 offset 4 last epoch 1 hw -1
`
	if got := w.log.String(); !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	lead, obs := w.host(voter).dir.At(0), w.host(1).dir.At(0)
	if lead.LEO() != 7 || !slices.Equal(batches(lead), batches(obs)) || !slices.Equal(lead.Epochs(), obs.Epochs()) {
		t.Errorf("leader's log\n%v\nobserver's log\n%v", batches(lead), batches(obs))
	}
}

func batches(l *storage.Log) (s []string) {
	for b := range l.Batches(0) {
		s = append(s, fmt.Sprint(b.Raw.BaseOffset(), " epoch ", b.Raw.LeaderEpoch(), " crc ", b.Raw.CRC()))
	}
	return s
}

// A clone goes on exactly as the original does.
func TestCloneRunsAlike(t *testing.T) {
	w := newWorld(t, []kafka.NodeID{voter}, nil, 1, voter, 1, 2)
	for _, h := range w.hosts {
		w.k.Start(sim.ActorID(h.id), 0)
	}
	w.runTo(10_000_000)
	sum := func(k *sim.Kernel) uint64 {
		h := sim.NewHash()
		k.Digest(h)
		return h.Sum()
	}
	for i := range 200 {
		w.k.Order(voter, 1+i%3, 0)
		c := w.k.Clone()
		if sum(c) != sum(w.k) {
			t.Fatalf("step %d: a clone has another digest", i)
		}
		for range 20 {
			w.k.Step()
			c.Step()
		}
		if sum(c) != sum(w.k) {
			t.Fatalf("step %d: a clone went another way", i)
		}
	}
	w.runTo(w.k.Now().Add(2 * kafka.Second))
	if n := len(w.host(1).taken); n != len(w.host(voter).taken) || n < 300 {
		t.Errorf("observer has taken %d records, leader %d", n, len(w.host(voter).taken))
	}
}

func TestNewRefusesQuorums(t *testing.T) {
	for _, voters := range [][]kafka.NodeID{nil, {101, 102, 101}} {
		if _, err := raft.New(raft.NewConfig(101, voters, 1, nil)); err == nil {
			t.Errorf("voters %v were taken", voters)
		}
	}
}

// The file has the shape of the one that a real controller wrote.
func TestQuorumStateFile(t *testing.T) {
	q := raft.QuorumState{LeaderEpoch: 1, LeaderID: 1, VotedID: -1}
	want := `{"clusterId":"","leaderId":1,"leaderEpoch":1,"votedId":-1,"appliedOffset":0,"currentVoters":[{"voterId":1}],"data_version":0}`
	if got := string(q.File([]kafka.NodeID{1})); got != want {
		t.Errorf("%s", got)
	}
}
