package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/sim/net"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// peer asks server every period and answers what it is asked; it writes down all
// that it sees.
type peer struct {
	server sim.ActorID
	period kafka.Duration
	asked  int32
	seen   []string
	rng    sim.Rand
}

var tick = sim.Timer{Owner: sim.OwnerNode, Kind: 1}

func (p *peer) Step(now kafka.Instant, in *sim.Input, out *sim.Out) {
	switch in.Kind {
	case sim.InputBoot:
		p.see(now, "boot")
		if p.period > 0 {
			out.After(tick, p.period)
		}
	case sim.InputTimer:
		p.asked++
		p.rng.Uint64()
		out.Note(trace.Note{Kind: trace.Say, Say: fmt.Sprint("ask ", p.asked)})
		out.Send(p.server, sim.ChanClient, p.asked, kmsg.NewPtrHeartbeatRequest(), kafka.Second)
		out.After(tick, p.period)
	case sim.InputRequest:
		p.see(now, fmt.Sprint("request ", in.Corr))
		out.Note(trace.Note{Kind: trace.Say, Say: fmt.Sprint("answer ", in.Corr)})
		out.Reply(in.Conn, in.Corr, kmsg.NewPtrHeartbeatResponse())
	case sim.InputResponse:
		p.see(now, fmt.Sprint("response ", in.Corr))
	case sim.InputDisconnected:
		p.see(now, fmt.Sprint("disconnected ", in.Corr, " ", []string{"", "refused", "timeout", "reset", "closed"}[in.Reason]))
	}
}

func (p *peer) see(now kafka.Instant, what string) { p.seen = append(p.seen, now.String()+" "+what) }

func (p *peer) Clone() sim.Actor {
	c := *p
	c.seen = slices.Clone(p.seen)
	return &c
}

func (p *peer) Digest(h *sim.Hash) {
	h.String(strings.Join(p.seen, "\n"))
	p.rng.Digest(h)
}

const client, server = sim.FirstClient, sim.ActorID(1)

func pair(period kafka.Duration) (*sim.Kernel, *peer, *peer) {
	k := sim.New(7, 0, net.Quality{Latency: 10 * kafka.Millisecond})
	c := &peer{server: server, period: period, rng: sim.NewRand(7, "c")}
	s := &peer{}
	k.Add(server, "server", s)
	k.Add(client, "client", c)
	k.Start(server, 0)
	k.Start(client, 0)
	return k, c, s
}

func run(k *sim.Kernel, until kafka.Duration) {
	for at, ok := k.Next(); ok && at <= kafka.Instant(until); at, ok = k.Next() {
		k.Step()
	}
	k.AdvanceTo(kafka.Instant(until))
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got:\n%s\nwant:\n%s", g, w)
	}
}

func TestHandshakeThenRequestTakesTwoRoundTrips(t *testing.T) {
	k, c, s := pair(100 * kafka.Millisecond)
	run(k, 250*kafka.Millisecond)
	expect(t, c.seen, "0.000s boot", "0.140s response 1", "0.220s response 2")
	expect(t, s.seen, "0.000s boot", "0.130s request 1", "0.210s request 2")
}

func TestNobodyListens(t *testing.T) {
	k, c, _ := pair(400 * kafka.Millisecond)
	run(k, kafka.Millisecond)
	k.Kill(server, false, 0)
	run(k, 500*kafka.Millisecond)
	expect(t, c.seen, "0.000s boot", "0.420s disconnected 1 refused")
}

func TestProcessCrashIsHeardPowerLossIsNot(t *testing.T) {
	for _, power := range []bool{false, true} {
		k, c, _ := pair(100 * kafka.Millisecond)
		run(k, 205*kafka.Millisecond) // request 2 is on its way
		k.Kill(server, power, 0)
		run(k, 290*kafka.Millisecond)
		if power {
			expect(t, c.seen, "0.000s boot", "0.140s response 1")
			run(k, 1250*kafka.Millisecond)
			if !slices.Contains(c.seen, "1.200s disconnected 2 timeout") {
				t.Errorf("no timeout of request 2 after its second: %q", c.seen)
			}
			continue
		}
		expect(t, c.seen, "0.000s boot", "0.140s response 1", "0.215s disconnected 2 reset")
	}
}

func TestCutLosesAndTCPSendsAgain(t *testing.T) {
	k, c, s := pair(100 * kafka.Millisecond)
	run(k, 150*kafka.Millisecond)
	k.Cut(client, server)
	run(k, 250*kafka.Millisecond)
	if n := len(k.Flights(nil)); n != 1 {
		t.Fatalf("%d messages held by the cut, want 1", n)
	}
	if f := k.Flights(nil)[0]; f.Arrive != kafka.Never || f.From != client {
		t.Errorf("held message is %+v", f)
	}
	k.Heal(client, server)
	run(k, 420*kafka.Millisecond)
	// Sent at 0.200, lost; the timer fires 0.2 s later; what was sent meanwhile keeps its place behind.
	expect(t, s.seen, "0.000s boot", "0.130s request 1", "0.410s request 2", "0.410s request 3", "0.410s request 4")
	_ = c
}

func TestFrozenProcessSeesItAllLater(t *testing.T) {
	k, _, s := pair(100 * kafka.Millisecond)
	run(k, 150*kafka.Millisecond)
	k.Freeze(server)
	run(k, 350*kafka.Millisecond)
	expect(t, s.seen, "0.000s boot", "0.130s request 1")
	k.Thaw(server)
	run(k, 360*kafka.Millisecond)
	expect(t, s.seen[2:], "0.350s request 2", "0.350s request 3")
}

func TestCloneGoesOnAsTheOriginal(t *testing.T) {
	k, _, _ := pair(30 * kafka.Millisecond)
	run(k, kafka.Second)
	k.Cut(server, client)
	run(k, 1100*kafka.Millisecond)
	other := k.Clone()
	run(k, 3*kafka.Second)
	run(other, 3*kafka.Second)
	if a, b := digest(k), digest(other); a != b {
		t.Errorf("digest %x, of the clone %x", a, b)
	}
	before := digest(other)
	run(k, 4*kafka.Second)
	if digest(other) != before {
		t.Error("running the original changed its clone")
	}
}

func TestNotesHaveParents(t *testing.T) {
	k, _, _ := pair(100 * kafka.Millisecond)
	var notes []trace.Note
	k.Hooks.Note = func(n *trace.Note) { notes = append(notes, *n) }
	run(k, 150*kafka.Millisecond)
	if len(notes) != 2 || notes[0].Say != "ask 1" || notes[1].Say != "answer 1" || notes[1].Parent != notes[0].ID {
		t.Errorf("notes are %+v", notes)
	}
}

func digest(k *sim.Kernel) uint64 {
	h := sim.NewHash()
	k.Digest(h)
	return h.Sum()
}

// TestNewConnectionOwesNothing: what the connection before it still had to send
// again does not hold up a new one.
func TestNewConnectionOwesNothing(t *testing.T) {
	k, c, _ := pair(1200 * kafka.Millisecond)
	run(k, 2*kafka.Second)
	k.Cut(server, client) // loses the answer of 2.41 s
	run(k, 3200*kafka.Millisecond)
	k.Heal(server, client) // which TCP would send again at 3.81 s
	run(k, 3700*kafka.Millisecond)
	expect(t, c.seen, "0.000s boot", "1.240s response 1", "3.400s disconnected 2 timeout", "3.640s response 3")
}
