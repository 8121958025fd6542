package broker

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
)

// LocalAppend is the end of an AppendLocal.
type LocalAppend struct {
	Token       int64
	First, Last kafka.Offset // -1 on error
	Err         kafka.ErrorCode
}

// AppendLocal appends one batch to a partition that this broker leads, with the
// checks of a Produce with acks=all, and tells the end through TakeLocals: at
// once on an error, else when the high watermark is above it, however long that
// takes, or when the partition is led here no more. Group coordinators write
// their records so.
func (b *Broker) AppendLocal(now kafka.Instant, tp kafka.TopicPartition, records []byte, token int64, out *sim.Out) {
	w := localWrite{tp: tp, records: records, token: token}
	b.afterDisk(now, len(records), write{local: &w}, out)
	b.failDirectories(now, out)
	b.flushWakes(now, out)
}

// TakeLocals returns the appends that have ended since the last call, in order.
func (b *Broker) TakeLocals() []LocalAppend {
	l := b.locals
	b.locals = nil
	return l
}

func (b *Broker) appendLocal(now kafka.Instant, w *localWrite, out *sim.Out) {
	i, known := b.findName(w.tp.Topic, w.tp.Partition)
	var r produceResult
	switch {
	case !known:
		r = failed(-1, kafka.UnknownTopicOrPartition)
	case i < 0:
		r = failed(-1, absent(i))
	default:
		r = b.appendLeader(now, i, -1, w.records, out)
	}
	if r.code != kafka.None || b.parts[i].hw > r.last {
		b.locals = append(b.locals, LocalAppend{Token: w.token, First: r.base, Last: r.last, Err: r.code})
		return
	}
	r.waiting = true
	b.park(now, &delayedProduce{
		gen: b.gen, token: w.token, left: 1, results: []produceResult{r}, deadline: kafka.Never,
	}, out)
}
