package main

import (
	"fmt"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
)

// settle is how long the cluster has after the last fault to make everything
// good: longer than delivery.timeout.ms.
const settle = 150 * kafka.Second

// The soak's topic.
const (
	soakPartitions = 4
	soakReplicas   = 3
	soakMinISR     = 2
)

// swarm is what may happen in a run. Which of it may is drawn from the seed: a run
// in which all happens hides what a few of them do together.
type swarm struct {
	brokers, controllers int // controllers in processes of their own, those that join included
	combined             int // the first so many brokers are controllers as well

	crash, freeze, cut, oneWay, slow, stop bool // of brokers
	power                                  bool // one machine, once; or, in a lossy run, any, and racks
	control                                bool // crashes, freezes and cuts of controllers
	elect, reassign, config, topics, clean bool
	unclean                                bool // unclean.leader.election.enable
	dirs                                   bool // failures of the second of two log directories
	voters                                 bool // two more controllers become voters and cease to be
}

// draw draws the options of a run.
func draw(r *sim.Rand) swarm {
	s := swarm{brokers: 3 + int(r.IntN(3)), controllers: 3}
	if r.IntN(4) == 0 {
		s.controllers = 1
	}
	for _, on := range s.table() {
		*on.on = r.IntN(2) == 0
	}
	s.unclean = s.unclean && r.IntN(2) == 0
	s.dirs = s.dirs && !s.power && r.IntN(2) == 0 // a directory that comes back after its failure is a crash
	if s.voters = s.voters && s.controllers == 3 && r.IntN(2) == 0; s.voters {
		s.controllers = 5
	}
	s.reassign = s.reassign && s.brokers > soakReplicas
	return s
}

// combine makes the controllers a part of the brokers' processes. Then whatever befalls
// a broker befalls a controller.
func (s *swarm) combine() {
	s.combined, s.controllers = s.controllers, 0
	if s.voters {
		s.combined, s.controllers = 3, 2
	}
	s.control = true
}

// drawn draws the options of a seed. Whether processes are combined comes from a stream
// of its own.
func drawn(seed uint64, r *sim.Rand) swarm {
	s := draw(r)
	if apart := sim.NewRand(seed, "soak/combined"); apart.IntN(4) == 0 {
		s.combine()
	}
	return s
}

type option struct {
	name string
	on   *bool
}

func (s *swarm) table() []option {
	return []option{
		{"crash", &s.crash},
		{"power", &s.power},
		{"stop", &s.stop},
		{"freeze", &s.freeze},
		{"cut", &s.cut},
		{"one-way", &s.oneWay},
		{"slow", &s.slow},
		{"controllers", &s.control},
		{"elect", &s.elect},
		{"reassign", &s.reassign},
		{"config", &s.config},
		{"topics", &s.topics},
		{"clean", &s.clean},
		{"unclean", &s.unclean},
		{"directories", &s.dirs},
		{"voters", &s.voters},
	}
}

// String lists the options that are on.
func (s swarm) String() string {
	words := []string{fmt.Sprintf("%d brokers, %d controllers", s.brokers, s.controllers)}
	if s.combined > 0 {
		words = append(words, fmt.Sprintf("%d combined", s.combined))
	}
	for _, o := range s.table() {
		if *o.on {
			words = append(words, o.name)
		}
	}
	return strings.Join(words, ", ")
}

// lossy reports whether Kafka may lose records that acks=all acknowledged: by an
// unclean election, or by losses of power together with other unclean ends, which
// the controller cannot tell apart (KIP-966): after min.insync.replicas of them the
// last leader leads again, even if it is the one that lost its records. A broker
// with a failed directory cannot end cleanly, so that it leaves all ELRs.
func (s *swarm) lossy() bool { return s.unclean || s.power && s.crash || s.dirs && s.ends() }

// script is a scenario as it is written.
type script struct {
	strings.Builder
	r sim.Rand
	swarm
	at    kafka.Duration
	nodes []condition // brokers, then controllers
	dark  bool        // a machine has lost power
	gone  bool        // topic u is deleted
	torn  []bool      // by broker: its second directory is broken
	tried []bool      // by broker: it may have given that up
}

// condition is how a process is.
type condition uint8

const (
	well condition = iota
	frozen
	down
	dark // and its machine without power
)

func (s *script) line(format string, a ...any) { fmt.Fprintf(s, format+"\n", a...) }

// soakText writes the scenario of a seed: load, faults that are sometimes undone,
// then peace, and what must be true at its end.
func soakText(seed uint64, long kafka.Duration) string {
	s := &script{r: sim.NewRand(seed, "soak")}
	s.swarm = drawn(seed, &s.r)
	s.nodes = make([]condition, s.brokers+s.controllers)
	s.torn, s.tried = make([]bool, s.brokers), make([]bool, s.brokers)
	s.header(seed)
	for s.at = kafka.Second; s.at < long; {
		s.line("at %s expect stored(safe) >= 0", s.at) // the ledger reads what retention may take next
		s.line("   %s", s.next())
		s.at += kafka.Duration(s.r.IntN(int64(4*kafka.Second)))/kafka.Millisecond*kafka.Millisecond + kafka.Millisecond
	}
	s.at = long
	s.peace()
	s.life()
	return s.String()
}

// String is the text; it hides that of the options.
func (s *script) String() string { return s.Builder.String() }

func (s *script) header(seed uint64) {
	s.line("title Soak %d: %s", seed, s.swarm)
	s.line("seed %d", seed)
	first := fmt.Sprintf("controllers=%d", s.controllers)
	switch {
	case s.combined > 0 && s.voters:
		first = fmt.Sprintf("combined=%d kraft.version=1", s.combined)
	case s.combined > 0:
		first = fmt.Sprintf("combined=%d", s.combined)
	case s.voters:
		first = "controllers=3 kraft.version=1"
	}
	// A broker that starts while the quorum is lost must not give up.
	s.line("cluster brokers=%d %s racks=a,b,c replica.lag.time.max.ms=%d initial.broker.registration.timeout.ms=600000 log.cleaner.backoff.ms=1500 log.retention.check.interval.ms=2000 log.cleaner.io.max.bytes.per.second=%d log.cleaner.threads=%d log.segment.delete.delay.ms=5000",
		s.brokers, first, 2000+s.r.IntN(4)*4000, 2000+s.r.IntN(20000), 1+s.r.IntN(3))
	if s.dirs {
		s.line("broker all log.dirs=/d1,/d2 log.dir.failure.timeout.ms=600000 replica.alter.log.dirs.io.max.bytes.per.second=%d", 5000+s.r.IntN(100000))
	}
	s.line("topic t partitions=%d replication.factor=%d min.insync.replicas=%d unclean.leader.election.enable=%v",
		soakPartitions, soakReplicas, soakMinISR, s.unclean)
	s.line("producer safe topic=t acks=all rate=%d/s keys=16", 10+s.r.IntN(100))
	s.line("producer fast topic=t acks=1 rate=%d/s keys=16 enable.idempotence=false", 10+s.r.IntN(100))
	s.line("consumer c assign=t from=earliest group=g")
	if s.topics {
		s.line("topic u partitions=2 replication.factor=%d", soakReplicas)
		s.line("producer brief topic=u acks=1 rate=10/s")
	}
	if s.clean {
		s.line("topic k partitions=2 replication.factor=%d min.insync.replicas=%d cleanup.policy=%s segment.bytes=%d delete.retention.ms=%d min.cleanable.dirty.ratio=0.2 retention.ms=%d",
			soakReplicas, soakMinISR, [...]string{"compact", "compact", "compact,delete", "delete"}[s.r.IntN(4)], 2000+s.r.IntN(4000), 1000*s.r.IntN(9), 4000+1000*s.r.IntN(20))
		s.line("topic o replication.factor=%d segment.ms=3000 retention.ms=10000", soakReplicas)
		s.line("producer keyed topic=k acks=all rate=%d/s keys=12", 5+s.r.IntN(60))
		s.line("producer old topic=o acks=all rate=5/s")
		s.line("consumer ck assign=k,o from=earliest")
	}
	s.line("")
	if s.voters {
		s.line("at 0s add controller-%d\n   add controller-%d", s.joining(0), s.joining(1))
	}
}

// joining is the node.id of a controller that joins.
func (s *script) joining(i int) int { return 99 + s.controllers + i }

// name is a process's name by its place in nodes.
func (s *script) name(i int) string {
	if i < s.brokers {
		return fmt.Sprintf("broker-%d", i+1)
	}
	return fmt.Sprintf("controller-%d", 101+i-s.brokers)
}

// next draws a fault that is possible now, or undoes one.
func (s *script) next() string {
	i := int(s.r.IntN(int64(s.brokers)))
	if s.control && s.controllers > 0 && s.r.IntN(4) == 0 {
		i = s.brokers + int(s.r.IntN(int64(s.controllers)))
	}
	switch s.nodes[i] {
	case frozen:
		s.nodes[i] = well
		return "thaw " + s.name(i)
	case down, dark:
		s.nodes[i] = well
		return "start " + s.name(i)
	}
	for range 50 {
		if fault := s.fault(i); fault != "" {
			return fault
		}
	}
	return "heal all"
}

// fault draws a fault that process i may have; "" if this is not a run for it.
func (s *script) fault(i int) string {
	name, controller := s.name(i), i >= s.brokers
	p := s.r.IntN(soakPartitions)
	switch s.r.IntN(21) {
	case 0, 1:
		return s.end(s.crash || controller && s.control, i, down, "crash")
	case 2:
		return s.end(s.freeze, i, frozen, "freeze")
	case 3:
		return s.end(s.stop, i, down, "stop")
	case 4:
		return s.powerLoss(i)
	case 5:
		return when(s.cut, "cut "+name+" "+s.other(i))
	case 6:
		return when(s.oneWay, "cut "+name+" "+s.other(i)+" one-way")
	case 7:
		return when(s.cut && s.control && !controller, "cut "+name+" controller-active")
	case 8:
		return when(s.cut || s.oneWay, "heal all")
	case 9:
		return when(s.slow, fmt.Sprintf("disk %s latency=%dms", name, s.r.IntN(4)*25))
	case 10:
		return when(s.elect, fmt.Sprintf("elect t-%d", p))
	case 11:
		return when(s.reassign, fmt.Sprintf("reassign t-%d %s", p, s.replicas()))
	case 12:
		// What it leaves in an ELR keeps the last leader from being elected.
		return when(s.reassign && !s.crash && !s.stop && !s.power, fmt.Sprintf("cancel-reassign t-%d", p))
	case 13:
		return s.newConfig()
	case 14:
		return s.topic()
	case 15, 16:
		return s.directory(i)
	case 18, 19:
		return when(s.dirs && !controller, fmt.Sprintf("alter-log-dir %s t-%d /d%d", name, p, 1+s.r.IntN(2)))
	case 17: // the first three always stay voters
		return when(s.voters, fmt.Sprintf("%s controller-%d", [...]string{"add-voter", "remove-voter"}[s.r.IntN(2)], s.joining(int(s.r.IntN(2)))))
	}
	// Where logs diverge below a log start within a batch, Kafka's follower fails.
	return when(s.clean && !s.lossy() && !s.ends(), fmt.Sprintf("delete-records t-%d %d", p, s.at/kafka.Second))
}

func when(on bool, fault string) string {
	if on {
		return fault
	}
	return ""
}

func (s *script) end(on bool, i int, as condition, verb string) string {
	if on {
		s.nodes[i] = as
	}
	return when(on, verb+" "+s.name(i))
}

// powerLoss takes the power from one machine, once in a run that must lose
// nothing; else from any, or from a rack. Controllers write everything through.
func (s *script) powerLoss(i int) string {
	if i >= s.brokers {
		return s.end(s.power && s.control, i, dark, "powerloss")
	}
	if !s.power || s.dark && !s.lossy() {
		return ""
	}
	s.dark = true
	rack := s.r.IntN(4)
	if !s.lossy() || rack == 3 {
		s.nodes[i] = dark
		return "powerloss " + s.name(i)
	}
	for j := int(rack); j < s.brokers; j += 3 {
		if s.nodes[j] == dark {
			return ""
		}
	}
	for j := int(rack); j < s.brokers; j += 3 {
		s.nodes[j] = dark
	}
	return fmt.Sprintf("powerloss rack-%c", 'a'+rune(rack))
}

// directory breaks or repairs the second log directory of a broker.
func (s *script) directory(i int) string {
	if !s.dirs || i >= s.brokers {
		return ""
	}
	s.torn[i], s.tried[i] = !s.torn[i], true
	if s.torn[i] {
		return "disk " + s.name(i) + " fail=/d2"
	}
	return "disk " + s.name(i) + " repair=/d2"
}

// other is another process that this one talks with.
func (s *script) other(i int) string {
	j := int(s.r.IntN(int64(len(s.nodes))))
	if i == j || i >= s.brokers && j >= s.brokers && s.controllers == 1 {
		j = (i + 1) % s.brokers
	}
	return s.name(j)
}

// replicas draws an assignment: 4,2,3.
func (s *script) replicas() string {
	ids := make([]string, s.brokers)
	for i := range ids {
		ids[i] = fmt.Sprint(i + 1)
	}
	for i := len(ids) - 1; i > 0; i-- {
		j := s.r.IntN(int64(i + 1))
		ids[i], ids[j] = ids[j], ids[i]
	}
	return strings.Join(ids[:soakReplicas], ",")
}

// newConfig draws a change of configs. Another min.insync.replicas clears the ELRs,
// so that a partition without ISR has no way back but an unclean election; and a
// smaller one lets power take more than the laws excuse.
func (s *script) newConfig() string {
	if !s.config {
		return ""
	}
	switch n := s.r.IntN(4); {
	case n == 0 && !s.power && (s.unclean || !s.ends()):
		return fmt.Sprintf("config topic t min.insync.replicas=%d", 1+s.r.IntN(3))
	case n == 1:
		return fmt.Sprintf("config topic t segment.bytes=%d", 20000+s.r.IntN(5)*20000)
	case n == 2:
		return fmt.Sprintf("config topic t retention.bytes=%d", 100000+s.r.IntN(5)*100000)
	}
	return fmt.Sprintf("config topic t message.timestamp.type=%s", []string{"CreateTime", "LogAppendTime"}[s.r.IntN(2)])
}

// ends reports whether brokers may be fenced.
func (s *swarm) ends() bool {
	return s.crash || s.stop || s.freeze || s.cut || s.oneWay || s.control || s.slow
}

// topic deletes topic u or makes it again.
func (s *script) topic() string {
	if !s.topics {
		return ""
	}
	if s.gone = !s.gone; s.gone {
		return "delete-topic u"
	}
	return fmt.Sprintf("topic u partitions=%d replication.factor=%d", 1+s.r.IntN(3), soakReplicas)
}

// peace undoes all faults.
func (s *script) peace() {
	s.line("at %s heal all", s.at)
	for i, c := range s.nodes {
		switch c {
		case frozen:
			s.line("   thaw %s", s.name(i))
		case down, dark:
			s.line("   start %s", s.name(i))
		}
		s.line("   disk %s latency=0", s.name(i))
		if i < s.brokers && s.torn[i] {
			s.line("   disk %s repair=/d2", s.name(i))
		}
	}
	s.line("   rate safe 0\n   rate fast 0")
	if s.topics {
		s.line("   rate brief 0")
	}
	if s.clean {
		s.line("   rate keyed 0\n   rate old 0")
	}
	for i, tried := range s.tried { // a broker takes a directory back when it starts; a crash would cost it its ELRs
		if tried {
			s.at += 8 * kafka.Second
			s.line("at %s stop %s", s.at, s.name(i))
			s.line("at %s start %s", s.at+5*kafka.Second, s.name(i))
		}
	}
	s.at += 30 * kafka.Second
	s.restart("Whoever was still shutting down has ended")
	if s.combined > 0 && s.stop { // a broker that ends waits for a controller, and that for the voters that ended
		s.at += 30 * kafka.Second
		s.restart("Who could not shut down without a quorum has ended as well")
	}
	if s.config {
		s.line("   config topic t min.insync.replicas=%d", soakMinISR)
	}
	if !s.unclean && !s.dirs {
		return
	}
	s.line("at %s say The unclean elections that Kafka looks for every five minutes", s.at+10*kafka.Second)
	for p := range soakPartitions {
		s.line("   elect t-%d unclean", p)
	}
}

// restart starts all that is down.
func (s *script) restart(why string) {
	s.line("at %s say %s", s.at, why)
	for i := range s.nodes {
		s.line("   start %s", s.name(i))
	}
}

// life is what must be true when there was peace for long enough.
func (s *script) life() {
	s.line("at %s expect controller() != none", s.at+settle)
	exps := []string{"offline() == 0", "under_replicated() == 0", "unanswered(safe) == 0", "unanswered(fast) == 0", "reordered(c) >= 0"}
	for i := range s.brokers {
		exps = append(exps, fmt.Sprintf("not fenced(broker-%d)", i+1))
	}
	for p := range soakPartitions {
		exps = append(exps, fmt.Sprintf("not reassigning(t-%d)", p), fmt.Sprintf("hw(t-%d) == leo(t-%d)", p, p))
	}
	if !s.lossy() {
		exps = append(exps, "lost(safe) == 0", "duplicated(safe) == 0")
		if s.clean {
			exps = append(exps, "lost(keyed) == 0")
		}
	}
	for _, e := range exps {
		s.line("   expect %s", e)
	}
}
