package producer

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// stickyPartition is where the next unkeyed record of a topic goes (KIP-480,
// KIP-794; BuiltInPartitioner.java). It changes after batch.size bytes, at the
// end of a batch.
func (p *Producer) stickyPartition(ti int) int32 {
	t := &p.acc.topics[ti]
	if t.sticky < 0 || int(t.sticky) >= len(t.parts) {
		t.sticky, t.produced = p.drawPartition(ti), 0
	} else if t.produced >= p.stickyBytes() && p.acc.allFull(t.parts[t.sticky]) {
		// The switch was put off because the batch could take more; now it is full.
		t.sticky, t.produced = p.drawPartition(ti), 0
	}
	return t.sticky
}

// stuck counts bytes that went to the sticky partition and moves on when there
// were enough: at batch.size if no batch there can take more, at twice that in
// any case (BuiltInPartitioner.updatePartitionInfo).
func (p *Producer) stuck(ti, bytes int) {
	t := &p.acc.topics[ti]
	t.produced += bytes
	enough := p.stickyBytes()
	if t.produced >= 2*enough || t.produced >= enough && p.acc.allFull(t.parts[t.sticky]) {
		t.sticky, t.produced = p.drawPartition(ti), 0
	}
}

func (p *Producer) stickyBytes() int { return max(p.opt.batchSize, 1) }

// drawPartition draws the next sticky partition: uniformly, or weighted against
// queues that pile up (BuiltInPartitioner.nextPartition).
func (p *Producer) drawPartition(ti int) int32 {
	t := &p.acc.topics[ti]
	random := p.spread.IntN(1 << 31)
	if ids, upTo := p.loads(ti); len(ids) > 0 {
		at, exact := slices.BinarySearch(upTo, int(random%int64(upTo[len(upTo)-1])))
		if exact {
			at++ // each entry is where its partition's share ends
		}
		return ids[at]
	}
	var available []int32
	for i, pi := range t.parts {
		if p.acc.parts[pi].node != 0 {
			available = append(available, int32(i))
		}
	}
	if len(available) > 0 {
		return available[random%int64(len(available))]
	}
	return int32(random % int64(len(t.parts)))
}

// loads returns the partitions that may be drawn and their cumulated weights,
// where a partition weighs the longest queue + 1 less its own queue; nothing if
// the draw is to be uniform (RecordAccumulator.partitionReady,
// BuiltInPartitioner.updatePartitionLoadStats).
func (p *Producer) loads(ti int) (ids []int32, upTo []int) {
	t := &p.acc.topics[ti]
	if !p.opt.adaptive || len(t.parts) < 2 || int(t.touched) < len(t.parts) {
		return nil, nil
	}
	longest, equal := 0, true
	for i, pi := range t.parts {
		pt := &p.acc.parts[pi]
		if pt.node == 0 || p.unavailable(pt.node) {
			continue
		}
		n := len(pt.queue)
		if len(upTo) > 0 && n != upTo[0] {
			equal = false
		}
		longest = max(longest, n)
		ids, upTo = append(ids, int32(i)), append(upTo, n)
	}
	if equal && len(ids) == len(t.parts) {
		return nil, nil
	}
	sum := 0
	for i, n := range upTo {
		sum += longest + 1 - n
		upTo[i] = sum
	}
	return ids, upTo
}

// unavailable reports whether a broker has taken no batch for longer than
// partitioner.availability.timeout.ms while there was something for it.
func (p *Producer) unavailable(n int32) bool {
	nd := &p.acc.nodes[n]
	return p.opt.unavailable > 0 && nd.triedAt.Sub(nd.drainsAt) > p.opt.unavailable
}

// tried remembers that there was something to send to a broker, and whether it
// could be sent (RecordAccumulator.updateNodeLatencyStats).
func (p *Producer) tried(now kafka.Instant, n int32, sends bool) {
	if p.opt.unavailable == 0 {
		return
	}
	nd := &p.acc.nodes[n]
	nd.triedAt = now
	if sends {
		nd.drainsAt = now
	}
}
