package scenario

import (
	"slices"
	"strings"
	"testing"
)

// What the help shows can be written: every line of a header and of the script
// is of one scenario that parses, and no word of a header is left out.
func TestHelpParses(t *testing.T) {
	var text strings.Builder
	var words []string
	for _, h := range append(Headers(), Script()...) {
		text.WriteString(h.Usage + "\n")
		word, _, _ := strings.Cut(h.Usage, " ")
		words = append(words, word)
		if h.Doc == "" {
			t.Errorf("%q says nothing", h.Usage)
		}
	}
	if _, err := Parse(text.String()); err != nil {
		t.Errorf("%v in\n%s", err, text.String())
	}
	for _, w := range headerWords {
		if !slices.Contains(words, w) {
			t.Errorf("no help for %s", w)
		}
	}
	for _, h := range Verbs() {
		if word, _, _ := strings.Cut(h.Usage, " "); !slices.Contains(verbWords, word) {
			t.Errorf("%q is of no verb", h.Usage)
		}
	}
}
