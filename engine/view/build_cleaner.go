package view

import (
	"github.com/highwater-sim/highwater/engine/broker"
	"github.com/highwater-sim/highwater/engine/storage"
)

// cleanDone says how far a pass is, in millionths: by the bytes of its steps, and
// within a step by the clock.
func (b *Builder) cleanDone(c *broker.Care) int64 {
	p := c.Pass
	all, done := p.Cleanable.DirtyBytes, int64(0)
	if p.Stage == storage.Indexing { // it will write what it reads now, and the clean part
		all += p.Cleanable.DirtyBytes + p.Cleanable.CleanBytes
	} else {
		done = p.Cleanable.DirtyBytes
	}
	for i := range p.Groups {
		all += p.Groups[i].Bytes
		if i < p.Group {
			done += p.Groups[i].Bytes
		}
	}
	if c.StepTakes > 0 {
		left := min(max(c.StepDue.Sub(b.now), 0), c.StepTakes)
		done += p.Work() * int64(1000-left*1000/c.StepTakes) / 1000
	}
	return min(done*1_000_000/max(all, 1), 1_000_000)
}
