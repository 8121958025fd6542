package scenario

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/law"
)

func (e *env) producer(a []Arg) (producerState, string) {
	p, ok := e.Producer(a[0].Name)
	if !ok {
		return p, a[0].Name + " has not been started"
	}
	return p, ""
}

func (e *env) consumer(a []Arg) (consumerState, string) {
	c, ok := e.Consumer(a[0].Name)
	if !ok {
		return c, a[0].Name + " has not been started"
	}
	return c, ""
}

// entry is what the ledger knows of a producer now.
func (e *env) entry(a []Arg) (law.Entry, string) {
	p, why := e.producer(a)
	if why != "" {
		return law.Entry{}, why
	}
	if !e.fresh {
		e.ledger.Update(e.cluster)
		e.fresh = true
	}
	return e.ledger.Of(p.Producer), ""
}

func evalSent(e *env, a []Arg) (Value, string) {
	p, why := e.producer(a)
	if why != "" {
		return none(why)
	}
	return number(p.sent)
}

func evalAcked(e *env, a []Arg) (Value, string) {
	p, why := e.producer(a)
	if why != "" {
		return none(why)
	}
	return number(p.Acked.Len())
}

func evalFailed(e *env, a []Arg) (Value, string) {
	p, why := e.producer(a)
	if why != "" {
		return none(why)
	}
	return number(p.failed)
}

func evalUnanswered(e *env, a []Arg) (Value, string) {
	p, why := e.producer(a)
	if why != "" {
		return none(why)
	}
	return number(p.sent - p.Acked.Len() - p.failed)
}

func evalRetries(e *env, a []Arg) (Value, string) {
	p, why := e.producer(a)
	if why != "" {
		return none(why)
	}
	return number(p.retries)
}

func evalLost(e *env, a []Arg) (Value, string) {
	x, why := e.entry(a)
	if why != "" {
		return none(why)
	}
	return number(x.Lost)
}

func evalDuplicated(e *env, a []Arg) (Value, string) {
	x, why := e.entry(a)
	if why != "" {
		return none(why)
	}
	return number(x.Duplicated)
}

func evalStored(e *env, a []Arg) (Value, string) {
	x, why := e.entry(a)
	if why != "" {
		return none(why)
	}
	return number(x.Stored)
}

func evalThrottled(e *env, a []Arg) (Value, string) {
	if p, ok := e.Producer(a[0].Name); ok {
		return number(p.throttled.Millis())
	}
	c, why := e.consumer(a)
	if why != "" {
		return none(why)
	}
	return number(c.throttled.Millis())
}

func evalLastError(e *env, a []Arg) (Value, string) {
	if p, ok := e.Producer(a[0].Name); ok {
		return Value{Type: TypeText, Text: p.lastError.String()}, ""
	}
	c, why := e.consumer(a)
	if why != "" {
		return none(why)
	}
	return Value{Type: TypeText, Text: c.lastError.String()}, ""
}

func evalDelivered(e *env, a []Arg) (Value, string) {
	c, why := e.consumer(a)
	if why != "" {
		return none(why)
	}
	return number(c.delivered)
}

func evalProcessed(e *env, a []Arg) (Value, string) {
	c, why := e.consumer(a)
	if why != "" {
		return none(why)
	}
	return number(c.processed)
}

func evalProcessedAgain(e *env, a []Arg) (Value, string) {
	c, why := e.consumer(a)
	if why != "" {
		return none(why)
	}
	return number(c.processedAgain)
}

func evalDuplicates(e *env, a []Arg) (Value, string) {
	c, why := e.consumer(a)
	if why != "" {
		return none(why)
	}
	return number(c.duplicates)
}

func evalReordered(e *env, a []Arg) (Value, string) {
	c, why := e.consumer(a)
	if why != "" {
		return none(why)
	}
	return number(c.reordered)
}

// assigned returns what a consumer knows of a partition that it reads.
func (e *env) assigned(a []Arg) (assignedState, string) {
	c, why := e.consumer(a)
	if why != "" {
		return assignedState{}, why
	}
	for _, s := range c.assigned {
		if s.tp == a[1].TP {
			return s, ""
		}
	}
	return assignedState{}, a[0].Name + " does not read " + a[1].TP.String()
}

func evalPosition(e *env, a []Arg) (Value, string) {
	s, why := e.assigned(a)
	if why != "" {
		return none(why)
	}
	return number(int64(s.position))
}

func evalReadsFrom(e *env, a []Arg) (Value, string) {
	s, why := e.assigned(a)
	if why != "" {
		return none(why)
	}
	if s.readsFrom == kafka.NoNode {
		return none(a[0].Name + " does not know whom to read from yet")
	}
	return Value{Type: TypeBroker, N: int64(s.readsFrom)}, ""
}

func evalLag(e *env, a []Arg) (Value, string) {
	s, why := e.assigned(a)
	if why != "" {
		return none(why)
	}
	if s.position == kafka.NoOffset || s.end == kafka.NoOffset {
		return none(a[0].Name + " does not know its position or the log's end yet")
	}
	return number(int64(s.end - s.position))
}

// evalCommitted takes a consumer's group, or a group.
func evalCommitted(e *env, a []Arg) (Value, string) {
	group := a[0].Name
	if c, ok := e.Consumer(group); ok {
		if group = c.group; group == "" {
			return none(a[0].Name + " has no group, so it commits nothing")
		}
	}
	return number(int64(e.Committed(group, a[1].TP)))
}
