package metadata

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
)

// Digest writes the whole image.
func (img *Image) Digest(h *sim.Hash) {
	h.Int(int64(img.Offset))
	h.Int(img.NextProducerID)
	h.Int(int64(len(img.Brokers)))
	for i := range img.Brokers {
		img.Brokers[i].digest(h)
	}
	h.Int(int64(len(img.Topics)))
	for _, t := range img.Topics {
		h.String(t.Name)
		h.Bytes(t.ID[:])
		h.Int(int64(len(t.Partitions)))
		for _, p := range t.Partitions {
			p.digest(h)
		}
	}
	h.Int(int64(len(img.Configs)))
	for _, c := range img.Configs {
		h.Int(int64(c.Type))
		h.String(c.Name)
		h.Int(int64(len(c.Values)))
		for _, v := range c.Values {
			h.String(v.Name)
			h.String(v.Value)
		}
	}
	h.Int(int64(len(img.Quotas)))
	for _, q := range img.Quotas {
		for _, p := range [2]QuotaPart{q.User, q.Client} {
			h.Bool(p.Set)
			h.String(p.Name)
		}
		for _, l := range q.Limits {
			h.Int(l)
		}
	}
	h.Int(int64(len(img.Features)))
	for _, f := range img.Features {
		h.String(f.Name)
		h.Int(int64(f.Level))
	}
}

func (b *Broker) digest(h *sim.Hash) {
	h.Int(int64(b.ID))
	h.Int(int64(b.Epoch))
	h.Bytes(b.IncarnationID[:])
	h.String(b.Rack)
	h.String(b.Host)
	h.Int(int64(b.Port))
	h.Bool(b.Fenced)
	h.Bool(b.InControlledShutdown)
	uuids(h, b.LogDirs)
	h.Int(int64(len(b.Features)))
	for _, f := range b.Features {
		h.String(f.Name)
		h.Int(int64(f.Min))
		h.Int(int64(f.Max))
	}
}

func (p *Partition) digest(h *sim.Hash) {
	for _, l := range [][]kafka.NodeID{p.Replicas, p.ISR, p.ELR, p.LastKnownELR, p.Removing, p.Adding} {
		h.Int(int64(len(l)))
		for _, n := range l {
			h.Int(int64(n))
		}
	}
	uuids(h, p.Directories)
	h.Int(int64(p.Leader))
	h.Int(int64(p.LeaderEpoch))
	h.Int(int64(p.PartitionEpoch))
	h.Bool(p.Recovering)
}

func uuids(h *sim.Hash, l [][16]byte) {
	h.Int(int64(len(l)))
	for _, u := range l {
		h.Bytes(u[:])
	}
}
