package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/law"
	"github.com/highwater-sim/highwater/engine/scenario"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
)

// The soak's cluster has so many brokers, its topic so many partitions and
// replicas, and so many in sync at least.
const (
	soakBrokers    = 4
	soakPartitions = 4
	soakReplicas   = 3
	soakMinISR     = 2
)

// settle is how long the cluster has after the last fault to make everything
// good: longer than delivery.timeout.ms.
const settle = 150 * kafka.Second

// soak runs scenarios of random faults with all laws on. Each seed is a
// scenario of its own, printed when it breaks a law.
func soak(args []string, out, errs io.Writer) int {
	fs := flags("soak", errs)
	seeds := fs.Uint64("seeds", 20, "how many seeds to run")
	from := fs.Uint64("from", 1, "the first seed")
	long := fs.Duration("for", 60e9, "virtual time with faults, per seed")
	if fs.Parse(args) != nil {
		return exitBadInput
	}
	if fs.NArg() > 0 || *long <= 0 {
		fmt.Fprintf(errs, "soak takes no arguments, and a positive -for\n")
		return exitBadInput
	}
	for seed := *from; seed < *from+*seeds; seed++ {
		text := soakText(seed, kafka.Duration(*long))
		f, err := scenario.Parse(text)
		if err != nil {
			fmt.Fprintf(errs, "seed %d: the soak's own scenario is wrong:\n%v\n", seed, err)
			return exitBadInput
		}
		var last []trace.Note
		rep := scenario.Run(f, scenario.Options{Note: func(n *trace.Note) { last = keepLast(last, n) }})
		if rep.Violation == nil && rep.Err == nil && rep.Failed == 0 {
			fmt.Fprintf(out, "ok seed %d %d events\n", seed, rep.Events)
			continue
		}
		tellSoak(out, seed, text, &rep, last)
		return exitFailed
	}
	return exitOK
}

// lastNotes is how many notes before a violation are printed.
const lastNotes = 30

func keepLast(last []trace.Note, n *trace.Note) []trace.Note {
	if len(last) == 2*lastNotes {
		last = append(last[:0], last[lastNotes:]...)
	}
	return append(last, *n)
}

func tellSoak(out io.Writer, seed uint64, text string, rep *scenario.Report, last []trace.Note) {
	fmt.Fprintf(out, "FAIL seed %d\n%s\n", seed, text)
	for _, n := range last[max(0, len(last)-lastNotes):] {
		fmt.Fprintf(out, "%10s  %s\n", n.At, n.Text())
	}
	for _, r := range rep.Results {
		if !r.Held {
			fmt.Fprintf(out, "line %d: %s: %s\n", r.Line, r.Text, r.Why)
		}
	}
	if rep.Err != nil {
		fmt.Fprintf(out, "%v\n", rep.Err)
	}
	var v *law.Violation
	if v = rep.Violation; v != nil {
		fmt.Fprintf(out, "law broken at %s, seed %d: %s\n", v.At, seed, v)
	}
	fmt.Fprintf(out, "again: highwater soak -from %d -seeds 1\n", seed)
}

// soakText writes a scenario: load, faults that are sometimes undone, then
// peace, and what must be true at the end: no record that acks=all acknowledged
// is lost. A killed process keeps its log, so any number may be killed; or one
// machine loses power, once, which min.insync.replicas=2 must survive. Not both:
// the controller cannot tell them apart (KIP-966), and after three unclean ends
// the last leader leads again even if it is the one that lost its records.
func soakText(seed uint64, long kafka.Duration) string {
	r := sim.NewRand(seed, "soak")
	var b strings.Builder
	fmt.Fprintf(&b, "title Soak %d\nseed %d\n", seed, seed)
	q := newQuorumFaults(seed)
	fmt.Fprintf(&b, "cluster brokers=%d %s replica.lag.time.max.ms=%d log.cleaner.backoff.ms=1500 log.retention.check.interval.ms=2000 log.cleaner.io.max.bytes.per.second=%d\n",
		soakBrokers, q.cluster(), 2000+r.IntN(4)*4000, 2000+r.IntN(20000))
	fmt.Fprintf(&b, "topic t partitions=%d replication.factor=%d min.insync.replicas=%d\n", soakPartitions, soakReplicas, soakMinISR)
	fmt.Fprintf(&b, "topic table partitions=1 replication.factor=%d min.insync.replicas=%d cleanup.policy=%s segment.bytes=%d delete.retention.ms=%d min.cleanable.dirty.ratio=0.2 retention.ms=%d\n",
		soakReplicas, soakMinISR, [...]string{"compact", "compact", "compact,delete", "delete"}[r.IntN(4)], 2000+r.IntN(4000), 1000*r.IntN(9), 4000+1000*r.IntN(20))
	fmt.Fprintf(&b, "producer keeper topic=table acks=all rate=%d/s keys=12\n", 10+r.IntN(60))
	fmt.Fprintf(&b, "producer safe topic=t acks=all rate=%d/s keys=16\n", 20+r.IntN(200))
	fmt.Fprintf(&b, "producer fast topic=t acks=1 rate=%d/s keys=16 enable.idempotence=false\n", 20+r.IntN(200))
	fmt.Fprintf(&b, "consumer c assign=t from=earliest group=g\n\n")
	f := faults{power: r.IntN(3) == 0}
	f.r = r
	d := newDirFaults(seed, &f)
	fmt.Fprint(&b, d.header())
	for at := kafka.Duration(1 * kafka.Second); at < long; {
		fmt.Fprintf(&b, "at %s %s\n", at, f.next())
		q.next(&b)
		d.next(&b)
		at += kafka.Duration(f.r.IntN(int64(4*kafka.Second)))/kafka.Millisecond*kafka.Millisecond + kafka.Millisecond
	}
	fmt.Fprintf(&b, "at %s heal all\n", long)
	for i := range f.brokers {
		n := i + 1
		switch f.brokers[i] {
		case frozen:
			fmt.Fprintf(&b, "   thaw broker-%d\n", n)
		case down:
			fmt.Fprintf(&b, "   start broker-%d\n", n)
		}
		fmt.Fprintf(&b, "   disk broker-%d latency=0\n", n)
	}
	q.end(&b)
	d.repair(&b)
	fmt.Fprintf(&b, "   rate keeper 0\n   rate safe 0\n   rate fast 0\n")
	d.restart(&b, long+20*kafka.Second)
	fmt.Fprintf(&b, "at %s expect offline() == 0\n", long+settle)
	for p := range soakPartitions {
		fmt.Fprintf(&b, "   expect not reassigning(t-%d)\n", p)
	}
	for _, e := range []string{"under_replicated() == 0", "unanswered(safe) == 0", "unanswered(fast) == 0", "unanswered(keeper) == 0", "lost(safe) == 0", "lost(keeper) == 0", "duplicated(safe) == 0", "reordered(c) >= 0"} {
		fmt.Fprintf(&b, "   expect %s\n", e)
	}
	return b.String()
}

// condition is how a broker is.
type condition uint8

const (
	well condition = iota
	frozen
	down // or without power
)

// faults draws faults that are possible one after the other.
type faults struct {
	r       sim.Rand
	brokers [soakBrokers]condition
	power   bool // one machine loses power, and no process is killed
	dark    bool // it has
}

// next draws a fault, or undoes one.
func (f *faults) next() string {
	i := int(f.r.IntN(soakBrokers))
	name := fmt.Sprintf("broker-%d", i+1)
	switch f.brokers[i] {
	case frozen:
		f.brokers[i] = well
		return "thaw " + name
	case down:
		f.brokers[i] = well
		return "start " + name
	}
	other := fmt.Sprintf("broker-%d", (i+1+int(f.r.IntN(soakBrokers-1)))%soakBrokers+1)
	what := f.r.IntN(13)
	if f.power && what < 2 {
		what = 8
		if f.dark {
			what = 2
		}
	}
	switch what {
	case 0, 1:
		f.brokers[i] = down
		return "crash " + name
	case 2:
		f.brokers[i] = frozen
		return "freeze " + name
	case 3:
		return "cut " + name + " " + other
	case 4:
		return "cut " + name + " " + other + " one-way"
	case 5, 6:
		return "heal all"
	case 7:
		return fmt.Sprintf("disk %s latency=%dms", name, f.r.IntN(3)*20)
	case 8:
		if f.power && !f.dark {
			f.dark, f.brokers[i] = true, down
			return "powerloss " + name
		}
		return fmt.Sprintf("cut %s controller-101", name)
	case 9, 10:
		return fmt.Sprintf("reassign t-%d %s", f.r.IntN(soakPartitions), f.replicas())
	case 11:
		return fmt.Sprintf("cancel-reassign t-%d", f.r.IntN(soakPartitions))
	}
	return fmt.Sprintf("elect t-%d", f.r.IntN(soakPartitions))
}

// replicas draws an assignment: 4,2,3.
func (f *faults) replicas() string {
	var ids [soakBrokers]string
	for i := range ids {
		ids[i] = fmt.Sprint(i + 1)
	}
	for i := soakBrokers - 1; i > 0; i-- {
		j := f.r.IntN(int64(i + 1))
		ids[i], ids[j] = ids[j], ids[i]
	}
	return strings.Join(ids[:soakReplicas], ",")
}
