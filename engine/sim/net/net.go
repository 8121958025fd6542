package net

import (
	"slices"
	"strconv"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim/det"
)

// Quality is how good a link is.
type Quality struct {
	Latency   kafka.Duration // one way
	Jitter    kafka.Duration // up to this much is added, uniformly, per message
	Bandwidth int64          // bytes per second; 0 is unlimited
}

// Link is one direction between two processes.
type Link struct {
	From, To int32
	Quality
	Cut bool

	busyUntil kafka.Instant // the wire is occupied by earlier bytes
	rng       det.Rand
}

// Net is all links. Links come into being when they are first used.
type Net struct {
	seed   uint64
	normal Quality
	links  []Link
	index  []ref // sorted by (from, to)
}

type ref struct {
	from, to int32
	at       int32 // index into links
}

// New returns a net whose links all start with the normal quality.
func New(seed uint64, normal Quality) Net { return Net{seed: seed, normal: normal} }

// Normal is the quality of a link that nobody has changed.
func (n *Net) Normal() Quality { return n.normal }

// Index returns the handle of the link from one process to another, making it
// if need be. Handles stay valid for the life of the net and of its clones.
func (n *Net) Index(from, to int32) int {
	i, found := slices.BinarySearchFunc(n.index, ref{from: from, to: to}, compareRefs)
	if !found {
		q := n.normal
		if from == to {
			q = loopback
		}
		n.links = append(n.links, Link{
			From: from, To: to, Quality: q, busyUntil: -kafka.Never,
			rng: det.NewRand(n.seed, "link/"+strconv.Itoa(int(from))+"-"+strconv.Itoa(int(to))),
		})
		n.index = slices.Insert(n.index, i, ref{from, to, int32(len(n.links) - 1)})
	}
	return int(n.index[i].at)
}

func compareRefs(a, b ref) int {
	if a.from != b.from {
		return int(a.from - b.from)
	}
	return int(a.to - b.to)
}

// At returns the link with the handle, for reading.
func (n *Net) At(handle int) *Link { return &n.links[handle] }

// Between returns the link from one process to another, making it if need be.
func (n *Net) Between(from, to int32) *Link { return n.At(n.Index(from, to)) }

// loopback is the quality of a process's link to itself, which never changes.
var loopback = Quality{Latency: 30 * kafka.Microsecond}

// Changed lists the links that are cut or not of normal quality, by (from, to).
func (n *Net) Changed() []Link {
	var out []Link
	for _, r := range n.index {
		if l := n.links[r.at]; l.From != l.To && (l.Cut || l.Quality != n.normal) {
			out = append(out, l)
		}
	}
	return out
}

// Transit returns when bytes sent now over the link arrive if it is not cut.
func (l *Link) Transit(now kafka.Instant, bytes int) kafka.Instant {
	start := now
	if l.Bandwidth > 0 {
		start = max(now, l.busyUntil).Add(kafka.Duration(int64(bytes) * int64(kafka.Second) / l.Bandwidth))
		l.busyUntil = start
	}
	arrive := start.Add(l.Latency)
	if l.Jitter > 0 {
		arrive = arrive.Add(kafka.Duration(l.rng.IntN(int64(l.Jitter) + 1)))
	}
	return arrive
}

// First and largest wait of TCP's retransmission timer (Linux: TCP_RTO_MIN and
// TCP_RTO_MAX).
const (
	rtoFirst = 200 * kafka.Millisecond
	rtoMax   = 120 * kafka.Second
)

// Retransmit returns when TCP next sends bytes again that were first sent at
// sent and were lost until healed: the timer doubles from 0.2 s to 120 s.
func Retransmit(sent, healed kafka.Instant) kafka.Instant {
	at, wait := sent, rtoFirst
	for at < healed {
		at = at.Add(wait)
		wait = min(2*wait, rtoMax)
	}
	return at
}

// Clone returns a copy that shares nothing that changes.
func (n *Net) Clone() Net {
	c := *n
	c.links = slices.Clone(n.links)
	c.index = slices.Clone(n.index)
	return c
}

// Digest writes the state of every link.
func (n *Net) Digest(h *det.Hash) {
	for _, r := range n.index {
		l := &n.links[r.at]
		h.Int(int64(l.From))
		h.Int(int64(l.To))
		h.Int(int64(l.Latency))
		h.Int(int64(l.Jitter))
		h.Int(l.Bandwidth)
		h.Bool(l.Cut)
		h.Int(int64(l.busyUntil))
		l.rng.Digest(h)
	}
}
