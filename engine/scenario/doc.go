// Package scenario is the language: parse a text, follow it through a world,
// and say of each expectation whether it held, with the numbers.
//
//	text ──Parse──> File{Spec, Steps} ──Spec──> world.New
//	                      └──Inputs──> commands at their instants ──> world
//	world ──notes, events──> Tracker: steps, expectations, laws, ledger
//
// It owns the grammar, the functions of expectations and their evaluation. It
// refuses Kafka's rules, files, and time: the world decides what happens, the
// caller reads texts and drives.
//
// # A text
//
// Header lines come first, steps after them. A line that starts with # is a
// comment, and so is the rest of a line from a word that starts with #, except
// in prose. A line that ends with a backslash goes on in the next one.
//
//	title    The leader acks alone
//	chapter  durability
//	case     R15 T03
//	seed     42
//	text     Paragraphs of prose. Indented lines below go on; a blank line between
//	         begins a new paragraph.
//	cluster  brokers=3 racks=a,b,c latency=1ms jitter=200us [bandwidth=10MB/s]
//	broker   all replica.lag.time.max.ms=10000
//	topic    payments partitions=3 replication.factor=3 min.insync.replicas=1
//	topic    audit replica-assignment=1:2,2:3
//	producer app topic=payments acks=1 rate=50/s keys=8 [partition=0] [count=100] [size=1KB] [user=alice]
//	consumer c1 assign=payments [group=billing] [from=earliest] [work=5ms] [commit=first]
//
//	at 4s    cut broker-1 broker-2,broker-3
//	         say  Broker 1 still acks: with acks=1 its own log is enough.
//	at 5.2s  crash broker-1
//	         ask  How many acknowledged records will no consumer ever see? | 0 | 3 | *7
//	at 20s   expect lost(app) == 7
//	at 30s   add broker-4 rack=d
//	at 35s   reassign payments-0 4,2,3 payments-1 3,2,4 throttle=10MB/s
//	at 50s   verify-reassign payments
//	at 60s   end
//
// Every other key=value is a config under Kafka's own name. Indented lines
// belong to the instant above them. The steps of one instant happen in the order
// of the text, after everything else of that instant. Instants do not go back.
// The script ends with its last step or expectation, or at the step end.
//
// With kraft.version=1 in the cluster's line controllers join (add controller-104)
// and become voters (add-voter controller-104, remove-voter controller-102).
//
// The ids after case are those of the public reports that the text re-enacts, as
// its library of scenarios numbers them.
//
// With combined=3 the first three brokers are controllers as well, each in one process
// on one machine (process.roles=broker,controller); controllers=2 beside it adds two
// of their own. Without either there is one controller.
//
// Broker processes are named broker-1 and so on, controllers controller-101;
// clients by their names. A combined process is broker-1 and controller-1. Several are written with commas. Values with spaces
// stand in double quotes. Verbs lists the verbs; ParseCommand reads one.
// A script cannot know who is elected: controller-active, controller-standby and
// controller-down stand for the first controller in that role when the command
// comes.
//
// # Expectations
//
//	expect leader(payments-0) == 2                      at this instant
//	expect within 5s isr(payments-0) == {1, 2, 3}       at some moment of the next 5 s
//	expect always hw(payments-0) <= 120 until 20s       after every event until 20 s
//	expect never fenced(broker-2) for 30s               after no event of the next 30 s
//	expect always up(broker-1) from 5s until 9s         the span begins later
//	expect eventually lost(app) == 0                    at some moment until the end of the script
//
// A condition compares with == != < <= > >= or in; a truth value stands alone;
// not turns a condition round. Values are numbers, brokers (1 or broker-1),
// times (34s, never), true and false, texts, sets {1, 2}, lists [0, 120] and
// ranges 30s..45s, whose ends belong to them. Numbers and times can be added and
// subtracted: isr_left(payments-0, 3) - fenced_at(3) <= 100ms. A condition about
// what is not there (no leader, no such replica) does not hold, and says why.
//
// An expectation is decided exactly once; one whose instant or span the run does
// not reach, because a law broke before, fails. Functions lists the functions.
package scenario
