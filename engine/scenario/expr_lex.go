package scenario

import (
	"strings"
	"unicode/utf8"
)

// token is a word, a "text" or a sign of an expression.
type token struct {
	text   string
	col    int
	sign   bool
	quoted bool
}

// signs, longest first where one begins another.
var signs = []string{"==", "!=", "<=", ">=", "..", "<", ">", "(", ")", "{", "}", "[", "]", ","}

// tokens cuts an expression. A + or - is a sign when it stands alone; a word
// that begins with # ends the line.
func tokens(s string, col int) (ts []token, bad string, badCol int) {
	for i := 0; i < len(s); {
		c := s[i]
		if c == ' ' || c == '\t' {
			i, col = i+1, col+1
			continue
		}
		if c == '#' {
			break
		}
		if c == '"' {
			w, n, open := readQuoted(s[i:])
			if open {
				return ts, "this quote is never closed", col
			}
			ts = append(ts, token{text: w, col: col, quoted: true})
			col += utf8.RuneCountInString(s[i : i+n])
			i += n
			continue
		}
		if sg := signAt(s[i:]); sg != "" {
			ts = append(ts, token{text: sg, col: col, sign: true})
			i, col = i+len(sg), col+len(sg)
			continue
		}
		n := wordLen(s[i:])
		if n == 0 {
			if c == '=' {
				return ts, "to compare, write ==", col
			}
			r, _ := utf8.DecodeRuneInString(s[i:])
			return ts, "unexpected " + clip(string(r)), col
		}
		w := s[i : i+n]
		ts = append(ts, token{text: w, col: col, sign: w == "+" || w == "-"})
		i, col = i+n, col+n
	}
	return ts, "", 0
}

func signAt(s string) string {
	for _, sg := range signs {
		if strings.HasPrefix(s, sg) {
			return sg
		}
	}
	return ""
}

// wordLen is the length of the word at the start of s; two dots end it.
func wordLen(s string) int {
	n := 0
	for n < len(s) {
		c := s[n]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && !strings.ContainsRune("._-+#:", rune(c)) || strings.HasPrefix(s[n:], "..") {
			break
		}
		n++
	}
	return n
}

// readQuoted reads "text" with \" and \\ inside.
func readQuoted(s string) (text string, n int, open bool) {
	var b strings.Builder
	for n = 1; n < len(s); n++ {
		switch {
		case s[n] == '"':
			return b.String(), n + 1, false
		case s[n] == '\\' && n+1 < len(s) && (s[n+1] == '"' || s[n+1] == '\\'):
			n++
		}
		b.WriteByte(s[n])
	}
	return "", n, true
}
