package sim_test

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/sim/net"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// teller is a peer that wants no answers.
type teller struct{ peer }

func (p *teller) Step(now kafka.Instant, in *sim.Input, out *sim.Out) {
	if in.Kind == sim.InputTimer {
		out.SendOneWay(p.server, sim.ChanClient, kmsg.NewPtrHeartbeatRequest())
		out.After(tick, p.period)
		return
	}
	p.peer.Step(now, in, out)
}

func (p *teller) Clone() sim.Actor {
	c := *p
	return &c
}

// mute is a peer that answers nothing.
type mute struct{ peer }

func (p *mute) Step(now kafka.Instant, in *sim.Input, out *sim.Out) {
	if in.Kind == sim.InputRequest {
		p.see(now, "request")
	}
}

// TestOneWayHearsItsConnectionEnd: who waits for no answer is told, once, that
// the socket closed.
func TestOneWayHearsItsConnectionEnd(t *testing.T) {
	k := sim.New(7, 0, net.Quality{Latency: 10 * kafka.Millisecond})
	c := &teller{peer{server: server, period: 100 * kafka.Millisecond, rng: sim.NewRand(7, "c")}}
	s := &mute{}
	k.Add(server, "server", s)
	k.Add(client, "client", c)
	k.Start(server, 0)
	k.Start(client, 0)
	run(k, 250*kafka.Millisecond)
	expect(t, s.seen, "0.130s request", "0.210s request")
	k.Kill(server, false, 0)
	run(k, 290*kafka.Millisecond)
	expect(t, c.seen, "0.000s boot", "0.260s disconnected 0 reset")
}
