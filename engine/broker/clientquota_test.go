package broker

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
)

// The numbers of Kafka's ClientQuotaManagerTest: 400 bytes a second under a quota
// of 500, then a burst that makes it 600 over 10.5 s, so 2,100 ms to wait; ten
// seconds later it is forgotten.
func TestThrottleTime(t *testing.T) {
	const quota = 500
	var use throttle
	now := kafka.Instant(0).Add(-3 * kafka.Second)
	for range 10 {
		if wait := use.over(now, 400, quota); wait != 0 {
			t.Fatalf("%v: %v under the quota", now, wait)
		}
		now = now.Add(kafka.Second)
	}
	now = now.Add(500 * kafka.Millisecond)
	if wait := use.over(now, 2300, quota); wait != 2100*kafka.Millisecond {
		t.Fatalf("the burst: %v, want 2.1s", wait)
	}
	now = now.Add(2100 * kafka.Millisecond)
	for range 10 {
		use.over(now, 400, quota)
		now = now.Add(kafka.Second)
	}
	if wait := use.over(now, 0, quota); wait != 0 {
		t.Errorf("the burst is over: %v", wait)
	}
}

// A client over its quota is answered at once, told how long to wait, and muted
// for as long; one without a quota is not measured.
func TestProduceQuota(t *testing.T) {
	b := &Broker{img: &metadata.Image{Quotas: []metadata.ClientQuota{{Client: "app", Produce: 100}}}}
	reply := func(client string) (*kmsg.ProduceResponse, *sim.Out) {
		out := sim.NewOut(0, 1)
		req := &kmsg.ProduceRequest{Version: 11, Topics: []kmsg.ProduceRequestTopic{
			{Topic: "t", Partitions: []kmsg.ProduceRequestTopicPartition{{Records: make([]byte, 2000)}}}}}
		resp := &kmsg.ProduceResponse{Version: 11}
		b.replyProduce(3, 1, client, req, resp, out)
		if m := out.Messages(); len(m) != 1 || m[0].Response != resp {
			t.Fatalf("%s: sent %+v", client, m)
		}
		return resp, out
	}
	if resp, _ := reply("other"); resp.ThrottleMillis != 0 || len(b.uses) != 0 {
		t.Errorf("other: throttled %d ms, measured %+v", resp.ThrottleMillis, b.uses)
	}
	// Some 2,050 bytes at 100 a second are 20.5 s' worth, over a window of 10 s.
	if resp, _ := reply("app"); resp.ThrottleMillis < 10_000 || resp.ThrottleMillis > 11_000 {
		t.Errorf("app: throttled %d ms", resp.ThrottleMillis)
	}
}
