package scenario

import (
	"slices"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// args are the words after a statement's first. Each is taken once; done
// complains about what nobody took.
type args struct {
	p     *parser
	st    *statement
	words []word
	used  []bool
	known []string // keys and flags that were asked for, for suggestions
}

func (p *parser) args(st *statement) *args {
	words, open := splitWords(st.rest, st.col2)
	if open > 0 {
		p.problem(st.line, open, "this quote is never closed")
	}
	a := &args{p: p, st: st, words: words, used: make([]bool, len(words))}
	for i, w := range words {
		if !w.pair || len(w.key) > wordBytesMax {
			continue
		}
		for j := range i {
			if words[j].pair && words[j].key == w.key {
				p.problem(st.line, w.col, clip(w.key)+" is given twice")
				a.used[i] = true
			}
		}
	}
	return a
}

func (a *args) bad(w word, text string) { a.p.problem(a.st.line, w.col, text) }

// badValue complains about the value of a key=value word.
func (a *args) badValue(w word, text string) { a.p.problem(a.st.line, w.valCol, text) }

// next takes the first word that is not key=value; what says what is missing.
func (a *args) next(what string) (word, bool) {
	for i, w := range a.words {
		if !a.used[i] && !w.pair {
			a.used[i] = true
			return w, true
		}
	}
	a.p.problem(a.st.line, a.st.col, a.st.word+" needs "+what)
	return word{col: a.st.col}, false
}

// flag takes a bare word if it is there.
func (a *args) flag(name string) bool {
	a.known = append(a.known, name)
	for i, w := range a.words {
		if !a.used[i] && !w.pair && w.text == name {
			a.used[i] = true
			return true
		}
	}
	return false
}

// value takes key=value if it is there.
func (a *args) value(key string) (word, bool) {
	a.known = append(a.known, key+"=")
	for i, w := range a.words {
		if !a.used[i] && w.pair && w.key == key {
			a.used[i] = true
			return w, true
		}
	}
	return word{}, false
}

// number takes key=N between low and high, or returns def.
func (a *args) number(key string, low, high, def int64) int64 {
	w, ok := a.value(key)
	if !ok {
		return def
	}
	n, good := parseInt(w.value, low, high)
	if !good {
		a.badValue(w, key+" is a whole number from "+num(int(low))+" to "+num(int(high))+", not "+clip(w.value))
		return def
	}
	return n
}

// duration takes key=4s, or returns def.
func (a *args) duration(key string, def kafka.Duration) kafka.Duration {
	w, ok := a.value(key)
	if !ok {
		return def
	}
	d, good := parseDuration(w.value)
	if !good {
		a.badValue(w, key+" is a duration such as 200ms or 1.5s, not "+clip(w.value))
		return def
	}
	return d
}

// bandwidth takes bandwidth=1MB/s, or returns def.
func (a *args) bandwidth(def int64) int64 {
	w, ok := a.value("bandwidth")
	if !ok {
		return def
	}
	n, good := parseBandwidth(w.value)
	if !good {
		a.badValue(w, "bandwidth is bytes per second such as 1MB/s, or unlimited, not "+clip(w.value))
		return def
	}
	return n
}

// byteRate takes a rate such as produce=1MB/s; unlimited is 0.
func (a *args) byteRate(key string, def int64) int64 {
	w, ok := a.value(key)
	if !ok {
		return def
	}
	n, good := parseBandwidth(w.value)
	if !good {
		a.badValue(w, key+" is bytes per second such as 1MB/s, or unlimited, not "+clip(w.value))
		return def
	}
	return n
}

// rate takes rate=50/s, or returns 0.
func (a *args) rate() int64 {
	w, ok := a.value("rate")
	if !ok {
		return 0
	}
	return a.rateOf(w, w.value, w.valCol)
}

func (a *args) rateOf(w word, s string, col int) int64 {
	n, good := parseRate(s)
	if !good {
		a.p.problem(a.st.line, col, "a rate is records per second, minute or hour, such as 50/s or 30/m, not "+clip(s))
	}
	return n
}

// size takes key=10KB, or returns def.
func (a *args) size(key string, high, def int64) int64 {
	w, ok := a.value(key)
	if !ok {
		return def
	}
	n, good := parseSize(w.value)
	if !good || n > high {
		a.badValue(w, key+" is a size in bytes of at most "+num(int(high))+", such as 100 or 10KB, not "+clip(w.value))
		return def
	}
	return n
}

// list splits a comma list, and complains about empty or repeated elements.
func (a *args) list(s string, col int, what string) []string {
	parts := strings.Split(s, ",")
	if len(parts) > listMax {
		a.p.problem(a.st.line, col, "a list has at most "+num(listMax)+" elements")
		return nil
	}
	for i, part := range parts {
		switch {
		case part == "":
			a.p.problem(a.st.line, col, "an empty name in the list of "+what)
			return nil
		case slices.Contains(parts[:i], part):
			a.p.problem(a.st.line, col, clip(part)+" is twice in the list of "+what)
			return nil
		}
	}
	return parts
}

// done complains about every word that nobody took.
func (a *args) done() {
	for i, w := range a.words {
		if a.used[i] {
			continue
		}
		written := w.text
		if w.pair {
			written = w.key + "="
		}
		a.bad(w, a.st.word+" does not take "+clip(written)+meant(written, a.known))
	}
}
