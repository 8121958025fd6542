package scene

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/layout"
	"github.com/highwater-sim/highwater/ui/scene/display"
)

// tiles paints a topic whose partitions are tiles. Each standing has a shape of
// its own: full with a star, full and dim, half, a dot with a cross.
func (b *builder) tiles(blk *layout.Block) {
	p, t := b.plan, &b.c.Topics[blk.Topic]
	for k := range t.Partitions {
		part := &t.Partitions[k]
		tile := p.TileRect(blk, k)
		tile.X = b.colX(tile.X)
		if !b.visibleX(tile.X, tile.W) {
			continue
		}
		for j := range part.Replicas {
			r := &part.Replicas[j]
			row := p.RowOf(b.c, r.Broker)
			if row < 0 {
				continue
			}
			at := tile
			at.Y += p.Rows[row].Rect.Y + p.BoxTop - b.camY
			if b.visibleY(at.Y, at.H) {
				b.band = bandRows + int32(row)
				b.tile(part, r, at)
			}
		}
	}
}

func (b *builder) tile(part *view.Partition, r *view.Replica, at Rect) {
	s := b.standing(part, r)
	c, _, _ := b.look(s)
	gap := float32(1)
	if at.W >= 12 {
		gap = 2
	}
	hit := b.inMatrix(b.replicaSel(part, r), at, true)
	in := rect(at.X+gap/2, at.Y+gap/2, at.W-gap, at.H-gap)
	radius := float32(0)
	if in.W >= 8 {
		radius = in.W * 0.18
	}
	big := in.W >= 12
	switch s {
	case standLeader:
		b.fill(in, radius, c, hit)
		if big {
			b.shape(display.Star, in.X+in.W/2, in.Y+in.H/2, in.W*0.32, b.th.Well, 0, 0)
		}
	case standInSync:
		if in.W >= 8 {
			b.box(in, radius, c.Alpha(0.28), c.Alpha(0.8), 1, display.Solid, hit)
		} else {
			b.fill(in, radius, c.Alpha(0.45), hit)
		}
	case standOffline:
		b.box(in, radius, b.th.Well, c.Alpha(0.8), 1, display.Solid, hit)
		b.cross(in.X+in.W/2, in.Y+in.H/2, in.W*0.24, c, 1)
	default: // behind: the tile is as full as its log is complete
		b.box(in, radius, b.th.Well, c, 1, display.Solid, hit)
		h := in.H * full(part, r)
		b.fill(rect(in.X, in.Y+in.H-h, in.W, h), radius, c, 0)
		switch {
		case big && contains(part.ELR, r.Broker):
			b.shape(display.Pentagon, in.X+in.W/2, in.Y+in.H*0.35, in.W*0.26, b.th.Well, b.th.InSync, 1.2)
		case big && s == standAdding:
			b.label("+", in.X+in.W/2, in.Y+10, b.tiny(c).middle(), 0)
		case big:
			b.label("!", in.X+in.W/2, in.Y+10, b.tiny(c).middle(), 0)
		}
	}
}

// full is how much of the leader's last records a replica has, from 0.15 to 0.6.
func full(part *view.Partition, r *view.Replica) float32 {
	lag := part.LEO - r.LEO
	f := float32(0.6)
	for k := kafka.Offset(8); lag > k && f > 0.15; k *= 4 {
		f -= 0.09
	}
	return max(f, 0.15)
}
