package view_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/highwater-sim/highwater/engine/view"
)

const twoDisks = `title two disks
cluster brokers=3 log.dirs=/d1,/d2
topic t replica-assignment=1:2:3,1:2:3
producer p topic=t acks=all rate=50/s

at 5s disk broker-1 fail=/d2
at 8s disk broker-1 repair=/d2
      crash broker-1
at 9s start broker-1
`

// A replica in a failed directory is offline although its broker runs; both say
// so, and how to repair it.
func TestOfflineDirectoryIsSeen(t *testing.T) {
	h := open(t, twoDisks)
	var b view.Builder
	var c view.Cluster
	digests := map[kafka.Instant]uint64{}
	for _, x := range []struct {
		at      kafka.Instant
		offline []string
	}{
		{kafka.Instant(4 * kafka.Second), nil}, {kafka.Instant(7 * kafka.Second), []string{"/d2"}}, {kafka.Instant(20 * kafka.Second), nil},
	} {
		h.RunUntil(x.at, 1<<40)
		digests[x.at] = h.Digest()
		b.Build(h.World(), view.Options{Cells: 5}, &c)
		if k := &c.Brokers[0]; k.State != view.Running || !slices.Equal(k.OfflineDirs, x.offline) || !slices.Equal(k.LogDirs, []string{"/d1", "/d2"}) {
			t.Errorf("%v: broker-1 is %v with directories %v, offline %v", x.at, k.State, k.LogDirs, k.OfflineDirs)
		}
		for i, want := range []string{"/d1", "/d2"} {
			r := &c.Topics[0].Partitions[i].Replicas[0]
			if r.Dir != want || r.Online == slices.Contains(x.offline, want) {
				t.Errorf("%v: t-%d is in %s, online %v", x.at, i, r.Dir, r.Online)
			}
		}
		d := view.Inspect(h.World(), &trace.Log{}, &c, view.Selection{Kind: "broker", Node: 1})
		has := slices.ContainsFunc(d.Actions, func(a view.Action) bool { return strings.Contains(a.Command, "repair=/d2") })
		if has != (x.offline != nil) {
			t.Errorf("%v: actions %+v", x.at, d.Actions)
		}
	}
	for _, at := range []kafka.Duration{7 * kafka.Second, 4 * kafka.Second, 20 * kafka.Second} { // back and forth
		h.Seek(kafka.Instant(at))
		h.RunUntil(kafka.Instant(at), 1<<40)
		if got := h.Digest(); got != digests[kafka.Instant(at)] {
			t.Errorf("at %v digest %x after seeking, %x when run", at, got, digests[kafka.Instant(at)])
		}
	}
}
