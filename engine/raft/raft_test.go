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
	dir    *storage.Dir
	quorum raft.QuorumState
	disk   disk.Disk
	r      *raft.Replica
	taken  []kafka.Offset // offsets of the records handed out in this life
}

func newHost(id kafka.NodeID) *host {
	return &host{id: id, dir: storage.NewDir(), quorum: raft.NewQuorumState(), disk: disk.New()}
}

func (p *host) machine() raft.Machine {
	return raft.Machine{Dir: p.dir, Quorum: &p.quorum, Disk: &p.disk}
}

const voter = 101

func (p *host) Step(now kafka.Instant, in *sim.Input, out *sim.Out) {
	switch in.Kind {
	case sim.InputBoot:
		p.dir.Start()
		r, err := raft.New(raft.NewConfig(p.id, []kafka.NodeID{voter}, 1, nil))
		if err != nil {
			panic(err)
		}
		p.r, p.taken = r, nil
	case sim.InputCommand:
		var recs []metadata.Record
		for range in.Command.(int) {
			recs = append(recs, &metadata.NoOpRecord{})
		}
		p.r.Append(now, out, p.machine(), recs)
	}
	p.r.Step(now, in, out, p.machine())
	for _, e := range p.r.TakeCommitted(p.machine()) {
		p.taken = append(p.taken, e.Offset)
	}
}

func (p *host) crash(powerLoss bool) (lost int64) {
	p.r = nil
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
	c.taken = slices.Clone(p.taken)
	return &c
}

func (p *host) Digest(h *sim.Hash) {
	p.dir.Digest(h)
	p.quorum.Digest(h)
	p.disk.Digest(h)
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
	t     *testing.T
	k     *sim.Kernel
	hosts []*host
	log   strings.Builder
	wire  bool // print messages
}

func newWorld(t *testing.T, ids ...kafka.NodeID) *world {
	w := &world{t: t, k: sim.New(1, 0, net.Quality{Latency: kafka.Millisecond})}
	w.k.Hooks.Note = func(n *trace.Note) { fmt.Fprintf(&w.log, "%v %s\n", n.At, n.Text()) }
	w.k.Hooks.Recode = func(m sim.Message) sim.Message {
		if m.Request != nil {
			w.say("%v fetch %s", w.k.Now(), fetchText(m.Request.(*kmsg.FetchRequest)))
			back := kmsg.NewPtrFetchRequest()
			back.Version = m.Request.GetVersion()
			if err := back.ReadFrom(m.Request.AppendTo(nil)); err != nil {
				t.Fatal(err)
			}
			m.Request = back
		} else {
			w.say("%v response %s", w.k.Now(), responseText(m.Response.(*kmsg.FetchResponse)))
			back := kmsg.NewPtrFetchResponse()
			back.Version = m.Response.GetVersion()
			if err := back.ReadFrom(m.Response.AppendTo(nil)); err != nil {
				t.Fatal(err)
			}
			m.Response = back
		}
		return m
	}
	for _, id := range ids {
		h := newHost(id)
		w.hosts = append(w.hosts, h)
		w.k.Add(sim.ActorID(id), fmt.Sprint("node-", id), h)
	}
	return w
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

func TestInteraction(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		w := newWorld(t, voter, 1, 2)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			w.log.Reset()
			w.wire = d.HasArg("wire")
			w.do(d)
			w.wire = false
			return w.log.String()
		})
	})
}

func (w *world) do(d *datadriven.TestData) {
	id := kafka.NodeID(0)
	if d.HasArg("node") {
		var n int
		d.ScanArgs(w.t, "node", &n)
		id = kafka.NodeID(n)
	}
	switch d.Cmd {
	case "start":
		w.k.Start(sim.ActorID(id), 0)
	case "crash", "power-loss":
		lost := w.host(id).crash(d.Cmd == "power-loss")
		w.k.Kill(sim.ActorID(id), d.Cmd == "power-loss", 0)
		fmt.Fprintf(&w.log, "%d bytes lost\n", lost)
	case "append":
		var n int
		d.ScanArgs(w.t, "n", &n)
		w.k.Order(voter, n, 0)
	case "cut":
		w.k.Cut(sim.ActorID(id), voter)
		w.k.Cut(voter, sim.ActorID(id))
	case "heal":
		w.k.Heal(sim.ActorID(id), voter)
		w.k.Heal(voter, sim.ActorID(id))
	case "slow-disk":
		w.host(voter).disk.FsyncLatency = 200 * kafka.Millisecond
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
		for _, p := range w.host(voter).replicas() {
			fmt.Fprintf(&w.log, "  replica %d end %d, last fetch %v, caught up %v\n", p.ID, p.End, p.LastFetch, p.LastCaughtUp)
		}
	default:
		d.Fatalf(w.t, "unknown verb %s", d.Cmd)
	}
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
	w := newWorld(t, voter, 1)
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
	w := newWorld(t, voter, 1, 2)
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
	if _, err := raft.New(raft.NewConfig(101, []kafka.NodeID{101, 102, 103}, 1, nil)); err == nil {
		t.Error("three voters were taken")
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
