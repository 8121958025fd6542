package view

import (
	"fmt"
	"strconv"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/trace"
)

func (i *inspector) producer(name string) bool {
	for k := range i.c.Producers {
		v := &i.c.Producers[k]
		if v.Name != name {
			continue
		}
		i.title("producer %s", name)
		i.subtitle("acks=%s · %s", v.Acks, v.State)
		i.row("topic", v.Topic)
		i.principal(v.User)
		i.row("rate", rate(v.Rate))
		i.num("records sent", v.Sent)
		i.num("acknowledged", v.Acked)
		i.rowIf(v.Failed > 0, "failed", strconv.FormatInt(v.Failed, 10))
		i.rowIf(v.Lost > 0, "acknowledged and lost", strconv.FormatInt(v.Lost, 10))
		i.num("waiting in the accumulator", int64(v.Queued))
		i.num("in flight", int64(v.InFlight))
		i.num("batches sent again", v.Retries)
		i.rowIf(v.LastError != kafka.None, "last error", v.LastError.String())
		for _, p := range v.Pending {
			word := "waits"
			if p.InFlight {
				word = "in flight"
			}
			i.row("batch for "+p.TP.String(), fmt.Sprintf("%d records, %d B, %s, %d retries", p.Records, p.Bytes, word, p.Attempts))
		}
		i.clientConfigs(v.Configs)
		i.clientActions(name, v.State, v.Paused)
		if v.State == Running {
			i.action("Send one record", "produce "+name+" value=hello")
		}
		i.whyRejected(i.last(func(n *trace.Note) bool {
			return n.Who == name && (n.Kind == trace.ProduceRejected || n.Kind == trace.ProduceFailed)
		}))
		return true
	}
	return false
}

func (i *inspector) principal(user string) {
	if user != "" {
		i.row("principal", "User:"+user)
	}
}

// rate prints records per 1000 s as records a second.
func rate(per1000s int64) string {
	if per1000s%1000 == 0 {
		return strconv.FormatInt(per1000s/1000, 10) + " rec/s"
	}
	return strconv.FormatInt(per1000s, 10) + " records per 1000 s"
}

// clientConfigs lists configs that are not as by default. A client's configs
// are set when it starts.
func (i *inspector) clientConfigs(cs []Config) {
	for _, c := range cs {
		i.row(c.Name, c.Value)
	}
}

func (i *inspector) clientActions(name string, s ProcessState, paused bool) {
	if s == Running {
		if paused {
			i.action("Resume", "resume "+name)
		} else {
			i.action("Pause", "pause "+name)
		}
		i.action("Close", "stop "+name)
		i.action("Crash", "crash "+name)
		return
	}
	i.action("Start", "start "+name)
}

func (i *inspector) consumer(name string) bool {
	for k := range i.c.Consumers {
		v := &i.c.Consumers[k]
		if v.Name != name {
			continue
		}
		i.title("consumer %s", name)
		i.subtitle("%s · %s", groupWords(v.Group), v.State)
		i.principal(v.User)
		i.num("delivered", v.Delivered)
		i.rowIf(v.LastError != kafka.None, "last error", v.LastError.String())
		for _, a := range v.Assigned {
			i.rowIf(a.Lag > 0, a.TP.String(), fmt.Sprintf("position %s · lag %d", known(a.Position), a.Lag))
		}
		i.clientConfigs(v.Configs)
		i.clientActions(name, v.State, v.Paused)
		if v.State == Running && v.Group != "" {
			i.action("Commit now", "commit "+name)
		}
		i.because(i.last(func(n *trace.Note) bool {
			return n.Who == name && (n.Kind == trace.PositionReset || n.Kind == trace.ConsumerError)
		}), "Why was its position reset?")
		return true
	}
	return false
}

func groupWords(g string) string {
	if g == "" {
		return "no group"
	}
	return "group " + g
}

func known(o kafka.Offset) string {
	if o < 0 {
		return "-"
	}
	return strconv.FormatInt(int64(o), 10)
}
