package scenario

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Problem is something wrong in a scenario's text: where, what, and what was
// probably meant.
type Problem struct {
	Line int // from 1
	Col  int // in characters, from 1
	Text string
}

// String prints "line 3, column 9: unknown word crahs; did you mean crash?".
func (p Problem) String() string {
	return "line " + strconv.Itoa(p.Line) + ", column " + strconv.Itoa(p.Col) + ": " + p.Text
}

// Problems is every problem that Parse found, in the order of the text.
type Problems []Problem

// Error joins the problems, one a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// sorted orders by place and keeps the first problemsMax.
func (ps Problems) sorted() Problems {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	if len(ps) > problemsMax {
		last := ps[problemsMax]
		last.Text = "and " + strconv.Itoa(len(ps)-problemsMax) + " more problems from here on"
		ps = append(ps[:problemsMax:problemsMax], last)
	}
	return ps
}

// meant suggests the nearest of the words for what was written, or nothing.
func meant(word string, words []string) string {
	if near := nearest(word, words); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// nearest returns the word with the smallest edit distance, if that is small
// for the word's length; the first in the list wins a tie.
func nearest(word string, words []string) string {
	if len(word) > wordBytesMax {
		return ""
	}
	best, bestAt := "", 1+len(word)/3
	for _, w := range words {
		if d := distance(strings.ToLower(word), strings.ToLower(w)); d < bestAt || best == "" && d == bestAt {
			best, bestAt = w, d
		}
	}
	if best == "" || best == word {
		return ""
	}
	return best
}

// distance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b.
func distance(a, b string) int {
	before := make([]int, len(b)+1)
	last := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
