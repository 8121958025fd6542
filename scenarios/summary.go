package scenarios

import "strings"

// parts are the names of the chapters.
var parts = map[string]string{
	"log":        "Records and logs",
	"durability": "Durability",
	"control":    "Controllers",
	"retention":  "Retention",
	"delivery":   "Delivery guarantees",
	"groups":     "Consumers and offsets",
	"ops":        "Operations",
}

// summary is the first sentence of a text's prose.
func summary(text string) string {
	var words []string
	begun := false
	for line := range strings.Lines(text) {
		rest, first := strings.CutPrefix(line, "text ")
		switch {
		case first && !begun:
			begun = true
			words = append(words, strings.Fields(rest)...)
		case !begun:
		case line[0] == ' ' && strings.TrimSpace(line) != "":
			words = append(words, strings.Fields(line)...)
		default:
			return sentence(strings.Join(words, " "))
		}
	}
	return sentence(strings.Join(words, " "))
}

// sentence is the first one of a paragraph.
func sentence(text string) string {
	if i := strings.Index(text, ". "); i >= 0 {
		return text[:i+1]
	}
	return text
}
