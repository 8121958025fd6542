package link

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/ui/model"
)

// Decode reads the fragment of an address, with or without its #. problems
// lists everything in it that could not be used, in words for the reader. ok
// is false if there is no scenario in it to open; an empty fragment is not ok
// and has no problems.
func Decode(fragment string) (l Link, ok bool, problems []string) {
	l = Link{Engine: EngineVersion, Speed: -1}
	fragment = strings.TrimPrefix(fragment, "#")
	if fragment == "" {
		return l, false, nil
	}
	if len(fragment) > fragmentMax {
		return l, false, []string{"The link has " + strconv.Itoa(len(fragment)) + " bytes, too many to be one of ours."}
	}
	format, rest, _ := strings.Cut(fragment, ".")
	codec, payload, found := strings.Cut(rest, ".")
	switch {
	case format != "v1" || !found:
		return l, false, []string{"The link begins with " + quote(format) + ", which is no format that this version knows (v1)."}
	case codec == "d":
		var err error
		if payload, err = inflate(payload); err != nil {
			return l, false, []string{"The link is damaged: it cannot be unpacked (" + err.Error() + ")."}
		}
	case codec != "p":
		return l, false, []string{"The link's codec " + quote(codec) + " is not known to this version."}
	}
	d := decoder{l: &l}
	d.fields(payload)
	if !l.HasAt {
		l.Event = 0 // it counts within a moment
	}
	if l.ID == "" && l.Text == "" {
		d.problem("The link names no scenario.")
		return l, false, d.problems
	}
	return l, true, d.problems
}

type decoder struct {
	l        *Link
	seen     []string
	problems []string
}

// problemsMax is how many problems are told one by one.
const problemsMax = 20

func (d *decoder) problem(text string) {
	switch {
	case len(d.problems) < problemsMax:
		d.problems = append(d.problems, text)
	case len(d.problems) == problemsMax:
		d.problems = append(d.problems, "There is more of the kind.")
	}
}

// fields reads the payload, field by field.
func (d *decoder) fields(payload string) {
	for payload != "" {
		var field string
		field, payload, _ = strings.Cut(payload, "&")
		name, raw, found := strings.Cut(field, "=")
		value, err := unescape(raw)
		switch {
		case !found || err != "":
			d.problem("The part " + quote(field) + " cannot be read" + err + ".")
		case name != "e" && contains(d.seen, name):
			d.problem("The link has " + quote(name) + " twice; the second is left out.")
		default:
			d.seen = append(d.seen, name)
			if name == "e" {
				d.seen = d.seen[:len(d.seen)-1]
			}
			if !d.field(name, value) {
				d.problem("The link's " + quote(name) + " cannot be used: " + quote(value) + ".")
			}
		}
	}
}

// field sets one field of the link; false if the value does not fit.
func (d *decoder) field(name, value string) bool {
	l := d.l
	var err error
	switch name {
	case "v":
		var n int
		if n, err = strconv.Atoi(value); err == nil && n != EngineVersion {
			l.Engine = n
			d.problem("The link was made with engine " + value + ", this is engine " + strconv.Itoa(EngineVersion) + ": the run may differ.")
		}
	case "s":
		if value == "" || len(value) > idMax || l.Text != "" {
			return false
		}
		l.ID = value
	case "x":
		if value == "" || l.ID != "" {
			return false
		}
		l.Text = value
	case "seed":
		var n uint64
		if n, err = strconv.ParseUint(value, 10, 64); err == nil {
			l.Seed, l.HasSeed = n, true
		}
	case "e":
		return d.edit(value)
	case "t":
		at, ok := parseInstant(value)
		if !ok {
			return false
		}
		l.At, l.HasAt = at, true
	case "n":
		var n uint64
		if n, err = strconv.ParseUint(value, 10, 64); err == nil {
			l.Event = n
		}
	case "sel":
		sel, ok := model.ParseSelection(value)
		if !ok {
			return false
		}
		l.Selection = sel
	case "cam":
		return d.camera(value)
	case "sp":
		n, bad := strconv.Atoi(value)
		if bad != nil || n < 0 || n >= len(model.Speeds) {
			return false
		}
		l.Speed = n
	default:
		return false
	}
	return err == nil
}

func (d *decoder) edit(value string) bool {
	at, text, _ := strings.Cut(value, " ")
	t, ok := parseInstant(at)
	if !ok || text == "" || strings.TrimSpace(text) != text || strings.ContainsAny(text, "\n\r") || len(d.l.Edits) >= EditsMax {
		return false
	}
	if n := len(d.l.Edits); n > 0 && d.l.Edits[n-1].At > t {
		return false
	}
	d.l.Edits = append(d.l.Edits, model.Edit{At: t, Text: text})
	return true
}

func (d *decoder) camera(value string) bool {
	parts := strings.Split(value, ",")
	if len(parts) != 3 {
		return false
	}
	var v [3]float32
	for i, p := range parts {
		f, err := strconv.ParseFloat(p, 32)
		if err != nil || f != f {
			return false
		}
		v[i] = float32(f)
	}
	c := model.Camera{X: v[0], Y: v[1], Zoom: v[2]}
	if c != cleanCamera(c) {
		return false
	}
	d.l.Camera = c
	return true
}

// idMax is the most bytes of a scenario's name.
const idMax = 100

// Query is what a query string may ask for; a search engine's robot sees it,
// and not the fragment.
type Query struct {
	ID    string // ?s=durability/acks-1
	Embed bool   // &embed=1
	At    kafka.Instant
	HasAt bool   // &t=12.4s
	Keys  string // &palette=tol, the palette of records by key
}

// DecodeQuery reads a query string, with or without its ?. Parameters that are
// not ours are nobody's mistake: they are passed over.
func DecodeQuery(query string) (q Query, problems []string) {
	for field := range strings.SplitSeq(strings.TrimPrefix(query, "?"), "&") {
		name, raw, _ := strings.Cut(field, "=")
		value, bad := unescape(raw)
		ok := bad == ""
		switch name {
		case "s":
			q.ID = value
			ok = ok && value != "" && len(value) <= idMax
		case "embed":
			q.Embed = value == "1"
			ok = ok && (value == "1" || value == "0" || value == "")
		case "t":
			q.At, q.HasAt = parseInstant(value)
			ok = ok && q.HasAt
		case "palette":
			ok = ok && contains([]string{"okabe-ito", "tol", "contrast"}, value)
			if ok {
				q.Keys = value
			}
		default:
			continue
		}
		if !ok {
			problems = append(problems, "The address's "+quote(name)+" cannot be used: "+quote(value)+".")
		}
	}
	return q, problems
}

// parseInstant reads "5200ms", "12.4s", "3m" or "17ns", from 0.
func parseInstant(s string) (kafka.Instant, bool) {
	i := strings.IndexFunc(s, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if i <= 0 {
		return 0, false
	}
	unit, ok := unitOf(s[i:])
	whole, frac, dotted := strings.Cut(s[:i], ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if !ok || err != nil || n > int64(kafka.Never-1)/int64(unit) || dotted && frac == "" || len(frac) > 9 {
		return 0, false
	}
	total, scale := n*int64(unit), int64(unit)
	for _, c := range []byte(frac) {
		if c == '.' || scale%10 != 0 {
			return 0, false
		}
		scale /= 10
		add := int64(c-'0') * scale
		if total > int64(kafka.Never-1)-add {
			return 0, false
		}
		total += add
	}
	return kafka.Instant(total), true
}

func unitOf(s string) (kafka.Duration, bool) {
	switch s {
	case "ns":
		return kafka.Nanosecond, true
	case "us":
		return kafka.Microsecond, true
	case "ms":
		return kafka.Millisecond, true
	case "s":
		return kafka.Second, true
	case "m":
		return kafka.Minute, true
	case "h":
		return kafka.Hour, true
	case "d":
		return kafka.Day, true
	}
	return 0, false
}

// unescape undoes a field's escapes; bad says what is wrong, "" if nothing.
func unescape(s string) (value, bad string) {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '+':
			b = append(b, ' ')
		case c != '%':
			b = append(b, c)
		case i+2 >= len(s):
			return "", ": it ends in the middle of a character"
		default:
			n, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
			if err != nil {
				return "", ": " + quote(s[i:i+3]) + " is no character"
			}
			b = append(b, byte(n))
			i += 2
		}
	}
	if value = string(b); !clean(value) {
		return "", ": it has control characters or is not UTF-8"
	}
	return value, ""
}

// clean reports whether text is UTF-8 without control characters but line feed
// and tab.
func clean(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return utf8.ValidString(s)
}

// quote shows a piece of a link, shortened.
func quote(s string) string {
	if len(s) > 40 {
		s = strings.ToValidUTF8(s[:40], "") + "…"
	}
	return `"` + strings.ToValidUTF8(s, "�") + `"`
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
