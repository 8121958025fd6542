package site

import "html/template"

// DefaultScenario is what the page opens without any parameter.
const DefaultScenario = "log/first-cluster"

// poster draws the first moment of a scenario as SVG.
func poster(text string) (template.HTML, error) {
	return "", nil
}
