package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/broker"
	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/highwater-sim/highwater/engine/trace"
)

func (i *inspector) partition(tp kafka.TopicPartition) bool {
	t, p := i.find(tp)
	if p == nil {
		return false
	}
	i.title("%s", tp)
	leader := "no leader"
	if p.Leader != kafka.NoNode {
		leader = "leader " + strconv.Itoa(int(p.Leader))
	}
	i.subtitle("%s · epoch %d · ISR {%s}", leader, p.LeaderEpoch, nodes(p.ISR))
	i.partitionRows(t, p)
	i.whyLeader(p)
	i.whyISR(t, p)
	i.electActions(p)
	return true
}

func (i *inspector) partitionRows(t *Topic, p *Partition) {
	i.offset("high watermark", p.HW)
	i.offset("log end offset", p.LEO)
	i.row("replicas", nodes(p.Assigned))
	i.rowIf(p.UnderReplicated, "ISR", nodes(p.ISR))
	if len(p.ELR) > 0 {
		i.row("ELR", nodes(p.ELR))
	}
	if len(p.LastKnownELR) > 0 {
		i.row("last known ELR", nodes(p.LastKnownELR))
	}
	if p.Reassigning() {
		i.warn("reassignment", "adding "+nodes(p.Adding)+" · removing "+nodes(p.Removing))
		i.movingRows(p)
		i.action("Cancel the reassignment", "cancel-reassign "+p.TP.String())
	}
	i.num("partition epoch", int64(p.PartitionEpoch))
	i.underMinISR(t, p)
	i.topicConfigs(t.Name)
	if p.Leader != kafka.NoNode && p.HW > 0 && !t.Internal {
		i.action("Delete records", "delete-records "+p.TP.String()+" latest")
	}
}

// underMinISR says whether a partition takes acks=all (min.insync.replicas).
func (i *inspector) underMinISR(t *Topic, p *Partition) {
	word := "no"
	if p.UnderMinISR {
		word = "yes"
	}
	i.rowIf(p.UnderMinISR, "under min ISR", fmt.Sprintf("%s (min %d)", word, t.MinISR))
}

// movingRows say how far the replicas are that a reassignment adds.
func (i *inspector) movingRows(p *Partition) {
	for k := range p.Replicas {
		r := &p.Replicas[k]
		if !slices.Contains(p.Adding, r.Broker) {
			continue
		}
		switch {
		case r.InISR:
			i.row("broker "+strconv.Itoa(int(r.Broker)), "added, in the ISR")
		case p.LEO > 0:
			i.row("broker "+strconv.Itoa(int(r.Broker)), fmt.Sprintf("%d of %d records, %d behind", r.LEO-r.LogStart, p.LEO-r.LogStart, r.Lag))
		}
	}
}

// logRows say what a log is made of: its index entries, and where its leader epochs
// begin.
func (i *inspector) logRows(log *storage.Log) {
	offsets, times := 0, 0
	for _, s := range log.Segments() {
		offsets += s.IndexEntries
		times += s.TimeIndexEntries
	}
	i.row("index entries", fmt.Sprintf("offset %d, time %d", offsets, times))
	all := log.Epochs()
	var words []string
	for _, e := range all[max(0, len(all)-epochsShown):] {
		words = append(words, fmt.Sprintf("%d from %d", e.Epoch, e.StartOffset))
	}
	if len(words) > 0 {
		i.row("leader epochs", strings.Join(words, ", "))
	}
}

// epochsShown is how many leader epochs of a log are told, the last ones.
const epochsShown = 5

func (i *inspector) electActions(p *Partition) {
	if p.Leader == kafka.NoNode {
		i.action("Elect, even unclean", "elect "+p.TP.String()+" unclean")
	} else if len(p.Assigned) > 0 && p.Leader != p.Assigned[0] {
		i.action("Elect the preferred leader", "elect "+p.TP.String())
	}
}

func (i *inspector) replica(tp kafka.TopicPartition, id kafka.NodeID) bool {
	t, p := i.find(tp)
	if p == nil {
		return false
	}
	for k := range p.Replicas {
		r := &p.Replicas[k]
		if r.Broker != id {
			continue
		}
		i.title("%s on broker %d", tp, id)
		i.subtitle("%s · epoch %d · ISR {%s}", roleOf(p, r), p.LeaderEpoch, nodes(p.ISR))
		i.num("log start", int64(r.LogStart))
		i.offset("LSO", r.LSO)
		i.offset("high watermark", r.HW)
		i.num("log end", int64(r.LEO))
		i.row("segments", fmt.Sprintf("%d · %s", r.Segments, size(r.Bytes)))
		if dirs := i.w.Brokers()[id-1]; len(dirs.Directories()) > 1 {
			i.row("log directory", r.Dir)
			if slices.Contains(dirs.OfflineDirectories(), r.Dir) {
				i.warn("offline", "its log directory has failed: KAFKA_STORAGE_ERROR")
			}
		}
		if log := i.readable(tp, id); log != nil {
			i.logRows(log)
			i.out.Files, i.out.FilesIn = FilesOf(log), tp.String()
		}
		i.careRows(tp, id)
		i.rowIf(r.Durable < r.LEO, "flushed up to", strconv.FormatInt(int64(r.Durable), 10))
		if !r.Leader && p.Leader != kafka.NoNode {
			i.rowIf(r.Lag > 0, "behind its leader", strconv.FormatInt(r.Lag, 10)+" records")
			if r.CaughtUp != kafka.Never {
				i.row("last caught up", strconv.FormatInt(i.c.Now.Sub(r.CaughtUp).Millis(), 10)+" ms ago")
			}
		}
		i.underMinISR(t, p)
		i.whyHW(p)
		i.topicConfigs(t.Name)
		i.electActions(p)
		return true
	}
	return false
}

func roleOf(p *Partition, r *Replica) string {
	switch {
	case !r.Online:
		return "offline"
	case r.Broker == p.Leader:
		return "leader"
	case r.Leader:
		return "takes itself for the leader"
	case r.InISR:
		return "in-sync follower"
	}
	return "follower out of sync"
}

func size(n int64) string {
	switch {
	case n < 1<<10:
		return strconv.FormatInt(n, 10) + " B"
	case n < 1<<20:
		return strconv.FormatFloat(float64(n)/(1<<10), 'f', 1, 64) + " KiB"
	}
	return strconv.FormatFloat(float64(n)/(1<<20), 'f', 1, 64) + " MiB"
}

// whyHW explains where the high watermark stands: from the rule down to what
// holds the slowest member back.
func (i *inspector) whyHW(p *Partition) {
	lead, ok := leaderOf(i.w.Brokers(), p)
	if !ok {
		i.out.WhyTitle = "Why does the high watermark stand still?"
		i.fact("nobody leads "+p.TP.String()+", so nothing is committed", "Partition.scala", trace.Note{})
		i.out.Why = append(i.out.Why, i.chain(i.last(func(n *trace.Note) bool {
			return n.Kind == trace.LeaderElected && n.Topic == p.TP.Topic && n.Part == p.TP.Partition
		}).ID)...)
		return
	}
	i.out.WhyTitle = fmt.Sprintf("Why is the high watermark %d?", lead.HW)
	if len(lead.ISR) < lead.MinISR {
		i.fact(fmt.Sprintf("frozen: ISR {%s} has %d of min.insync.replicas %d", nodes(lead.ISR), len(lead.ISR), lead.MinISR), "KIP-966", trace.Note{})
		for _, n := range p.Assigned {
			if !slices.Contains(lead.ISR, n) {
				i.fact("it moves again once "+trace.NodeName(n)+" is back in the ISR", "Partition.maybeIncrementLeaderHW", trace.Note{})
				i.wayBack(&lead, true, n)
			}
		}
		i.fact(fmt.Sprintf("or at once with less safety: config topic %s min.insync.replicas=%d", p.TP.Topic, max(1, len(lead.ISR))), "min.insync.replicas", trace.Note{})
		return
	}
	if lead.HW == lead.Log.LEO() {
		i.fact(fmt.Sprintf("every in-sync replica {%s} has all %d records", nodes(lead.MaximalISR), lead.HW), "Partition.maybeIncrementLeaderHW", trace.Note{})
		return
	}
	i.fact(fmt.Sprintf("smallest log end offset of the maximal ISR {%s}", nodes(lead.MaximalISR)), "Partition.maybeIncrementLeaderHW", trace.Note{})
	for k := range lead.Followers() {
		if f := lead.Follower(k, i.c.Now); f.LEO <= lead.HW && f.LEO != kafka.NoOffset {
			i.whyBehind(&lead, f)
		}
	}
}

// whyBehind explains what holds a follower back, and when it will be dropped.
func (i *inspector) whyBehind(lead *broker.Replica, f broker.Follower) {
	i.fact(fmt.Sprintf("%s has it up to %d", trace.NodeName(f.Node), f.LEO), "", trace.Note{})
	cause := i.last(func(n *trace.Note) bool {
		switch n.Kind {
		case trace.Crash, trace.PowerLoss, trace.DiskFormatted, trace.Boot:
			return n.Node == f.Node
		case trace.LinkCut, trace.LinkHealed:
			return n.Node == f.Node && n.Peer == lead.Leader || n.Peer == f.Node && n.Node == lead.Leader
		}
		return false
	})
	if cause.Kind == trace.Crash || cause.Kind == trace.PowerLoss || cause.Kind == trace.DiskFormatted || cause.Kind == trace.LinkCut {
		i.out.Why = append(i.out.Why, i.chain(cause.ID)...)
	}
	if f.CaughtUp != kafka.Never {
		limit := i.lagMax()
		i.fact(fmt.Sprintf("it leaves the ISR once it has not caught up for %v, at the next check after %v", limit, f.CaughtUp.Add(limit)),
			"replica.lag.time.max.ms", trace.Note{})
	}
}

func (i *inspector) lagMax() kafka.Duration {
	return i.w.Image().BrokerDuration(kafka.NoNode, i.w.Controllers()[0].Static(), "replica.lag.time.max.ms")
}

func (i *inspector) fact(text, rule string, n trace.Note) {
	b := Because{At: i.c.Now, Went: i.c.Now, Text: text, Rule: rule, Note: uint64(n.ID)}
	if n.ID > 0 {
		b.Went = n.At
	}
	i.out.Why = append(i.out.Why, b)
}

// readable is a replica's log; one that a crash went over as its recovery will
// leave it.
func (i *inspector) readable(tp kafka.TopicPartition, id kafka.NodeID) *storage.Log {
	log := i.w.Brokers()[id-1].Dir().Get(tp)
	if log != nil && log.Unclean() {
		log = log.Clone()
		log.Recover()
	}
	return log
}

// record shows one record: its fields, and its batch's bytes.
func (i *inspector) record(tp kafka.TopicPartition, id kafka.NodeID, at kafka.Offset) bool {
	if id < 1 || int(id) > len(i.c.Brokers) {
		return false
	}
	log := i.readable(tp, id)
	if log == nil || at >= log.LEO() {
		return false
	}
	b, ok := log.BatchAt(at)
	if !ok || at < log.LogStart() || !holds(&b, at) {
		return i.gone(tp, id, at)
	}
	i.title("record %d of %s", at, tp)
	i.subtitle("on broker %d · batch %d..%d", id, b.Header.BaseOffset, b.Header.LastOffset())
	for r, err := range record.Records(b.Raw) {
		if err != nil || r.Offset != at {
			continue
		}
		i.recordRows(&r, b.Header.Attributes.Control())
		if !b.Header.Attributes.Control() {
			i.whyKept(tp, id, &b, &r)
		}
	}
	i.num("leader epoch", int64(b.Header.LeaderEpoch))
	i.num("producer id", b.Header.ProducerID)
	i.num("base sequence", int64(b.Header.BaseSequence))
	i.row("crc32c", fmt.Sprintf("%08x", b.Header.CRC))
	i.num("position in segment", b.Position)
	if _, p := i.find(tp); p != nil {
		i.rowIf(at >= p.HW, "committed", yesNo(at < p.HW))
	}
	i.out.Hex = append([]byte(nil), b.Raw...)
	i.recordActions(tp, id, at)
	return true
}

// recordActions are what can be done to a record, or rather to what it lies on.
func (i *inspector) recordActions(tp kafka.TopicPartition, id kafka.NodeID, at kafka.Offset) {
	deletes := strings.Contains(i.w.Image().TopicText(tp.Topic, kafka.NoNode, i.w.Controllers()[0].Static(), "cleanup.policy"), "delete")
	if _, p := i.find(tp); deletes && p != nil && p.Leader != kafka.NoNode && at < p.HW {
		i.action("Delete up to here", fmt.Sprintf("delete-records %s %d", tp, at+1))
	}
	i.action("Flip a bit", fmt.Sprintf("corrupt broker-%d %s %d", id, tp, at))
}

// holds reports whether a batch has a record at an offset, or cannot be read.
func holds(b *storage.Batch, at kafka.Offset) bool {
	for r, err := range record.Records(b.Raw) {
		if err != nil || r.Offset == at {
			return true
		}
	}
	return false
}

func (i *inspector) recordRows(r *record.Record, control bool) {
	if control {
		i.row("kind", "control record")
		return
	}
	i.row("key", text(r.Key))
	i.row("value", strings.TrimRight(text(r.Value), "."))
	if name, n, ok := client.Identity(r); ok {
		i.row("sent by", fmt.Sprintf("%s, its record %d", name, n))
	}
	i.row("timestamp", kafka.InstantOfUnixMilli(r.Timestamp).String())
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// text shows bytes that may be null or not text.
func text(b []byte) string {
	if b == nil {
		return "null"
	}
	if len(b) > 64 {
		return strconv.Quote(string(b[:64])) + "…"
	}
	return string(b)
}
