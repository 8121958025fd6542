package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/storage"
)

// kafka-dump-log of a replica (core/src/main/scala/kafka/tools/DumpLogSegments.scala).

// Limits of a dump: it shows the end of a log.
const (
	dumpBatchesMax = 12
	dumpRecordsMax = 64
	dumpEntriesMax = 100
)

// SegmentName is the name of a segment's files without the extension: the base
// offset in 20 digits.
func SegmentName(base kafka.Offset) string { return fmt.Sprintf("%020d", base) }

// DumpLog is what kafka-dump-log --print-data-log prints of a log, its last
// batches only; lines that begin with "…" are ours.
func DumpLog(log *storage.Log) []string { return dumpLog(log, dataPayload) }

// dumpLog dumps a log with what the decoder makes of records that are no markers.
func dumpLog(log *storage.Log, payload func(*record.Record) string) []string {
	var last []storage.Batch
	skipped := 0
	for b := range log.Batches(max(log.LogStart(), log.LEO()-4*dumpRecordsMax)) {
		if len(last) == dumpBatchesMax {
			last, skipped = append(last[:0], last[1:]...), skipped+1
		}
		last = append(last, b)
	}
	var out []string
	segment := kafka.NoOffset
	for k := range last {
		b := &last[k]
		if b.Segment != segment {
			segment = b.Segment
			out = append(out, "Dumping "+SegmentName(segment)+".log", "Log starting offset: "+strconv.FormatInt(int64(segment), 10))
		}
		if k == 0 && (skipped > 0 || b.Position > 0) {
			out = append(out, "… earlier batches are left out")
		}
		out = append(out, batchLine(&b.Header, b.Position, record.VerifyCRC(b.Raw) == nil))
		out = append(out, recordLines(b.Raw, payload)...)
	}
	return out
}

func batchLine(h *record.Header, position int64, valid bool) string {
	horizon := "OptionalLong.empty"
	if ms, ok := h.DeleteHorizon(); ok {
		horizon = fmt.Sprintf("OptionalLong[%d]", ms)
	}
	return fmt.Sprintf("baseOffset: %d lastOffset: %d count: %d baseSequence: %d lastSequence: %d producerId: %d producerEpoch: %d partitionLeaderEpoch: %d isTransactional: %v isControl: %v deleteHorizonMs: %s position: %d %s: %d size: %d magic: %d compresscodec: %s crc: %d isvalid: %v",
		h.BaseOffset, h.LastOffset(), h.Count, h.BaseSequence, h.LastSequence(), h.ProducerID, h.ProducerEpoch, h.LeaderEpoch,
		h.Attributes.Transactional(), h.Attributes.Control(), horizon, position, timestampType(h.Attributes), h.MaxTimestamp, h.Size(), h.Magic,
		h.Attributes.Codec(), h.CRC, valid)
}

func timestampType(a record.Attributes) string {
	if a.LogAppendTime() {
		return "LogAppendTime"
	}
	return "CreateTime"
}

// recordLines are the records of a batch, each with what the decoder makes of it.
func recordLines(raw record.Raw, payload func(*record.Record) string) (out []string) {
	h := raw.Header()
	for r, err := range record.Records(raw) {
		if err != nil {
			return append(out, "… "+err.Error())
		}
		if len(out) == dumpRecordsMax {
			return append(out, fmt.Sprintf("… %d records more", int(h.Count)-len(out)))
		}
		sequence := record.NoSequence
		if h.BaseSequence != record.NoSequence {
			sequence = record.AddSequence(h.BaseSequence, r.OffsetDelta)
		}
		var names []string
		for _, head := range r.Headers {
			names = append(names, head.Key)
		}
		s := fmt.Sprintf("| offset: %d %s: %d keySize: %d valueSize: %d sequence: %d headerKeys: [%s]",
			r.Offset, timestampType(h.Attributes), r.Timestamp, sizeOf(r.Key), sizeOf(r.Value), sequence, strings.Join(names, ","))
		if h.Attributes.Control() {
			_, words := controlWords(&r)
			out = append(out, s+" "+words)
			continue
		}
		s += payload(&r)
		out = append(out, s)
	}
	return out
}

func sizeOf(b []byte) int {
	if b == nil {
		return -1
	}
	return len(b)
}

// DumpIndexes is what kafka-dump-log prints of a log's .index and .timeindex
// files, newest segment first.
func DumpIndexes(log *storage.Log) (out []string) {
	segs := log.Segments()
	for _, s := range slices.Backward(segs) {
		name := SegmentName(s.BaseOffset)
		out = append(out, "Dumping "+name+".index")
		if s.IndexEntries == 0 {
			out = append(out, name+".index is empty.")
		}
		for _, e := range log.Index(s.BaseOffset) {
			out = append(out, fmt.Sprintf("offset: %d position: %d", e.Offset, e.Position))
		}
		out = append(out, "Dumping "+name+".timeindex")
		for _, e := range log.TimeIndex(s.BaseOffset) {
			out = append(out, fmt.Sprintf("timestamp: %d offset: %d", e.Timestamp, e.Offset))
		}
		if len(out) > dumpEntriesMax {
			return append(out[:dumpEntriesMax], "… older segments are left out")
		}
	}
	return out
}

// File is a file of a replica's folder.
type File struct {
	Name string // as Kafka names it: 00000000000000000000.log
	Size int64  // bytes
}

// segmentFilesMax is how many segments of a replica are listed, the newest ones.
const segmentFilesMax = 8

// FilesOf lists a log's files: .log, .index and .timeindex of the newest
// segments, newest first, and leader-epoch-checkpoint.
func FilesOf(log *storage.Log) (out []File) {
	segs := log.Segments()
	for _, s := range slices.Backward(segs[max(0, len(segs)-segmentFilesMax):]) {
		name := SegmentName(s.BaseOffset)
		out = append(out, File{name + ".log", s.Size}, File{name + ".index", 8 * int64(s.IndexEntries)}, File{name + ".timeindex", 12 * int64(s.TimeIndexEntries)})
	}
	return append(out, File{epochFile, int64(len(log.EpochCheckpointBytes()))})
}

const epochFile = "leader-epoch-checkpoint"

// FileBytes is the content of one of a log's files by its name; false if there
// is no such file.
func FileBytes(log *storage.Log, name string) ([]byte, bool) {
	if name == epochFile {
		return log.EpochCheckpointBytes(), true
	}
	digits, ext, _ := strings.Cut(name, ".")
	n, err := strconv.ParseInt(digits, 10, 64)
	base := kafka.Offset(n)
	if err != nil || !slices.ContainsFunc(log.Segments(), func(s storage.Segment) bool { return s.BaseOffset == base }) {
		return nil, false
	}
	switch ext {
	case "log":
		return log.LogBytes(base), true
	case "index":
		return log.IndexBytes(base), true
	case "timeindex":
		return log.TimeIndexBytes(base), true
	}
	return nil, false
}
