package model

import (
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
)

// The table of partitions is built anew with every render, so it shows a page of
// them: about cellsMax cells, rowsMin to rowsMax partitions.
const (
	cellsMax = 400
	rowsMin  = 12
	rowsMax  = 40
)

// TableHeads is how many columns the table has before those of the brokers.
const TableHeads = 6

// TableRoom is how many partitions a page of the table has.
func (m *Model) TableRoom() int {
	return min(max(cellsMax/(TableHeads+len(m.Facts.Cluster.Brokers)), rowsMin), rowsMax)
}

// TablePartitions are all partitions of the table, by topic. Kafka's own topics are
// in it while they are selected.
func (m *Model) TablePartitions() []*view.Partition {
	var out []*view.Partition
	want := m.topicName()
	for i := range m.Facts.Cluster.Topics {
		t := &m.Facts.Cluster.Topics[i]
		if t.Internal && t.Name != want {
			continue
		}
		for j := range t.Partitions {
			out = append(out, &t.Partitions[j])
		}
	}
	return out
}

// TablePage is the page of the table that is shown, from Row on.
func (m *Model) TablePage() (shown []*view.Partition, from, of int) {
	all := m.TablePartitions()
	from = min(max(m.Row, 0), max(0, len(all)-m.TableRoom()))
	return all[from:min(from+m.TableRoom(), len(all))], from, len(all)
}

// rowTo turns the table to where a row is in sight.
func (m Model) rowTo(row int) Model {
	if _, from, _ := m.TablePage(); row < from || row >= from+m.TableRoom() {
		m.Row = row
	}
	return m
}

// rowOfSelection turns the table to the partition or topic that is selected.
func (m Model) rowOfSelection() Model {
	name := m.topicName()
	if name == "" {
		return m
	}
	for i, p := range m.TablePartitions() {
		if p.TP == m.Selection.TP || m.Selection.Kind == "topic" && p.TP.Topic == name {
			return m.rowTo(i)
		}
	}
	return m
}

// actRows turns the page of the table by Arg pages.
func actRows(m Model, a Act) (Model, []Cmd) {
	_, from, of := m.TablePage()
	m.Row = min(max(from+int(atoi(a.Arg))*m.TableRoom(), 0), max(0, of-m.TableRoom()))
	return m, nil
}

// match is the partition that a text means: that of this name, else the first
// whose name begins so, else the first that has it somewhere.
func (m *Model) match(text string) (row int, ok bool) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, false
	}
	all := m.TablePartitions()
	for _, is := range []func(name string) bool{
		func(name string) bool { return name == text },
		func(name string) bool { return strings.HasPrefix(name, text) },
		func(name string) bool { return strings.Contains(name, text) },
	} {
		for i, p := range all {
			if is(p.TP.String()) {
				return i, true
			}
		}
	}
	return 0, false
}

// actFind turns the table to what is being typed.
func actFind(m Model, a Act) (Model, []Cmd) {
	m.Find = a.Value
	if row, ok := m.match(a.Value); ok {
		m.Row = row
	}
	return m, nil
}

// actFound selects the partition that was typed.
func actFound(m Model, _ Act) (Model, []Cmd) {
	row, ok := m.match(m.Find)
	if !ok {
		return m.say("No partition is called " + strings.TrimSpace(m.Find) + ". Names are like orders-0."), nil
	}
	m.Row = row
	return m.shown(view.Selection{Kind: "partition", TP: m.TablePartitions()[row].TP})
}

// shown selects something outside of the picture and brings it into sight there.
func (m Model) shown(s view.Selection) (Model, []Cmd) {
	m, cmds := m.selected(s)
	if s.TP.Topic != "" {
		cmds = append(cmds, Show{TP: s.TP})
	}
	return m, cmds
}

// partition is the field for a partition: a choice, or where they are too many for
// one the name itself.
func (n names) partition(m *Model) Field {
	want := m.Selection.TP.String()
	if len(n.partitions) <= optionsMax {
		return pick("tp", "Partition", n.partitions, want)
	}
	f := Field{Name: "tp", Label: "Partition", Need: true, Value: n.partitions[0], Hint: "topic-number, like " + n.partitions[len(n.partitions)-1]}
	if m.Selection.TP.Topic != "" {
		f.Value = want
	}
	return f
}

// optionsMax is how many partitions a choice offers at most.
const optionsMax = 100

// partitionNames are all partitions of the topics that are not Kafka's own.
func partitionNames(c *view.Cluster) []string {
	var out []string
	for i := range c.Topics {
		if t := &c.Topics[i]; !t.Internal {
			for j := range t.Partitions {
				out = append(out, kafka.TopicPartition{Topic: t.Name, Partition: int32(j)}.String())
			}
		}
	}
	return out
}
