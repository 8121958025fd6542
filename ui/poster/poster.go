package poster

import (
	"strings"

	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/paint/svg"
	"github.com/highwater-sim/highwater/ui/scene"
	"github.com/highwater-sim/highwater/ui/theme"
)

// Size of a poster in CSS px; the zero value is 900 x 600.
type Size struct{ W, H float32 }

// SVG is the picture of the cluster at its instant, as one SVG document, fit to
// the size. A nil theme is the dark one. Build the cluster with Cells records
// per replica and with its flights.
func SVG(c *view.Cluster, size Size, t *theme.Theme) string {
	if size.W <= 0 || size.H <= 0 {
		size = Size{W: 900, H: 600}
	}
	var list scene.List
	scene.Build(scene.Input{Cluster: c, Theme: t, W: size.W, H: size.H}, &list)
	var b strings.Builder
	if err := svg.Render(&b, &list.List); err != nil {
		panic(err) // a Builder takes everything
	}
	return b.String()
}

// Cells is how many records per replica a poster can show.
const Cells = 24
