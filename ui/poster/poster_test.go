package poster

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/ui/scene/fixture"
	"github.com/highwater-sim/highwater/ui/theme"
)

func TestPosterIsOneWellFormedPicture(t *testing.T) {
	for _, th := range []*theme.Theme{nil, &theme.Light} {
		s := SVG(fixture.Ordinary(), Size{}, th)
		d := xml.NewDecoder(strings.NewReader(s))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range []string{`viewBox="0 0 900 600"`, "payments-1", "LEADER", "cut off", "GROUP billing"} {
			if !strings.Contains(s, want) {
				t.Errorf("no %q", want)
			}
		}
		for _, not := range []string{"<script", "href=", "http://www.w3.org/1999"} {
			if strings.Contains(s, not) {
				t.Errorf("has %q", not)
			}
		}
		if len(s) > 90_000 {
			t.Errorf("%d bytes", len(s))
		}
	}
}

func TestEmptyPoster(t *testing.T) {
	if s := SVG(nil, Size{W: 300, H: 200}, nil); !strings.Contains(s, `viewBox="0 0 300 200"`) {
		t.Error(s)
	}
}
