package view

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/raft"
	"github.com/highwater-sim/highwater/engine/record"
)

// LogFileMax is the most bytes of a file that ReadLogFile takes.
const LogFileMax = 64 << 20

// LogFile is a file of a broker's or controller's log, taken apart: a .log
// segment, or a .checkpoint (a snapshot of the metadata log). It keeps the bytes
// and where the batches begin; a batch is read when it is asked for.
type LogFile struct {
	Name     string
	Kind     string // what it is, in words
	Size     int
	Records  int64 // by the headers of the batches
	Metadata bool  // its records are metadata records
	Problems []FileProblem
	Broken   int // problems in all; Problems has the first of them

	data []byte
	at   []int // where the batches begin
}

// FileProblem is something broken in a file.
type FileProblem struct {
	Pos   int64 // byte in the file
	Batch int   // index of the batch; -1 for the file itself
	Text  string
}

// problemsMax is how many problems of a file are kept.
const problemsMax = 100

// ReadLogFile takes a file apart. It never fails: what is wrong is in Problems,
// with its place. What stands behind a broken frame is not read, because
// nobody knows where the next batch begins. A compressed batch is unpacked only
// by Entries. The result refers to data.
func ReadLogFile(name string, data []byte) *LogFile {
	f := &LogFile{Name: name, Kind: "segment of a log", Size: len(data), data: data}
	if strings.HasSuffix(name, ".checkpoint") {
		f.Kind = "snapshot of the metadata log"
	}
	switch {
	case len(data) > LogFileMax:
		f.problem(0, -1, fmt.Sprintf("the file has %d bytes; this page reads up to %d", len(data), LogFileMax))
		return f
	case strings.HasSuffix(name, ".index") || strings.HasSuffix(name, ".timeindex") || strings.HasSuffix(name, ".txnindex"):
		f.problem(0, -1, "this is an index; drop the .log file that it belongs to")
		return f
	case len(data) == 0:
		f.problem(0, -1, "the file is empty")
		return f
	}
	f.Metadata = looksLikeMetadata(data)
	if f.Metadata && f.Kind == "segment of a log" {
		f.Kind = "segment of the metadata log"
	}
	f.scan()
	return f
}

func (f *LogFile) problem(pos int64, batch int, text string) {
	if f.Broken++; len(f.Problems) < problemsMax {
		f.Problems = append(f.Problems, FileProblem{pos, batch, text})
	}
}

// scan finds the batches and what is wrong with them.
func (f *LogFile) scan() {
	next := kafka.Offset(-1)
	if base, ok := f.base(); ok {
		next = base
	}
	for found := range record.Scan(f.data) {
		if found.Raw == nil {
			f.frameProblem(&found)
			return
		}
		k := len(f.at)
		f.at = append(f.at, int(found.Pos))
		f.Records += int64(found.Header.Count)
		h := &found.Header
		if h.BaseOffset < next {
			f.problem(found.Pos, k, fmt.Sprintf("base offset %d is below %d: offsets in a log never go back", h.BaseOffset, next))
		}
		next = max(next, h.NextOffset())
		if found.Err != nil {
			f.problem(posOf(found.Err, found.Pos), k, f.cause(found.Err))
			continue
		}
		if h.Attributes.Codec() == record.CodecNone {
			f.checkRecords(found.Raw, found.Pos, k)
		}
	}
}

// frameProblem tells of the place from which on nothing can be read.
func (f *LogFile) frameProblem(found *record.Found) {
	rest := f.data[found.Pos:]
	zero := true
	for _, b := range rest {
		zero = zero && b == 0
	}
	if zero {
		f.problem(found.Pos, -1, fmt.Sprintf("the last %d bytes are zero: the end of a file that was allocated in advance, or was not written before a power loss", len(rest)))
		return
	}
	f.problem(posOf(found.Err, found.Pos), -1, fmt.Sprintf("%s; the batch begins at byte %d, and nobody knows where the next one would: %d bytes are not read",
		f.cause(found.Err), found.Pos, len(rest)))
}

// checkRecords reads all records of a batch that is not compressed.
func (f *LogFile) checkRecords(r record.Raw, pos int64, k int) {
	for rec, err := range record.Records(r) {
		if err != nil {
			f.problem(pos+posOf(err, 0), k, f.cause(err))
			return
		}
		if f.Metadata && !r.Attributes().Control() {
			if _, err := metadata.Decode(rec.Value); err != nil {
				f.problem(pos, k, fmt.Sprintf("record %d: %v", rec.Offset, err))
			}
		}
	}
}

// cause is an error without the place, which stands beside it.
func (f *LogFile) cause(err error) string {
	var packed *record.CodecError
	var broken *record.Broken
	if errors.As(err, &packed) && errors.As(err, &broken) {
		return fmt.Sprintf("the records do not unpack with %s: %v at byte %d of the batch: %s", packed.Codec, broken.Kind, record.HeaderSize+broken.At, broken.What)
	}
	e, ok := err.(*record.Error)
	if !ok {
		return err.Error()
	}
	if e.What == "CRC-32C" {
		return fmt.Sprintf("CRC-32C: the bytes have %08x, the header says %08x", uint32(e.Expected), uint32(e.Found))
	}
	return fmt.Sprintf("%s: expected %d, found %d", e.What, e.Expected, e.Found)
}

func posOf(err error, otherwise int64) int64 {
	if e, ok := err.(*record.Error); ok {
		return e.Pos
	}
	return otherwise
}

// base is the offset in a segment's name.
func (f *LogFile) base() (kafka.Offset, bool) {
	digits, ok := strings.CutSuffix(f.Name, ".log")
	n, err := strconv.ParseInt(digits, 10, 64)
	return kafka.Offset(n), ok && err == nil && len(digits) == 20
}

// looksLikeMetadata reports whether the first records are of the metadata log:
// without keys, and each can be decoded.
func looksLikeMetadata(data []byte) bool {
	seen := 0
	for found := range record.Scan(data) {
		if found.Err != nil || found.Header.Attributes.Codec() != record.CodecNone {
			return seen > 0
		}
		for rec, err := range record.Records(found.Raw) {
			if err != nil || seen >= 16 {
				return seen > 0
			}
			if found.Header.Attributes.Control() {
				continue
			}
			if _, err := metadata.Decode(rec.Value); err != nil || rec.Key != nil {
				return false
			}
			seen++
		}
	}
	return seen > 0
}

// Len is the number of batches.
func (f *LogFile) Len() int { return len(f.at) }

// FileBatch is a batch of a file: its header, and what is wrong with it.
type FileBatch struct {
	Pos     int64
	Header  record.Header
	CRCOK   bool
	Control bool
	Codec   string
	Problem string // the first of its problems; "" if there is none
}

// Batch reads the header of batch i, 0 <= i < Len().
func (f *LogFile) Batch(i int) FileBatch {
	r, _ := record.Frame(f.data[f.at[i]:])
	b := FileBatch{Pos: int64(f.at[i]), Header: r.Header(), CRCOK: record.VerifyCRC(r) == nil, Control: r.Attributes().Control(), Codec: r.Attributes().Codec().String()}
	for _, p := range f.Problems {
		if p.Batch == i {
			b.Problem = p.Text
			break
		}
	}
	return b
}

// FileRecord is a record of a file, in words.
type FileRecord struct {
	Offset     kafka.Offset
	Timestamp  int64 // ms since 1970
	Key, Value string
	Headers    string // names of the headers
	Type       string // of a metadata or control record
}

// Entries reads the records of batch i, the first max of them; left is how many
// more it has. The text says what cannot be read, "" if all can.
func (f *LogFile) Entries(i, limit int) (out []FileRecord, left int, problem string) {
	r, _ := record.Frame(f.data[f.at[i]:])
	for rec, err := range record.Records(r) {
		if err != nil {
			return out, left, f.cause(err)
		}
		if len(out) == limit {
			left++
			continue
		}
		out = append(out, f.entry(&rec, r.Attributes().Control()))
	}
	return out, left, ""
}

func (f *LogFile) entry(rec *record.Record, control bool) FileRecord {
	e := FileRecord{Offset: rec.Offset, Timestamp: rec.Timestamp}
	var names []string
	for _, h := range rec.Headers {
		names = append(names, h.Key)
	}
	e.Headers = strings.Join(names, ",")
	if control {
		e.Type, e.Value = controlWords(rec)
		return e
	}
	e.Key, e.Value = shown(rec.Key), shown(rec.Value)
	if !f.Metadata {
		return e
	}
	m, err := metadata.Decode(rec.Value)
	if err != nil {
		e.Type, e.Value = "unknown", err.Error()
		return e
	}
	e.Key = ""
	e.Type, e.Value = MetadataType(m), cut(metadataFields(m), shownMax)
	return e
}

// controlWords says what a control record is, as kafka-dump-log does.
func controlWords(rec *record.Record) (kind, fields string) {
	t, err := record.ParseControlKey(rec.Key)
	if err != nil {
		return "control", err.Error()
	}
	v := rec.Value
	i16 := func(at int) int16 { return int16(binary.BigEndian.Uint16(v[at:])) }
	switch {
	case (t == record.ControlAbort || t == record.ControlCommit) && len(v) >= 6:
		return t.String(), fmt.Sprintf("endTxnMarker: %s coordinatorEpoch: %d", t, int32(binary.BigEndian.Uint32(v[2:])))
	case t == record.ControlLeaderChange:
		if words, ok := leaderChangeWords(v); ok {
			return t.String(), "LeaderChange: " + words
		}
	case t == record.ControlSnapshotHeader && len(v) >= 10:
		return t.String(), fmt.Sprintf(`SnapshotHeader {"version":%d,"lastContainedLogTimestamp":%d}`, i16(0), int64(binary.BigEndian.Uint64(v[2:])))
	case t == record.ControlSnapshotFooter && len(v) >= 2:
		return t.String(), fmt.Sprintf(`SnapshotFooter {"version":%d}`, i16(0))
	case t == record.ControlKRaftVersion && len(v) >= 4:
		return t.String(), fmt.Sprintf(`KRaftVersion {"version":%d,"kRaftVersion":%d}`, i16(0), i16(2))
	case t == record.ControlKRaftVoters && len(v) >= 2:
		if vs, err := raft.DecodeVoters(v); err == nil {
			return t.String(), fmt.Sprintf(`KRaftVoters {"version":%d,"voters":[%s]}`, i16(0), votersWords(vs))
		}
	}
	return t.String(), fmt.Sprintf("controlType: %s(%d)", t, t)
}

func votersWords(vs []raft.Voter) string {
	all := make([]string, len(vs))
	for i, v := range vs {
		all[i] = fmt.Sprintf(`{"voterId":%d,"voterDirectoryId":"%s","endpoints":[{"name":"CONTROLLER","host":"%s","port":%d}],`+
			`"kRaftVersionFeature":{"minSupportedVersion":%d,"maxSupportedVersion":%d}}`,
			v.ID, uuidText(v.Directory), v.Host, v.Port, v.MinVersion, v.MaxVersion)
	}
	return strings.Join(all, ",")
}

// shownMax is how many bytes of a key or a value are shown.
const shownMax = 600

// shown is a key or value as text: "null", or quoted where it is no plain text.
func shown(b []byte) string {
	if b == nil {
		return "null"
	}
	s := cut(string(b), shownMax)
	for _, r := range s {
		if r < ' ' || r == '\uFFFD' {
			return strconv.Quote(s)
		}
	}
	return s
}

func cut(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}
