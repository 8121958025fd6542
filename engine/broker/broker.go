package broker

import (
	"bytes"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/sim/disk"
	"github.com/highwater-sim/highwater/engine/storage"
)

// Config is what a broker process starts with.
type Config struct {
	ID          kafka.NodeID
	Rack        string // "" for none
	Host        string
	Port        int32
	ClusterID   string
	Incarnation [16]byte    // new for every start of the process
	Directories []Directory // log.dirs, in their order; at least one; last metadata.log.dir, if it is none of them
	// MetadataDir is where the metadata log is, by its number in Directories;
	// SeparateMetadata: in the last one, where nothing else is.
	MetadataDir      int
	SeparateMetadata bool
	// Static are the configs of server.properties, sorted by name.
	Static metadata.Static
	Seed   uint64
	// PreviousEpoch is the broker epoch that the clean shutdown file of the last
	// run proves, -1 without such proof (KIP-966).
	PreviousEpoch kafka.BrokerEpoch
}

// Directory is a log directory.
type Directory struct {
	Path string
	ID   [16]byte // in its meta.properties (KIP-858)
}

// The kinds of timer, with their A.
const (
	timerHeartbeat uint8 = iota
	timerControl         // A: 0 retry of requests to the controller, 1 of AlterPartition, 2 of AssignReplicasToDirs
	timerISR             // isr-expiration
	timerCheckpoint
	timerFlushed   // recovery points go to their checkpoint
	timerProduce   // earliest deadline in the produce purgatory
	timerFetch     // earliest deadline of a parked fetch
	timerFetcher   // A: leader; a back-off ends
	timerDisk      // the write at the head of the queue is done
	timerLogs      // A: logs open, logs closed, shutdown patience, a failed directory is not known
	timerRetention // log.retention.check.interval.ms
	timerPurge     // files of deleted segments go
	timerCleaner   // A: look for a log to clean, a step of a pass is done; B: thread
	timerDelete    // earliest deadline in the DeleteRecords purgatory
	timerMove      // A: partition; a piece of its log has been copied to another directory
)

func timer(kind uint8, a int32) sim.Timer {
	return sim.Timer{Owner: sim.OwnerBroker, Kind: kind, A: a}
}

// Broker is the machine. Its zero value is no use; see New.
type Broker struct {
	cfg  Config
	set  settings
	gen  uint64
	dir  *storage.Dir // the machine's; logs are changed through it only
	disk *disk.Disk   // the machine's
	rand sim.Rand
	img  *metadata.Image

	topics []localTopic // sorted by ID; a changed one is copied
	parts  []*partition // index: partition number within this broker; nil: dropped

	life    lifecycle
	control control
	alter   alterPartition
	assign  assignments
	moves   []int32     // replicas on their way to another log directory, in the order of their orders
	prefer  []preferred // replaced, never changed
	pids    producerIDs

	produces     []*delayedProduce // produce purgatory, by slot; nil: free
	freeProduce  []int32
	spareProduce []*delayedProduce // memory for produces to come; no state
	produceDue   kafka.Instant     // when timerProduce fires; Never: unset

	gives, takes throttle // of replication, as leader and as follower

	sessions    []*session // fetch sessions, by slot; nil: free
	freeSession []int32
	fetchDue    kafka.Instant // when timerFetch fires; Never: unset

	fetchers []*fetcher // sorted by leader
	nextCorr int32
	writes   []write // waiting for a slow disk, in order
	wake     []int32 // sessions to look at before this step ends
	locals   []LocalAppend
	leaders  []LeaderChange
	creating []string      // topics whose automatic creation is under way, sorted
	uses     []clientUse   // of clients with a quota, sorted by user and client
	opened   kafka.Instant // when the logs were
	loaded   bool          // logs are open; requests are served
	care     logCare       // retention, cleaner, DeleteRecords

	scratch  []readResult    // of one fetch; no state
	produced []produceResult // of one Produce; no state
}

// localTopic is a topic of the image with this broker's replicas of it.
type localTopic struct {
	id    kafka.TopicID
	name  string
	parts []int32 // by partition; -1: no replica here; offlineReplica
}

// New returns a broker that has not started. It works on dir and d, which
// belong to the machine and outlive the process.
func New(cfg Config, dir *storage.Dir, d *disk.Disk) *Broker {
	b := &Broker{
		cfg: cfg, dir: dir, disk: d, img: metadata.Empty(),
		rand:       sim.NewRand(cfg.Seed, "broker"),
		produceDue: kafka.Never, fetchDue: kafka.Never, care: newLogCare(),
	}
	if len(cfg.Directories) == 0 {
		b.cfg.Directories = []Directory{{}}
	}
	b.set = readSettings(&b.cfg, b.img)
	return b
}

// Start begins the process's life: registration with the controller. Requests
// are refused until the logs are open; recover is how many bytes of them must
// be checked before, after an unclean shutdown.
func (b *Broker) Start(now kafka.Instant, recover int64, out *sim.Out) {
	b.startLifecycle(now, recover, out)
}

// Clone returns a copy that works on dir and d, the copies of the machine's.
func (b *Broker) Clone(dir *storage.Dir, d *disk.Disk) *Broker {
	b.gen++
	c := *b
	c.dir, c.disk = dir, d
	c.parts = slices.Clone(b.parts)
	c.produces = slices.Clone(b.produces)
	c.freeProduce = slices.Clone(b.freeProduce)
	c.sessions = slices.Clone(b.sessions)
	c.freeSession = slices.Clone(b.freeSession)
	c.fetchers = slices.Clone(b.fetchers)
	c.writes = slices.Clone(b.writes)
	c.wake = slices.Clone(b.wake)
	c.locals = slices.Clone(b.locals)
	c.leaders = slices.Clone(b.leaders)
	c.control = b.control.clone()
	c.alter = b.alter.clone()
	c.assign = b.assign.clone()
	c.pids = b.pids.clone()
	c.uses, c.moves = slices.Clone(b.uses), slices.Clone(b.moves)
	c.care.cleaner.threads = slices.Clone(b.care.cleaner.threads)
	c.scratch, c.produced, c.spareProduce = nil, nil, nil
	return &c
}

// Step takes a request, response, disconnection or timer that is the broker's.
func (b *Broker) Step(now kafka.Instant, in *sim.Input, out *sim.Out) {
	switch in.Kind {
	case sim.InputRequest:
		b.request(now, in, out)
	case sim.InputResponse:
		b.response(now, in, out)
	case sim.InputDisconnected:
		b.disconnected(now, in, out)
	case sim.InputTimer:
		b.fired(now, in.Timer, out)
	}
	b.failDirectories(now, out)
	b.flushWakes(now, out)
}

// request dispatches by API key. Until the logs are loaded nobody is served: a
// real broker opens its port only then (BrokerServer.startup).
func (b *Broker) request(now kafka.Instant, in *sim.Input, out *sim.Out) {
	if !b.loaded {
		out.CloseConn(in.Conn)
		return
	}
	switch req := in.Request.(type) {
	case *kmsg.FetchRequest:
		b.handleFetch(now, in, req, out)
	case *kmsg.ProduceRequest:
		b.handleProduce(now, in, req, out)
	default:
		b.otherRequest(now, in, out)
		b.Charge(now, in, out)
	}
}

// otherRequest is request but for what moves records.
func (b *Broker) otherRequest(now kafka.Instant, in *sim.Input, out *sim.Out) {
	switch req := in.Request.(type) {
	case *kmsg.MetadataRequest:
		b.handleMetadata(now, in, req, out)
	case *kmsg.ListOffsetsRequest:
		b.handleListOffsets(now, in, req, out)
	case *kmsg.OffsetForLeaderEpochRequest:
		b.handleOffsetForLeaderEpoch(in, req, out)
	case *kmsg.FindCoordinatorRequest:
		b.handleFindCoordinator(now, in, req, out)
	case *kmsg.InitProducerIDRequest:
		b.handleInitProducerID(now, in, req, out)
	case *kmsg.ApiVersionsRequest:
		b.handleAPIVersions(in, req, out)
	case *kmsg.DeleteRecordsRequest:
		b.handleDeleteRecords(now, in, req, out)
	case *kmsg.DescribeConfigsRequest:
		b.handleDescribeConfigs(in, req, out)
	case *kmsg.AlterReplicaLogDirsRequest:
		b.handleAlterReplicaLogDirs(now, in, req, out)
	case *kmsg.DescribeLogDirsRequest:
		b.handleDescribeLogDirs(in, req, out)
	case *kmsg.DescribeClientQuotasRequest:
		b.handleDescribeQuotas(in, req, out)
	default:
		if !forwardable(req) {
			out.CloseConn(in.Conn) // an API that this broker does not know
			return
		}
		b.forward(now, in, out)
	}
}

func (b *Broker) response(now kafka.Instant, in *sim.Input, out *sim.Out) {
	if in.Channel == sim.ChanFetcher {
		b.fetcherResponse(now, in, out)
		return
	}
	b.controlResponse(now, in, out)
}

func (b *Broker) disconnected(now kafka.Instant, in *sim.Input, out *sim.Out) {
	if in.Channel == sim.ChanFetcher {
		b.fetcherDisconnected(now, in, out)
		return
	}
	b.controlDisconnected(now, in, out)
}

func (b *Broker) fired(now kafka.Instant, t sim.Timer, out *sim.Out) {
	switch t.Kind {
	case timerHeartbeat:
		b.communicate(now, out)
	case timerControl:
		switch t.A {
		case 1:
			b.sendAlterPartition(now, out)
		case 2:
			b.sendAssignments(now, out)
		default:
			b.retryControl(now, out)
		}
	case timerISR:
		b.expireISR(now, out)
	case timerCheckpoint:
		b.checkpoint()
		out.After(t, b.set.checkpointInterval)
	case timerFlushed:
		b.dir.Checkpoint()
		out.After(t, b.set.flushCheckpoint)
	case timerProduce:
		b.expireProduces(now, out)
	case timerFetch:
		b.expireFetches(now, out)
	case timerFetcher:
		b.fetcherWakes(now, kafka.NodeID(t.A), out)
	case timerDisk:
		b.writesDone(now, out)
	case timerLogs:
		b.logsTimer(now, t.A, out)
	case timerRetention:
		b.checkRetention(now, out)
	case timerPurge:
		b.purge(now, out)
	case timerCleaner:
		b.cleanerFired(now, t.A, t.B, out)
	case timerDelete:
		b.expireDeletes(now, out)
	case timerMove:
		b.moveStep(now, t.A, out)
	}
}

// corr returns a fresh correlation id.
func (b *Broker) corr() int32 {
	b.nextCorr++
	return b.nextCorr
}

// find returns the number of a partition within this broker; -1: no replica
// here, or offlineReplica. known tells whether the image has it.
func (b *Broker) find(id kafka.TopicID, partition int32) (i int32, known bool) {
	t := b.topicByID(id)
	if t == nil || partition < 0 || int(partition) >= len(t.parts) {
		return -1, false
	}
	return t.parts[partition], true
}

func (b *Broker) topicByID(id kafka.TopicID) *localTopic {
	lo, hi := 0, len(b.topics)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		switch c := bytes.Compare(b.topics[m].id[:], id[:]); {
		case c == 0:
			return &b.topics[m]
		case c < 0:
			lo = m + 1
		default:
			hi = m
		}
	}
	return nil
}

// findName is find by topic name.
func (b *Broker) findName(topic string, partition int32) (i int32, known bool) {
	t := b.img.Topic(topic)
	if t == nil {
		return -1, false
	}
	return b.find(t.ID, partition)
}

// mut returns a partition to change, copied first if a snapshot shares it.
func (b *Broker) mut(i int32) *partition {
	p := b.parts[i]
	if p.gen != b.gen {
		p = p.copyFor(b)
		b.parts[i] = p
	}
	return p
}

// mutSession returns a session to change.
func (b *Broker) mutSession(slot int32) *session {
	s := b.sessions[slot]
	if s.gen != b.gen {
		s = s.copyFor(b.gen)
		b.sessions[slot] = s
	}
	return s
}
