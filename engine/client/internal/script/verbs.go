package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Args gives a verb its arguments by name.
type Args func(name string) (value string, ok bool)

// Do carries out a verb that has to do with the cluster or with time; verbs of
// a client belong to its own test. The text is what happened.
//
//	topic name=T leaders=1,2        what metadata says from now on
//	leader tp=T-0 node=2 epoch=1
//	coordinator node=2
//	down node=1 | up node=1         refuses connections; requests held are reset
//	run until=20ms
//	answer [corr=7 | api=Fetch] [err=CODE] [session=N]   the oldest held request if no corr; one line per partition:
//	    T-0 base=10                                   Produce
//	    T-0 hw=10 batch=5/0:app#5,app#6 err=...       Fetch; base offset / leader epoch : values
//	    T-0 offset=10 epoch=0                         ListOffsets, OffsetFetch
//	    T-0 epoch=0 end=7                             OffsetForLeaderEpoch
//	    T-0                                           OffsetCommit
//	drop [corr=7] [reason=timeout]  the connection of that request breaks
//	hide notes=metadata             these notes are not printed
func (e *Env) Do(verb string, arg Args, input string) (text string, err error) {
	switch verb {
	case "topic":
		t := topic{name: text1(arg, "name")}
		for s := range strings.SplitSeq(text1(arg, "leaders"), ",") {
			t.leaders = append(t.leaders, int32(number(s)))
			t.epochs = append(t.epochs, 0)
		}
		e.topics = append(e.topics, t)
		return "", nil
	case "leader":
		tp := tpOf(text1(arg, "tp"))
		t := &e.topics[slices.IndexFunc(e.topics, func(x topic) bool { return x.name == tp.Topic })]
		t.leaders[tp.Partition] = int32(number(text1(arg, "node")))
		t.epochs[tp.Partition] = int32(number(text1(arg, "epoch")))
		return "", nil
	case "coordinator":
		e.coordinator = int32(number(text1(arg, "node")))
		return "", nil
	case "down":
		e.goDown(int32(number(text1(arg, "node"))))
		return "", nil
	case "up":
		n := int32(number(text1(arg, "node")))
		e.down = slices.DeleteFunc(e.down, func(d int32) bool { return d == n })
		return "", nil
	case "hide":
		for s := range strings.SplitSeq(text1(arg, "notes"), ",") {
			e.ignored = append(e.ignored, kindOf(s))
		}
		return "", nil
	case "run":
		d, err := duration(text1(arg, "until"))
		if err != nil {
			return "", err
		}
		e.Run(kafka.Instant(d))
		return e.Take(), nil
	case "answer", "drop":
		return "", e.answer(verb, arg, input)
	}
	return "", fmt.Errorf("unknown verb %s", verb)
}

func (e *Env) goDown(node int32) {
	e.down = append(e.down, node)
	for _, r := range e.held {
		if int32(r.to) == node {
			e.fail(r, sim.ReasonReset)
		}
	}
	e.held = slices.DeleteFunc(e.held, func(r request) bool { return int32(r.to) == node })
}

func (e *Env) answer(verb string, arg Args, input string) error {
	at := 0
	if s, ok := arg("corr"); ok {
		at = slices.IndexFunc(e.held, func(r request) bool { return int64(r.corr) == number(s) })
	}
	if s, ok := arg("api"); ok {
		at = slices.IndexFunc(e.held, func(r request) bool { return kmsg.NameForKey(r.req.Key()) == s })
	}
	if at < 0 || at >= len(e.held) {
		return fmt.Errorf("no such request is waiting; there are %d", len(e.held))
	}
	r := e.held[at]
	if verb == "drop" {
		why := sim.ReasonReset
		if s, _ := arg("reason"); s == "timeout" {
			why = sim.ReasonTimeout
		}
		for _, h := range e.held {
			if h.to == r.to && h.ch == r.ch {
				e.fail(h, why)
			}
		}
		e.held = slices.DeleteFunc(e.held, func(h request) bool { return h.to == r.to && h.ch == r.ch })
		return nil
	}
	e.held = slices.Delete(e.held, at, at+1)
	resp, err := respond(r.req, arg, input)
	if err != nil {
		return err
	}
	e.reply(r, resp)
	return nil
}

// line is one partition of an answer.
type line struct {
	tp  kafka.TopicPartition
	arg Args
	err int16
}

func lines(input string) []line {
	var out []line
	for s := range strings.Lines(input) {
		words := strings.Fields(s)
		if len(words) == 0 {
			continue
		}
		l := line{tp: tpOf(words[0])}
		l.arg = func(name string) (string, bool) {
			for _, w := range words[1:] {
				if k, v, _ := strings.Cut(w, "="); k == name {
					return v, true
				}
			}
			return "", false
		}
		if s, ok := l.arg("err"); ok {
			l.err = int16(codeOf(s))
		}
		out = append(out, l)
	}
	return out
}

func (l *line) n(name string, otherwise int64) int64 {
	if s, ok := l.arg(name); ok {
		return number(s)
	}
	return otherwise
}

func respond(req kmsg.Request, arg Args, input string) (kmsg.Response, error) {
	ls := lines(input)
	top := int16(0)
	if s, ok := arg("err"); ok {
		top = int16(codeOf(s))
	}
	switch resp := req.ResponseKind().(type) {
	case *kmsg.ProduceResponse:
		for i := range ls {
			p := kmsg.NewProduceResponseTopicPartition()
			p.Partition, p.ErrorCode, p.BaseOffset = ls[i].tp.Partition, ls[i].err, ls[i].n("base", -1)
			p.CurrentLeader.LeaderID, p.CurrentLeader.LeaderEpoch = int32(ls[i].n("leader", -1)), int32(ls[i].n("epoch", -1))
			resp.Topics = append(resp.Topics, kmsg.ProduceResponseTopic{TopicID: topicID(ls[i].tp.Topic), Partitions: []kmsg.ProduceResponseTopicPartition{p}})
		}
		return resp, nil
	case *kmsg.FetchResponse:
		resp.ErrorCode = top
		if s, ok := arg("session"); ok {
			resp.SessionID = int32(number(s))
		}
		for i := range ls {
			resp.Topics = append(resp.Topics, kmsg.FetchResponseTopic{TopicID: topicID(ls[i].tp.Topic), Partitions: []kmsg.FetchResponseTopicPartition{fetchPart(&ls[i])}})
		}
		return resp, nil
	case *kmsg.InitProducerIDResponse:
		resp.ErrorCode = top
		return resp, nil
	case *kmsg.CreateTopicsResponse:
		for i := range ls {
			t := kmsg.NewCreateTopicsResponseTopic()
			t.Topic, t.ErrorCode = ls[i].tp.Topic, ls[i].err
			resp.Topics = append(resp.Topics, t)
		}
		return resp, nil
	}
	return respondOffsets(req, ls, top)
}

func respondOffsets(req kmsg.Request, ls []line, top int16) (kmsg.Response, error) {
	switch resp := req.ResponseKind().(type) {
	case *kmsg.ListOffsetsResponse:
		for i := range ls {
			p := kmsg.NewListOffsetsResponseTopicPartition()
			p.Partition, p.ErrorCode, p.Offset, p.LeaderEpoch = ls[i].tp.Partition, ls[i].err, ls[i].n("offset", -1), int32(ls[i].n("epoch", -1))
			resp.Topics = append(resp.Topics, kmsg.ListOffsetsResponseTopic{Topic: ls[i].tp.Topic, Partitions: []kmsg.ListOffsetsResponseTopicPartition{p}})
		}
		return resp, nil
	case *kmsg.OffsetForLeaderEpochResponse:
		for i := range ls {
			p := kmsg.NewOffsetForLeaderEpochResponseTopicPartition()
			p.Partition, p.ErrorCode, p.LeaderEpoch, p.EndOffset = ls[i].tp.Partition, ls[i].err, int32(ls[i].n("epoch", -1)), ls[i].n("end", -1)
			resp.Topics = append(resp.Topics, kmsg.OffsetForLeaderEpochResponseTopic{Topic: ls[i].tp.Topic, Partitions: []kmsg.OffsetForLeaderEpochResponseTopicPartition{p}})
		}
		return resp, nil
	case *kmsg.OffsetFetchResponse:
		g := kmsg.NewOffsetFetchResponseGroup()
		g.ErrorCode = top
		for i := range ls {
			p := kmsg.NewOffsetFetchResponseGroupTopicPartition()
			p.Partition, p.ErrorCode, p.Offset, p.LeaderEpoch = ls[i].tp.Partition, ls[i].err, ls[i].n("offset", -1), int32(ls[i].n("epoch", -1))
			g.Topics = append(g.Topics, kmsg.OffsetFetchResponseGroupTopic{Topic: ls[i].tp.Topic, Partitions: []kmsg.OffsetFetchResponseGroupTopicPartition{p}})
		}
		resp.Groups = append(resp.Groups, g)
		return resp, nil
	case *kmsg.OffsetCommitResponse:
		for i := range ls {
			p := kmsg.NewOffsetCommitResponseTopicPartition()
			p.Partition, p.ErrorCode = ls[i].tp.Partition, ls[i].err
			resp.Topics = append(resp.Topics, kmsg.OffsetCommitResponseTopic{Topic: ls[i].tp.Topic, Partitions: []kmsg.OffsetCommitResponseTopicPartition{p}})
		}
		return resp, nil
	}
	return nil, fmt.Errorf("no answer to %s is known", kmsg.NameForKey(req.Key()))
}

func fetchPart(l *line) kmsg.FetchResponseTopicPartition {
	p := kmsg.NewFetchResponseTopicPartition()
	p.Partition, p.ErrorCode = l.tp.Partition, l.err
	p.HighWatermark = l.n("hw", -1)
	p.LastStableOffset, p.LogStartOffset = l.n("lso", p.HighWatermark), l.n("start", 0)
	p.CurrentLeader.LeaderID, p.CurrentLeader.LeaderEpoch = int32(l.n("leader", -1)), int32(l.n("epoch", -1))
	if s, ok := l.arg("aborted"); ok { // producer id @ first offset
		id, first, _ := strings.Cut(s, "@")
		p.AbortedTransactions = append(p.AbortedTransactions, kmsg.FetchResponseTopicPartitionAbortedTransaction{ProducerID: number(id), FirstOffset: number(first)})
	}
	s, _ := l.arg("batch")
	for b := range strings.SplitSeq(s, "|") {
		if b != "" {
			p.RecordBatches = append(p.RecordBatches, makeBatch(b)...)
		}
	}
	return p
}

// makeBatch builds "base/epoch:value,value", "base/epoch:n*prefix" for n values
// prefix0, prefix1..., with "/t<pid>" after the epoch for a transaction and
// "abort" or "commit" as the value for its marker.
func makeBatch(s string) []byte {
	head, values, _ := strings.Cut(s, ":")
	place := strings.Split(head, "/")
	spec := record.BatchSpec{BaseOffset: kafka.Offset(number(place[0])), LeaderEpoch: kafka.LeaderEpoch(number(place[1]))}
	if len(place) > 2 {
		spec.Idempotent, spec.Transactional, spec.ProducerID = true, true, number(place[2][1:])
	}
	if values == "abort" || values == "commit" {
		b := record.BuildMarker(record.Marker{Commit: values == "commit"}, spec.ProducerID, spec.ProducerEpoch, kafka.StartUnixMilli)
		record.SetBaseOffsetAndEpoch(b, spec.BaseOffset, spec.LeaderEpoch)
		return b
	}
	if n, prefix, many := strings.Cut(values, "*"); many {
		for i := range number(n) {
			spec.Records = append(spec.Records, record.Record{Timestamp: kafka.StartUnixMilli, Value: []byte(prefix + strconv.FormatInt(i, 10))})
		}
		return record.Build(spec)
	}
	for v := range strings.SplitSeq(values, ",") {
		spec.Records = append(spec.Records, record.Record{Timestamp: kafka.StartUnixMilli, Value: []byte(v)})
	}
	return record.Build(spec)
}

func text1(arg Args, name string) string {
	s, ok := arg(name)
	if !ok {
		panic("script: argument " + name + " is missing")
	}
	return s
}

func number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic("script: " + s + " is not a number")
	}
	return n
}

func tpOf(s string) kafka.TopicPartition {
	at := strings.LastIndexByte(s, '-')
	if at < 0 {
		return kafka.TopicPartition{Topic: s}
	}
	return kafka.TopicPartition{Topic: s[:at], Partition: int32(number(s[at+1:]))}
}

func codeOf(name string) kafka.ErrorCode {
	for c := kafka.ErrorCode(-1); c < 200; c++ {
		if c.String() == name {
			return c
		}
	}
	panic("script: no error is called " + name)
}

func kindOf(name string) trace.Kind {
	for k := trace.Kind(1); k < 250; k++ {
		if strings.ReplaceAll(k.String(), " ", "-") == name {
			return k
		}
	}
	panic("script: no note is called " + name)
}

// duration reads "5ms", "2s", "100us".
func duration(s string) (kafka.Duration, error) {
	at := strings.IndexFunc(s, func(r rune) bool { return r != '-' && (r < '0' || r > '9') })
	if at < 1 {
		return 0, fmt.Errorf("%q is not a time", s)
	}
	n := kafka.Duration(number(s[:at]))
	switch s[at:] {
	case "us":
		return n * kafka.Microsecond, nil
	case "ms":
		return n * kafka.Millisecond, nil
	case "s":
		return n * kafka.Second, nil
	}
	return 0, fmt.Errorf("%q is not a time", s)
}
