package view

import (
	"github.com/highwater-sim/highwater/engine/broker"
	"github.com/highwater-sim/highwater/engine/kafka"
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
	done += p.Work() * b.stepDone(c) / 1000
	return min(done*1_000_000/max(all, 1), 1_000_000)
}

// stepDone says how much of its present step a pass has done by the clock, in
// thousandths.
func (b *Builder) stepDone(c *broker.Care) int64 {
	if c.StepTakes <= 0 {
		return 0
	}
	left := min(max(c.StepDue.Sub(b.now), 0), c.StepTakes)
	return int64(1000 - left*1000/c.StepTakes)
}

// head fills in what a pass is reading: the dirty part, or the segments that become
// one, and how far it is in them: by the bytes of its segments, within one by offsets.
func (b *Builder) head(c *broker.Care, log *storage.Log, r *Replica) {
	p := c.Pass
	r.CleanFrom, r.CleanEnd = p.Cleanable.FirstDirty, p.Cleanable.FirstUncleanable
	if p.Stage == storage.Rewriting && p.Group < len(p.Groups) {
		r.CleanFrom, r.CleanEnd = p.Groups[p.Group].Base, p.Groups[p.Group].End
	}
	all := int64(0)
	for s := range log.SegmentsFrom(r.CleanFrom) {
		if s.BaseOffset >= r.CleanEnd {
			break
		}
		all += s.Size
	}
	left := all * b.stepDone(c) / 1000
	r.CleanHead = r.CleanFrom
	for s := range log.SegmentsFrom(r.CleanFrom) {
		if s.BaseOffset >= r.CleanEnd {
			break
		}
		if left < s.Size {
			r.CleanHead = s.BaseOffset + kafka.Offset(int64(s.EndOffset-s.BaseOffset)*left/s.Size)
			break
		}
		left -= s.Size
		r.CleanHead = s.EndOffset
	}
	r.CleanHead = min(max(r.CleanHead, r.CleanFrom), r.CleanEnd)
}
