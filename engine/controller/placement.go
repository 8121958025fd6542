package controller

import (
	"cmp"
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// random is what placement draws from.
type random interface {
	IntN(n int64) int64
}

// usable is a broker that can hold replicas.
type usable struct {
	id     kafka.NodeID
	rack   string // "": none
	fenced bool
}

// brokerList deals brokers round robin (StripedReplicaPlacer.BrokerList). In a
// new round it begins one further.
type brokerList struct {
	brokers []kafka.NodeID
	index   int // dealt in this round
	offset  int
	round   int
}

func (l *brokerList) initialize(r random) {
	if len(l.brokers) > 0 {
		slices.Sort(l.brokers)
		l.offset = int(r.IntN(int64(len(l.brokers))))
	}
}

// next deals a broker; NoNode when the round has had all of them.
func (l *brokerList) next(round int) kafka.NodeID {
	if len(l.brokers) == 0 {
		return kafka.NoNode
	}
	if l.round != round {
		l.round, l.index = round, 0
		l.offset = (l.offset + 1) % len(l.brokers)
	}
	if l.index >= len(l.brokers) {
		return kafka.NoNode
	}
	b := l.brokers[(l.index+l.offset)%len(l.brokers)]
	l.index++
	return b
}

// rack holds the brokers of one rack (StripedReplicaPlacer.Rack).
type rack struct {
	name             string
	fenced, unfenced brokerList
}

func (k *rack) next(round int) kafka.NodeID {
	if b := k.unfenced.next(round); b >= 0 {
		return b
	}
	return k.fenced.next(round)
}

// rackList places replicas (StripedReplicaPlacer.RackList): leaders go round the
// racks, and the other replicas of a partition to the racks that follow, so that
// each is in another rack as far as there are enough. Unfenced brokers come
// first, and only they lead.
type rackList struct {
	racks    []*rack
	total    int
	unfenced int
	round    int
	offset   int
	rng      random
}

func newRackList(brokers []usable, r random) *rackList {
	l := &rackList{rng: r}
	for _, b := range brokers {
		i, ok := slices.BinarySearchFunc(l.racks, b.rack, func(k *rack, name string) int { return cmp.Compare(k.name, name) })
		if !ok {
			l.racks = slices.Insert(l.racks, i, &rack{name: b.rack})
		}
		l.total++
		if b.fenced {
			l.racks[i].fenced.brokers = append(l.racks[i].fenced.brokers, b.id)
		} else {
			l.unfenced++
			l.racks[i].unfenced.brokers = append(l.racks[i].unfenced.brokers, b.id)
		}
	}
	for _, k := range l.racks {
		k.fenced.initialize(r)
		k.unfenced.initialize(r)
	}
	if len(l.racks) > 0 {
		l.offset = int(r.IntN(int64(len(l.racks))))
	}
	return l
}

// place returns the replicas of the next partition, the leader first.
func (l *rackList) place(replicas int) ([]kafka.NodeID, *fault) {
	const code = kafka.InvalidReplicationFactor
	switch {
	case replicas <= 0:
		return nil, failf(code, "Invalid replication factor %d: the replication factor must be positive.", replicas)
	case replicas > l.total:
		return nil, failf(code, "The target replication factor of %d cannot be reached because only %d broker(s) are registered.", replicas, l.total)
	case l.unfenced == 0:
		return nil, failf(code, "All brokers are currently fenced.")
	}
	if l.round == l.unfenced && l.unfenced > 1 {
		l.shuffle()
		l.round = 0
	}
	if l.offset == len(l.racks) {
		l.offset = 0
	}
	placed := make([]kafka.NodeID, 0, replicas)
	first := l.offset
	for len(placed) == 0 {
		if b := l.racks[first].unfenced.next(l.round); b >= 0 {
			placed = append(placed, b)
			break
		}
		first = (first + 1) % len(l.racks)
	}
	for at := l.offset; len(placed) < replicas; at = (at + 1) % len(l.racks) {
		if at == first {
			first = -1 // the leader's rack has had its turn
			continue
		}
		if b := l.racks[at].next(l.round); b >= 0 {
			placed = append(placed, b)
		}
	}
	l.round++
	l.offset++
	return placed, nil
}

// shuffle mixes racks and brokers, not to repeat the same assignments.
func (l *rackList) shuffle() {
	// Brokers keep the order of the racks' names, so that the draws do too.
	byName := slices.Clone(l.racks)
	slices.SortFunc(byName, func(a, b *rack) int { return cmp.Compare(a.name, b.name) })
	shuffle(l.racks, l.rng)
	for _, k := range byName {
		shuffle(k.fenced.brokers, l.rng)
		shuffle(k.unfenced.brokers, l.rng)
	}
}

// shuffle is java.util.Collections.shuffle.
func shuffle[T any](s []T, r random) {
	for i := len(s); i > 1; i-- {
		j := int(r.IntN(int64(i)))
		s[i-1], s[j] = s[j], s[i-1]
	}
}

// usableBrokers lists the brokers that replicas can be placed on: all that are
// registered and not shutting down.
func (c *Controller) usableBrokers() []usable {
	var l []usable
	for i := range c.head.Brokers {
		b := &c.head.Brokers[i]
		if s := c.beat(b.ID); s != nil && s.shutdown >= 0 {
			continue
		}
		l = append(l, usable{b.ID, b.Rack, b.Fenced})
	}
	return l
}

// placePartitions places n partitions.
func (c *Controller) placePartitions(n, replicas int) ([][]kafka.NodeID, *fault) {
	l := newRackList(c.usableBrokers(), &c.rng)
	placed := make([][]kafka.NodeID, n)
	for i := range placed {
		p, f := l.place(replicas)
		if f != nil {
			return nil, failf(f.code, "Unable to replicate the partition %d time(s): %s", replicas, f.msg)
		}
		placed[i] = p
	}
	return placed, nil
}
