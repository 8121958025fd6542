package panel

import (
	"strconv"
	"time"

	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/model"
)

// Limits of what is shown of a file at a time.
const (
	pageRows        = model.FileRows
	fileRecordsMax  = 50
	fileProblemsMax = 12
)

// fileSummary says what a file is and what is in it.
func (c *Dialog) fileSummary() string {
	f := c.p.M.File
	s := f.Kind + " · " + size(int64(f.Size)) + " · " + grouped(int64(f.Len())) + " batches · " + grouped(f.Records) + " records · "
	switch f.Broken {
	case 0:
		return s + "every frame and checksum is right"
	case 1:
		return s + "1 problem"
	}
	return s + grouped(int64(f.Broken)) + " problems"
}

// problem is something broken, with the batch that it is in (-1: none).
type problem struct{ Text, Arg string }

func (c *Dialog) problems() []problem {
	f := c.p.M.File
	var out []problem
	for _, p := range f.Problems[:min(len(f.Problems), fileProblemsMax)] {
		out = append(out, problem{"byte " + grouped(p.Pos) + ": " + p.Text, itoa(p.Batch)})
	}
	if more := f.Broken - len(out); more > 0 {
		out = append(out, problem{"and " + grouped(int64(more)) + " more", "-1"})
	}
	return out
}

// dumpRows is how many batches are shown as text at a time.
const dumpRows = 12

// dump is what kafka-dump-log prints of the page's first batches, or of the batch
// that is open.
func (c *Dialog) dump() string {
	m := c.p.M
	if !m.FileDump {
		return ""
	}
	from, n := m.FilePage*pageRows, dumpRows
	if m.FileBatch >= 0 {
		from, n = m.FileBatch, 1
	}
	return toolText("", view.DumpFile(m.File, from, from+n))
}

var batchHeads = []string{"base offset", "last", "records", "max timestamp (UTC)", "producer id · epoch · sequence", "leader epoch", "codec", "CRC", "position"}

// batchRow is a batch, or one of its records if Arg is "".
type batchRow struct {
	Arg, Class string
	Open       bool
	Cells      []string
	Span       any // columns that a cell takes, nil for one
}

// rest are the cells beside the one with the control.
func (r batchRow) rest() []string {
	if r.Arg == "" {
		return r.Cells
	}
	return r.Cells[1:]
}

// batches is the page of the file, with the records of the batch that is open.
func (c *Dialog) batches() []batchRow {
	m := c.p.M
	var out []batchRow
	from := m.FilePage * pageRows
	for i := from; i < min(from+pageRows, m.File.Len()); i++ {
		b := m.File.Batch(i)
		h := &b.Header
		crc := "ok"
		if !b.CRCOK {
			crc = "wrong"
		}
		producer := "none"
		if h.HasProducer() {
			producer = decimal(h.ProducerID) + " · " + itoa(int(h.ProducerEpoch)) + " · " + itoa(int(h.BaseSequence))
		}
		count := itoa(int(h.Count))
		if b.Control {
			count += " control"
		}
		r := batchRow{Arg: itoa(i), Open: i == m.FileBatch, Class: when(b.Problem != "", "bad"), Cells: []string{
			decimal(int64(h.BaseOffset)), decimal(int64(h.LastOffset())), count, moment(h.MaxTimestamp), producer, itoa(int(h.LeaderEpoch)), b.Codec, crc, decimal(b.Pos),
		}}
		out = append(out, r)
		if r.Open {
			out = append(out, c.records(i)...)
		}
	}
	return out
}

// records are the rows of a batch's records.
func (c *Dialog) records(i int) (out []batchRow) {
	line := func(text, class string) {
		out = append(out, batchRow{Class: class, Cells: []string{text}, Span: itoa(len(batchHeads))})
	}
	records, left, bad := c.p.M.File.Entries(i, fileRecordsMax)
	for k := range records {
		line(recordWords(&records[k]), "entry")
	}
	if left > 0 {
		line("and "+grouped(int64(left))+" records more", "entry")
	}
	if bad != "" {
		line(bad, "entry bad")
	}
	return out
}

func recordWords(r *view.FileRecord) string {
	s := decimal(int64(r.Offset)) + "  " + moment(r.Timestamp) + "  "
	if r.Type != "" {
		return s + r.Type + " " + r.Value
	}
	s += r.Key + " = " + r.Value
	if r.Headers != "" {
		s += "  headers " + r.Headers
	}
	return s
}

// moment is a time in ms since 1970, as text; one that no calendar has, as a number.
func moment(ms int64) string {
	const year = 365 * 24 * 3600 * 1000
	if ms < 0 || ms > 8000*year {
		return decimal(ms)
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05.000")
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

func (c *Dialog) pageWords() string {
	m := c.p.M
	from := m.FilePage * pageRows
	return "batches " + grouped(int64(from+1)) + "–" + grouped(int64(min(from+pageRows, m.File.Len()))) + " of " + grouped(int64(m.File.Len()))
}

func (c *Dialog) lastPage() bool { return (c.p.M.FilePage+1)*pageRows >= c.p.M.File.Len() }
