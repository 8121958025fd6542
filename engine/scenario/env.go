package scenario

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/law"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/storage"
)

// cluster is what expectations read of a world.
type cluster interface {
	law.Cluster
	// Up reports whether a broker's process runs.
	Up(b kafka.NodeID) bool
	// Controller is the active controller, NoNode if there is none.
	Controller() kafka.NodeID
	// Controllers lists the controller processes by node.id.
	Controllers() []controllerState
	// BrokerController is the quorum's leader as a broker knows it, NoNode if it
	// knows none or is down.
	BrokerController(b kafka.NodeID) kafka.NodeID
	// LogDir is the path of the log directory that holds a broker's replica, "" if
	// it has none.
	LogDir(b kafka.NodeID, tp kafka.TopicPartition) string
	// FutureDir is the path of the log directory that a broker's replica moves to, ""
	// if it does not move.
	FutureDir(b kafka.NodeID, tp kafka.TopicPartition) string
	// DirBytes is how much a broker's log directory holds, and GoneDirs are the names of
	// folders that it has given up; false if there is no such directory.
	DirBytes(b kafka.NodeID, path string) (int64, bool)
	GoneDirs(b kafka.NodeID) []string
	// OfflineDirs lists a broker's offline log directories.
	OfflineDirs(b kafka.NodeID) []string
	// Producer and Consumer return a client's state; false before it was started.
	Producer(name string) (producerState, bool)
	Consumer(name string) (consumerState, bool)
	// Committed is a group's offset as its coordinator has it; NoOffset if none.
	Committed(group string, tp kafka.TopicPartition) kafka.Offset
}

// producerState is what a producer knows.
type producerState struct {
	law.Producer
	sent, failed, retries int64
	throttled             kafka.Duration
	lastError             kafka.ErrorCode
}

// consumerState is what a consumer knows.
type consumerState struct {
	group                            string
	delivered, duplicates, reordered int64
	processed, processedAgain        int64
	throttled                        kafka.Duration
	lastError                        kafka.ErrorCode
	assigned                         []assignedState
}

// assignedState is a partition that a consumer reads.
type assignedState struct {
	tp            kafka.TopicPartition
	position, end kafka.Offset // NoOffset: not known yet
	readsFrom     kafka.NodeID
}

// env is where a condition is evaluated.
type env struct {
	cluster
	watched []watched
	ledger  *law.Ledger
	fresh   bool // the ledger was updated for this moment
}

func (e *env) image() *metadata.Image { return e.Image() }

func (e *env) minISR(t *metadata.Topic, p *metadata.Partition) int {
	return min(e.MinISR(kafka.TopicPartition{Topic: t.Name}), len(p.Replicas))
}

// replica returns the replica that the arguments PARTITION [, BROKER] name. Of a
// broker that is down it is the log as it will be found at the next start.
func (e *env) replica(a []Arg) (law.Replica, kafka.NodeID, string) {
	tp, b := a[0].TP, a[1].Node
	p, why := e.partition(tp)
	if p == nil {
		return law.Replica{}, 0, why
	}
	if a[1].Kind == ArgAbsent {
		if b = p.Leader; b == kafka.NoNode {
			return law.Replica{}, 0, tp.String() + " has no leader"
		}
	}
	r, ok := e.Replica(b, tp)
	if !ok {
		return r, b, "broker-" + num(int(b)) + " has no replica of " + tp.String()
	}
	if !r.Up {
		r.Log = law.Recovered(r.Log)
	}
	return r, b, ""
}

// running is replica for what only a running process knows.
func (e *env) running(a []Arg) (law.Replica, string) {
	r, b, why := e.replica(a)
	if why == "" && !r.Up {
		why = "broker-" + num(int(b)) + " does not run"
	}
	return r, why
}

func evalLEO(e *env, a []Arg) (Value, string) {
	r, _, why := e.replica(a)
	if why != "" {
		return none(why)
	}
	return number(int64(r.Log.LEO()))
}

func evalHW(e *env, a []Arg) (Value, string) {
	r, why := e.running(a)
	if why != "" {
		return none(why)
	}
	return number(int64(r.HW))
}

func evalLSO(e *env, a []Arg) (Value, string) {
	r, why := e.running(a)
	if why != "" {
		return none(why)
	}
	return number(int64(r.LSO))
}

func evalLogStart(e *env, a []Arg) (Value, string) {
	r, _, why := e.replica(a)
	if why != "" {
		return none(why)
	}
	return number(int64(r.Log.LogStart()))
}

func evalLeads(e *env, a []Arg) (Value, string) {
	r, _, why := e.replica(a)
	if why != "" {
		return none(why)
	}
	return truth(r.Up && r.Leads)
}

func evalLogEpochs(e *env, a []Arg) (Value, string) {
	r, _, why := e.replica(a)
	if why != "" {
		return none(why)
	}
	v := Value{Type: TypeTexts}
	for _, x := range r.Log.Epochs() {
		v.Texts = append(v.Texts, epochText(x.Epoch, x.StartOffset))
	}
	return v, ""
}

func evalSegments(e *env, a []Arg) (Value, string) {
	r, _, why := e.replica(a)
	if why != "" {
		return none(why)
	}
	v := Value{Type: TypeNumbers}
	for _, s := range r.Log.Segments() {
		v.List = append(v.List, int64(s.BaseOffset))
	}
	return v, ""
}

func evalLogBytes(e *env, a []Arg) (Value, string) {
	r, _, why := e.replica(a)
	if why != "" {
		return none(why)
	}
	return number(r.Log.Size())
}

func evalIndex(e *env, a []Arg) (Value, string) {
	r, _, why := e.replica(a)
	if why != "" {
		return none(why)
	}
	v := Value{Type: TypeNumbers}
	for _, s := range r.Log.Segments() {
		for _, x := range r.Log.Index(s.BaseOffset) {
			v.List = append(v.List, int64(x.Offset))
		}
	}
	return v, ""
}

// evalDurable is the offset below which every batch is on the disk.
func evalDurable(e *env, a []Arg) (Value, string) {
	r, _, why := e.replica(a)
	if why != "" {
		return none(why)
	}
	return number(int64(durable(r.Log)))
}

// durable finds the end of the last batch that is flushed whole.
func durable(l *storage.Log) kafka.Offset {
	segs := l.Segments()
	last := segs[len(segs)-1]
	left := last.Size - l.Dirty()
	end := last.BaseOffset
	for b := range l.Batches(last.BaseOffset) {
		if b.Position+int64(b.Raw.Size()) > left {
			break
		}
		end = b.Header.NextOffset()
	}
	return end
}

func evalUp(e *env, a []Arg) (Value, string) { return truth(e.Up(a[0].Node)) }

func evalController(e *env, _ []Arg) (Value, string) { return number(int64(e.Controller())) }
