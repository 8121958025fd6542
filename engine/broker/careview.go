package broker

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/storage"
)

// Care is a look at what retention and the cleaner have to do with a replica.
type Care struct {
	Config    storage.Config
	NextCheck kafka.Instant // when old segments are looked for next; the cleaner does that for compacted logs

	// Of a compacted log.
	Checkpoint  kafka.Offset // in cleaner-offset-checkpoint; NoOffset: none
	Cleanable   storage.Cleanable
	NextLook    kafka.Instant // of the cleaner; Never: it sleeps until a log grows, or is at a pass
	Uncleanable bool          // KIP-346

	// Of the pass that is being made over it, nil if there is none.
	Pass      *storage.Cleaning
	StepDue   kafka.Instant  // when the pass's present step is done
	StepTakes kafka.Duration // how long it takes in all
}

// Care looks at the replica at an instant.
func (r *Replica) Care(now kafka.Instant) Care {
	k, p := &r.b.care, r.p
	c := Care{Config: p.set.log, NextCheck: k.checkDue, Checkpoint: r.b.dir.CleanCheckpoint(p.slot), NextLook: kafka.Never}
	if !p.set.log.Compact {
		return c
	}
	for i := range k.cleaner.threads {
		c.NextLook = min(c.NextLook, k.cleaner.threads[i].next)
	}
	c.Cleanable = r.Log.Cleanable(now, c.Checkpoint, p.hw)
	c.Uncleanable = slices.Contains(k.cleaner.bad, p.num)
	if i := k.cleaner.at(p.num); i >= 0 {
		t := &k.cleaner.threads[i]
		c.Pass, c.StepDue, c.StepTakes = t.pass, t.due, t.take
	}
	return c
}

// Compacted reports whether the replica's topic is compacted.
func (r *Replica) Compacted() bool { return r.p.set.log.Compact }

// CleanerPasses is how many passes the cleaner has ended since the process began.
func (b *Broker) CleanerPasses() int64 { return b.care.cleaner.done }
