package client

import (
	"math/bits"
	"slices"

	"github.com/highwater-sim/highwater/engine/sim"
)

const (
	pageWords = 64
	pageBits  = 64 * pageWords
)

// IDs is a set of record numbers, each at least 0: which records of a producer
// were acked, failed or delivered. The zero value is empty. It is kept in pages
// that clones share until one of them writes.
type IDs struct {
	index []int64 // page numbers, ascending
	pages []*page
	count int64
	hint  int // position of the page used last; no part of the value
}

type page struct {
	shared bool // seen by a clone: copy before writing
	words  [pageWords]uint64
}

// Run is the record numbers from First to Last, both included.
type Run struct{ First, Last int64 }

// Add puts id into the set and reports whether it was not there before.
// Negative numbers are not records; they are ignored.
func (s *IDs) Add(id int64) bool {
	if id < 0 {
		return false
	}
	p := s.page(id / pageBits)
	w, bit := id%pageBits/64, uint64(1)<<(id%64)
	if p.words[w]&bit != 0 {
		return false
	}
	if p.shared {
		p = &page{words: p.words}
		s.pages[s.hint] = p
	}
	p.words[w] |= bit
	s.count++
	return true
}

// page returns the page of that number, made if need be, and points hint at it.
func (s *IDs) page(n int64) *page {
	if s.hint < len(s.index) && s.index[s.hint] == n {
		return s.pages[s.hint]
	}
	at, ok := slices.BinarySearch(s.index, n)
	if !ok {
		s.index = slices.Insert(s.index, at, n)
		s.pages = slices.Insert(s.pages, at, &page{})
	}
	s.hint = at
	return s.pages[at]
}

// Has reports whether id is in the set.
func (s *IDs) Has(id int64) bool {
	if id < 0 {
		return false
	}
	at, ok := slices.BinarySearch(s.index, id/pageBits)
	return ok && s.pages[at].words[id%pageBits/64]&(1<<(id%64)) != 0
}

// Len is how many record numbers are in the set.
func (s *IDs) Len() int64 { return s.count }

// CountNotIn is how many of the set's numbers are not in o.
func (s *IDs) CountNotIn(o *IDs) int64 {
	var n int64
	for i, number := range s.index {
		at, ok := slices.BinarySearch(o.index, number)
		for w, word := range s.pages[i].words {
			if ok {
				word &^= o.pages[at].words[w]
			}
			n += int64(bits.OnesCount64(word))
		}
	}
	return n
}

// Each calls yield with every number in ascending order until it returns false.
func (s *IDs) Each(yield func(id int64) bool) {
	for i, number := range s.index {
		for w, word := range s.pages[i].words {
			for ; word != 0; word &= word - 1 {
				if !yield(number*pageBits + int64(w)*64 + int64(bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}

// Runs returns the set as maximal runs in ascending order.
func (s *IDs) Runs() []Run {
	var runs []Run
	s.Each(func(id int64) bool {
		if n := len(runs); n > 0 && runs[n-1].Last == id-1 {
			runs[n-1].Last = id
		} else {
			runs = append(runs, Run{id, id})
		}
		return true
	})
	return runs
}

// Clone returns a copy. Pages are shared until either side writes to them.
func (s *IDs) Clone() IDs {
	for _, p := range s.pages {
		p.shared = true
	}
	return IDs{index: slices.Clone(s.index), pages: slices.Clone(s.pages), count: s.count}
}

// Digest writes the set.
func (s *IDs) Digest(h *sim.Hash) {
	h.Int(s.count)
	for i, number := range s.index {
		h.Int(number)
		for _, word := range s.pages[i].words {
			h.Uint64(word)
		}
	}
}
