package engine

import "github.com/highwater-sim/highwater/engine/scenario"

// Words is a part of the language's reference, under a heading.
type Words struct {
	Name string
	List []Word
}

// Word is a line of the language: how it is written, and what it means.
type Word struct{ Usage, Doc string }

// Language is the reference of the scenario language: the lines before the
// script, the script's own, the commands, and the functions of expectations.
func Language() []Words {
	words := func(name string, of []scenario.VerbHelp) Words {
		w := Words{Name: name}
		for _, h := range of {
			w.List = append(w.List, Word(h))
		}
		return w
	}
	all := []Words{words("The cluster", scenario.Headers()), words("The script", scenario.Script()), words("Commands", scenario.Verbs())}
	functions := Words{Name: "What can be expected"}
	for _, f := range scenario.Functions() {
		functions.List = append(functions.List, Word{Usage: f.Usage(), Doc: f.Doc})
	}
	return append(all, functions)
}
