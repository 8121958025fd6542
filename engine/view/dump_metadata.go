package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/raft"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/highwater-sim/highwater/engine/world"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// kafka-dump-log --cluster-metadata-decoder of a process's copy of the metadata log,
// and the files in its folder.

// metadataFolder is what a machine keeps of the metadata log: the same for a
// controller, a broker, and a process that is both.
type metadataFolder interface {
	MetadataLog() *storage.Log
	Snapshots() []raft.Snapshot
	Quorum() raft.QuorumState
}

// folderOf finds the folder of a node; nil if there is no such node.
func folderOf(w *world.World, id kafka.NodeID) metadataFolder {
	for _, c := range w.Controllers() {
		if c.ID() == id {
			return c
		}
	}
	if bs := w.Brokers(); id >= 1 && int(id) <= len(bs) {
		return bs[id-1]
	}
	return nil
}

// quorumFile is the name of the file that a quorum replica keeps its vote in.
const quorumFile = "quorum-state"

// MetadataFilesOf lists the files of a node's __cluster_metadata-0 folder; none
// before its first boot.
func MetadataFilesOf(w *world.World, id kafka.NodeID) (out []File) {
	f := folderOf(w, id)
	if f == nil || f.MetadataLog() == nil {
		return nil
	}
	out = FilesOf(f.MetadataLog())
	for _, s := range slices.Backward(f.Snapshots()) {
		out = append(out, File{s.ID.File(), int64(len(s.Data))})
	}
	return append(out, File{quorumFile, int64(len(quorumBytes(w, f)))})
}

// MetadataFileBytes is the content of one of MetadataFilesOf; false if there is no
// such file.
func MetadataFileBytes(w *world.World, id kafka.NodeID, name string) ([]byte, bool) {
	f := folderOf(w, id)
	if f == nil || f.MetadataLog() == nil {
		return nil, false
	}
	if name == quorumFile {
		return quorumBytes(w, f), true
	}
	for _, s := range f.Snapshots() {
		if s.ID.File() == name {
			return s.Data, true
		}
	}
	return FileBytes(f.MetadataLog(), name)
}

// quorumBytes is the quorum-state file; with static voters it names them.
func quorumBytes(w *world.World, f metadataFolder) []byte {
	q := f.Quorum()
	return q.File(knowsVoters(w.Controllers()).Voters())
}

// DumpMetadata is what the tool prints of a node's newest snapshot or of the end of
// its metadata log.
func DumpMetadata(w *world.World, id kafka.NodeID, snapshot bool) []string {
	f := folderOf(w, id)
	if f == nil || f.MetadataLog() == nil {
		return nil
	}
	if !snapshot {
		return dumpLog(f.MetadataLog(), metadataPayload)
	}
	all := f.Snapshots()
	if len(all) == 0 {
		return nil
	}
	last := all[len(all)-1]
	return DumpFile(ReadLogFile(last.ID.File(), last.Data), 0, dumpSnapshotMax)
}

// dumpSnapshotMax is how many batches of a snapshot are dumped.
const dumpSnapshotMax = 40

// DumpFile is what kafka-dump-log prints of batches from to to-1 of a file, with the
// decoder that fits: --cluster-metadata-decoder for metadata records, else
// --print-data-log. Lines that begin with "…" are ours.
func DumpFile(f *LogFile, from, to int) []string {
	out := []string{"Dumping " + f.Name}
	if base, ok := f.base(); ok {
		out = append(out, "Log starting offset: "+strconv.FormatInt(int64(base), 10))
	} else if end, epoch, ok := f.snapshotID(); ok {
		out = append(out, fmt.Sprintf("Snapshot end offset: %d, epoch: %d", end, epoch))
	}
	words := dataPayload
	if f.Metadata {
		words = metadataPayload
	}
	to = min(to, f.Len())
	if from > 0 {
		out = append(out, fmt.Sprintf("… %d earlier batches are left out", from))
	}
	for i := from; i < to; i++ {
		r, _ := record.Frame(f.data[f.at[i]:])
		h := r.Header()
		out = append(out, batchLine(&h, int64(f.at[i]), record.VerifyCRC(r) == nil))
		out = append(out, recordLines(r, words)...)
	}
	if left := f.Len() - to; left > 0 {
		return append(out, fmt.Sprintf("… %d batches more", left))
	}
	if rest := f.Size - f.end(); rest > 0 {
		out = append(out, fmt.Sprintf("Found %d invalid bytes at the end of %s", rest, f.Name))
	}
	return out
}

// end is where the last whole batch ends.
func (f *LogFile) end() int {
	if len(f.at) == 0 {
		return 0
	}
	last := f.at[len(f.at)-1]
	r, _ := record.Frame(f.data[last:])
	return last + r.Size()
}

// snapshotID is the end offset and the epoch in a snapshot's name.
func (f *LogFile) snapshotID() (end, epoch int64, ok bool) {
	digits, found := strings.CutSuffix(f.Name, ".checkpoint")
	a, z, dashed := strings.Cut(digits, "-")
	if !found || !dashed || len(a) != 20 || len(z) != 10 {
		return 0, 0, false
	}
	end, err := strconv.ParseInt(a, 10, 64)
	epoch, err2 := strconv.ParseInt(z, 10, 64)
	return end, epoch, err == nil && err2 == nil
}

// dataPayload is a record's key and payload as text.
func dataPayload(r *record.Record) (s string) {
	if r.Key != nil {
		s += " key: " + cut(string(r.Key), shownMax)
	}
	if r.Value != nil {
		s += " payload: " + cut(string(r.Value), shownMax)
	}
	return s
}

// metadataPayload is a metadata record as typed JSON; it has no key.
func metadataPayload(r *record.Record) string {
	m, err := metadata.Decode(r.Value)
	if err != nil {
		return fmt.Sprintf(" payload: Error at %d, skipping. %v", r.Offset, err)
	}
	return " payload: " + cut(MetadataJSON(m), metadataMax)
}

// metadataMax is how many bytes of a metadata record's JSON are shown.
const metadataMax = 2000

// leaderChangeWords is a LeaderChangeMessage as JSON, in the order of its schema
// (LeaderChangeMessage.json); false if the bytes are none.
func leaderChangeWords(v []byte) (string, bool) {
	var m kmsg.LeaderChangeMessage
	if err := m.ReadFrom(v); err != nil {
		return "", false
	}
	list := func(vs []kmsg.LeaderChangeMessageVoter) string {
		all := make([]string, len(vs))
		for i, v := range vs {
			all[i] = fmt.Sprintf(`{"voterId":%d}`, v.VoterID)
			if m.Version >= 1 {
				all[i] = fmt.Sprintf(`{"voterId":%d,"voterDirectoryId":"%s"}`, v.VoterID, uuidText(v.VoterDirectoryID))
			}
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	return fmt.Sprintf(`{"version":%d,"leaderId":%d,"voters":%s,"grantingVoters":%s}`, m.Version, m.LeaderID, list(m.Voters), list(m.GrantingVoters)), true
}
