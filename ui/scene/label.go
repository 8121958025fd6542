package scene

import (
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
)

// Label says in words what a selection is and how it is: what a screen reader
// speaks and a tooltip shows.
func Label(c *view.Cluster, sel view.Selection) string {
	if c == nil {
		return ""
	}
	switch sel.Kind {
	case "broker":
		for i := range c.Brokers {
			if c.Brokers[i].ID == sel.Node {
				return brokerLabel(&c.Brokers[i])
			}
		}
	case "controller":
		for i := range c.Controllers {
			if k := &c.Controllers[i]; k.ID == sel.Node {
				return controllerLabel(k)
			}
		}
	case "topic":
		for i := range c.Topics {
			if t := &c.Topics[i]; t.Name == sel.Name {
				return "topic " + t.Name + ", " + strconv.Itoa(len(t.Partitions)) + " partitions, replication factor " + strconv.Itoa(t.ReplicationFactor)
			}
		}
	case "partition":
		if p := FindPartition(c, sel.TP); p != nil {
			return partitionLabel(p)
		}
	case "replica":
		if p := FindPartition(c, sel.TP); p != nil {
			for i := range p.Replicas {
				if p.Replicas[i].Broker == sel.Node {
					return replicaLabel(p, &p.Replicas[i])
				}
			}
		}
	case "legend":
		return legendLabel(sel.Name)
	case "record":
		if p := FindPartition(c, sel.TP); p != nil {
			if s := recordLabel(c, p, sel); s != "" {
				return s
			}
		}
		return "record " + strconv.FormatInt(int64(sel.Offset), 10) + " of " + sel.TP.String() + " on broker " + itoa(sel.Node)
	case "producer", "consumer":
		return clientLabel(c, sel)
	case "flight":
		for i := range c.Flights {
			if f := &c.Flights[i]; f.ID == sel.ID {
				return flightLabel(f)
			}
		}
	case "link":
		return "link between " + itoa(sel.Node) + " and " + itoa(sel.Peer)
	}
	return sel.Kind + " " + sel.Name
}

// FindPartition returns a partition of the cluster, or nil.
func FindPartition(c *view.Cluster, tp kafka.TopicPartition) *view.Partition {
	for i := range c.Topics {
		if c.Topics[i].Name != tp.Topic {
			continue
		}
		parts := c.Topics[i].Partitions
		if k := int(tp.Partition); k >= 0 && k < len(parts) && parts[k].TP == tp {
			return &parts[k]
		}
		for k := range parts {
			if parts[k].TP == tp {
				return &parts[k]
			}
		}
	}
	return nil
}

func itoa(id kafka.NodeID) string { return strconv.Itoa(int(id)) }

// stateWord is a process state as a reader would say it.
func stateWord(s view.ProcessState) string {
	return [...]string{"running", "starting", "stopping", "crashed", "powered off", "frozen", "stopped"}[s%7]
}

func brokerLabel(k *view.Broker) string {
	s := "broker " + itoa(k.ID) + ", " + stateWord(k.State)
	if k.Rack != "" {
		s += ", rack " + k.Rack
	}
	if k.Fenced {
		s += ", fenced"
	}
	for in, path := range k.LogDirs {
		if failed(k, path) {
			s += ", log directory " + path + " failed"
		} else if in < len(k.DiskUsed) {
			s += ", log directory " + path + " " + strconv.FormatInt(percent(k.DiskUsed[in], k.DiskCapacity), 10) + " percent full"
		}
	}
	if len(k.CutFrom) > 0 {
		s += ", cut from " + nodes(k.CutFrom)
	}
	return s + ", leads " + strconv.Itoa(k.Leads) + " of " + strconv.Itoa(k.Replicas) + " replicas"
}

func partitionLabel(p *view.Partition) string {
	s := "partition " + p.TP.String()
	if p.Leader == kafka.NoNode {
		s += ", no leader"
	} else {
		s += ", leader " + itoa(p.Leader)
	}
	s += ", in sync " + nodes(p.ISR) + ", log end offset " + strconv.FormatInt(int64(p.LEO), 10) + ", high watermark " + strconv.FormatInt(int64(p.HW), 10)
	if p.UnderMinISR {
		s += ", under min ISR"
	} else if p.UnderReplicated {
		s += ", under-replicated"
	}
	return s
}

func replicaLabel(p *view.Partition, r *view.Replica) string {
	s := p.TP.String() + " on broker " + itoa(r.Broker) + ", "
	switch {
	case !r.Online:
		s += "offline"
	case r.Broker == p.Leader:
		s += "leader"
	case r.InISR:
		s += "in sync"
	default:
		s += "out of sync"
	}
	s += ", log end offset " + strconv.FormatInt(int64(r.LEO), 10) + ", high watermark " + strconv.FormatInt(int64(r.HW), 10)
	if r.LSO >= 0 && r.LSO < r.HW {
		s += ", last stable offset " + strconv.FormatInt(int64(r.LSO), 10)
	}
	if r.Lag > 0 {
		s += ", " + strconv.FormatInt(r.Lag, 10) + " behind"
	}
	return s + logLabel(p, r)
}

func clientLabel(c *view.Cluster, sel view.Selection) string {
	for i := range c.Producers {
		if k := &c.Producers[i]; sel.Kind == "producer" && k.Name == sel.Name {
			s := "producer " + k.Name + ", " + clientState(k.State, k.Paused) + ", to " + k.Topic + ", acks " + k.Acks + ", sent " + strconv.FormatInt(k.Sent, 10) + ", acknowledged " + strconv.FormatInt(k.Acked, 10)
			if k.Lost > 0 {
				s += ", lost " + strconv.FormatInt(k.Lost, 10)
			}
			return s
		}
	}
	for i := range c.Consumers {
		if k := &c.Consumers[i]; sel.Kind == "consumer" && k.Name == sel.Name {
			s := "consumer " + k.Name
			if k.Group != "" {
				s += " of group " + k.Group
			}
			s += ", " + clientState(k.State, k.Paused)
			if len(k.Assigned) == 0 {
				return s + ", no partition assigned"
			}
			var lag int64
			names := make([]string, 0, len(k.Assigned))
			for j := range k.Assigned {
				names = append(names, k.Assigned[j].TP.String())
				lag += k.Assigned[j].Lag
			}
			return s + ", reads " + strings.Join(names, " ") + ", lag " + strconv.FormatInt(lag, 10)
		}
	}
	return sel.Kind + " " + sel.Name
}

func clientState(s view.ProcessState, paused bool) string {
	if paused && s == view.Running {
		return "paused"
	}
	return stateWord(s)
}

func flightLabel(f *view.Flight) string {
	s := f.API + " request"
	if f.Response {
		s = f.API + " response"
	}
	s += " from " + strconv.Itoa(int(f.From)) + " to " + strconv.Itoa(int(f.To))
	if f.Records > 0 {
		s += ", " + strconv.Itoa(f.Records) + " records"
	}
	if f.Held {
		return s + ", held at a cut link"
	}
	if f.Err != kafka.None {
		s += ", " + f.Err.String()
	}
	return s + ", arrives at " + f.ArriveAt.String()
}

func nodes(ids []kafka.NodeID) string {
	if len(ids) == 0 {
		return "none"
	}
	var s strings.Builder
	for i, id := range ids {
		if i > 0 {
			s.WriteByte(',')
		}
		s.WriteString(itoa(id))
	}
	return s.String()
}
