package model

import (
	"slices"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
)

// FileRows is how many batches of a file stand on a page.
const FileRows = 25

// actBatch shows the records of a batch of the file, or hides them, and turns
// to its page.
func actBatch(m Model, a Act) (Model, []Cmd) {
	i := int(atoi(a.Arg))
	if m.File == nil || i < 0 || i >= m.File.Len() {
		return m, nil
	}
	page := m.FilePage
	m = m.filePage(i / FileRows)
	if m.FileBatch == i && m.FilePage == page {
		i = -1
	}
	m.FileBatch = i
	return m, nil
}

func (m Model) filePage(page int) Model {
	if m.File != nil {
		m.FilePage = min(max(page, 0), max(m.File.Len()-1, 0)/FileRows)
	}
	return m
}

// actTool shows the output of a tool, or hides it.
func actTool(m Model, a Act) (Model, []Cmd) {
	if m.Tool == a.Arg {
		a.Arg = ""
	}
	m.Tool = a.Arg
	return m, nil
}

// ToolShown is the tool whose output is to be shown of the selection; "" if none.
func (m *Model) ToolShown() string {
	if slices.Contains(view.Tools(m.Selection), m.Tool) {
		return m.Tool
	}
	return ""
}

// actJump goes to where a cause lies: Arg is the instant and the note that tells
// of it, 0 for none.
func actJump(m Model, a Act) (Model, []Cmd) {
	at, id, _ := strings.Cut(a.Arg, " ")
	var cmds []Cmd
	if n := atoi(id); n > 0 {
		m, cmds = m.selected(view.Selection{Kind: "note", ID: uint64(n)})
	}
	if t := kafka.Instant(atoi(at)); t != m.Now {
		m.Playing = false // to look at it
		m2, more := m.seek(t)
		return m2, append(cmds, more...)
	}
	return m, cmds
}

// stood keeps the metrics of a moment at which the world stands still.
func (m Model) stood() Model {
	if !m.Still() {
		return m
	}
	m.Since, m.SinceAt = nil, m.Now
	for i := range m.Facts.Cluster.Metrics {
		m.Since = append(m.Since, m.Facts.Cluster.Metrics[i].Value)
	}
	return m
}
