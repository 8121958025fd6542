package scene

import (
	"strconv"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
)

func num[T ~int32 | ~int64](v T) string { return strconv.FormatInt(int64(v), 10) }

func controllerLabel(k *view.Controller) string {
	s := "controller " + itoa(k.ID) + ", " + stateWord(k.State)
	if k.Role != "" {
		s += ", " + k.Role
	}
	s += ", epoch " + num(k.Epoch) + ", log end " + num(k.LogEnd)
	if k.HW >= 0 && k.State == view.Running {
		s += ", high watermark " + num(k.HW)
	}
	if k.State != view.Running || k.Leader != kafka.NoNode {
		return s
	}
	if k.VotedFor != kafka.NoNode {
		s += ", voted for " + itoa(k.VotedFor)
	}
	for i := range k.Ballot {
		switch v := &k.Ballot[i]; {
		case v.Granted:
			s += ", granted by " + itoa(v.Voter)
		case v.Refused:
			s += ", refused by " + itoa(v.Voter)
		default:
			s += ", no answer from " + itoa(v.Voter)
		}
	}
	return s
}

// logLabel says of a replica what the marks around its records say.
func logLabel(p *view.Partition, r *view.Replica) string {
	s := ""
	if contains(p.ELR, r.Broker) {
		s += ", eligible leader replica"
	}
	if contains(p.LastKnownELR, r.Broker) {
		s += ", last known leader"
	}
	if contains(p.Adding, r.Broker) {
		s += ", being added, " + num(caughtUpPercent(p, r)) + " percent there"
	}
	if contains(p.Removing, r.Broker) {
		s += ", being removed"
	}
	if r.FutureDir != "" {
		s += ", moving to " + r.FutureDir + ", " + num(movedPercent(r)) + " percent there"
	}
	if n := len(r.Epochs); n > 0 {
		s += ", leader epoch " + num(r.Epochs[n-1].Epoch) + " from offset " + num(r.Epochs[n-1].Offset)
	}
	if r.Divergent > 0 {
		s += ", " + num(r.Divergent) + " at the end that the leader has not"
	}
	if r.LogStart > 0 {
		s += ", log start " + num(r.LogStart)
	}
	if r.Segments > 1 {
		s += ", " + strconv.Itoa(r.Segments) + " segments"
	}
	if r.Durable >= 0 && r.Durable < r.LEO {
		s += ", on disk up to " + num(r.Durable)
	}
	if r.Cleaning != "" {
		s += ", the cleaner is " + r.Cleaning + ", " + num(r.CleanDone/10_000) + " percent"
	}
	return s
}

var fateWords = [...]string{"", ", superseded: the cleaner drops it", ", past its delete horizon: the cleaner drops it", ", without a key: the cleaner drops it", ", of an aborted transaction: the cleaner drops it"}

// recordLabel describes a record that is in the picture, "" if it is not.
func recordLabel(c *view.Cluster, p *view.Partition, sel view.Selection) string {
	for i := range p.Replicas {
		r := &p.Replicas[i]
		if r.Broker != sel.Node {
			continue
		}
		for j := range r.Cells {
			x := &r.Cells[j]
			if x.Offset != sel.Offset {
				continue
			}
			s := "record "
			switch {
			case x.Control:
				s = "marker " + x.Key + " at "
			case x.Tombstone:
				s = "tombstone "
			}
			s += num(x.Offset) + " of " + sel.TP.String() + " on broker " + itoa(sel.Node)
			if x.HasKey && !x.Control {
				s += ", key " + x.Key
			}
			if x.Horizon > 0 && (x.Tombstone || x.Control) {
				s += ", delete horizon at " + kafka.Instant((x.Horizon-kafka.StartUnixMilli)*int64(kafka.Millisecond)).String()
				if left := x.Horizon - c.Now.UnixMilli(); left > 0 {
					s += ", in " + num(left) + " ms"
				}
			}
			s += ", leader epoch " + num(x.Epoch) + fateWords[x.Fate%view.Fate(len(fateWords))]
			if x.Offset >= r.LEO-kafka.Offset(r.Divergent) {
				s += ", the leader has not got it"
			}
			return s
		}
	}
	return ""
}

// legendLabel explains a mark of the legend.
func legendLabel(name string) string {
	for i := range entries {
		if entries[i].name == name {
			return "legend: " + entries[i].says
		}
	}
	return "legend"
}
