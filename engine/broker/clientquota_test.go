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
	b := &Broker{img: &metadata.Image{Quotas: []metadata.ClientQuota{
		{Client: metadata.PartOf("app"), Limits: [metadata.QuotaKinds]int64{metadata.ProduceRate: 100}},
	}}}
	reply := func(client string) (*kmsg.ProduceResponse, *sim.Out) {
		out := sim.NewOut(0, 1)
		req := &kmsg.ProduceRequest{Version: 11, Topics: []kmsg.ProduceRequestTopic{
			{Topic: "t", Partitions: []kmsg.ProduceRequestTopicPartition{{Records: make([]byte, 2000)}}}}}
		resp := &kmsg.ProduceResponse{Version: 11}
		b.replyProduce(3, 1, caller{anonymous, client}, req, resp, out)
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

// All clients of a user without a quota of their own share the user's: bytes of
// one make the other wait. Another user's are not measured.
func TestUserQuotaIsShared(t *testing.T) {
	b := &Broker{img: &metadata.Image{Quotas: []metadata.ClientQuota{
		{User: metadata.PartOf("alice"), Limits: [metadata.QuotaKinds]int64{metadata.ProduceRate: 1000}},
	}}}
	send := func(user, client string, size int) kafka.Duration {
		return b.produceQuota(0, caller{user, client}, &kmsg.ProduceRequest{Version: 11, Acks: -1, Topics: []kmsg.ProduceRequestTopic{
			{Topic: "t", Partitions: []kmsg.ProduceRequestTopicPartition{{Records: make([]byte, size)}}}}})
	}
	if wait := send("alice", "a", 9000); wait != 0 {
		t.Errorf("9 KB in a window of ten seconds at 1 KB/s: wait %v", wait)
	}
	if wait := send("bob", "b", 9000); wait != 0 {
		t.Errorf("bob waits %v", wait)
	}
	if wait := send("alice", "b", 2000); wait < kafka.Second || wait > 2*kafka.Second {
		t.Errorf("alice's other client waits %v, want the 1.1 s or so that both are over", wait)
	}
}

// One percent of a thread's time is 10 ms a second: 100 requests of 100 µs. The
// window holds ten seconds of it; the wait is a window's at most.
func TestRequestQuota(t *testing.T) {
	b := &Broker{img: &metadata.Image{Quotas: []metadata.ClientQuota{
		{Client: metadata.PartOf(""), Limits: [metadata.QuotaKinds]int64{metadata.RequestShare: 1_000_000}},
	}}}
	who := caller{anonymous, "app"}
	for i := range 1000 {
		if wait := b.requestQuota(0, who, 0); wait != 0 {
			t.Fatalf("request %d waits %v", i+1, wait)
		}
	}
	if wait := b.requestQuota(0, who, 0); wait != 10*kafka.Millisecond {
		t.Errorf("request 1001: wait %v, want 10ms", wait)
	}
	if wait := b.requestQuota(0, who, 100<<20); wait != requestThrottleMost {
		t.Errorf("a request of 100 MiB: wait %v, want %v", wait, requestThrottleMost)
	}
	in := &sim.Input{Kind: sim.InputRequest, From: sim.FirstClient, ClientID: "app", Conn: 3, Corr: 7, Request: &kmsg.MetadataRequest{Version: 12}}
	out, resp := sim.NewOut(0, 1), &kmsg.MetadataResponse{Version: 12}
	out.Reply(3, 7, resp)
	if b.Charge(0, in, out); resp.ThrottleMillis != 1000 {
		t.Errorf("a Metadata response tells %d ms", resp.ThrottleMillis)
	}
	in.From, resp.ThrottleMillis = 2, 0
	if b.Charge(0, in, out); resp.ThrottleMillis != 0 {
		t.Errorf("a broker's request is throttled for %d ms", resp.ThrottleMillis)
	}
}

// DescribeClientQuotas goes by parts: by name, the default, or any; strictly
// without others.
func TestDescribeQuotas(t *testing.T) {
	b := &Broker{img: &metadata.Image{Quotas: []metadata.ClientQuota{
		{Client: metadata.PartOf("app"), Limits: [metadata.QuotaKinds]int64{metadata.ProduceRate: 100}},
		{User: metadata.PartOf(""), Limits: [metadata.QuotaKinds]int64{metadata.ConsumeRate: 200}},
		{User: metadata.PartOf("alice"), Client: metadata.PartOf("app"), Limits: [metadata.QuotaKinds]int64{metadata.RequestShare: 12_500_000}},
	}}}
	ask := func(strict bool, cs ...kmsg.DescribeClientQuotasRequestComponent) *kmsg.DescribeClientQuotasResponse {
		out := sim.NewOut(0, 1)
		b.handleDescribeQuotas(&sim.Input{}, &kmsg.DescribeClientQuotasRequest{Version: 1, Components: cs, Strict: strict}, out)
		return out.Messages()[0].Response.(*kmsg.DescribeClientQuotasResponse)
	}
	component := func(of string, match kmsg.QuotasMatchType, name *string) kmsg.DescribeClientQuotasRequestComponent {
		return kmsg.DescribeClientQuotasRequestComponent{EntityType: of, MatchType: match, Match: name}
	}
	app := "app"
	for i, c := range []struct {
		strict bool
		cs     []kmsg.DescribeClientQuotasRequestComponent
		want   int
	}{
		{false, nil, 3},
		{false, []kmsg.DescribeClientQuotasRequestComponent{component("client-id", matchExact, &app)}, 2},
		{true, []kmsg.DescribeClientQuotasRequestComponent{component("client-id", matchExact, &app)}, 1},
		{false, []kmsg.DescribeClientQuotasRequestComponent{component("user", matchDefault, nil)}, 1},
		{false, []kmsg.DescribeClientQuotasRequestComponent{component("user", matchAny, nil)}, 2},
		{true, []kmsg.DescribeClientQuotasRequestComponent{component("user", matchAny, nil), component("client-id", matchAny, nil)}, 1},
	} {
		if r := ask(c.strict, c.cs...); r.ErrorCode != 0 || len(r.Entries) != c.want {
			t.Errorf("%d: error %d, %d entries, want %d", i, r.ErrorCode, len(r.Entries), c.want)
		}
	}
	if r := ask(false); r.Entries[2].Values[0].Value != 12.5 || r.Entries[2].Values[0].Key != "request_percentage" {
		t.Errorf("alice's app: %+v", r.Entries[2])
	}
	if r := ask(false, component("client-id", matchExact, nil)); r.ErrorCode != int16(kafka.InvalidRequest) {
		t.Errorf("an exact match of nothing: error %d", r.ErrorCode)
	}
}
