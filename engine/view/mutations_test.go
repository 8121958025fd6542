package view_test

import (
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
)

const mutations = `title mutations
cluster brokers=1
at 1s quota admin mutations=1/s
at 2s topic a partitions=20
at 3s topic b partitions=5
at 30s delete-topic a
at 31s topic c
at 60s end
`

// One partition a second, 11 at once (KIP-599): 20 are created, for the bucket is not
// below zero; then it is, by 9. Who comes a second later is told to wait 8 s, and is
// served then. Deletions count as well.
func TestControllerMutationRate(t *testing.T) {
	h := open(t, mutations)
	var b view.Builder
	var c view.Cluster
	second := kafka.Instant(kafka.Second)
	digests := map[kafka.Instant]uint64{}
	for _, x := range []struct {
		at     kafka.Instant
		topics string
	}{{3, "a"}, {10, "a"}, {12, "a b"}, {31, "b"}, {32, "b"}, {37, "b"}, {42, "b c"}} {
		h.RunUntil(x.at*second, 1<<40)
		digests[x.at] = h.Digest()
		b.Build(h.World(), view.Options{}, &c)
		var names []string
		for i := range c.Topics {
			names = append(names, c.Topics[i].Name)
		}
		if got := strings.Join(names, " "); got != x.topics {
			t.Errorf("at %d s topics %s, want %s", x.at, got, x.topics)
		}
	}
	if text := strings.Join(view.DescribeQuotas(h.World()), "\n"); text != "Quota configs for client-id 'admin' are controller_mutation_rate=1.0" {
		t.Error(text)
	}
	for _, at := range []kafka.Instant{12, 37, 10} {
		h.Seek(at * second)
		h.RunUntil(at*second, 1<<40)
		if got := h.Digest(); got != digests[at] {
			t.Errorf("at %d s digest %x after seeking, %x when run", at, got, digests[at])
		}
	}
}
