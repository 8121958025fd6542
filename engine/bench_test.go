package engine_test

import (
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/highwater-sim/highwater/engine"
	"github.com/highwater-sim/highwater/engine/kafka"
)

// reference is the cluster by which speed is measured, as a scenario.
var reference = strings.Join([]string{
	"title Reference load", "seed 1", "cluster brokers=3",
	"topic load partitions=12",
	"producer app topic=load acks=all rate=1000/s keys=100",
	"consumer c1 assign=load-0,load-1,load-2,load-3 from=earliest",
	"consumer c2 assign=load-4,load-5,load-6,load-7 from=earliest",
	"consumer c3 assign=load-8,load-9,load-10,load-11 from=earliest",
	"at 600s say The end.",
}, "\n") + "\n"

// BenchmarkSession prints how many seconds of the reference cluster pass in one
// second of processor time with everything on that the page has on: laws, notes,
// meters, keyframes.
func BenchmarkSession(b *testing.B) {
	s, err := engine.Open(reference, engine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	run(s, kafka.Instant(2*kafka.Second))
	cpu, events, start := cpuTime(), s.Event(), s.Now()
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N { // one op is one virtual second
		run(s, s.Now().Add(kafka.Second))
	}
	b.StopTimer()
	spent := (cpuTime() - cpu).Seconds()
	b.ReportMetric(float64(s.Now().Sub(start))/1e9/spent, "x-real-time")
	b.ReportMetric(spent*1e9/float64(s.Event()-events), "ns/event")
}

// BenchmarkTenMinutes runs ten minutes of the reference cluster and prints what
// memory that takes with its whole history (budget: 150 MB), and what going to
// instants all over it costs (budget: 100 ms, in WebAssembly).
func BenchmarkTenMinutes(b *testing.B) {
	for range b.N {
		s, err := engine.Open(reference, engine.Options{})
		if err != nil {
			b.Fatal(err)
		}
		run(s, kafka.Instant(600*kafka.Second))
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapAlloc)/1e6, "MB")
		var worst, sum time.Duration
		const seeks = 60
		for i := range seeks {
			at := kafka.Duration(i*997%600)*kafka.Second + 500*kafka.Millisecond
			cpu := cpuTime()
			run(s, kafka.Instant(at))
			spent := cpuTime() - cpu
			worst, sum = max(worst, spent), sum+spent
		}
		b.ReportMetric(float64(worst.Microseconds())/1e3, "worst-seek-ms")
		b.ReportMetric(float64(sum.Microseconds())/1e3/seeks, "mean-seek-ms")
	}
}

// cpuTime is what this process has used of all processors.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
