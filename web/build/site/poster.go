package site

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/highwater-sim/highwater/engine"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/scenarios"
	"github.com/highwater-sim/highwater/ui/poster"
	"github.com/highwater-sim/highwater/ui/theme"
)

// DefaultScenario is what the page opens without any parameter.
const DefaultScenario = "log/first-cluster"

// A poster shows the moment after a part of the script, where things have
// happened, moved on by a few events so that messages are under way.
const (
	posterPart      = 0.6
	posterEventsMax = 2000
	posterFlights   = 2
)

// readScenario opens a scenario in the engine and takes the words and the picture
// for its page out of it.
func readScenario(id, text string) (Scenario, error) {
	session, err := engine.Open(text, engine.Options{ID: id})
	if err != nil {
		return Scenario{}, fmt.Errorf("%s: %w", id, err)
	}
	info := session.Info()
	file := strings.ReplaceAll(id, "/", "-")
	one := Scenario{
		ID: id, Chapter: info.Chapter, Title: info.Title, Prose: info.Prose, Cases: scenarios.Reenacts(id), Text: text,
		Page: file + ".html", File: file + ".hw", Image: file + ".svg",
	}
	if len(info.Prose) > 0 {
		one.Summary = sentence(info.Prose[0])
	}
	one.Poster, one.PosterLight = draw(session)
	return one, nil
}

// sentence is the first one of a paragraph.
func sentence(text string) string {
	if i := strings.Index(text, ". "); i >= 0 {
		return text[:i+1]
	}
	return text
}

// draw runs a session to its poster's moment and paints it for both themes, with
// ids of their own because both stand in one page.
func draw(session *engine.Session) (dark, light template.HTML) {
	moment := kafka.Instant(posterPart * float64(session.End()))
	session.RunUntil(moment, 1<<30)
	var cluster view.Cluster
	options := view.Options{Cells: poster.Cells, Flights: true}
	for range posterEventsMax {
		session.View(options, &cluster)
		if len(cluster.Flights) >= posterFlights || !session.StepEvent() {
			break
		}
	}
	ids := strings.NewReplacer(`id="hw`, `id="light`, `url(#hw`, `url(#light`)
	// Both are drawn by us, their texts escaped by the painter.
	dark = template.HTML(poster.SVG(&cluster, poster.Size{}, &theme.Dark))
	light = template.HTML(ids.Replace(poster.SVG(&cluster, poster.Size{}, &theme.Light)))
	return dark, light
}
