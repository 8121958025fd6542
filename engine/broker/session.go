package broker

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
)

// session is a fetch session (KIP-227, server/.../FetchSession.java): the
// partitions that a client or follower fetches, so that a request names only
// what changed. A fetch without a session gets one for the time of the request,
// with id 0.
//
// The queue holds the partitions that may have something to say: data, an
// error, a high watermark or log start offset not told yet, or a follower not
// in the ISR. All others are known to be silent and are not looked at.
//
// Invariant: parts[i].queued says whether i is in queue.
type session struct {
	gen      uint64
	slot     int32
	id       int32 // 0: ends with its request
	epoch    int32 // of the next request
	replica  kafka.NodeID
	repEpoch kafka.BrokerEpoch // of the follower's registration
	parts    []sessionPart
	free     []int32 // forgotten places in parts
	homeless int     // places without a replica here
	queue    []int32
	spare    []int32 // memory for the next queue; no state

	created   kafka.Instant
	lastFetch kafka.Instant
	evicted   bool // out of the cache: ends with the request that is parked
	full      bool // every partition goes into the next response
	stale     bool // the follower's registration is newer than this fetch
	waking    bool // in Broker.wake

	// The request that is parked here.
	parked    bool
	conn      sim.ConnID
	corr      int32
	version   int16
	minBytes  int32
	maxBytes  int32
	isolation int8
	rack      string // the client's
	who       caller
	deadline  kafka.Instant
}

// sessionPart is a partition of a session (FetchSession.CachedPartition).
type sessionPart struct {
	part      int32 // within the broker; -1: no replica here, looked up each time
	id        kafka.TopicID
	name      string // requests below version 13
	num       int32  // partition within its topic
	queued    bool
	gone      bool
	atEnd     bool // its request came when there was nothing to read
	offset    kafka.Offset
	logStart  kafka.Offset // the follower's
	maxBytes  int32
	epoch     kafka.LeaderEpoch // current leader epoch of the request; -1: not stated
	lastEpoch kafka.LeaderEpoch // last fetched epoch; -1: not stated
	toldHW    kafka.Offset
	toldStart kafka.Offset
}

func (s *session) copyFor(gen uint64) *session {
	c := *s
	c.gen = gen
	c.parts = slices.Clone(s.parts)
	c.free = slices.Clone(s.free)
	c.queue, c.spare = slices.Clone(s.queue), nil
	return &c
}

// mark queues a partition.
func (s *session) mark(pos int32) {
	if p := &s.parts[pos]; !p.queued && !p.gone {
		p.queued = true
		s.queue = append(s.queue, pos)
	}
}

// slotBits are the low bits of a session id: its slot. The others are random,
// so that a restarted broker does not take an old id for one of its own.
const slotBits = 11

// openSession makes a session for a request. Without room in the cache it gets
// id 0.
func (b *Broker) openSession(now kafka.Instant, req *kmsg.FetchRequest) *session {
	s := &session{gen: b.gen, replica: -1, repEpoch: -1, created: now, lastFetch: now, full: true}
	if req.SessionEpoch == 0 && b.cacheRoom(now, worthOf(req)) {
		s.id = -1 // set below
	}
	if n := len(b.freeSession); n > 0 {
		s.slot, b.freeSession = b.freeSession[n-1], b.freeSession[:n-1]
		b.sessions[s.slot] = s
	} else {
		s.slot = int32(len(b.sessions))
		b.sessions = append(b.sessions, s)
	}
	if s.id < 0 && s.slot < 1<<slotBits {
		s.id = int32(1+b.rand.IntN(1<<(31-slotBits)-1))<<slotBits | s.slot
	} else {
		s.id = 0
	}
	s.epoch = 1
	return s
}

// worth says which of two sessions is worth more to the cache
// (FetchSession.EvictableKey): a follower's, then the one with more partitions.
type worth struct {
	follower   bool
	partitions int
	id         int32 // of a session that is not there yet: 0
}

func (w worth) less(o worth) bool {
	switch {
	case w.follower != o.follower:
		return o.follower
	case w.partitions != o.partitions:
		return w.partitions < o.partitions
	}
	return w.id < o.id
}

func worthOf(req *kmsg.FetchRequest) worth {
	w := worth{follower: req.ReplicaID >= 0 || req.Version >= 15 && req.ReplicaState.ID >= 0}
	for t := range req.Topics {
		w.partitions += len(req.Topics[t].Partitions)
	}
	return w
}

func (s *session) worth() worth { return worth{s.replica >= 0, len(s.parts) - len(s.free), s.id} }

// cacheRoom makes room for one more session if it may
// (FetchSessionCacheShard.tryEvict, KIP-227). The one that was used least recently
// goes if that is longer ago than sessionEviction. Else the least worthy goes, if
// the new one is worth more: any consumer's for a follower, and otherwise only one
// that was older than sessionEviction when it was last used. Kafka divides the cache into eight parts and
// draws one for each new session; here it is whole.
func (b *Broker) cacheRoom(now kafka.Instant, w worth) bool {
	if len(b.sessions)-len(b.freeSession) < b.set.sessionSlots {
		return true
	}
	n, oldest, least := 0, (*session)(nil), (*session)(nil)
	for _, s := range b.sessions {
		if s == nil || s.id == 0 || s.evicted {
			continue
		}
		n++
		if oldest == nil || s.lastFetch < oldest.lastFetch || s.lastFetch == oldest.lastFetch && s.id < oldest.id {
			oldest = s
		}
		evictable := w.follower && s.replica < 0 || s.lastFetch.Sub(s.created) > sessionEviction
		if evictable && (least == nil || s.worth().less(least.worth())) {
			least = s
		}
	}
	switch {
	case n < b.set.sessionSlots:
		return true
	case oldest == nil:
		return false
	case now.Sub(oldest.lastFetch) > sessionEviction:
		b.evict(oldest)
	case least == nil || w.less(least.worth()):
		return false
	default:
		b.evict(least)
	}
	return true
}

// evict takes a session out of the cache. A request that is parked in it is
// answered all the same; the next one is told FETCH_SESSION_ID_NOT_FOUND.
func (b *Broker) evict(s *session) {
	if s = b.mutSession(s.slot); s.parked {
		s.evicted = true
	} else {
		b.closeSession(s)
	}
}

// lookupSession finds a session by the id in a request.
func (b *Broker) lookupSession(id int32) *session {
	slot := int(id & (1<<slotBits - 1))
	if id == 0 || slot >= len(b.sessions) || b.sessions[slot] == nil || b.sessions[slot].id != id || b.sessions[slot].evicted {
		return nil
	}
	return b.mutSession(int32(slot))
}

// closeSession forgets a session and what hangs on partitions for it.
func (b *Broker) closeSession(s *session) {
	for pos := range s.parts {
		b.unwatch(s, int32(pos))
	}
	b.sessions[s.slot] = nil
	b.freeSession = append(b.freeSession, s.slot)
}

// watch ties a homeless place of a session to its partition, if there is a
// replica here by now.
func (b *Broker) watch(s *session, pos int32) {
	sp := &s.parts[pos]
	i := b.topicNamed(sp.id, sp.name).part(sp.num)
	if i < 0 {
		return
	}
	sp.part = i
	s.homeless--
	p := b.mut(i)
	p.watchers = append(p.watchers, watcher{s.slot, pos})
}

// unwatch unties it.
func (b *Broker) unwatch(s *session, pos int32) {
	sp := &s.parts[pos]
	if sp.part < 0 {
		return
	}
	p := b.mut(sp.part)
	if s.replica >= 0 {
		b.settleSession(p, s)
	}
	p.watchers = slices.DeleteFunc(p.watchers, func(w watcher) bool { return w.session == s.slot && w.pos == pos })
	s.lose(pos)
}

// lose makes a place homeless: the replica is gone from here.
func (s *session) lose(pos int32) {
	s.parts[pos].part = -1
	s.homeless++
}

// settleSession writes down what a follower's session proved, before it ends.
func (b *Broker) settleSession(p *partition, s *session) {
	if r := p.remote(s.replica); r != nil && r.session == s.slot {
		r.caughtUp = b.lastCaughtUp(p, r)
		r.session = -1
	}
}

// place finds a partition, given its number within the broker, in a session;
// -1: it is not in it.
func (b *Broker) place(s *session, i int32, id kafka.TopicID, name string, num int32) int32 {
	if i >= 0 {
		for _, w := range b.parts[i].watchers {
			if w.session == s.slot {
				return w.pos
			}
		}
	}
	if s.homeless == 0 {
		return -1
	}
	// Not here, or not when it was named: rare, so a walk will do.
	return int32(slices.IndexFunc(s.parts, func(p sessionPart) bool {
		return !p.gone && p.part < 0 && p.id == id && p.name == name && p.num == num
	}))
}

// topicNamed finds a topic that a request names by id, or by name where its
// version has no ids. A name beside an id does not count: of a topic that was made
// again it would be the wrong one (KIP-516).
func (b *Broker) topicNamed(id kafka.TopicID, name string) *localTopic {
	if id != (kafka.TopicID{}) {
		return b.topicByID(id)
	}
	if t := b.img.Topic(name); t != nil {
		return b.topicByID(t.ID)
	}
	return nil
}

// part is the number of a partition within the broker; -1: no replica here.
func (t *localTopic) part(num int32) int32 {
	if t == nil || num < 0 || int(num) >= len(t.parts) {
		return -1
	}
	return t.parts[num]
}

// update takes the partitions that a request names.
func (b *Broker) update(s *session, req *kmsg.FetchRequest) {
	for t := range req.ForgottenTopics {
		f := &req.ForgottenTopics[t]
		topic := b.topicNamed(f.TopicID, f.Topic)
		for _, num := range f.Partitions {
			b.forget(s, b.place(s, topic.part(num), f.TopicID, f.Topic, num))
		}
	}
	for t := range req.Topics {
		rt := &req.Topics[t]
		topic := b.topicNamed(rt.TopicID, rt.Topic)
		for i := range rt.Partitions {
			rp := &rt.Partitions[i]
			pos := b.place(s, topic.part(rp.Partition), rt.TopicID, rt.Topic, rp.Partition)
			if pos < 0 {
				pos = b.addPart(s, rt.TopicID, rt.Topic, rp.Partition)
			}
			sp := &s.parts[pos]
			if sp.epoch != kafka.LeaderEpoch(rp.CurrentLeaderEpoch) {
				sp.toldHW = -1 // a fetcher that began anew may not have used what it was told
			}
			sp.offset, sp.logStart, sp.maxBytes = kafka.Offset(rp.FetchOffset), kafka.Offset(rp.LogStartOffset), rp.PartitionMaxBytes
			sp.epoch, sp.lastEpoch = kafka.LeaderEpoch(rp.CurrentLeaderEpoch), kafka.LeaderEpoch(rp.LastFetchedEpoch)
			s.mark(pos)
		}
	}
}

func (b *Broker) addPart(s *session, id kafka.TopicID, name string, num int32) int32 {
	sp := sessionPart{part: -1, id: id, name: name, num: num, toldHW: -1, toldStart: -1}
	var pos int32
	if n := len(s.free); n > 0 {
		pos, s.free = s.free[n-1], s.free[:n-1]
		s.parts[pos] = sp
	} else {
		pos = int32(len(s.parts))
		s.parts = append(s.parts, sp)
	}
	s.homeless++
	b.watch(s, pos)
	return pos
}

func (b *Broker) forget(s *session, pos int32) {
	if pos < 0 {
		return
	}
	b.unwatch(s, pos)
	s.homeless--
	sp := &s.parts[pos]
	if sp.queued {
		s.queue = slices.DeleteFunc(s.queue, func(q int32) bool { return q == pos })
	}
	sp.queued, sp.gone = false, true
	s.free = append(s.free, pos)
}
