package scenario

import (
	"strings"
	"unicode/utf8"
)

// word is one word of a line. key=value words are split at the first =.
type word struct {
	text   string // without quotes
	col    int    // in characters, from 1
	key    string // before the =; "" if there is none
	value  string // after the =, unquoted
	valCol int
	pair   bool
}

// splitWords cuts a line into words at white space. A part in double quotes
// belongs to its word, spaces and all; inside, \" and \\ stand for " and \.
// A word that starts with # ends the line. open is the column of a quote that
// is never closed, or 0.
func splitWords(s string, col int) (words []word, open int) {
	for i := 0; i < len(s); {
		if s[i] == ' ' || s[i] == '\t' {
			i, col = i+1, col+1
			continue
		}
		if s[i] == '#' {
			break
		}
		w, n, unclosed := readWord(s[i:], col)
		if unclosed > 0 {
			open = unclosed
		}
		words = append(words, w)
		col += utf8.RuneCountInString(s[i : i+n])
		i += n
	}
	return words, open
}

func readWord(s string, col int) (w word, n, open int) {
	var b strings.Builder
	w.col, w.valCol = col, col
	quoted, at, eq := false, 0, -1
	for n < len(s) {
		c := s[n]
		switch {
		case c == '"':
			quoted, at = !quoted, n
			n++
			continue
		case quoted && c == '\\' && n+1 < len(s) && (s[n+1] == '"' || s[n+1] == '\\'):
			n++
			c = s[n]
		case !quoted && (c == ' ' || c == '\t'):
			return finishWord(w, b.String(), s[:n], eq), n, 0
		case !quoted && c == '=' && eq < 0 && b.Len() > 0:
			eq = b.Len()
			w.valCol = col + utf8.RuneCountInString(s[:n+1])
		}
		b.WriteByte(c)
		n++
	}
	if quoted {
		open = col + utf8.RuneCountInString(s[:at])
	}
	return finishWord(w, b.String(), s[:n], eq), n, open
}

func finishWord(w word, text, raw string, eq int) word {
	w.text = text
	if eq > 0 && raw[0] != '"' {
		w.pair, w.key, w.value = true, text[:eq], text[eq+1:]
	}
	return w
}

// statement is one order of the text: a header line, or a step with its
// instant. Continued lines are joined.
type statement struct {
	line  int
	col   int // of the word
	atCol int // of the instant
	at    string
	timed bool
	word  string
	rest  string // after the word, trimmed
	col2  int    // of rest
	lines []string
}

// splitStatements cuts the text into statements. It reports only what it
// cannot place.
func (p *parser) splitStatements(text string) []statement {
	var sts []statement
	at, atCol, inText, blank := "", 0, false, false
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		no := i + 1
		s := strings.TrimRight(lines[i], " \t\r")
		for strings.HasSuffix(s, " \\") && i+1 < len(lines) && len(s) <= lineBytesMax {
			i++
			s = s[:len(s)-1] + strings.Trim(lines[i], " \t\r")
		}
		body := strings.TrimLeft(s, " \t")
		if body == "" {
			blank = true
			continue
		}
		if body[0] == '#' {
			continue
		}
		if !p.lineFits(no, s) {
			continue
		}
		col := 1 + utf8.RuneCountInString(s[:len(s)-len(body)])
		switch {
		case col > 1 && inText:
			last := &sts[len(sts)-1]
			if blank {
				last.lines = append(last.lines, body)
			} else {
				last.lines[len(last.lines)-1] += " " + body
			}
		case col > 1 && at == "":
			p.problem(no, col, "this line is indented, but no instant is above it; a step starts with at, as in: at 4s crash broker-1")
		default:
			st := cutWord(no, col, body)
			inText = false
			if st.word == "at" && col == 1 {
				st, at, atCol = p.cutInstant(st)
				if st.word == "" {
					break
				}
			}
			if st.timed = at != "" && (col > 1 || st.timed); st.timed {
				st.at, st.atCol = at, atCol
			}
			inText = st.word == "text" && !st.timed
			st.lines = []string{st.rest}
			sts = append(sts, st)
		}
		blank = false
	}
	return sts
}

// lineFits refuses a line that is too long or is not UTF-8.
func (p *parser) lineFits(no int, s string) bool {
	switch {
	case len(s) > lineBytesMax:
		p.problem(no, 1, "this line has "+num(len(s))+" bytes; at most "+num(lineBytesMax)+" are allowed")
	case !utf8.ValidString(s):
		p.problem(no, 1, "this line is not valid UTF-8")
	default:
		return true
	}
	return false
}

// cutWord takes the first word off a line's body.
func cutWord(no, col int, body string) statement {
	w, rest := body, ""
	if i := strings.IndexAny(body, " \t"); i >= 0 {
		w, rest = body[:i], strings.TrimLeft(body[i:], " \t")
	}
	return statement{line: no, col: col, word: w, rest: rest,
		col2: col + utf8.RuneCountInString(body[:len(body)-len(rest)])}
}

// cutInstant turns "at 4s crash broker-1" into the step after the instant. The
// step may be on the lines below instead: then its word is "".
func (p *parser) cutInstant(st statement) (step statement, at string, atCol int) {
	if st.rest == "" || st.rest[0] == '#' {
		p.problem(st.line, st.col, "at needs an instant, as in: at 4s crash broker-1")
		return statement{}, "0s", st.col
	}
	t := cutWord(st.line, st.col2, st.rest)
	if t.rest == "" || t.rest[0] == '#' {
		return statement{}, t.word, t.col
	}
	step = cutWord(st.line, t.col2, t.rest)
	step.timed = true
	return step, t.word, t.col
}
