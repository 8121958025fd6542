package broker

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/storage"
)

// DescribeLogDirs (API key 35), versions 1 to 4 (KIP-113, KIP-827;
// ReplicaManager.describeLogDirs). Folders that wait to be deleted are not in it,
// though they take room.

func (b *Broker) handleDescribeLogDirs(in *sim.Input, req *kmsg.DescribeLogDirsRequest, out *sim.Out) {
	wanted := func(tp kafka.TopicPartition) bool {
		return req.Topics == nil || slices.ContainsFunc(req.Topics, func(t kmsg.DescribeLogDirsRequestTopic) bool {
			return t.Topic == tp.Topic && slices.Contains(t.Partitions, tp.Partition)
		})
	}
	resp := &kmsg.DescribeLogDirsResponse{Version: req.Version}
	for in, d := range b.logDirs() {
		rd := kmsg.NewDescribeLogDirsResponseDir()
		rd.Dir = d.Path
		if b.offline(in) {
			rd.ErrorCode = int16(kafka.KafkaStorageError)
			resp.Dirs = append(resp.Dirs, rd)
			continue
		}
		if b.disk.Capacity > 0 {
			rd.TotalBytes, rd.UsableBytes = b.disk.Capacity, max(0, b.disk.Capacity-b.dir.SizeIn(in))
		}
		for _, x := range b.LogsIn(in) {
			if !wanted(x.TP) {
				continue
			}
			if n := len(rd.Topics); n == 0 || rd.Topics[n-1].Topic != x.TP.Topic {
				rd.Topics = append(rd.Topics, kmsg.DescribeLogDirsResponseDirTopic{Topic: x.TP.Topic})
			}
			t := &rd.Topics[len(rd.Topics)-1]
			t.Partitions = append(t.Partitions, kmsg.DescribeLogDirsResponseDirTopicPartition{
				Partition: x.TP.Partition, Size: x.Size, OffsetLag: x.OffsetLag, IsFuture: x.Future,
			})
		}
		resp.Dirs = append(resp.Dirs, rd)
	}
	out.Reply(in.Conn, in.Corr, resp)
}

// LogIn is a log in a log directory.
type LogIn struct {
	TP     kafka.TopicPartition
	Size   int64
	Future bool
	// OffsetLag is how far the log end offset is behind the high watermark, or that
	// of a future log behind the log; -1: not known
	// (ReplicaManager.getLogEndOffsetLag).
	OffsetLag int64
}

// LogsIn lists the logs of partitions in a log directory, those of the metadata left
// out, by partition, future ones behind the others.
func (b *Broker) LogsIn(in int) (list []LogIn) {
	add := func(e storage.Entry, future bool) {
		if e.In != in || e.Partition.Topic == kafka.TopicMetadata {
			return
		}
		l := b.dir.At(e.Slot)
		x := LogIn{TP: e.Partition, Size: l.Size(), Future: future, OffsetLag: -1}
		if i, _ := b.findName(e.Partition.Topic, e.Partition.Partition); i >= 0 && b.parts[i].id == e.TopicID {
			p := b.parts[i]
			if x.OffsetLag = max(int64(p.hw-l.LEO()), 0); future {
				x.OffsetLag = int64(b.log(p).LEO() - l.LEO())
			}
		}
		list = append(list, x)
	}
	for _, e := range b.dir.Entries() {
		add(e, false)
	}
	for _, e := range b.dir.Futures() {
		add(e, true)
	}
	slices.SortStableFunc(list, func(x, y LogIn) int { return x.TP.Compare(y.TP) })
	return list
}
