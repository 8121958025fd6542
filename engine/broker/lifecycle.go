package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
)

// State is a broker's state in its life with the controller
// (metadata/BrokerState.java).
type State uint8

// The states.
const (
	NotRunning                State = iota
	Starting                        // registering, catching up with the metadata log
	Recovery                        // opening logs, waiting to be unfenced
	Running                         // serves, may lead
	PendingControlledShutdown       // the controller moves its leaderships away
	ShuttingDown
)

// String is Kafka's name for the state.
func (s State) String() string {
	return [...]string{"NOT_RUNNING", "STARTING", "RECOVERY", "RUNNING", "PENDING_CONTROLLED_SHUTDOWN", "SHUTTING_DOWN"}[s]
}

// Times of BrokerLifecycleManager and BrokerServer that are no configs.
const (
	startingHeartbeat = 10 * kafka.Millisecond // between heartbeats while catching up
	firstShutdownBeat = 50 * kafka.Millisecond // after the first answer to a wish to shut down
	shutdownPatience  = 5 * kafka.Minute       // then it shuts down without leave
	// recoveryBytesPerSecond is how fast logs are checked after an unclean
	// shutdown: reading and CRC on one disk. Ours, not Kafka's.
	recoveryBytesPerSecond = 200 << 20
)

// timerLogs has these uses, told apart by A.
const (
	logsOpen       int32 = iota // logs have been checked
	logsClosed                  // all is flushed: the process ends
	logsPatience                // controlled shutdown takes too long
	logsRegister                // registration takes too long
	logsDirFailure              // telling the controller of a failed directory takes too long
)

// lifecycle is BrokerLifecycleManager: registration, then a heartbeat every
// broker.heartbeat.interval.ms.
type lifecycle struct {
	state     State
	epoch     kafka.BrokerEpoch // -1: not registered
	inFlight  bool              // a registration or heartbeat is under way
	immediate bool              // the next one goes out as soon as it is back
	ready     bool              // to be unfenced
	toldDown  bool              // the controller knows the wish to shut down
	recover   int64             // bytes that opening the logs has to check
	toldDirs  uint32            // failed directories that the controller knows of
	tellDirs  uint32            // those in the heartbeat under way
}

// State returns where the broker is in its life.
func (b *Broker) State() State { return b.life.state }

// Epoch is the broker epoch of its registration, -1 before.
func (b *Broker) Epoch() kafka.BrokerEpoch { return b.life.epoch }

// startLifecycle registers with the controller. recover is how many bytes of log
// must be checked before the broker is ready.
func (b *Broker) startLifecycle(now kafka.Instant, recover int64, out *sim.Out) {
	b.life = lifecycle{state: Starting, epoch: -1, recover: recover}
	b.startDirectories(out)
	out.After(timer(timerLogs, logsRegister), b.set.registration)
	b.communicate(now, out)
}

// giveUp ends a process that could not register in time, or was told to end before it
// had. Its logs have not been opened, so proof of a clean shutdown stays valid, as
// the clean shutdown files are deleted when they are (LogManager.loadLogs).
func (b *Broker) giveUp(why string, out *sim.Out) {
	b.life.state = ShuttingDown
	if b.cfg.PreviousEpoch >= 0 {
		b.dir.Shutdown(b.cfg.PreviousEpoch)
	}
	out.Note(trace.Note{Kind: trace.Shutdown, Node: b.cfg.ID, Say: why})
	out.Exit()
}

// communicate sends a registration, or a heartbeat once that has succeeded.
func (b *Broker) communicate(now kafka.Instant, out *sim.Out) {
	if b.life.state == ShuttingDown {
		return
	}
	if b.life.inFlight {
		b.life.immediate = true
		return
	}
	b.life.inFlight = true
	deadline := now.Add(b.set.sessionTimeout / 2)
	if b.life.epoch < 0 {
		b.ask(now, controlRegister, b.registration(), deadline, out)
		return
	}
	b.life.tellDirs = b.care.offline
	b.ask(now, controlHeartbeat, &kmsg.BrokerHeartbeatRequest{
		Version: 1, BrokerID: int32(b.cfg.ID), BrokerEpoch: int64(b.life.epoch),
		CurrentMetadataOffset: int64(b.img.Offset), WantFence: !b.life.ready,
		WantShutdown: b.life.state == PendingControlledShutdown, OfflineLogDirs: b.directoryIDs(b.care.offline),
	}, deadline, out)
}

func (b *Broker) registration() *kmsg.BrokerRegistrationRequest {
	return &kmsg.BrokerRegistrationRequest{
		Version: 4, BrokerID: int32(b.cfg.ID), ClusterID: b.cfg.ClusterID, IncarnationID: b.cfg.Incarnation,
		Rack: rackOf(b.cfg.Rack), LogDirs: b.directoryIDs(^b.care.offline), PreviousBrokerEpoch: int64(b.cfg.PreviousEpoch),
		Listeners: []kmsg.BrokerRegistrationRequestListener{{Name: "PLAINTEXT", Host: b.cfg.Host, Port: uint16(b.cfg.Port)}},
		Features: []kmsg.BrokerRegistrationRequestFeature{
			{Name: "eligible.leader.replicas.version", MaxSupportedVersion: 1},
			{Name: "group.version", MaxSupportedVersion: 1},
			{Name: "metadata.version", MinSupportedVersion: 7, MaxSupportedVersion: 29},
			{Name: "transaction.version", MaxSupportedVersion: 2},
		},
	}
}

// schedule plans the next registration or heartbeat.
func (b *Broker) schedule(d kafka.Duration, out *sim.Out) {
	if b.life.immediate {
		d, b.life.immediate = 0, false
	}
	out.After(timer(timerHeartbeat, 0), d)
}

// communicationFailed plans the next try; it never comes at once.
func (b *Broker) communicationFailed(out *sim.Out) {
	b.life.inFlight, b.life.immediate = false, false
	b.schedule(b.set.heartbeatInterval, out)
}

func (b *Broker) registered(now kafka.Instant, resp *kmsg.BrokerRegistrationResponse, out *sim.Out) {
	if resp.ErrorCode != 0 {
		b.communicationFailed(out)
		return
	}
	b.life.inFlight, b.life.epoch = false, kafka.BrokerEpoch(resp.BrokerEpoch)
	b.schedule(0, out)
	b.runFetchers(now, out)
}

// heartbeatAnswered moves the broker through its states
// (BrokerHeartbeatResponseEvent).
func (b *Broker) heartbeatAnswered(now kafka.Instant, resp *kmsg.BrokerHeartbeatResponse, out *sim.Out) {
	if resp.ErrorCode != 0 {
		b.communicationFailed(out)
		return
	}
	b.life.inFlight = false
	b.life.toldDirs |= b.life.tellDirs
	switch b.life.state {
	case Starting:
		if resp.IsCaughtUp {
			b.life.state = Recovery
			b.openLogs(now, out)
		}
		b.schedule(startingHeartbeat, out)
	case Recovery:
		if !resp.IsFenced {
			b.life.state = Running
		}
		b.schedule(b.set.heartbeatInterval, out)
	case Running:
		b.schedule(b.set.heartbeatInterval, out)
	case PendingControlledShutdown:
		switch {
		case resp.ShouldShutdown:
			b.shutDown(now, out)
		case !b.life.toldDown:
			b.schedule(firstShutdownBeat, out)
		default:
			b.schedule(b.set.heartbeatInterval, out)
		}
		b.life.toldDown = true
	}
}

// openLogs is LogManager.startup: after an unclean shutdown the logs are read
// and checked, which takes time.
func (b *Broker) openLogs(now kafka.Instant, out *sim.Out) {
	if b.life.recover == 0 {
		b.logsOpened(now, out)
		return
	}
	out.After(timer(timerLogs, logsOpen), kafka.Duration(b.life.recover*int64(kafka.Second)/recoveryBytesPerSecond))
}

// logsTimer handles the uses of timerLogs.
func (b *Broker) logsTimer(now kafka.Instant, use int32, out *sim.Out) {
	switch use {
	case logsOpen:
		b.logsOpened(now, out)
	case logsClosed:
		b.closed(out)
	case logsPatience:
		b.shutDown(now, out)
	case logsRegister:
		if b.life.epoch < 0 && b.life.state == Starting {
			b.giveUp("unable to register with the controller quorum", out)
		}
	case logsDirFailure:
		b.directoryUntold(now, out)
	}
}

// logsOpened applies the metadata image to the logs, serves requests from now
// on, starts the background tasks and asks to be unfenced.
func (b *Broker) logsOpened(now kafka.Instant, out *sim.Out) {
	for in := range b.cfg.Directories {
		b.noRoom(in, 1)
	}
	if b.failDirectories(now, out); b.life.state == ShuttingDown {
		return
	}
	b.loaded = true
	b.applyAll(now, out)
	out.After(timer(timerISR, 0), b.set.lagTimeMax/2)
	out.After(timer(timerCheckpoint, 0), b.set.checkpointInterval)
	out.After(timer(timerFlushed, 0), b.set.flushCheckpoint)
	b.careForLogs(now, out)
	b.life.ready = true
	b.communicate(now, out)
}

// Shutdown is SIGTERM: a running broker asks the controller to take its
// leaderships first (KIP-143's controlled shutdown in KRaft).
func (b *Broker) Shutdown(now kafka.Instant, out *sim.Out) {
	switch b.life.state {
	case Running:
		b.life.state = PendingControlledShutdown
		out.After(timer(timerLogs, logsPatience), shutdownPatience)
		b.communicate(now, out)
	case PendingControlledShutdown, ShuttingDown:
	case Starting:
		b.giveUp("", out)
	default:
		b.shutDown(now, out)
	}
}

// shutDown stops serving and flushes; the process ends when that is done.
func (b *Broker) shutDown(now kafka.Instant, out *sim.Out) {
	if b.life.state == ShuttingDown {
		return
	}
	b.life.state = ShuttingDown
	b.loaded = false
	out.After(timer(timerLogs, logsClosed), b.disk.Fsync(now, int(b.dir.Dirty())).Sub(now))
}

// closed writes the checkpoints and the clean shutdown file, and exits.
func (b *Broker) closed(out *sim.Out) {
	b.checkpoint()
	b.saveAllProducers()
	b.dir.ShutdownWithout(b.life.epoch, b.care.offline)
	out.Note(trace.Note{Kind: trace.Shutdown, Node: b.cfg.ID})
	out.Exit()
}

// checkpoint writes every high watermark to replication-offset-checkpoint.
func (b *Broker) checkpoint() {
	for _, p := range b.parts {
		if p != nil {
			b.dir.SetHWCheckpoint(p.slot, p.hw)
		}
	}
}
