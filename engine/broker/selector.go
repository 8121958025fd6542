package broker

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
)

// rackAwareSelector is the replica.selector.class that lets consumers read from
// their own rack (RackAwareReplicaSelector.java, KIP-392). Any other leaves them
// with the leader.
const rackAwareSelector = "org.apache.kafka.common.replica.RackAwareReplicaSelector"

func rackAware(cfg *Config, img *metadata.Image) bool {
	class, _ := img.ResolveBroker(cfg.ID, cfg.Static, "replica.selector.class")
	return class == rackAwareSelector
}

// preferredReplica picks the replica that a consumer in a rack should read from
// (ReplicaManager.findPreferredReadReplica): NoNode if that is the leader, or if
// this broker does not lead, since only leaders know how far others are. Of the
// followers only ISR members count that have the offset: one that lags might
// never be left again.
func (b *Broker) preferredReplica(now kafka.Instant, p *partition, rack string, at kafka.Offset) kafka.NodeID {
	if rack == "" || !b.leads(p) || b.cfg.Rack == rack {
		return kafka.NoNode
	}
	best, bestLag := (*remote)(nil), kafka.Duration(0)
	for i := range p.remotes {
		r := &p.remotes[i]
		reg := b.registrationOf(r.node)
		if reg == nil || reg.Fenced || reg.Rack != rack || !slices.Contains(p.isr, r.node) || r.leo < at || r.logStart > at {
			continue
		}
		lag := now.Sub(b.lastCaughtUp(p, r))
		if best == nil || r.leo > best.leo || r.leo == best.leo && (lag < bestLag || lag == bestLag && r.node > best.node) {
			best, bestLag = r, lag
		}
	}
	if best == nil {
		return kafka.NoNode
	}
	return best.node
}
