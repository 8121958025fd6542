package scenario

import (
	"strings"

	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
)

// bounds are the offsets FROM..TO of the arguments PARTITION [, BROKER]
// [, FROM..TO]; without them, all.
func bounds(a []Arg) (from, to kafka.Offset) {
	if a[2].Kind == ArgAbsent {
		return 0, 1<<62 - 1
	}
	return kafka.Offset(a[2].N), kafka.Offset(a[2].To)
}

// records calls f for the records of a replica within the bounds, at most
// listMax of them, control records left out.
func (e *env) records(a []Arg, f func(r *record.Record)) string {
	r, _, why := e.replica(a)
	if why != "" {
		return why
	}
	from, to := bounds(a)
	n := 0
	for b := range r.Log.Batches(max(from, r.Log.LogStart())) {
		if b.Header.BaseOffset > to {
			break
		}
		if b.Header.Attributes.Control() {
			continue
		}
		for rec, err := range record.Records(b.Raw) {
			if err != nil {
				return "the log cannot be read: " + err.Error()
			}
			if rec.Offset < from || rec.Offset > to {
				continue
			}
			if n++; n > listMax {
				return "there are more than " + num(listMax) + " records; name the offsets, as in 0..9"
			}
			f(&rec)
		}
	}
	return ""
}

func evalValues(e *env, a []Arg) (Value, string) {
	v := Value{Type: TypeTexts}
	why := e.records(a, func(r *record.Record) { v.Texts = append(v.Texts, recordText(r.Value)) })
	return v, why
}

func evalKeys(e *env, a []Arg) (Value, string) {
	v := Value{Type: TypeTexts}
	why := e.records(a, func(r *record.Record) { v.Texts = append(v.Texts, recordText(r.Key)) })
	return v, why
}

// recordText is a key or a value as a scenario writes it: an identity loses its
// padding.
func recordText(b []byte) string {
	if b == nil {
		return null
	}
	if _, _, ok := client.ParseIdentity(b); ok {
		return strings.TrimRight(string(b), ".")
	}
	return string(b)
}

func evalOffsets(e *env, a []Arg) (Value, string) {
	v := Value{Type: TypeNumbers}
	why := e.records(append(a[:2:2], Arg{}), func(r *record.Record) { v.List = append(v.List, int64(r.Offset)) })
	return v, why
}

// evalRecords counts from the batch headers, so that its cost is that of the
// batches.
func evalRecords(e *env, a []Arg) (Value, string) {
	r, _, why := e.replica(a)
	if why != "" {
		return none(why)
	}
	var n int64
	for b := range r.Log.Batches(r.Log.LogStart()) {
		if !b.Header.Attributes.Control() {
			n += int64(b.Header.Count)
		}
	}
	return number(n)
}

func evalBatches(e *env, a []Arg) (Value, string) {
	r, _, why := e.replica(a)
	if why != "" {
		return none(why)
	}
	from, to := bounds(a)
	v := Value{Type: TypeNumbers}
	for b := range r.Log.Batches(max(from, r.Log.LogStart())) {
		if b.Header.BaseOffset > to {
			break
		}
		if len(v.List) == listMax {
			return none("there are more than " + num(listMax) + " batches; name the offsets, as in 0..9")
		}
		v.List = append(v.List, int64(b.Header.BaseOffset))
	}
	return v, ""
}

// recordsBy calls f with the number of records in each partition of a topic.
func (e *env) recordsBy(topic string, f func(n int64)) string {
	t := e.image().Topic(topic)
	if t == nil {
		return "there is no topic " + topic
	}
	for i := range t.Partitions {
		n, why := evalRecords(e, []Arg{{Kind: ArgPartition, TP: kafka.TopicPartition{Topic: topic, Partition: int32(i)}}, {}})
		if why != "" {
			return why
		}
		f(n.N)
	}
	return ""
}

func evalRecordsMost(e *env, a []Arg) (Value, string) {
	most := int64(0)
	if why := e.recordsBy(a[0].Name, func(n int64) { most = max(most, n) }); why != "" {
		return none(why)
	}
	return number(most)
}

func evalRecordsLeast(e *env, a []Arg) (Value, string) {
	least := int64(1<<63 - 1)
	if why := e.recordsBy(a[0].Name, func(n int64) { least = min(least, n) }); why != "" {
		return none(why)
	}
	return number(least)
}
