package panel

import (
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
)

func (c *Inspector) foldLabel() string { return foldLabel(c.p.M.FoldInspector, "inspector") }

func (c *Inspector) foldSign() string {
	if c.p.M.FoldInspector {
		return "‹"
	}
	return "›"
}

// d is what is shown: the selection's detail, or the cluster in short.
func (c *Inspector) d() view.Detail {
	if c.p.M.Selection.Kind != "" {
		return c.p.M.Facts.Detail
	}
	return overview(c.p.M.Facts.Cluster)
}

// overview is the cluster at a glance.
func overview(v *view.Cluster) view.Detail {
	d := view.Detail{Title: "The cluster", Subtitle: "nothing is selected"}
	up, parts, under, underMin, offline := 0, 0, 0, 0, 0
	for i := range v.Brokers {
		if b := &v.Brokers[i]; b.State == view.Running && !b.Fenced {
			up++
		}
	}
	for i := range v.Topics {
		for j := range v.Topics[i].Partitions {
			p := &v.Topics[i].Partitions[j]
			parts++
			switch {
			case p.Leader == kafka.NoNode:
				offline++
				continue
			case p.UnderMinISR:
				underMin++
			}
			if p.UnderReplicated {
				under++
			}
		}
	}
	row := func(name string, n int64, warn bool) {
		d.Rows = append(d.Rows, view.Row{Name: name, Value: grouped(n), Warn: warn})
	}
	d.Rows = append(d.Rows, view.Row{Name: "brokers", Value: itoa(up) + " of " + itoa(len(v.Brokers)), Warn: up < len(v.Brokers)})
	row("topics", int64(len(v.Topics)), false)
	row("partitions", int64(parts), false)
	row("UnderReplicatedPartitions", int64(under), under > 0)
	row("UnderMinIsrPartitionCount", int64(underMin), underMin > 0)
	row("OfflinePartitionsCount", int64(offline), offline > 0)
	row("records sent", v.Ledger.Sent, false)
	row("acked", v.Ledger.Acked, false)
	row("failed", v.Ledger.Failed, v.Ledger.Failed > 0)
	row("acked and lost", v.Ledger.Lost, v.Ledger.Lost > 0)
	row("duplicated", v.Ledger.Duplicated, v.Ledger.Duplicated > 0)
	row("reordered", v.Ledger.Reordered, v.Ledger.Reordered > 0)
	row("delivered", v.Ledger.Delivered, false)
	row("metadata log end", int64(v.MetadataEnd), false)
	row("events", int64(v.Event), false)
	return d
}

// config is a config that can be turned.
type config struct {
	Name, Value, Title, Note, Err, ID string
	Changed, Open                     bool // differs from the default; a draft is there
}

func (c *Inspector) configs() []config {
	d := c.d()
	var out []config
	for _, k := range d.Configs {
		r := config{Name: k.Name, Value: k.Value, ID: "k-" + k.Name, Changed: k.Value != k.Default, Title: k.Name + ": default " + k.Default + ", " + k.Source}
		for _, draft := range c.p.M.Drafts {
			if draft.Name == k.Name && draft.Of == d.ConfigOf {
				r.Value, r.Err, r.Open = draft.Value, draft.Err, draft.Value != k.Value
				r.Note = draft.Err
			}
		}
		out = append(out, r)
	}
	return out
}

// textMax is the most of a tool's output that is shown, in bytes: vugu takes
// no text over 16 kB.
const textMax = 12 << 10

// tool is a tool whose output can be shown.
type tool struct {
	Name, Text string
	Open       bool
}

func (c *Inspector) tools() []tool {
	m := c.p.M
	var out []tool
	for _, name := range view.Tools(m.Selection) {
		t := tool{Name: name, Open: name == m.ToolShown()}
		if t.Open {
			t.Text = toolText(name, m.Facts.Tool)
		}
		out = append(out, t)
	}
	return out
}

// toolText is an output, cut if it is too long: of a log the end is kept.
func toolText(name string, lines []string) string {
	s := strings.Join(lines, "\n")
	if s == "" {
		return "(it prints nothing)"
	}
	if at := len(s) - textMax; at > 0 && name == view.ToolDumpLog {
		return "… cut here" + s[at+max(strings.IndexByte(s[at:], '\n'), 0):]
	}
	if len(s) > textMax {
		s = strings.ToValidUTF8(s[:textMax], "") + "\n… cut here"
	}
	return s
}

// jump is where a cause lies, for the control that goes there.
func jump(w view.Because) string {
	return strconv.FormatInt(int64(w.Went), 10) + " " + strconv.FormatUint(w.Note, 10)
}

// size is a number of bytes, as text.
func size(n int64) string { return grouped(n) + " B" }

// hexMax is how many bytes of a batch are shown.
const hexMax = 1024

func (c *Inspector) hexTitle() string { return "Bytes of the batch (" + itoa(len(c.d().Hex)) + ")" }

// hex is the batch as hexdump prints it.
func (c *Inspector) hex() string {
	if !c.p.M.ShowHex {
		return ""
	}
	data := c.d().Hex
	var b strings.Builder
	for at := 0; at < min(len(data), hexMax); at += 8 {
		line := data[at:min(at+8, len(data))]
		const digits = "0123456789abcdef"
		for shift := 12; shift >= 0; shift -= 4 {
			b.WriteByte(digits[at>>shift&15])
		}
		b.WriteString("  ")
		for i := range 8 {
			if i < len(line) {
				b.WriteByte(digits[line[i]>>4])
				b.WriteByte(digits[line[i]&15])
				b.WriteByte(' ')
			} else {
				b.WriteString("   ")
			}
		}
		b.WriteByte(' ')
		for _, x := range line {
			if x < ' ' || x > '~' {
				x = '.'
			}
			b.WriteByte(x)
		}
		b.WriteByte('\n')
	}
	if len(data) > hexMax {
		b.WriteString("… and " + itoa(len(data)-hexMax) + " bytes more\n")
	}
	return b.String()
}
