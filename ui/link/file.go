package link

import (
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/ui/model"
)

// WithEdits is a scenario's text with the user's commands put in as steps, so
// that the file runs as the session did. An edit comes after the script's own
// steps of its instant, as it did when it was made.
func WithEdits(text string, edits []model.Edit) string {
	if len(edits) == 0 {
		return text
	}
	var b strings.Builder
	step := func(e model.Edit) { b.WriteString("at " + instant(e.At) + " " + e.Text + "\n") }
	for line := range strings.Lines(text) {
		if at, ok := stepAt(line); ok {
			for len(edits) > 0 && edits[0].At < at {
				step(edits[0])
				edits = edits[1:]
			}
		}
		b.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			b.WriteByte('\n')
		}
	}
	for _, e := range edits {
		step(e)
	}
	return b.String()
}

// stepAt is the instant of a line that begins a step: "at 4s ...".
func stepAt(line string) (kafka.Instant, bool) {
	rest, ok := strings.CutPrefix(line, "at")
	if !ok || rest == "" || rest[0] != ' ' && rest[0] != '\t' {
		return 0, false
	}
	words := strings.Fields(rest)
	if len(words) == 0 {
		return 0, false
	}
	return parseInstant(words[0])
}
