package law

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/trace"
)

// register changes the registration of t-0 in a new image.
func (f *fake) register(change func(*metadata.Partition)) {
	img, t, p := *f.img, *f.img.Topics[0], *f.img.Topics[0].Partitions[0]
	p.PartitionEpoch++
	change(&p)
	t.Partitions = []*metadata.Partition{&p}
	img.Topics, img.Offset = []*metadata.Topic{&t}, img.Offset+1
	f.img = &img
	for i := 1; i <= 3; i++ {
		f.replicas[i].Known = p.PartitionEpoch
	}
}

// brokers registers brokers 1 to 3 in a new image; those named are fenced.
func (f *fake) brokers(epoch kafka.BrokerEpoch, fenced ...kafka.NodeID) {
	img := *f.img
	img.Brokers, img.Offset = nil, img.Offset+1
	for n := kafka.NodeID(1); n <= 3; n++ {
		img.Brokers = append(img.Brokers, metadata.Broker{ID: n, Epoch: epoch, Fenced: notIn([]kafka.NodeID{n}, fenced) == kafka.NoNode})
	}
	f.img = &img
}

// control lets a controller act.
func control(c *Checker, f *fake) *Violation {
	c.Control()
	return c.Happened(f)
}

func ids(n ...kafka.NodeID) []kafka.NodeID { return n }

func registered(t *testing.T) (*fake, *Checker) {
	f, c := committed(t)
	f.brokers(1)
	mustHold(t, control(c, f))
	return f, c
}

func TestRegistrations(t *testing.T) {
	for name, x := range map[string]struct {
		law    string
		change func(*metadata.Partition)
	}{
		"leader outside":     {"leader in ISR", func(p *metadata.Partition) { p.ISR = ids(2, 3) }},
		"stranger":           {"leader in ISR", func(p *metadata.Partition) { p.ISR = ids(1, 4) }},
		"in both":            {"ELR", func(p *metadata.Partition) { p.ISR, p.ELR = ids(1), ids(1, 2) }},
		"ELR beside an ISR":  {"ELR", func(p *metadata.Partition) { p.ISR, p.ELR = ids(1, 2), ids(3) }},
		"stranger in ELR":    {"ELR", func(p *metadata.Partition) { p.ISR, p.ELR = ids(1), ids(7) }},
		"epoch back":         {"epoch", func(p *metadata.Partition) { p.PartitionEpoch -= 2 }},
		"leader, same epoch": {"epoch", func(p *metadata.Partition) { p.Leader = 2 }},
	} {
		t.Run(name, func(t *testing.T) {
			f, c := registered(t)
			f.register(x.change)
			mustBreak(t, control(c, f), x.law, "t-0")
		})
	}
	f, c := registered(t)
	f.register(func(p *metadata.Partition) { p.ISR, p.ELR = ids(1), ids(2, 3) })
	mustHold(t, control(c, f))
	f.img = &metadata.Image{} // an older one says nothing
	mustHold(t, control(c, f))
}

// TestLeftover: PartitionChangeBuilder leaves a replica that a cancelled
// reassignment was adding in the ELR.
func TestLeftover(t *testing.T) {
	f, c := registered(t)
	f.brokersMore(4)
	f.register(func(p *metadata.Partition) { p.Replicas, p.Adding, p.ISR = ids(1, 2, 3, 4), ids(4), ids(1, 4) })
	f.replicas[1].Maximal, f.replicas[1].ISR, f.replicas[1].MinISR = ids(1, 4), ids(1, 4), 2
	mustHold(t, control(c, f))
	f.register(func(p *metadata.Partition) { p.Replicas, p.Adding, p.ISR, p.ELR = ids(1, 2, 3), nil, ids(1), ids(4) })
	f.replicas[1].Maximal, f.replicas[1].ISR = ids(1), ids(1)
	mustHold(t, control(c, f))
	f.register(func(p *metadata.Partition) { p.ELR = ids(5) })
	mustBreak(t, control(c, f), "ELR", "broker 5")
}

func (f *fake) brokersMore(n kafka.NodeID) {
	img := *f.img
	img.Brokers = append(img.Brokers[:len(img.Brokers):len(img.Brokers)], metadata.Broker{ID: n, Epoch: 1})
	img.Offset++
	f.img = &img
}

func TestNoFencedBroker(t *testing.T) {
	f, c := registered(t)
	f.brokers(1, 3)
	mustBreak(t, control(c, f), "no fenced broker in ISR", "t-0", "fenced broker 3")

	f, c = registered(t) // without ELR the last one stays
	f.img.Features = nil
	f.register(func(p *metadata.Partition) { p.ISR, p.Leader, p.LeaderEpoch = ids(3), kafka.NoNode, 1 })
	f.brokers(1, 3)
	mustHold(t, control(c, f))
}

func TestUncleanRestart(t *testing.T) {
	f, c := registered(t)
	c.Noted(&trace.Note{Kind: trace.Crash, Node: 3})
	c.Noted(&trace.Note{Kind: trace.Boot, Node: 3})
	c.Noted(&trace.Note{Kind: trace.BrokerRegistered, Node: 3, Offset: 2})
	f.brokers(2)
	mustBreak(t, control(c, f), "unclean restart", "broker 3", "unclean end")

	f, c = registered(t)
	c.Noted(&trace.Note{Kind: trace.Shutdown, Node: 3})
	c.Noted(&trace.Note{Kind: trace.PowerLoss, Node: 3}) // nothing was running
	c.Noted(&trace.Note{Kind: trace.Boot, Node: 3})
	c.Noted(&trace.Note{Kind: trace.BrokerRegistered, Node: 3, Offset: 2})
	f.brokers(2)
	mustHold(t, control(c, f))
}

func TestUncleanChoice(t *testing.T) {
	elected := &trace.Note{Kind: trace.LeaderElected, Topic: "t", Node: 2, Peer: kafka.NoNode, Epoch: 1, Say: "unclean"}
	f, c := registered(t)
	mustBreak(t, step(c, f, elected), "unclean choice", "broker 2")
	f, c = registered(t)
	f.unclean = true
	mustHold(t, step(c, f, elected))
	f, c = registered(t)
	mustHold(t, step(c, f, &trace.Note{Kind: trace.Command, Say: "elect t-0 unclean"}, elected))
	f, c = registered(t)
	last := *elected
	last.Node = 1 // it led last: it has what was committed
	mustHold(t, step(c, f, &last))
}

func TestSuperset(t *testing.T) {
	f, c := registered(t)
	f.replicas[1].Maximal, f.replicas[1].ISR, f.replicas[1].MinISR = ids(1, 2), ids(1, 2), 2
	mustBreak(t, step(c.Clone(), f, hw(1, 5)), "quorum superset", "broker 3", "[1 2]")

	f.replicas[1].Known-- // it has not heard of this registration
	mustHold(t, step(c, f, hw(1, 5)))

	f, c = registered(t)
	f.register(func(p *metadata.Partition) { p.ISR, p.ELR = ids(1), ids(2) })
	f.replicas[1].Maximal, f.replicas[1].ISR, f.replicas[1].MinISR = ids(1), ids(1), 2
	mustHold(t, control(c, f))
	f.replicas[1].Maximal, f.replicas[1].ISR = ids(1, 3), ids(1, 3)
	mustBreak(t, step(c, f, hw(1, 5)), "quorum superset", "ELR", "broker 2")
}

func TestFrozen(t *testing.T) {
	f, c := registered(t)
	f.put(t, 0, 5, 2, 1, 2, 3)
	f.replicas[1].HW, f.replicas[1].ISR, f.replicas[1].MinISR = 7, ids(1), 2
	mustBreak(t, step(c, f, hw(1, 7)), "frozen high watermark", "from 5 to 7", "ISR [1]")
}

func TestLeaderCandidate(t *testing.T) {
	f, c := registered(t)
	f.replicas[1].Maximal = ids(1, 2) // so that no other law sees it
	f.replicas[1].Known--
	f.replicas[3].Log.TruncateTo(4)
	cut := &trace.Note{Kind: trace.Truncated, Topic: "t", Node: 3, Offset: 4}
	mustBreak(t, step(c.Clone(), f, cut), "leader candidate", "broker 3", "ends at 4", "5 records")
	mustHold(t, step(c, f, &trace.Note{Kind: trace.PowerLoss, Node: 3, N: 1}, cut))
}

func TestLikeEveryLeader(t *testing.T) {
	f, c := newFake(), &Checker{}
	f.put(t, 0, 0, 5, 1, 2)
	f.put(t, 0, 9, 5, 3)
	f.replicas[1].Maximal, f.replicas[1].HW, f.replicas[1].Known = ids(1, 2), 5, -1
	mustBreak(t, step(c, f, hw(1, 5)), "leader candidate", "broker 3", "another batch at offset 0", "leader 1")
}

func TestComplete(t *testing.T) {
	f, c := committed(t)
	f.replicas[2].Log.TruncateTo(3)
	f.put(t, 1, 9, 4, 2)
	n := f.lead(2, 2)
	f.replicas[2].Maximal = ids(2)
	f.register(func(p *metadata.Partition) { p.ISR = ids(2) })
	mustBreak(t, step(c, f, &n), "committed prefix", "a record of epoch 1 at offset 4", "one of epoch 0")
}

func TestRead(t *testing.T) {
	f, c := committed(t)
	given := &trace.Note{Kind: trace.Delivered, Topic: "t", Who: "c", From: 3, Offset: 4}
	mustHold(t, step(c, f, given))
	given.Offset = 5
	mustBreak(t, step(c, f, given), "committed read", "c was given offset 5", "only 5 records")
}

func TestEpochOfBroker(t *testing.T) {
	f, c := committed(t)
	f.replicas[3].Epoch = 4
	mustHold(t, step(c, f, hw(1, 5)))
	f.replicas[3].Epoch = 3
	mustBreak(t, step(c.Clone(), f, hw(1, 5)), "epoch", "broker 3", "from leader epoch 4 to 3")
	mustHold(t, step(c, f, &trace.Note{Kind: trace.Boot, Node: 3}, hw(1, 5)))
}

// TestReborn: a topic that was deleted and made again begins anew.
func TestReborn(t *testing.T) {
	f, c := registered(t)
	img, topic := *f.img, *f.img.Topics[0]
	topic.ID[0] = 1
	img.Topics, img.Offset = []*metadata.Topic{&topic}, img.Offset+1
	f.img = &img
	for i := 1; i <= 3; i++ {
		f.replicas[i].TopicID[0] = 1
		f.replicas[i].Log.TruncateTo(0)
		f.replicas[i].HW = 0
	}
	mustHold(t, control(c, f))
	mustHold(t, step(c, f, hw(1, 0)))
}
