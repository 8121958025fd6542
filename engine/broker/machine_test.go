package broker

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/sim/disk"
	"github.com/highwater-sim/highwater/engine/storage"
)

// bench drives one broker, node 1, by hand: what it is told, what it notes and
// sends. Node 9 stands for clients, 101 for the controller. Timers fire when
// time passes them.
type bench struct {
	t      *testing.T
	d      *datadriven.TestData
	used   map[string]bool
	b      *Broker
	dir    *storage.Dir
	disk   disk.Disk
	now    kafka.Instant
	out    *sim.Out
	timers []sim.TimerSetting // in the order of setting
	img    *metadata.Image
	conn   sim.ConnID
	asked  map[string]sim.Sent // last request to the controller or a leader, by kind
	ids    []int32             // fetch sessions that answers named, in order
}

var topicID = kafka.TopicID{1: 7}

func TestMachine(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		h := &bench{}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			h.t, h.d, h.used = t, d, map[string]bool{}
			out := h.verb()
			for _, a := range d.CmdArgs {
				if !h.used[a.Key] {
					d.Fatalf(t, "%s does not take %s", d.Cmd, a.Key)
				}
			}
			if out == "" {
				out = "nothing\n"
			}
			return out
		})
	})
}

func (h *bench) verb() string {
	switch h.d.Cmd {
	case "boot":
		return h.boot()
	case "apply":
		return h.apply()
	case "fetch":
		return h.fetch()
	case "produce":
		return h.produce()
	case "alter-answer":
		return h.alterAnswer()
	case "leader-answer":
		return h.leaderAnswer()
	case "offsets-answer":
		return h.offsetsAnswer()
	case "offsets":
		return h.offsets()
	case "disconnect":
		return h.disconnect()
	case "pass":
		return h.pass(h.dur("for", "1s"))
	case "copy":
		return h.copy()
	case "state":
		return h.state()
	}
	h.d.Fatalf(h.t, "unknown verb %s", h.d.Cmd)
	return ""
}

func (h *bench) text(key, def string) string {
	h.used[key] = true
	for _, a := range h.d.CmdArgs {
		if a.Key == key {
			return strings.Join(a.Vals, ",")
		}
	}
	return def
}

func (h *bench) num(key string, def int64) int64 {
	n, err := strconv.ParseInt(h.text(key, strconv.FormatInt(def, 10)), 10, 64)
	if err != nil {
		h.d.Fatalf(h.t, "%s: %v", key, err)
	}
	return n
}

func (h *bench) dur(key, def string) kafka.Duration {
	d, err := time.ParseDuration(h.text(key, def))
	if err != nil {
		h.d.Fatalf(h.t, "%s: %v", key, err)
	}
	return kafka.Duration(d)
}

// fields reads "a=1 b=2" words of an input line.
func fields(line string) map[string]string {
	m := map[string]string{}
	for _, w := range strings.Fields(line) {
		k, v, _ := strings.Cut(w, "=")
		m[k] = v
	}
	return m
}

func atoi(s string, def int64) int64 {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n
	}
	return def
}

func nodes(s string) (out []kafka.NodeID) {
	if s == "" {
		return []kafka.NodeID{}
	}
	for _, w := range strings.Split(s, ",") {
		out = append(out, kafka.NodeID(atoi(w, -1)))
	}
	return out
}

// step gives the broker an input and prints what comes out.
func (h *bench) step(in *sim.Input) string {
	h.out = sim.NewOut(h.now, 1)
	h.b.Step(h.now, in, h.out)
	return h.flush()
}

// flush prints notes and messages, and keeps timers.
func (h *bench) flush() string {
	var b strings.Builder
	for _, n := range h.out.Notes() {
		b.WriteString(n.Text() + "\n")
	}
	for _, m := range h.out.Messages() {
		if m.Request != nil {
			name := kmsg.NameForKey(m.Request.Key())
			h.asked[name] = m
			fmt.Fprintf(&b, "to %d: %s %s\n", m.To, name, h.request(m.Request))
			continue
		}
		if r, ok := m.Response.(*kmsg.FetchResponse); ok && r.SessionID != 0 && !slices.Contains(h.ids, r.SessionID) {
			h.ids = append(h.ids, r.SessionID)
		}
		fmt.Fprintf(&b, "reply %d: %s\n", m.Conn, response(m.Response))
	}
	for _, c := range h.out.Closed() {
		fmt.Fprintf(&b, "close %d\n", c)
	}
	for _, s := range h.out.Timers() {
		h.timers = slices.DeleteFunc(h.timers, func(o sim.TimerSetting) bool { return o.Timer == s.Timer })
		if s.At != kafka.Never {
			h.timers = append(h.timers, s)
		}
	}
	return b.String()
}

func (h *bench) request(req kmsg.Request) string {
	var b strings.Builder
	switch r := req.(type) {
	case *kmsg.FetchRequest:
		if r.SessionEpoch == 0 {
			b.WriteString("full")
		} else {
			fmt.Fprintf(&b, "session epoch %d", r.SessionEpoch)
		}
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				fmt.Fprintf(&b, "; %d at %d last epoch %d leader epoch %d", p.Partition, p.FetchOffset, p.LastFetchedEpoch, p.CurrentLeaderEpoch)
			}
		}
		for _, t := range r.ForgottenTopics {
			fmt.Fprintf(&b, "; forget %v", t.Partitions)
		}
	case *kmsg.AlterPartitionRequest:
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				fmt.Fprintf(&b, "%d leader epoch %d partition epoch %d:", p.Partition, p.LeaderEpoch, p.PartitionEpoch)
				for _, i := range p.NewEpochISR {
					fmt.Fprintf(&b, " %d@%d", i.BrokerID, i.BrokerEpoch)
				}
			}
		}
	case *kmsg.ListOffsetsRequest:
		fmt.Fprintf(&b, "%d at %d", r.Topics[0].Partitions[0].Partition, r.Topics[0].Partitions[0].Timestamp)
	case *kmsg.BrokerHeartbeatRequest:
		fmt.Fprintf(&b, "want fence %v", r.WantFence)
	}
	return b.String()
}

func response(resp kmsg.Response) string {
	var b strings.Builder
	switch r := resp.(type) {
	case *kmsg.FetchResponse:
		if r.ErrorCode != 0 {
			return kafka.ErrorCode(r.ErrorCode).String()
		}
		b.WriteString("fetched")
		if r.SessionID != 0 {
			b.WriteString(" (session)")
		}
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				fmt.Fprintf(&b, "; %d %v hw %d", p.Partition, kafka.ErrorCode(p.ErrorCode), p.HighWatermark)
				for rest := p.RecordBatches; len(rest) > 0; {
					raw, _ := record.Frame(rest)
					fmt.Fprintf(&b, " [%d-%d]", raw.BaseOffset(), raw.LastOffset())
					rest = rest[len(raw):]
				}
				if p.CurrentLeader.LeaderID >= 0 {
					fmt.Fprintf(&b, " leader %d epoch %d", p.CurrentLeader.LeaderID, p.CurrentLeader.LeaderEpoch)
				}
				if p.PreferredReadReplica >= 0 {
					fmt.Fprintf(&b, " read from %d", p.PreferredReadReplica)
				}
				if p.DivergingEpoch.Epoch >= 0 {
					fmt.Fprintf(&b, " diverging epoch %d end %d", p.DivergingEpoch.Epoch, p.DivergingEpoch.EndOffset)
				}
			}
		}
	case *kmsg.ListOffsetsResponse:
		p := &r.Topics[0].Partitions[0]
		fmt.Fprintf(&b, "offset %d epoch %d %v", p.Offset, p.LeaderEpoch, kafka.ErrorCode(p.ErrorCode))
	case *kmsg.ProduceResponse:
		b.WriteString("produced")
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				fmt.Fprintf(&b, "; %d %v base %d", p.Partition, kafka.ErrorCode(p.ErrorCode), p.BaseOffset)
				if p.CurrentLeader.LeaderID >= 0 {
					fmt.Fprintf(&b, " leader %d epoch %d", p.CurrentLeader.LeaderID, p.CurrentLeader.LeaderEpoch)
				}
			}
		}
	default:
		fmt.Fprintf(&b, "%T", resp)
	}
	return b.String()
}

// boot [racks=a,b,c]: a broker that is registered with epoch 11, caught up and
// unfenced, beside brokers 2 and 3 with epochs 12 and 13.
// Configs below.
func (h *bench) boot() string {
	h.dir, h.disk = storage.NewDir(), disk.Disk{}
	h.now, h.timers, h.asked, h.ids = 0, nil, map[string]sim.Sent{}, nil
	var static []metadata.ConfigValue
	for _, w := range strings.Fields(h.d.Input) {
		k, v, _ := strings.Cut(w, "=")
		static = append(static, metadata.ConfigValue{Name: k, Value: v})
	}
	racks := strings.Split(h.text("racks", "a,b,c"), ",")
	h.b = New(Config{ID: 1, Rack: racks[0], Host: "broker-1", Port: 9092, Static: metadata.NewStatic(static), Seed: 1, PreviousEpoch: -1}, h.dir, &h.disk)
	h.img = metadata.Empty()
	h.out = sim.NewOut(h.now, 1)
	h.b.Start(h.now, 0, h.out)
	h.b.SetController(h.now, 101, h.out)
	h.flush()
	h.answer("BrokerRegistration", &kmsg.BrokerRegistrationResponse{BrokerEpoch: 11})
	h.pass(0)
	for i := range 3 {
		rack := racks[i]
		h.record(&metadata.RegisterBrokerRecord{BrokerID: kafka.NodeID(i + 1), BrokerEpoch: kafka.BrokerEpoch(11 + i), Rack: &rack})
	}
	h.record(&metadata.TopicRecord{Name: "t", ID: topicID})
	h.answer("BrokerHeartbeat", &kmsg.BrokerHeartbeatResponse{IsCaughtUp: true, IsFenced: true})
	h.pass(10 * kafka.Millisecond)
	h.answer("BrokerHeartbeat", &kmsg.BrokerHeartbeatResponse{IsCaughtUp: true})
	if !h.b.Serving() || h.b.State() != Running {
		h.t.Fatalf("state %v", h.b.State())
	}
	return ""
}

// answer gives the broker the controller's or a leader's answer to its last
// request of a kind.
func (h *bench) answer(kind string, resp kmsg.Response) string {
	m, ok := h.asked[kind]
	if !ok {
		h.t.Fatalf("%s: no %s was sent", h.d.Pos, kind)
	}
	delete(h.asked, kind)
	return h.step(&sim.Input{Kind: sim.InputResponse, From: m.To, Channel: m.Channel, Corr: m.Corr, Response: resp})
}

// record applies a metadata record.
func (h *bench) record(r metadata.Record) string {
	img, delta, err := metadata.Apply(h.img, metadata.Entry{Offset: h.img.Offset + 1, Record: r})
	if err != nil {
		h.t.Fatal(err)
	}
	h.img = img
	h.out = sim.NewOut(h.now, 1)
	h.b.ApplyImage(h.now, img, &delta, h.out)
	return h.flush()
}

// apply reads metadata records, one a line:
//
//	partition n replicas=1,2 isr=1,2 leader=1     creates it, or changes what is named
//	fence n | unfence n | shutting-down n | config name=value | delete
func (h *bench) apply() (out string) {
	for _, line := range strings.Split(strings.TrimSpace(h.d.Input), "\n") {
		w := strings.Fields(line)
		f := fields(line)
		switch w[0] {
		case "partition":
			out += h.partition(int32(atoi(w[1], 0)), f)
		case "fence", "unfence", "shutting-down":
			n := kafka.NodeID(atoi(w[1], 0))
			r := &metadata.BrokerRegistrationChangeRecord{BrokerID: n, BrokerEpoch: h.img.Broker(n).Epoch, Fenced: 1}
			switch w[0] {
			case "unfence":
				r.Fenced = -1
			case "shutting-down":
				r.Fenced, r.InControlledShutdown = 0, 1
				metadata.Latest(r)
			}
			out += h.record(r)
		case "config":
			k, v, _ := strings.Cut(w[1], "=")
			out += h.record(&metadata.ConfigRecord{ResourceType: metadata.ResourceTopic, ResourceName: "t", Name: k, Value: &v})
		case "delete":
			out += h.record(&metadata.RemoveTopicRecord{ID: topicID})
		default:
			h.d.Fatalf(h.t, "line %q", line)
		}
	}
	return out
}

func (h *bench) partition(n int32, f map[string]string) string {
	if p := h.img.Topic("t").At(n); p == nil {
		return h.record(&metadata.PartitionRecord{
			Partition: n, TopicID: topicID, Replicas: nodes(f["replicas"]), ISR: nodes(f["isr"]),
			Leader: kafka.NodeID(atoi(f["leader"], -1)),
		})
	}
	r := metadata.NewPartitionChange(topicID, n)
	if s, ok := f["isr"]; ok {
		r.ISR = nodes(s)
	}
	if s, ok := f["replicas"]; ok {
		r.Replicas = nodes(s)
	}
	if s, ok := f["leader"]; ok {
		r.Leader = kafka.NodeID(atoi(s, -1))
	}
	return h.record(r)
}

func (h *bench) request1(req kmsg.Request) string {
	h.conn++
	return h.step(&sim.Input{Kind: sim.InputRequest, From: 9, Conn: h.conn, Corr: 1, Request: req})
}

// fetch [from=2 bepoch=12] [session=last|1 (the first that there was) sepoch=n] [wait=500ms] [min=1]
// [max=] [rack=]; partitions below: n offset= [epoch=] [last=] [max=] [start=] or forget n.
func (h *bench) fetch() string {
	req := kmsg.NewPtrFetchRequest()
	req.Version, req.MinBytes, req.MaxBytes = 18, int32(h.num("min", 1)), int32(h.num("max", 1<<20))
	req.MaxWaitMillis = int32(h.dur("wait", "500ms").Millis())
	req.ReplicaState.ID, req.ReplicaState.Epoch = int32(h.num("from", -1)), h.num("bepoch", h.num("from", -1)+10)
	req.SessionEpoch = int32(h.num("sepoch", -1))
	req.Rack = h.text("rack", "")
	switch which := h.text("session", ""); which {
	case "":
	case "last":
		for _, s := range h.b.sessions {
			if s != nil && s.id != 0 {
				req.SessionID = s.id
			}
		}
	case "wrong":
		req.SessionID = 77
	default:
		req.SessionID = h.ids[atoi(which, 0)-1]
	}
	topic := kmsg.FetchRequestTopic{TopicID: topicID}
	for _, line := range strings.Split(strings.TrimSpace(h.d.Input), "\n") {
		w := strings.Fields(line)
		if len(w) == 0 {
			continue
		}
		if w[0] == "forget" {
			req.ForgottenTopics = append(req.ForgottenTopics, kmsg.FetchRequestForgottenTopic{TopicID: topicID, Partitions: []int32{int32(atoi(w[1], 0))}})
			continue
		}
		f := fields(line)
		p := kmsg.NewFetchRequestTopicPartition()
		p.Partition, p.FetchOffset = int32(atoi(w[0], 0)), atoi(f["offset"], 0)
		p.CurrentLeaderEpoch, p.LastFetchedEpoch = int32(atoi(f["epoch"], -1)), int32(atoi(f["last"], -1))
		p.PartitionMaxBytes, p.LogStartOffset = int32(atoi(f["max"], 1<<20)), atoi(f["start"], -1)
		topic.Partitions = append(topic.Partitions, p)
	}
	if len(topic.Partitions) > 0 {
		req.Topics = []kmsg.FetchRequestTopic{topic}
	}
	return h.request1(req)
}

func batch(now kafka.Instant, n int) []byte {
	s := record.BatchSpec{}
	for i := range n {
		s.Records = append(s.Records, record.Record{Timestamp: now.UnixMilli(), Value: []byte(strconv.Itoa(i))})
	}
	return record.Build(s)
}

// produce [acks=-1] [n=1] [timeout=30s] parts=0,1.
func (h *bench) produce() string {
	req := &kmsg.ProduceRequest{Version: 13, Acks: int16(h.num("acks", -1)), TimeoutMillis: int32(h.dur("timeout", "30s").Millis())}
	topic := kmsg.ProduceRequestTopic{TopicID: topicID}
	n := int(h.num("n", 1))
	for _, p := range nodes(h.text("parts", "0")) {
		topic.Partitions = append(topic.Partitions, kmsg.ProduceRequestTopicPartition{Partition: int32(p), Records: batch(h.now, n)})
	}
	req.Topics = []kmsg.ProduceRequestTopic{topic}
	return h.request1(req)
}

// alter-answer [error=code] [part=0 isr=1,2 pepoch=n].
func (h *bench) alterAnswer() string {
	resp := &kmsg.AlterPartitionResponse{Version: 3, ErrorCode: int16(h.num("top", 0))}
	p := kmsg.AlterPartitionResponseTopicPartition{
		Partition: int32(h.num("part", 0)), ErrorCode: int16(h.num("error", 0)), LeaderID: 1,
		LeaderEpoch: int32(h.num("epoch", 0)), PartitionEpoch: int32(h.num("pepoch", 1)),
	}
	for _, n := range nodes(h.text("isr", "")) {
		p.ISR = append(p.ISR, int32(n))
	}
	resp.Topics = []kmsg.AlterPartitionResponseTopic{{TopidID: topicID, Partitions: []kmsg.AlterPartitionResponseTopicPartition{p}}}
	return h.answer("AlterPartition", resp)
}

// leader-answer answers this broker's last Fetch; partitions below:
// n [hw=] [base= n= epoch=] [error=] [diverging=epoch,end].
func (h *bench) leaderAnswer() string {
	resp := &kmsg.FetchResponse{Version: 18, SessionID: 5, ErrorCode: int16(h.num("error", 0))}
	topic := kmsg.FetchResponseTopic{TopicID: topicID}
	for _, line := range strings.Split(strings.TrimSpace(h.d.Input), "\n") {
		w := strings.Fields(line)
		if len(w) == 0 {
			continue
		}
		f := fields(line)
		p := kmsg.NewFetchResponseTopicPartition()
		p.Partition, p.HighWatermark, p.ErrorCode = int32(atoi(w[0], 0)), atoi(f["hw"], 0), int16(atoi(f["error"], 0))
		p.LogStartOffset = atoi(f["start"], 0)
		if f["n"] != "" {
			p.RecordBatches = batch(h.now, int(atoi(f["n"], 1)))
			record.SetBaseOffsetAndEpoch(p.RecordBatches, kafka.Offset(atoi(f["base"], 0)), kafka.LeaderEpoch(atoi(f["epoch"], 0)))
		}
		if e, end, ok := strings.Cut(f["diverging"], ","); ok {
			p.DivergingEpoch.Epoch, p.DivergingEpoch.EndOffset = int32(atoi(e, 0)), atoi(end, 0)
		}
		topic.Partitions = append(topic.Partitions, p)
	}
	resp.Topics = []kmsg.FetchResponseTopic{topic}
	return h.answer("Fetch", resp)
}

func (h *bench) offsetsAnswer() string {
	p := kmsg.ListOffsetsResponseTopicPartition{Offset: h.num("offset", 0), ErrorCode: int16(h.num("error", 0))}
	return h.answer("ListOffsets", &kmsg.ListOffsetsResponse{Version: 10, Topics: []kmsg.ListOffsetsResponseTopic{
		{Topic: "t", Partitions: []kmsg.ListOffsetsResponseTopicPartition{p}}}})
}

// offsets part=0 at=-1 [from=-1]: ListOffsets of a client (-1), a follower or a
// debugging tool (-2).
func (h *bench) offsets() string {
	p := kmsg.ListOffsetsRequestTopicPartition{Partition: int32(h.num("part", 0)), CurrentLeaderEpoch: -1, Timestamp: h.num("at", -1)}
	return h.request1(&kmsg.ListOffsetsRequest{Version: 10, ReplicaID: int32(h.num("from", -1)), Topics: []kmsg.ListOffsetsRequestTopic{
		{Topic: "t", Partitions: []kmsg.ListOffsetsRequestTopicPartition{p}}}})
}

// disconnect of=Fetch: the request of that kind gets no answer.
func (h *bench) disconnect() string {
	m := h.asked[h.text("of", "Fetch")]
	return h.step(&sim.Input{Kind: sim.InputDisconnected, From: m.To, Channel: m.Channel, Corr: m.Corr, Reason: sim.ReasonReset})
}

// pass lets time go by; timers fire on the way. Heartbeats are answered.
func (h *bench) pass(d kafka.Duration) (out string) {
	until := h.now.Add(d)
	for {
		next := -1
		for i, t := range h.timers {
			if t.At <= until && (next < 0 || t.At < h.timers[next].At) {
				next = i
			}
		}
		if next < 0 {
			h.now = until
			return out
		}
		t := h.timers[next]
		h.timers = slices.Delete(h.timers, next, next+1)
		h.now = max(h.now, t.At)
		got := h.step(&sim.Input{Kind: sim.InputTimer, Timer: t.Timer})
		if t.Timer.Kind == timerHeartbeat && d > kafka.Second {
			h.answer("BrokerHeartbeat", &kmsg.BrokerHeartbeatResponse{})
			continue
		}
		if got != "" {
			out += fmt.Sprintf("%v %s", h.now, strings.ReplaceAll(strings.TrimSpace(got), "\n", "\n"+h.now.String()+" ")) + "\n"
		}
	}
}

// copy goes on with a copy of the broker, after the original was made to
// change: nothing of that may show.
func (h *bench) copy() string {
	old, oldDir, oldDisk := h.b, h.dir, h.disk
	h.dir = oldDir.Clone()
	h.b = old.Clone(h.dir, &h.disk)
	a, b := sim.NewHash(), sim.NewHash()
	old.Digest(a)
	h.b.Digest(b)
	if a.Sum() != b.Sum() {
		return "the copy has another digest\n"
	}
	out := sim.NewOut(h.now, 1)
	for _, p := range []int32{0, 1} {
		req := &kmsg.ProduceRequest{Version: 13, Acks: 1, TimeoutMillis: 1000}
		req.Topics = []kmsg.ProduceRequestTopic{{TopicID: topicID, Partitions: []kmsg.ProduceRequestTopicPartition{{Partition: p, Records: batch(h.now, 3)}}}}
		old.Step(h.now, &sim.Input{Kind: sim.InputRequest, From: 9, Conn: 999, Corr: 1, Request: req}, out)
	}
	old.Step(h.now, &sim.Input{Kind: sim.InputTimer, Timer: timer(timerISR, 0)}, out)
	_ = oldDisk
	c := sim.NewHash()
	h.b.Digest(c)
	if b.Sum() != c.Sum() {
		return "the original's changes show in the copy\n"
	}
	return "same\n"
}

// state prints the replicas.
func (h *bench) state() string {
	var b strings.Builder
	for i := range h.b.Replicas() {
		r, ok := h.b.ReplicaAt(i)
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "%v leader %d epoch %d log %d..%d hw %d", r.TP, r.Leader, r.Epoch, r.Log.LogStart(), r.Log.LEO(), r.HW)
		if r.Leads {
			fmt.Fprintf(&b, " isr %s maximal %s", FormatISR(r.ISR), FormatISR(r.MaximalISR))
			if r.Pending != nil {
				fmt.Fprintf(&b, " pending %s", FormatISR(r.Pending))
			}
			for k := range r.Followers() {
				f := r.Follower(k, h.now)
				fmt.Fprintf(&b, "; %d at %d caught up %v in sync %v", f.Node, f.LEO, f.CaughtUp, f.InSync)
			}
		}
		b.WriteByte('\n')
	}
	p, f := h.b.PurgatorySize()
	fmt.Fprintf(&b, "purgatory: produce %d fetch %d\n", p, f)
	return b.String()
}
