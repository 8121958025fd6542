package panel

import (
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/model"
)

// metric is a number with its last minutes as a line.
type metric struct{ Name, Label, Value, Path, Class string }

// metricsMax is how many metrics stand in the strip.
const metricsMax = 4

// Box of a metric's line, in the units of its picture.
const (
	trailW = 200
	trailH = 28
)

func (c *Centre) metrics() []metric {
	var out []metric
	for i := range c.p.M.Facts.Cluster.Metrics {
		if len(out) == metricsMax {
			break
		}
		k := &c.p.M.Facts.Cluster.Metrics[i]
		value := grouped(k.Value)
		if k.Unit != "" {
			value += " " + k.Unit
		}
		out = append(out, metric{Name: k.Name, Label: k.Label, Value: value, Path: trail(k.Trail), Class: "trail-" + itoa(i)})
	}
	return out
}

// gauge is a metric under Kafka's name, and what has become of it.
type gauge struct{ Name, Value, Change, Class string }

func (c *Centre) since() string {
	if len(c.p.M.Since) == 0 {
		return "change"
	}
	return "since " + seconds(c.p.M.SinceAt)
}

// gauges are all metrics, with the change since the world last stood still.
func (c *Centre) gauges() []gauge {
	m := c.p.M
	var out []gauge
	for i := range m.Facts.Cluster.Metrics {
		k := &m.Facts.Cluster.Metrics[i]
		g := gauge{Name: k.Name, Value: strings.TrimSpace(grouped(k.Value) + " " + k.Unit)}
		if i < len(m.Since) {
			switch d := k.Value - m.Since[i]; {
			case d > 0:
				g.Change, g.Class = "+"+grouped(d), "changed"
			case d < 0:
				g.Change, g.Class = grouped(d), "changed"
			default:
				g.Change = "="
			}
		}
		out = append(out, g)
	}
	return out
}

// trail is a line through values as an SVG path, the highest at the top and 0
// at the bottom.
func trail(values []int64) string {
	if len(values) == 0 {
		return "M0 " + itoa(trailH-2) + "H" + itoa(trailW)
	}
	top := int64(1)
	for _, v := range values {
		top = max(top, v)
	}
	var b strings.Builder
	for i, v := range values {
		x, y := trailW, trailH-2-int(max(v, 0)*(trailH-4)/top)
		if n := len(values) - 1; n > 0 {
			x = i * trailW / n
		}
		if i == 0 {
			b.WriteString("M" + itoa(x) + " " + itoa(y))
		} else {
			b.WriteString("L" + itoa(x) + " " + itoa(y))
		}
	}
	if len(values) == 1 {
		b.WriteString("h-" + itoa(trailW))
	}
	return b.String()
}

// cell is a cell of the table of partitions.
type cell struct {
	ID, Text, Select, Label, State string
	Tab                            int
	Selected                       bool
}

func (c *Centre) heads() []string {
	h := []string{"partition", "leader", "epoch", "ISR", "HW", "LEO"}
	for i := range c.p.M.Facts.Cluster.Brokers {
		h = append(h, c.p.M.Facts.Cluster.Brokers[i].Name)
	}
	return h
}

// pages says which partitions of how many the table shows, "" if it has all.
func (c *Centre) pages() string {
	shown, from, of := c.p.M.TablePage()
	if len(shown) == of {
		return ""
	}
	return grouped(int64(from+1)) + " to " + grouped(int64(from+len(shown))) + " of " + grouped(int64(of))
}

// edge reports whether there is nothing before the page, or after it.
func (c *Centre) edge(by int) bool {
	shown, from, of := c.p.M.TablePage()
	return by < 0 && from == 0 || by > 0 && from+len(shown) >= of
}

func (c *Centre) rows() [][]cell {
	m := c.p.M
	parts, _, _ := m.TablePage()
	var out [][]cell
	n := 0
	add := func(row []cell, text string, sel view.Selection, label, state string) []cell {
		k := cell{ID: "cell-" + itoa(n), Text: text, Select: model.SelectionText(sel), Label: label, State: state, Tab: -1, Selected: sel == m.Selection}
		if n == m.Cell {
			k.Tab = 0
		}
		n++
		return append(row, k)
	}
	for _, p := range parts {
		name := p.TP.String()
		whole := view.Selection{Kind: "partition", TP: p.TP}
		leader := "none"
		if p.Leader != kafka.NoNode {
			leader = itoa(int(p.Leader))
		}
		state := ""
		if p.UnderMinISR || p.Leader == kafka.NoNode {
			state = "bad"
		} else if p.UnderReplicated {
			state = "warn"
		}
		hw, leo := strconv.FormatInt(int64(p.HW), 10), strconv.FormatInt(int64(p.LEO), 10)
		row := add(nil, name, whole, name, state)
		row = add(row, leader, whole, name+" leader "+leader, "")
		row = add(row, itoa(int(p.LeaderEpoch)), whole, name+" leader epoch "+itoa(int(p.LeaderEpoch)), "")
		row = add(row, nodes(p.ISR), whole, name+" in-sync replicas "+nodes(p.ISR), state)
		row = add(row, hw, whole, name+" high watermark "+hw, "")
		row = add(row, leo, whole, name+" log end offset "+leo, "")
		for i := range m.Facts.Cluster.Brokers {
			b := &m.Facts.Cluster.Brokers[i]
			text, label, state := replicaCell(p, b)
			row = add(row, text, view.Selection{Kind: "replica", TP: p.TP, Node: b.ID}, name+" on "+b.Name+": "+label, state)
		}
		out = append(out, row)
	}
	return out
}

// replicaCell is a broker's copy of a partition in a few characters, and in words.
func replicaCell(p *view.Partition, b *view.Broker) (text, label, state string) {
	for i := range p.Replicas {
		r := &p.Replicas[i]
		if r.Broker != b.ID {
			continue
		}
		leo := strconv.FormatInt(int64(r.LEO), 10)
		label = "log end offset " + leo + ", high watermark " + strconv.FormatInt(int64(r.HW), 10) + ", last stable offset " + strconv.FormatInt(int64(r.LSO), 10)
		switch {
		case !r.Online:
			return "✗ " + leo, "offline, " + label, "bad"
		case r.Leader:
			return "★ " + leo, "leader, " + label, ""
		case r.InISR:
			return leo, "in sync, " + label, ""
		}
		return "! " + leo, "out of sync, " + label, "warn"
	}
	return "", "no replica", ""
}
