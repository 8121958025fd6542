package view

import (
	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/world"
)

func (b *Builder) producers(w *world.World, into *Cluster) {
	ps := w.AppendProducers(b.producing[:0])
	b.producing = ps
	into.Producers = sized(into.Producers, len(ps))
	for i, p := range ps {
		v := &into.Producers[i]
		pending := v.Pending[:0]
		*v = Producer{
			ID: int32(p.ID()), Name: p.Name(), User: w.Kernel().User(p.ID()), State: processState(w.Kernel(), p.ID()), Paused: p.Paused(),
			Topic: p.Topic(), Acks: p.Acks(), Rate: p.Rate(), Queued: p.Queued(), InFlight: p.InFlight(),
			Sent: p.Sent(), Acked: p.Acked().Len(), Failed: p.Failed().Len(), Retries: p.Retries(),
			LastError: lastError(p.Errors()), Configs: settings(v.Configs[:0], p.Settings(), kafka.ScopeProducer),
		}
		b.batches = p.Batches(b.batches[:0])
		for _, x := range b.batches {
			pending = append(pending, PendingBatch{TP: x.TP, Records: x.Records, Bytes: x.Bytes, InFlight: x.InFlight, Attempts: x.Attempts})
		}
		v.Pending = pending
	}
}

func lastError(e *client.Errors) kafka.ErrorCode {
	code, _ := e.Last()
	return code
}

func settings(out []Config, set []client.Setting, scope kafka.Scope) []Config {
	for _, s := range set {
		c := Config{Name: s.Name, Value: s.Value, Source: "CLIENT_CONFIG"}
		if d := kafka.LookupConfig(scope, s.Name); d != nil {
			c.Default = d.Default
		}
		out = append(out, c)
	}
	return out
}

func (b *Builder) consumers(w *world.World, into *Cluster) {
	cs := w.AppendConsumers(b.consuming[:0])
	b.consuming = cs
	into.Consumers = sized(into.Consumers, len(cs))
	for i, c := range cs {
		v := &into.Consumers[i]
		assigned := v.Assigned[:0]
		*v = Consumer{
			ID: int32(c.ID()), Name: c.Name(), User: w.Kernel().User(c.ID()), Group: c.Group(), State: processState(w.Kernel(), c.ID()), Paused: c.Paused(),
			Delivered: c.Delivered(), LastError: lastError(c.Errors()), Configs: settings(v.Configs[:0], c.Settings(), kafka.ScopeConsumer),
		}
		b.assigned = c.Assignment(b.assigned[:0])
		for _, x := range b.assigned {
			assigned = append(assigned, Assigned{TP: x.TP, Position: x.Position, Committed: x.Committed, End: x.End, Lag: max(x.Lag, 0), ReadsFrom: x.ReadsFrom})
		}
		v.Assigned = assigned
	}
}

func (b *Builder) addFlights(w *world.World, into *Cluster) {
	b.flights = w.Kernel().Flights(b.flights[:0])
	for i := range b.flights {
		f := &b.flights[i]
		v := Flight{ID: f.ID, From: int32(f.From), To: int32(f.To), SentAt: f.Sent, ArriveAt: f.Arrive, Held: f.Arrive == kafka.Never,
			Quorum: f.Message.Channel == sim.ChanRaft, Control: f.Message.Channel == sim.ChanControl}
		describe(&f.Message, b.img, &v)
		into.Flights = append(into.Flights, v)
	}
	clear(b.flights) // let go of the messages
}
