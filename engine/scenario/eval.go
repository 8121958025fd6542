package scenario

import (
	"hash/crc32"
	"slices"
	"strconv"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
)

func number(n int64) (Value, string) { return Value{Type: TypeNumber, N: n}, "" }

func truth(b bool) (Value, string) {
	v := Value{Type: TypeBool}
	if b {
		v.N = 1
	}
	return v, ""
}

func brokers(ids []kafka.NodeID) (Value, string) {
	v := Value{Type: TypeBrokers}
	for _, id := range ids {
		v.List = append(v.List, int64(id))
	}
	slices.Sort(v.List)
	return v, ""
}

func none(why string) (Value, string) { return Value{}, why }

// partition returns a partition's registration.
func (e *env) partition(tp kafka.TopicPartition) (*metadata.Partition, string) {
	p := e.image().Partition(tp)
	if p == nil {
		return nil, "the metadata has no " + tp.String()
	}
	return p, ""
}

func evalLeader(e *env, a []Arg) (Value, string) {
	p, why := e.partition(a[0].TP)
	if p == nil {
		return none(why)
	}
	return Value{Type: TypeBroker, N: int64(p.Leader)}, ""
}

func evalEpoch(e *env, a []Arg) (Value, string) {
	p, why := e.partition(a[0].TP)
	if p == nil {
		return none(why)
	}
	return number(int64(p.LeaderEpoch))
}

func evalPartitionEpoch(e *env, a []Arg) (Value, string) {
	p, why := e.partition(a[0].TP)
	if p == nil {
		return none(why)
	}
	return number(int64(p.PartitionEpoch))
}

func evalReplicas(e *env, a []Arg) (Value, string) {
	p, why := e.partition(a[0].TP)
	if p == nil {
		return none(why)
	}
	v := Value{Type: TypeNumbers}
	for _, id := range p.Replicas {
		v.List = append(v.List, int64(id))
	}
	return v, ""
}

func evalISR(e *env, a []Arg) (Value, string) {
	p, why := e.partition(a[0].TP)
	if p == nil {
		return none(why)
	}
	return brokers(p.ISR)
}

func evalELR(e *env, a []Arg) (Value, string) {
	p, why := e.partition(a[0].TP)
	if p == nil {
		return none(why)
	}
	return brokers(p.ELR)
}

func evalLastKnownELR(e *env, a []Arg) (Value, string) {
	p, why := e.partition(a[0].TP)
	if p == nil {
		return none(why)
	}
	return brokers(p.LastKnownELR)
}

func evalPartitions(e *env, a []Arg) (Value, string) {
	t := e.image().Topic(a[0].Name)
	if t == nil {
		return number(0)
	}
	return number(int64(len(t.Partitions)))
}

// each calls f for every partition of topics that are not Kafka's own.
func (e *env) each(f func(t *metadata.Topic, p *metadata.Partition)) {
	for _, t := range e.image().Topics {
		if kafka.IsInternal(t.Name) {
			continue
		}
		for _, p := range t.Partitions {
			f(t, p)
		}
	}
}

func evalUnderReplicated(e *env, _ []Arg) (Value, string) {
	var n int64
	e.each(func(_ *metadata.Topic, p *metadata.Partition) {
		if p.UnderReplicated() {
			n++
		}
	})
	return number(n)
}

func evalUnderMinISR(e *env, _ []Arg) (Value, string) {
	var n int64
	e.each(func(t *metadata.Topic, p *metadata.Partition) {
		if len(p.ISR) < e.minISR(t, p) {
			n++
		}
	})
	return number(n)
}

func evalOffline(e *env, _ []Arg) (Value, string) {
	var n int64
	e.each(func(_ *metadata.Topic, p *metadata.Partition) {
		if p.Leader == kafka.NoNode {
			n++
		}
	})
	return number(n)
}

func evalFenced(e *env, a []Arg) (Value, string) {
	b := e.image().Broker(a[0].Node)
	return truth(b == nil || b.Fenced)
}

func evalBrokerEpoch(e *env, a []Arg) (Value, string) {
	b := e.image().Broker(a[0].Node)
	if b == nil {
		return number(-1)
	}
	return number(int64(b.Epoch))
}

func evalLeaderCount(e *env, a []Arg) (Value, string) {
	var n int64
	e.each(func(_ *metadata.Topic, p *metadata.Partition) {
		if p.Leader == a[0].Node {
			n++
		}
	})
	return number(n)
}

func evalPartitionOf(_ *env, a []Arg) (Value, string) {
	if a[1].N < 1 || a[1].N > partitionsMax {
		return none("there are no partitions to choose from")
	}
	return number(int64(kafka.PartitionForKey([]byte(a[0].Name), int32(a[1].N))))
}

func evalCRC32Partition(_ *env, a []Arg) (Value, string) {
	if a[1].N < 1 || a[1].N > partitionsMax {
		return none("there are no partitions to choose from")
	}
	return number(int64(crc32.ChecksumIEEE([]byte(a[0].Name)) % uint32(a[1].N)))
}

func evalCoordinatorPartition(_ *env, a []Arg) (Value, string) {
	if a[1].N < 1 || a[1].N > partitionsMax {
		return none("there are no partitions to choose from")
	}
	return number(int64(kafka.CoordinatorPartition(a[0].Name, int32(a[1].N))))
}

// sum evaluates an operand.
func (e *env) sum(o *Operand) (Value, string) {
	var total Value
	for i := range o.Terms {
		v, why := e.term(&o.Terms[i])
		if why != "" {
			return v, why
		}
		switch {
		case i == 0:
			total = v
		case kafka.Instant(v.N) == kafka.Never && v.Type == TypeTime:
			return v, o.Terms[i].text + " has not happened"
		case kafka.Instant(total.N) == kafka.Never && v.Type == TypeTime:
			return v, o.Terms[0].text + " has not happened"
		case o.Terms[i].Minus:
			total.N -= v.N
		default:
			total.N += v.N
		}
	}
	return total, ""
}

func (e *env) term(t *Term) (Value, string) {
	switch {
	case t.Func == nil:
		return t.Lit, ""
	case t.Watch >= 0:
		return e.watched[t.Watch].value(t.Func.keep), ""
	}
	return t.Func.eval(e, t.Args)
}

// holds evaluates a condition. why gives the numbers, whether it holds or not.
func (e *env) holds(c *Cond) (ok bool, why string) {
	l, reason := e.sum(&c.Left)
	if reason != "" {
		return false, reason
	}
	var r Value
	if c.Op != OpTrue {
		if r, reason = e.sum(&c.Right); reason != "" {
			return false, reason
		}
	}
	ok = compare(c.Op, l, r) != c.Not
	switch {
	case c.Left.lit():
		return ok, c.Right.text() + " is " + r.String()
	case c.Op == OpTrue || c.Right.lit():
		return ok, c.Left.text() + " is " + l.String()
	}
	return ok, c.Left.text() + " is " + l.String() + ", " + c.Right.text() + " is " + r.String()
}

// text prints an operand.
func (o Operand) text() string {
	s := ""
	for i, t := range o.Terms {
		switch {
		case t.Minus:
			s += " - "
		case i > 0:
			s += " + "
		}
		if t.Func != nil {
			s += t.text
		} else {
			s += t.Lit.String()
		}
	}
	return s
}

// epochText prints an entry of a leader epoch cache: 3:120.
func epochText(epoch kafka.LeaderEpoch, start kafka.Offset) string {
	return strconv.Itoa(int(epoch)) + ":" + strconv.FormatInt(int64(start), 10)
}
