//go:build js && wasm

package main

import (
	"strconv"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/link"
	"github.com/highwater-sim/highwater/ui/scene"
	"github.com/highwater-sim/highwater/ui/theme"
)

// reference is the cluster of the budgets: 3 brokers, 12 partitions, RF 3,
// acks=all, 1,000 records/s, 3 consumers.
const reference = `title Reference cluster
cluster brokers=3
topic load partitions=12 replication.factor=3 min.insync.replicas=2
producer app topic=load acks=all rate=1000/s keys=100
consumer c1 assign=load-0,load-1,load-2,load-3
consumer c2 assign=load-4,load-5,load-6,load-7
consumer c3 assign=load-8,load-9,load-10,load-11
at 600s end
`

// warmUp is how long the engine runs before it is measured, in milliseconds.
const warmUp = 2000

// bench runs the reference cluster for so many virtual seconds, then seeks about
// in it, and gives the numbers as JSON. The session that is open is not touched.
func bench(a *app, seconds float64) string {
	now := a.browser.Now
	// The browser compiles what it runs in two steps: the second must be over.
	if warm, err := openSession("", reference, nil, nil); err == nil {
		for until := now() + warmUp; now() < until; {
			warm.RunUntil(kafka.Never-1, 1000)
		}
	}
	s, err := openSession("", reference, nil, nil)
	if err != nil {
		return `{"error":` + quote(err.Error()) + `}`
	}
	span := kafka.Instant(seconds * float64(kafka.Second))
	began := now()
	for !s.RunUntil(span, 1000) {
		if a.memory.fit(); s.Now() >= span {
			break
		}
	}
	took := now() - began
	events := s.Event()

	worst, sum := 0.0, 0.0
	const seeks = 20
	for i := range seeks {
		to := span / seeks * kafka.Instant(i*7%seeks)
		began := now()
		s.Seek(to)
		for !s.RunUntil(to, 1000) && s.Now() < to {
			a.memory.fit()
		}
		ms := now() - began
		worst, sum = max(worst, ms), sum+ms
	}

	var c view.Cluster
	var list scene.List
	var state scene.State
	var bytes []byte
	const frames = 100
	began = now()
	for range frames {
		s.View(view.Options{Cells: 12, Flights: true}, &c)
		scene.Build(scene.Input{Cluster: &c, Theme: &theme.Dark, W: 900, H: 600, DPR: 1, Now: s.Now(), Wall: 0.016, Speed: 1, State: &state}, &list)
		bytes = list.AppendBinary(bytes[:0])
	}
	perFrame := (now() - began) / frames

	var w writer
	w.open('{')
	w.number("x-real-time", seconds*1000/took)
	w.number("events/s", float64(events)/took*1000)
	w.number("ms/seek", sum/seeks)
	w.number("ms/seek-worst", worst)
	w.number("ms/frame-app", perFrame)
	w.number("bytes/frame", float64(len(bytes)))
	w.close('}')
	return w.b
}

// digestRun is the digest of a scenario of the library at an instant, in hex;
// what goes wrong comes back in words.
func digestRun(id, seed, at string) string {
	text, ok := scenarioText(id)
	if !ok {
		return "no scenario " + id
	}
	var own *uint64
	if seed != "" {
		n, err := strconv.ParseUint(seed, 10, 64)
		if err != nil {
			return err.Error()
		}
		own = &n
	}
	s, err := openSession(id, text, own, nil)
	if err != nil {
		return err.Error()
	}
	q, problems := link.DecodeQuery("t=" + at)
	if !q.HasAt {
		return problems[0]
	}
	for !s.RunUntil(q.At, 10_000) && s.Now() < q.At {
		continue
	}
	return strconv.FormatUint(s.Digest(), 16)
}
