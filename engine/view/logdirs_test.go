package view_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
)

const moves = `title moves
cluster brokers=3 log.dirs=/d1,/d2,/d3 metadata.log.dir=/m replica.alter.log.dirs.io.max.bytes.per.second=20000 log.segment.delete.delay.ms=5000
topic t replica-assignment=1:2:3
topic u replica-assignment=1:2:3
producer p topic=t acks=all rate=10/s size=1KB count=300
producer q topic=u acks=all rate=10/s size=1KB count=300

at 31s alter-log-dir broker-1 t-0 /d3
at 36s crash broker-1
at 37s start broker-1
at 90s alter-log-dir broker-1 u-0 /d3
at 95s alter-log-dir broker-1 u-0 /d1
at 98s disk broker-1 fail=/d1
at 110s delete-topic u
at 130s disk broker-1 fail=/m
at 140s end
`

// A move goes on after a crash; one can be sent elsewhere; one into a directory that
// fails ends there, with the replica where it was. Without the metadata log's own
// directory the process stops. Going back and forth in time gives the same.
func TestMovesBetweenLogDirectories(t *testing.T) {
	h := open(t, moves)
	var b view.Builder
	var c view.Cluster
	dirs := func() []view.LogDir { return c.Brokers[0].Dirs }
	in := func(topic int) string { return c.Topics[topic].Partitions[0].Replicas[0].Dir }
	digests := map[kafka.Instant]uint64{}
	second := kafka.Instant(kafka.Second)
	for at := kafka.Instant(0); at <= 140*second; at += second {
		h.RunUntil(at, 1<<40)
		digests[at] = h.Digest()
		b.Build(h.World(), view.Options{Dirs: true}, &c)
		switch at / second {
		case 35:
			if in(0) != "/d1" || !slices.Equal(dirs()[2].Futures, []kafka.TopicPartition{{Topic: "t"}}) {
				t.Errorf("t is in %s, directories %+v", in(0), dirs())
			}
			text := strings.Join(view.DescribeLogDirs(h.World(), 1), "\n")
			if !strings.Contains(text, `"isFuture":true`) || strings.Contains(text, `"/m"`) {
				t.Error(text)
			}
		case 85:
			if in(0) != "/d3" || len(dirs()[2].Futures) != 0 || len(dirs()[0].Gone) != 0 {
				t.Errorf("after the crash: t is in %s, directories %+v", in(0), dirs())
			}
		case 97:
			if in(1) != "/d2" || len(dirs()[2].Futures) != 0 || len(dirs()[0].Futures) != 1 || len(dirs()[2].Gone) != 1 {
				t.Errorf("sent elsewhere: u is in %s, directories %+v", in(1), dirs())
			}
		case 105:
			if r := &c.Topics[1].Partitions[0].Replicas[0]; r.Dir != "/d2" || !r.Online || r.LEO != 300 || !dirs()[0].Offline {
				t.Errorf("its target failed: %+v, directories %+v", r, dirs())
			}
			if len(c.Topics[1].Partitions[0].ISR) != 3 {
				t.Errorf("ISR %v", c.Topics[1].Partitions[0].ISR)
			}
		case 112:
			if len(c.Topics) != 1 || len(dirs()[1].Gone) != 1 || dirs()[1].Bytes < 300_000 || !strings.HasSuffix(dirs()[1].Gone[0].Name, "-delete") {
				t.Errorf("deleted: directories %+v", dirs())
			}
		case 120:
			if dirs()[1].Bytes != 0 {
				t.Errorf("purged: directories %+v", dirs())
			}
		case 129, 135:
			if up := c.Brokers[0].State == view.Running; up != (at/second == 129) {
				t.Errorf("at %v broker-1 is %v", at, c.Brokers[0].State)
			}
		}
	}
	if m := dirs()[3]; m.Path != "/m" || !m.Metadata || m.Bytes == 0 {
		t.Errorf("the metadata log's directory: %+v", m)
	}
	for _, at := range []kafka.Instant{100, 34, 92, 113, 38, 139} {
		h.Seek(at * second)
		h.RunUntil(at*second, 1<<40)
		if got := h.Digest(); got != digests[at*second] {
			t.Errorf("at %d s digest %x after seeking, %x when run", at, got, digests[at*second])
		}
	}
}
