package storage

import (
	"slices"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
)

type entries = []EpochEntry

// TestEndOffsetFor has the situations of Kafka's LeaderEpochFileCacheTest.
func TestEndOffsetFor(t *testing.T) {
	for _, c := range []struct {
		name  string
		cache epochCache
		leo   kafka.Offset
		asked kafka.LeaderEpoch
		epoch kafka.LeaderEpoch
		end   kafka.Offset
	}{
		{"nothing known", nil, 9, 0, -1, -1},
		{"undefined epoch asked", entries{{2, 5}}, 9, -1, -1, -1},
		{"latest epoch ends at the log end", entries{{2, 5}, {3, 7}}, 9, 3, 3, 9},
		{"latest epoch without records", entries{{2, 5}, {3, 9}}, 9, 3, 3, 9},
		{"epoch above all known", entries{{2, 5}, {3, 7}}, 9, 4, -1, -1},
		{"epoch below all known: the first start", entries{{5, 11}, {6, 12}, {7, 13}}, 13, 4, 4, 11},
		{"earlier epoch ends where the next begins", entries{{1, 10}, {2, 20}, {3, 30}}, 40, 2, 2, 30},
		{"missing epoch: the largest below", entries{{0, 10}, {2, 13}, {4, 17}}, 20, 1, 0, 13},
		{"missing epochs below a higher one", entries{{0, 10}, {2, 13}, {4, 17}}, 20, 3, 2, 17},
	} {
		epoch, end := c.cache.endOffsetFor(c.asked, c.leo)
		if epoch != c.epoch || end != c.end {
			t.Errorf("%s: %d ends at %d, want %d at %d", c.name, epoch, end, c.epoch, c.end)
		}
	}
}

func TestAssignEpoch(t *testing.T) {
	for _, c := range []struct {
		name string
		in   entries // assigned in turn
		want entries
	}{
		{"rising", entries{{0, 0}, {1, 5}, {2, 9}}, entries{{0, 0}, {1, 5}, {2, 9}}},
		{"same again, later", entries{{2, 6}, {2, 7}, {2, 8}}, entries{{2, 6}}},
		{"same again, earlier", entries{{2, 6}, {2, 3}}, entries{{2, 3}}},
		{"no record in an epoch", entries{{0, 0}, {1, 5}, {2, 5}}, entries{{0, 0}, {2, 5}}},
		{"offset goes back", entries{{1, 5}, {2, 8}, {3, 6}}, entries{{1, 5}, {3, 6}}},
		{"epoch goes back", entries{{1, 5}, {3, 8}, {2, 10}}, entries{{1, 5}, {2, 10}}},
		{"epoch goes back below all", entries{{2, 5}, {3, 8}, {1, 9}}, entries{{1, 9}}},
	} {
		var cache epochCache
		for _, e := range c.in {
			cache.assign(e.Epoch, e.StartOffset)
		}
		if !slices.Equal(cache, c.want) {
			t.Errorf("%s: %v, want %v", c.name, cache, c.want)
		}
	}
}

func TestTruncateEpochs(t *testing.T) {
	all := entries{{2, 6}, {3, 8}, {4, 11}}
	for _, c := range []struct {
		start bool
		at    kafka.Offset
		want  entries
	}{
		{false, 11, entries{{2, 6}, {3, 8}}},
		{false, 9, entries{{2, 6}, {3, 8}}},
		{false, 12, all},
		{false, 6, entries{}},
		{false, 0, entries{}},
		{true, 8, entries{{3, 8}, {4, 11}}},
		{true, 5, all},
		{true, 6, all},
		{true, 7, entries{{2, 7}, {3, 8}, {4, 11}}},
		{true, 9, entries{{3, 9}, {4, 11}}},
		{true, 11, entries{{4, 11}}},
		{true, 15, entries{{4, 15}}},
	} {
		cache := epochCache(slices.Clone(all))
		if c.start {
			cache.truncateFromStart(c.at)
		} else {
			cache.truncateFromEnd(c.at)
		}
		if !slices.Equal(cache, c.want) {
			t.Errorf("from start %v at %d: %v, want %v", c.start, c.at, cache, c.want)
		}
	}
}

func TestEpochAt(t *testing.T) {
	cache := epochCache{{2, 6}, {3, 8}, {5, 11}}
	for off, want := range []kafka.LeaderEpoch{-1, -1, -1, -1, -1, -1, 2, 2, 3, 3, 3, 5, 5} {
		if got := cache.epochAt(kafka.Offset(off)); got != want {
			t.Errorf("epoch at %d is %d, want %d", off, got, want)
		}
	}
}
